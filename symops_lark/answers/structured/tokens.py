"""Find the end of a JSON value that begins at an offset, token by token and without recursion.

It follows JSON and the mistakes that models make in it: comments, single or typographic quotes,
keys without quotes, Python's literals, a comma too many, a missing comma at the end of a line, line
breaks in strings. It does not build the value: it returns the end, and the names and values on the
way (`leaves`).
"""

from __future__ import annotations

from enum import Enum
from typing import Any, NamedTuple

from ...core.patterns.regexes import Match, compile_pattern

# Between tokens: blanks (also those that have no width), comments to the end of a line.
BLANKS = "[ \t\r\n\f\v\u00a0\u200b\u200c\u200d\u2060\u3000\ufeff]"
# A fence at the beginning of a line ends a string before it that was left open.
_BREAK = r"\n(?![ \t]*+(?:```|~~~))"
_DOUBLE = r'"[^"\\\n]*+(?:(?:\\(?s:.)|' + _BREAK + r')[^"\\\n]*+)*+"'
_SINGLE = r"'[^'\\\n]*+(?:(?:\\(?s:.)|" + _BREAK + r")[^'\\\n]*+)*+'"
_CURLY = "“[^“”\\\\\n]*+”|‘[^‘’\\\\\n]*+’"
_NUMBER = r"-?+(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][-+]?+[0-9]++)?+(?![A-Za-z0-9_.])"
_WORD = r"-?+[A-Za-z_$][A-Za-z0-9_$]*+"
_TOKEN = compile_pattern(
    f"(?P<blank>{BLANKS}++|(?://|#)[^\n]*+)|(?P<comment>/\\*(?s:.*?)\\*/)|(?P<open_comment>/\\*)"
    f"|(?P<string>{_DOUBLE}|{_SINGLE}|{_CURLY})"
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
_MAX_DEPTH = 10_000  # deeper text is never meant as a value; its end is not looked for
NO_NUMBERS = frozenset({"NaN", "Infinity", "-Infinity"})
_ESCAPE = compile_pattern(r"\\(?:u([0-9a-fA-F]{4})|((?s:.)))")
_ESCAPES = {
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "/": "/",
    "\\": "\\",
    '"': '"',
    "'": "'",
}
_CLOSERS = {"}": "{", "]": "["}


class _Expect(Enum):
    """What is allowed next."""

    KEY = "a name or the end of the object"
    COLON = "a colon"
    VALUE = "a value"
    ITEM = "a value or the end of the list"
    COMMA = "a comma or the end"


class Stretch(NamedTuple):
    """The extent of a value.

    Attributes:
        end: The offset after it, or of the token that breaks it.
        fault: Empty for a complete value; "cut-off" at the end of the text, "malformed" before it,
            or "too-deep".
        open: The brackets that are open where it is cut off or broken.
        deepest: The depth of objects and lists.
        expected: What is missing where it is cut off or broken.
    """

    end: int
    fault: str
    open: str
    deepest: int
    expected: str


class NotPlain(ValueError):
    """A string or word has no certain value, such as an escape that JSON does not have."""


def measure(text: str, start: int, leaves: list[object] | None = None) -> Stretch:
    """Return the extent of the object or list that begins at an offset, in one pass.

    Args:
        text: The whole text.
        start: The offset of its bracket.
        leaves: A list that receives all brackets, names and values in their order; None for none.

    Raises:
        NotPlain: `leaves` is a list, and a name or value is not certain.
    """
    stack: list[str] = []
    at = start
    expect = _Expect.VALUE
    deepest = 0
    after_break = False  # whether the line has ended since the last token

    def stop(end: int, fault: str, expected: str) -> Stretch:
        return Stretch(end, fault, "".join(stack), deepest, expected)

    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            if _is_open_string(text, at, expect):
                return stop(len(text), "cut-off", "the end of a string")
            return stop(at, _fault(_LAST_WORD.match(text, at)), expect.value)
        kind = match.lastgroup or ""
        token = match[0]
        at = match.end()
        if kind in ("blank", "comment"):
            after_break = after_break or (kind == "blank" and "\n" in token)
            continue
        if kind == "open_comment":
            return stop(len(text), "cut-off", "the end of a comment")
        is_first_in_line = after_break and kind in ("string", "word")
        if expect is _Expect.COMMA and is_first_in_line and stack[-1] == "{":
            expect = _Expect.KEY  # the comma at the end of the line is missing
        after_break = False
        following = _follow(kind, token, expect, stack)
        if following is None:
            return stop(match.start(), _fault(kind == "word" and at == len(text)), expect.value)
        if len(stack) > _MAX_DEPTH:
            return Stretch(len(text), "too-deep", "", len(stack), "")
        if leaves is not None and token not in (":", ","):
            leaves.append(_leaf(kind, token, expect))
        expect = following
        deepest = max(deepest, len(stack))
        if not stack:
            return stop(at, "", "")
    return stop(len(text), "cut-off", expect.value)


def _is_open_string(text: str, at: int, expect: _Expect) -> bool:
    """Return whether a string begins here that is cut off at the end of the text."""
    if text[at] not in "\"'" or expect in (_Expect.COMMA, _Expect.COLON):
        return False
    # The end of a fence shows that the reply continues after the string.
    return text.find("\n```", at) < 0 and text.find("\n~~~", at) < 0


def _fault(is_last: object) -> str:
    """Return the fault of a token: the last word of the text may only be incomplete."""
    return "cut-off" if is_last else "malformed"


def _follow(kind: str, token: str, expect: _Expect, stack: list[str]) -> _Expect | None:
    """Return what is allowed after a token; None if the token itself is not allowed.

    Updates the stack of open brackets.
    """
    if kind == "mark":
        return _follow_mark(token, expect, stack)
    if expect is _Expect.KEY:
        is_name = kind == "string" or (kind == "word" and token[0] != "-")
        return _Expect.COLON if is_name else None
    is_value = kind != "word" or token in _LITERALS or token in NO_NUMBERS
    if is_value and expect in (_Expect.VALUE, _Expect.ITEM):
        return _Expect.COMMA
    return None


def _follow_mark(token: str, expect: _Expect, stack: list[str]) -> _Expect | None:
    if token in "{[":
        if expect not in (_Expect.VALUE, _Expect.ITEM):
            return None
        stack.append(token)
        return _inner(stack)
    if token in _CLOSERS:
        # `stack` is not empty: the value ends with its last bracket.
        if stack[-1] != _CLOSERS[token] or expect not in (_inner(stack), _Expect.COMMA):
            return None
        stack.pop()
        return _Expect.COMMA
    if token == ":":
        return _Expect.VALUE if expect is _Expect.COLON else None
    return _inner(stack) if expect is _Expect.COMMA else None


def _inner(stack: list[str]) -> _Expect:
    """Return what is allowed at the beginning of a member or an item."""
    return _Expect.KEY if stack[-1] == "{" else _Expect.ITEM


def _leaf(kind: str, token: str, expect: _Expect) -> object:
    """Return a bracket, a name or a value; a name begins with True, a value with False."""
    if kind == "mark":
        return ("mark", token)
    is_key = expect is _Expect.KEY
    if kind == "string":
        return (is_key, "text", _unquote(token))
    if kind == "number":
        is_integer = token.lstrip("-").isdigit()
        return (False, "number", int(token) if is_integer else float(token))
    if is_key:
        return (True, "text", token)
    if token in NO_NUMBERS:
        raise NotPlain(f"{token} is not a number of JSON")
    return (False, "literal", _LITERALS[token])


def _unquote(token: str) -> str:
    """Return the content of a quoted string; raise `NotPlain` for unknown escapes."""
    inner = token[1:-1]
    if "\\" not in inner:
        return inner
    text = _ESCAPE.sub(_unescape, inner)
    # Two escaped halves of a surrogate pair become one character.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _unescape(match: Match) -> str:
    if match[1]:
        return chr(int(match[1], 16))
    if match[2] == "u":
        raise NotPlain("a \\u without four hexadecimal digits")
    if match[2] not in _ESCAPES:
        raise NotPlain(f"the escape \\{match[2]}")
    return _ESCAPES[match[2]]


def flatten(value: object) -> list[object]:
    """Return the brackets, names and values of a JSON value, as `measure` appends its leaves."""
    leaves: list[object] = []
    # A stack instead of recursion: a pair is a leaf or value, and whether it is a leaf.
    waiting: list[tuple[Any, bool]] = [(value, False)]
    while waiting:
        item, is_leaf = waiting.pop()
        if is_leaf:
            leaves.append(item)
        elif isinstance(item, dict):
            waiting.append((("mark", "}"), True))
            for key, inner in reversed(item.items()):
                waiting.append((inner, False))
                waiting.append(((True, "text", key), True))
            leaves.append(("mark", "{"))
        elif isinstance(item, list):
            waiting.append((("mark", "]"), True))
            waiting += [(inner, False) for inner in reversed(item)]
            leaves.append(("mark", "["))
        elif isinstance(item, str):
            leaves.append((False, "text", item))
        elif item is None or isinstance(item, bool):
            leaves.append((False, "literal", item))
        else:
            leaves.append((False, "number", item))
    return leaves
