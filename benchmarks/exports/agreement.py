"""Whether exported parsers say what this package says: `python -m benchmarks.exports agreement --n 10000`."""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Iterator, Sequence
from itertools import count, islice
from pathlib import Path

from benchmarks.recovery.cases import damaged_case
from symops_lark import SymOpsProcessor
from symops_lark.compliance.faults.dialects import load
from symops_lark.compliance.faults.documents import draw_documents, write
from symops_lark.compliance.faults.endings import nth_endings
from symops_lark.compliance.faults.marks import Dialect
from symops_lark.compliance.faults.mistakes import applicable
from symops_lark.measuring.intervals import wilson

from .parsers import RUNTIMES, comparable, first_difference, ours, parser

_SIGNS = "<>:@$~-#`\"' \t\n[]{}()=.,!?*/\\0aZé→＠「\u200b\ufeff\r"


def damaged_texts(dialect: Dialect, seed: int) -> Iterator[str]:
    """Yield damaged replies without end: of none to four mistakes, every third of them with wounds at random beside."""
    names = [item.name for item in applicable(dialect)]
    for turn in count():
        for number, document in enumerate(draw_documents(50, f"{seed}/agreement/{turn}", dialect)):
            key = f"{seed}/agreement/{turn}/{number}"
            rng, endings = random.Random(key), nth_endings(number, key)
            case = damaged_case(document, dialect, tuple(rng.sample(names, rng.randint(1, 4))), rng, endings)
            text = case.text if case is not None else endings.write(write(document, dialect))
            yield _wound(text, rng) if number % 3 == 0 else text


def _wound(text: str, rng: random.Random) -> str:
    for _ in range(rng.randint(1, 6)):
        at = rng.randrange(len(text) + 1)
        match rng.randrange(4):
            case 0:
                text = text[:at] + text[at + rng.randint(1, 30) :]
            case 1:
                text = text[:at] + "".join(rng.choices(_SIGNS, k=rng.randint(1, 4))) + text[at:]
            case 2:
                start = rng.randrange(len(text) + 1)
                text = text[:at] + text[start : start + rng.randint(1, 80)] + text[at:]
            case _:
                text = text[:at] if rng.random() < 0.2 else text
    return text


def compare(runtime: str, dialect: Dialect, texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield each text of which an exported parser says something else, and what."""
    processor = SymOpsProcessor(dialect.format)
    with tempfile.TemporaryDirectory() as folder, parser(runtime, dialect.format, Path(folder)) as exported:
        for text in texts:
            if found := first_difference(ours(processor, text), exported.process(text)):
                yield text, found


def main(arguments: Sequence[str]) -> int:
    """Print how many replies are read alike, and the first that is not."""
    options = argparse.ArgumentParser(prog="python -m benchmarks.exports agreement", description=__doc__)
    options.add_argument("--n", type=int, default=10_000, help="replies of each dialect")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--dialect", default="v1,v2,v2_1,plain", help="names, with commas between")
    options.add_argument("--runtime", default=",".join(RUNTIMES))
    given = options.parse_args(arguments)
    print(f"Simulated replies, seed {given.seed}: damaged by the benchmark's faults, a third with wounds beside")
    print(f"{'runtime':11} {'dialect':14} {'replies':>8} {'alike':>8}")
    differ = 0
    for name in given.dialect.split(","):
        dialect = load(name)
        texts = [*islice(comparable(damaged_texts(dialect, given.seed)), given.n)]
        for runtime in given.runtime.split(","):
            found = [*compare(runtime, dialect, texts)]
            differ += len(found)
            low, high = wilson(len(texts) - len(found), len(texts))
            alike = len(texts) - len(found)
            print(
                f"{runtime:11} {name:14} {len(texts):8,} {alike:8,}  {100 * low:.2f} to {100 * high:.2f} %", flush=True
            )
            if found:
                text, how = min(found, key=lambda row: len(row[0]))
                print(f"   {how}\n   {text!r}")
    return int(differ > 0)
