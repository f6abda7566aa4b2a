"""The chain of a run log: every change is noticed, and a forged log promotes nobody."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from command_line import run as symops
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from routing_logs import chain, lines_of, make_run, manifest, rows_of, some_runs, state_of, write_runs

from symops_lark.routing import LogReport, Registry, RunLog, promotion_evidence, rescore_log, verify_log
from symops_lark.routing.logs.chain import FIRST, Head
from symops_lark.routing.logs.folding import fold_piece
from symops_lark.routing.metrics.metrics import METRIC_V1

PAIR = [("a", True, 0.9, 0.1), ("b", True, 0.4, 0.1)]
fixed = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
Change = Callable[[list[bytes], int], None]


def write_thousand(path: Path, first: int = 0) -> Path:
    """Write the runs that a promotion needs."""
    rows = [row for number in range(1000) for row in make_run(f"r{first + number}", PAIR, candidates=2)]
    RunLog(path)._append(rows)
    return path


def forge(path: Path, *, seal: bytes | None = None) -> Path:
    """Write the rows of a log again as a stranger would, with a fresh chain and the seal of another key."""
    before, lines = FIRST, []
    for row in rows_of(path):
        row.pop("seal", None)
        line = json.dumps({**row, "prev": before}, separators=(",", ":")).encode()
        if seal is not None:
            line = line[:-1] + b',"seal":"' + seal + b'"}'
        before = sha256(line).hexdigest()
        lines.append(line + b"\n")
    forged = path.with_suffix(".forged")
    forged.write_bytes(b"".join(lines))
    return forged


def reasons(path: Path, **more: Any) -> str:
    return "; ".join(promotion_evidence(verify_log(path, **more), "a", "1.0.0", supply_chain=True).reasons)


def places(report: LogReport) -> list[int]:
    return [problem.line for problem in report.problems]


# ---- the law


def test_each_row_has_the_hash_of_the_row_before(tmp_path: Path) -> None:
    path = write_runs(tmp_path / "run.jsonl", [PAIR] * 3)
    lines = path.read_bytes().splitlines()
    assert json.loads(lines[0])["prev"] == FIRST
    for before, after in pairwise(lines):
        assert json.loads(after)["prev"] == sha256(before).hexdigest()
    report = verify_log(path)
    assert report.ok and not report.notes
    assert report.chain.to_dict() == {"first": 0, "last": 5, "head": sha256(lines[-1]).hexdigest(), "trusted": -1}


@pytest.mark.slow
@fixed
@given(runs=some_runs, line=st.integers(0, 10**6), place=st.integers(0, 10**6), byte=st.integers(32, 126))
def test_any_single_change_of_any_row_is_seen(
    tmp_path_factory: pytest.TempPathFactory, runs: Any, line: int, place: int, byte: int
) -> None:
    """Law: a changed character makes the log wrong, or takes the row its seal, so that it promotes nobody."""
    path = write_runs(tmp_path_factory.mktemp("log") / "run.jsonl", runs)
    lines = lines_of(path)
    at = line % len(lines)
    row = bytearray(lines[at])
    position = place % (len(row) - 1)
    assume(row[position] != byte)
    row[position] = byte
    lines[at] = bytes(row)
    path.write_bytes(b"".join(lines))
    report = verify_log(path)
    assert not report.ok or any("no seal of your key" in note or "half written" in note for note in report.notes)
    assert not report.ok or at == len(lines) - 1


def drop(lines: list[bytes], at: int) -> None:
    del lines[at]


def double(lines: list[bytes], at: int) -> None:
    lines.insert(at, lines[at])


def renumber(lines: list[bytes], at: int) -> None:
    """Take a row out, and close the gap of the numbers."""
    del lines[at]
    for number in range(at, len(lines)):
        row = json.loads(lines[number])
        lines[number] = json.dumps({**row, "seq": number}, separators=(",", ":")).encode() + b"\n"


def rename(lines: list[bytes], at: int) -> None:
    """Change what no other number depends on."""
    lines[at] = lines[at].replace(b'"prompt_hash":"ab', b'"prompt_hash":"cd')


def unseal(lines: list[bytes], at: int) -> None:
    row = json.loads(lines[at])
    del row["seal"], row["prev"]
    lines[at] = json.dumps(row, separators=(",", ":")).encode() + b"\n"


@pytest.mark.parametrize(
    ("change", "line", "message"),
    [
        (drop, 0, "row 4 is missing"),
        (double, 0, "row 4 is there twice"),
        (renumber, 5, "its seal does not fit"),
        (rename, 5, "its seal does not fit"),
        (unseal, 5, "it does not have the hash of the row before it"),
    ],
)
def test_changes_are_told_with_their_line(tmp_path: Path, change: Change, line: int, message: str) -> None:
    path = write_runs(tmp_path / "run.jsonl", [[("a", True, 0.9, 0.1)]] * 9)
    lines = lines_of(path)
    change(lines, 4)
    path.write_bytes(b"".join(lines))
    problem = verify_log(path).problems[0]
    assert (problem.line, problem.what[: len(message)]) == (line, message)


def test_moved_lines_are_told_and_change_nothing(tmp_path: Path) -> None:
    path = write_runs(tmp_path / "run.jsonl", [PAIR] * 4)
    before, lines = verify_log(path), lines_of(path)
    path.write_bytes(b"".join(reversed(lines)))
    report = verify_log(path)
    assert state_of(report) == state_of(before) and report.chain == before.chain
    assert report.notes[0] == "lines were moved: the rows are taken in the order of their numbers"


@pytest.mark.slow
@fixed
@given(runs=some_runs, at=st.integers(0, 10**6), cuts=st.lists(st.integers(0, 10**6), min_size=1, max_size=3))
def test_parts_of_a_log_have_the_same_chain(
    tmp_path_factory: pytest.TempPathFactory, runs: Any, at: int, cuts: list[int]
) -> None:
    path = write_runs(tmp_path_factory.mktemp("log") / "run.jsonl", runs)
    lines = lines_of(path)
    rename(lines, at % len(lines))
    path.write_bytes(b"".join(lines))
    size = path.stat().st_size
    ends = [0, *sorted(cut % size for cut in cuts), 1 << 62]
    first, *remaining = (fold_piece((path, piece, False)) for piece in pairwise(ends))
    complete = fold_piece((path, None, False))
    for item in remaining:
        first.merge(item)
    rows = [(fold.numbers.tell(), fold.numbers.broken, fold.forged, fold.unsealed) for fold in (first, complete)]
    assert rows[0] == rows[1] and first.numbers.describe(-1) == complete.numbers.describe(-1)


# ---- attacks


@pytest.mark.slow
@pytest.mark.parametrize("seal", [None, b"01234567-" + b"0" * 64])
def test_a_forged_but_consistent_log_promotes_nobody(tmp_path: Path, seal: bytes | None) -> None:
    """A stranger writes the whole log with a fresh chain: all follows, and it counts for nothing."""
    path = write_thousand(tmp_path / "run.jsonl")
    assert reasons(path) == ""
    forged = forge(path, seal=seal)
    report = verify_log(forged)
    assert report.ok and report.notes == (
        "2,000 rows have no seal of your key: they count in statistics, and for no promotion",
    )
    assert "a row of the last 100 has no seal of your key" in reasons(forged)
    assert "a decided run of the last 1,000 has no seal" in reasons(forged)


def test_a_seal_of_your_key_cannot_be_made_up(tmp_path: Path) -> None:
    path = write_runs(tmp_path / "run.jsonl", [PAIR])
    key = str(rows_of(path)[0]["seal"]).partition("-")[0].encode()
    report = verify_log(forge(path, seal=key + b"-" + b"0" * 64))
    assert places(report) == [1] and "its seal does not fit" in report.problems[0].what


@pytest.mark.slow
def test_a_head_that_you_know_vouches_for_a_log(tmp_path: Path) -> None:
    """The log of another user counts up to the row whose hash the user names."""
    forged = forge(write_thousand(tmp_path / "run.jsonl"))
    lines = forged.read_bytes().splitlines()
    last, earlier = (sha256(line).hexdigest() for line in (lines[-1], lines[-2]))
    assert reasons(forged, heads=[Head(last, trusted=True)]) == ""
    assert "has no seal of your key" in reasons(forged, heads=[Head(earlier, trusted=True)])
    assert "has no seal of your key" in reasons(forged, heads=[Head(last)])
    assert "the log was cut or rewritten" in verify_log(forged, heads=[Head("0" * 64, trusted=True)]).problems[0].what


@pytest.mark.slow
def test_old_logs_stay_readable_and_promote_nobody(tmp_path: Path) -> None:
    """Rows count for a promotion from the row on with which the chain begins."""
    path = write_thousand(tmp_path / "run.jsonl")
    old = [{name: value for name, value in row.items() if name not in ("prev", "seal")} for row in rows_of(path)]
    path.write_text("".join(json.dumps(row) + "\n" for row in old))
    report = verify_log(path)
    assert report.ok and report.chain.last is None and report.rows == 2000
    assert "no seal of your key" in reasons(path)
    write_thousand(path, 1000)
    report = verify_log(path)
    assert report.ok and (report.chain.first, report.chain.last) == (2000, 3999) and reasons(path) == ""
    lines = lines_of(path)
    lines[1999] = lines[1999].replace(b"12:00:00", b"12:00:01")
    path.write_bytes(b"".join(lines))
    assert places(verify_log(path)) == [2001], "the first chained row has the hash of the last old one"


def test_a_copy_with_other_rewards_vouches_for_nothing_forged(tmp_path: Path) -> None:
    path = write_runs(tmp_path / "run.jsonl", [PAIR] * 3)
    rescore_log(path, METRIC_V1, tmp_path / "good.jsonl")
    assert not verify_log(tmp_path / "good.jsonl").notes
    rescore_log(forge(path), METRIC_V1, tmp_path / "bad.jsonl")
    assert "6 rows have no seal" in verify_log(tmp_path / "bad.jsonl").notes[0]
    path.write_bytes(b"".join(lines_of(path)[2:]))
    lines = lines_of(path)
    rename(lines, 1)
    path.write_bytes(b"".join(lines))
    rescore_log(path, METRIC_V1, tmp_path / "changed.jsonl")
    assert "4 rows have no seal" in verify_log(tmp_path / "changed.jsonl").notes[0]


def test_without_a_key_the_chain_has_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sealed = write_runs(tmp_path / "sealed.jsonl", [PAIR])
    monkeypatch.setenv("XDG_STATE_HOME", str(sealed / "no folder"))
    path = write_runs(tmp_path / "run.jsonl", [PAIR])
    assert "seal" not in rows_of(path)[0] and rows_of(path)[0]["prev"] == FIRST
    for log in (path, sealed):
        report = verify_log(log)
        assert report.ok and report.notes[0].startswith("seals cannot be checked: ")
    assert "no seal" not in reasons(path)


# ---- the registry


@pytest.mark.slow
def test_the_registry_remembers_the_end_of_a_log(tmp_path: Path) -> None:
    path = write_thousand(tmp_path / "run.jsonl")
    with Registry(tmp_path / "r.db") as registry:
        registry.register(manifest(), chain())
        registry.promote(promotion_evidence(path, "a", "1.0.0", supply_chain=True))
        registry.record_log(path, verify_log(path).chain)
        [head] = registry.log_heads(path)
        assert head.row == 1999 and [event.kind for event in registry.history()].count("log_head") == 1
        assert verify_log(path, heads=[head]).ok
        path.write_bytes(b"".join(lines_of(path)[:-2]))
        assert verify_log(path).ok, "the rest is a log"
        report = verify_log(path, heads=[head])
        assert places(report) == [1998] and "the log was cut or rewritten" in report.problems[0].what
        assert registry.log_heads(tmp_path / "other.jsonl") == []


def test_commands_notice_a_log_that_was_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = write_runs(Path("run_log.jsonl"), [PAIR] * 3)
    with Registry("registry.db") as registry:
        registry.register(manifest(), chain())
        registry.record_log(path, verify_log(path).chain)
    head = verify_log(path).chain.head
    assert symops("route", "log", "verify", "--registry", "registry.db", "--head", head).exit_code == 0
    assert f"head: row 5, {head}" in symops("route", "log", "verify").output
    path.write_bytes(b"".join(lines_of(path)[:4]))
    assert symops("route", "log", "verify").exit_code == 0
    for option, value in (("--registry", "registry.db"), ("--head", head)):
        done = symops("route", "log", "verify", option, value)
        assert done.exit_code == 1 and "run_log.jsonl:4: error: " in done.output
    done = symops("route", "promote", "a", "--dry-run")
    assert done.exit_code == 1 and "the log does not follow (1 problem, the first on line 4)" in done.output
    done = symops("route", "promote", "a", "--head", "123")
    assert done.exit_code == 2 and "is not a SHA-256 hash" in done.stderr
