"""Terminals that a text keeps busy: the attack multiplies the ways to read it, and what has none is left alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hostile_grammars import TERMINALS, UNDECIDED
from hypothesis import assume, given
from hypothesis import strategies as st

from symops_lark import dialects
from symops_lark.core.grammar.compiling.ambiguity import DOUBLES, MANY, SQUARE, Attack, find_attack
from symops_lark.core.grammar.compiling.positions import Undecided
from symops_lark.core.grammar.loading import load_grammar

PATTERNS = {name: body for name, body in TERMINALS.items() if body.startswith("/") and "(?" not in body}


Ends = dict[int, int]  # in how many ways a match ends at each place; -1 is a match that the end of the text cuts short


class _Ways:
    """Counts in how many ways a pattern reads a text, by trying all: what a matcher does that fails in the end."""

    def __init__(self, text: str, flags: int) -> None:
        self.text, self.flags = text, flags
        self.known: dict[Any, Ends] = {}

    def sequence(self, items: Any, at: int, place: int = 0) -> Ends:
        if place == len(items):
            return {at: 1}
        key = (id(items), at, place)
        if key not in self.known:
            ends = self.single(str(items[place][0]), items[place][1], at, items[place])
            self.known[key] = _then(ends, lambda end: self.sequence(items, end, place + 1))
        return self.known[key]

    def single(self, op: str, value: Any, at: int, item: Any) -> Ends:
        match op:
            case "BRANCH":
                return _sum(self.sequence(branch, at) for branch in value[1])
            case "SUBPATTERN":
                return self.sequence(value[3], at)
            case "MAX_REPEAT" | "MIN_REPEAT":
                return self.repeat(int(value[0]), min(int(value[1]), len(self.text) + 1), value[2], at)
        if at == len(self.text):
            return {-1: 1}
        return {at + 1: 1} if re.compile(_write(item), self.flags).match(self.text, at) else {}

    def repeat(self, low: int, high: int, items: Any, at: int) -> Ends:
        key = (low, high, id(items), at)
        if key not in self.known:
            turns = self.sequence(items, at) if high > 0 else {}
            turns = {end: ways for end, ways in turns.items() if end != at or low > 0}  # an empty turn ends it
            then = _then(turns, lambda end: self.repeat(max(0, low - 1), high - 1, items, end))
            self.known[key] = _sum([{at: 1}, then]) if low <= 0 else then
        return self.known[key]


def _sum(counts: Iterable[Ends]) -> Ends:
    ends: Ends = {}
    for count in counts:
        for end, ways in count.items():
            ends[end] = ends.get(end, 0) + ways
    return ends


def _then(ends: Ends, follow: Callable[[int], Ends]) -> Ends:
    return _sum(
        {-1: ways} if end < 0 else {last: ways * value for last, value in follow(end).items()}
        for end, ways in ends.items()
    )


def count_ways(pattern: str, text: str, flags: int = 0) -> int:
    """Count the ways in which the beginnings of a pattern read the whole of a text."""
    from re import _parser

    parsed: Any = _parser.parse(pattern, flags)
    ends = _Ways(text, flags).sequence(parsed, 0)
    return ends.get(-1, 0) + ends.get(len(text), 0)


def _write(item: Any) -> str:
    """Write an item of one character as a pattern."""
    op, value = str(item[0]), item[1]
    if op == "LITERAL":
        return re.escape(chr(value))
    if op == "NOT_LITERAL":
        return f"[^{re.escape(chr(value))}]"
    if op == "ANY":
        return "."
    parts = []
    for kind, of in value:
        match str(kind):
            case "NEGATE":
                parts.append("^")
            case "LITERAL":
                parts.append(re.escape(chr(of)))
            case "RANGE":
                parts.append(f"{re.escape(chr(of[0]))}-{re.escape(chr(of[1]))}")
            case _:
                word = str(of).removeprefix("CATEGORY_")
                sign = word.removeprefix("NOT_")[0]
                parts.append("\\" + (sign if word.startswith("NOT_") else sign.lower()))
    return f"[{''.join(parts)}]"


def multiplies(pattern: str, attack: Attack) -> bool:
    """Whether the ways to read an attack grow as it says."""
    ways = [count_ways(pattern, attack.before + attack.pump * pumps) for pumps in (4, 8, 16)]
    if attack.growth == DOUBLES:
        return ways[0] >= 2**3 and ways[1] >= ways[0] * 2**4 and ways[2] >= ways[1] * 2**8
    if attack.growth == SQUARE:
        return ways[0] >= 4 and ways[1] >= ways[0] * 1.5 and ways[2] >= ways[1] * 1.5
    return attack.growth == MANY and count_ways(pattern, attack.before) > 10_000


@pytest.mark.parametrize("name", PATTERNS)
def test_known_attacks_multiply_the_ways(name: str) -> None:
    body = PATTERNS[name]
    pattern, flags = body[1 : body.rindex("/")], body[body.rindex("/") + 1 :]
    attack = find_attack(pattern, re.IGNORECASE if flags else 0)
    assert attack is not None and (flags or multiplies(pattern, attack))
    assert re.match(pattern, attack.text(2)) is None, "and all of them are in vain"


@pytest.mark.parametrize("name", [name for name, body in UNDECIDED.items() if body.startswith("/")])
def test_what_cannot_be_told_is_told(name: str) -> None:
    with pytest.raises(Undecided):
        find_attack(UNDECIDED[name].strip("/"))


FINE = (
    r"a+", r"[a-z]+[0-9]+", r'"(\\.|[^"\\])*"', r"([0-9]{3})*x", r"[^\n]*[ \t]*\n", r"(.|\n)*?x", r"(a|b)*abb",
    r"[ \t]*\n([ \t]*\n)*", r"(?>a+)+b", r"(a+)++", r"(a+)+", r"((a|a)b)*", r"(?!x)[a-z]+(?=y)",
    r"[a-z]{0,40}[0-9]{0,40}", r"([a-z]+,)*[a-z]+;", r"(ab|cd)+e", r"\d{4}-\d\d-\d\d", r"(?i:abc)+", r"[^\W\d]\w*",
    r"/\*(.|\n)*?\*/",
)  # fmt: skip


@pytest.mark.parametrize("pattern", FINE)
def test_terminals_that_are_read_in_one_way_are_left_alone(pattern: str) -> None:
    assert find_attack(pattern) is None


@pytest.mark.parametrize("name", dialects())
def test_no_installed_terminal_can_be_attacked(name: str) -> None:
    terminals = [t for t in load_grammar(name).parser.terminals if t.pattern.type == "re"]
    assert terminals and all(find_attack(t.pattern.to_regexp()) is None for t in terminals)


def _patterns() -> st.SearchStrategy[str]:
    letters = st.sampled_from(["a", "b", "[ab]", "[bc]", "[^a]"])
    return st.recursive(
        letters,
        lambda inner: st.one_of(
            st.lists(inner, min_size=1, max_size=3).map("".join),
            st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"({'|'.join(parts)})"),
            st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{0,2}", "{1,3}", "*?"])).map(
                lambda pair: f"({pair[0]}){pair[1]}"
            ),
        ),
        max_leaves=6,
    )


@given(_patterns(), st.sampled_from(["x", "xy", "[xy]"]))
def test_what_is_found_multiplies_and_what_is_not_found_does_not(inside: str, end: str) -> None:
    """An attack is one; where none is found, no short text can be read in more ways than its square tells."""
    pattern = inside + end
    try:
        attack = find_attack(pattern)
    except Undecided:
        assume(False)
    if attack is not None:
        assert multiplies(pattern, attack), attack
        return
    for text in ("a" * 14, "b" * 14, "ab" * 7, "aab" * 5, "c" * 14, "cb" * 7):
        assert count_ways(pattern, text) < 2_000, text
