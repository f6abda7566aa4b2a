"""Make the mistakes that models make in edits, and change files before an edit arrives.

A function with `@mistake` makes one mistake. To add a mistake, add a function.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

from .arms import Edit
from .tasks import EditTask


@dataclass(frozen=True, slots=True)
class Attempt:
    """An edit before it is planned.

    Attributes:
        task: The task.
        arm: The name of the way to edit.
        edit: The edit.
        file: The text of the file now. It may differ from the text that the model saw.
        goal: The text that the file must have afterwards.
        share: The share of the reply that arrives, from its beginning.
    """

    task: EditTask
    arm: str
    edit: Edit
    file: str
    goal: str
    share: float = 1.0


# Returns the damaged attempt, or None if the mistake cannot be made in it.
Damage = Callable[[Attempt, Random], Attempt | None]
DAMAGE: dict[str, Damage] = {}


def mistake(name: str) -> Callable[[Damage], Damage]:
    """Return a decorator that registers a mistake.

    Args:
        name: The mistake in words.
    """

    def register(function: Damage) -> Damage:
        DAMAGE[name] = function
        return function

    return register


@mistake("a letter of a quoted line is wrong")
def _misspell(attempt: Attempt, rng: Random) -> Attempt | None:
    return _change_quote(attempt, rng, _change_letter)


@mistake("a quoted line ends with blanks")
def _add_blanks(attempt: Attempt, rng: Random) -> Attempt | None:
    # An anchor quotes no text of the line.
    if attempt.arm == "anchors":
        return None
    return _change_quote(attempt, rng, lambda line, arm, rng: line + "  ")


@mistake("a quoted line is left out")
def _leave_out_line(attempt: Attempt, rng: Random) -> Attempt | None:
    inner = attempt.edit.quotes[1:-1]
    if not inner:
        return None
    gone = rng.choice(inner)
    lines = attempt.edit.lines
    return replace(attempt, edit=Edit(lines[:gone] + lines[gone + 1 :]))


@mistake("quoted lines are indented by two more")
def _indent(attempt: Attempt, rng: Random) -> Attempt | None:
    # New lines are indented with them: the model has the block at another depth.
    if attempt.arm not in ("search-replace", "diff"):
        return None
    width = _mark_width(attempt.arm)
    lines = [_indent_line(line, width) for line in attempt.edit.lines]
    return replace(attempt, edit=Edit(tuple(lines)))


@mistake("the number of a line is off by one")
def _shift_number(attempt: Attempt, rng: Random) -> Attempt | None:
    if attempt.arm != "anchors":
        return None
    head = attempt.edit.lines[0]
    number, _, hash_and_mark = head.removeprefix("@@ ").partition(":")
    shifted = f"@@ {int(number) + 1}:{hash_and_mark}"
    return replace(attempt, edit=Edit((shifted, *attempt.edit.lines[1:])))


@mistake("the reply is cut off")
def _cut_off(attempt: Attempt, rng: Random) -> Attempt | None:
    return replace(attempt, share=_KEPT)


@mistake("the end of the content is left out")
def _leave_out_end(attempt: Attempt, rng: Random) -> Attempt | None:
    # The marks of the action are written, so the reply looks complete.
    lines = attempt.edit.lines
    kept_count = int(len(lines) * _KEPT)
    if kept_count == 0:
        return None
    return replace(attempt, edit=Edit(lines[:kept_count]))


@mistake("lines stand for the rest of the file")
def _leave_out_rest(attempt: Attempt, rng: Random) -> Attempt | None:
    start = attempt.task.first - _SHOWN
    if attempt.arm != "whole" or start < _SHOWN:
        return None
    lines = ("# ... rest of the file unchanged ...", *attempt.edit.lines[start:])
    return replace(attempt, edit=Edit(lines))


@mistake("the file has grown above the place")
def _grow(attempt: Attempt, rng: Random) -> Attempt | None:
    return replace(attempt, file=_ADDED + attempt.file, goal=_ADDED + attempt.goal)


@mistake("the place itself has changed")
def _change_place(attempt: Attempt, rng: Random) -> Attempt | None:
    # No edit fits any more, so the file must stay as it is.
    lines = attempt.file.split("\n")
    task = attempt.task
    index = task.first if task.old else task.first - 1
    lines[index] += "  # changed by another program"
    text = "\n".join(lines)
    return replace(attempt, file=text, goal=text)


# Returns a line with a mistake, given the name of the arm, or None if it cannot be made.
_LineDamage = Callable[[str, str, Random], str | None]


def _change_quote(attempt: Attempt, rng: Random, change: _LineDamage) -> Attempt | None:
    """Change one of the lines that quote the file."""
    # Any of them may be the one that the model copies wrongly.
    lines = list(attempt.edit.lines)
    quotes = list(attempt.edit.quotes)
    rng.shuffle(quotes)
    for index in quotes:
        changed = change(lines[index], attempt.arm, rng)
        if changed is not None:
            lines[index] = changed
            return replace(attempt, edit=Edit(tuple(lines), attempt.edit.quotes))
    return None


def _change_letter(line: str, arm: str, rng: Random) -> str | None:
    """Return a line with another letter in place of one; in anchors, the last one of the hash."""
    if arm == "anchors":
        place = len(line.rstrip("+-")) - 1
    else:
        places = [index for index in range(_mark_width(arm), len(line)) if line[index].isalpha()]
        if not places:
            return None
        place = rng.choice(places)
    letter = "y" if line[place] == "x" else "x"
    return line[:place] + letter + line[place + 1 :]


def _mark_width(arm: str) -> int:
    """Return how many characters of a line are a mark of the notation."""
    return 1 if arm == "diff" else 0


def _indent_line(line: str, width: int) -> str:
    text = line[width:]
    if line.startswith(_MARKS) or not text.strip():
        return line
    return f"{line[:width]}  {text}"


_MARKS = ("<<<<<<<", "=======", ">>>>>>>", "@@")
_ADDED = "# one\n# two\n# three\n"
# The share of a reply or of a content that is kept.
_KEPT = 0.6
# Lines above the change that a shortened text shows.
_SHOWN = 10
