"""Patterns that ripgrep and RE2 read alike: RE2's syntax, spelt anew so that nothing is left to either of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ...core.ground.errors import SymOpsError
from ...core.patterns import pattern_syntax
from ...core.patterns.re_syntax import ENDLESS
from ...core.patterns.regexes import PatternError, compile_linear

MOST = 2_000  # characters of a pattern
_CATEGORIES = {"DIGIT": "0-9", "SPACE": r"\t\n\f\r ", "WORD": "0-9A-Za-z_"}
_OTHERS = {"DIGIT": r"\x{0}-/:-\x{10ffff}", "SPACE": r"\x{0}-\x{8}\x{b}\x{e}-\x{1f}!-\x{10ffff}"}
_OTHERS["WORD"] = r"\x{0}-/:-@\x{5b}-\x{5e}\x{60}\x{7b}-\x{10ffff}"
_PLACES = {
    "AT_BEGINNING": "(?m:^)",
    "AT_BEGINNING_STRING": "(?m:^)",
    "AT_END": "(?:\\r?(?m:$))",
    "AT_END_STRING": "(?:\\r?(?m:$))",
}
_BOUNDARIES = {"AT_BOUNDARY": "b", "AT_NON_BOUNDARY": "B"}


class BadPatternError(SymOpsError):
    """A pattern cannot be searched for; the message says why."""


class LinePattern:
    """A pattern that is looked for in lines, spelt for both engines."""

    def __init__(self, text: str, *, regex: bool = False, ignore_case: bool = False) -> None:
        if not text or "\n" in text or len(text) > MOST:
            why = "it is empty" if not text else "it has more than one line" if "\n" in text else "it is too long"
            raise BadPatternError(f"pattern {text[:80]!r}: {why}")
        self.text, self.rust = text, ""  # what ripgrep is asked; empty if only RE2 can be
        try:
            text.encode()
            if regex:
                compile_linear(text)  # what RE2 refuses is refused
                self.rust, spelt = _spell_regex(text)
            else:
                self.rust = spelt = "".join(map(_literal, map(ord, text)))
            flagged = "(?i)" if ignore_case else ""
            self.rust = flagged + self.rust if self.rust else ""
            self._compiled = compile_linear(flagged + spelt)
        except (PatternError, UnicodeEncodeError) as error:
            raise BadPatternError(f"pattern {text[:80]!r}: {error}; the syntax is that of RE2") from None

    def may_be_in(self, text: str) -> bool:
        """Return whether a line of a text may hold the pattern; where it is spelt as it was given, any may."""
        return not self.rust or self.find(text) >= 0

    def find(self, text: str) -> int:
        """Return where the pattern first occurs in a text; -1 if it does not."""
        found = self._compiled.search(text)
        return -1 if found is None else int(found.start())


def _spell_regex(text: str) -> tuple[str, str]:
    """Return a pattern for ripgrep and for RE2; the first is empty where RE2's syntax is more than can be respelt."""
    try:
        tree = pattern_syntax.parse(text)
        flags = tree.flags & (re.IGNORECASE | re.DOTALL)
        flagged = "(?i)" if flags & re.IGNORECASE else ""
        rust, re2 = (flagged + "".join(_spell(tree.items, flags, engine)) for engine in ("rust", "re2"))
    except pattern_syntax.SyntaxProblem:
        return "", text
    return rust, re2


def _spell(items: Any, flags: int, engine: str) -> Iterator[str]:
    for op, value in items:
        kind = str(op)
        if kind == "LITERAL":
            yield _literal(value)
        elif kind in ("NOT_LITERAL", "IN", "ANY"):
            yield _class(kind, value, flags)
        elif kind == "AT":
            yield _place(str(value), engine)
        elif kind in ("MAX_REPEAT", "MIN_REPEAT"):
            least, most, inner = value
            bounds = "" if most == ENDLESS else str(most)
            yield f"(?:{''.join(_spell(inner, flags, engine))}){{{least},{bounds}}}" + "?" * (kind == "MIN_REPEAT")
        elif kind == "BRANCH":
            yield "(?:" + "|".join("".join(_spell(branch, flags, engine)) for branch in value[1]) + ")"
        elif kind == "SUBPATTERN":
            _, added, removed, inner = value
            inside = "".join(_spell(inner, (flags | added) & ~removed, engine))
            signs = "i" * bool(added & re.IGNORECASE) + "-i" * bool(removed & re.IGNORECASE)
            yield f"(?{signs}:{inside})"
        else:
            raise pattern_syntax.SyntaxProblem(f"no part of RE2's syntax: {kind.lower()}")


def _literal(code: int) -> str:
    character = chr(code)
    return character if character.isascii() and character.isalnum() else f"\\x{{{code:x}}}"


def _class(kind: str, value: Any, flags: int) -> str:
    if kind == "ANY":
        return r"[\x{0}-\x{10ffff}]" if flags & re.DOTALL else r"[^\n]"
    if kind == "NOT_LITERAL":
        return f"[^{_literal(value)}]"
    inside = "".join(_member(str(op), each) for op, each in value)
    return f"[{inside}]"


def _member(kind: str, value: Any) -> str:
    if kind == "NEGATE":
        return "^"
    if kind == "LITERAL":
        return _literal(value)
    if kind == "RANGE":
        return f"{_literal(value[0])}-{_literal(value[1])}"
    name = str(value).removeprefix("CATEGORY_")
    return _OTHERS[name.removeprefix("NOT_")] if name.startswith("NOT_") else _CATEGORIES[name]


def _place(name: str, engine: str) -> str:
    if name in _PLACES:
        return _PLACES[name]
    if name in _BOUNDARIES:
        return f"(?-u:\\{_BOUNDARIES[name]})" if engine == "rust" else f"\\{_BOUNDARIES[name]}"
    raise pattern_syntax.SyntaxProblem(f"no part of RE2's syntax: {name.lower()}")
