"""Patterns that ripgrep and RE2 match in the same way.

The syntax is that of RE2. Each pattern is translated to one without anything that the two engines
treat differently: classes become ranges, flags become groups, characters become code points.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ...core.ground.errors import SymOpsError
from ...core.patterns import pattern_syntax
from ...core.patterns.re_syntax import ENDLESS
from ...core.patterns.regexes import PatternError, compile_linear

MAX_LENGTH = 2_000  # characters of a pattern
_CLASSES = {
    "DIGIT": "0-9",
    "NOT_DIGIT": r"\x{0}-/:-\x{10ffff}",
    "SPACE": r"\t\n\f\r ",
    "NOT_SPACE": r"\x{0}-\x{8}\x{b}\x{e}-\x{1f}!-\x{10ffff}",
    "WORD": "0-9A-Za-z_",
    "NOT_WORD": r"\x{0}-/:-@\x{5b}-\x{5e}\x{60}\x{7b}-\x{10ffff}",
}
# ripgrep gets lines with their "\r", RE2 gets them without.
_ANCHORS = {
    "AT_BEGINNING": "(?m:^)",
    "AT_BEGINNING_STRING": "(?m:^)",
    "AT_END": "(?:\\r?(?m:$))",
    "AT_END_STRING": "(?:\\r?(?m:$))",
}
_BOUNDARIES = {"AT_BOUNDARY": r"\b", "AT_NON_BOUNDARY": r"\B"}


class BadPatternError(SymOpsError):
    """A pattern cannot be searched for; the message gives the reason."""


class LinePattern:
    """A pattern to find in lines, translated for both engines.

    Attributes:
        text: The pattern as it was passed.
        rust: The pattern for ripgrep; empty if only RE2 has its syntax.
    """

    def __init__(self, text: str, *, regex: bool = False, ignore_case: bool = False) -> None:
        if not text:
            raise _error(text, "it is empty")
        if "\n" in text:
            raise _error(text, "it has more than one line")
        if len(text) > MAX_LENGTH:
            raise _error(text, "it is too long")
        self.text = text
        flags = "(?i)" if ignore_case else ""
        try:
            text.encode()
            if regex:
                compile_linear(text)  # RE2 rejects the pattern, not its translation
                rust, re2 = _translate_regex(text)
            else:
                rust = re2 = "".join(map(_literal, map(ord, text)))
            self.rust = flags + rust if rust else ""
            self._compiled = compile_linear(flags + re2)
        except (PatternError, UnicodeEncodeError) as error:
            raise _error(text, f"{error}; the syntax is that of RE2") from None

    def may_be_in(self, text: str) -> bool:
        """Return whether a line of a text may match; always true without a translation."""
        return not self.rust or self.find(text) >= 0

    def find(self, text: str) -> int:
        """Return the start of the first match in a text; -1 if there is none."""
        match = self._compiled.search(text)
        return -1 if match is None else int(match.start())


def _error(text: str, reason: str) -> BadPatternError:
    return BadPatternError(f"pattern {text[:80]!r}: {reason}")


def _translate_regex(text: str) -> tuple[str, str]:
    """Return a pattern for ripgrep and for RE2.

    If it has syntax that cannot be translated, the first is empty and the second is unchanged.
    """
    try:
        tree = pattern_syntax.parse(text)
        flags = tree.flags & (re.IGNORECASE | re.DOTALL)
        prefix = "(?i)" if flags & re.IGNORECASE else ""
        rust = prefix + _translate(tree.items, flags, "rust")
        re2 = prefix + _translate(tree.items, flags, "re2")
    except pattern_syntax.SyntaxProblem:
        return "", text
    return rust, re2


def _translate(items: Any, flags: int, engine: str) -> str:
    return "".join(_translate_each(items, flags, engine))


def _translate_each(items: Any, flags: int, engine: str) -> Iterator[str]:
    for op, value in items:
        kind = str(op)
        match kind:
            case "LITERAL":
                yield _literal(value)
            case "NOT_LITERAL":
                yield f"[^{_literal(value)}]"
            case "ANY":
                yield r"[\x{0}-\x{10ffff}]" if flags & re.DOTALL else r"[^\n]"
            case "IN":
                members = [_member(str(op), member) for op, member in value]
                yield f"[{''.join(members)}]"
            case "AT":
                yield _anchor(str(value), engine)
            case "MAX_REPEAT" | "MIN_REPEAT":
                minimum, maximum, repeated = value
                end = "" if maximum == ENDLESS else maximum
                yield f"(?:{_translate(repeated, flags, engine)}){{{minimum},{end}}}"
                if kind == "MIN_REPEAT":
                    yield "?"
            case "BRANCH":
                branches = [_translate(branch, flags, engine) for branch in value[1]]
                yield f"(?:{'|'.join(branches)})"
            case "SUBPATTERN":
                _, added, removed, content = value
                signs = "i" * bool(added & re.IGNORECASE) + "-i" * bool(removed & re.IGNORECASE)
                yield f"(?{signs}:{_translate(content, (flags | added) & ~removed, engine)})"
            case _:
                raise pattern_syntax.SyntaxProblem(f"not in RE2's syntax: {kind.lower()}")


def _literal(code: int) -> str:
    character = chr(code)
    is_plain = character.isascii() and character.isalnum()
    return character if is_plain else f"\\x{{{code:x}}}"


def _member(kind: str, value: Any) -> str:
    """Return a member of a class in brackets."""
    match kind:
        case "NEGATE":
            return "^"
        case "LITERAL":
            return _literal(value)
        case "RANGE":
            return f"{_literal(value[0])}-{_literal(value[1])}"
    return _CLASSES[str(value).removeprefix("CATEGORY_")]


def _anchor(name: str, engine: str) -> str:
    if name in _ANCHORS:
        return _ANCHORS[name]
    if name not in _BOUNDARIES:
        raise pattern_syntax.SyntaxProblem(f"not in RE2's syntax: {name.lower()}")
    boundary = _BOUNDARIES[name]
    # In ripgrep words are of Unicode unless that is switched off; in RE2 they are of ASCII.
    return f"(?-u:{boundary})" if engine == "rust" else boundary
