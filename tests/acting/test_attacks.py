"""The attacks of `benchmarks.attacks`, small: nothing is won; and each of them notices a hole made for it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from crashes import change

from benchmarks.attacks import LOST, OUTSIDE, WRONG, Figures, count, edits, exchanges, find_attacks, kills, patient_disk
from benchmarks.attacks.__main__ import main
from benchmarks.attacks._plans import Drawn
from symops_lark.acting.files import filesystem, paths, renames, view
from symops_lark.acting.journal import records, transaction, trust

pytestmark = pytest.mark.slow

SMALL = {
    "edits": 150,
    "exchanges": 100,
    "journals": 60,
    "kills": 1,
    "paths": 1_000,
    "power": 4,
    "reads": 3_000,
    "swaps": 30,
}


@pytest.fixture(autouse=True)
def thin(monkeypatch: pytest.MonkeyPatch, stride: int) -> None:
    monkeypatch.setattr(kills, "STEP", stride)


def attack(name: str, n: int, place: Path, seed: int = 1) -> Figures:
    return find_attacks()[name].attack(n, seed, place)


@pytest.mark.parametrize("name", SMALL)
def test_nothing_is_won(tmp_path: Path, name: str, stride: int) -> None:
    n = SMALL[name] if stride == 1 else -(-SMALL[name] // 2)
    figures = attack(name, n, tmp_path)
    assert not any(figures.harms.values()), figures.examples
    assert figures.harms and figures.tried >= min(n, 50)


def test_the_command_prints_figures(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", os.environ["XDG_STATE_HOME"])  # put back afterwards
    monkeypatch.setattr("sys.argv", ["attacks", "paths", "--n", "20", "--seed", "3"])
    assert main() == 0
    output = capsys.readouterr().out
    assert output.startswith("paths: 20 tried") and "0 outside the root, 0 refused ones written" in output
    monkeypatch.setattr("sys.argv", ["attacks", "path"])
    with pytest.raises(SystemExit):
        main()
    assert "there is no attack 'path'; there are " in capsys.readouterr().err


# ---- holes: for each attack what it must notice


def follow_links(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(view, "_NO_LINK", 0)


def forget_to_sync(patch: pytest.MonkeyPatch) -> None:
    real = filesystem.Folder._finish

    def finish(file: int, folder: int, *rest: Any) -> Any:
        fsync, os.fsync = os.fsync, lambda fd: None
        try:
            return real(file, folder, *rest)
        finally:
            os.fsync = fsync

    patch.setattr(filesystem.Folder, "_finish", staticmethod(finish))


def begin_with_the_head(patch: pytest.MonkeyPatch) -> None:
    """The journal is taken for done at once: what was broken off is not told from what was done."""
    patch.setattr(transaction.Journal, "_tidy", lambda *_: [])
    patch.setattr(transaction.Journal, "_discard_temporary", lambda *_: None)


def compare_nothing(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(filesystem, "_compare", lambda *_: None)


def believe_any_seal(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(records, "is_signed", lambda *_: True)


def believe_any_place(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(filesystem.Folder, "place", lambda _: "")


def refuse_few_paths(patch: pytest.MonkeyPatch) -> None:
    real = paths._refuse_part
    patch.setattr(paths, "_refuse_part", lambda part, form="": "" if part.strip(".") else real(part))


def protect_nothing(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(trust, "protects", lambda *_: "")


HOLES: dict[Callable[[pytest.MonkeyPatch], None], tuple[str, int]] = {
    follow_links: ("exchanges", 60),
    forget_to_sync: ("power", 2),
    begin_with_the_head: ("kills", 1),
    compare_nothing: ("edits", 80),
    believe_any_seal: ("journals", 300),
    believe_any_place: ("journals", 100),
    refuse_few_paths: ("paths", 1_000),
    protect_nothing: ("journals", 300),
}


class Noticed(Exception):
    """The attacker has won something: what comes behind it would show no more."""


def notice(figures: Figures, harm: str, example: str) -> None:
    raise Noticed(harm)


@pytest.mark.parametrize("hole", HOLES, ids=lambda hole: hole.__name__)
def test_holes_are_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hole: Callable[[pytest.MonkeyPatch], None]
) -> None:
    hole(monkeypatch)
    monkeypatch.setattr(Figures, "won", notice)
    with pytest.raises(Noticed):
        attack(*HOLES[hole], tmp_path, seed=5)  # with which all of them are noticed soon


@pytest.mark.parametrize(("name", "n"), [("swaps", 100), ("reads", 10_000)])
def test_swaps_notice_links_that_are_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, n: int
) -> None:
    follow_links(monkeypatch)
    assert any(any(attack(name, n, tmp_path / str(turn)).harms.values()) for turn in range(5))


@pytest.mark.parametrize("is_safe", [True, False])
def test_what_takes_a_name_between_two_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_safe: bool) -> None:
    """Where the system cannot rename without overwriting: a link and an unlink would remove it."""
    if not is_safe:
        monkeypatch.setattr(filesystem, "set_aside", renames.settle)
    drawn = Drawn({"a": b"A"}, {}, (change(1, "a", b"A", None),))
    figures, at = count(LOST, WRONG), 1
    with patient_disk():
        while edits.edit_at(figures, tmp_path / "root", drawn, "a", edits.replace, at, False, True):
            at += 1
    assert figures.tried > 50 and (figures.harms[LOST] == 0) is is_safe


def test_a_journal_that_is_a_link_for_one_call_is_not_rubbish(tmp_path: Path) -> None:
    """Journals are counted once more at the end: what is no journal then is removed."""
    figures, at = count(OUTSIDE, LOST, WRONG), 500  # where the last file is changed, at the latest
    kind = exchanges.Exchange(f"{filesystem.JOURNAL}/1", is_undone=False, lasts=1)
    with patient_disk():
        while exchanges.exchange(figures, tmp_path, kind, at):
            at += 1
    assert at > 540 and not any(figures.harms.values()), figures.examples


@pytest.mark.parametrize("is_safe", [True, False])
def test_undo_does_not_take_a_missing_folder_for_missing_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_safe: bool
) -> None:
    """A folder that is away for some calls hides created files. Undo must not report that they are gone."""
    if not is_safe:
        look = filesystem.Folder.look
        monkeypatch.setattr(filesystem.Folder, "look", lambda self, path, most=None, **_: look(self, path, most))
    figures = count(OUTSIDE, LOST, WRONG)
    kind = exchanges.Exchange("sub", is_undone=True, lasts=10, has_link=False)
    at = 1
    with patient_disk():
        while exchanges.exchange(figures, tmp_path, kind, at):
            at += 5
    assert figures.tried > 100
    assert (figures.harms[WRONG] == 0) is is_safe
