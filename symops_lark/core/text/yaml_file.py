"""Read YAML files that people write, and report errors with file, line, column and the line itself.

Purpose
    A `YamlFile` holds the values of a file and the position of each. The code that reads a setting
    checks it and calls `fail` with the keys that lead to it, such as `("steps", "0", "name")`.

Invariants
    1. Every error is of the class that the caller passes, never one of PyYAML's.
    2. Untrusted files take bounded time and space: the size, the depth, and the number of values
       after references (`*name`) are limited (`yaml_nodes`, `tests/test_yaml_file.py`).
"""

from __future__ import annotations

import errno
from collections.abc import Collection, Iterable
from functools import cached_property
from pathlib import Path
from typing import Any

from ..ground.errors import SymOpsError
from ..ground.numbers import counted
from ..ground.resources import is_ours, read_bounded
from .diagnostics import Diagnostic
from .source import Source, Span
from .yaml_nodes import Keys, NodeError, Place, Places, check_size, find_places, place_of

__all__ = ["Keys", "YamlFile", "nearest"]

_MAX_BYTES = 4_000_000
# YAML's constructors raise whatever `int`, `float`, `date` and base64 raise.
_VALUE_ERRORS = (ValueError, LookupError, ArithmeticError, AttributeError, TypeError)
_BEGINNING: Place = (0, 0)  # for errors about the whole file
_MAX_WORD = 100  # characters that are compared with known words, which takes quadratic time


