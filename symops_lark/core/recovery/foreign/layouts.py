"""Replies in another format altogether, whose structure leaves no doubt: JSON, tags, fences under file names.

Law: a reply is all in one layout, or in none. What is only partly understood invents nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...document import Action, Completeness, Document, Section
from ...grammar.codes import FOREIGN_FENCES, FOREIGN_JSON, FOREIGN_TAGS, OUTSIDE_LAYOUT
from ...grammar.dialect import Dialect
from ...grammar.mistakes import load_mistakes
from ...text.diagnostics import Diagnostic
from ...text.source import LineEndings, Source
from ..doubts.confidence import action_confidence, price_to_cost
from ..doubts.skipping import skip_between
from .actions import ForeignAction
from .fence_layout import read_fences
from .json_layout import read_json
from .tag_layout import read_tags

_LAYOUTS: dict[str, tuple[str, Callable[[str, Dialect], list[ForeignAction]]]] = {
    FOREIGN_JSON: ("{[`", read_json),
    FOREIGN_TAGS: ("<", read_tags),
    FOREIGN_FENCES: ("", read_fences),
}
_VERBLESS = (FOREIGN_FENCES,)  # nobody said what to do with such files
_GUESS = 0.5  # the confidence of an action whose verb is a guess


def find_layout(text: str, dialect: Dialect) -> tuple[str, Sequence[ForeignAction]]:
    """Return the name of the other format that a text is in, a mistake's, and its actions; nothing for ours."""
    first = text.lstrip()[:1]
    for code, (signs, read) in _LAYOUTS.items():
        if (not signs or first in signs) and (actions := read(text, dialect)):
            return code, actions
    return "", ()


def read_layout(endings: LineEndings, dialect: Dialect) -> Document | None:
    """Return the document of a reply that is in another format; None if it is in none."""
    code, found = find_layout(endings.plain, dialect)
    if not found:
        return None
    mistakes, source = load_mistakes(dialect), Source(endings.text)
    mistake, outside = mistakes[code], mistakes[OUTSIDE_LAYOUT]
    confidence = action_confidence(price_to_cost(mistake.price))
    sections: list[Section] = []
    findings: list[Diagnostic] = []
    done = 0
    for item in found:
        skip_between(source, endings.to_text(done), endings.to_text(item.start), outside, sections, findings)
        done = item.end
        span = endings.span(source, item.start, item.end)
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
                span=span,
                content_span=endings.span(source, item.content_start, item.content_end) if held else None,
            )
        )
        findings.append(mistake.diagnose(span))
    skip_between(source, endings.to_text(done), len(source.text), outside, sections, findings)
    return Document(tuple(sections), dialect.name, mistake.price, tuple(findings))
