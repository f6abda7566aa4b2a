"""Check: marks that are equal or that begin with one another, and what tells them apart, if anything does."""

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
_CONTENT = "_CONTENT_LINE"


def find_similar_marks(subject: Subject) -> Iterator[Finding]:
    """One mark is, or begins with, another one. What is told apart by a terminal or by its place is a note."""
    marks = subject.dialect.said_marks
    for (one, first), (other, second) in combinations(marks.items(), 2):
        if not (first.startswith(second) or second.startswith(first)):
            continue
        names = f"_{one.upper()}", f"_{other.upper()}"
        relation = "the same as" if first == second else "a beginning of" if len(first) < len(second) else "longer than"
        said = f"the mark {names[0]} ({first!r}) is {relation} {names[1]} ({second!r})"
        yield _grade(subject, said, names, max(first, second, key=len))


def find_mark_collisions(subject: Subject) -> Iterator[Finding]:
    """Two marks collide: `symops grammar derive` would refuse them."""
    for fault in find_mark_faults(read_marks(subject.dialect.statements)):
        name = re.search(r"_[A-Z_]+", fault)
        yield subject.error("marks-collide", fault, name[0] if name else 0, hint="choose another mark")


def find_stale_definitions(subject: Subject) -> Iterator[Finding]:
    """Delimiters were changed by hand, and the lines of a content were not: they fit the former delimiters."""
    own = following(read_marks(subject.dialect.statements))
    for statement in subject.dialect.statements:
        body = statement.body
        if not statement.name.startswith(_CONTENT):
            continue
        if statement.name in own and body != own[statement.name] and body in _following_elsewhere(statement.name):
            yield subject.error(
                "stale-definition",
                f"{statement.name} is written for other marks than those of this grammar",
                statement.name,
                hint="write `%import .NAME` of its base and `%override` the marks, or use `symops grammar derive`",
            )


@cache
def _following_elsewhere(name: str) -> frozenset[str]:
    """Return the bodies that a terminal has with the marks of the installed dialects."""
    marks = (read_marks(load_grammar(dialect).statements) for dialect in dialects())
    return frozenset(following(row).get(name, "") for row in marks)


def find_divided_blocks(subject: Subject) -> Iterator[Finding]:
    """A rule, instead of one terminal, holds a delimiter: a lost closer then changes how all that follows is read."""
    used = {name for state in subject.tables.states for name in state.accepts}
    for mark in _DELIMITERS:
        name = f"_{mark.upper()}"
        if name in used and name in subject.definitions:
            yield subject.warn(
                "divided-block",
                f"{name} is read by a rule: opener, content and closer are no single terminal",
                name,
                hint="write one terminal, BLOCK, from opener to closer: its content is no markup, "
                "and constrained decoding needs the closer inside it",
            )


def _grade(subject: Subject, said: str, names: tuple[str, str], text: str) -> Finding:
    pair = _meet(subject, *names)
    if pair is None:
        return subject.note("similar-marks", f"{said}: {_tell_places(subject, names)}", names[1])
    first, second, state = pair
    example = state.prefix + text
    told = "the longer one wins"
    if first.is_string and second.is_string:
        if first.pattern == second.pattern:
            return subject.warn(
                "equal-marks",
                f"{said}, and both may come at one point: Lark always takes {first.name}",
                names[1],
                example=example,
                hint="choose another mark, or join it with what follows into one terminal, as VITAL does",
            )
    else:
        regex = first if not first.is_string else second
        told = f"harmless, the terminal {regex.name} tells them apart by what follows"
    return subject.note("similar-marks", f"{said}, and both may come at one point: {told}", names[1], example=example)


def _tell_places(subject: Subject, names: tuple[str, str]) -> str:
    begin = {found for name in subject.tables.states[0].accepts for found in _first_names(subject, name)}
    if begin.issuperset(name for name in names if name[1:].lower() not in _DELIMITERS):  # those stand alone on lines
        return (
            "each may begin a line, never at the same point, so a strict parse tells them apart; in a broken text "
            "a lost line or character makes one the other"
        )
    return "harmless, they are never expected at the same point"


def _meet(subject: Subject, one: str, other: str) -> Pair | None:
    """Return a pair of terminals that begin with the two marks and may both come at one point."""
    for pair in subject.pairs:
        first, second = _first_names(subject, pair.first.name), _first_names(subject, pair.second.name)
        if (one in first and other in second) or (other in first and one in second):
            return pair
    return None


def _first_names(subject: Subject, name: str) -> set[str]:
    """Return the terminals with whose names a terminal's definition begins, itself included."""
    found: set[str] = set()
    while name in subject.definitions and name not in found:
        found.add(name)
        body = subject.definitions[name].body
        name = body[0].text if body else ""
    return found
