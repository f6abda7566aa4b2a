"""Grammars made from grammars: base files included, definitions exchanged, and what follows from the marks made anew.

A dialect's file may begin with `%import .v2` (the whole file of that name, beside it or installed) and then change it:
`%override NAME: …` takes the place of a definition, `%extend NAME: …` adds alternatives. The result is one text that
stands on its own, so an override reaches everything that is built from it (Lark resolves terminals per file).

Some terminals follow from the marks: a content line is any line but a lone delimiter, a path holds no dependency mark.
`following` spells them for any marks, so that new marks need nothing but themselves.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from ...ground.errors import GrammarError
from ...ground.numbers import grouped
from ..marks import following
from .bounds import LONGEST_MARK, MOST_DEFINITIONS

_START = re.compile(
    r"(%override |%extend )?[?!]{0,2}(_?[A-Za-z][A-Za-z0-9_]*|_[0-9]\w*)(?:\{[^}]*\})?(?:\.-?\d+)?[ \t]*:(.*)"
)

Find = Callable[[Path, str], tuple[Path, str]]
BASE = re.compile(r"%import[ \t]+\.(\w+)[ \t]*")
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')


@dataclass(frozen=True, slots=True)
class Statement:
    """A definition with the lines that continue it, or a line that is none (`name` is empty); where it stands."""

    name: str
    lines: tuple[str, ...]
    path: Path
    line: int  # 1-based
    how: str = ""  # override, extend
    added: tuple[tuple[Path, int, int, str], ...] = ()  # what extends it: file, line, place among `lines`, as written
    written: str = ""  # its first line as it stands in the file, where that is another

    @property
    def body(self) -> str:
        """What stands behind the colon."""
        match = _START.match(self.lines[0])
        return "\n".join(((match[3] if match else ""), *self.lines[1:])).strip()


def flatten(path: Path, text: str, find: Find) -> tuple[Statement, ...]:
    """Return the statements of a grammar with its base files included; `find(path, name)` reads a base.

    Raises `GrammarError` for an override of what is not defined.
    """
    return tuple(_flatten(path, text, find, set(), []))


def _flatten(path: Path, text: str, find: Find, seen: set[Path], statements: list[Statement]) -> list[Statement]:
    """Apply the statements of one file to those that stand already; a file that was read before is not read again."""
    seen.add(path)
    own: set[str] = set()
    for statement in _split(path, text):
        base = None if statement.name else BASE.fullmatch(statement.lines[0])
        if base:
            try:
                other, other_text = find(path, base[1])
            except FileNotFoundError:
                message = f"there is no grammar {base[1]!r} to build on, beside this file or installed"
                raise _draw(statement, f"{message}; `symops grammar list` tells what is installed") from None
            except (OSError, UnicodeDecodeError) as error:
                message = f"the grammar {base[1]!r} cannot be read: {getattr(error, 'strerror', None) or error}"
                raise GrammarError(f"{path}:{statement.line}:1: {message}") from None
            if other not in seen:
                statements = _flatten(other, other_text, find, seen, statements)
            continue
        _check_mark(statement)
        # What is neither a mark nor a change of one changes no mark.
        may_change_marks = _is_mark(statement) or (statement.how and statement.name.startswith("_"))
        before = read_marks(statements) if may_change_marks else {}
        statements = _change(statements, statement) if statement.how else [*statements, statement]
        own.add(statement.name)
        if may_change_marks:
            statements = _follow(statements, before, own)
    return statements


def _check_mark(statement: Statement) -> None:
    """Raise `GrammarError` for a mark that nothing can be told by."""
    mark = read_marks([statement]).get(statement.name[1:].lower())
    if mark is not None and not 0 < len(mark) <= LONGEST_MARK:
        what = "is empty" if not mark else f"has more than {LONGEST_MARK} characters"
        raise _draw(statement, f"the mark {statement.name} {what}")


def _draw(statement: Statement, message: str) -> GrammarError:
    """Return the error about a statement, with its first line."""
    drawn = f"{statement.line:>5} | {statement.lines[0][:200]}"
    return GrammarError(f"{statement.path}:{statement.line}:1: {message}\n{drawn}")


def _split(path: Path, text: str) -> list[Statement]:
    found: list[Statement] = []
    names = 0
    for number, line in enumerate(text.split("\n"), 1):
        match = _START.match(line)
        if match:
            names += 1
            if names > MOST_DEFINITIONS:
                raise GrammarError(
                    f"{path}:{number}:1: the grammar has more than {grouped(MOST_DEFINITIONS)} definitions"
                )
            found.append(Statement(match[2], (line,), path, number, (match[1] or "").strip("% ")))
        elif line[:1] in (" ", "\t") and line.strip() and found and found[-1].name:
            last = found[-1]
            found[-1] = Statement(last.name, (*last.lines, line), path, last.line, last.how)
        else:
            found.append(Statement("", (line,), path, number))
    while found and not found[-1].name and not found[-1].lines[0]:
        found.pop()
    return found


def _change(statements: list[Statement], change: Statement) -> list[Statement]:
    """Put an override in the place of a definition, or add alternatives to it."""
    places = [i for i, statement in enumerate(statements) if statement.name == change.name]
    if not places:
        message = f"{change.name} is not defined in what this file builds on, so it cannot be changed"
        if close := get_close_matches(change.name, {statement.name for statement in statements}, 1):
            message += f"; did you mean {close[0]}?"
        raise _draw(change, message)
    at = places[-1]
    old = statements[at]
    if change.how == "override":
        first = change.lines[0].removeprefix("%override ")
        new = Statement(change.name, (first, *change.lines[1:]), change.path, change.line, written=change.lines[0])
    else:
        place = len("\n".join(old.lines).split("\n"))
        added = (*old.added, (change.path, change.line, place, change.lines[0]))
        new = replace(old, lines=(*old.lines, "    | " + change.body), added=added)
    return [*statements[:at], new, *statements[at + 1 :]]


class Origin(NamedTuple):
    """Where a line of a grammar comes from: the file, the line there (1-based), and how it is written there."""

    path: Path
    line: int
    written: str


def join(statements: Sequence[Statement]) -> tuple[str, tuple[Origin, ...]]:
    """Return the text of the statements, and for each of its lines where it comes from."""
    lines: list[str] = []
    origins: list[Origin] = []
    for statement in statements:
        for number, line in enumerate("\n".join(statement.lines).split("\n")):
            path, first, begin, written = next(
                (a for a in reversed(statement.added) if a[2] <= number),
                (statement.path, statement.line, 0, statement.written),
            )
            lines.append(line)
            origins.append(Origin(path, first + number - begin, (number == begin and written) or line))
    return "\n".join(lines) + "\n", tuple(origins)


def read_marks(statements: Iterable[Statement]) -> dict[str, str]:
    """Return the marks: terminals with a leading underscore that are one string, by lower-case name without it."""
    marks = {}
    for statement in statements:
        if _is_mark(statement):
            try:
                marks[statement.name[1:].lower()] = str(ast.literal_eval(statement.body))
            except (ValueError, SyntaxError):
                continue  # Lark says what is wrong with it
    return marks


def _is_mark(statement: Statement) -> bool:
    return statement.name.startswith("_") and _STRING.fullmatch(statement.body) is not None


def set_marks(statements: Sequence[Statement], changes: Mapping[str, str]) -> list[Statement]:
    """Exchange definitions (by name, the text behind the colon); what follows from the marks follows."""
    found = list(statements)
    before = read_marks(found)
    for name, body in changes.items():
        first = next((s for s in found if s.name == name), None)
        path = first.path if first else Path()
        found = _change(found, Statement(name, (f"{name}: {body}",), path, first.line if first else 1, "override"))
    return _follow(found, before, set(changes))


def _follow(statements: list[Statement], before: Mapping[str, str], own: set[str]) -> list[Statement]:
    """Respell the terminals that follow from marks that have changed, where they were spelt by `following`."""
    after = read_marks(statements)
    if after == before:
        return statements
    old, new = following(before), following(after)
    out = []
    for statement in statements:
        name = statement.name
        if name in new and name not in own and statement.body == old.get(name, new[name]):
            lines = tuple(f"{name}: {new[name]}".split("\n"))
            statement = replace(statement, lines=lines, added=(), written="")
        out.append(statement)
    return out
