"""Write the next message to a model: the result of its last reply."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..core.edits.nearest import quote_numbers
from ..core.ground.numbers import counted
from ..core.text.source import cut, size

# Limits, so that a long plan does not fill the context of a model.
_MAX_ROWS = 40
_MAX_TEXT = 400  # characters of a path or of a reason
# The end of an output is kept: it usually has the reason of a failure.
_MAX_OUTPUT = 2_000


def name_step(operation: str, path: str, places: Sequence[int]) -> str:
    """Return a step in words, such as `replace a.py (lines 3 and 8)`.

    Args:
        operation: The operation.
        path: The file, or the command line.
        places: The lines where an edit begins, from 1.
    """
    name = f"{operation} {cut(path, 0, _MAX_TEXT)}"
    if not places:
        return name
    return f"{name} ({quote_places(places)})"


def quote_places(places: Sequence[int]) -> str:
    """Return line numbers, from 1, for a message: `line 3`, `lines 3 and 8`."""
    return quote_numbers([line - 1 for line in places])


def with_hint(message: str, hint: str) -> str:
    """Return a reason, with a hint in brackets if there is one."""
    text = cut(message, 0, _MAX_TEXT)
    if not hint:
        return text
    return f"{text} ({hint})"


def write_refusal(reasons: Sequence[str]) -> str:
    """Return the message on a plan that is not possible.

    Args:
        reasons: The reasons.

    Returns:
        The message; empty without reasons.
    """
    if not reasons:
        return ""
    lines = [
        "Nothing of your reply was done, because a part of it is not possible:",
        *_list_rows(reasons),
        "Correct these parts, and send the complete reply again.",
    ]
    return _join(lines)


def write_outcome(done: Sequence[str], missing: Sequence[str], notes: Sequence[str]) -> str:
    """Return the message on a plan that was carried out.

    Args:
        done: The steps that were done.
        missing: The steps that were not done, with the reasons.
        notes: Further sentences.
    """
    return _join(_outcome_lines(done, missing, notes))


def _outcome_lines(
    done: Sequence[str], missing: Sequence[str], notes: Sequence[str]
) -> Iterator[str]:
    if done:
        yield "Done:"
        yield from _list_rows(done)
    if missing:
        yield "Not done:"
        yield from _list_rows(missing)
    if not done and not missing:
        yield "There was nothing to do."
    yield from notes[:_MAX_ROWS]
    if missing:
        yield "The steps that are done stay. Send only the missing ones again."


def quote_output(output: str) -> str:
    """Return the output of a command on indented lines, without the beginning of a long one.

    Args:
        output: The output.

    Returns:
        The lines, each after a line feed; empty without output.
    """
    text = output.strip("\n")
    excess = size(text) - _MAX_OUTPUT
    # The gap is marked, so that the model does not take the end for the complete output.
    if excess > 0:
        omitted = counted(excess, "character")
        text = f"[{omitted} left out]\n{text[excess:]}"
    if not text:
        return ""
    lines = text.replace("\n", "\n  ")
    return f"\n  {lines}"


def _list_rows(rows: Sequence[str]) -> list[str]:
    items = [f"- {row}" for row in rows[:_MAX_ROWS]]
    excess = len(rows) - _MAX_ROWS
    if excess > 0:
        items.append(f"- and {excess} more")
    return items


def _join(lines: Iterator[str] | Sequence[str]) -> str:
    return "\n".join(lines) + "\n"
