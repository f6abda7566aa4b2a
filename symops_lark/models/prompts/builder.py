"""Build prompts from the system prompt of a dialect, example turns, the context, and the user's request."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...core.grammar.dialect import Dialect
from ...core.grammar.loading import load_dialect
from ...core.ground.errors import SymOpsError
from ...core.other_formats import find_other
from ...core.replies.messages import Message
from .agent_formats import say_in_format, teach_format
from .context import ShownFiles, read_files, show_files
from .edits import WHOLE_TEXTS, editing_verb, read_way, teach_edits
from .examples import TURNS, WHOLE, read_examples, say
from .template import enclose, fill, name_language
from .tokens import TokenCounter


def system_prompt(
    format: str | Path | Dialect = "v2", *, include_examples: bool = True, edits: str = WHOLE_TEXTS
) -> str:
    """Return the text that teaches a model to reply in a dialect, or in the format of another agent.

    The text between the `reply` tags of the example parses strictly in the dialect or format.

    Args:
        format: The dialect or format: its name, the path of a .lark file, or a loaded dialect.
        include_examples: Whether to end with a complete example.
        edits: How a part of a file is changed: "whole" (not at all), "search-replace", "diff" or
            "anchors".

    Returns:
        The system prompt, which ends with a line break.

    Raises:
        GrammarError: There is no such dialect, or its grammar is invalid.
        SymOpsError: There are no such edits, or the dialect has no verb for them.
    """
    agent_format = find_other(format, edits=edits != WHOLE_TEXTS)
    if agent_format is not None:
        return teach_format(agent_format, include_examples=include_examples)
    dialect = load_dialect(format)
    way = read_way(edits)
    text = fill(dialect, is_whole=way is None)
    if way is not None:
        text += "\n\n" + teach_edits(way, dialect, include_examples)
    shown = _show_examples(WHOLE, dialect) if include_examples else []
    if shown:
        text += "\n\n# Example\n\nBetween the tags stands a whole reply; the tags are no part of it.\n\n" + shown[0]
    return text.rstrip("\n") + "\n"


def few_shot_examples(format: str | Path | Dialect = "v2") -> list[dict[str, str]]:
    """Return the example turns in a dialect or format, each with the keys `user` and `assistant`."""
    rows = _say_examples(TURNS, format)
    return [{"user": request, "assistant": reply.rstrip("\n")} for request, reply in rows]


def _show_examples(stem: str, format: str | Path | Dialect) -> list[str]:
    return [enclose("request", request) + enclose("reply", reply) for request, reply in _say_examples(stem, format)]


def _say_examples(stem: str, format: str | Path | Dialect) -> list[tuple[str, str]]:
    agent_format = find_other(format)
    if agent_format is not None:
        return say_in_format(stem, agent_format)
    dialect = load_dialect(format)
    said = ((example.request, say(example, dialect)) for example in read_examples(stem))
    return [(request, reply[0]) for request, reply in said if reply is not None]


class PromptBuilder:
    """Builds prompts in one dialect: as one text, or as messages for a chat model.

    Args:
        format: The dialect, or the format of another agent: its name, the path of a .lark file, or
            a loaded dialect.
        budget: The maximum number of tokens for the files of a context. None: no limit.
        counter: Counts the tokens. None: the default encoding, or an estimate if no tokenizer is
            installed.
        edits: How a part of a file is changed: "whole" (not at all), "search-replace", "diff" or
            "anchors", which are shown before the lines of files.

    Attributes:
        format: The dialect or format.
        budget: The maximum number of tokens for the files of a context, or None.
        counter: Counts the tokens, or None for the default counter.
        edits: How a part of a file is changed.
        shown: The texts of the files that the last prompt shows, by name, for `plan(shown=…)`.

    Raises:
        GrammarError: There is no such dialect, or its grammar is invalid.
        SymOpsError: There are no such edits, or the dialect has no verb for them.
    """

    def __init__(
        self,
        format: str | Path | Dialect = "v2",
        *,
        budget: int | None = None,
        counter: TokenCounter | None = None,
        edits: str = WHOLE_TEXTS,
    ) -> None:
        # A format is found by its name each time, and a dialect is loaded once.
        self.format = format if find_other(format, edits=edits != WHOLE_TEXTS) else load_dialect(format)
        self.budget = budget
        self.counter = counter
        self.edits = edits
        self.shown: dict[str, str] = {}
        way = read_way(edits)
        if way is not None:
            editing_verb(self.dialect)

    @property
    def dialect(self) -> Dialect:
        """The loaded dialect; a format of another agent raises `GrammarError`."""
        return load_dialect(self.format)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PromptBuilder):
            return False
        mine = (self.format, self.budget, self.counter, self.edits)
        return (other.format, other.budget, other.counter, other.edits) == mine

    def __hash__(self) -> int:
        return hash((self.format, self.budget, self.edits))

    def build_prompt(
        self, user_request: str, context: Mapping[str, Any] | None = None, include_examples: bool = True
    ) -> str:
        """Return a prompt as one text: the description of the dialect, examples, context and request.

        Args:
            user_request: The request, as the user wrote it.
            context: Facts to show to the model, by name. The key `files` has a list of names, or
                a mapping of names to contents (text, bytes, or None to show only the name).
            include_examples: Whether to show examples of requests and replies.

        Returns:
            The prompt.

        Raises:
            SymOpsError: The context is not a mapping, or not even the names of its files fit in
                the budget.
        """
        parts = [system_prompt(self.format, include_examples=include_examples, edits=self.edits)]
        if include_examples:
            parts += _show_examples(TURNS, self.format)
        parts += self._context(context)
        parts.append("# Task\n\n" + enclose("request", user_request))
        name = name_language(self.format).partition(" (")[0] if isinstance(self.format, Dialect) else "this format"
        parts.append(f"Your reply, in {name}:\n")
        return "\n".join(parts)

    def messages(
        self, user_request: str, context: Mapping[str, Any] | None = None, include_examples: bool = True
    ) -> list[Message]:
        """Return a prompt as messages for a chat model.

        Args:
            user_request: The request, as the user wrote it.
            context: Facts to show to the model, as for `build_prompt`.
            include_examples: Whether to include the examples as turns of user and assistant.

        Returns:
            The system message, the example turns, and the message of the user. Each is a dict with
            `role` and `content`, which clients accept without conversion.

        Raises:
            SymOpsError: The context is not a mapping, or not even the names of its files fit in
                the budget.
        """
        text = system_prompt(self.format, include_examples=include_examples, edits=self.edits)
        turns = [Message("system", text)]
        for turn in few_shot_examples(self.format) if include_examples else ():
            turns += [Message(role, turn[role]) for role in ("user", "assistant")]
        parts = self._context(context)
        request = "\n".join((*parts, "# Task\n\n" + enclose("request", user_request))) if parts else user_request
        return [*turns, Message("user", request)]

    def show_files(self, files: Any) -> ShownFiles:
        """Return the part of the context that shows files, and the files that are shortened or omitted.

        Args:
            files: A list of names, or a mapping of names to contents.

        Returns:
            The text, and the notes about files that are not shown completely.

        Raises:
            SymOpsError: `files` is neither a list nor a mapping, or not even the names fit in the
                budget.
        """
        known = read_files(files)
        shown = show_files(known, self.budget, self.counter, with_anchors=self.edits == "anchors")
        self.shown = {file.name: file.text for file in known if file.text is not None}
        return shown

    def _context(self, context: Mapping[str, Any] | None) -> list[str]:
        parts = []
        if context is not None and not isinstance(context, Mapping):
            raise SymOpsError(f"a context is a mapping, not {type(context).__name__}")
        facts = {str(key): value for key, value in (context or {}).items() if key != "files"}
        if facts:
            parts.append("# Context\n\n" + "\n".join(enclose(_tag(key), _text(facts[key])) for key in facts))
        if context and "files" in context:
            files = context["files"]
            shown = files if isinstance(files, ShownFiles) else self.show_files(files)
            if shown.text:
                parts.append("# Files\n\n" + shown.text)
        return parts


def _tag(key: str) -> str:
    return "context_" + "".join(c if c.isascii() and c.isalnum() else "_" for c in key.lower())


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return "\n".join(f"{key}: {item}" for key, item in value.items())
    return "\n".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
