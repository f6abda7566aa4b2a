"""The syntax of RE2 as `re` reads it, and what places in a pattern ask of a text; what RE2 refuses is refused."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from .re_syntax import PatternTree, UnreadablePatternError, parse_pattern

BEGIN, NEWLINE, WORD, OTHER, END = range(5)  # what stands beside a place
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
_PIECES = re.compile(
    r"\\x\{(?P<code>[0-9A-Fa-f]{1,6})\}|\\(?P<kind>[pP])(?:\{(?P<not>\^?)(?P<name>\w+)\}|(?P<letter>[A-Z]))"
    r"|\\Q(?P<quoted>.*?)(?:\\E|\Z)|\[:(?P<posix>\^?\w+):\]|\((?P<named>\?<(?=[A-Za-z_]))|\\(?P<escaped>.)|(?P<open>\[\^?\]?)"
    r"|(?P<low>\{,)|(?P<close>\])",
    re.DOTALL,
)


class SyntaxProblem(ValueError):
    """A pattern cannot be used; the message says why."""


def parse(pattern: str) -> PatternTree:
    """Return a pattern of RE2 as the tree of `re`; raise `SyntaxProblem` with the reason if it is none."""
    try:
        tree = parse_pattern(spell_as_re(pattern))
    except UnreadablePatternError as error:
        raise SyntaxProblem(str(error)) from None
    check_flags(tree.flags & ~re.UNICODE)
    return tree


def check_flags(flags: int) -> None:
    """Raise `SyntaxProblem` if there is a flag that RE2 has not."""
    if flags & ~(re.IGNORECASE | re.MULTILINE | re.DOTALL):
        raise SyntaxProblem("no part of RE2's syntax: another flag than i, m or s")


def spell_as_re(pattern: str) -> str:
    """Return a pattern of RE2 as `re` spells it; raise `SyntaxProblem` for what `re` has no word for."""
    inside = False

    def spell(found: re.Match[str]) -> str:
        nonlocal inside
        if found["code"]:
            return _spell(int(found["code"], 16))
        if found["kind"]:
            name, others = found["name"] or found["letter"], (found["kind"] == "P") != bool(found["not"])
            return _category(name, others) if inside else f"[{'^' if others else ''}{_category(name, False)}]"
        if found["quoted"] is not None:
            return re.escape(found["quoted"])
        if found["posix"]:
            if not inside or found["posix"] not in _POSIX:
                raise SyntaxProblem(f"no class is called {found[0]}")
            return _POSIX[found["posix"]]
        if found["escaped"]:
            if found["escaped"] in "CZGKRXN" or found["escaped"] in "uU":
                raise SyntaxProblem(f"no part of RE2's syntax: {found[0]}")
            return r"\Z" if found["escaped"] == "z" else found[0]
        if found["open"]:
            shown = found[0] if not inside else "".join(f"\\{c}" if c == "[" else c for c in found[0])
            inside = not (inside and found[0].endswith("]"))
            return shown
        if found["close"]:
            inside = False
            return found[0]
        return r"\{," if found["low"] and not inside else "(?P<" if found["named"] else found[0]

    return _PIECES.sub(spell, pattern)


def _spell(code: int) -> str:
    if code > sys.maxunicode:
        raise SyntaxProblem(f"no character has the number {code:x}")
    return f"\\U{code:08x}"


@lru_cache(maxsize=64)
def _category(name: str, others: bool) -> str:
    """Return the characters of one of Unicode's categories as the inside of a class."""
    if not re.fullmatch("[CLMNPSZ][a-z]?", name):
        raise SyntaxProblem(f"the characters called {name} are known to RE2 alone")
    pairs, start = [], -1
    for code in range(sys.maxunicode + 2):
        within = code <= sys.maxunicode and unicodedata.category(chr(code)).startswith(name) is not others
        if within and start < 0:
            start = code
        elif not within and start >= 0:
            pairs.append(f"{_spell(start)}-{_spell(code - 1)}")
            start = -1
    return "".join(pairs)


# ---- what a node asks


@lru_cache(maxsize=4096)
def _class(inside: str, flags: int) -> Callable[[str], Any]:
    return re.compile(f"[{inside}]", flags).match


def one_of(op: str, value: Any, flags: int) -> Callable[[str], Any]:
    """Return the question whether a character is one of those that an item of a pattern stands for."""
    if op == "ANY":
        return _class(r"\s\S" if flags & re.DOTALL else r"^\n", 0)
    items = value if op == "IN" else [(op, value)]
    rows = [(str(kind), str(what) if str(kind) == "CATEGORY" else what) for kind, what in items]
    negated = rows[0][0] in ("NEGATE", "NOT_LITERAL")
    others = [what for kind, what in rows if kind == "CATEGORY" and "_NOT_" in what]
    inside = "".join(_inside(kind, what) for kind, what in rows if kind != "NEGATE" and what not in others)
    plain = _class(("^" if negated else "") + inside, flags & re.IGNORECASE) if inside else None
    if plain is not None and not others:
        return plain
    without = [_class("^" + _inside("CATEGORY", what.replace("NOT_", "")), flags & re.IGNORECASE) for what in others]
    if negated:
        return lambda c: (plain is None or plain(c)) and not any(one(c) for one in without)
    return lambda c: (plain is not None and plain(c)) or any(one(c) for one in without)


def _inside(kind: str, value: Any) -> str:
    if kind in ("LITERAL", "NOT_LITERAL"):
        return _spell(value)
    if kind == "RANGE":
        return f"{_spell(value[0])}-{_spell(value[1])}"
    return _CATEGORIES[value.removeprefix("CATEGORY_")]


def beside(character: str | None) -> int:
    """Return what a character, or none, is to the places beside it."""
    if character is None:
        return END
    if character == "\n":
        return NEWLINE
    return WORD if character.isascii() and (character.isalnum() or character == "_") else OTHER


def which(name: str, multiline: bool) -> Callable[[int, int], bool]:
    """Return the question that an assertion asks about what stands before and behind a place."""
    match name:
        case "AT_BEGINNING" if multiline:
            return lambda before, behind: before in (BEGIN, NEWLINE)
        case "AT_BEGINNING" | "AT_BEGINNING_STRING":
            return lambda before, behind: before == BEGIN
        case "AT_END" if multiline:
            return lambda before, behind: behind in (END, NEWLINE)
        case "AT_END" | "AT_END_STRING":
            return lambda before, behind: behind == END
        case "AT_BOUNDARY":
            return lambda before, behind: (before == WORD) is not (behind == WORD)
        case "AT_NON_BOUNDARY":
            return lambda before, behind: (before == WORD) is (behind == WORD)
    raise SyntaxProblem(f"no part of RE2's syntax: {name.lower().replace('_', ' ')}")
