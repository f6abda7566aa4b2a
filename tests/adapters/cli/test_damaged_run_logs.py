"""Every command that reads a run log ends with an answer or an error, whatever a stranger wrote into the log."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import run as symops
from damage import damage
from routing_logs import make_run

_DRAWN = 30  # damages a row


def read_benchmark(path: Path) -> Iterator[tuple[str, ...]]:
    yield "bench", "report", str(path)
    yield "bench", "compare", f"{path}:v1", f"{path}:v2"
    yield "bench", "decide", str(path), "--plain", "v1"
    yield "bench", "run", "-f", "v1", "-f", "v2", "-n", "1", "--task", "no-such", "--out", str(path), "--quiet"


def read_routing(path: Path) -> Iterator[tuple[str, ...]]:
    yield "route", "log", "verify", str(path)
    yield "route", "log", "stats", str(path)
    yield "route", "log", "why", str(path), "r"
    yield "route", "log", "rescore", str(path), "--alpha", "0.5", "--out", str(path.with_name("other.jsonl"))
    yield "route", "report", str(path)
    yield "route", "promote", "--registry", str(path.with_name("r.db")), "--log", str(path), "--dry-run"


@pytest.fixture(name="benchmark_rows", scope="module")
def make_benchmark_rows(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    path = tmp_path_factory.mktemp("whole") / "run.jsonl"
    done = symops("bench", "run", "-f", "v1", "-f", "v2", "-n", "1", "--out", str(path), "--quiet")
    assert done.exit_code == 0, done.output
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    cases = {row["key"].split("|")[0]: row for row in rows[1:]}
    return [rows[0], *list(cases.values())[:2]]


def expect_no_bug(arguments: tuple[str, ...], what: str) -> None:
    done = symops(*arguments)
    assert done.exit_code in (0, 1, 2), f"{what}: {arguments}: {done.output[-500:]}"
    assert "Traceback" not in done.output, f"{what}: {arguments}"


def draw_damages(rows: list[Any], seed: int) -> Iterator[tuple[str, str]]:
    """Yield logs with one part of one row damaged, and what was done to it."""
    for place, row in enumerate(rows):
        damaged = list(damage(row))
        for subject, value in random.Random(seed).sample(damaged, min(_DRAWN, len(damaged))):
            parts = [*rows[:place], value, *rows[place + 1 :]]
            yield f"row {place + 1}: {subject}", "".join(json.dumps(part) + "\n" for part in parts)


def test_whole_logs_are_read(benchmark_rows: list[Any], tmp_path: Path) -> None:
    """What is damaged below would be read."""
    path = tmp_path / "run.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in benchmark_rows), encoding="utf-8")
    done = [symops(*arguments).exit_code for arguments in list(read_benchmark(path))[:3]]
    assert done == [0, 0, 0]


@pytest.mark.slow
@pytest.mark.alike(2)
@pytest.mark.parametrize("seed", [1, 2])
def test_damaged_logs_of_the_benchmark(seed: int, benchmark_rows: list[Any], tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    for subject, text in draw_damages(benchmark_rows, seed):
        for arguments in read_benchmark(path):
            path.write_text(text, encoding="utf-8")
            expect_no_bug(arguments, subject)


@pytest.mark.slow
@pytest.mark.alike(2)
@pytest.mark.parametrize("seed", [1, 2])
def test_damaged_logs_of_routing(seed: int, tmp_path: Path) -> None:
    rows = [
        *make_run("r", [("a", True, 0.9, 0.1), ("b", True, 0.4, 0.1)]),
        *make_run("s", [("a", True, 0.9, 0.1), ("b", False, 0.4, 0.1)]),
    ]
    path = tmp_path / "log.jsonl"
    for subject, text in draw_damages(rows, seed):
        path.write_text(text, encoding="utf-8")
        for arguments in read_routing(path):
            path.with_name("other.jsonl").unlink(missing_ok=True)
            expect_no_bug(arguments, subject)


@pytest.mark.parametrize("line", ["", "{", "[]", "null", "\x00", "{}", '{"a": 1', "[" * 5000, '"' + "x" * 70_000])
def test_lines_that_are_no_rows(line: str, benchmark_rows: list[Any], tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    for rows, commands in ((benchmark_rows, read_benchmark), (make_run("r", [("a", True, 0.9, 0.1)]), read_routing)):
        lines = [json.dumps(row) for row in rows]
        for place in range(len(lines) + 1):
            for arguments in commands(path):
                path.write_text("\n".join([*lines[:place], line, *lines[place:]]), encoding="utf-8")
                expect_no_bug(arguments, f"line {place + 1}")
