"""Find where a JSON value ends in a text, and complete a value that is cut off.

The values are found by `json` itself. At most `MOST_BROKEN` broken values of a text are looked at,
because each of them costs its own length.
"""

from __future__ import annotations

import json
from typing import Any

from ..patterns.regexes import compile_pattern

MOST_BROKEN = 64
_BEGINNING = compile_pattern(r"[ \t\r\n]*(?:\{[ \t\r\n]*[\"}]|\[[ \t\r\n]*[\[{\"\]])")
_BLANKS = " \t\r\n"


def _join_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object. Of a key that it has twice the first value counts, and the other shows."""
    fields: dict[str, Any] = {}
    for key, value in pairs:
        # Names are compared without their blanks.
        name = f"{key} " if key in fields else key
        fields[name] = value
    return fields


# Models write line feeds into strings.
_DECODER = json.JSONDecoder(strict=False, object_pairs_hook=_join_pairs)


class JsonScanner:
    """Finds the ends of JSON values in one text.

    Args:
        text: The text.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.broken_count = 0

    def find_end(self, start: int) -> int | None:
        """Return where the value at an offset ends.

        Args:
            start: The offset. Blanks before the value are passed over.

        Returns:
            The end; 0 if the value is broken; None if no value begins there, or too many were
            broken before.
        """
        # Most places are not JSON; this is cheaper than an exception.
        begins = _BEGINNING.match(self.text, start)
        if begins is None or self.broken_count >= MOST_BROKEN:
            return None
        while self.text[start] in _BLANKS:
            start += 1
        try:
            _, end = decode(self.text, start)
        except (ValueError, RecursionError):
            # Its message counts lines from the beginning, which takes long.
            self.broken_count += 1
            return 0
        return end


def decode(text: str, start: int) -> tuple[Any, int]:
    """Return the JSON value at an offset, and where it ends.

    Raises:
        ValueError: There is no value.
        RecursionError: It is too deep.
    """
    return _DECODER.raw_decode(text, start)


def load_value(text: str) -> Any:
    """Return the JSON value that a text is.

    Raises:
        ValueError: It is none.
        RecursionError: It is too deep.
    """
    text = text.strip(_BLANKS)
    value, end = decode(text, 0)
    if end < len(text):
        raise ValueError("text follows the value")
    return value


def read_json(text: str) -> tuple[Any, bool, bool]:
    """Return a JSON value; one that lacks its end is completed.

    Args:
        text: The text of the value, which may lack a quote and brackets at its end.

    Returns:
        The value, None if it cannot be read; whether it was completed; whether it ended in a
        string.
    """
    text = text.strip()
    try:
        return load_value(text), False, False
    except (ValueError, RecursionError):
        pass
    completed, in_string = complete_json(text)
    try:
        return load_value(completed), True, in_string
    except (ValueError, RecursionError):
        return None, True, in_string


def complete_json(text: str) -> tuple[str, bool]:
    """Return a JSON text with the quote and brackets that its end lacks.

    Args:
        text: The text.

    Returns:
        The completed text, and whether the text ended inside a string.
    """
    open_brackets = []
    in_string = False
    is_escaped = False
    escape = len(text)  # where the last escape begins
    for index, sign in enumerate(text):
        if in_string:
            # An escaped quote does not end a string.
            in_string = is_escaped or sign != '"'
            is_escaped = sign == "\\" and not is_escaped
            if is_escaped:
                escape = index
        elif sign == '"':
            in_string = True
        elif sign in "{[":
            closer = "}" if sign == "{" else "]"
            open_brackets.append(closer)
        elif sign in "}]" and open_brackets:
            open_brackets.pop()
    # The innermost bracket is closed first.
    closers = "".join(reversed(open_brackets))
    if not in_string:
        return text.rstrip() + closers, False
    # Half of an escape cannot be kept: a backslash alone, or fewer than four digits after `\\u`.
    last = text[escape:]
    if last == "\\" or (last.startswith("\\u") and len(last) < 6):
        text = text[:escape]
    return f'{text}"{closers}', True
