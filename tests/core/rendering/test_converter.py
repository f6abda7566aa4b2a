"""The converter: the same document in another dialect, with what was lost."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import documents

from symops_lark import Completeness, ParseError, RenderError, Severity, convert, parse, recover, render
from symops_lark.core.document import Action, Document, Replacement, Skipped, Thought
from symops_lark.core.edits.editing import apply_content, apply_replacements
from symops_lark.core.edits.hunks import Edited
from symops_lark.core.edits.replacements import show_replacements
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


_LINES = st.lists(st.sampled_from(["x", "  x", "", "y = 1", "=======", "<<<<<<< SEARCH"]), max_size=3)
_TEXTS = _LINES.map(lambda lines: "".join(f"{line}\n" for line in lines))
_EDITS = st.lists(st.builds(Replacement, _TEXTS, _TEXTS, st.booleans(), st.booleans()), min_size=1, max_size=3)


@given(_EDITS, _TEXTS, st.sampled_from(["v1", "v2", "v2_1", "plain"]))
def test_edits_of_a_call_become_blocks_that_do_the_same(edits: list[Replacement], old: str, target: str) -> None:
    action = Action("edit", "a.py", show_replacements(edits), edits=tuple(edits))
    converted = convert(Document((action,)), target=target)
    [output] = converted.document.actions
    assert (output.type, output.path, output.edits) == ("edit", "a.py", ())
    if not converted.losses:
        assert output.content is not None
        [request, done] = [apply_replacements(old, edits), apply_content(old, output.content, "a.py")]
        texts = [result.text if isinstance(result, Edited) else None for result in (request, done)]
        assert texts[0] == texts[1]


@pytest.mark.parametrize(
    ("edit", "codes"),
    [
        (Replacement("x = 1\n", "x = 2\n", lines=True), []),
        (Replacement("1", "2"), ["lost-edits"]),
        (Replacement("x = 1\n", "x = 2\n", lines=True, every=True), ["lost-edits"]),
        (Replacement("=======\n", "x\n", lines=True), ["lost-edits"]),
    ],
)
def test_edits_that_blocks_cannot_say_are_announced(edit: Replacement, codes: list[str]) -> None:
    action = Action("edit", "a.py", show_replacements([edit]), edits=(edit,))
    losses = convert(Document((action,)), target="v2").losses
    assert [loss.code for loss in losses] == codes
    assert all(loss.severity is Severity.WARNING for loss in losses)
