"""The times of exported parsers: no parser that gives another document has one."""

from __future__ import annotations

import subprocess
from pathlib import Path
from types import ModuleType

import pytest
from rust_crates import CARGO, needs_cargo
from wings import need_wing

from benchmarks.exports._crate import Crate

OPTIONS = ("--rounds", "1", "--replies", "1")


@pytest.fixture(name="times")
def measure_one_reply(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Measure two texts with all sections and line ends, in place of the payloads, which are of the lab."""
    need_wing("lab")
    from benchmarks.exports import times

    sections = (
        '::c0.5\n>> a 𝒙\n? "b"\n 1. c\n 2.\n\n::create @a.py > b.py, c.py\n<<<\nx\n\n>>> y\n>>>\n! late @a.py no\n'
    )
    texts = [sections, sections.replace("\n", "\r\n") + "::run @ls > x"]

    def rows(dialect: str, replies: int, rounds: int) -> list[times._Row]:
        return [times._Row("a reply", work, texts, 1) for work in ("parse", "hand")]

    monkeypatch.setattr(times, "_rows", rows)
    return times


@pytest.mark.slow
def test_the_parser_written_by_hand_has_times_in_node_alone(
    times: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    assert times.main(OPTIONS) == 0
    [row] = [line for line in capsys.readouterr().out.splitlines() if "written by hand" in line]
    *remaining, cold, warm, rust = row.partition("hand")[2].split()
    assert remaining == ["-", "-"]
    assert rust == "-"
    assert float(cold) > 0 < float(warm)


@pytest.mark.slow
def test_another_document_has_no_time(
    times: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    code = times._HAND.read_text(encoding="utf-8")
    path = tmp_path / "hand_written.mjs"
    path.write_text(code.replace("line += lines", "line += 1"), encoding="utf-8")
    monkeypatch.setattr(times, "_HAND", path)
    with pytest.raises(subprocess.CalledProcessError):
        times.main(OPTIONS)
    assert "the parser written by hand gives another document" in capfd.readouterr().err


@pytest.mark.slow
def test_rust_has_no_time_without_cargo(
    times: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(times, "find_tool", {}.get)
    assert times.main([*OPTIONS, "--rust"]) == 0
    assert "cargo is not installed" in capsys.readouterr().err


@needs_cargo
@pytest.mark.slow
def test_the_crate_has_times_for_its_documents(tmp_path: Path) -> None:
    assert CARGO is not None
    crate = Crate(CARGO, "v2", tmp_path)
    text = ">> é\n"
    span = '{"start": 0, "end": 4, "line": 1, "column": 1}'
    right = f'{{"dialect": "v2", "sections": [{{"kind": "thought", "text": "é", "span": {span}}}]}}'
    [first, second] = crate.time([text, text], [right, right])
    assert first >= 0 <= second < 1000
    with pytest.raises(ValueError, match="another document"):
        crate.time([text], [right.replace("é", "e")])
