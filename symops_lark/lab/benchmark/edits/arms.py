"""Write the edit of a task in each way that prompts teach, without a mistake.

To add an arm, add a function with `@arm`. Its name is that of a way of `PromptBuilder(edits=…)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ....core.edits import show_anchors
from .tasks import EditTask


@dataclass(frozen=True, slots=True)
class Edit:
    """An edit in a notation.

    Attributes:
        lines: Its lines.
        quotes: The indices of the lines that quote the file to find the place.
    """

    lines: tuple[str, ...]
    quotes: tuple[int, ...] = ()

    @property
    def content(self) -> str:
        """The content of the action."""
        return "".join(f"{line}\n" for line in self.lines)


Arm = Callable[[EditTask], Edit]
ARMS: dict[str, Arm] = {}
# Lines of the file around a change in a diff.
_CONTEXT = 3


def arm(name: str) -> Callable[[Arm], Arm]:
    """Return a decorator that registers an arm.

    Args:
        name: The name of the way to edit.
    """

    def register(function: Arm) -> Arm:
        ARMS[name] = function
        return function

    return register


@arm("whole")
def write_whole(task: EditTask) -> Edit:
    """Write the whole new text of the file.

    Args:
        task: The task.
    """
    lines = task.after.split("\n")
    # The text ends with a line feed, so the last part is empty.
    return Edit(tuple(lines[:-1]))


@arm("search-replace")
def write_blocks(task: EditTask) -> Edit:
    """Write one block that quotes the fewest lines that occur once.

    Args:
        task: The task.
    """
    # Inserted lines need a line that is quoted in both halves.
    context = 0 if task.old else 1
    start, end = _find_unique(task, context)
    lines = task.before.split("\n")
    # What is around the change stays.
    above = lines[start : task.first]
    below = lines[task.end : end]
    search = lines[start:end]
    replacement = [*above, *task.new, *below]
    block = ("<<<<<<< SEARCH", *search, "=======", *replacement, ">>>>>>> REPLACE")
    quotes = range(1, len(search) + 1)
    return Edit(block, tuple(quotes))


@arm("diff")
def write_hunk(task: EditTask) -> Edit:
    """Write one hunk without numbers, with three lines around the change or more.

    Args:
        task: The task.
    """
    start, end = _find_unique(task, _CONTEXT)
    lines = task.before.split("\n")
    # Models count lines wrongly, so the prompt asks for no numbers.
    hunk = ["@@ ... @@"]
    hunk += _sign(" ", lines[start : task.first])
    hunk += _sign("-", task.old)
    hunk += _sign("+", task.new)
    hunk += _sign(" ", lines[task.end : end])
    quotes = [index for index, line in enumerate(hunk) if line[:1] in (" ", "-")]
    return Edit(tuple(hunk), tuple(quotes))


@arm("anchors")
def write_anchors(task: EditTask) -> Edit:
    """Write one place by the anchors that the model was shown.

    Args:
        task: The task.
    """
    # Each row is an anchor, a bar, and the line.
    rows = show_anchors(task.before).split("\n")
    # An inserted line goes below the line before it.
    index = task.first
    if not task.old:
        index -= 1
    row = rows[index]
    anchor = row.partition("|")[0]
    mark = ""
    if not task.old:
        mark = "+"
    elif not task.new:
        mark = "-"
    return Edit((f"@@ {anchor}{mark}", *task.new), (0,))


def _sign(mark: str, lines: Iterable[str]) -> list[str]:
    return [mark + line for line in lines]


def _find_unique(task: EditTask, context: int) -> tuple[int, int]:
    """Return the first and the end index of lines around the change that occur once.

    Args:
        task: The task.
        context: The least number of lines above and below the change.
    """
    lines = task.before.split("\n")[:-1]
    while True:
        start = max(0, task.first - context)
        end = min(len(lines), task.end + context)
        is_all = end - start == len(lines)
        if is_all or _count(lines, lines[start:end]) == 1:
            return start, end
        # Too few lines: they occur several times.
        context += 1


def _count(lines: list[str], block: list[str]) -> int:
    """Return how often a block of lines occurs."""
    size = len(block)
    starts = range(len(lines) - size + 1)
    return sum(lines[start : start + size] == block for start in starts)
