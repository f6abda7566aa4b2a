"""Conditions over facts, as rules and manifests have them: `errors < 3 and not (kind == "fix")`.

    evaluate_condition("errors < 3 and valid", {"errors": 0, "valid": True})    # True

Their grammar is `grammars/conditions/condition.lark`. A condition is never run as a program.

Invariants, each with its test in tests/answers/conditions:

1. An unknown name is an error before anything is evaluated.
2. Values of two kinds cannot be compared, except with null: true is not 1.
3. Time is linear, and nesting is limited before the parser descends.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

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
_MAX_LENGTH = 10_000  # characters of a condition
_MAX_DEPTH = 100  # parentheses and negations: each may descend one level
_MAX_DIGITS = 300  # of a number: Python reads long integers in quadratic time
_MAX_NAMES_SHOWN = 20
_SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
# Operators of other languages, which models write.
_CORRECTIONS = {"&": "and", "|": "or", "!": "not", "=": "=="}
_CONSTANTS: dict[str, Value] = {"true": True, "false": False, "null": None}
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
    """A condition is invalid, has an unknown name, or compares values of two kinds.

    Attributes:
        diagnostic: The place in the condition and the reason; None for a condition that is too
            long.
        missing: The name of the fact that is unknown or has no value; empty for other errors.
    """

    def __init__(
        self, message: str, diagnostic: Diagnostic | None = None, missing: str = ""
    ) -> None:
        self.diagnostic = diagnostic
        self.missing = missing
        super().__init__(message)


_Span = tuple[int, int]  # in the text


@dataclass(frozen=True, slots=True)
class _Leaf:
    """A name or a value, with its place in the text."""

    name: str | None  # None: it is a value
    value: Value
    span: _Span


# A `_Leaf`, or a tree of them with the rules either, both, denied and comparison. The type of trees
# is not named: readers of annotations would have to import Lark, which takes time.
_Node: TypeAlias = Any


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition.

    Attributes:
        text: The condition as it was written.
        names: The facts that it needs, in the order of the text.
    """

    text: str
    names: tuple[str, ...]
    _tree: _Node

    def holds(self, facts: Mapping[str, Any]) -> bool:
        """Return whether the condition holds of some facts.

        Args:
            facts: The facts by name. `a.b` is the fact of this name, or `b` of the fact `a`.

        Raises:
            ConditionError: A fact is missing, or values of two kinds are compared.
        """
        # All names are looked up first, also those that do not decide.
        values: dict[str, Any] = {}
        for leaf in _leaves(self._tree):
            if leaf.name is not None:
                values[leaf.name] = _find(self.text, leaf, leaf.name, facts)
        return _evaluate(self.text, self._tree, values)


def evaluate_condition(text: str, facts: Mapping[str, Any]) -> bool:
    """Return whether a condition holds of some facts.

    Args:
        text: The condition.
        facts: Booleans, numbers, texts, None, or mappings of these.

    Raises:
        ConditionError: The text is not a condition, has an unknown name, or compares values of
            two kinds.
    """
    return read_condition(text).holds(facts)


def read_condition(text: str, known: Collection[str] | None = None) -> Condition:
    """Parse a condition.

    Args:
        text: The condition.
        known: The names that it may have; None allows any.

    Raises:
        ConditionError: The text is not a condition, or has an unknown name.
    """
    if len(text) > _MAX_LENGTH:
        raise ConditionError(f"the condition is longer than {grouped(_MAX_LENGTH)} characters")
    tree = _parse(text)
    names = []
    for leaf in _leaves(tree):
        if leaf.name is None:
            if isinstance(leaf.value, float) and not math.isfinite(leaf.value):
                raise _draw(text, "no-condition", "the number is too large", leaf.span)
            continue
        if known is not None and leaf.name not in known:
            raise _unknown_name(text, leaf, known)
        names.append(leaf.name)
    distinct = dict.fromkeys(names)  # a set would lose the order
    return Condition(text, tuple(distinct), tree)


# ---- parsing


def _parse(text: str) -> _Node:
    from lark.exceptions import UnexpectedCharacters, UnexpectedInput

    try:
        _check_nesting(text)
        return _parser().parse(text)
    except UnexpectedCharacters as error:
        at = error.pos_in_stream or 0
        message = f"{quoted(text[at])} is nothing that a condition has"
        raise _draw(text, "no-condition", message, (at, at + 1), _hint(text[at])) from None
    except UnexpectedInput as error:
        token: Any = getattr(error, "token", None)
        start = end = len(text)
        message = "the condition ends too early"
        if not text.strip():
            message = "the condition is empty"
        elif token is not None and token.type != "$END":
            start = token.start_pos
            end = start + len(token)
            message = f"{quoted(str(token))} is not expected here"
        raise _draw(text, "no-condition", message, (start, end), _expected_by(error)) from None


@cache
def _parser() -> Lark:
    from lark import Lark, Transformer

    class _Build(Transformer[Any, Any]):
        def condition(self, children: list[_Node]) -> _Node:
            return children[0]

        def value(self, children: list[Token]) -> _Leaf:
            return _read_leaf(children[0])

    folder = find_folder("grammars")
    path = folder / "conditions" / "condition.lark"
    grammar = path.read_text("utf-8")
    return Lark(grammar, parser="lalr", start="condition", transformer=_Build())


