"""Fuzz what strangers write, for hours: `python -m benchmarks.fuzz [TARGET]... --hours 1 --seed 2`.

Prints how many inputs each target was given, and each input that it fell over. Exit code 1 if there is any.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections import Counter
from pathlib import Path

import lark.lexer

from symops_lark.core.ground.numbers import counted

from . import fuzz
from .targets import TARGETS

_TURN = 20  # inputs of a target, then the next one's turn


def main() -> int:
    """Run the targets that the command line names, in turn."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fuzz", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="TARGET", help=f"some of {', '.join(TARGETS)} (default: all)")
    parser.add_argument("--hours", type=float, default=0.05, help="how long, in hours of the processor (default 0.05)")
    parser.add_argument("--seed", type=int, default=1, help="other inputs (default 1)")
    parser.add_argument("--first", type=int, default=0, help="the number of the first input, to see one again")
    parser.add_argument("--keep", type=Path, help="a folder for the inputs that something fell over")
    options = parser.parse_args()
    if unknown := [name for name in options.names if name not in TARGETS]:
        parser.error(f"there is no target {unknown[0]!r}; there are {', '.join(TARGETS)}")
    # Users do not have interegular, with which Lark compares all terminals of a grammar, in quadratic time.
    lark.lexer.has_interegular = False
    names, done, text = options.names or list(TARGETS), Counter[str](), Counter[str]()
    end = time.process_time() + options.hours * 3600
    with tempfile.TemporaryDirectory(prefix="symops-fuzz-") as folder:
        os.environ["XDG_CACHE_HOME"], os.environ["XDG_STATE_HOME"] = f"{folder}/cache", f"{folder}/state"
        while time.process_time() < end:
            for name in names:
                first = options.first + done[name]
                for finding in fuzz(name, _TURN, options.seed, Path(folder), first=first, watch=True):
                    text[name] += 1
                    print(f"{name} {finding.number}: {finding.command}\n    {finding.said[-300:]!a}", flush=True)
                    if options.keep:
                        options.keep.mkdir(parents=True, exist_ok=True)
                        (options.keep / f"{name}-{options.seed}-{finding.number}").write_bytes(finding.data)
                done[name] += _TURN
                if time.process_time() > end:
                    break
    for name in names:
        print(f"{name}: {counted(done[name], 'input')}, {text[name]:,} it fell over")
    print(f"{counted(done.total(), 'input')}, {counted(text.total(), 'finding')}")
    return 1 if text else 0


if __name__ == "__main__":
    raise SystemExit(main())
