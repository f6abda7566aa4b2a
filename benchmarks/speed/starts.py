"""Starting: the command line, and what the first call costs in a process, with a warm cache.

That is bytecode, too: installers write it, and here it is written even where Python is told to write none.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from symops_lark.core.ground.python_processes import python_start

from . import real_files
from .clock import quantile
from .table import Findings, Row

_FIRST = """
import json, sys, time
text = open(sys.argv[1], encoding="utf-8", newline="").read()
began = time.process_time()
import symops_lark
imported = time.process_time()
CALL
print(json.dumps([imported - began, time.process_time() - imported]))
"""
_CALLS = {
    "parse": "symops_lark.parse(text, 'v2')",
    "process": "symops_lark.process(text, 'v2')",
    "auto": "symops_lark.process(text)",
}


def measure(quick: bool) -> Findings:
    """Return the medians of processes that take turns."""
    rounds = 3 if quick else 15
    findings = Findings()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        valid, damaged = folder / "valid.txt", folder / "broken.txt"
        valid.write_text(real_files.write(real_files.take(0, 1), "v2"), encoding="utf-8")
        damaged.write_text(next(real_files.damaged("v2", 1)), encoding="utf-8")
        firsts = {title: (call, valid if title == "parse" else damaged) for title, call in _CALLS.items()}
        start = python_start("-m", "symops_lark")
        commands = {
            "python -c pass": python_start("-c", "pass").command,
            "symops --help": [*start.command, "--help"],
            "symops process": [*start.command, "process", str(damaged)],
        }
        environment = {name: value for name, value in start.environment.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = str(folder / "bytecode")
        works: dict[str, Callable[[], tuple[float, float]]] = {
            title: lambda call=call, path=path: _first(call, path, environment)  # type: ignore[misc]
            for title, (call, path) in firsts.items()
        }
        works |= {
            title: lambda command=command: (0.0, _child(command, environment))  # type: ignore[misc]
            for title, command in commands.items()
        }
        times: dict[str, list[tuple[float, float]]] = {title: [] for title in works}
        for work in works.values():
            work()  # which warms the cache
        for _ in range(rounds):
            for title, work in works.items():
                times[title].append(work())
    medians = {title: 1000 * quantile([item for _, item in some], 0.5) for title, some in times.items()}
    imports = 1000 * quantile([element for some in times.values() for element, _ in some if element], 0.5)
    findings.lines.append(f"processor time in ms, p50 of {rounds}: importing {imports:.3g}")
    findings.lines += [f"  {title:22}{value:8.0f}" for title, value in medians.items()]
    figures = tuple(medians[title] for title in _CALLS)
    findings.rows.append(Row("first `parse` / `process` / auto in a process, warm cache", figures, (200,) * 3, "ms"))
    figures = tuple(medians[title] for title in ("symops --help", "symops process"))
    findings.rows.append(Row("`symops --help` / `symops process`", figures, (200, 200), "ms"))
    return findings


def _first(call: str, path: Path, environment: Mapping[str, str]) -> tuple[float, float]:
    command = python_start("-c", _FIRST.replace("CALL", call), str(path)).command
    imported, first = json.loads(subprocess.run(command, capture_output=True, check=True, env=environment).stdout)
    return imported, first


def _child(command: list[str], environment: Mapping[str, str]) -> float:
    """Return the processor time of a process from its beginning to its end, in seconds."""
    before = os.times()
    subprocess.run(command, capture_output=True, check=False, env=environment)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system
