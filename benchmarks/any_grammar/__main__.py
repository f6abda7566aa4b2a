"""Compare three recoveries on damaged texts of the example languages that are LALR.

    python -m benchmarks.any_grammar [-n 40] [--damage 1]

Texts are drawn from each grammar, and tokens of them are deleted, doubled or exchanged. For each recovery: how often
Lark accepts the result, how often its tree is that of the text before the damage (for the error-correcting parser also
with its alternatives), and the median time.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from statistics import median
from typing import Any

from lark.exceptions import UnexpectedInput

from symops_lark.core.grammar.loading import load_grammar
from symops_lark.core.ground.errors import GrammarError
from symops_lark.error_correcting import ErrorCorrectingParser
from symops_lark.error_correcting.languages import list_languages, load_language
from symops_lark.error_correcting.scanner import Scanner
from symops_lark.lab.workbench.plain import PlainGrammar
from symops_lark.lab.workbench.sample import draw_plain

from .cpct import Cpct

_MOST_SKIPS = 60


def damage(parser: ErrorCorrectingParser, text: str, times: int, draw: random.Random) -> str:
    """Delete, double or exchange tokens of a text."""
    for _ in range(times):
        scanner = Scanner(parser.compiled.tables, text, "basic")
        units = []
        place = 0
        while here := scanner.units(place):
            units.append(here[0])
            place = here[0].stop
        if not units:
            return text
        unit, other = draw.choice(units), draw.choice(units)
        new = draw.choice(["", "", text[unit.start : unit.stop] + " ", text[other.start : other.stop]])
        kept = text[unit.start : unit.stop] if new.endswith(" ") else ""
        text = text[: unit.start] + new + kept + text[unit.stop :]
    return text


def parse_or_none(parser: ErrorCorrectingParser, text: str | None) -> Any:
    """Return Lark's tree of a text, or None."""
    try:
        return None if text is None else parser.lark.parse(text)
    except UnexpectedInput:
        return None


def skip_errors(parser: ErrorCorrectingParser, text: str) -> Any:
    """Return the tree that Lark makes if `on_error` skips what it refuses."""
    skips = 0

    def on_error(error: UnexpectedInput) -> bool:
        nonlocal skips
        skips += 1
        return skips < _MOST_SKIPS

    try:
        return parser.lark.parse(text, on_error=on_error)
    except UnexpectedInput:
        return None


def list_cases(parser: ErrorCorrectingParser, name: str, n: int, times: int) -> list[tuple[str, Any]]:
    """Return damaged texts, each with the tree of the text before."""
    draw = random.Random(f"{name} {times}")
    grammar = PlainGrammar(load_grammar(load_language(name).grammar), "start")
    # Few texts at a time: the work of one drawing is bounded, and most drafts of SQL are refused.
    drawn = [text for seed in range(n) for text in draw_plain(grammar, 4, seed).texts]
    samples = [text for text in dict.fromkeys(drawn) if len(text) > 12]
    cases: list[tuple[str, Any]] = []
    for text in samples * 4:
        broken = damage(parser, text, times, draw)
        if len(cases) < n and parse_or_none(parser, broken) is None:
            cases.append((broken, parser.lark.parse(text)))
    return cases


def measure(cases: list[tuple[str, Any]], recover: Callable[[str], list[Any]]) -> str:
    """Return the figures of one recovery, which returns trees, the first one first."""
    accepted = first = listed = 0
    times = []
    for text, tree in cases:
        start = time.perf_counter()
        trees = recover(text)
        times.append(1000 * (time.perf_counter() - start))
        accepted += trees[0] is not None
        first += trees[0] == tree
        listed += tree in trees
    share = [f"{100 * number / len(cases):4.0f} %" for number in (accepted, first, listed)]
    return f"{' '.join(share)} {median(times):7.1f} ms"


def main() -> None:
    """Print a table of all example languages."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("-n", type=int, default=40, help="texts of each language")
    options.add_argument("--damage", type=int, default=1, help="damaged tokens of each text")
    arguments = options.parse_args()
    print(f"{'':11} {'recovery':16} accepted, tree is that before, in the list, median time")
    for name in list_languages():
        parser = ErrorCorrectingParser(load_language(name).grammar)
        if parser.lark.options.parser != "lalr":
            continue
        cpct = Cpct(parser)

        def correct(text: str, parser: ErrorCorrectingParser = parser) -> list[Any]:
            parse = parser.parse(text)
            others = [parse_or_none(parser, parser.apply(text, edits)) for edits in parse.alternatives]
            return [parse.tree if parse.complete else None, *others]

        def run_cpct(text: str, parser: ErrorCorrectingParser = parser, cpct: Cpct = cpct) -> list[Any]:
            return [parse_or_none(parser, cpct.recover(text).text)]

        def skip(text: str, parser: ErrorCorrectingParser = parser) -> list[Any]:
            return [skip_errors(parser, text)]

        try:
            cases = list_cases(parser, name, arguments.n, arguments.damage)
        except GrammarError as error:
            print(f"{name:11} not compared: {str(error).split(': ', 1)[1][:90]}")
            continue
        for title, recover in (("error-correcting", correct), ("CPCT+", run_cpct), ("on_error", skip)):
            print(f"{name:11} {title:16} {measure(cases, recover)}", flush=True)


if __name__ == "__main__":
    main()
