"""A dialect beside one derived from it with marks that nobody has seen: the same documents, mistakes and choices.

A case counts only where both could be damaged: a mistake such as "one colon is lost" cannot be made in a mark of one
sign. What belongs to "the other version" stays v1's or v2's.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import symops_lark
from symops_lark.core.ground.python_processes import process_pool
from symops_lark.lab.benchmark.faults.contents import hard_contents, real_contents
from symops_lark.lab.benchmark.faults.dialects import load
from symops_lark.lab.benchmark.faults.documents import draw_documents
from symops_lark.lab.benchmark.faults.endings import nth_endings
from symops_lark.lab.benchmark.faults.marks import Dialect
from symops_lark.lab.benchmark.faults.mistakes import applicable

from .cases import Case, Verdict, damaged_case, judge_case
from .report import rate, shown

LEADING = ("§", "¤", "¶", "†", "@@", "%%", ";;", "##", "&&", "||", "^^", "+>", "◆", "※", "€", "|>")
_OPENERS = ("[[", "{{", "⟦", "[[[", "{{{", "((", "⌈⌈", "<[", "[<", "%%%", "¡¡", "⟦⟦")
_CLOSERS = ("]]", "}}", "⟧", "]]]", "}}}", "))", "⌋⌋", "]>", ">]", "&&&", "!!!", "⟧⟧")
PAIRS = tuple(zip(_OPENERS, _CLOSERS, strict=True))
LONE = ("%%", "##", "§§", "||", ";;", "@@", "++", "¶¶", "|||", "%%%", "^^^", "&&")
TARGETS = ("@", "§", "¤", "&", "%", "^", "|", "@@", "→", "€", "*@")
DEPENDING = (">", "¤", "|", "^", "→", "<-", ";;", "§", "&")

BEFORE = ("<", "{", "[[", "<<", "(", "%", "@", "|", "§")  # what stands around a tag
BEHIND = (">", "}", "]]", ">>", ")", "%", "", "|", ":")
WORDS = {
    "thought": ("THINKING", "NOTES", "RATIONALE", "WHY"),
    "action": ("OPERATION", "CHANGE_KIND", "ACTION_VERB", "DO_WHAT"),
    "target": ("TARGET_FILE", "WHERE", "LOCATION", "ON_PATH"),
    "depends": ("REQUIRES", "NEEDS_FIRST", "AFTER", "BUILDS_ON"),
    "open": ("BEGIN_TEXT", "BODY_STARTS", "FILE_BEGINS", "DATA"),
    "close": ("END_TEXT", "BODY_STOPS", "FILE_ENDS", "DATA_END"),
    "confidence": ("SURENESS", "CERTAINTY"),
}


def choose_tags(rng: random.Random) -> dict[str, str]:
    """Return the words of tags and what stands around all of them."""
    before, following = rng.choice(tuple(zip(BEFORE, BEHIND, strict=True)))
    case = rng.choice((str.upper, str.lower, str.title))
    return {name: before + case(rng.choice(words)) + following for name, words in WORDS.items()}


def choose_marks(base: Dialect, rng: random.Random) -> dict[str, str]:
    """Return marks for the roles that tell sections apart."""
    if base.lines:
        return choose_tags(rng)
    thought, action, vital = rng.sample(LEADING, 3)
    opener, closer = (rng.choice(LONE),) * 2 if base.family == "v1" else rng.choice(PAIRS)
    fields = {
        "thought": thought,
        "action": action,
        "target": rng.choice(TARGETS),
        "depends": rng.choice(DEPENDING),
        "open": opener,
        "close": closer,
    }
    fields["vital"] = action if base.marks.vital == base.marks.action and rng.random() < 0.5 else vital
    if base.marks.end_close:
        fields["end_close"] = closer + "END"
    return fields


@cache
def _lines() -> frozenset[str]:
    texts = [item.text for item in (*real_contents(), *hard_contents())]
    return frozenset(line.rstrip(" \t") for text in texts for line in text.split("\n"))


@cache
def folder() -> tempfile.TemporaryDirectory[str]:
    """Return where the derived grammars are kept until the process ends."""
    return tempfile.TemporaryDirectory(prefix="derived-")


@cache
def derive(base: Dialect, seed: int) -> Dialect:
    """Return a dialect with marks drawn from a seed: the first that do not collide and stand alone in no content."""
    rng = random.Random(f"{base.name}/{seed}/marks")
    while True:
        marks = choose_marks(base, rng)
        if _lines() & {marks["open"], marks["close"], marks.get("end_close", marks["close"])}:
            continue
        if marks["open"].startswith(marks["action"]) or (marks["target"] == "%" and marks["vital"] == marks["action"]):
            continue  # no reader could tell `¶¶ a.py` from an action, or `::c88%` from a command
        try:
            definitions = {f"_{name.upper()}": f'"{mark}"' for name, mark in marks.items()}
            text = symops_lark.derive(base.format, definitions)
        except symops_lark.GrammarError:
            continue
        path = Path(folder().name) / f"{base.name}-{seed}.lark"
        path.write_text(text, encoding="utf-8")
        return replace(load(str(path)), spared=base.spared | base.marks.delimiters - load(str(path)).marks.delimiters)


def twins(name: str, base: Dialect, derived: Dialect, n: int, seed: int) -> Iterator[tuple[Case, Case]]:
    """Yield up to n pairs of cases of one mistake (of two to four where no name is given)."""
    count = 0
    names = [item.name for item in applicable(base)]
    for number, document in enumerate(draw_documents(40 * n, f"{seed}/{name}/twins", base)):
        if count == n or (number >= 200 and not count):
            return
        rng = random.Random(f"{seed}/{name}/{number}/twins")
        for _ in range(1 if name else 200):
            chosen = (name,) if name else tuple(rng.sample(names, rng.choice((2, 3, 4))))
            fate, endings = rng.random(), nth_endings(count, f"{seed}/{name}/{number}")
            pair = [
                damaged_case(document, dialect, chosen, random.Random(fate), endings) for dialect in (base, derived)
            ]
            if (first := pair[0]) and (second := pair[1]) and first.changed and second.changed:
                count += 1
                yield first, second
                break


Pair = tuple[Verdict, Verdict]


def judged(task: tuple[str, str, int, int, int]) -> list[Pair]:
    """Return the pairs of one mistake: its name, the base's name, the seed of the marks, n, the seed of the cases."""
    name, base, marks_seed, n, seed = task
    pairs = twins(name, load(base), derive(load(base), marks_seed), n, seed)
    return [(judge_case(first), judge_case(second)) for first, second in pairs]


