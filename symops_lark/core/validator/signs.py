"""Find the checks that may report something, before any check runs. For most actions none may.

Each check names its sign with `@check(sign=…)`. Invariant: a check reports nothing about an action
that lacks its sign. `tests/core/validator/test_signs.py` tests this for every check over generated
actions.

One pass over a document finds all signs. Two things make it fast. First, one pattern recognizes
contents that begin as ordinary code does, and signs of beginnings are tried on other contents only.
The pattern is composed from the `excluded_by` of each sign. Second, RE2 searches for the lines of
all `LineSign`s in one pass.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

from ..document import Action, Document
from ..patterns.line_sieves import line_sieve
from ..patterns.regexes import compile_pattern
from .check import Check, Signs, Verbs

F = TypeVar("F", bound=Check)


@dataclass(frozen=True, slots=True)
class DocumentSign:
    """A sign of a complete document; the check gets all of it.

    Attributes:
        holds: Whether a document has the sign, given the verbs of its dialect.
    """

    holds: Callable[[Document, Verbs], bool]


@dataclass(frozen=True, slots=True)
class ActionSign:
    """A sign of an action: its path, its dependencies, or two parts of it together.

    Attributes:
        holds: Whether an action has the sign, given the verbs of the dialect.
    """

    holds: Callable[[Action, Verbs], bool]


def _always(content: str, bare: str) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class ContentSign:
    """A sign anywhere in a content.

    Attributes:
        holds: Whether a content has the sign, given the content, which is not empty, and the
            content without blanks around it.
        texts: `holds` is called only if one of these occurs in the content; empty: always.
    """

    holds: Callable[[str, str], bool] = _always
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BeginningSign:
    """A sign at the beginning of a content.

    Attributes:
        holds: Whether a content has the sign, as in a `ContentSign`.
        excluded_by: A pattern without width. If a content begins with a visible ASCII character,
            and the pattern matches at its beginning, the content does not have the sign.
    """

    holds: Callable[[str, str], bool]
    excluded_by: str


@dataclass(frozen=True, slots=True)
class LineSign:
    """A sign in a line of a content.

    Attributes:
        pattern: The pattern that the beginning of such a line matches.
    """

    pattern: str


Sign = DocumentSign | ActionSign | ContentSign | BeginningSign | LineSign
SIGNS: dict[Check, tuple[Sign, ...]] = {}  # by check; `check` fills it when modules are imported


def check(*, sign: Sign | tuple[Sign, ...]) -> Callable[[F], F]:
    """Return a decorator that names the sign of a check.

    Args:
        sign: The sign, or several; the check runs if any of them occurs.
    """

    def register(function: F) -> F:
        SIGNS[function] = sign if isinstance(sign, tuple) else (sign,)
        return function

    return register


def select_checks(document: Document, verbs: Verbs) -> Signs:
    """Return the checks that may report something, each with the part of the document to check.

    Args:
        document: The document.
        verbs: The verbs of its dialect.

    Returns:
        The whole document for a check with a `DocumentSign`; for others, a document with the
        actions that have the sign. Empty for most documents.
    """
    table = _table()
    selected: Signs = {}
    for holds, checks in table.of_documents:
        if holds(document, verbs):
            selected.update(dict.fromkeys(checks, document))
    for function, actions in table.find(document.actions, verbs).items():
        selected[function] = Document(tuple(actions))
    return selected


class _Table:
    """The signs by kind, each with its checks."""

    def __init__(self) -> None:
        by_sign: dict[Sign, list[Check]] = {}
        for function, signs in SIGNS.items():
            for sign in signs:
                by_sign.setdefault(sign, []).append(function)
        self.of_documents: list[tuple[Callable[[Document, Verbs], bool], list[Check]]] = []
        self._of_actions: list[tuple[Callable[[Action, Verbs], bool], list[Check]]] = []
        self._of_beginnings: list[tuple[Callable[[str, str], bool], list[Check]]] = []
        self._of_contents: list[tuple[Callable[[str, str], bool], list[Check]]] = []
        self._of_texts: list[tuple[str, Callable[[str, str], bool], list[Check]]] = []
        self._of_lines: list[Check] = []
        line_patterns = []
        excluding: dict[str, None] = {}  # an ordered set
        for sign, checks in by_sign.items():
            if isinstance(sign, DocumentSign):
                self.of_documents.append((sign.holds, checks))
            elif isinstance(sign, ActionSign):
                self._of_actions.append((sign.holds, checks))
            elif isinstance(sign, BeginningSign):
                self._of_beginnings.append((sign.holds, checks))
                excluding[sign.excluded_by] = None
            elif isinstance(sign, LineSign):
                self._of_lines += checks
                line_patterns.append(sign.pattern)
            elif sign.texts:
                for text in sign.texts:
                    self._of_texts.append((text, sign.holds, checks))
            else:
                self._of_contents.append((sign.holds, checks))
        self._may_occur = line_sieve("|".join(line_patterns)).may_occur
        ordinary = compile_pattern("(?=[!-~])" + "".join(excluding))
        self._is_ordinary: Callable[[str], Any] = ordinary.match

    def find(self, actions: Sequence[Action], verbs: Verbs) -> dict[Check, list[Action]]:
        """Return the checks whose signs some actions have, each with these actions."""
        suspects: dict[Check, list[Action]] = {}
        # Plain loops: they run for each action of each reply, and most have no sign.
        for action in actions:
            for holds, checks in self._of_actions:
                if holds(action, verbs):
                    _add(suspects, checks, action)
            if action.content:
                self._search_content(action, action.content, suspects)
        return suspects

    def _search_content(
        self, action: Action, content: str, suspects: dict[Check, list[Action]]
    ) -> None:
        """Add an action to the checks whose signs its content has."""
        bare = content.strip()
        if self._is_ordinary(content) is None:
            for holds, checks in self._of_beginnings:
                if holds(content, bare):
                    _add(suspects, checks, action)
        for holds, checks in self._of_contents:
            if holds(content, bare):
                _add(suspects, checks, action)
        for text, holds, checks in self._of_texts:
            if text in content and holds(content, bare):
                _add(suspects, checks, action)
        # The line feed is the one before the first line: the pattern has it before each line.
        if self._may_occur("\n" + content):
            _add(suspects, self._of_lines, action)


def _add(suspects: dict[Check, list[Action]], checks: Sequence[Check], action: Action) -> None:
    """Add an action to the suspects of some checks."""
    for function in checks:
        actions = suspects.setdefault(function, [])
        # A check may have two signs, and an action both.
        if not actions or actions[-1] is not action:
            actions.append(action)


@cache
def _table() -> _Table:
    # Created on first use: all modules of checks have been imported then.
    return _Table()
