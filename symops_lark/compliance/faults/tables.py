"""Tables that people write in YAML: what is wrong is told with file, line and column, and the line itself."""

from __future__ import annotations

import difflib
from collections.abc import Collection
from functools import cached_property
from pathlib import Path
from typing import Any

from ...diagnostics import Diagnostic
from ...errors import SymOpsError
from ...source import Source, Span

Keys = tuple[str, ...]


class Table:
    """A YAML file whose outermost value is a mapping; values are asked for by the keys that lead to them.

    Raises `SymOpsError` where the file cannot be read, is no YAML, or has a key twice.
    """

    def __init__(self, path: Path) -> None:
        import yaml

        try:
            self.source = Source(path.read_text(encoding="utf-8-sig"), str(path))
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not UTF-8"
            raise SymOpsError(f"{path}: the file cannot be read: {reason}") from error
        self._places: dict[Keys, tuple[int, int]] = {}
        try:
            node = yaml.compose(self.source.text, Loader=yaml.SafeLoader)
            self._walk(node, ())
            self.data: dict[str, Any] = yaml.safe_load(self.source.text)
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            at = min(mark.index, len(self.source.text)) if mark else 0
            raise self._draw(f"not YAML: {getattr(error, 'problem', None) or error}", at, at) from error
        if not isinstance(self.data, dict):
            raise self._draw("keys with values are expected", 0, 0)

    @cached_property
    def name(self) -> str:
        """The file's name without its ending."""
        return Path(self.source.name).stem

    def fail(self, keys: Keys, message: str, hint: str = "") -> SymOpsError:
        """Return the error about the value, or the key, that some keys lead to."""
        while keys and keys not in self._places:
            keys = keys[:-1]
        return self._draw(message, *self._places.get(keys, (0, 0)), hint)

    def check_keys(self, keys: Keys, needed: Collection[str], further: Collection[str] = ()) -> None:
        """Raise `SymOpsError` unless the mapping at some keys has the keys that are needed, and no unknown ones."""
        mapping = self.get(keys)
        if not isinstance(mapping, dict):
            raise self.fail(keys, f"keys with values are expected: {', '.join([*needed, *further])}")
        for key in mapping:
            self.check_name((*keys, str(key)), [*needed, *further], "key")
        for key in needed:
            if key not in mapping:
                raise self.fail(keys, f"the key {key!r} is missing")

    def check_name(self, keys: Keys, known: Collection[str], what: str) -> None:
        """Raise `SymOpsError` unless the last of the keys is a known name."""
        if keys[-1] not in known:
            near = difflib.get_close_matches(keys[-1], known, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}"
            raise self.fail((*keys[:-1], f"?{keys[-1]}"), f"no {what} is called {keys[-1]!r}", hint)

    def get(self, keys: Keys) -> Any:
        """Return the value that some keys lead to."""
        value: Any = self.data
        for key in keys:
            value = value[key]
        return value

    def text(self, keys: Keys) -> str:
        """Return a text on one line; raise `SymOpsError` for anything else."""
        value = self.get(keys)
        if not isinstance(value, str) or not value.strip():
            raise self.fail(keys, f"{keys[-1]} is a text, with quotes around it where it looks like something else")
        return " ".join(value.split())

    def one_of(self, keys: Keys, known: Collection[str]) -> str:
        """Return a text that is one of some words; raise `SymOpsError` for anything else."""
        value = self.text(keys)
        if value not in known:
            near = difflib.get_close_matches(value, known, 1)
            raise self.fail(
                keys,
                f"{keys[-1]} is {value!r}; it is one of {', '.join(known)}",
                f"did you mean {near[0]!r}?" if near else "",
            )
        return value

    def share(self, keys: Keys, value: object) -> float:
        """Return a number from 0 to 1; raise `SymOpsError` for anything else."""
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            percent = isinstance(value, int | float) and not isinstance(value, bool) and 1 < value <= 100
            hint = f"for {value} % write {value / 100:g}" if percent else ""  # type: ignore[operator]
            raise self.fail(keys, f"{keys[-1]} is {value!r}; it is a number from 0 to 1", hint)
        return float(value)

    def _walk(self, node: Any, keys: Keys) -> None:
        """Note where each key (as `?key`) and each value stands."""
        import yaml

        if not isinstance(node, yaml.MappingNode):
            return
        for key, value in node.value:
            name = str(key.value)
            at = (key.start_mark.index, key.end_mark.index)
            if (*keys, f"?{name}") in self._places:
                raise self._draw(f"the key {name!r} stands here for the second time", *at)
            self._places[(*keys, f"?{name}")] = at
            inner = isinstance(value, yaml.MappingNode) and not value.flow_style
            self._places[(*keys, name)] = at if inner else (value.start_mark.index, value.end_mark.index)
            self._walk(value, (*keys, name))

    def _draw(self, message: str, start: int, end: int, hint: str = "") -> SymOpsError:
        stop = self.source.text.find("\n", start)
        end = min(end, stop if stop >= 0 else len(self.source.text))
        span = Span(start, max(start, end), *self.source.place(start))
        return SymOpsError(Diagnostic("wrong-table", message, span, hint=hint).draw(self.source))
