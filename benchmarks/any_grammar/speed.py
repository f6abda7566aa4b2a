"""Time of valid texts: the error-correcting parser against Lark alone, by ratios in one run.

    python -m benchmarks.any_grammar speed [-n 60]

Both parsers take turns on each text, so that a busy machine slows both. The ratio is that of the least times of each
text; the table has the median over the texts of each language, and the geometric mean of all.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

from symops_lark.core.grammar.loading import load_grammar
from symops_lark.core.ground.numbers import counted
from symops_lark.error_correcting import ErrorCorrectingParser
from symops_lark.error_correcting.languages import list_languages, load_language
from symops_lark.lab.workbench.plain import PlainGrammar
from symops_lark.lab.workbench.sample import draw_plain

GOAL = 1.05
_TEXTS = 8
_CHARACTERS = 400  # of a text at least: samples are joined where the language has lists of statements


def list_texts(name: str) -> list[str]:
    """Return valid texts of a language, long enough to be timed."""
    grammar = PlainGrammar(load_grammar(load_language(name).grammar), "start")
    drawn = [text for seed in range(8) for text in draw_plain(grammar, 8, seed).texts]
    texts = []
    for joint in ("", "\n", ";", " "):
        joined = joint.join(drawn[-12:])
        if grammar.accepts(joined):
            texts.append(joined)
    return sorted(dict.fromkeys([*texts, *drawn]), key=len)[-_TEXTS:]


def find_ratio(first: Callable[[str], Any], second: Callable[[str], Any], text: str, turns: int) -> float:
    """Return how long the second function takes on a text, for one second of the first."""
    best = [math.inf, math.inf]
    for turn in range(turns):
        for index in ((0, 1), (1, 0))[turn % 2]:
            begin = time.process_time_ns()
            (first, second)[index](text)
            best[index] = min(best[index], time.process_time_ns() - begin)
    return best[1] / best[0]


def measure(turns: int) -> dict[str, list[float]]:
    """Return the ratios of each language."""
    ratios = {}
    for name in list_languages():
        parser = ErrorCorrectingParser(load_language(name).grammar)
        texts = list_texts(name)
        ratios[name] = [find_ratio(parser.lark.parse, parser.parse, text, turns) for text in texts]
    return ratios


def main(arguments: Sequence[str]) -> None:
    """Print the ratios; exit code 1: they are above the goal."""
    parser = argparse.ArgumentParser(prog="speed", description=__doc__)
    parser.add_argument("-n", type=int, default=60, help="turns on each text")
    options = parser.parse_args(arguments)
    ratios = measure(options.n)
    for name, row in ratios.items():
        print(f"{name:11} x {median(row):5.3f}   {counted(len(row), 'text')}")
    every = [ratio for row in ratios.values() for ratio in row]
    mean = math.exp(sum(map(math.log, every)) / len(every))
    print(f"{'all':11} x {mean:5.3f}   goal: {GOAL}")
    raise SystemExit(mean > GOAL)
