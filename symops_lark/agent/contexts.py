"""Build prompts: the request with its slots, what was found, what failed before, and the files.

Invariants
    1. The message of the user has at most `Task.context_tokens` tokens, by the counter that is
       named in the event PROMPT.
    2. A text of a file is a slice of it, byte for byte, between tags that do not occur in it.
    3. What is cut or left out is named in the message and in the event.

The system message and the examples teach the dialect; they are the same for every request, and do
not count.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from ..acting.files.view import FolderView
from ..code_intelligence import QueryFrame
from ..core.ground.errors import SymOpsError
from ..core.ground.numbers import counted
from ..core.replies.messages import Message
from ..models.prompts import PromptBuilder
from ..models.prompts.context import ContextFile, ShownFiles, make_file, show_files
from ..models.prompts.tokens import TokenCounter
from .task import Task

# Shares of the budget, in percent; files get what is left. Set with the stories of the tests.
_SYMBOLS, _EVIDENCE, _FAILURES = 10, 10, 15
_ATTEMPTS = 8  # to fit the files: tokens at the seams make the sum of parts wrong by a few
_SLACK = 16  # tokens of the heading above the files
_QUESTION = (
    "Answer the request in plain words, by the code that is shown_files. No file is changed."
)


@dataclass(frozen=True, slots=True)
class Context:
    """A prompt.

    Attributes:
        messages: The conversation.
        facts: The members of the event PROMPT: tokens, hashes, line ranges, what was cut.
    """

    messages: tuple[Message, ...]
    facts: Mapping[str, Any]


def build_context(
    task: Task, frame: QueryFrame, found: Mapping[str, Any], failures: str, counter: TokenCounter
) -> Context:
    """Return the prompt of a round.

    Args:
        task: The task.
        frame: The slots, with their sources.
        found: The members of the event EXPLORED.
        failures: The output of the tests of the round before; empty: there was none.
        counter: Counts the tokens.

    Raises:
        SymOpsError: Not even the request with its slots fits in the budget.
    """
    builder = PromptBuilder(task.format, counter=counter)
    writer = _Writer(task, builder, counter)
    # A slot that no quote supports is not what the request says, so it is not shown.
    slots = [
        f"{slot}: {frame.get(slot)} ({frame.slot_source.get(slot, 'stated')})"
        for slot in frame.slot_quotes
    ]
    writer.add("slots", slots, 100)
    if writer.left < 0:
        needed = counted(task.context_tokens - writer.left, "token")
        raise SymOpsError(
            f"context_tokens: {task.context_tokens} are too few: the request alone has {needed}"
        )
    places = [f"{name}: {', '.join(lines)}" for name, lines in found.get("definitions", {}).items()]
    hits = [f"{hit['path']}:{hit['line']}: {hit['text'].strip()}" for hit in found.get("hits", ())]
    writer.add("symbols", places, _SYMBOLS)
    writer.add("evidence", hits, _EVIDENCE)
    writer.add("failed_before", failures.splitlines(), _FAILURES, from_end=True)
    # The files as they are now: a round before may have changed them.
    view = FolderView(task.root)
    files = [_read_file(view, part) for part in found.get("files", ())]
    shown_files = writer.add_files([file for file in files if file is not None])
    messages = writer.messages(shown_files)
    if not task.writes:
        messages = (Message("system", _QUESTION), messages[-1])
    hashes = {part["path"]: part["sha256"] for part in found.get("files", ())}
    facts = {
        "tokens": counter.count(messages[-1].content),
        "counter": counter.name,
        "sha256": sha256(
            "\0".join(message.content for message in messages).encode("utf-8", "replace")
        ).hexdigest(),
        "shown": [
            {"path": name, "lines": [first, last], "sha256": hashes.get(name, "")}
            for name, first, last in shown_files.ranges
        ],
        "cut": [*writer.cut, *(f"{name}: {note}" for name, note in shown_files.notes)],
    }
    return Context(messages, facts)


def _read_file(view: FolderView, part: Mapping[str, Any]) -> ContextFile | None:
    """Return a file as it is now, or the lines of it that were opened."""
    data = view.look(part["path"]).data
    if data is None:
        return None
    file = make_file(part["path"], data)
    lines = part.get("lines")
    if lines is None or file.text is None:
        return file
    return ContextFile(file.name, file.text, file.size, lines=(lines[0], lines[1]))


class _Writer:
    """A message that grows part by part, within the budget. `cut` names what did not fit."""

    def __init__(self, task: Task, builder: PromptBuilder, counter: TokenCounter) -> None:
        self._task, self._builder, self._count = task, builder, counter.count
        self._parts: dict[str, str] = {}
        self._counter = counter
        self.cut: list[str] = []

    @property
    def left(self) -> int:
        """The tokens that are left."""
        return self._task.context_tokens - self._size(None)

    def add(self, name: str, lines: Sequence[str], percent: int, *, from_end: bool = False) -> None:
        """Add a part, or those of its lines that fit in its share of the budget."""
        if not lines:
            return
        if percent == 100:
            self._parts[name] = "\n".join(lines)
            return
        budget = min(self._task.context_tokens * percent // 100, self.left - _SLACK)
        fitting = _fit(lines, budget, self._count, from_end)
        if len(fitting) == len(lines):
            self._parts[name] = "\n".join(fitting)
            return
        note = f"{name}: {counted(len(lines) - len(fitting), 'line')} left out"
        self.cut.append(note)
        fitting.insert(0 if from_end else len(fitting), f"[{note}]")
        self._parts[name] = "\n".join(fitting)
        # The tags around a part, and the note, are not in its share: a small budget has no room.
        if self.left < 0:
            del self._parts[name]

    def add_files(self, files: Sequence[ContextFile]) -> ShownFiles:
        """Return the files within what is left; without room for all names the last ones go."""
        remaining = list(files)
        budget = self.left - _SLACK
        for _ in range(_ATTEMPTS + len(files)):
            if not remaining or budget <= 0:
                break
            try:
                shown_files = show_files(remaining, budget, self._counter)
            except SymOpsError:  # not even the names fit
                self.cut.append(f"{remaining.pop().name}: left out, there is no room for it")
                continue
            excess = self._size(shown_files) - self._task.context_tokens
            if excess <= 0:
                return shown_files
            budget -= excess
        self.cut += [f"{file.name}: left out, there is no room for it" for file in remaining]
        return ShownFiles("", ())

    def messages(self, shown_files: ShownFiles | None) -> tuple[Message, ...]:
        """Return the conversation, the request last."""
        context: dict[str, Any] = dict(self._parts)
        if shown_files is not None and shown_files.text:
            context["files"] = shown_files
        return tuple(self._builder.messages(self._task.request, context or None))

    def _size(self, shown_files: ShownFiles | None) -> int:
        return self._count(self.messages(shown_files)[-1].content)


def _fit(
    lines: Sequence[str], limit: int, count: Callable[[str], int], from_end: bool
) -> list[str]:
    """Return the first lines, or the last ones, within a limit of tokens."""
    fitting = []
    for line in reversed(lines) if from_end else lines:
        limit -= count(line + "\n")
        if limit < 0:
            break
        fitting.append(line)
    return fitting[::-1] if from_end else fitting
