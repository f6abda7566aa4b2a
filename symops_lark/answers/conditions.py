"""Conditions over facts, as rules and manifests have them: `errors < 3 and not (kind == "fix")`.

    evaluate_condition("errors < 3 and valid", {"errors": 0, "valid": True})    # True

Their grammar is `grammars/conditions/condition.lark`; nothing of a condition is ever run as a program.

Laws: a name that nobody knows is refused before anything is evaluated; values of two kinds are not compared (true is no
1), except with null; time is linear, and nesting is bounded before anything descends.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from ..core.ground.errors import SymOpsError
from ..core.ground.numbers import grouped, quoted
from ..core.ground.resources import find_folder
from ..core.text.diagnostics import Diagnostic
from ..core.text.source import Source
from ..core.text.yaml_file import nearest

if TYPE_CHECKING:
    from lark import Lark, Token

__all__ = ["Condition", "ConditionError", "evaluate_condition", "read_condition"]

Value = bool | int | float | str | None
_LONGEST, _DEEPEST, _LONGEST_NUMBER = 10_000, 100, 300  # characters, parentheses and negations, digits
_SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_EXPECTED = {
    "NAME": "a name",
    "NUMBER": "a number",
    "STRING": "a text in quotes",
    "SIGN": "a comparison",
    "_OPEN": "(",
    "_CLOSE": ")",
    "$END": "the end",
}


class ConditionError(SymOpsError):
    """A condition cannot be read, names what nobody knows, or compares what cannot be compared; the place is shown.

    `diagnostic` is the finding, with its place in the condition; None for one that is too long.
    """

    def __init__(self, message: str, diagnostic: Diagnostic | None = None) -> None:
        self.diagnostic = diagnostic
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class _Leaf:
    """A name or a value of the text, and where it stands."""

    name: str | None
    value: Value
    start: int
    end: int


_Node = tuple[str, tuple[Any, ...]]  # either, both, denied, comparison, value


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition; `names` are the facts that it needs, in the order of the text."""

    text: str
    names: tuple[str, ...]
    _tree: _Node

    def holds(self, facts: Mapping[str, Any]) -> bool:
        """Return whether the condition holds of some facts; `a.b` is the fact of this name, or `b` of the fact `a`.

        Raises `ConditionError` for a missing fact, and where values of two kinds are compared.
        """
        known = {name: _find(name, facts) for name in self.names}
        for leaf in _leaves(self._tree):
            if leaf.name is not None and known[leaf.name] is _MISSING:
                raise _refuse_name(self.text, leaf, facts)
        return _evaluate(self.text, self._tree, known)


def evaluate_condition(text: str, facts: Mapping[str, Any]) -> bool:
    """Return whether a condition holds of some facts (true or false, numbers, texts, null; mappings of these).

    Raises `ConditionError` for what is no condition, for unknown names, and where values of two kinds are compared.
    """
    return read_condition(text).holds(facts)


def read_condition(text: str, known: Collection[str] | None = None) -> Condition:
    """Return the condition that a text says; `known` are the names that it may have, None allows any.

    Raises `ConditionError`, which shows the place.
    """
    from lark.exceptions import UnexpectedCharacters, UnexpectedInput

    if len(text) > _LONGEST:
        raise ConditionError(f"the condition is longer than {grouped(_LONGEST)} characters")
    try:
        _check_nesting(text)
        tree: _Node = _parser().parse(text)  # type: ignore[assignment]
    except UnexpectedCharacters as error:
        at = error.pos_in_stream or 0
        raise _draw(
            text, "no-condition", f"{quoted(text[at])} is nothing that a condition has", at, at + 1, _hint(text, at)
        ) from None
    except UnexpectedInput as error:
        token: Any = getattr(error, "token", None)
        at = len(text) if token is None or token.type == "$END" else token.start_pos
        said = "the condition ends too early" if at >= len(text) else f"{quoted(str(token))} is not expected here"
        if not text.strip():
            said = "the condition is empty"
        end = at if at >= len(text) else at + len(str(token))
        raise _draw(text, "no-condition", said, at, end, _expect(error)) from None
    leaves = list(_leaves(tree))
    for leaf in leaves:
        if leaf.name is None and isinstance(leaf.value, float) and not math.isfinite(leaf.value):
            raise _draw(text, "no-condition", "the number is too large", leaf.start, leaf.end)
        if leaf.name is not None and known is not None and leaf.name not in known:
            raise _refuse_name(text, leaf, known)
    return Condition(text, tuple(dict.fromkeys(leaf.name for leaf in leaves if leaf.name is not None)), tree)


# ---- reading


@cache
def _parser() -> Lark:
    from lark import Lark, Transformer

    class _Build(Transformer[Any, Any]):
        def condition(self, children: list[_Node]) -> _Node:
            return children[0]

        def either(self, children: list[_Node]) -> _Node:
            return "either", tuple(children)

        def both(self, children: list[_Node]) -> _Node:
            return "both", tuple(children)

        def denied(self, children: list[_Node]) -> _Node:
            return "denied", tuple(children)

        def comparison(self, children: list[Any]) -> _Node:
            left, sign, right = children
            return "comparison", (left[1][0], str(sign), right[1][0])

        def value(self, children: list[Token]) -> _Node:
            return "value", (_read_leaf(children[0]),)

    path = find_folder("grammars") / "conditions" / "condition.lark"
    grammar = path.read_text("utf-8")
    return Lark(grammar, parser="lalr", start="condition", transformer=_Build())


