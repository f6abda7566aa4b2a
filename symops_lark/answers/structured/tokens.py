"""Where a JSON value that begins at a place ends, told token by token and without recursion.

What is followed is JSON and what models write for it by mistake: comments, single or typographic quotes, keys without
quotes, Python's literals, a comma too many, a comma that is missing at the end of a line, line breaks in strings.
Nothing here makes a value: it says how far one reaches, and which names and values stand in it (`leaves`).
"""

from __future__ import annotations

from enum import Enum
from typing import Any, NamedTuple

from ...core.patterns.regexes import Match, compile_pattern

# Between tokens: blanks (also those that have no width), comments to the end of a line.
BLANKS = "[ \t\r\n\f\v\u00a0\u200b\u200c\u200d\u2060\u3000\ufeff]"
# A fence at the beginning of a line ends what was left open before it.
_BREAK = r"\n(?![ \t]*+(?:```|~~~))"
_DOUBLE = r'"[^"\\\n]*+(?:(?:\\(?s:.)|' + _BREAK + r')[^"\\\n]*+)*+"'
_SINGLE = r"'[^'\\\n]*+(?:(?:\\(?s:.)|" + _BREAK + r")[^'\\\n]*+)*+'"
_CURLY = "“[^“”\\\\\n]*+”|‘[^‘’\\\\\n]*+’"
_NUMBER = r"-?+(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][-+]?+[0-9]++)?+(?![A-Za-z0-9_.])"
_WORD = r"-?+[A-Za-z_$][A-Za-z0-9_$]*+"
_TOKEN = compile_pattern(
    f"(?P<blank>{BLANKS}++|(?://|#)[^\n]*+)|(?P<comment>/\\*)|(?P<string>{_DOUBLE}|{_SINGLE}|{_CURLY})"
    f"|(?P<number>{_NUMBER})|(?P<word>{_WORD})|(?P<mark>[{{}}\\[\\]:,])"
)
_LAST_WORD = compile_pattern(r"[-+.0-9A-Za-z]++\Z")  # a number or word that is cut off
# A name on one line, in quotes that are not closed yet.
_DOUBLE_NAME = r'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+'
_SINGLE_NAME = r"'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+"
NAME = f"{_DOUBLE_NAME}\"|{_SINGLE_NAME}'|{_CURLY}|[A-Za-z_$][A-Za-z0-9_$]*+"
# An object that is cut off in its first name, or before it, begins as well.
_CUT = rf"(?:{_DOUBLE_NAME}\\?+\"?+|{_SINGLE_NAME}\\?+'?+)?+{BLANKS}*+\Z"
OBJECT_BEGINS = rf"\{{(?={BLANKS}*+(?:\}}|(?:{NAME}){BLANKS}*+:(?!//)|/[/*]|{_CUT}))"
ARRAY_BEGINS = f"\\[(?={BLANKS}*+(?:[\\]{{\\[\"'0-9-]|true|false|null))"
_LITERALS = {"true": True, "True": True, "false": False, "False": False, "null": None, "None": None}
_DEEPEST_FOLLOWED = 10_000  # nobody means what is nested deeper; its end is not looked for
NO_NUMBERS = frozenset({"NaN", "Infinity", "-Infinity"})
_ESCAPE = compile_pattern(r"\\(?:u([0-9a-fA-F]{4})|((?s:.)))")
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "/": "/", "\\": "\\", '"': '"', "'": "'"}


class _Expect(Enum):
    """What may stand next."""

    KEY = "a name or the end of the object"
    COLON = "a colon"
    VALUE = "a value"
    ITEM = "a value or the end of the list"
    COMMA = "a comma or the end"


class Stretch(NamedTuple):
    """How far a value reaches; `open` are the brackets that are still open where it is cut off or broken."""

    end: int
    fault: str  # "" for a whole value, "cut-off" at the end of the text, "malformed" before it, "too-deep"
    open: str
    deepest: int
    expected: str


class NotPlain(ValueError):
    """A string or word says nothing that is certain, such as an escape that JSON does not know."""


