"""The law of line endings: what a text says does not depend on how its lines end; contents keep their own endings."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import Sample
from streams import stream
from texts import DIALECTS, damaged, soups, texts_on_file

import symops_lark
from symops_lark import Action, ParseError, Result
from symops_lark.core.document import Section
from symops_lark.core.streaming import ActionFinished, ContentDelta
from symops_lark.core.text.source import LineEndings, Source, Span


def plain(text: str | None) -> str | None:
    return text if text is None else re.sub(r"\r+(\n|\Z)", r"\1", text)


def with_endings(text: str, which: int) -> str:
    """Return a text with CRLF for LF: everywhere, or (`which` is not 0) on the lines that the bits choose."""
    lines = text.split("\n")
    ends = ["\n" if which and which >> (at % 24) & 1 else "\r\n" for at in range(len(lines) - 1)]
    return "".join(map(str.__add__, lines, [*ends, ""]))


class Told:
    """What is told of a text, its places as those of the plain one."""

    def __init__(self, text: str) -> None:
        self.endings = LineEndings(text)

    def place(self, span: Span | None) -> tuple[int, ...] | None:
        if span is None:
            return None
        to_plain = self.endings.to_plain
        return to_plain(span.start), to_plain(span.end), span.line, span.column

    def section(self, section: Section) -> tuple[Any, ...]:
        if not isinstance(section, Action):
            changed_text = re.sub(r"Span\(.*?\)", "", repr(section)).replace(r"\r\n", r"\n")
            return changed_text, self.place(section.span)
        types = (section.type, section.path, plain(section.content), section.dependencies, section.attributes)
        sure = section.number, section.confidence, section.completeness
        return *types, *sure, self.place(section.span), self.place(section.content_span)

    def findings(self, findings: Any) -> list[tuple[Any, ...]]:
        return [(finding.code, finding.message, finding.severity, self.place(finding.span)) for finding in findings]

    def parsed(self, dialect: str) -> Any:
        try:
            document = symops_lark.parse(self.endings.text, dialect)
        except ParseError as error:
            return self.findings(error.diagnostics)
        return list(map(self.section, document.sections))

    def repaired(self, dialect: str) -> Any:
        repaired = symops_lark.repair(self.endings.text, dialect)
        return plain(repaired.text), [(repair.rule, self.place(repair.before)) for repair in repaired.repairs]

    def recovered(self, dialect: str) -> Any:
        document = symops_lark.recover(self.endings.text, dialect)
        return list(map(self.section, document.sections)), document.price, self.findings(document.diagnostics)

    def processed(self, dialect: str) -> Any:
        result = Sample(self.endings.text, dialect).processed
        sections = [self.section(section) for section in result.document.sections]
        return (
            (str(result.phase), result.confidence) if isinstance(result, Result) else None,
            sections,
            self.findings(result.diagnostics),
        )

    def streamed(self, dialect: str) -> Any:
        events, result = stream([self.endings.text], dialect)
        items = [
            (type(event).__name__, plain(event.text) if isinstance(event, ContentDelta) else None)
            if isinstance(event, ContentDelta | ActionFinished)
            else re.sub(r"Span\(.*?\)", "", repr(event))
            for event in events
        ]
        return items, [(difference.kind, difference.message) for difference in result.differences]


def holds(text: str, dialect: str, which: int) -> None:
    text = LineEndings(text).plain
    second = with_endings(text, which)
    for name in ("parsed", "repaired", "recovered", "processed", "streamed"):
        assert getattr(Told(second), name)(dialect) == getattr(Told(text), name)(dialect), name


@pytest.mark.alike(6)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_nothing_depends_on_line_endings(dialect: str) -> None:
    texts = {text for _, of, text in texts_on_file() if of == dialect and "\r" not in LineEndings(text).plain}
    for number, text in enumerate(sorted(texts)):
        holds(text, dialect, 0x5A3C96 << number % 3 if number % 2 else 0)
    assert texts


@pytest.mark.parametrize("dialect", DIALECTS)
@given(st.data(), st.integers(0, 2**24 - 1))
def test_nothing_depends_on_line_endings_in_damaged_texts(dialect: str, data: st.DataObject, which: int) -> None:
    holds(data.draw(damaged(dialect) | soups(dialect)), dialect, which)


@given(st.text(alphabet="ab\r\n", max_size=40))
def test_the_way_to_plain_text_and_back(text: str) -> None:
    endings = LineEndings(text)
    source = Source(text)
    if "\n" in text:
        assert endings.plain == plain(text)
    for at in range(len(endings.plain) + 1):
        assert endings.to_plain(endings.to_text(at)) == at
        assert endings.span(source, at, at).line == Source(endings.plain).span(at, at).line
    assert [endings.to_plain(at) for at in range(len(text) + 1)] == sorted(map(endings.to_plain, range(len(text) + 1)))
    assert plain("".join(text[a:b] for a, b in endings.longer())) in (None, "", *["\n" * n for n in range(41)])


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_contents_keep_their_own_endings(ending: str) -> None:
    body = ["    def f():", "        return 1"]
    text = ending.join([":: create @a.py", "    <<<", *body, "    >>>", ""])
    repaired = symops_lark.repair(text)
    assert repaired.text == ending.join([":: create @a.py", "<<<", "def f():", "    return 1", ">>>", ""])
    for document in (symops_lark.process(text).document, symops_lark.recover(text)):
        assert document.actions[0].content in (ending.join(["def f():", "    return 1"]), ending.join(body))


def test_a_mixture_of_endings_stays_one() -> None:
    text = "Sure!\r\n::create @a.py\n<<<\r\na\r\nb\nc\r\n\nd\n"
    (action,) = symops_lark.process(text).document.actions
    assert action.content == "a\r\nb\nc\r\n\nd"


def test_an_action_in_a_section_of_thinking_is_none_whatever_the_endings() -> None:
    text = "<think>\nFirst I could\n::delete @old.py\n</think>\n::create @a.py\n<<<\n1\n>>>\n"
    for item in (text, text.replace("\n", "\r\n")):
        assert [action.path for action in symops_lark.process(item).document.actions] == ["a.py"]