def lines(dialects: Sequence[Dialect], names: Sequence[str], options: argparse.Namespace) -> Iterator[str]:
    """Yield the figures of each dialect beside those of the dialects derived from it."""
    yield f"Derived dialects, seed {options.seed}, n {options.n}: base, derived, difference in points"
    failed: list[Pair] = []
    for base in dialects:
        for seed in map(int, options.derive.split(",")):
            yield f"{base.name}, marks {seed}: {_spell(derive(base, seed))}"
            tasks = [(name, base.format, seed, options.n, options.seed) for name in names]
            mixed = [] if options.only else [("", base.format, seed, 20 * options.n, options.seed)]
            with process_pool(options.jobs) as pool:
                for title, part in (("one mistake", tasks), ("two to four mistakes", mixed)):
                    if pairs := [pair for item in pool.map(judged, part) for pair in item]:
                        yield _compare(title, pairs)
                        failed += [(one, two) for one, two in pairs if two.counted and one.exact and not two.exact]
    kinds = Counter(" + ".join(first.case.mistakes) for first, _ in failed)
    yield from (f"  {count:4} x only base: {name}" for name, count in kinds.most_common(25))
    for _, second in failed[: options.show]:
        yield from shown(second)


def _spell(dialect: Dialect) -> str:
    marks = dialect.marks
    delimiters = f"{marks.open} {marks.close}" if marks.open != marks.close else marks.open
    return f"{marks.thought} {marks.vital}c {marks.action}create {marks.at}a {marks.arrow}b {delimiters}"


def _compare(title: str, pairs: Sequence[Pair]) -> str:
    """Return both rates of some pairs, their difference, and how many differ which way."""
    exact = [(first.exact, second.exact) for first, second in pairs if first.counted and second.counted]
    n, (left, right) = len(exact), (sum(row[side] for row in exact) for side in (0, 1))
    lost, gained = exact.count((True, False)), exact.count((False, True))
    silent = sum(len(second.silent) + len(second.unsaid) for _, second in pairs)
    crashes = sum(bool(second.record.error) for _, second in pairs)
    return (
        f"  {title:24} {rate(left, n)} {rate(right, n)} {100 * (right - left) / max(1, n):+6.1f}"
        f"  only base {lost}  only derived {gained}  without alarm {silent}  crashes {crashes}"
    )
