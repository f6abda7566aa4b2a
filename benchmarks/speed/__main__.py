"""Print how fast replies are read: `python -m benchmarks.speed`."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from statistics import median
from typing import Any

import symops_lark
from symops_lark.compliance.faults.documents import DIALECTS, write

from . import texts


def main() -> int:
    """Run the measurements that are asked for and print them as they come."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__)
    parser.add_argument("--only", choices=("ratio", "reply", "import", "growth"))
    parser.add_argument("--sizes", default="1,10", help="megabytes to compare in `growth` (default 1,10)")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for one text in `growth` (default 60)")
    parser.add_argument("--rounds", type=int, default=15, help="repetitions of each measurement (default 15)")
    options = parser.parse_args()
    sizes = [float(size) for size in options.sizes.split(",")]
    parts: dict[str, Callable[[], Iterator[str]]] = {
        "ratio": lambda: ratio(options.rounds),
        "reply": lambda: reply(options.rounds),
        "import": lambda: importing(options.rounds),
        "growth": lambda: growth(sizes, options.limit),
    }
    for name, part in parts.items():
        if options.only in {None, name}:
            for line in part():
                print(line, flush=True)
            print()
    return 0


def timed(function: Callable[[], Any], rounds: int) -> float:
    """Return the median time of a call in milliseconds, after one call that does not count."""
    function()
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        function()
        times.append(time.perf_counter() - started)
    return 1000 * median(times)


def ratio(rounds: int) -> Iterator[str]:
    """Strict parse of blocks of 2.5 KB against `json.loads` of the same payload."""
    yield "Strict parse of 40 blocks of 2.5 KB against json.loads of the same payload (must be within 15x)"
    for dialect in DIALECTS:
        document = texts.content_heavy(dialect)
        text = write(document, dialect)
        payload = json.dumps(
            [{"type": a.type, "path": a.path, "content": a.content} for a in document.actions], ensure_ascii=False
        )
        ours = timed(partial(symops_lark.parse, text, dialect), 4 * rounds)
        theirs = timed(partial(json.loads, payload), 4 * rounds)
        yield (
            f"  {dialect}  {ours:6.2f} ms  json {theirs:5.2f} ms  ratio {ours / theirs:5.1f}"
            f"  ({len(text) / ours / 1000:.0f} MB/s)"
        )


def reply(rounds: int) -> Iterator[str]:
    """Typical replies of 200 lines, each timed once: lines that were seen before are remembered."""
    yield f"Typical replies of 200 lines, median of {rounds} (strict about 1 ms, broken about 20 ms or less)"
    for dialect in DIALECTS:
        written = [write(texts.typical(dialect, number), dialect) for number in range(rounds)]
        yield f"  {dialect}  {'strict parse':32}{_median(written, partial(symops_lark.parse, format=dialect)):7.2f} ms"
        for row, (title, names) in enumerate(texts.DAMAGES.items(), start=1):
            numbers = range(row * rounds, (row + 1) * rounds)
            drafts = [texts.broken(texts.typical(dialect, number), dialect, names) for number in numbers]
            damaged = [text for text in drafts if text is not None]
            spent = _median(damaged, partial(_phase, dialect=dialect))
            phases = Counter(_phase(text, dialect) for text in damaged)
            ends = ", ".join(f"{number} {phase}" for phase, number in phases.items())
            yield f"  {dialect}  {title:32}{spent:7.2f} ms  ({ends})"


def _median(replies: Sequence[str], function: Callable[[str], Any]) -> float:
    """Return the median time of a call in milliseconds over different texts; the first one does not count."""
    times = []
    for text in replies:
        started = time.perf_counter()
        function(text)
        times.append(time.perf_counter() - started)
    return 1000 * median(times[1:])


def _phase(text: str, dialect: str) -> str:
    try:
        return str(symops_lark.process(text, format=dialect).phase)
    except symops_lark.ProtocolError:
        return "failed"


def importing(rounds: int) -> Iterator[str]:
    """What `import symops_lark` adds to the start of Python."""
    yield "Importing (must be at most 30 ms above python -c pass)"
    codes = {
        "pass": "pass",
        "import": "import symops_lark",
        "first parse": "import symops_lark as s; s.parse('', 'v2')",
    }
    times: dict[str, list[float]] = {name: [] for name in codes}
    for _ in range(rounds):
        for name, code in codes.items():
            started = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True)
            times[name].append(1000 * (time.perf_counter() - started))
    base = median(times["pass"])
    yield f"  python -c pass            {base:7.1f} ms"
    for name in ("import", "first parse"):
        yield f"  {name:12} above that   {median(times[name]) - base:7.1f} ms"


def _worker(kind: str, megabytes: float, dialect: str, results: multiprocessing.Queue[float | str]) -> None:
    text = texts.PATHOLOGICAL[kind](int(megabytes * 1_000_000))
    _phase("::create @a.py\n<<<\nx\n", dialect)
    started = time.perf_counter()
    try:
        _phase(text, dialect)
    except Exception as error:  # noqa: BLE001  (a crash is a figure)
        results.put(f"{type(error).__name__}: {error}"[:80])
        return
    results.put(time.perf_counter() - started)


def _spent(kind: str, megabytes: float, dialect: str, limit: float) -> float | str:
    """Time one text in a process of its own, so that a hang or a lack of memory ends only that one."""
    results: multiprocessing.Queue[float | str] = multiprocessing.Queue()
    process = multiprocessing.Process(target=_worker, args=(kind, megabytes, dialect, results))
    process.start()
    process.join(limit)
    if process.is_alive():
        process.kill()
        process.join()
        return f"more than {limit:.0f} s"
    return results.get() if process.exitcode == 0 else f"died with {process.exitcode}"


def growth(sizes: list[float], limit: float) -> Iterator[str]:
    """The whole pipeline on pathological texts of growing size: the times must grow as the sizes do."""
    listed = ", ".join(f"{size:g}" for size in sizes)
    yield f"Growth: seconds at {listed} MB, and time over size (linear: about 1)"
    for kind in texts.PATHOLOGICAL:
        for dialect in DIALECTS:
            spent = [_spent(kind, size, dialect, limit) for size in sizes]
            shown = "".join(f"{item:9.2f}" if isinstance(item, float) else f"  {item}" for item in spent)
            first, last = spent[0], spent[-1]
            grown = ""
            if isinstance(first, float) and isinstance(last, float) and len(sizes) > 1:
                grown = f"   {last / max(first, 1e-4) / (sizes[-1] / sizes[0]):5.2f}"
            yield f"  {kind:24}{dialect}{shown}{grown}"


if __name__ == "__main__":
    sys.exit(main())
