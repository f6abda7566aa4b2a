"""What Lark says of a grammar, as one message with file, line, column, the line itself, and what to do."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from ...ground.errors import GrammarError
from .bounds import bounded_steps, steps_for


class Written(Protocol):
    """The text of a grammar, and where each of its lines was written."""

    path: Path

    @property
    def text(self) -> str:
        """The text."""

    def place(self, line: int, column: int) -> tuple[Path, int, int, str]:
        """Return the file, line and column of a place in `text`, and the line as it stands there."""


def explain_failure(build: Callable[[], Any], grammar: Written) -> Any:
    """Return what `build()` gives; whatever it raises comes as a `GrammarError`."""
    try:
        with bounded_steps(grammar.path, steps_for(grammar.text)):
            return build()
    except OSError as error:  # Lark looks for what `%import` names
        name = error.filename or error
        raise GrammarError(
            f"{grammar.path}: the grammar imports {name}, which cannot be read ({error.strerror or 'no file'}): name "
            "a file beside it, or build on an installed grammar by `%import .NAME` alone"
        ) from error
    except Exception as error:
        raise explain(error, grammar) from error


def explain(error: Exception, grammar: Written) -> GrammarError:
    """Say in one message with file, line and column what Lark found wrong in a grammar."""
    if isinstance(error, GrammarError):
        return error
    message = " ".join(str(error).split()) or type(error).__name__
    message = message.replace(f" in {grammar.path}", "")
    place = _find_place(error, message, grammar.text)
    if place is None:
        return GrammarError(f"{grammar.path}: the grammar cannot be compiled: {message}")
    path, line, column, shown = grammar.place(*place)
    drawn = f"\n{line:>5} | {shown}\n      | {' ' * (column - 1)}^"
    hint = f"\n        hint: `symops grammar check {path}` says more" if path.is_file() else ""
    return GrammarError(f"{path}:{line}:{column}: the grammar cannot be compiled: {message}{drawn}{hint}")


def _find_place(error: Exception, message: str, text: str) -> tuple[int, int] | None:
    """Find the line and column that Lark means: it gives them, or says them, or names a rule or terminal."""
    line, column = getattr(error, "line", None), getattr(error, "column", None)
    said = re.search(r"line (\d+),? column (\d+)", message)
    if not (isinstance(line, int) and isinstance(column, int)) and said:
        line, column = int(said[1]), int(said[2])
    if isinstance(line, int) and isinstance(column, int) and 0 < line <= text.count("\n") + 1:
        return line, max(1, column)
    for name in re.findall(r"[A-Za-z_]\w{2,}", message):
        found = list(re.finditer(rf"(?<![\w]){name}(?![\w])", re.sub(r"//[^\n]*", lambda m: " " * len(m[0]), text)))
        if found and (name.isupper() or name.startswith("_") or f"'{name}'" in message):
            at = found[-1].start() if "more than once" in message else found[0].start()
            if re.search(
                rf"compile token|the (rule|terminal|template) '{name}'", message
            ):  # its definition, not where it is used
                at = next((match.start() for match in found if text[: match.start()].endswith("\n")), at)
            begin = text.rfind("\n", 0, at) + 1
            return text.count("\n", 0, at) + 1, at - begin + 1
    return None