class YamlFile:
    """A YAML file whose outermost value is a mapping.

    Values are addressed by the keys that lead to them; items of a list have the keys "0", "1" …
    An empty file is an empty mapping.

    Attributes:
        source: The text, with the path as its name.
        data: The values.
    """

    def __init__(
        self,
        path: str | Path,
        what: str = "file",
        error: type[SymOpsError] = SymOpsError,
        limit: int | None = None,
        known: Collection[str] = (),
        data: bytes | None = None,
    ) -> None:
        """Read a file.

        Args:
            path: The file.
            what: A word for the file in messages.
            error: The class of all errors.
            limit: The maximum size in bytes. None: 4 MB.
            known: The possible keys of the mapping, for hints. Empty: no hints.
            data: Its bytes, if they were read before.

        Raises:
            SymOpsError: The file cannot be read, or is not such a file. The class is `error`.
        """
        self._what = what
        self._error = error
        self._known = known
        if data is None:
            data = self._read(path, limit)
        text = self._decode(path, data)
        self.source = Source(text, str(path))
        # Filled in by `_parse`; errors before that are about the beginning of the file.
        self._places = Places()
        try:
            self.data: dict[str, Any] = self._parse()
        except RecursionError:
            raise self._draw("the file is nested too deeply", 0, 0) from None
        except NodeError as error:
            raise self._draw(error.message, error.start, error.end, error.hint) from None

    @cached_property
    def name(self) -> str:
        """The file's name without its extension."""
        return Path(self.source.name).stem

    def fail(self, keys: Keys, message: str, hint: str = "") -> SymOpsError:
        """Return an error about a value, to be raised.

        Args:
            keys: The keys that lead to it. Without such a value, the nearest one around it counts.
            message: What is wrong.
            hint: What to do.

        Returns:
            The error, with the position and the line.
        """
        while keys and keys not in self._places.values:
            keys = keys[:-1]
        start, end = self._places.values.get(keys, _BEGINNING)
        return self._draw(message, start, end, hint)

    def fail_inside(
        self, keys: Keys, text: str, start: int, end: int, message: str, hint: str = ""
    ) -> SymOpsError:
        """Return an error about a part of a text, to be raised.

        Args:
            keys: The keys that lead to the text.
            text: The text.
            start: The offset of the part in the text.
            end: The offset after it.
            message: What is wrong.
            hint: What to do.

        Returns:
            The error. If the file has the text in another form (escaped, folded), the error is
            about the whole text.
        """
        first, last = self._places.values.get(keys, _BEGINNING)
        offset = -1
        if text:
            offset = self.source.text.find(text, first, last)
        if offset < 0:
            return self.fail(keys, message, hint)
        return self._draw(message, offset + start, offset + end, hint)

    def fail_at_key(self, keys: Keys, message: str, hint: str = "") -> SymOpsError:
        """Return an error about a key, to be raised.

        Args:
            keys: The keys that lead to it; the last one is at fault, not its value.
            message: What is wrong.
            hint: What to do.

        Returns:
            The error, with the position and the line.
        """
        start, end = self._places.keys.get(keys, _BEGINNING)
        return self._draw(message, start, end, hint)

    def check_keys(
        self, keys: Keys, needed: Collection[str], further: Collection[str] = ()
    ) -> None:
        """Check that a mapping has all keys that it needs, and no unknown ones.

        Args:
            keys: The keys that lead to the mapping.
            needed: The keys that it must have.
            further: The keys that it may have.

        Raises:
            SymOpsError: It is not such a mapping. The class is the file's.
        """
        mapping = self.get(keys)
        possible = [*needed, *further]
        if not isinstance(mapping, dict) or not mapping:
            names = ", ".join(possible)
            raise self.fail(keys, f"keys with values are expected: {names}")
        # Unknown keys first: a needed key that is misspelled is unknown and missing.
        for key in mapping:
            path = (*keys, str(key))
            self.check_name(path, possible, "key")
        for key in needed:
            if key not in mapping:
                raise self.fail(keys, f"the key {key!r} is missing")

    def check_name(self, keys: Keys, known: Collection[str], what: str) -> None:
        """Check that a key is a known name.

        Args:
            keys: The keys that lead to it; the last one is checked.
            known: The possible names.
            what: A word for such a name in messages.

        Raises:
            SymOpsError: It is not known. The class is the file's.
        """
        name = keys[-1]
        if name in known:
            return
        similar = nearest(name, known)
        if similar:
            hint = f"did you mean {similar!r}?"
        else:
            names = ", ".join(known)
            hint = f"there are {names}"
        raise self.fail_at_key(keys, f"no {what} is called {name!r}", hint)

    def get(self, keys: Keys) -> Any:
        """Return a value.

        Args:
            keys: The keys that lead to it; the items of a list have the keys "0", "1" and so on.

        Returns:
            The value.

        Raises:
            LookupError: There is no such key. In a list, another key is a ValueError.
        """
        value: Any = self.data
        for key in keys:
            step: Any = key
            if isinstance(value, list):
                step = int(key)
            value = value[step]
        return value

    def text(self, keys: Keys) -> str:
        """Return a text on one line, with single blanks between its words.

        Args:
            keys: The keys that lead to it.

        Returns:
            The text, not empty.

        Raises:
            SymOpsError: The value is not a text, or blank. The class is the file's.
        """
        value = self.get(keys)
        if not isinstance(value, str) or not value.strip():
            message = (
                f"{keys[-1]} is a text, with quotes around it where it looks like something else"
            )
            raise self.fail(keys, message)
        return " ".join(value.split())

    def one_of(self, keys: Keys, known: Collection[str]) -> str:
        """Return a text that is one of some words.

        Args:
            keys: The keys that lead to it.
            known: The words.

        Returns:
            The word.

        Raises:
            SymOpsError: The value is another one. The class is the file's.
        """
        value = self.text(keys)
        if value in known:
            return value
        similar = nearest(value, known)
        hint = ""
        if similar:
            hint = f"did you mean {similar!r}?"
        name = keys[-1]
        words = ", ".join(known)
        raise self.fail(keys, f"{name} is {value!r}; it is one of {words}", hint)

    def share(self, keys: Keys, value: object) -> float:
        """Return a number from 0 to 1.

        Args:
            keys: The keys that lead to it, for the message.
            value: The value.

        Returns:
            The number.

        Raises:
            SymOpsError: The value is not such a number. The class is the file's.
        """
        hint = ""
        # `True` is an `int` in Python, but a file with it means something else.
        if isinstance(value, int | float) and not isinstance(value, bool):
            if 0 <= value <= 1:
                return float(value)
            if 1 < value <= 100:
                number = value / 100
                hint = f"for {value} % write {number:g}"
        name = keys[-1]
        raise self.fail(keys, f"{name} is {value!r}; it is a number from 0 to 1", hint)

    def _read(self, path: str | Path, limit: int | None) -> bytes:
        try:
            return read_bounded(path, _MAX_BYTES if limit is None else limit)
        except (OSError, ValueError) as error:
            is_too_long = getattr(error, "errno", None) == errno.EFBIG
            if is_too_long and limit is not None:
                message = f"{path}: the {self._what} is longer than {counted(limit, 'byte')}"
                raise self._error(message) from None
            reason = getattr(error, "strerror", None) or error
            raise self._error(f"{path}: the {self._what} cannot be read: {reason}") from error

    def _decode(self, path: str | Path, data: bytes) -> str:
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            column = error.start - data.rfind(b"\n", 0, error.start)
            # Here, not by `Source`: there is no text yet, only bytes.
            byte = data[error.start]
            raise self._error(f"{path}:{line}:{column}: not UTF-8: byte 0x{byte:02x}") from error

    def _parse(self) -> dict[str, Any]:
        """Return the values, after noting all positions."""
        loader, node = self._compose()
        if node is None or node.tag == "tag:yaml.org,2002:null":
            return {}
        if node.id != "mapping":
            message = f"a {self._what} is a mapping: keys with values are expected"
            raise self._draw(message, 0, 0, "a line is `name: value`")
        check_size(node, self._what)
        self._places = find_places(node, self.source)
        data: dict[str, Any] = {}
        for key, value in node.value:
            if key.tag != "tag:yaml.org,2002:str":
                hint = ""
                if self._known:
                    names = ", ".join(self._known)
                    hint = f"known: {names}"
                raise NodeError("the name of a setting is a text", place_of(key), hint)
            # One value after the other, so that an error has the position of its value.
            name = key.value
            data[name] = self._construct(loader, name, value)
        return data

    def _compose(self) -> tuple[Any, Any]:
        """Return PyYAML's loader and the outermost node, None for an empty file."""
        # Imported here: it takes longer than reading a small file, and few commands need it.
        import yaml

        text = self.source.text
        try:
            # LibYAML is far faster, but accepts some texts that PyYAML refuses, and its depth is
            # not limited. So it reads only the files of this package.
            loader_class: Any = yaml.SafeLoader
            if yaml.__with_libyaml__ and is_ours(self.source.name):
                loader_class = yaml.CSafeLoader
            loader = loader_class(text)
            return loader, loader.get_single_node()
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            offset = mark.index if mark else 0
            hint = ""
            # "*" begins a reference in YAML, and globs are the usual values that begin with it.
            start = max(0, offset - 1)
            nearby = text[start : offset + 1]
            if "*" in nearby:
                hint = 'a text that begins with a star is quoted: "*.env"'
            problem = error.problem or error.context
            raise self._draw(f"not YAML: {problem}", offset, offset, hint) from error
        except yaml.YAMLError as error:
            offset = getattr(error, "position", 0)
            reason = getattr(error, "reason", error)
            raise self._draw(f"not YAML: {reason}", offset, offset) from error

    def _construct(self, loader: Any, name: str, node: Any) -> Any:
        """Return the value of a node."""
        import yaml

        try:
            return loader.construct_document(node)
        except (yaml.YAMLError, *_VALUE_ERRORS) as error:
            reason = getattr(error, "problem", None)
            reason = reason or "the value is not of the kind that it looks like"
            raise self.fail((name,), f"`{name}` cannot be read: {reason}") from error

    def _draw(self, message: str, start: int, end: int, hint: str = "") -> SymOpsError:
        """Return the error about a part of the file, to be raised."""
        text = self.source.text
        line_end = text.find("\n", start)
        if line_end < 0:
            line_end = len(text)
        end = max(start, min(end, line_end))  # carets are drawn below one line only
        line, column = self.source.place(start)
        span = Span(start, end, line, column)
        code = self._what.replace(" ", "-")
        diagnostic = Diagnostic(code, message, span, hint=hint)
        return self._error(diagnostic.draw(self.source))


def nearest(word: str, known: Iterable[str]) -> str:
    """Return the known word that is most similar to a word.

    Args:
        word: The word; only its first 100 characters are compared.
        known: The known words.

    Returns:
        The word; empty if none is similar.
    """
    # Imported here: it is only needed for errors.
    import difflib

    matches = difflib.get_close_matches(word[:_MAX_WORD], known, 1)
    return next(iter(matches), "")
