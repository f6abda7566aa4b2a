"""Hostile shapes at full size, each in a process of its own: processor time a line, and memory × the text."""

from __future__ import annotations

import json
import os
import resource
import subprocess
from concurrent.futures import ThreadPoolExecutor

from symops_lark.core.ground.python_processes import python_start

from .shapes import LONG, REPEATED
from .table import Findings, Row

_DIALECTS = {"v2": "named", "auto": "under auto"}  # the second is the default of `process`
_LINE = 40  # characters: so many of an endless line count as one
_WORK = """
import json, resource, sys, time
from symops_lark import ProtocolError, process
piece, size, dialect = json.loads(sys.argv[1])
def read(text):
    try:
        process(text, dialect)
    except ProtocolError:
        pass
read(piece)
read("::create @a.py\\n<<<\\nx\\n")
text = (piece * (size // len(piece) + 1))[:size]
unit = 1 if sys.platform == "darwin" else 1024
before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
read(text)
spent = time.process_time() - began
more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * unit
print(json.dumps([spent, more / len(text.encode("utf-8", "surrogatepass")), text.count("\\n") + 1]))
"""


def measure(quick: bool, megabytes: float = 4.0, limit: int = 600) -> Findings:
    """Return the costs of each shape: lines that are repeated, and endless lines; `limit` seconds end one.

    Each is read with its dialect named, and under auto.
    """
    shapes = REPEATED | {f"one line of {name}": piece for name, piece in LONG.items()}
    size = int(1_000_000 * (0.2 if quick else megabytes))
    chosen = list(shapes.items())[:: 8 if quick else 1]
    findings = Findings()
    at_once = os.cpu_count() or 1
    title = f"{len(chosen)} hostile shapes of {size / 1e6:g} MB, {at_once} at a time"
    findings.lines.append(f"{title}: seconds, µs a line, memory × the text; {', '.join(_DIALECTS.values())}")
    with ThreadPoolExecutor(at_once) as pool:
        costs = {
            dialect: list(pool.map(lambda shape, dialect=dialect: _run(shape[1], dialect, size, limit), chosen))
            for dialect in _DIALECTS
        }
    worst = {dialect: [0.0, 0.0] for dialect in _DIALECTS}
    for place, (name, _) in enumerate(chosen):
        text = ""
        for dialect, message in ((dialect, rows[place]) for dialect, rows in costs.items()):
            spent, memory, lines = message or (float("inf"), float("inf"), 1)  # too long, or no memory
            line = 1e6 * spent / max(lines, size / _LINE)
            text += f"{spent:8.2f}{line:8.2f}{memory:8.1f}"
            worst[dialect] = [max(worst[dialect][0], line), max(worst[dialect][1], memory)]
        findings.lines.append(f"  {name:26}{text}")
    for dialect, value in _DIALECTS.items():
        title = f"{size / 1e6:g} MB of {len(chosen)} hostile shapes, {value}"
        findings.rows.append(Row(f"{title}, the slowest", (worst[dialect][0],), (30.0,), "µs a line"))
        findings.rows.append(Row(f"{title}, the largest in memory", (worst[dialect][1],), (60.0,), "× the text"))
    return findings


def _run(piece: str, dialect: str, size: int, limit: int) -> tuple[float, float, int] | None:
    def bound() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))

    start = python_start("-c", _WORK, json.dumps([piece, size, dialect]))
    done = subprocess.run(
        start.command,
        capture_output=True,
        check=False,
        encoding="utf-8",
        env=start.environment,
        cwd=start.folder,
        preexec_fn=bound,
    )
    if done.returncode:
        return None
    spent, memory, lines = json.loads(done.stdout)
    return spent, memory, lines
