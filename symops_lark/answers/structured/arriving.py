"""An object while it arrives: each name and value is announced once it is whole, and none is ever taken back.

Only a reply that is the object itself is announced, as models write it that are held to a schema: in prose and in
fences nobody knows before the end which object is the answer. What the whole reply says is `close`'s to tell, and it
never contradicts what was announced: it says the same, or that there is no answer.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...core.patterns.regexes import compile_pattern
from ...core.text.diagnostics import Diagnostic
from ...core.text.source import BOM, Source
from .extraction import Extraction, extract_json
from .schema.budget import Budget, TooComplexError
from .schema.problems import Schema, SchemaError, follow_reference, pointer_to
from .schema.schemas import fit_checker, with_whole_numbers
from .values import DEEPEST, Refused, read_exactly

_BLANKS = compile_pattern(r"[ \t\r\n]*+")
_IN_STRING = compile_pattern(r'["\\\x00-\x1f]')
_SCALAR = compile_pattern(r"[-+.0-9A-Za-z]++")
_LONGEST_SCALAR = 5_000  # characters of a number
_ANYTHING: Mapping[str, Any] = {}


@dataclass(frozen=True, slots=True)
class Member:
    """A value that is whole; `pointer` is the JSON pointer to it."""

    pointer: str
    value: Any


@dataclass(slots=True)
class _Open:
    """An object or list that is not closed yet; `schema` is None where it is not known what holds in it."""

    value: Any
    schema: Any
    key: str | None = None
    after: str = ""  # what came last: "", "key", "colon", "value" or "comma"
    path: tuple[str | int, ...] = field(default=())


class ObjectStream:
    """One reply that arrives in pieces: `feed` gives what has become whole, `close` what the reply says."""

    def __init__(self, schema: Schema | None = None) -> None:
        self._schema = schema
        self._fits: Callable[[Any, Any], bool] = (
            fit_checker(schema, Budget()) if schema is not None else lambda value, part: True
        )
        self._pieces: list[str] = []
        self._pending = ""  # of a number or word that may go on
        self._string: list[str] | None = None  # the pieces of a string that is open
        self._escaped = False
        self._stack: list[_Open] = []
        self._begun = self._failed = False
        self._announced: list[tuple[tuple[str | int, ...], Any]] = []
        self._new: list[Member] = []

    @property
    def value(self) -> dict[str, Any]:
        """The members of the object that have been announced so far."""
        return {str(path[0]): value for path, value in self._announced if len(path) == 1}

    def feed(self, piece: str) -> tuple[Member, ...]:
        """Return what becomes whole by a piece of the reply, inner values first."""
        self._pieces.append(piece)
        self._new = []
        if not self._failed:
            try:
                self._read(piece)
            except (Refused, ValueError, RecursionError, TooComplexError):
                self._failed = True  # `close` says why
        return tuple(self._new)

    def close(self) -> Extraction:
        """Return what the whole reply says; nothing, if that is not what was announced."""
        text = "".join(self._pieces)
        found = extract_json(text, self._schema)
        if found.value is None or all(_leads_to(found.value, path, value) for path, value in self._announced):
            return found
        return refuse_second(found, text)

    def _read(self, piece: str) -> None:
        at = 0
        while at < len(piece):
            if self._string is not None:
                at = self._read_string(piece, at)
                continue
            if self._pending:
                piece, at, self._pending = self._pending + piece[at:], 0, ""
            blanks = _BLANKS.match(piece, at)
            at = blanks.end() if blanks else at
            if not self._begun and piece[at : at + 1] == BOM:
                at += 1
                continue
            if at >= len(piece):
                return
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
        if scalar is None or not self._stack or scalar.end() - at > _LONGEST_SCALAR:
            raise ValueError("no JSON")
        if scalar.end() == len(piece):
            self._pending = scalar[0]
            return scalar.end()
        self._take_value(read_exactly(scalar[0]))
        return scalar.end()

    def _read_string(self, piece: str, at: int) -> int:
        parts = self._string
        assert parts is not None
        start = at
        if self._escaped:
            self._escaped, at = False, at + 1
        while found := _IN_STRING.search(piece, at):
            at = found.end()
            if found[0] == '"':
                self._string = None
                self._take_string(read_exactly("".join([*parts, piece[start:at]])))
                return at
            if found[0] != "\\":
                raise ValueError("a control character")
            if at == len(piece):
                self._escaped = True
            at += 1
        parts.append(piece[start:])
        return len(piece)

    def _take_mark(self, letter: str) -> None:
        if letter in "{[":
            self._open({} if letter == "{" else [])
            return
        top = self._top()
        if letter in "}]":
            if isinstance(top.value, dict) != (letter == "}") or top.after not in ("", "value"):
                raise ValueError("a bracket")
            self._stack.pop()
            if self._stack:
                self._keep(top.value, top.path)
        elif letter == ":" and top.after == "key":
            top.after = "colon"
        elif letter == "," and top.after == "value":
            top.after = "comma"
        else:
            raise ValueError("a mark")

    def _open(self, value: Any) -> None:
        if self._stack:
            path, schema = self._place_value()
        elif self._begun or isinstance(value, list):
            raise ValueError("the reply is no object")
        else:
            path, schema = (), _ANYTHING if self._schema is None else self._schema
            self._begun = True
        if len(self._stack) >= DEEPEST:
            raise ValueError("too deep")
        self._stack.append(_Open(value, self._resolve(schema), path=path))

    def _take_string(self, text: str) -> None:
        top = self._top()
        if isinstance(top.value, dict) and top.after in ("", "comma"):
            if text in top.value:
                raise ValueError("a name stands twice")
            top.key, top.after = text, "key"
        else:
            self._take_value(text)

    def _take_value(self, value: Any) -> None:
        path, _ = self._place_value()
        self._keep(value, path)

    def _place_value(self) -> tuple[tuple[str | int, ...], Any]:
        """Return where the next value stands, and its schema; raise an error if none may stand here."""
        top = self._top()
        if isinstance(top.value, dict):
            if top.after != "colon":
                raise ValueError("a value")
            return (*top.path, str(top.key)), _part(top.schema, top.key)
        if top.after == "value":
            raise ValueError("a value")
        return (*top.path, len(top.value)), _part(top.schema, None)

    def _keep(self, value: Any, path: tuple[str | int, ...]) -> None:
        """Put a value that is whole into its place, and announce it if it fits."""
        top = self._top()
        schema = _part(top.schema, top.key if isinstance(top.value, dict) else None)
        if schema is not None:
            if not self._fits(value, schema):
                raise ValueError("it does not fit")
            if self._schema is not None:
                value = with_whole_numbers(value, schema, self._schema)
        if isinstance(top.value, dict):
            top.value[str(top.key)] = value
        else:
            top.value.append(value)
        top.after = "value"
        if schema is not None:
            self._announced.append((path, value))
            self._new.append(Member(pointer_to(path), value))

    def _top(self) -> _Open:
        if not self._stack:
            raise ValueError("nothing is open")
        return self._stack[-1]

    def _resolve(self, schema: Any) -> Any:
        """Return the schema of what is in an object or list; None where alternatives leave that open."""
        if schema is None or schema is _ANYTHING or self._schema is None:
            return schema
        seen: set[int] = set()
        try:
            while isinstance(schema, Mapping) and isinstance(schema.get("$ref"), str):
                if id(schema) in seen:
                    return None
                seen.add(id(schema))
                schema = follow_reference(schema["$ref"], self._schema)
        except SchemaError:
            return None
        simple = isinstance(schema, Mapping) and not {"anyOf", "oneOf", "allOf", "patternProperties"} & schema.keys()
        return schema if simple else None


def refuse_second(found: Extraction, text: str) -> Extraction:
    """Return nothing, and why, in the place of an object that is not what was announced of a reply."""
    message = "the reply gives a second answer, after the first one had been announced"
    told = Diagnostic("second-answer", message, found.span or Source(text).span(0, len(text)))
    return Extraction(None, diagnostics=(*found.diagnostics, told))


def _part(schema: Any, key: str | None) -> Any:
    """Return the schema of a member, or of the items if there is no name."""
    if schema is None or schema is _ANYTHING:
        return schema
    if key is None:
        return None if "prefixItems" in schema else schema.get("items", True)
    return (schema.get("properties") or {}).get(key, schema.get("additionalProperties", True))


def _leads_to(value: Any, path: tuple[str | int, ...], wanted: Any) -> bool:
    for part in path:
        try:
            value = value[part]
        except (LookupError, TypeError):
            return False
    return json.dumps(value, sort_keys=True) == json.dumps(wanted, sort_keys=True)
