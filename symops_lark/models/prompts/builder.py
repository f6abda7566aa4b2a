"""Build prompts from the system prompt of a dialect, examples, the context, and the request."""

from __future__ import annotations

import re
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
    """Return the text that teaches a model to reply in a dialect, or in another agent's format.

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
    # A dialect may lack the sections of the example.
    examples = _show_examples(WHOLE, dialect) if include_examples else []
    if examples:
        # These words are measured: benchmarks of other formats have the same.
        note = "Between the tags stands a whole reply; the tags are no part of it."
        text += f"\n\n# Example\n\n{note}\n\n{examples[0]}"
    return text.rstrip("\n") + "\n"


def few_shot_examples(format: str | Path | Dialect = "v2") -> list[dict[str, str]]:
    """Return the example turns in a dialect or format: dicts with `user` and `assistant`."""
    rows = _say_examples(TURNS, format)
    return [{"user": request, "assistant": reply.rstrip("\n")} for request, reply in rows]


def _show_examples(stem: str, format: str | Path | Dialect) -> list[str]:
    rows = _say_examples(stem, format)
    return [enclose("request", request) + enclose("reply", reply) for request, reply in rows]


def _say_examples(stem: str, format: str | Path | Dialect) -> list[tuple[str, str]]:
    """Return the requests and replies of a file, without replies that cannot be expressed."""
    agent_format = find_other(format)
    if agent_format is not None:
        return say_in_format(stem, agent_format)
    dialect = load_dialect(format)
    # A dialect without commands has fewer examples.
    rows = []
    for example in read_examples(stem):
        reply = say(example, dialect)
        if reply is not None:
            rows.append((example.request, reply[0]))
    return rows


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
        is_other = find_other(format, edits=edits != WHOLE_TEXTS) is not None
        self.format = format if is_other else load_dialect(format)
        self.budget = budget
        self.counter = counter
        self.edits = edits
        self.shown: dict[str, str] = {}
        # Wrong edits are reported now, and not with the first prompt.
        if read_way(edits) is not None:
            editing_verb(self.dialect)

    @property
    def dialect(self) -> Dialect:
        """The loaded dialect; a format of another agent raises `GrammarError`."""
        return load_dialect(self.format)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PromptBuilder) and self._settings == other._settings

    def __hash__(self) -> int:
        return hash(self._settings)

    @property
    def _settings(self) -> tuple[Any, ...]:
        return self.format, self.budget, self.counter, self.edits

    def build_prompt(
        self,
        user_request: str,
        context: Mapping[str, Any] | None = None,
        include_examples: bool = True,
    ) -> str:
        """Return a prompt as one text: the dialect, examples, the context and the request.

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
        parts.append(_show_task(user_request))
        # The name of another agent's format would mean nothing to a model.
        name = "this format"
        if isinstance(self.format, Dialect):
            name = name_language(self.format).partition(" (")[0]
        parts.append(f"Your reply, in {name}:\n")
        return "\n".join(parts)

    def messages(
        self,
        user_request: str,
        context: Mapping[str, Any] | None = None,
        include_examples: bool = True,
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
        # Examples as turns: a model follows its own replies more closely than a description.
        turns = [Message("system", text)]
        if include_examples:
            for example in few_shot_examples(self.format):
                turns += [Message(role, words) for role, words in example.items()]
        parts = self._context(context)
        # Without a context the message has only the request, as in the example turns.
        if parts:
            user_request = "\n".join((*parts, _show_task(user_request)))
        return [*turns, Message("user", user_request)]

    def show_files(self, files: Any) -> ShownFiles:
        """Return the part of the context that shows files, and which of them are not complete.

        Args:
            files: A list of names, or a mapping of names to contents.

        Returns:
            The text, and the notes about files that are not shown completely.

        Raises:
            SymOpsError: `files` is neither a list nor a mapping, or not even the names fit in the
                budget.
        """
        loaded = read_files(files)
        with_anchors = self.edits == "anchors"
        view = show_files(loaded, self.budget, self.counter, with_anchors=with_anchors)
        # Whole texts, even of files that are cut: a model may change only what it was shown.
        self.shown = {file.name: file.text for file in loaded if file.text is not None}
        return view

    def _context(self, context: Mapping[str, Any] | None) -> list[str]:
        """Return the sections of a context: its facts, then its files."""
        if context is None:
            return []
        if not isinstance(context, Mapping):
            raise SymOpsError(f"a context is a mapping, not {type(context).__name__}")
        parts = []
        # Facts of any kind, such as the branch or the language of the project.
        facts = []
        for key, value in context.items():
            if key != "files":
                facts.append(_show_fact(str(key), _text(value)))
        if facts:
            parts.append("# Context\n\n" + "\n".join(facts))
        if "files" in context:
            files = context["files"]
            # A caller that needs the notes has shown the files already.
            view = files if isinstance(files, ShownFiles) else self.show_files(files)
            if view.text:
                parts.append("# Files\n\n" + view.text)
        return parts


def _show_task(request: str) -> str:
    return "# Task\n\n" + enclose("request", request)


def _show_fact(key: str, text: str) -> str:
    # The prefix keeps names such as "reply" apart from the tags of the prompt.
    tag = re.sub(r"\W", "_", key.lower())
    # A name that is no tag is also shown as it is: two of them may have one tag.
    attributes = {} if tag == key else {"name": key}
    return enclose(f"context_{tag}", text, **attributes)


def _text(value: Any) -> str:
    """Return a fact as a text: of a mapping or a list, a line for each item."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return "\n".join(f"{key}: {item}" for key, item in value.items())
    if isinstance(value, list | tuple):
        return "\n".join(map(str, value))
    return str(value)
