"""Replies in another format altogether, whose structure leaves no doubt: JSON, tags, fences under file names.

Law: a reply is all in one layout, or in none. What is only partly understood invents nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..document import Action, Completeness, Document, Section, Skipped
from ..grammar.dialect import Dialect
from ..grammar.mistakes import load_mistakes
from ..source import LineEndings, Source
from .confidence import action_confidence, price_to_cost
from .fence_layout import read_fences
from .foreign_actions import ForeignAction
from .json_layout import read_json
from .tag_layout import read_tags

_LAYOUTS: dict[str, tuple[str, Callable[[str, Dialect], list[ForeignAction]]]] = {
    "foreign-json": ("{[`", read_json),
    "foreign-tags": ("<", read_tags),
    "foreign-fences": ("", read_fences),
}
_VERBLESS = ("foreign-fences",)  # nobody said what to do with such files
_GUESS = 0.5  # the confidence of an action whose verb is a guess


def find_layout(text: str, dialect: Dialect) -> tuple[str, Sequence[ForeignAction]]:
    """Return the name of the other format that a text is in, a mistake's, and its actions; nothing for ours."""
    first = text.lstrip()[:1]
    for code, (signs, read) in _LAYOUTS.items():
        if (not signs or (first and first in signs)) and (actions := read(text, dialect)):
            return code, actions
    return "", ()


def read_layout(endings: LineEndings, dialect: Dialect) -> Document | None:
    """Return the document of a reply that is in another format; None if it is in none."""
    code, found = find_layout(endings.plain, dialect)
    if not found:
        return None
    mistake, source = load_mistakes(dialect)[code], Source(endings.text)
    confidence = action_confidence(price_to_cost(mistake.price))
    sections: list[Section] = []
    done = 0
    for item in found:
        sections += _skip(endings, source, code, done, item.start)
        done = item.end
        held = item.content_start >= 0
        suspect = item.doubtful or code in _VERBLESS
        content = endings.cut(item.content_start, item.content_end) if held and item.literal is None else item.literal
        sections.append(
            Action(
                item.verb,
                item.path,
                content,
                confidence=min(confidence, _GUESS) if item.doubtful else confidence,
                completeness=Completeness.SUSPECT if suspect else Completeness.COMPLETE,
                span=endings.span(source, item.start, item.end),
                content_span=endings.span(source, item.content_start, item.content_end) if held else None,
            )
        )
    sections += _skip(endings, source, code, done, len(endings.plain))
    findings = [mistake.diagnose(section.span) for section in sections if isinstance(section, Action)]
    return Document(tuple(sections), dialect.name, mistake.price, tuple(findings))


def _skip(endings: LineEndings, source: Source, code: str, start: int, end: int) -> list[Section]:
    """Return what stands between two actions as text that was left out."""
    text = endings.plain[start:end]
    shown = text.strip()
    if not shown:
        return []
    start += text.index(shown[0])
    span = endings.span(source, start, start + len(shown))
    return [Skipped(source.text[span.start : span.end], code, span)]
