"""Compare three recoveries on damaged texts of the example languages that are LALR.

    python -m benchmarks.any_grammar damaged [-n 40] [--damage 1]

Texts are drawn from each grammar, and tokens of them are deleted, doubled or exchanged. For each recovery: how often
Lark accepts the result, how often its tree is that of the text before the damage (for the error-correcting parser also
with its alternatives), and the median time.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

from symops_lark.core.grammar.loading import load_grammar
from symops_lark.core.ground.errors import GrammarError
from symops_lark.error_correcting import ErrorCorrectingParser
from symops_lark.error_correcting.languages import list_languages, load_language
from symops_lark.error_correcting.scanner import Scanner
from symops_lark.lab.workbench.plain import PlainGrammar
from symops_lark.lab.workbench.sample import draw_plain

from .recoveries import make_recoveries, parse_or_none


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
        unit, other_chosen = draw.choice(units), draw.choice(units)
        new = draw.choice(["", "", text[unit.start : unit.stop] + " ", text[other_chosen.start : other_chosen.stop]])
        part = text[unit.start : unit.stop] if new.endswith(" ") else ""
        text = text[: unit.start] + new + part + text[unit.stop :]
    return text


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


def main(arguments: Sequence[str]) -> None:
    """Print a table of all example languages."""
    parser = argparse.ArgumentParser(prog="damaged", description=__doc__)
    parser.add_argument("-n", type=int, default=40, help="texts of each language")
    parser.add_argument("--damage", type=int, default=1, help="damaged tokens of each text")
    options = parser.parse_args(arguments)
    print(f"{'':11} {'recovery':16} accepted, tree is that before, in the list, median time")
    for name in list_languages():
        corrector = ErrorCorrectingParser(load_language(name).grammar)
        if corrector.lark.options.parser != "lalr":
            continue
        try:
            cases = list_cases(corrector, name, options.n, options.damage)
        except GrammarError as error:
            print(f"{name:11} not compared: {str(error).split(': ', 1)[1][:90]}")
            continue
        for title, recover in make_recoveries(corrector).items():
            print(f"{name:11} {title:16} {measure(cases, recover)}", flush=True)
