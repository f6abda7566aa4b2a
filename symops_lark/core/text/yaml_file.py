"""Files that people write in YAML: what is wrong is told with file, line and column, and the line itself."""

from __future__ import annotations

import errno
from collections.abc import Collection, Iterable
from functools import cached_property
from pathlib import Path
from typing import Any

from ..ground.errors import SymOpsError
from ..ground.numbers import counted, grouped
from ..ground.resources import is_ours, read_bounded
from .diagnostics import Diagnostic
from .source import Source, Span

Keys = tuple[str, ...]
_MOST_BYTES, _MOST_VALUES = 4_000_000, 200_000


class YamlFile:
    """A YAML file whose outermost value is a mapping; values are asked for by the keys that lead to them.

    In places the items of a list are the keys "0", "1" …; an empty file is an empty mapping. `what` is the word for the
    file, `known` its possible keys. Every error is of the class `error`: where the file cannot be read, is longer than
    `limit` bytes, is no YAML, or has a key twice.
    """

    def __init__(
        self,
        path: str | Path,
        what: str = "file",
        error: type[SymOpsError] = SymOpsError,
        limit: int | None = None,
        known: Collection[str] = (),
    ) -> None:
        self._what, self._error, self._known = what, error, known
        self.source = Source(self._read(path, limit), str(path))
        self._places: dict[Keys, tuple[int, int]] = {}
        self._key_places: dict[Keys, tuple[int, int]] = {}
        self._seen: set[int] = set()
        try:
            self.data: dict[str, Any] = self._parse()
        except RecursionError:
            raise self._draw("the file is nested too deeply", 0, 0) from None

    @cached_property
    def name(self) -> str:
        """The file's name without its ending."""
        return Path(self.source.name).stem

    def fail(self, keys: Keys, message: str, hint: str = "") -> SymOpsError:
        """Return the error about the value that some keys lead to."""
        while keys and keys not in self._places:
            keys = keys[:-1]
        return self._draw(message, *self._places.get(keys, (0, 0)), hint)

    def fail_inside(self, keys: Keys, text: str, start: int, end: int, message: str, hint: str = "") -> SymOpsError:
        """Return the error about a stretch of a text that some keys lead to, or about all of it if it is escaped."""
        first, last = self._places.get(keys, (0, 0))
        at = self.source.text.find(text, first, last) if text else -1
        return self.fail(keys, message, hint) if at < 0 else self._draw(message, at + start, at + end, hint)

    def fail_at_key(self, keys: Keys, message: str, hint: str = "") -> SymOpsError:
        """Return the error about the last of some keys, and not about its value."""
        return self._draw(message, *self._key_places.get(keys, (0, 0)), hint)

    def check_keys(self, keys: Keys, needed: Collection[str], further: Collection[str] = ()) -> None:
        """Raise an error unless the mapping at some keys has the keys that are needed, and no unknown ones."""
        mapping = self.get(keys)
        if not isinstance(mapping, dict) or not mapping:
            raise self.fail(keys, f"keys with values are expected: {', '.join([*needed, *further])}")
        for key in mapping:
            self.check_name((*keys, str(key)), [*needed, *further], "key")
        for key in needed:
            if key not in mapping:
                raise self.fail(keys, f"the key {key!r} is missing")

    def check_name(self, keys: Keys, known: Collection[str], what: str) -> None:
        """Raise an error unless the last of the keys is a known name."""
        if keys[-1] not in known:
            near = nearest(keys[-1], known)
            hint = f"did you mean {near!r}?" if near else f"there are {', '.join(known)}"
            raise self.fail_at_key(keys, f"no {what} is called {keys[-1]!r}", hint)

    def get(self, keys: Keys) -> Any:
        """Return the value that some keys lead to; those of the items of a list are "0", "1" …"""
        value: Any = self.data
        for key in keys:
            value = value[int(key)] if isinstance(value, list) else value[key]
        return value

    def text(self, keys: Keys) -> str:
        """Return a text on one line; raise an error for anything else."""
        value = self.get(keys)
        if not isinstance(value, str) or not value.strip():
            raise self.fail(keys, f"{keys[-1]} is a text, with quotes around it where it looks like something else")
        return " ".join(value.split())

    def one_of(self, keys: Keys, known: Collection[str]) -> str:
        """Return a text that is one of some words; raise an error for anything else."""
        value = self.text(keys)
        if value not in known:
            hint = f"did you mean {near!r}?" if (near := nearest(value, known)) else ""
            raise self.fail(keys, f"{keys[-1]} is {value!r}; it is one of {', '.join(known)}", hint)
        return value

    def share(self, keys: Keys, value: object) -> float:
        """Return a number from 0 to 1; raise an error for anything else."""
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            percent = isinstance(value, int | float) and not isinstance(value, bool) and 1 < value <= 100
            hint = f"for {value} % write {value / 100:g}" if percent else ""  # type: ignore[operator]
            raise self.fail(keys, f"{keys[-1]} is {value!r}; it is a number from 0 to 1", hint)
        return float(value)

    def _read(self, path: str | Path, limit: int | None) -> str:
        try:
            data = read_bounded(path, _MOST_BYTES if limit is None else limit)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            if getattr(error, "errno", None) == errno.EFBIG and limit is not None:
                raise self._error(f"{path}: the {self._what} is longer than {counted(limit, 'byte')}") from None
            raise self._error(f"{path}: the {self._what} cannot be read: {reason}") from error
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            column = error.start - data.rfind(b"\n", 0, error.start)
            raise self._error(f"{path}:{line}:{column}: not UTF-8: byte 0x{data[error.start]:02x}") from error

    def _parse(self) -> dict[str, Any]:
        import yaml

        try:
            # LibYAML is far faster, but reads some texts that PyYAML refuses, and has no bound on nesting.
            quick = yaml.__with_libyaml__ and is_ours(self.source.name)
            loader: Any = (yaml.CSafeLoader if quick else yaml.SafeLoader)(self.source.text)
            node = loader.get_single_node()
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            at = mark.index if mark else 0
            star = "*" in self.source.text[max(0, at - 1) : at + 1]
            hint = 'a text that begins with a star is quoted: "*.env"' if star else ""
            raise self._draw(f"not YAML: {error.problem or error.context}", at, at, hint) from error
        except yaml.YAMLError as error:
            at = getattr(error, "position", 0)
            raise self._draw(f"not YAML: {getattr(error, 'reason', error)}", at, at) from error
        if node is None or node.tag == "tag:yaml.org,2002:null":
            return {}
        if not isinstance(node, yaml.MappingNode):
            message = f"a {self._what} is a mapping: keys with values are expected"
            raise self._draw(message, 0, 0, "a line is `name: value`")
        self._measure(node, {}, set())
        self._walk(node, ())
        data: dict[str, Any] = {}
        for key, value in node.value:
            if key.tag != "tag:yaml.org,2002:str":
                hint = f"known: {', '.join(self._known)}" if self._known else ""
                raise self._draw("the name of a setting is a text", key.start_mark.index, key.end_mark.index, hint)
            try:
                data[key.value] = loader.construct_document(value)
            # YAML's own constructors raise whatever `int`, `float`, `date` and base64 raise for what they are given.
            except (yaml.YAMLError, ValueError, LookupError, ArithmeticError, AttributeError, TypeError) as error:
                reason = getattr(error, "problem", None) or "the value is not of the kind that it looks like"
                raise self.fail((key.value,), f"`{key.value}` cannot be read: {reason}") from error
        return data

    def _measure(self, node: Any, known: dict[int, int], above: set[int]) -> int:
        """Return to how many values a value comes, once what it refers to (`*name`) is written out; refuse too many."""
        if id(node) in above:
            raise self._draw("a value refers to itself", node.start_mark.index, node.end_mark.index)
        if id(node) not in known:
            above.add(id(node))
            pairs = node.value if isinstance(node.value, list) else []
            inner = [each for item in pairs for each in (item if isinstance(item, tuple) else (item,))]
            known[id(node)] = 1 + sum(self._measure(each, known, above) for each in inner)
            above.discard(id(node))
        if known[id(node)] > _MOST_VALUES:
            message = f"the {self._what} comes to more than {grouped(_MOST_VALUES)} values, written out"
            raise self._draw(message, node.start_mark.index, node.end_mark.index)
        return known[id(node)]

    def _walk(self, node: Any, keys: Keys) -> None:
        """Note where each key and each value stands; a node that stands in two places, once."""
        if not isinstance(node.value, list) or id(node) in self._seen:
            return
        self._seen.add(id(node))
        if node.id == "sequence":
            for index, item in enumerate(node.value):
                self._places[(*keys, str(index))] = item.start_mark.index, item.end_mark.index
                self._walk(item, (*keys, str(index)))
            return
        for key, value in node.value:
            path, at = (*keys, str(key.value)), (key.start_mark.index, key.end_mark.index)
            if path in self._key_places:
                line, _ = self.source.place(self._key_places[path][0])
                hint = f"the first is in line {line}"
                raise self._draw(f"`{key.value}` is set twice, here for the second time", *at, hint)
            below = value.start_mark.line > key.start_mark.line
            self._key_places[path] = at
            self._places[path] = at if below else (value.start_mark.index, value.end_mark.index)
            self._walk(value, path)

    def _draw(self, message: str, start: int, end: int, hint: str = "") -> SymOpsError:
        stop = self.source.text.find("\n", start)
        end = min(end, stop if stop >= 0 else len(self.source.text))
        span = Span(start, max(start, end), *self.source.place(start))
        return self._error(Diagnostic(self._what.replace(" ", "-"), message, span, hint=hint).draw(self.source))


def nearest(word: str, known: Iterable[str]) -> str:
    """Return the known word that is most like one, or nothing."""
    import difflib

    return next(iter(difflib.get_close_matches(word[:100], known, 1)), "")
