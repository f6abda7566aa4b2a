"""Signs: what tells, before a check is asked, that it may report something. Most actions have none.

Each check names its sign, by `@check(sign=…)`. Law: an action without the sign of a check has nothing that the check
reports. `tests/core/validator/test_signs.py` holds it for every check over drawn actions.

One pass over a document asks all signs. Two things make it fast. Signs of beginnings are asked only of contents that do
not begin as ordinary code does: one pattern proves that, made of what each sign says excludes it. And the lines of all
`LineSign`s are searched for in one pass by RE2.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

from ..document import Action, Document
from ..patterns.regexes import Sieve, compile_pattern
from .check import Check, Signs, Verbs

F = TypeVar("F", bound=Check)


@dataclass(frozen=True, slots=True)
class DocumentSign:
    """A document as a whole has it; the check is asked about all of it.

    Attributes:
        holds: Whether a document has the sign, given the verbs of its dialect.
    """

    holds: Callable[[Document, Verbs], bool]


@dataclass(frozen=True, slots=True)
class ActionSign:
    """An action has it, by its path and its dependencies.

    Attributes:
        holds: Whether an action has the sign.
    """

    holds: Callable[[Action], bool]


@dataclass(frozen=True, slots=True)
class ContentSign:
    """A content has it, anywhere.

    Attributes:
        holds: Whether a content has the sign, given the content and the content without blanks around it. It is asked
            only about contents that are not empty.
        texts: `holds` is asked only where one of these occurs; empty: always.
    """

    holds: Callable[[str, str], bool] = lambda content, bare: True
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BeginningSign:
    """The beginning of a content has it.

    Attributes:
        holds: As in a `ContentSign`.
        excluded_by: A pattern without width. Where it matches at the beginning of a content whose first character is a
            visible one of ASCII, the content has not the sign.
    """

    holds: Callable[[str, str], bool]
    excluded_by: str


@dataclass(frozen=True, slots=True)
class LineSign:
    """A line of a content has it.

    Attributes:
        pattern: What the beginning of such a line matches.
    """

    pattern: str


Sign = DocumentSign | ActionSign | ContentSign | BeginningSign | LineSign
SIGNS: dict[Check, tuple[Sign, ...]] = {}  # of all checks


def check(*, sign: Sign | tuple[Sign, ...]) -> Callable[[F], F]:
    """Name the sign of a check, or several of which it wants any."""

    def register(function: F) -> F:
        SIGNS[function] = sign if isinstance(sign, tuple) else (sign,)
        return function

    return register


def select_checks(document: Document, verbs: Verbs) -> Signs:
    """Return the checks that may report something, each with what it is to be asked about."""
    table = _table()
    selected: Signs = {}
    for holds, checks in table.of_documents:
        if holds(document, verbs):
            selected.update(dict.fromkeys(checks, document))
    suspects = table.find(document.actions)
    return selected | {function: Document(tuple(actions)) for function, actions in suspects.items()}


class _Table:
    """The signs by their kinds, each with its checks."""

    def __init__(self) -> None:
        checks: dict[Sign, list[Check]] = {}
        for function, signs in SIGNS.items():
            for sign in signs:
                checks.setdefault(sign, []).append(function)
        self.of_documents = [(s.holds, found) for s, found in checks.items() if isinstance(s, DocumentSign)]
        self._of_actions = [(s.holds, found) for s, found in checks.items() if isinstance(s, ActionSign)]
        self._of_beginnings = [(s.holds, found) for s, found in checks.items() if isinstance(s, BeginningSign)]
        contents = [(s, found) for s, found in checks.items() if isinstance(s, ContentSign)]
        self._of_contents = [(s.holds, found) for s, found in contents if not s.texts]
        self._of_texts = [(text, s.holds, found) for s, found in contents for text in s.texts]
        lines = [(s.pattern, found) for s, found in checks.items() if isinstance(s, LineSign)]
        self._of_lines = [function for _, found in lines for function in found]
        self._may_occur = Sieve(rf"\n(?:{'|'.join(_widen(pattern) for pattern, _ in lines)})").may_occur
        excluding = dict.fromkeys(s.excluded_by for s in checks if isinstance(s, BeginningSign))
        self._is_ordinary: Callable[[str], Any] = compile_pattern("(?=[!-~])" + "".join(excluding)).match

    def find(self, actions: Sequence[Action]) -> dict[Check, list[Action]]:
        """Return the checks whose signs some actions have, each with these actions."""
        found: dict[Check, list[Action]] = {}
        # Plain loops: they run for each action of each reply, and most have no sign.
        for action in actions:
            for holds, checks in self._of_actions:
                if holds(action):
                    _note(found, checks, action)
            if action.content:
                self._look_into(action, action.content, found)
        return found

    def _look_into(self, action: Action, content: str, found: dict[Check, list[Action]]) -> None:
        bare = content.strip()
        if self._is_ordinary(content) is None:
            for has, checks in self._of_beginnings:
                if has(content, bare):
                    _note(found, checks, action)
        for has, checks in self._of_contents:
            if has(content, bare):
                _note(found, checks, action)
        for text, has, checks in self._of_texts:
            if text in content and has(content, bare):
                _note(found, checks, action)
        if self._may_occur("\n" + content):
            _note(found, self._of_lines, action)


def _note(found: dict[Check, list[Action]], checks: Sequence[Check], action: Action) -> None:
    for function in checks:
        suspects = found.setdefault(function, [])
        if not suspects or suspects[-1] is not action:  # a check may have two signs, and an action both
            suspects.append(action)


@cache
def _table() -> _Table:
    return _Table()


def _widen(pattern: str) -> str:
    """Return a pattern that matches wherever another does, with few states.

    It neither counts nor asks for an end, and has no lookaround, which RE2 does not know.
    """
    pattern = pattern.replace("(?<![0-9A-Za-z_])", r"\b").replace("(?![0-9A-Za-z_])", r"\b")
    return re.sub(r"[$]", "", re.sub(r"\{0,[0-9]+\}", "*", pattern))
