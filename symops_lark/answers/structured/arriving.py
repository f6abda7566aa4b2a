"""Read an object while it arrives: report each value once it is complete, and never withdraw one.

Only a reply that is the object itself is reported, as models write it that are held to a schema: in
prose and in fences, it is unknown before the end which object is the answer. `close` then reads the
complete reply. It never contradicts a member that was reported: it returns the same object, or
none.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...core.patterns.regexes import compile_pattern
from ...core.text.diagnostics import Diagnostic
from ...core.text.source import BOM, Source
from .extraction import Extraction, extract_json
from .schema.budget import Budget, TooComplexError
from .schema.problems import Path, Schema, SchemaError, follow_reference, pointer_to
from .schema.schemas import fit_checker, with_whole_numbers
from .values import DEEPEST, Refused, read_exactly

_BLANKS = compile_pattern(r"[ \t\r\n]*+")
_IN_STRING = compile_pattern(r'["\\\x00-\x1f]')
_SCALAR = compile_pattern(r"[-+.0-9A-Za-z]++")
_MAX_SCALAR = 5_000  # characters of a number or word
_ANYTHING: Mapping[str, Any] = {}
# With one of these, the schema of a member depends on other members.
_OPEN_KEYWORDS = ("anyOf", "oneOf", "allOf", "patternProperties")


@dataclass(frozen=True, slots=True)
class Member:
    """A complete value of an object or list.

    Attributes:
        pointer: The JSON pointer to it.
        value: The value.
    """

    pointer: str
    value: Any


@dataclass(slots=True)
class _Open:
    """An object or list that is not closed yet."""

    value: Any
    schema: Any  # None: it is unknown what fits in it
    path: Path
    key: str | None = None  # of the member that is open
    after: str = ""  # the last token: "", "key", "colon", "value" or "comma"

    @property
    def inner(self) -> Any:
        """The schema of the open member, or of the items."""
        schema = self.schema
        if schema is None or schema is _ANYTHING:
            return schema
        if isinstance(self.value, list):
            return None if "prefixItems" in schema else schema.get("items", True)
        properties = schema.get("properties") or {}
        return properties.get(self.key, schema.get("additionalProperties", True))


class ObjectStream:
    """The reading of one reply that arrives in pieces."""

    def __init__(self, schema: Schema | None = None) -> None:
        self._schema = schema
        self._fits = None if schema is None else fit_checker(schema, Budget())
        self._pieces: list[str] = []
        self._pending = ""  # a number or word that may continue
        self._string: list[str] | None = None  # the pieces of a string that is open
        self._is_escaped = False
        self._stack: list[_Open] = []
        self._has_begun = False
        self._has_failed = False
        self._reported: list[tuple[Path, Any]] = []
        self._new: list[Member] = []

    @property
    def value(self) -> dict[str, Any]:
        """The members of the object that have been reported so far."""
        return {str(path[0]): value for path, value in self._reported if len(path) == 1}

    def feed(self, piece: str) -> tuple[Member, ...]:
        """Return the values that become complete by a piece of the reply, inner values first."""
        self._pieces.append(piece)
        self._new = []
        if not self._has_failed:
            try:
                self._read(piece)
            except (Refused, ValueError, RecursionError, TooComplexError):
                self._has_failed = True  # `close` reports the reason
        return tuple(self._new)

    def close(self) -> Extraction:
        """Return the object of the complete reply; an empty result if it contradicts a member."""
        text = "".join(self._pieces)
        extraction = extract_json(text, self._schema)
        if extraction.value is not None:
            for path, value in self._reported:
                if not _leads_to(extraction.value, path, value):
                    return refuse_second(extraction, text)
        return extraction

    # ---- tokens

    def _read(self, piece: str) -> None:
        at = 0
        while at < len(piece):
            if self._string is not None:
                at = self._read_string(self._string, piece, at)
                continue
            if self._pending:
                piece = self._pending + piece[at:]
                at = 0
                self._pending = ""
            blanks = _BLANKS.match(piece, at)
            at = blanks.end() if blanks else at
            # Some servers send a byte order mark before the reply.
            if not self._has_begun and piece.startswith(BOM, at):
                at += 1
                continue
            if at < len(piece):
                at = self._read_token(piece, at)

    def _read_token(self, piece: str, at: int) -> int:
        letter = piece[at]
        if letter == '"':
            self._string = ['"']
            return at + 1
        if letter in "{}[],:":
            self._take_mark(letter)
            return at + 1
        scalar = _SCALAR.match(piece, at)
        if scalar is None or not self._stack or scalar.end() - at > _MAX_SCALAR:
            raise ValueError("not JSON")
        end = scalar.end()
        if end == len(piece):
            self._pending = scalar[0]
        else:
            self._take_value(read_exactly(scalar[0]))
        return end

    def _read_string(self, parts: list[str], piece: str, at: int) -> int:
        start = at
        if self._is_escaped:
            self._is_escaped = False
            at += 1
        match = _IN_STRING.search(piece, at)
        while match is not None:
            at = match.end()
            if match[0] == '"':
                self._string = None
                text = "".join(parts) + piece[start:at]
                self._take_string(read_exactly(text))
                return at
            if match[0] != "\\":
                raise ValueError("a control character")
            # The escaped character may be in the next piece.
            self._is_escaped = at == len(piece)
            at += 1
            match = _IN_STRING.search(piece, at)
        parts.append(piece[start:])
        return len(piece)

    def _take_mark(self, letter: str) -> None:
        if letter in "{[":
            self._open({} if letter == "{" else [])
            return
        top = self._top()
        if letter in "}]":
            is_same = isinstance(top.value, dict) == (letter == "}")
            if not is_same or top.after not in ("", "value"):
                raise ValueError("a bracket")
            self._stack.pop()
            if self._stack:
                self._add(top.value, top.path)
        elif letter == ":" and top.after == "key":
            top.after = "colon"
        elif letter == "," and top.after == "value":
            top.after = "comma"
        else:
            raise ValueError("a mark")

    def _take_string(self, text: str) -> None:
        top = self._top()
        if not isinstance(top.value, dict) or top.after not in ("", "comma"):
            self._take_value(text)
            return
        if text in top.value:
            raise ValueError("a duplicate name")
        top.key = text
        top.after = "key"

    # ---- values

    def _open(self, value: Any) -> None:
        path: Path = ()
        schema: Any = _ANYTHING if self._schema is None else self._schema
        if self._stack:
            path = self._next_path()
            schema = self._top().inner
        elif self._has_begun or isinstance(value, list):
            raise ValueError("the reply is not an object")
        self._has_begun = True
        if len(self._stack) >= DEEPEST:
            raise ValueError("too deep")
        self._stack.append(_Open(value, self._resolve(schema), path))

    def _take_value(self, value: Any) -> None:
        self._add(value, self._next_path())

    def _next_path(self) -> Path:
        """Return the path of the next value; raise an error if none is allowed here."""
        top = self._top()
        if isinstance(top.value, dict):
            if top.after == "colon":
                return (*top.path, str(top.key))
        elif top.after != "value":
            return (*top.path, len(top.value))
        raise ValueError("a value")

    def _add(self, value: Any, path: Path) -> None:
        """Put a complete value into its place, and report it if it fits."""
        top = self._top()
        schema = top.inner
        if schema is not None and self._fits is not None and self._schema is not None:
            if not self._fits(value, schema):
                raise ValueError("it does not fit")
            value = with_whole_numbers(value, schema, self._schema)
        if isinstance(top.value, dict):
            top.value[str(top.key)] = value
        else:
            top.value.append(value)
        top.after = "value"
        if schema is not None:
            self._reported.append((path, value))
            self._new.append(Member(pointer_to(path), value))

    def _top(self) -> _Open:
        if not self._stack:
            raise ValueError("nothing is open")
        return self._stack[-1]

    def _resolve(self, schema: Any) -> Any:
        """Return the schema without references; None if its members cannot be judged alone."""
        if schema is None or schema is _ANYTHING or self._schema is None:
            return schema
        visited = set()
        while isinstance(schema, Mapping) and isinstance(schema.get("$ref"), str):
            if id(schema) in visited:
                return None
            visited.add(id(schema))
            try:
                schema = follow_reference(schema["$ref"], self._schema)
            except SchemaError:
                return None
        if not isinstance(schema, Mapping) or any(name in schema for name in _OPEN_KEYWORDS):
            return None
        return schema


def refuse_second(found: Extraction, text: str) -> Extraction:
    """Return an empty result for an object that contradicts the members that were reported.

    Args:
        found: The object of the complete reply.
        text: The reply.
    """
    message = "the reply gives a second answer, after the first one had been announced"
    span = found.span or Source(text).span(0, len(text))
    finding = Diagnostic("second-answer", message, span)
    return Extraction(None, diagnostics=(*found.diagnostics, finding))


def _leads_to(value: Any, path: Path, expected: Any) -> bool:
    for part in path:
        try:
            value = value[part]
        except (LookupError, TypeError):
            return False
    return json.dumps(value, sort_keys=True) == json.dumps(expected, sort_keys=True)
