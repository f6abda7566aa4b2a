"""A reply without its thinking: what it finds, when it counts, and that contents stay."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import symops_lark
from symops_lark import Action, Document, Phase, Severity, Skipped, Source, process
from symops_lark.core.discourse.tables import OPEN, our_tables

DRAFT = "::create @a.py\n<<<\nx = 2\n>>>\n"
MEANT = "::create @a.py\n<<<\nx = 1\n>>>\n"
# Those in words begin with a capital letter where they are used.
PAIRS = sorted(
    (token.capitalize(), value.capitalize()) for token, (kind, value) in our_tables().tokens.items() if kind == OPEN
)


def contents(document: Document) -> list[tuple[str | None, bool]]:
    return [(action.content, action.confidence >= 0.9) for action in document.actions]


@pytest.mark.parametrize(
    "text",
    [
        f"<|channel|>analysis<|message|>Maybe.<|end|><|start|>assistant<|channel|>final<|message|>{MEANT}",
        f"analysis\n{DRAFT}assistantfinal{MEANT}",
        f"Hm. {DRAFT}</think>\n{MEANT}",
    ],
)
def test_an_action_behind_a_token_is_found(text: str) -> None:
    result = process(text, "v2")
    assert contents(result.document) == [("x = 1", True)]
    assert result.text == text
    assert symops_lark.recover(text, "v2").actions == result.document.actions


@pytest.mark.parametrize(("opening", "closing"), PAIRS)
def test_a_draft_in_a_section_of_thinking_is_left_out(opening: str, closing: str) -> None:
    result = process(f"{opening}\nMaybe:\n\n{DRAFT}\n{closing}\n\n{MEANT}", "v2")
    assert contents(result.document) == [("x = 1", True)]


def test_what_is_left_out_is_told() -> None:
    text = f"analysis\n{DRAFT}assistantfinal{MEANT}"
    result = process(text, "v2")
    assert result.phase is Phase.RECOVERED
    [skipped] = result.document.skipped
    assert skipped.text == f"analysis\n{DRAFT}assistantfinal"
    [note] = [diagnostic for diagnostic in result.diagnostics if diagnostic.span == skipped.span]
    assert note.code == skipped.code == "thought" and note.severity is Severity.NOTE


def test_places_are_those_of_the_reply() -> None:
    text = "analysis\nhm\nassistantfinal::run @ls\n\n::Run @make\n"
    result = process(text, "v2")
    source = Source(text)
    spans = [section.span for section in result.document.sections]
    spans += [diagnostic.span for diagnostic in result.diagnostics]
    spans += [repair.before for repair in result.repairs]
    assert result.document.actions[0].span.line == 3 and result.repairs
    assert spans == [source.span(span.start, span.end) for span in spans]


def test_thinking_that_is_the_only_answer_is_suspect() -> None:
    document = process(f"<seed:think>\n{MEANT}\n", "v2").document
    assert [action.confidence for action in document.actions] == [0.85]


PIECES = st.sampled_from(
    [
        DRAFT,
        MEANT,
        "::create @page.md\n<<<\nUse <think> and </think>.\n>>>\n",
        "::create @page.md\n<<<\n<|channel|>final<|message|>\n>>>\n",
        "::create @page.md\n<<<\n</think>\n>>>\n",
        "<think>\n",
        "</think>\n",
        "<|channel|>analysis<|message|>",
        "<|channel|>final<|message|>",
        "assistantfinal",
        "> quoted\n",
        "words\n",
        "\n",
    ]
)
KNOWN = {"x = 1", "x = 2", "Use <think> and </think>.", "<|channel|>final<|message|>", "</think>"}


@given(st.lists(PIECES, max_size=10))
def test_a_content_is_what_stands_in_the_reply(pieces: list[str]) -> None:
    text = "".join(pieces)
    document = symops_lark.recover(text, "v2")
    for section in document.sections:
        if isinstance(section, Action) and section.confidence >= 0.9:
            assert section.content in KNOWN
        if isinstance(section, Skipped):
            assert text[section.span.start : section.span.end] == section.text
    places = [section.span for section in document.sections]
    assert places == sorted(places, key=lambda span: span.start)
    assert all(left.end <= right.start for left, right in pairwise(places))
