"""Check: marks that are equal or that begin with each other, and how they can be distinguished."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import combinations

from ....core.grammar.compiling.statements import read_marks
from ....core.grammar.loading import dialects, load_grammar
from ....core.grammar.marks import find_mark_faults, following
from .report import Finding
from .subject import Pair, Subject

_DELIMITERS = ("open", "close")
# The beginning of the names of terminals whose patterns depend on the delimiters.
_CONTENT = "_CONTENT_LINE"


def find_similar_marks(subject: Subject) -> Iterator[Finding]:
    """One mark is, or begins with, another one; a note if a terminal or the place decides."""
    for (left, first), (right, second) in combinations(subject.dialect.said_marks.items(), 2):
        if not (first.startswith(second) or second.startswith(first)):
            continue
        # A mark has the name of its terminal in lower case, without the underscore.
        names = (f"_{left.upper()}", f"_{right.upper()}")
        relation = "longer than"
        if first == second:
            relation = "the same as"
        elif len(first) < len(second):
            relation = "a beginning of"
        message = f"the mark {names[0]} ({first!r}) is {relation} {names[1]} ({second!r})"
        yield _grade(subject, message, names, max(first, second, key=len))


def find_mark_collisions(subject: Subject) -> Iterator[Finding]:
    """Two marks collide: `symops grammar derive` would refuse them."""
    for fault in find_mark_faults(read_marks(subject.dialect.statements)):
        # The first name of a message is that of the mark to change.
        name = re.search(r"_[A-Z_]+", fault)
        yield subject.error(
            "marks-collide", fault, name[0] if name else 0, hint="choose another mark"
        )


def find_stale_definitions(subject: Subject) -> Iterator[Finding]:
    """Delimiters were changed by hand, but the lines of a content still fit the former ones."""
    expected = following(read_marks(subject.dialect.statements))
    for statement in subject.dialect.statements:
        name = statement.name
        if not name.startswith(_CONTENT) or statement.body == expected.get(name, statement.body):
            continue
        # Any other body may be intended.
        if statement.body in _following_elsewhere(name):
            yield subject.error(
                "stale-definition",
                f"{name} is written for other marks than those of this grammar",
                name,
                hint="write `%import .NAME` of its base and `%override` the marks, or use `symops "
                "grammar derive`",
            )


@cache
def _following_elsewhere(name: str) -> frozenset[str]:
    """Return the bodies of a terminal for the marks of the built-in dialects."""
    bodies = set()
    for dialect in dialects():
        marks = read_marks(load_grammar(dialect).statements)
        bodies.add(following(marks).get(name, ""))
    return frozenset(bodies)


def find_divided_blocks(subject: Subject) -> Iterator[Finding]:
    """A rule has a delimiter, not a terminal: a lost closer changes everything after it."""
    used = {name for state in subject.tables.states for name in state.accepts}
    for mark in _DELIMITERS:
        name = f"_{mark.upper()}"
        if name in used and name in subject.definitions:
            yield subject.warn(
                "divided-block",
                f"{name} is read by a rule: opener, content and closer are not one terminal",
                name,
                hint="write one terminal, BLOCK, from opener to closer: its content is not markup, "
                "and constrained decoding needs the closer inside it",
            )


def find_word_marks(subject: Subject) -> Iterator[Finding]:
    """The mark of actions is a word that a verb may directly follow: it begins other words."""
    mark = subject.dialect.said_marks.get("action", "")
    followers = {follower.name for follower in subject.followers("_ACTION")}
    if mark[-1:].isalnum() and followers - {"_SP"}:
        yield subject.warn(
            "word-mark",
            f"_ACTION {mark!r} ends with a letter or digit, and a verb may follow it without a "
            "blank: longer words that begin with it are actions",
            "_ACTION",
            hint="end the mark with a sign, or let `_mark` be `_ACTION _SP`",
        )


def _grade(subject: Subject, message: str, names: tuple[str, str], text: str) -> Finding:
    """Return a finding about two similar marks, by how the lexer distinguishes them."""
    pair = _meet(subject, *names)
    # Without a common state, only the place decides.
    if pair is None:
        reason = _explain_places(subject, names)
        return subject.note("similar-marks", f"{message}: {reason}", names[1])
    first, second, state = pair
    message = f"{message}, and both may come at one point"
    example = state.prefix + text
    reason = "the longer one wins"
    if not first.is_string or not second.is_string:
        regex = second if first.is_string else first
        reason = f"harmless, the terminal {regex.name} distinguishes them by what follows"
    elif first.pattern == second.pattern:
        hint = "choose another mark, or join it with what follows into one terminal, as VITAL does"
        message = f"{message}: Lark always takes {first.name}"
        return subject.warn("equal-marks", message, names[1], example=example, hint=hint)
    return subject.note("similar-marks", f"{message}: {reason}", names[1], example=example)


def _explain_places(subject: Subject, names: tuple[str, str]) -> str:
    """Return why two marks that no state accepts together are harmless, or rarely harmful."""
    beginnings = set()
    for name in subject.tables.states[0].accepts:
        beginnings |= _first_names(subject, name)
    # Delimiters are alone on a line, so the beginning of a line does not count for them.
    marks = {name for name in names if name[1:].lower() not in _DELIMITERS}
    if marks <= beginnings:
        return (
            "each may begin a line, never at the same point, so a strict parse distinguishes them; "
            "in a broken text a lost line or character makes one the other"
        )
    return "harmless, they are never expected at the same point"


def _meet(subject: Subject, left: str, right: str) -> Pair | None:
    """Return a pair of terminals that begin with the two marks and may both come at one point."""
    for pair in subject.pairs:
        first = _first_names(subject, pair.first.name)
        second = _first_names(subject, pair.second.name)
        if (left in first and right in second) or (right in first and left in second):
            return pair
    return None


def _first_names(subject: Subject, name: str) -> set[str]:
    """Return the terminals with which the definition of a terminal begins, and itself."""
    names = set()
    while name in subject.definitions and name not in names:
        names.add(name)
        body = subject.definitions[name].body
        name = body[0].text if body else ""
    return names
