"""Whether exported parsers say what this package says: `python -m benchmarks.exports agreement --n 10000`."""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from itertools import count, islice
from pathlib import Path

from benchmarks.recovery.cases import damaged_case
from symops_lark import derive
from symops_lark.lab.benchmark.faults.dialects import load
from symops_lark.lab.benchmark.faults.documents import draw_documents, write
from symops_lark.lab.benchmark.faults.endings import nth_endings
from symops_lark.lab.benchmark.faults.marks import Dialect
from symops_lark.lab.benchmark.faults.mistakes import applicable
from symops_lark.lab.measuring.intervals import exact_interval

from ._parsers import DERIVED, RUNTIMES, answers, comparable, differences, respelt, shrink

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


def main(arguments: Sequence[str]) -> int:
    """Print how many replies are read alike, and the least one that is not."""
    options = argparse.ArgumentParser(prog="python -m benchmarks.exports agreement", description=__doc__)
    options.add_argument("--n", type=int, default=10_000, help="replies of each dialect")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--dialect", default="v1,v2,v2_1,plain,derived", help="names, with commas between")
    options.add_argument("--runtime", default=",".join(RUNTIMES), help="names, with commas between")
    inputs = options.parse_args(arguments)
    print(f"Simulated replies, seed {inputs.seed}: damaged by the benchmark's faults, a third with wounds beside")
    print(f"{'runtime':11} {'dialect':14} {'replies':>8} {'alike':>8}")
    differ = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in inputs.dialect.split(","):
            path, respell = _derive(Path(folder)) if name == "derived" else (name, str)
            damaged = damaged_texts(load("v2" if name == "derived" else name), inputs.seed)
            texts = [*islice(comparable(map(respell, damaged)), inputs.n)]
            expected = answers(path, texts)
            for runtime in inputs.runtime.split(","):
                result = [*differences(runtime, path, texts, expected)]
                differ += len(result)
                alike = len(texts) - len(result)
                low, high = (100 * bound for bound in exact_interval(alike, len(texts)))
                print(f"{runtime:11} {name:14} {len(texts):8,} {alike:8,}  {low:.2f} to {high:.2f} %", flush=True)
                if result:
                    _show(runtime, path, min(result, key=lambda row: len(row[0]))[0])
    return int(differ > 0)


def _show(runtime: str, dialect: str | Path, text: str) -> None:
    def differing(texts: Sequence[str]) -> list[str]:
        return [text for text, _ in differences(runtime, dialect, texts, answers(dialect, texts))]

    least = shrink(text, differing)
    [(_, how)] = differences(runtime, dialect, [least], answers(dialect, [least]))
    print(f"   {how}\n   {least!r}", flush=True)


def _derive(folder: Path) -> tuple[Path, Callable[[str], str]]:
    """Return a dialect with marks of its own, and what makes a reply in v2 one of it."""
    path = folder / "derived.lark"
    path.write_text(derive("v2", DERIVED), encoding="utf-8")
    return path, respelt