def measure(text: str, start: int, leaves: list[object] | None = None) -> Stretch:
    """Return how far the object or list that begins at an offset reaches, in one pass.

    `leaves` receives all brackets, names and values in their order; `NotPlain` is raised where one is uncertain.
    """
    stack: list[str] = []
    at, expect, deepest, after_break = start, _Expect.VALUE, 0, False
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            is_open_string = text[at] in "\"'" and expect is not _Expect.COMMA and expect is not _Expect.COLON
            if is_open_string and text.find("\n```", at) < 0 and text.find("\n~~~", at) < 0:
                return Stretch(len(text), "cut-off", "".join(stack), deepest, "the end of a string")
            fault = "cut-off" if _LAST_WORD.match(text, at) else "malformed"
            return Stretch(at, fault, "".join(stack), deepest, expect.value)
        kind, token, at = match.lastgroup, match[0], match.end()
        if kind == "blank":
            after_break = after_break or "\n" in token
            continue
        if kind == "comment":
            at = text.find("*/", at) + 2
            if at < 2:
                return Stretch(len(text), "cut-off", "".join(stack), deepest, "the end of a comment")
            continue
        if expect is _Expect.COMMA and after_break and kind in ("string", "word") and stack[-1] == "{":
            expect = _Expect.KEY  # the comma at the end of the line is missing
        after_break = False
        following = _follow(kind or "", token, expect, stack)
        if following is None:
            fault = "cut-off" if kind == "word" and at == len(text) else "malformed"
            return Stretch(match.start(), fault, "".join(stack), deepest, expect.value)
        if len(stack) > _DEEPEST_FOLLOWED:
            return Stretch(len(text), "too-deep", "", len(stack), "")
        if leaves is not None and token not in (":", ","):
            leaves.append(_leaf(kind or "", token, expect))
        expect, deepest = following, max(deepest, len(stack))
        if not stack:
            return Stretch(at, "", "", deepest, "")
    return Stretch(len(text), "cut-off", "".join(stack), deepest, expect.value)


def _follow(kind: str, token: str, expect: _Expect, stack: list[str]) -> _Expect | None:
    """Return what may stand behind a token, and keep the stack of open brackets; None where it cannot stand."""
    if kind == "mark":
        return _follow_mark(token, expect, stack)
    if expect is _Expect.KEY:
        return _Expect.COLON if kind == "string" or (kind == "word" and token[0] != "-") else None
    if expect not in (_Expect.VALUE, _Expect.ITEM):
        return None
    return None if kind == "word" and token not in _LITERALS and token not in NO_NUMBERS else _Expect.COMMA


def _follow_mark(token: str, expect: _Expect, stack: list[str]) -> _Expect | None:
    if token in "{[":
        if expect not in (_Expect.VALUE, _Expect.ITEM):
            return None
        stack.append(token)
        return _Expect.KEY if token == "{" else _Expect.ITEM
    if token in "}]":
        wanted = ("{", _Expect.KEY) if token == "}" else ("[", _Expect.ITEM)
        if stack[-1] != wanted[0] or expect not in (wanted[1], _Expect.COMMA):
            return None
        stack.pop()
        return _Expect.COMMA
    if token == ":":
        return _Expect.VALUE if expect is _Expect.COLON else None
    if expect is not _Expect.COMMA:
        return None
    return _Expect.KEY if stack[-1] == "{" else _Expect.ITEM


def _leaf(kind: str, token: str, expect: _Expect) -> object:
    """Return what a token says; names are told apart from values."""
    if kind == "mark":
        return ("mark", token)
    is_key = expect is _Expect.KEY
    if kind == "string":
        return (is_key, "text", _unquote(token))
    if kind == "number":
        return (False, "number", int(token) if token.lstrip("-").isdigit() else float(token))
    if is_key:
        return (True, "text", token)
    if token in NO_NUMBERS:
        raise NotPlain(f"{token} is no number of JSON's")
    return (False, "literal", _LITERALS[token])


def _unquote(token: str) -> str:
    """Return what a quoted string says; raise `NotPlain` for escapes that JSON does not know."""
    inner = token[1:-1]
    if "\\" not in inner:
        return inner
    said = _ESCAPE.sub(_unescape, inner)
    return said.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _unescape(found: Match) -> str:
    if found[1]:
        return chr(int(found[1], 16))
    if found[2] == "u":
        raise NotPlain("a \\u without four hexadecimal digits")
    if found[2] not in _ESCAPES:
        raise NotPlain(f"the escape \\{found[2]}")
    return _ESCAPES[found[2]]


def flatten(value: object) -> list[object]:
    """Return the brackets, names and values of a JSON value as `measure` tells its leaves."""
    leaves: list[object] = []
    waiting: list[tuple[bool, Any]] = [(False, value)]  # whether it is a leaf already
    while waiting:
        is_leaf, item = waiting.pop()
        if is_leaf:
            leaves.append(item)
        elif isinstance(item, dict):
            waiting.append((True, ("mark", "}")))
            for key, inner in reversed(item.items()):
                waiting += [(False, inner), (True, (True, "text", key))]
            waiting.append((True, ("mark", "{")))
        elif isinstance(item, list):
            waiting.append((True, ("mark", "]")))
            waiting += [(False, inner) for inner in reversed(item)]
            waiting.append((True, ("mark", "[")))
        elif isinstance(item, str):
            leaves.append((False, "text", item))
        elif item is None or isinstance(item, bool):
            leaves.append((False, "literal", item))
        else:
            leaves.append((False, "number", item))
    return leaves
