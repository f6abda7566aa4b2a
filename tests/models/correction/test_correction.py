"""Self-correction: what the model is asked, what of its answers counts, when the loop ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from threading import get_ident
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symops_lark import (
    Action,
    Completeness,
    Document,
    ModelError,
    Phase,
    ProtocolError,
    Result,
    SelfCorrector,
    StreamParser,
    SymOpsProcessor,
    Thought,
    parse,
    render,
)
from symops_lark.models import Finish, Message, Reply, ScriptedModel
from symops_lark.models.correction.continuation import join, tail
from symops_lark.models.correction.failure import Failure, find_failure, refuses
from symops_lark.models.correction.guard import find_drift, sure_actions

GOOD = "::create @a.py\n<<<\nx = 1\n>>>\n"
B = "::create @b.py\n<<<\ny = 2\n>>>\n"
HOLLOW = GOOD + "\n::create @b.py\n"  # b.py has no content: valid syntax, an invalid document
VITALS = GOOD + "\n::c0.9 ::m7\n"
PARTED = "::create @a.py\n<<<\nx = 1\ny = "


def correct(
    first: str | Reply, *answers: str | Reply | ModelError, mode: str = "whole", format: str = "v2", **options: Any
) -> tuple[Result, ScriptedModel]:
    model = ScriptedModel(answers)
    processor = SymOpsProcessor(format, corrector=SelfCorrector(model, mode, **options))
    return processor.process(first, "Write a.py and b.py."), model


def asked(model: ScriptedModel, number: int) -> str:
    """What the model was told last in its n-th request."""
    return model.requests[number][-1].content


def outcomes(result: Result) -> list[str]:
    return [step.outcome for step in result.trace if step.phase == "corrected"]


def test_a_sound_reply_is_not_asked_for_again() -> None:
    result, model = correct(GOOD)
    assert result.phase is Phase.STRICT and not model.requests


def test_a_repaired_reply_is_not_asked_for_again() -> None:
    result, model = correct("Sure!\n\n" + GOOD.replace("::create", ":: Create"))
    assert result.phase is Phase.REPAIRED and not model.requests


def test_two_failures_and_then_a_success() -> None:
    result, model = correct(HOLLOW, VITALS, GOOD + B)
    assert result.phase is Phase.CORRECTED and result.valid and result.confidence == 1.0
    assert result.document == parse(GOOD + B)
    assert len(model.requests) == 2
    assert result.trace[-1].succeeded and [step.phase for step in result.trace].count("strict") == 3


def test_the_request_reminds_of_the_task_and_shows_the_reply() -> None:
    _, model = correct(HOLLOW, GOOD + B)
    roles = [(message.role, message.content) for message in model.requests[0][:2]]
    assert roles == [("user", "Write a.py and b.py."), ("assistant", HOLLOW)]


def test_a_finding_is_told_with_its_line() -> None:
    _, model = correct(HOLLOW, GOOD + B)
    assert "line 6, `::create @b.py`: create b.py has no content block" in asked(model, 0)


def test_what_was_right_is_said() -> None:
    _, model = correct(HOLLOW, GOOD + B)
    assert "must stay unchanged: create a.py" in asked(model, 0)


@pytest.mark.parametrize("format", ["v1", "v2", "v2_1", "plain"])
def test_the_form_that_is_asked_for_is_valid(format: str) -> None:
    text = render(Document((Thought("go"), Action("create", "a.py"))), format)
    _, model = correct(text, text, format=format)
    example = asked(model, 0).rpartition("~~~\n")[0].rpartition("~~~\n")[2]
    assert parse(example, format).actions


def test_at_most_two_attempts() -> None:
    answers = [GOOD + f"\n::create @c{n}.py\n" for n in range(5)]
    result, model = correct(HOLLOW, *answers)
    assert len(model.requests) == 2 and not result.valid


def test_the_same_failure_twice_ends_the_loop() -> None:
    result, model = correct(HOLLOW, HOLLOW, GOOD + B)
    assert len(model.requests) == 1
    assert outcomes(result)[-1] == "stopped: the model made the same mistakes again"
    assert result.document == parse(HOLLOW)


def test_an_answer_that_changes_what_was_right_does_not_count() -> None:
    changed = GOOD.replace("1", "2") + B
    result, model = correct(HOLLOW, changed, changed)
    assert len(model.requests) == 2 and result.phase is Phase.STRICT
    assert result.document == parse(HOLLOW)
    drift = [finding for finding in result.diagnostics if finding.code == "content-drift"]
    assert len(drift) == 1 and "line 1: 'x = 1' became 'x = 2'" in drift[0].message
    assert "Your last answer did not count" in asked(model, 1)


def test_an_answer_that_leaves_out_what_was_right_does_not_count() -> None:
    result, _ = correct(HOLLOW, B, B)
    assert result.document == parse(HOLLOW)
    assert "missing in the model's next reply" in result.diagnostics[-1].message


def test_an_answer_with_another_verb_does_not_count() -> None:
    first = "::delete @a.py\n\n::create @b.py\n"
    result, _ = correct(first, "::run @a.py\n\n" + B, "::run @a.py\n\n" + B)
    assert [action.type for action in result.document.actions] == ["delete", "create"]
    assert "the model's next reply says run instead" in result.diagnostics[-1].message


def test_a_second_answer_can_make_up_for_drift() -> None:
    result, _ = correct(HOLLOW, GOOD.replace("1", "2") + B, GOOD + B)
    assert result.phase is Phase.CORRECTED and result.document == parse(GOOD + B)


def test_a_worse_answer_does_not_win() -> None:
    first = GOOD + "\n::c1.5\n"
    result, _ = correct(first, GOOD + "\n::c1.5 ::m2\n\n::create @b.py\n", "nothing at all")
    assert result.document.actions == parse(GOOD).actions and result.phase is not Phase.CORRECTED


def test_only_the_broken_section_is_asked_for_and_put_back() -> None:
    text = ">> first\n\n" + HOLLOW + "\n>> last\n"
    result, model = correct(text, B, mode="differential")
    assert result.text == ">> first\n\n" + GOOD + "\n" + B + "\n>> last\n"
    assert result.phase is Phase.CORRECTED
    assert "One part of your reply" in asked(model, 0) and "need not be repeated: create a.py" in asked(model, 0)
    assert "x = 1" not in asked(model, 0)


def test_several_broken_sections_find_their_places() -> None:
    text = "::create @c.py\n\n" + GOOD + "\n::create @b.py\n"
    c = B.replace("b.py", "c.py")
    result, model = correct(text, B + "\n" + c, mode="differential")
    assert [action.path for action in result.document.actions] == ["c.py", "a.py", "b.py"]
    assert result.valid and "Part 2:" in asked(model, 0)


def test_an_answer_with_another_number_of_sections_is_read_as_a_whole() -> None:
    text = "::create @c.py\n\n" + GOOD + "\n::create @b.py\n"
    complete = GOOD + B
    result, _ = correct(text, complete, mode="differential")
    assert result.text == complete


def test_what_has_no_place_in_a_section_is_asked_for_as_a_whole() -> None:
    result, model = correct("no format at all, just words here.", GOOD, mode="differential")
    assert result.document == parse(GOOD) and "Write the whole reply again" in asked(model, 0)


def test_a_reply_that_was_cut_off_is_continued() -> None:
    result, model = correct(Reply(PARTED, Finish.LENGTH), "x = 1\ny = 2\n>>>\n")
    assert result.text == "::create @a.py\n<<<\nx = 1\ny = 2\n>>>\n"
    assert result.document.actions[0].completeness is Completeness.COMPLETE
    assert "Continue from there" in asked(model, 0) and asked(model, 0).count("<<<\nx = 1\ny = \n~~~") == 1


def test_a_reply_is_continued_more_than_once() -> None:
    parts = [Reply("x = 1\ny = 2\nz", Finish.LENGTH), Reply("y = 2\nz = 3\n>>>\n", Finish.STOP)]
    result, model = correct(Reply(PARTED, Finish.LENGTH), *parts)
    assert len(model.requests) == 2
    assert result.document.actions[0].content == "x = 1\ny = 2\nz = 3"


def test_a_continuation_without_an_overlap_is_suspect() -> None:
    result, _ = correct(Reply(PARTED, Finish.LENGTH), "2\nz = 3\n>>>\n")
    action = result.document.actions[0]
    assert action.content == "x = 1\ny = 2\nz = 3" and action.completeness is Completeness.SUSPECT
    assert result.confidence <= 0.7
    assert "unanchored-seam" in [finding.code for finding in result.diagnostics]


def test_a_model_that_does_not_go_on_is_not_asked_for_ever() -> None:
    result, model = correct(Reply(PARTED, Finish.LENGTH), *[Reply("", Finish.LENGTH)] * 9)
    assert len(model.requests) == 1
    assert result.document.actions[0].completeness is Completeness.TRUNCATED


def test_continuations_are_bounded() -> None:
    parts = [Reply(f"line {n}\nline {n + 1}\n", Finish.LENGTH) for n in range(9)]
    result, model = correct(Reply("::create @a.py\n<<<\nline 0\n", Finish.LENGTH), *parts, max_continuations=3)
    assert len(model.requests) == 3
    assert result.document.actions[0].content == "line 0\nline 1\nline 2\nline 3"


def test_an_answer_that_begins_anew_replaces_the_reply() -> None:
    long = ">> a thought\n\n" + GOOD + "\n" + B.removesuffix(">>>\n")
    result, _ = correct(Reply(long, Finish.LENGTH), long + ">>>\n")
    assert result.text == long + ">>>\n"


def test_an_empty_reply_is_asked_for_again() -> None:
    result, model = correct("", GOOD)
    assert result.document == parse(GOOD) and asked(model, 0).startswith("Your reply was empty")
    assert [message.role for message in model.requests[0]] == ["user", "user"]


def test_a_refusal_is_told_and_not_argued_with() -> None:
    model = ScriptedModel([GOOD])
    processor = SymOpsProcessor("v2", corrector=SelfCorrector(model))
    with pytest.raises(ProtocolError) as caught:
        processor.process("I'm sorry, but I can't help with that.", "task")
    assert "model-refused" in [finding.code for finding in caught.value.diagnostics] and not model.requests


@pytest.mark.parametrize(
    ("text", "finish", "failure"),
    [
        ("", Finish.STOP, Failure.EMPTY),
        (" \n", Finish.STOP, Failure.EMPTY),
        ("", Finish.REFUSED, Failure.REFUSED),
        ("I can’t assist with that request.", Finish.STOP, Failure.REFUSED),
        ("申し訳ありませんが、お手伝いできません。", Finish.STOP, Failure.REFUSED),
        (GOOD, Finish.LENGTH, Failure.CUT_OFF),
        (PARTED, Finish.UNKNOWN, Failure.CUT_OFF),
        (HOLLOW, Finish.STOP, Failure.MALFORMED),
        ("Just words.", Finish.STOP, Failure.MALFORMED),
        (GOOD, Finish.STOP, None),
        ('? "Which database?"\n  1. one\n', Finish.STOP, None),
        (">> I can't use bcrypt here\n\n" + GOOD, Finish.STOP, None),
    ],
)
def test_kinds_of_failures(text: str, finish: Finish, failure: Failure | None) -> None:
    assert find_failure(SymOpsProcessor("v2").read(text), finish) is failure


@pytest.mark.parametrize("text", ["I can do that.", "Sorry for the delay! Here it is:", "I will write a parser."])
def test_what_is_no_refusal(text: str) -> None:
    assert not refuses(text)


def test_a_model_that_fails_leaves_what_there_was() -> None:
    result, _ = correct(HOLLOW, ModelError("no connection"))
    assert result.document == parse(HOLLOW)
    assert outcomes(result) == ["attempt 1, the whole reply: the model failed: no connection"]


def test_what_had_arrived_of_an_answer_is_used() -> None:
    cut = ModelError("connection lost", partial=Reply("x = 1\ny = 2\n", Finish.INTERRUPTED))
    result, _ = correct(Reply(PARTED, Finish.LENGTH), cut, "y = 2\n>>>\n")
    assert result.document.actions[0].content == "x = 1\ny = 2"


def test_waiting_for_a_model_asynchronously_gives_the_same() -> None:
    processor = SymOpsProcessor("v2", corrector=SelfCorrector(ScriptedModel([VITALS, GOOD + B])))
    result = asyncio.run(processor.aprocess(HOLLOW, "task"))
    assert result.phase is Phase.CORRECTED and result.document == parse(GOOD + B)


def test_the_form_of_the_source_document() -> None:
    model = ScriptedModel([GOOD])
    assert SelfCorrector(model).self_correct("$ create", "task", ["no target"]) == GOOD
    assert "- no target" in asked(model, 0)


def test_messages_of_a_conversation_are_kept() -> None:
    model = ScriptedModel([GOOD + B])
    prompt = [Message("system", "Answer in Sym-Ops."), Message("user", "Write it.")]
    SymOpsProcessor("v2", corrector=SelfCorrector(model)).process(HOLLOW, prompt)
    assert list(model.requests[0][:2]) == prompt


LINES = st.lists(st.text("abc ", max_size=5), min_size=6, max_size=12).map(
    lambda lines: [f"{n}: {line.rstrip()}" for n, line in enumerate(lines)]
)


@given(LINES, st.data())
def test_parts_that_overlap_are_joined_to_the_whole(lines: list[str], data: st.DataObject) -> None:
    """Wherever a text was cut, an answer that repeats its last lines joins to the whole text."""
    whole_text = "\n".join(lines) + "\n"
    cut = data.draw(st.integers(whole_text.index("\n3") + 4, len(whole_text) - 1))
    text = whole_text[:cut]
    begin = text.rfind(tail(text))
    joined = join(text, whole_text[begin:])
    assert joined.text == whole_text and joined.anchored
    stripped = join(text, whole_text[begin:].lstrip())
    assert stripped.text == whole_text


def test_a_short_last_line_is_not_doubled() -> None:
    joined = join("f(\n    1,\n    2,\n)", ")\ng()\n")
    assert joined.text == "f(\n    1,\n    2,\n)\ng()\n" and not joined.anchored
    assert join("a\nb = ", "b = 1\n").text == "a\nb = 1\n"


def test_a_document_that_is_not_sure_enough_is_asked_for_again() -> None:
    shaky = GOOD.replace("::create @a.py", "create a.py")
    result, model = correct(shaky, GOOD, least_confidence=0.9)
    assert result.confidence == 1.0 and "line 1, `create a.py`: " in asked(model, 0)
    assert not correct(shaky, GOOD)[1].requests


def test_blanks_that_a_provider_strips_do_not_hide_the_overlap() -> None:
    joined = join("def f():\n    if x:\n        return", "return 1\n    return 2\n")
    assert joined.text == "def f():\n    if x:\n        return 1\n    return 2\n"


def test_extraction_only_on_request() -> None:
    text = "Here it is:\n\n```python\nx = 1\n```\n\nand\n\n```\ny\n```\n"
    with pytest.raises(ProtocolError) as caught:
        SymOpsProcessor("v2").process(text)
    assert [(step.phase, step.succeeded) for step in caught.value.trace] == [
        ("strict", False),
        ("repaired", False),
        ("corrected", False),
        ("extracted", False),
    ]
    result = SymOpsProcessor("v2", extract=True).process(text)
    assert result.phase is Phase.EXTRACTED and result.confidence == 0.5
    assert [(a.path, a.content, a.confidence) for a in result.document.actions] == [
        ("unnamed-1", "x = 1", 0.5),
        ("unnamed-2", "y", 0.5),
    ]
    assert dict(result.document.actions[0].attributes) == {"name": "invented", "language": "python"}
    assert [finding.code for finding in result.diagnostics] == [
        *("outside-fences", "invented-name"),
        *("outside-fences", "invented-name"),
    ]
    for section in result.document.sections:
        assert text[section.span.start : section.span.end].strip()


def test_extraction_does_not_touch_a_reply_that_says_something() -> None:
    result = SymOpsProcessor("v2", extract=True).process(">> see\n\n```python\nx = 1\n```\n")
    assert result.phase is not Phase.EXTRACTED and not result.document.actions


def test_an_asynchronous_stream_asks_in_another_thread() -> None:
    threads: list[int] = []

    def answer(_: object) -> str:
        threads.append(get_ident())
        return GOOD

    parser = StreamParser(SymOpsProcessor("v2", corrector=SelfCorrector(ScriptedModel([answer]))))

    async def pieces() -> AsyncIterator[str]:
        yield "Nothing to do."

    async def collect() -> int:
        _ = [event async for event in parser.aevents(pieces(), original_prompt="Write a.py.")]
        return get_ident()

    loop = asyncio.run(collect())
    assert len(threads) == 1 and loop not in threads
    document = parser.close().document
    assert document is not None and document.actions[0].path == "a.py"


PATHS = st.sampled_from(["a.py", "b.py", "c.py"])
ACTIONS = st.builds(Action, st.sampled_from(["create", "edit"]), PATHS, st.none() | st.sampled_from(["x", "y\nz", ""]))
REPLIES = st.one_of(
    st.lists(ACTIONS, max_size=4).map(lambda actions: render(Document(tuple(actions)))),
    st.sampled_from(["", "Just words.", "::create @a.py\n<<<\nx", GOOD.replace("::", "$ ")]),
).flatmap(lambda text: st.sampled_from([Reply(text, Finish.STOP), Reply(text[:-3], Finish.LENGTH)]))


@given(REPLIES, st.lists(REPLIES, min_size=8, max_size=8), st.sampled_from(["whole", "differential"]))
def test_whatever_the_model_answers_what_was_sure_stays(first: Reply, answers: list[Reply], mode: str) -> None:
    """A law: no conversation loses or changes an action that was read with confidence, nor gives a worse document."""
    before = SymOpsProcessor("v2").read(first.text, True if first.finish is Finish.LENGTH else None)
    try:
        result, model = correct(first, *answers, mode=mode)
    except ProtocolError:
        assert not sure_actions(before)
        return
    assert find_drift(before, result.document) == ()
    assert len(model.requests) <= 2 + 4
    for section in result.document.sections:
        assert 0 <= section.span.start <= section.span.end <= len(result.text)
