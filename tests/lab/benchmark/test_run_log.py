"""The run log: what is in it stays, what is half written is cut off, what is damaged is told."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import command_line
import pytest
from compliance_runs import TASKS, faults, read_records
from hypothesis import given
from hypothesis import strategies as st

from symops_lark import SymOpsError
from symops_lark.core.ground.json_lines import close_inherited, open_lines
from symops_lark.lab.benchmark.runlog import open_log, read_log
from symops_lark.lab.benchmark.runner import run


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A finished log."""
    path = tmp_path_factory.mktemp("log") / "run.jsonl"
    run(faults(repetitions=2, date="2026-01-01"), path, tasks=TASKS)
    return path.read_bytes()


def fail(path: Path) -> str:
    with pytest.raises(SymOpsError) as caught:
        read_log(path)
    return str(caught.value)


def change(data: bytes, line: int, edit: Callable[[dict[str, Any]], Any]) -> bytes:
    """Change one line of a log (from 0) as JSON."""
    lines = data.splitlines()
    value = json.loads(lines[line])
    edit(value)
    lines[line] = json.dumps(value).encode()
    return b"\n".join(lines) + b"\n"


def test_a_log_says_what_was_asked_for(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(whole)
    log = read_log(path)
    assert log.header.settings == faults(repetitions=2, date="2026-01-01")
    assert set(log.header.formats) == {"v1", "v2"} and set(log.header.tasks) == {"one", "two"}
    assert log.header.cases == len(log.records) == 8 and log.missing == 0
    assert all(record.provenance == log.header.provenance for record in log.records)


def test_the_order_of_lines_means_nothing(whole: bytes, tmp_path: Path) -> None:
    head, *lines = whole.splitlines(keepends=True)
    for name, data in {"a": whole, "b": b"".join([head, *reversed(lines)])}.items():
        (tmp_path / name).write_bytes(data)
    assert read_log(tmp_path / "a").records == read_log(tmp_path / "b").records


@given(cut=st.integers(0, 10**6))
def test_whatever_is_cut_off_comes_again(whole: bytes, tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    """Law: a log that ends anywhere becomes the whole one when the run starts again."""
    path = tmp_path_factory.mktemp("cut") / "run.jsonl"
    cut %= len(whole) + 1
    path.write_bytes(whole[:cut])
    saved = path.read_bytes().rpartition(b"\n")[0]
    with open_log(path) as log:
        assert len(log.records) == max(0, whole[:cut].count(b"\n") - 1)
    assert path.read_bytes() == (saved + b"\n" if saved else b"")


def test_half_a_line_is_told_when_read_and_cut_off_when_resumed(whole: bytes, tmp_path: Path) -> None:
    path, other_path = tmp_path / "run.jsonl", tmp_path / "whole.jsonl"
    path.write_bytes(whole[:-20])
    other_path.write_bytes(whole)
    assert f"{path}:9: the line is half written" in fail(path)
    run(faults(repetitions=2), path, tasks=TASKS)
    assert read_records(path) == read_records(other_path)
    path.write_bytes(whole[:30])  # in the middle of the first line
    assert "half written" in fail(path)
    run(faults(repetitions=2, date="2026-01-01"), path, tasks=TASKS)
    assert read_records(path) == read_records(other_path)


def test_nothing_damaged_is_passed_over(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    lines = whole.splitlines(keepends=True)
    damaged = {
        "garbage": b"".join([*lines[:3], b"%&!\n", *lines[3:]]),
        "an empty line": b"".join([*lines[:3], b"\n", *lines[3:]]),
        "no record": b"".join([*lines[:3], b"{}\n", *lines[3:]]),
        "another field": change(whole, 3, lambda value: value.update(new=1)),
        "a list": b"".join([*lines[:3], b"[1]\n", *lines[3:]]),
        "no UTF-8": b"".join([*lines[:3], b'"\xff"\n', *lines[3:]]),
    }
    for name, data in damaged.items():
        path.write_bytes(data)
        assert f"{path}:4: this line is damaged" in fail(path), name
        with pytest.raises(SymOpsError, match="damaged"):
            run(faults(repetitions=2), path, tasks=TASKS)
        assert path.read_bytes() == data, f"{name}: it was changed"
    path.write_bytes(b"".join([*lines, lines[2]]))
    assert f"{path}:10: this line is damaged (the case is on line 3 already)" in fail(path)


def places_of_numbers(value: Any, place: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield where a JSON value has numbers."""
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places_of_numbers(part, (*place, key))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield place


@given(data=st.data(), number=st.sampled_from([1e308, -1e308, 10**300, -1, float("inf"), float("nan")]))
def test_any_number_is_damaged_or_can_be_reported(
    whole: bytes, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, number: float
) -> None:
    """Law: a number that no run has is refused with its line, or changes no more than a figure."""
    path = tmp_path_factory.mktemp("numbers") / "run.jsonl"
    record = json.loads(whole.splitlines()[3])
    *around, last = data.draw(st.sampled_from(list(places_of_numbers(record))))

    def put(value: Any) -> None:
        for key in around:
            value = value[key]
        value[last] = number

    path.write_bytes(change(whole, 3, put))
    outcome = command_line.run("bench", "report", str(path), "--json", str(path.with_suffix(".json")))
    assert outcome.exit_code == 0 or f"{path}:4: this line is damaged" in outcome.output


def test_other_files_are_no_logs(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    for data in (b"My diary.\n", b"My diary", b"{}\n", b"[]\n", b'{"symops_bench": "x"}\n'):
        path.write_bytes(data)
        with pytest.raises(SymOpsError, match=r"is not a run log|is damaged"):
            run(faults(), path, tasks=TASKS)
        assert path.read_bytes() == data, "a file of the user was changed"
    path.write_bytes(change(whole, 0, lambda value: value.update(symops_bench=99)))
    assert "version 99" in fail(path) and "newer" in fail(path)
    assert "cannot be read" in fail(tmp_path / "nowhere.jsonl")
    path.write_bytes(b"")
    assert "half written" in fail(path)
    with pytest.raises(SymOpsError, match="cannot be opened"):
        run(faults(), tmp_path, tasks=TASKS)


def test_a_log_of_other_settings_is_refused_with_the_difference(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(whole)
    for settings, value in {
        faults(repetitions=3): "settings.repetitions was 2 and is now 3",
        faults(repetitions=2, seed=7): "settings.seed was 0 and is now 7",
        faults(repetitions=2, formats=("v1",)): 'settings.formats was ["v1", "v2"] and is now ["v1"]',
        faults(repetitions=2, options=()): 'settings.options.profile was "weak" and is now missing',
    }.items():
        with pytest.raises(SymOpsError) as caught:
            run(settings, path, tasks=TASKS)
        assert value in str(caught.value) and "--cache" in str(caught.value)
    with pytest.raises(SymOpsError, match=r"tasks\.two was .* and is now missing"):
        run(faults(repetitions=2), path, tasks=TASKS[:1])
    assert path.read_bytes() == whole


def test_one_run_at_a_time(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(whole)
    with open_log(path):
        with pytest.raises(SymOpsError, match="another run writes to this log"):
            run(faults(repetitions=2), path, tasks=TASKS)
        assert len(read_log(path).records) == 8, "to read is free"
    run(faults(repetitions=2), path, tasks=TASKS)
    assert path.read_bytes() == whole


def test_a_run_that_never_begins_leaves_no_log(tmp_path):
    with pytest.raises(SymOpsError), open_log(tmp_path / "run.jsonl"):
        raise SymOpsError("something is wrong with the settings")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="nothing is forked there")
def test_a_forked_worker_does_not_keep_the_log_locked(tmp_path: Path) -> None:
    log, (ended, end), (closed, close) = tmp_path / "log.jsonl", os.pipe(), os.pipe()
    with open_lines(log, "in use") as file:
        file.append({"a": 1})
        child = os.fork()
        if child == 0:
            close_inherited()
            os.write(close, b"x")
            os.close(end)
            os.read(ended, 1)  # until the parent closes its end
            os._exit(0)
        with pytest.raises(SymOpsError, match="in use"), open_lines(log, "in use"):
            pass
        file.append({"b": 2})
        assert os.read(closed, 1) == b"x"
    with open_lines(log, "in use") as file:
        assert file.data == b'{"a":1}\n{"b":2}\n'
    for item in (ended, end, closed, close):
        os.close(item)
    assert os.waitpid(child, 0)[1] == 0
