"""Prompts put together: the system prompt of a dialect, example turns, the context, and the user's request."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...core.grammar.dialect import Dialect
from ...core.grammar.loading import load_dialect
from ...core.ground.errors import SymOpsError
from ...core.replies.messages import Message
from .context import ShownFiles, read_files, show_files
from .examples import TURNS, WHOLE, read_examples, say
from .template import enclose, fill
from .tokens import TokenCounter


def system_prompt(format: str | Path | Dialect = "v2", *, include_examples: bool = True) -> str:
    """Return the text that teaches a model to reply in a dialect, with one complete example.

    What stands between the tags `reply` parses strictly in the dialect. Raises `GrammarError` if there is none.
    """
    dialect = load_dialect(format)
    text = fill(dialect)
    shown = _show_examples(WHOLE, dialect) if include_examples else []
    if shown:
        text += "\n\n# Example\n\nBetween the tags stands a whole reply; the tags are no part of it.\n\n" + shown[0]
    return text.rstrip("\n") + "\n"


def few_shot_examples(format: str | Path | Dialect = "v2") -> list[dict[str, str]]:
    """Return the example turns in a dialect, each with the keys `user` and `assistant`."""
    dialect = load_dialect(format)
    return [{"user": request, "assistant": reply.rstrip("\n")} for request, reply in _say_examples(TURNS, dialect)]


def _show_examples(stem: str, dialect: Dialect) -> list[str]:
    return [enclose("request", request) + enclose("reply", reply) for request, reply in _say_examples(stem, dialect)]


def _say_examples(stem: str, dialect: Dialect) -> list[tuple[str, str]]:
    said = ((example.request, say(example, dialect)) for example in read_examples(stem))
    return [(request, reply[0]) for request, reply in said if reply is not None]


class PromptBuilder:
    """Makes prompts in one dialect: as one text, or as messages for a chat model.

    `budget` is how many tokens the files of a context may take (no limit without it), `counter` how they are counted.
    """

    def __init__(
        self, format: str | Path | Dialect = "v2", *, budget: int | None = None, counter: TokenCounter | None = None
    ) -> None:
        self.dialect = load_dialect(format)
        self.budget = budget
        self.counter = counter

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PromptBuilder) and vars(other) == vars(self)

    def __hash__(self) -> int:
        return hash((self.dialect, self.budget))

    def build_prompt(
        self, user_request: str, context: Mapping[str, Any] | None = None, include_examples: bool = True
    ) -> str:
        """Return one text with everything: what the dialect is, examples, the context, the request.

        `context` may have `files`: names, or a mapping of names to contents (text, bytes, or None for the name
        alone). Every other key is shown with its value. Raises `SymOpsError` for a context that cannot be shown.
        """
        parts = [system_prompt(self.dialect, include_examples=include_examples)]
        if include_examples:
            parts += _show_examples(TURNS, self.dialect)
        parts += self._context(context)
        parts.append("# Task\n\n" + enclose("request", user_request))
        parts.append("Your reply, in Sym-Ops:\n")
        return "\n".join(parts)

    def messages(
        self, user_request: str, context: Mapping[str, Any] | None = None, include_examples: bool = True
    ) -> list[Message]:
        """Return the same as messages: system, the examples as turns of user and assistant, the user's own.

        Each is a dict with `role` and `content`, so clients take them as they are.
        """
        turns = [Message("system", system_prompt(self.dialect, include_examples=include_examples))]
        for turn in few_shot_examples(self.dialect) if include_examples else ():
            turns += [Message(role, turn[role]) for role in ("user", "assistant")]
        parts = self._context(context)
        request = "\n".join((*parts, "# Task\n\n" + enclose("request", user_request))) if parts else user_request
        return [*turns, Message("user", request)]

    def show_files(self, files: Any) -> ShownFiles:
        """Return the part of the context that shows files, and which of them are cut or left out."""
        return show_files(read_files(files), self.budget, self.counter)

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
