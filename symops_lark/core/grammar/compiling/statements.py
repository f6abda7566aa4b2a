"""Join a grammar with the files that it builds on, and adapt terminals to changed marks.

A dialect's file may begin with `%import .v2`, which includes the complete file of that name, from
beside it or installed. Then it may change it: `%override NAME: …` replaces a definition, and
`%extend NAME: …` adds alternatives. The result is one text without such lines. So an override
reaches everything that uses the name, which it would not with Lark alone: Lark resolves terminals
in each file separately.

Some terminals depend on the marks: a content line is any line except a lone delimiter, and a path
has no dependency mark. `marks.following` writes them for any marks, so a file that changes marks
need not change anything else:

    %import .v2
    %override _CLOSE: "END"        `_CONTENT_LINE` now excludes lines that are `END`

Only a terminal that is written exactly as `following` writes it is adapted. One that the grammar
defines differently stays as it is.
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

# The first line of a definition: "?rule.2: a | b", "%override _OPEN: …", "_pair{x}: x x". Not
# "    | b", which continues one, and not "%import .v2".
_START = re.compile(
    r"(%override |%extend )?"
    r"[?!]{0,2}(_?[A-Za-z][A-Za-z0-9_]*|_[0-9]\w*)"
    r"(?:\{[^}]*\})?"  # parameters of a template
    r"(?:\.-?\d+)?"  # priority
    r"[ \t]*:(.*)"
)

# The names in a definition; nothing in comments, strings and patterns.
_NAMES = re.compile(r"//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|/(?:\\.|[^/\\\n])*/|([A-Za-z_][A-Za-z0-9_]*)")

Find = Callable[[Path, str], tuple[Path, str]]
BASE = re.compile(r"%import[ \t]+\.(\w+)[ \t]*")
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_MAX_EXCERPT = 200  # characters of a line in an error


class Addition(NamedTuple):
    """An `%extend` of a definition.

    Attributes:
        path: The file that has it.
        line: Its line there, 1-based.
        place: The index of its first line among the lines of the definition.
        source_line: That line as the file has it.
    """

    path: Path
    line: int
    place: int
    source_line: str


@dataclass(frozen=True, slots=True)
class Statement:
    """A definition with the lines that continue it, or any other line.

    Attributes:
        name: The name of the rule or terminal; empty if it is not a definition.
        lines: Its lines. An item has several lines if it was derived from marks.
        path: The file that has it.
        line: Its first line there, 1-based.
        how: `override` or `extend`; empty for a new definition.
        added: The `%extend` lines that were added to it, in their order.
        source_line: Its first line as the file has it; empty if `lines` has the same.
    """

    name: str
    lines: tuple[str, ...]
    path: Path
    line: int
    how: str = ""
    added: tuple[Addition, ...] = ()
    source_line: str = ""

    @property
    def body(self) -> str:
        """The text after the colon."""
        match = _START.match(self.lines[0])
        first = match[3] if match else ""
        return "\n".join((first, *self.lines[1:])).strip()


def flatten(path: Path, text: str, find: Find) -> tuple[Statement, ...]:
    """Return the statements of a grammar with those of its base files.

    Args:
        path: The file of the grammar.
        text: Its text.
        find: A function of the importing file and a name, which returns the path and the text of
            the base file. It raises `FileNotFoundError` if there is none.

    Raises:
        GrammarError: A base is missing, a definition that is changed does not exist, or a mark is
            empty or too long.
    """
    return tuple(_flatten(path, text, find, set(), []))


def _flatten(
    path: Path, text: str, find: Find, visited: set[Path], statements: list[Statement]
) -> list[Statement]:
    """Return statements with those of one file added; a file is read only once."""
    visited.add(path)
    own = set()
    for statement in _split(path, text):
        base = None
        if not statement.name:
            base = BASE.fullmatch(statement.lines[0])
        if base:
            base_path, base_text = _read_base(path, statement, base[1], find)
            if base_path not in visited:
                statements = _flatten(base_path, base_text, find, visited, statements)
            continue
        _check_mark(statement)
        # Marks are compared only where a statement may change one: a comparison reads them all.
        is_private = statement.name.startswith("_")
        may_change_marks = _is_mark(statement) or (statement.how and is_private)
        before = read_marks(statements) if may_change_marks else {}
        statements = _change(statements, statement)
        own.add(statement.name)
        if may_change_marks:
            statements = _follow(statements, before, own)
    return statements


def _read_base(path: Path, statement: Statement, name: str, find: Find) -> tuple[Path, str]:
    """Return the path and the text of a base file."""
    try:
        return find(path, name)
    except FileNotFoundError:
        raise _draw(
            statement,
            f"there is no grammar {name!r} to build on, beside this file or installed "
            "(`symops grammar list` lists the installed ones)",
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise GrammarError(
            f"{path}:{statement.line}:1: the grammar {name!r} cannot be read: {reason}"
        ) from None


def _check_mark(statement: Statement) -> None:
    """Raise `GrammarError` for a mark that is empty or too long to be one."""
    marks = read_marks([statement])
    mark = marks.get(statement.name[1:].lower())
    if mark is None:
        return
    if not mark:
        raise _draw(statement, f"the mark {statement.name} is empty")
    if len(mark) > LONGEST_MARK:
        raise _draw(statement, f"the mark {statement.name} has more than {LONGEST_MARK} characters")


def _draw(statement: Statement, message: str) -> GrammarError:
    """Return the error about a statement, with its first line."""
    excerpt = statement.lines[0][:_MAX_EXCERPT]
    drawn = f"{statement.line:>5} | {excerpt}"
    return GrammarError(f"{statement.path}:{statement.line}:1: {message}\n{drawn}")


def _split(path: Path, text: str) -> list[Statement]:
    """Return the statements of one file."""
    statements = []
    count = 0  # of definitions
    for number, line in enumerate(text.split("\n"), 1):
        # Lark takes an indented definition for one, too.
        start = line.lstrip(" \t")
        match = _START.match(start)
        if match:
            count += 1
            if count > MOST_DEFINITIONS:
                limit = grouped(MOST_DEFINITIONS)
                raise GrammarError(
                    f"{path}:{number}:1: the grammar has more than {limit} definitions"
                )
            directive = match[1] or ""
            how = directive.strip("% ")
            source_line = "" if start == line else line
            statements.append(
                Statement(match[2], (start,), path, number, how, source_line=source_line)
            )
            continue
        # An indented line continues a definition. Lark would also accept `|` without a blank before
        # it, which is a separate statement here and stays where it is.
        last = statements[-1] if statements else None
        is_indented = line[:1] in (" ", "\t") and line.strip()
        if is_indented and last is not None and last.name:
            statements[-1] = replace(last, lines=(*last.lines, line))
        else:
            statements.append(Statement("", (line,), path, number))
    # Without the empty lines at the end: another file may follow.
    while statements and not statements[-1].name and not statements[-1].lines[0]:
        statements.pop()
    return statements


def _change(statements: list[Statement], change: Statement) -> list[Statement]:
    """Return statements with one more, or with an override or an extension applied."""
    if not change.how:
        return [*statements, change]
    places = [i for i, statement in enumerate(statements) if statement.name == change.name]
    if not places:
        message = (
            f"{change.name} is not defined in what this file builds on, so it cannot be changed"
        )
        names = {statement.name for statement in statements}
        close = get_close_matches(change.name, names, 1)
        if close:
            message += f"; did you mean {close[0]}?"
        raise _draw(change, message)
    at = places[-1]
    old = statements[at]
    if change.how == "override":
        first = change.lines[0].removeprefix("%override ")
        lines = (first, *change.lines[1:])
        source_line = change.source_line or change.lines[0]
        new = replace(change, lines=lines, how="", added=(), source_line=source_line)
    else:
        place = len("\n".join(old.lines).split("\n"))
        addition = Addition(change.path, change.line, place, change.lines[0])
        lines = (*old.lines, "    | " + change.body)
        new = replace(old, lines=lines, added=(*old.added, addition))
    return [*statements[:at], new, *statements[at + 1 :]]


class Origin(NamedTuple):
    """Where a line of a joined grammar comes from.

    Attributes:
        path: The file.
        line: The line there, 1-based.
        source_line: The line as the file has it.
    """

    path: Path
    line: int
    source_line: str


def join(statements: Sequence[Statement]) -> tuple[str, tuple[Origin, ...]]:
    """Return the text of the statements, and where each of its lines comes from."""
    lines = []
    origins = []
    for statement in statements:
        text = "\n".join(statement.lines)
        for index, line in enumerate(text.split("\n")):
            lines.append(line)
            origins.append(_find_origin(statement, index, line))
    text = "\n".join(lines)
    return f"{text}\n", tuple(origins)


def _find_origin(statement: Statement, index: int, line: str) -> Origin:
    """Return where a line of a statement comes from, by its index among the lines."""
    path = statement.path
    first = statement.line
    begin = 0
    source_line = statement.source_line
    for addition in statement.added:
        if addition.place <= index:
            path, first, begin, source_line = addition
    # Only the first line of a change differs from the file: `%override` is removed.
    if index != begin or not source_line:
        source_line = line
    return Origin(path, first + index - begin, source_line)


def read_marks(statements: Iterable[Statement]) -> dict[str, str]:
    """Return the marks by lower-case name without underscore.

    Marks are terminals with a leading underscore that are one string.
    """
    marks = {}
    for statement in statements:
        if not _is_mark(statement):
            continue
        name = statement.name[1:].lower()
        try:
            marks[name] = str(ast.literal_eval(statement.body))
        except (ValueError, SyntaxError):
            continue  # Lark reports it
    return marks


def find_reached(statements: Iterable[Statement], start: str) -> set[str]:
    """Return the names that a rule leads to, with its own name.

    Args:
        statements: The statements of a grammar.
        start: The name of the rule.
    """
    uses = {}
    for statement in statements:
        if statement.name:
            uses[statement.name] = list(filter(None, _NAMES.findall(statement.body)))
    return reach(uses, [start])


def reach(uses: Mapping[str, Iterable[str]], names: Iterable[str]) -> set[str]:
    """Return some names, and all names that their definitions use, directly or not.

    Args:
        uses: The names that each definition uses.
        names: The names to start from.
    """
    reached = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += uses.get(name, ())
    return reached


def _is_mark(statement: Statement) -> bool:
    if not statement.name.startswith("_"):
        return False
    return _STRING.fullmatch(statement.body) is not None


def set_marks(statements: Sequence[Statement], changes: Mapping[str, str]) -> list[Statement]:
    """Return statements with some definitions replaced, and terminals adapted to the new marks.

    Args:
        statements: The statements of a grammar.
        changes: By name, the text after the colon.

    Raises:
        GrammarError: A name is not defined.
    """
    changed = list(statements)
    before = read_marks(changed)
    for name, body in changes.items():
        path = Path()
        line = 1
        for statement in changed:
            if statement.name == name:
                path = statement.path
                line = statement.line
                break
        override = Statement(name, (f"{name}: {body}",), path, line, "override")
        changed = _change(changed, override)
    return _follow(changed, before, set(changes))


def _follow(
    statements: list[Statement], before: Mapping[str, str], own: set[str]
) -> list[Statement]:
    """Return statements with the terminals that depend on marks adapted to changed marks.

    Those that the same file defines (`own`), or that are not as `following` writes them, stay.
    """
    after = read_marks(statements)
    if after == before:
        return statements
    old = following(before)
    new = following(after)
    adapted = []
    for statement in statements:
        name = statement.name
        if name in new and name not in own:
            # If marks were missing before, `old` is empty. Then the terminal stays as it is.
            former = old.get(name, new[name])
            if statement.body == former:
                text = f"{name}: {new[name]}"
                lines = tuple(text.split("\n"))
                statement = replace(statement, lines=lines, added=(), source_line="")
        adapted.append(statement)
    return adapted
