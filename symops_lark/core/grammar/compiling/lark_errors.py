"""Turn errors of Lark into one message with the file, the line, the column and an excerpt."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from ...ground.errors import GrammarError
from ...ground.numbers import counted
from .bounds import bounded_steps, steps_for

_Place = tuple[int, int]  # line and column, 1-based

# In a message. A shorter name may be a word such as "a", unless quotes or a pattern show it.
_NAME = re.compile(r"[A-Za-z_]\w{2,}|(?<=')[A-Za-z_]\w{0,1}(?=')|(?<=\()[A-Z_]{1,2}(?=:)")
_COMMENT = re.compile(r"//[^\n]*")
_COLLISION = "Reduce/Reduce collision"
_COLLIDING = re.compile(r"<(\w+) :")  # a rule in a message about a collision
_DEFINED = re.compile(r"[?!]*(\w+)")
_POSITION = re.compile(r"line (\d+),? column (\d+)")


class Written(Protocol):
    """The text of a grammar that was joined from files."""

    path: Path

    @property
    def text(self) -> str:
        """The text that Lark compiles."""

    def place(self, line: int, column: int) -> tuple[Path, int, int, str]:
        """Return the file, line and column of a place in `text`, and the line in that file."""


def explain_failure(build: Callable[[], Any], grammar: Written) -> Any:
    """Return the result of `build()`, within the bounds of work on a grammar.

    Args:
        build: A function that compiles something of the grammar.
        grammar: The grammar, for messages.

    Raises:
        GrammarError: The function raised an error, of any kind.
    """
    try:
        with bounded_steps(grammar.path, steps_for(grammar.text)):
            return build()
    except OSError as error:  # Lark did not find a file that `%import` names
        raise explain_missing(error, grammar.path) from error
    except Exception as error:
        raise explain(error, grammar) from error


def explain_missing(error: OSError, path: Path) -> GrammarError:
    """Return the error for a file that an `%import` of a grammar names and that Lark cannot read.

    Args:
        error: The error of Lark.
        path: The grammar.
    """
    name = error.filename or error
    reason = error.strerror or "no file"
    return GrammarError(
        f"{path}: the grammar imports {name}, which cannot be read ({reason}): name "
        "a file beside it, or build on an installed grammar by `%import .NAME` alone"
    )


def explain(error: Exception, grammar: Written) -> GrammarError:
    """Return an error of Lark as one with the place in the grammar's files.

    Args:
        error: The error; a `GrammarError` is returned unchanged.
        grammar: The grammar that was compiled.
    """
    if isinstance(error, GrammarError):
        return error
    message = " ".join(str(error).split())  # Lark's messages have several lines
    # One mistake may be thousands of collisions, of which the first is enough to find it.
    before, *collisions = message.split(_COLLISION)
    if len(collisions) > 1:
        more = counted(len(collisions) - 1, "more collision")
        # Lark finds them in another order in each process.
        first = min(collisions).rstrip()
        message = f"{before}{_COLLISION}{first}, and {more}"
    if not message:
        message = type(error).__name__
    message = message.replace(f" in {grammar.path}", "")
    place = _find_collision(message, grammar) or _find_place(error, message, grammar.text)
    if place is None:
        return GrammarError(f"{grammar.path}: the grammar cannot be compiled: {message}")
    path, line, column, excerpt = grammar.place(*place)
    indent = " " * (column - 1)
    drawn = f"{line:>5} | {excerpt}\n      | {indent}^"
    # The named file may be right by itself, and wrong only with what another file adds to it.
    if grammar.path.is_file():
        drawn += f"\n        hint: run `symops grammar check {grammar.path}` for details"
    return GrammarError(
        f"{path}:{line}:{column}: the grammar cannot be compiled: {message}\n{drawn}"
    )


def _find_collision(message: str, grammar: Written) -> _Place | None:
    """Return the place of a rule that collides, in the grammar's own file if it has one of them."""
    names = set(_COLLIDING.findall(message)) if _COLLISION in message else set()
    places = []
    name = ""
    for line, text in enumerate(grammar.text.split("\n"), 1):
        definition = _DEFINED.match(text)
        if definition:
            name = definition[1]
        if name in names and text.strip() and not text.startswith("//"):
            places.append((line, 1))
    for place in places:
        if grammar.place(*place)[0] == grammar.path:
            return place
    return places[0] if places else None


def _find_place(error: Exception, message: str, text: str) -> _Place | None:
    """Return the place that an error of Lark is about; None if it cannot be found.

    Some errors have it as attributes, some have it in the message, and some only name a rule.
    """
    line = getattr(error, "line", None)
    column = getattr(error, "column", None)
    if not isinstance(line, int) or not isinstance(column, int):
        position = _POSITION.search(message)
        if position:
            line = int(position[1])
            column = int(position[2])
    if not isinstance(line, int) or not isinstance(column, int):
        return _find_named(message, text)
    line_count = text.count("\n") + 1
    if 0 < line <= line_count:  # Lark writes -1 if it does not know the place
        return line, max(1, column)
    return _find_named(message, text)


def _find_named(message: str, text: str) -> _Place | None:
    """Return the place of the first rule or terminal that a message names."""
    # With blanks in place of comments, which may have the name as well, places stay the same.
    uncommented = _COMMENT.sub(lambda match: " " * len(match[0]), text)
    for name in _NAME.findall(message):
        # Only what cannot be a plain English word: terminals, `_rule`, or 'rule' in quotes.
        is_name = name.isupper() or name.startswith("_") or f"'{name}'" in message
        if not is_name:
            continue
        matches = list(re.finditer(rf"(?<![\w]){name}(?![\w])", uncommented))
        if not matches:
            continue
        starts = [match.start() for match in matches]
        start = starts[0]
        if "more than once" in message:  # the second definition is the wrong one
            start = starts[-1]
        if re.search(rf"zero-width|compile token|the (rule|terminal|template) '{name}'", message):
            # The error is in the definition, which begins a line.
            for candidate in starts:
                if text[:candidate].endswith("\n"):
                    start = candidate
                    break
        begin = text.rfind("\n", 0, start) + 1
        return text.count("\n", 0, start) + 1, start - begin + 1
    return None
