"""Logs of many rows, written and then read by `symops route log`, each in a process of its own."""

from __future__ import annotations

import json
import os
import random
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from symops_lark.core.ground.python_processes import python_start
from symops_lark.routing import METRIC_V1, Candidate, reward, select_winner
from symops_lark.routing.events import hash_text

_MODELS = 4
# What runs a command, and prints how long it took and the greatest memory of a process of it.
_MEASURE = """
import resource, subprocess, sys, time
from symops_lark.core.ground.python_processes import python_start
start = python_start("-m", "symops_lark", "route", "log", *sys.argv[1:])
began = time.perf_counter()
done = subprocess.run(start.command, capture_output=True, env=start.environment, cwd=start.folder)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(time.perf_counter() - began, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, done.returncode)
"""


def measure_scale(folder: Path, counts: Sequence[int], jobs: Sequence[int]) -> Iterator[str]:
    """Yield a line for each log and way of reading it: rows, seconds, processor seconds, the peak of memory."""
    yield f"{'command':<26} {'rows':>9} {'MB':>5} {'jobs':>4} {'seconds':>8} {'CPU':>7} {'peak MB':>8}"
    for count in counts:
        path = folder / f"{count}.jsonl"
        began = time.perf_counter()
        write_log(path, count)
        size = path.stat().st_size / 1e6
        yield f"{'written by this benchmark':<26} {count:>9,} {size:>5.0f} {1:>4} {time.perf_counter() - began:>8.1f}"
        for command in ("verify", "stats"):
            for number in jobs:
                output = _run(command, os.path.abspath(path), "--jobs", str(number))
                yield f"{'route log ' + command:<26} {count:>9,} {size:>5.0f} {number:>4} {output}"
        path.unlink()


def _run(*arguments: str) -> str:
    start = python_start("-c", _MEASURE, *arguments)
    done = subprocess.run(
        start.command, capture_output=True, text=True, check=True, env=start.environment, cwd=start.folder
    )
    seconds, used, peak, code = map(float, done.stdout.split())
    return f"{seconds:>8.1f} {used:>7.1f} {peak:>8.0f}" + (f"  exit code {code:g}" if code else "")


def write_log(path: Path, count: int) -> None:
    """Write a log of so many rows, each run of four models, as a log has them; the numbers are drawn."""
    draw = random.Random(f"scale {count}")
    with open(path, "w", encoding="ascii") as file:
        for run in range(count // _MODELS):
            file.writelines(json.dumps(row, separators=(",", ":")) + "\n" for row in _draw_run(draw, run))


def _draw_run(draw: random.Random, run: int) -> list[dict[str, Any]]:
    prompt, moment = hash_text(f"prompt {run % 5000}"), time.gmtime(1_790_000_000 + 7 * run)
    rows: list[dict[str, Any]] = []
    for number in range(_MODELS):
        passed, q1, cost = draw.random() < 0.9, round(draw.random(), 4), round(draw.random(), 4)
        rows.append(
            {
                "seq": run * _MODELS + number,
                "timestamp": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", moment),
                "candidates": _MODELS,
                "prompt_hash": prompt,
                "model_id": f"model-{number}",
                "metric_version": METRIC_V1.name,
                "verifier_result": "PASS" if passed else "FAIL",
                "q0": int(passed),
                "q1": q1,
                "cost": cost,
                "refusal_penalty": 0.0,
                "reward": reward(int(passed), q1, cost, 0.0),
                "run_id": f"{run:032x}",
                "role": "candidate",
                "model_version": "1.0.0",
                "stable": False,
                "metric_params": METRIC_V1.params,
                "time_ms": 120.5,
                "tokens": 300,
                "tokens_estimated": False,
                "output_hash": prompt,
                "way": "winner",
                "reason": "",
            }
        )
    chosen = select_winner(Candidate(r["model_id"], r["q0"] == 1, r["reward"], r["cost"]) for r in rows)
    return [{**row, "winner_model_id": chosen.winner, "served_by": chosen.winner} for row in rows]
