"""Read the syntax of RE2 with the parser of `re`, and turn its items into tests of characters.

RE2 and `re` share most of their syntax. `spell_as_re` translates the rest (`\\pL`, `[[:alpha:]]`,
`\\Q…\\E`, `\\z`, …) but for `\\C` and the flag `U`, which are rejected. Patterns that RE2
rejects are rejected, too, for example those with look-around. Classes such as `\\w` and `\\s`
contain only ASCII, as in RE2. The reference is https://github.com/google/re2/wiki/Syntax.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from .re_syntax import PatternTree, UnreadablePatternError, parse_pattern

BEGIN, NEWLINE, WORD, OTHER, END = range(5)  # kinds of neighbors of an offset
_WORD_CLASS = "0-9A-Za-z_"
_CATEGORIES = {"DIGIT": "0-9", "SPACE": r"\t\n\f\r ", "WORD": _WORD_CLASS}
_POSIX = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": r"\x00-\x7f",
    "blank": r"\t ",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\t\n\v\f\r ",
    "upper": "A-Z",
    "word": _WORD_CLASS,
    "xdigit": "0-9A-Fa-f",
}
# The pieces of a pattern that RE2 and `re` spell differently, and those that begin or end a class,
# where they differ. The order matters: `escaped` is for all escapes that no earlier piece is.
_PIECES = re.compile(
    r"\\x\{(?P<code>[0-9A-Fa-f]{1,6})\}"  # \x{1F600}
    r"|\\(?P<kind>[pP])(?:\{(?P<not>\^?)(?P<name>\w+)\}|(?P<letter>[A-Z]))"  # \p{Lu}, \P{^N}, \pL
    r"|\\Q(?P<quoted>.*?)(?:\\E|\Z)"  # \Qa.b\E
    r"|\[:(?P<posix>\^?\w+):\]"  # [:alpha:], inside a class
    r"|\((?P<named>\?<(?=[A-Za-z_]))"  # (?<name>, not (?<= and (?<!
    r"|\\(?P<escaped>.)"
    r"|(?P<open>\[\^?\]?)"  # a bracket right after it is a character of the class
    r"|(?P<low>\{,)"  # {,3} is text in RE2, a repetition in `re`
    r"|(?P<close>\])",
    re.DOTALL,
)


class SyntaxProblem(ValueError):
    """RE2 would reject a pattern; the message gives the reason."""


def parse(pattern: str) -> PatternTree:
    """Return a pattern of RE2 as the tree of `re`.

    Raises:
        SyntaxProblem: RE2 would reject the pattern.
    """
    try:
        tree = parse_pattern(spell_as_re(pattern))
    except UnreadablePatternError as error:
        raise SyntaxProblem(str(error)) from None
    check_flags(tree.flags & ~re.UNICODE)
    return tree


def check_flags(flags: int) -> None:
    """Reject flags that RE2 does not have.

    Raises:
        SyntaxProblem: There is a flag other than i, m and s.
    """
    if flags & ~(re.IGNORECASE | re.MULTILINE | re.DOTALL):
        raise SyntaxProblem("no part of RE2's syntax: another flag than i, m or s")


def spell_as_re(pattern: str) -> str:
    """Translate a pattern of RE2 to the syntax of `re`.

    Raises:
        SyntaxProblem: The pattern has an escape or a class that only RE2 knows, or neither.
    """
    is_inside = False  # a class

    def spell(piece: re.Match[str]) -> str:
        nonlocal is_inside
        if piece["open"]:
            text = piece[0]
            if is_inside:
                text = text.replace("[", r"\[")
            # A bracket that is inside already, with a closing one after it, ends the class.
            is_inside = not (is_inside and piece[0].endswith("]"))
            return text
        if piece["close"]:
            is_inside = False
            return piece[0]
        return _spell_piece(piece, is_inside)

    return _PIECES.sub(spell, pattern)


def _spell_piece(piece: re.Match[str], is_inside: bool) -> str:
    """Return the spelling of a piece in `re`, inside or outside a class."""
    text = piece[0]
    if piece["code"]:
        return _spell(int(piece["code"], 16))
    if piece["kind"]:
        return _spell_category(piece, is_inside)
    if piece["quoted"] is not None:
        return re.escape(piece["quoted"])
    if piece["posix"]:
        if not is_inside or piece["posix"] not in _POSIX:
            raise SyntaxProblem(f"no class is called {text}")
        return _POSIX[piece["posix"]]
    if piece["escaped"]:
        if piece["escaped"] in "CZGKRXNuU":
            raise SyntaxProblem(f"no part of RE2's syntax: {text}")
        return r"\Z" if piece["escaped"] == "z" else text
    if piece["low"] and not is_inside:
        return r"\{,"
    return "(?P<" if piece["named"] else text


def _spell_category(piece: re.Match[str], is_inside: bool) -> str:
    r"""Return the spelling of a Unicode category: `\p{Lu}`, or negated `\P{Lu}`, `\p{^Lu}`."""
    name = piece["name"] or piece["letter"]
    is_negated = (piece["kind"] == "P") != bool(piece["not"])
    if is_inside:
        return _category(name, is_negated)
    negation = "^" if is_negated else ""
    return f"[{negation}{_category(name, False)}]"


def _spell(code: int) -> str:
    if code > sys.maxunicode:
        raise SyntaxProblem(f"no character has the number {code:x}")
    return f"\\U{code:08x}"


@lru_cache(maxsize=64)
def _category(name: str, is_negated: bool) -> str:
    """Return the characters of a Unicode category as the inside of a class."""
    if not re.fullmatch("[CLMNPSZ][a-z]?", name):
        raise SyntaxProblem(f"the characters called {name} are known to RE2 alone")
    ranges = []
    start = -1
    # One code more than there are, to end the last range.
    for code in range(sys.maxunicode + 2):
        is_member = False
        if code <= sys.maxunicode:
            is_member = unicodedata.category(chr(code)).startswith(name) is not is_negated
        if is_member and start < 0:
            start = code
        elif not is_member and start >= 0:
            ranges.append(f"{_spell(start)}-{_spell(code - 1)}")
            start = -1
    return "".join(ranges)


# ---- the tests at the nodes of an automaton


@lru_cache(maxsize=4096)
def _class(inside: str, flags: int) -> Callable[[str], Any]:
    """Return the test for a class of `re`, as fast as there is one."""
    return re.compile(f"[{inside}]", flags).match


def one_of(op: str, value: Any, flags: int) -> Callable[[str], Any]:
    """Return the test whether a character is one of those of an item of a pattern.

    Args:
        op: The name of the operation: `LITERAL`, `NOT_LITERAL`, `ANY` or `IN`.
        value: Its value in the tree of `re`.
        flags: The flags of `re` that hold there.
    """
    if op == "ANY":
        return _class(r"\s\S" if flags & re.DOTALL else r"^\n", 0)
    items = value if op == "IN" else [(op, value)]
    is_negated = str(items[0][0]) in ("NEGATE", "NOT_LITERAL")
    case = flags & re.IGNORECASE
    inside = ""
    # Each negated class is a separate test: `[a\W]` is "a, or not in `[0-9A-Za-z_]`". No ranges of
    # ASCII spell `\W`.
    tests: list[Callable[[str], Any]] = []
    for kind, argument in items:
        name = str(kind)
        if name == "CATEGORY" and "_NOT_" in str(argument):
            category = str(argument).replace("NOT_", "")
            tests.append(_class("^" + _inside("CATEGORY", category), case))
        elif name != "NEGATE":
            inside += _inside(name, argument)
    if inside:
        # Without negated classes this is the whole test, and otherwise one more.
        plain = _class(("^" if is_negated else "") + inside, case)
        if not tests:
            return plain
        if is_negated:
            return lambda c: plain(c) and not any(test(c) for test in tests)
        tests.insert(0, plain)
    if is_negated:
        return lambda c: not any(test(c) for test in tests)
    return lambda c: any(test(c) for test in tests)


def _inside(kind: str, value: Any) -> str:
    """Return an item of a class as the inside of a class of `re`."""
    if kind in ("LITERAL", "NOT_LITERAL"):
        return _spell(value)
    if kind == "RANGE":
        return f"{_spell(value[0])}-{_spell(value[1])}"
    return _CATEGORIES[str(value).removeprefix("CATEGORY_")]


def beside(character: str | None) -> int:
    """Return what a character is to the offsets before and after it; None is the end."""
    if character is None:
        return END
    if character == "\n":
        return NEWLINE
    is_word = character.isascii() and (character.isalnum() or character == "_")
    return WORD if is_word else OTHER


def which(name: str, multiline: bool) -> Callable[[int, int], bool]:
    """Return the test of an assertion.

    Args:
        name: The name of the assertion in the tree of `re`.
        multiline: Whether it is true at each line.

    Returns:
        A function of the neighbors before and after an offset (see `beside`).

    Raises:
        SyntaxProblem: RE2 does not have the assertion.
    """
    match name:
        case "AT_BEGINNING" if multiline:
            return _is_at_line_start
        case "AT_BEGINNING" | "AT_BEGINNING_STRING":
            return _is_at_start
        case "AT_END" if multiline:
            return _is_at_line_end
        case "AT_END" | "AT_END_STRING":
            return _is_at_end
        case "AT_BOUNDARY":
            return _is_at_boundary
        case "AT_NON_BOUNDARY":
            return _is_inside_or_outside
    raise SyntaxProblem(f"no part of RE2's syntax: {name.lower().replace('_', ' ')}")


def _is_at_line_start(before: int, after: int) -> bool:
    return before in (BEGIN, NEWLINE)


def _is_at_start(before: int, after: int) -> bool:
    return before == BEGIN


def _is_at_line_end(before: int, after: int) -> bool:
    return after in (END, NEWLINE)


def _is_at_end(before: int, after: int) -> bool:
    return after == END


def _is_at_boundary(before: int, after: int) -> bool:
    return (before == WORD) is not (after == WORD)


def _is_inside_or_outside(before: int, after: int) -> bool:
    """Return whether both neighbors are part of a word, or neither is."""
    return (before == WORD) is (after == WORD)
