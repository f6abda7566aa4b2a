"""What strangers write is refused or read, never called a bug: some inputs of each target, the same ones each time.

`python -m benchmarks.fuzz` gives others, for hours.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from repository import ROOT

from benchmarks.fuzz import Hang, _watched, fuzz
from benchmarks.fuzz.calls import Target, call
from benchmarks.fuzz.mutations import mutate
from benchmarks.fuzz.targets import TARGETS

COUNTS = {
    "reply": 240,
    "applied": 160,
    "document": 400,
    "rule": 500,
    "policy": 400,
    "dialect": 100,
    "recovery": 60,
    "profile": 200,
    "journal": 250,
    "run-log": 60,
    "transcript": 100,
    "task": 150,
    "answer": 160,
    "format-reply": 240,
    "format-file": 150,
    "edit": 240,
    "talk": 150,
    "any-text": 100,
    "any-grammar": 100,
    "manifest": 160,
    "audit-set": 100,
    "metric": 120,
    "candidates": 120,
    "routing-log": 100,
    "registry": 60,
    "requests": 60,
    "session-log": 200,
}


def test_every_target_has_a_count() -> None:
    assert COUNTS.keys() == TARGETS.keys()


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "place").mkdir()
    return tmp_path / "place"


@pytest.mark.alike(6)
@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_nothing_that_strangers_write_is_a_bug(name: str, folders: Path, stride: int) -> None:
    findings = list(fuzz(name, COUNTS[name] // stride, 1, folders))
    assert not findings, "\n".join(
        f"{finding.command}: {finding.said}: {finding.data[:2000]!r}" for finding in findings
    )
    assert not any(folders.iterdir())


def test_a_bug_is_noticed(folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The harness sees exit code 70, and what is raised outside of a command, and names the input."""

    def fall(data: bytes, place: Path, draws: object) -> tuple[str, str]:
        monkeypatch.setattr("symops_lark.adapters.cli.reading.render.read_document", lambda text: 1 / 0)
        return call(("render",), data)

    def raise_it(data: bytes, place: Path, draws: object) -> tuple[str, str]:
        raise KeyError("x")

    monkeypatch.setitem(TARGETS, "falls", Target(lambda: (b">> a\n",), fall))
    monkeypatch.setitem(TARGETS, "raises", Target(lambda: (b">> a\n",), raise_it))
    [result] = fuzz("falls", 1, 1, folders)
    assert "exit code 70" in result.said and "ZeroDivisionError" in result.said and result.command == "render"
    assert ["KeyError" in result.said for result in fuzz("raises", 2, 1, folders)] == [True, True]


def test_an_input_depends_on_its_number_alone(folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pieces: list[bytes] = []

    def note(data: bytes, place: Path, draws: object) -> tuple[str, str]:
        pieces.append(data)
        return "", ""

    monkeypatch.setitem(
        TARGETS, "noted", Target(lambda: (b">> a\n::run @make\n", b'{"a": [1, {"b": 2}]}'), note, (b"x",))
    )
    list(fuzz("noted", 30, 1, folders))
    list(fuzz("noted", 1, 1, folders, first=17))
    assert pieces[-1] == pieces[17] and len(set(pieces)) > 20


def test_json_that_is_changed_stays_json() -> None:
    import json
    from random import Random

    mutates = [mutate(Random(number), (b'{"a": [1, {"b": 2}], "c": "d"}',), ()) for number in range(200)]

    def is_json(data: bytes) -> bool:
        try:
            json.loads(data)
        except ValueError:
            return False
        return True

    assert sum(map(is_json, mutates)) > 100 and len(set(mutates)) > 100


@pytest.mark.slow
def test_an_input_that_keeps_the_processor_busy_is_a_hang_and_one_that_waits_is_not() -> None:
    # Alone: threads of other tests may keep this process busy.
    waiting = "import time\nfrom benchmarks.fuzz import _watched\nwith _watched(0.1):\n    time.sleep(0.3)"
    subprocess.run([sys.executable, "-c", waiting], cwd=ROOT, check=True)
    with pytest.raises(Hang):
        be_busy()


def be_busy() -> None:
    with _watched(0.1):
        while True:
            pass