def _check_nesting(text: str) -> None:
    """Raise an error for deep nesting while the text is still a list of tokens."""
    from lark.exceptions import UnexpectedInput

    try:
        tokens = _parser().lex(text)
        nesting = [token for token in tokens if token.type in ("_OPEN", "_NOT")]
    except UnexpectedInput:  # the parser reports it, with what it expected
        return
    if len(nesting) > _MAX_DEPTH:
        token = nesting[_MAX_DEPTH]
        at = token.start_pos or 0
        message = f"there are more than {_MAX_DEPTH} parentheses and negations"
        raise _draw(text, "no-condition", message, (at, at + 1))


def _read_leaf(token: Token) -> _Leaf:
    text = str(token)
    name = None
    value: Value = None
    if token.type == "NAME":
        name = text
    elif token.type == "STRING":
        value = text[1:-1]
    elif token.type == "NUMBER":
        value = _read_number(text)
    else:
        value = _CONSTANTS[text]
    span = token.start_pos or 0, token.end_pos or 0
    return _Leaf(name, value, span)


def _read_number(text: str) -> int | float:
    """Return a number; infinity if it has too many digits, which `read_condition` rejects."""
    if len(text) > _MAX_DIGITS:
        return math.inf
    if text.lstrip("-").isdigit():
        return int(text)
    return float(text)


def _expected_by(error: Any) -> str:
    # `accepts` has only what can follow here; an error of the lexer lists all terminals.
    terminals = getattr(error, "accepts", None) or error.expected
    names = {_EXPECTED.get(name, name.strip("_").lower()) for name in terminals}
    if not names:
        return ""
    return "expected: " + ", ".join(sorted(names))


def _hint(character: str) -> str:
    if character in _CORRECTIONS:
        return f"write `{_CORRECTIONS[character]}`"
    if character in "\"'":
        return "write a text in quotes, on one line"
    return ""


# ---- evaluating


def _find(text: str, leaf: _Leaf, name: str, facts: Mapping[str, Any]) -> Any:
    # A program may pass flat facts, whose names have dots.
    if name in facts:
        return facts[name]
    value: Any = facts
    for part in name.split("."):
        if not isinstance(value, Mapping) or part not in value:
            raise _unknown_name(text, leaf, facts)
        value = value[part]
    return value


def _leaves(tree: _Node) -> Iterator[_Leaf]:
    if isinstance(tree, _Leaf):
        return iter([tree])
    leaves: Iterator[_Leaf] = tree.scan_values(lambda part: isinstance(part, _Leaf))
    return leaves


def _evaluate(text: str, node: _Node, values: Mapping[str, Any]) -> bool:
    if isinstance(node, _Leaf):
        value = _value_of(text, node, values)
        if isinstance(value, bool):
            return value
        message = f"{_kind(value)} is not true or false, and is not compared"
        raise _draw(text, "no-truth", message, node.span, "compare it with something")
    # `any` and `all` stop early, so `x == null or x > 3` never compares null with a number.
    parts: Any = node.children
    match node.data:
        case "either":
            return any(_evaluate(text, part, values) for part in parts)
        case "both":
            return all(_evaluate(text, part, values) for part in parts)
        case "denied":
            return not _evaluate(text, parts[0], values)
    left, sign, right = parts
    return _compare(text, left, sign, right, values)


def _compare(text: str, left: _Leaf, sign: str, right: _Leaf, values: Mapping[str, Any]) -> bool:
    first = _value_of(text, left, values)
    second = _value_of(text, right, values)
    kinds = {_kind(first), _kind(second)}
    # Texts and numbers have an order; true, false and null can only be equal or not.
    is_allowed = len(kinds) == 1 and kinds <= {"a number", "a text"}
    if sign in ("==", "!="):
        is_allowed = len(kinds) == 1 or "null" in kinds
    if is_allowed:
        return _SIGNS[sign](first, second)
    message = f"{_kind(first)} and {_kind(second)} cannot be compared by {sign}"
    start, _ = left.span
    _, end = right.span
    raise _draw(text, "other-kind", message, (start, end))


def _value_of(text: str, leaf: _Leaf, values: Mapping[str, Any]) -> Value:
    value = leaf.value if leaf.name is None else values[leaf.name]
    if value is not None and not isinstance(value, bool | int | float | str):
        kind = type(value).__name__
        message = f"the fact {leaf.name} is a {kind}, which cannot be compared with anything"
        raise _draw(text, "other-kind", message, leaf.span)
    if isinstance(value, float) and not math.isfinite(value):
        message = f"the fact {leaf.name} is {value}, which is not a number"
        raise _draw(text, "other-kind", message, leaf.span)
    return value


def _kind(value: Value) -> str:
    if value is None:
        return "null"
    # A boolean is an integer for Python, so it is tested first.
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, str):
        return "a text"
    return "a number"


# ---- errors


def _unknown_name(text: str, leaf: _Leaf, known: Collection[str]) -> ConditionError:
    name = str(leaf.name)
    names = sorted(map(str, known))
    near = nearest(name, names)
    hint = "there are no facts"
    if near:
        hint = f"did you mean {near}?"
    elif names:
        examples = names[:_MAX_NAMES_SHOWN]
        hint = f"there are {', '.join(examples)}"
    return _draw(text, "unknown-fact", f"no fact is called {name}", leaf.span, hint, name)


def _draw(
    text: str, code: str, message: str, place: _Span, hint: str = "", missing: str = ""
) -> ConditionError:
    source = Source(text, "condition")
    span = source.span(*place)
    diagnostic = Diagnostic(code, message, span, hint=hint)
    return ConditionError(diagnostic.draw(source), diagnostic, missing)