def _check_nesting(text: str) -> None:
    """Refuse deep nesting while it is still a list of tokens."""
    from lark.exceptions import UnexpectedInput

    try:
        deep = [token for token in _parser().lex(text) if token.type in ("_OPEN", "_NOT")]
    except UnexpectedInput:  # told by the parser, with what it expected
        return
    if len(deep) > _DEEPEST:
        at = deep[_DEEPEST].start_pos or 0
        raise _draw(text, "no-condition", f"there are more than {_DEEPEST} parentheses and negations", at, at + 1)


def _read_leaf(token: Token) -> _Leaf:
    start, end, text = token.start_pos or 0, token.end_pos or 0, str(token)
    if token.type == "NAME":
        return _Leaf(text, None, start, end)
    value: Value
    if token.type == "STRING":
        value = text[1:-1]
    elif token.type == "NUMBER":
        value = _read_number(text)
    else:
        value = {"true": True, "false": False, "null": None}[text]
    return _Leaf(None, value, start, end)


def _read_number(text: str) -> int | float:
    """Return a number; one with too many digits is none (infinite), which `read_condition` refuses."""
    if len(text) > _LONGEST_NUMBER:
        return math.inf
    return int(text) if text.lstrip("-").isdigit() else float(text)


def _expect(error: Any) -> str:
    found = {_EXPECTED.get(name, name.strip("_").lower()) for name in getattr(error, "accepts", None) or error.expected}
    return "expected: " + ", ".join(sorted(found)) if found else ""


def _hint(text: str, at: int) -> str:
    for written, meant in (("&", "and"), ("|", "or"), ("!", "not"), ("=", "==")):
        if text[at] == written:
            return f"write `{meant}`"
    return "a text stands in quotes, on one line" if text[at] in "\"'" else ""


# ---- evaluating


_MISSING = object()


def _find(name: str, facts: Mapping[str, Any]) -> Any:
    if name in facts:
        return facts[name]
    value: Any = facts
    for part in name.split("."):
        if not isinstance(value, Mapping) or part not in value:
            return _MISSING
        value = value[part]
    return value


def _leaves(node: _Node) -> Iterator[_Leaf]:
    for part in node[1]:
        if isinstance(part, _Leaf):
            yield part
        elif isinstance(part, tuple):
            yield from _leaves(part)


def _evaluate(text: str, node: _Node, known: Mapping[str, Any]) -> bool:
    kind, parts = node
    match kind:
        case "either":
            return any(_evaluate(text, part, known) for part in parts)
        case "both":
            return all(_evaluate(text, part, known) for part in parts)
        case "denied":
            return not _evaluate(text, parts[0], known)
        case "comparison":
            return _compare(text, parts[0], parts[1], parts[2], known)
    value = _value_of(text, parts[0], known)
    if not isinstance(value, bool):
        said = f"{_kind(value)} stands alone, where only true or false can"
        raise _draw(text, "no-truth", said, parts[0].start, parts[0].end, "compare it with something")
    return value


def _compare(text: str, left: _Leaf, sign: str, right: _Leaf, known: Mapping[str, Any]) -> bool:
    one, other = _value_of(text, left, known), _value_of(text, right, known)
    kinds = {_kind(one), _kind(other)}
    equality = sign in ("==", "!=")
    if (len(kinds) == 1 and (equality or kinds <= {"a number", "a text"})) or (equality and "null" in kinds):
        return _SIGNS[sign](one, other)
    said = f"{_kind(one)} and {_kind(other)} cannot be compared by {sign}"
    raise _draw(text, "other-kind", said, left.start, right.end)


def _value_of(text: str, leaf: _Leaf, known: Mapping[str, Any]) -> Value:
    value = leaf.value if leaf.name is None else known[leaf.name]
    if value is not None and not isinstance(value, bool | int | float | str):
        said = f"the fact {leaf.name} is a {type(value).__name__}, which nothing is compared with"
        raise _draw(text, "other-kind", said, leaf.start, leaf.end)
    if isinstance(value, float) and not math.isfinite(value):
        raise _draw(text, "other-kind", f"the fact {leaf.name} is {value}, which is no number", leaf.start, leaf.end)
    return value


def _kind(value: Value) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    return "a text" if isinstance(value, str) else "a number"


# ---- what is wrong


def _refuse_name(text: str, leaf: _Leaf, known: Collection[str]) -> ConditionError:
    name = str(leaf.name)
    near = nearest(name, map(str, known))
    shown = ", ".join(sorted(map(str, known))[:20])
    hint = f"did you mean {near}?" if near else f"there are {shown}" if shown else "there are no facts"
    return _draw(text, "unknown-fact", f"no fact is called {name}", leaf.start, leaf.end, hint)


def _draw(text: str, code: str, message: str, start: int, end: int, hint: str = "") -> ConditionError:
    source = Source(text, "condition")
    found = Diagnostic(code, message, source.span(start, end), hint=hint)
    return ConditionError(found.draw(source), found)
