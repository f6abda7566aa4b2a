"""A dialect beside one derived from it with marks that nobody has seen: the same documents, mistakes and choices.

A case counts only where both could be damaged: a mistake such as "one colon is lost" cannot be made in a mark of one
sign. What belongs to "the other version" stays v1's or v2's.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import symops_lark
from symops_lark.compliance.faults.dialects import load
from symops_lark.compliance.faults.documents import draw_documents, hard_contents, real_contents, write
from symops_lark.compliance.faults.marks import Dialect
from symops_lark.compliance.faults.mistakes import REGISTRY, damage, listed_for
from symops_lark.measuring.intervals import wilson

from .scoring import Case, Verdict, judge

LEADING = ("§", "¤", "¶", "†", "@@", "%%", ";;", "##", "&&", "||", "^^", "+>", "◆", "※", "€", "|>")
PAIRS = (
    ("[[", "]]"),
    ("{{", "}}"),
    ("⟦", "⟧"),
    ("[[[", "]]]"),
    ("{{{", "}}}"),
    ("((", "))"),
    ("⌈⌈", "⌋⌋"),
    ("<[", "]>"),
    ("[<", ">]"),
    ("%%%", "&&&"),
    ("¡¡", "!!!"),
    ("⟦⟦", "⟧⟧"),
)
LONE = ("%%", "##", "§§", "||", ";;", "@@", "++", "¶¶", "|||", "%%%", "^^^", "&&")
TARGETS = ("@", "§", "¤", "&", "%", "^", "|", "@@", "→", "€", "*@")
DEPENDING = (">", "¤", "|", "^", "→", "<-", ";;", "§", "&")


BRACKETS = (
    ("<", ">"),
    ("{", "}"),
    ("[[", "]]"),
    ("<<", ">>"),
    ("(", ")"),
    ("%", "%"),
    ("@", ""),
    ("|", "|"),
    ("§", ":"),
)
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
    """Draw the words of tags and what stands around all of them."""
    before, behind = rng.choice(BRACKETS)
    case = rng.choice((str.upper, str.lower, str.title))
    return {name: before + case(rng.choice(words)) + behind for name, words in WORDS.items()}


def choose_marks(base: Dialect, rng: random.Random) -> dict[str, str]:
    """Draw marks for the roles that tell sections apart."""
    if base.lines:
        return choose_tags(rng)
    thought, action, vital = rng.sample(LEADING, 3)
    opener, closer = (rng.choice(LONE),) * 2 if base.family == "v1" else rng.choice(PAIRS)
    found = {
        "thought": thought,
        "action": action,
        "target": rng.choice(TARGETS),
        "depends": rng.choice(DEPENDING),
        "open": opener,
        "close": closer,
    }
    found["vital"] = action if base.marks.vital == base.marks.action and rng.random() < 0.5 else vital
    if base.marks.end_close:
        found["end_close"] = closer + "END"
    return found


@cache
def _lines() -> frozenset[str]:
    texts = [item.text for item in (*real_contents(), *hard_contents())]
    return frozenset(line.rstrip(" \t") for text in texts for line in text.split("\n"))


@cache
def folder() -> Path:
    """Where the derived grammars are kept until the process ends."""
    kept = tempfile.TemporaryDirectory(prefix="derived-")
    _KEPT.append(kept)
    return Path(kept.name)


_KEPT: list[tempfile.TemporaryDirectory[str]] = []


@cache
def derive(base: Dialect, seed: int) -> Dialect:
    """Derive a dialect with marks drawn from a seed: the first that do not collide and stand alone in no content."""
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
        path = folder() / f"{base.name}-{seed}.lark"
        path.write_text(text, encoding="utf-8")
        return replace(load(str(path)), spared=base.spared | base.marks.delimiters - load(str(path)).marks.delimiters)


def twins(name: str, base: Dialect, derived: Dialect, n: int, seed: int) -> Iterator[tuple[Case, Case]]:
    """Yield up to n pairs of cases of one mistake (of two to four where no name is given)."""
    found = 0
    listed = listed_for(base)
    for number, document in enumerate(draw_documents(40 * n, f"{seed}/{name}/twins", base)):
        if found == n or (number >= 200 and not found):
            return
        rng = random.Random(f"{seed}/{name}/{number}/twins")
        for _ in range(1 if name else 200):
            chosen = [REGISTRY[name]] if name else rng.sample(listed, rng.choice((2, 3, 4)))
            fate = rng.random()
            drafts = [damage(document, dialect, chosen, random.Random(fate)) for dialect in (base, derived)]
            pair = []
            for draft, dialect in zip(drafts, (base, derived), strict=True):
                if draft is not None and draft.text() != (original := write(document, dialect)):
                    names = tuple(item.name for item in chosen)
                    pair.append(Case(dialect, names, draft.text(), tuple(draft.expected), original))
            if len(pair) == 2:
                found += 1
                yield pair[0], pair[1]
                break


Pair = tuple[Verdict, Verdict]


def judged(task: tuple[str, str, int, int, int]) -> list[Pair]:
    """Judge the pairs of one mistake: its name, the base's name, the seed of the marks, n, the seed of the cases."""
    name, base, marks_seed, n, seed = task
    pairs = twins(name, load(base), derive(load(base), marks_seed), n, seed)
    return [(judge(first), judge(second)) for first, second in pairs]


def spelt(dialect: Dialect) -> str:
    """Spell the marks of a derived dialect."""
    marks = dialect.marks
    delimiters = f"{marks.open} {marks.close}" if marks.open != marks.close else marks.open
    return f"{marks.thought} {marks.vital}c {marks.action}create {marks.at}a {marks.arrow}b {delimiters}"


def lines(title: str, pairs: list[Pair]) -> Iterator[str]:
    """One line of figures for a set of pairs: both rates, their difference, and how many differ which way."""
    counted = [(first, second) for first, second in pairs if first.counted and second.counted]
    n = len(counted)
    left, right = (sum(pair[side].kind == "exact" for pair in counted) for side in (0, 1))
    lost = sum(first.kind == "exact" != second.kind for first, second in counted)
    gained = sum(second.kind == "exact" != first.kind for first, second in counted)
    low, high = wilson(right, n)
    silent = sum(len(second.silent) for _, second in pairs)
    crashes = sum(second.kind == "crash" for _, second in pairs)
    of = max(1, n)
    rates = f"{100 * left / of:6.1f} {100 * right / of:6.1f} ({100 * low:.1f} to {100 * high:.1f})"
    yield (
        f"  {title:24} {rates} {100 * (right - left) / of:+6.1f}  of {n:4}  only base {lost:3}"
        f"  only derived {gained:3}  silently wrong {silent}  crashes {crashes}"
    )
