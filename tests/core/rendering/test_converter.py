"""The converter: the same document in another dialect, with what was lost."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from strategies import documents

from symops_lark import Completeness, ParseError, RenderError, Severity, convert, parse, recover, render
from symops_lark.core.document import Action, Document, Skipped, Thought
from symops_lark.core.rendering.renderer import can_render

V1 = "~ go\n\n#c0.9\n\n$ create @ a.md > b.md\n--\n# A\n--\n\n$ run @ make\n"
V2 = ">> go\n\n::c0.9\n\n::create @a.md >b.md\n<<<\n# A\n>>>\n\n::run @make\n"


def test_there_and_back() -> None:
    there = convert(V1, "v1", "v2")
    assert (there.text, there.losses) == (V2, ())
    assert there.document == parse(V1, "v1") and there.document.dialect == "v2"
    assert convert(V2, "v2", "v1").text == V1


@given(documents("v2"))
def test_conversion_there_and_back_gives_the_same_document(document: Document) -> None:
    assume(can_render(document, "v1"))
    there = convert(render(document, "v2"), "v2", "v1")
    back = convert(there.text, "v1", "v2")
    assert back.document == document and not there.losses and not back.losses


def test_spans_lie_in_the_new_text() -> None:
    converted = convert(V1, "v1", "v2")
    for action in converted.document.actions:
        assert converted.text[action.span.start :].startswith(f"::{action.type} @{action.path}")


def test_a_text_that_does_not_parse_is_refused() -> None:
    with pytest.raises(ParseError):
        convert("Sure!\n" + V1, "v1", "v2")


def test_what_the_target_cannot_say_is_refused() -> None:
    with pytest.raises(RenderError, match="line 2 of its content is `--`") as caught:
        convert("::create @a.sql\n<<<\nselect\n--\n>>>\n", "v2", "v1")
    assert "v2" in caught.value.dialects and "v1" not in caught.value.dialects


def test_losses_of_a_document_are_announced() -> None:
    skipped = Skipped("Sure!", "prose")
    doubtful = Action("create", "a", "x", confidence=0.5, completeness=Completeness.TRUNCATED)
    converted = convert(Document((skipped, Thought("go"), doubtful)), target="v1")
    mark = "! Truncated @ a the reply was cut off inside this action\n"
    assert converted.text == f"~ go\n\n$ create @ a\n--\nx\n--\n\n{mark}"
    assert converted.document.actions[0].completeness is Completeness.TRUNCATED
    assert [(loss.code, loss.severity) for loss in converted.losses] == [
        ("lost-text", Severity.WARNING),
        ("lost-confidence", Severity.NOTE),
    ]


def test_losses_lie_in_the_given_text() -> None:
    text = "Sure, here it is.\n\n" + V2
    recovered = recover(text, "v2")
    [loss] = [loss for loss in convert(recovered, target="v1").losses if loss.code == "lost-text"]
    assert text[loss.span.start : loss.span.end] == "Sure, here it is."
