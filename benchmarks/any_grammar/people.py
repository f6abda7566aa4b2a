"""Compare four recoveries on texts that people broke.

    python -m benchmarks.any_grammar people [--only seen|unseen] [--out FILE]

`people.jsonl` has the mistakes of public reports, each with its source. Reports have no license that allows copies, so
every text was written anew with the mistake of its report, and with what was needed in its place. Where a report names
only the kind of mistake, its place in the text is ours. Nobody may read the rows that are `unseen` to change a price.

*right*: the first tree is that of the text that was needed. *listed*: it, or that of an alternative, is. *accepted*:
Lark parses the result. tree-sitter returns no repaired text, so it is compared by kinds: whether the leaves outside of
its ERROR nodes, those that it calls MISSING included, are of the kinds of the text that was needed.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from symops_lark.error_correcting import ErrorCorrectingParser
from symops_lark.error_correcting.languages import load_language

from .recoveries import make_recoveries

TEXTS = Path(__file__).parent / "people.jsonl"
_TREE_SITTER = ("json", "toml", "sql")  # the languages that have a wheel


class Case(NamedTuple):
    """A broken text and what was needed."""

    language: str
    text: str
    wanted: str
    source: str
    unseen: bool


class Outcome(NamedTuple):
    """What a recovery made of a case; None: it cannot be known of this recovery."""

    accepted: bool | None
    right: bool | None
    listed: bool | None
    kinds: bool | None
    milliseconds: float


def load_cases() -> list[Case]:
    """Return all cases."""
    return [Case(**json.loads(line)) for line in TEXTS.read_text("utf-8").splitlines()]


@cache
def load_parser(language: str) -> ErrorCorrectingParser:
    """Return the parser of a language without named mistakes: prices alone decide."""
    return ErrorCorrectingParser(load_language(language).grammar, parser="lalr")


@cache
def load_tree_sitter(language: str) -> Any:
    """Return the parser of tree-sitter; None if it is not installed."""
    try:
        tree_sitter = import_module("tree_sitter")
        grammar = import_module(f"tree_sitter_{language}")
    except ImportError:
        return None
    return tree_sitter.Parser(tree_sitter.Language(grammar.language()))


def list_kinds(language: str, text: str) -> list[str]:
    """Return the kinds of the leaves of tree-sitter's tree that are in no ERROR node."""
    kinds = []
    pending = [load_tree_sitter(language).parse(text.encode()).root_node]
    while pending:
        node = pending.pop()
        if node.is_error:
            continue
        if node.child_count == 0:
            kinds.append(node.type)
        pending += reversed(node.children)
    return kinds


def list_terminals(parser: ErrorCorrectingParser, text: str) -> list[str]:
    """Return the terminals of a valid text."""
    return [str(token.type) for token in parser.lark.parse_interactive(text).iter_parse()]


def recover_case(case: Case, recover: Callable[[str], list[Any]]) -> Outcome:
    """Run a recovery that returns trees."""
    parser = load_parser(case.language)
    expected = parser.lark.parse(case.wanted)
    begin = time.perf_counter()
    trees = recover(case.text)
    spent = 1000 * (time.perf_counter() - begin)
    return Outcome(trees[0] is not None, trees[0] == expected, expected in trees, None, spent)


def correct_case(case: Case) -> Outcome:
    """Run the error-correcting parser, and compare the kinds of its tokens, too."""
    parser = load_parser(case.language)
    outcome = recover_case(case, make_recoveries(parser)["error-correcting"])
    repaired = parser.parse(case.text).text
    same = list_terminals(parser, repaired) == list_terminals(parser, case.wanted)
    return outcome._replace(kinds=same)


def ask_tree_sitter(case: Case) -> Outcome | None:
    """Run tree-sitter; None if it is not installed, or has no such language."""
    if case.language not in _TREE_SITTER or load_tree_sitter(case.language) is None:
        return None
    begin = time.perf_counter()
    kinds = list_kinds(case.language, case.text)
    spent = 1000 * (time.perf_counter() - begin)
    return Outcome(None, None, None, kinds == list_kinds(case.language, case.wanted), spent)


def compare(cases: Sequence[Case]) -> dict[str, dict[str, list[Outcome]]]:
    """Return the outcomes by recovery and language."""
    table: dict[str, dict[str, list[Outcome]]] = defaultdict(lambda: defaultdict(list))
    for case in cases:
        table["error-correcting"][case.language].append(correct_case(case))
        recoveries = make_recoveries(load_parser(case.language))
        for title in ("CPCT+", "on_error"):
            table[title][case.language].append(recover_case(case, recoveries[title]))
        outcome = ask_tree_sitter(case)
        if outcome:
            table["tree-sitter"][case.language].append(outcome)
    return table


def show_share(values: Sequence[bool | None]) -> str:
    """Return how many values are true, or a dash where that cannot be known."""
    if None in values:
        return f"{'-':>5}"
    return f"{100 * sum(map(bool, values)) / len(values):4.0f}%"


def show_row(title: str, language: str, outcomes: Sequence[Outcome]) -> str:
    """Return a row of the table."""
    columns = list(zip(*outcomes, strict=True))
    shares = "  ".join(f"{show_share(column):>8}" for column in columns[:4])
    return f"{title:16} {language:9} {len(outcomes):4} {shares}  {median(columns[4]):7.1f} ms"


def draw_table(cases: Sequence[Case]) -> list[str]:
    """Return the lines of a table: each recovery, by language and in all."""
    heads = "  ".join(f"{head:>8}" for head in ("accepted", "right", "listed", "kinds"))
    lines = [f"{'recovery':16} {'language':9} {'n':>4} {heads}  {'median':>7}"]
    for title, by_language in compare(cases).items():
        rows = [(language, row) for language, row in sorted(by_language.items()) if row]
        lines += [show_row(title, language, row) for language, row in rows]
        lines.append(show_row(title, "all", [outcome for _, row in rows for outcome in row]))
    return lines


def main(arguments: Sequence[str]) -> None:
    """Print the table, and write it into a file if that is asked for."""
    parser = argparse.ArgumentParser(prog="people", description=__doc__)
    parser.add_argument("--only", choices=("seen", "unseen"), help="only these texts; both without the option")
    parser.add_argument("--out", type=Path, help="also write the tables into this file")
    options = parser.parse_args(arguments)
    cases = load_cases()
    lines = []
    for name, unseen in (("seen", False), ("unseen", True)):
        if options.only in (None, name):
            lines += [f"texts that are {name}", *draw_table([case for case in cases if case.unseen == unseen]), ""]
    print("\n".join(lines))
    if options.out is not None:
        command = "python -m benchmarks.any_grammar people"
        options.out.write_text("\n".join([command, "", *lines]), "utf-8")
