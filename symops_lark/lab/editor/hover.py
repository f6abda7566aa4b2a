"""Describe the thing at a place of a file, as Markdown."""

from __future__ import annotations

from typing import NamedTuple

from ...core.document import Action, Section
from ...core.grammar.agent_formats import NEEDED
from ...core.grammar.loading import load_dialect
from ...core.grammar.mistakes import load_mistakes, mistake_name
from ...core.ground.numbers import counted
from ...core.processor import SymOpsProcessor
from ...models.prompts.template import quote
from .edited_file import RECOVERY, EditedFile, Kind
from .names import find_names
from .readings import dialect_of, read_document
from .vocabulary import describe, describe_verb, list_keys


class Hover(NamedTuple):
    """The description of a part of a text.

    Attributes:
        markdown: The description.
        start: The offset of the part.
        end: The offset after it.
    """

    markdown: str
    start: int
    end: int


def find_hover(file: EditedFile, offset: int, processor: SymOpsProcessor) -> Hover | None:
    """Return the description of the thing at an offset; None if there is no description.

    Args:
        file: The file.
        offset: The offset.
        processor: The pipeline that reads replies.
    """
    if file.kind is Kind.REPLY:
        return _describe_section(file, offset, processor)
    word, start, end = file.word_at(offset)
    if not word:
        return None
    is_grammar = file.kind in (Kind.GRAMMAR, Kind.FORMAT)
    markdown = _describe_name(file, word) if is_grammar else _describe_word(file, word)
    return Hover(markdown, start, end) if markdown else None


def _describe_section(file: EditedFile, offset: int, processor: SymOpsProcessor) -> Hover | None:
    for section in read_document(file.text, processor).sections:
        start = section.span.start
        end = section.span.end
        # The content of a block is in another language, which has its own server.
        if isinstance(section, Action) and section.content_span is not None:
            content = section.content_span
            if content.start <= offset < content.end:
                return None
            end = min(end, content.start)
        if start <= offset < end:
            return Hover(_describe(section, file.text, processor), start, end)
    return None


def _describe(section: Section, text: str, processor: SymOpsProcessor) -> str:
    if not isinstance(section, Action):
        return describe(section)
    lines = [f"**{section.type}** {quote(section.path)}"]
    use = describe_verb(section.type, dialect_of(text, processor))
    if use:
        lines.append(use)
    lines.append(f"confidence {section.confidence:.2f}, {section.completeness}")
    if section.content is not None:
        size = "empty"
        if section.content:
            size = counted(section.content.count("\n") + 1, "line")
        lines.append(f"content: {size}")
    if section.dependencies:
        lines.append("after " + ", ".join(map(quote, section.dependencies)))
    return "\n\n".join(lines)


def _describe_name(file: EditedFile, name: str) -> str:
    places = find_names(file.path, file.text).get(name, [])
    parts = []
    # All definitions, the grammar's own first: an override hides the one that it replaces.
    for place in places:
        kind = "terminal" if name.strip("_")[:1].isupper() else "rule"
        where = "" if place.path == file.path else f" of {quote(place.path.name)}"
        parts.append(f"{kind} {quote(name)}{where}")
        parts.append(f"```lark\n{place.excerpt}\n```")
        if place.comment:
            parts.append(place.comment)
    if file.kind is Kind.FORMAT and name in NEEDED:
        rows = ", or ".join(" and ".join(map(quote, row)) for row in NEEDED[name])
        parts.append(f"This section of a format needs the terminals {rows}")
    # A rule of a recovery grammar may inherit its words from v2, and then has no comment here.
    if file.path.stem.endswith(RECOVERY) and not parts:
        parts += _describe_mistake(mistake_name(name))
    return "\n\n".join(parts)


def _describe_word(file: EditedFile, word: str) -> str:
    if file.kind is not Kind.RULE:
        return ""
    description = list_keys().get(word)
    if description:
        return f"**{word}**: {description}"
    return "\n\n".join(_describe_mistake(word))


def _describe_mistake(code: str) -> list[str]:
    mistake = load_mistakes(load_dialect("v2")).get(code)
    if mistake is None:
        return []
    parts = [f"mistake **{code}**: {mistake.sentence}"]
    if mistake.hint:
        parts.append(f"hint: {mistake.hint}")
    if mistake.price:
        parts.append(f"price: {mistake.price}")
    if mistake.tags:
        parts.append("tags: " + ", ".join(mistake.tags))
    return parts
