"""Policies written as YAML files: the fields of `Policy` are the keys; a mistake is told with its place."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import fields
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..diagnostics import Diagnostic
from ..errors import SymOpsError
from ..source import Source
from .changes import Decision
from .endings import cut
from .policy import Policy

if TYPE_CHECKING:
    import yaml

MAX_BYTES = 100_000  # of a file
_TAG = "tag:yaml.org,2002:"
_QUOTE = 'a glob that begins with a star, or looks like a number, is quoted: "*.env"'


class PolicyError(SymOpsError):
    """A policy file is wrong; the message begins with `file:line:column:` where there is a place."""


def load_policy(path: str | Path) -> Policy:
    """Read a policy; what the file does not set stays as it is. Raises `PolicyError`."""
    return _Reader(Source(_read(path), str(path))).read()


def _read(path: str | Path) -> str:
    try:
        with open(path, "rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise PolicyError(f"{path}: the policy cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(data) > MAX_BYTES:
        raise PolicyError(f"{path}: the policy is longer than {MAX_BYTES:,} bytes")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        raise PolicyError(f"{path}:{line}:{column}: not UTF-8: byte 0x{data[error.start]:02x}") from None


class _Reader:
    """One file: what is read from it, and the errors that show its lines."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.kinds = {field.name: field.default for field in fields(Policy)}

    def read(self) -> Policy:
        """Give the policy that the file describes."""
        places: dict[str, yaml.Node] = {}
        values: dict[str, Any] = {}
        for key, node in self._entries():
            name = key.value if key.tag == _TAG + "str" else None
            if name not in self.kinds:
                message = f"a policy has no setting {cut(name)}" if name else "the name of a setting is a text"
                raise self._fail(key, message, _near(name or "", self.kinds) or f"known: {', '.join(self.kinds)}")
            if name in places:
                line, _ = self.source.place(places[name].start_mark.index)
                raise self._fail(key, f"`{name}` is set twice", f"the first is in line {line}")
            places[name] = key
            values[name] = self._value(name, node)
        try:
            return Policy(**values)
        except ValueError:
            found = max(key.start_mark.index for name, key in places.items() if name in ("ask_from", "auto_from"))
            low, high = (values.get(name, self.kinds[name]) for name in ("ask_from", "auto_from"))
            hint = f"ask_from is {low} and may not be above auto_from, which is {high}"
            raise self._fail_at(found, found, "the thresholds are out of order", hint) from None

    def _entries(self) -> list[tuple[Any, Any]]:
        """Give the keys and values of the file as nodes, which know their places."""
        import yaml

        try:
            node = yaml.compose(self.source.text, Loader=yaml.SafeLoader)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            at = mark.index if mark else 0
            hint = _QUOTE if "*" in self.source.text[max(0, at - 1) : at + 1] else ""
            raise self._fail_at(at, at, f"not YAML: {error.problem or error.context}", hint) from None
        except yaml.YAMLError as error:
            at = getattr(error, "position", 0)
            raise self._fail_at(at, at, f"not YAML: {getattr(error, 'reason', error)}") from None
        except RecursionError:
            raise self._fail_at(0, 0, "the file is nested too deeply") from None
        if node is None or node.tag == _TAG + "null":
            return []
        if not isinstance(node, yaml.MappingNode):
            raise self._fail(node, "a policy is a mapping of settings", "a line is `name: value`")
        return list(node.value)

    def _value(self, name: str, node: Any) -> Any:
        default = self.kinds[name]
        if isinstance(default, tuple):
            return self._globs(name, node)
        if isinstance(default, Decision):
            return self._decision(name, node)
        return self._number(name, node, whole=isinstance(default, int))

    def _globs(self, name: str, node: Any) -> tuple[str, ...]:
        if node.id != "sequence":
            raise self._fail(node, f"`{name}` is a list of globs", f'write {name}: ["…", "…"]')
        for item in node.value:
            if item.id != "scalar" or item.tag != _TAG + "str" or not item.value:
                raise self._fail(item, f"a glob of `{name}` is a text", _QUOTE)
        return tuple(item.value for item in node.value)

    def _decision(self, name: str, node: Any) -> Decision:
        known = [str(decision) for decision in Decision]
        if node.id != "scalar" or node.value not in known:
            hint = _near(node.value, known) if node.id == "scalar" else ""
            raise self._fail(node, f"`{name}` is one of {', '.join(known)}", hint)
        return Decision(node.value)

    def _number(self, name: str, node: Any, *, whole: bool) -> float:
        from yaml.constructor import ConstructorError, SafeConstructor

        value: Any = None
        if node.id == "scalar" and node.tag in (_TAG + "int", _TAG + "float"):
            try:
                value = SafeConstructor().construct_object(node)
            except (ConstructorError, ValueError, LookupError, ArithmeticError):
                value = None
        kinds = int if whole else (int, float)
        if not isinstance(value, kinds) or not 0 <= value <= sys.maxsize:
            raise self._fail(node, f"`{name}` is a {'whole ' if whole else ''}number, 0 or above", "")
        return value if whole else float(value)

    def _fail(self, node: Any, message: str, hint: str) -> PolicyError:
        start, end = node.start_mark, node.end_mark
        return self._fail_at(start.index, end.index if start.line == end.line else start.index, message, hint)

    def _fail_at(self, start: int, end: int, message: str, hint: str = "") -> PolicyError:
        finding = Diagnostic("policy", message, self.source.span(start, end), hint=hint)
        return PolicyError(finding.draw(self.source))


def _near(word: str, known: Iterable[str]) -> str:
    near = get_close_matches(word[:100], known, 1)
    return f"did you mean `{near[0]}`?" if near else ""
