"""Truncated replies and their continuations: no line is lost or doubled without a doubt."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from symops_lark import Action, Completeness, Result, SelfCorrector, SymOpsProcessor
from symops_lark.models import Finish, Reply, ScriptedModel
from symops_lark.models.correction.continuation import join, tail
from symops_lark.models.correction.guard import is_sure

HEAD = "::create @a.txt\n<<<\n"
# Lines that programs and data repeat; none is a sentence.
ALIKE = ["0", "00", "0, 0, 0, ", "}", "    }", "</li>", "    pass", "-----", "", "x = 1", "def f():"]
BODIES = st.lists(st.sampled_from(ALIKE), min_size=1, max_size=14).map("\n".join)


def proceed(first: str, *answers: str | Reply) -> tuple[Result, Action]:
    """Return the result of a reply that was cut off, and its action."""
    processor = SymOpsProcessor("v2", corrector=SelfCorrector(ScriptedModel([*answers] * 2)))
    result = processor.process(Reply(first, Finish.LENGTH), "Write a.txt.")
    return result, result.document.actions[0]


def repeats_itself(text: str, following: str) -> bool:
    """Return whether a text continues with its last two lines (or more) again."""
    before = [line.strip() for line in text.split("\n") if line.strip()]
    after = [line.strip() for line in following.split("\n") if line.strip()]
    counts = range(2, min(len(before), len(after)) + 1)
    return any(after[: n - 1] == before[-n:-1] and after[n - 1].startswith(before[-1]) for n in counts)


@given(BODIES, st.data())
def test_the_repeated_lines_that_were_asked_for_give_the_whole_text(body: str, data: st.DataObject) -> None:
    """A law: a model that does what it is asked is read exactly, whatever lines are alike."""
    complete = f"{HEAD}{body}\n>>>\n"
    text = complete[: data.draw(st.integers(len(HEAD) - 2, len(complete) - 1))]
    answer = complete[text.rindex(tail(text)) :]
    assert join(text, answer).text == complete
    assert join(text, answer.lstrip()).text == complete


@given(BODIES, st.data())
def test_an_answer_that_repeats_nothing_is_read_exactly_or_in_doubt(body: str, data: st.DataObject) -> None:
    """A law: what follows is never taken for a repetition without a doubt, but for two lines again."""
    complete = f"{HEAD}{body}\n>>>\n"
    cut = data.draw(st.integers(len(HEAD), len(complete) - 1))
    text, answer = complete[:cut], complete[cut:]
    assume(not repeats_itself(text, answer))
    joined = join(text, answer)
    assert joined.text.startswith(text)
    assert joined.text == complete or not joined.anchored
    result, action = proceed(text, answer)
    assert result.text == complete or not is_sure(action)


@given(BODIES, BODIES)
def test_nothing_is_left_out_but_lines_at_the_beginning_of_the_answer(body: str, answer: str) -> None:
    joined = join(HEAD + body, answer)
    assert joined.text == HEAD + body + answer[joined.dropped :]
    assert not joined.anchored or joined.dropped


@pytest.mark.parametrize(
    ("body", "answer", "content"),
    [
        (
            "def f():\n    pass\n",
            "\n\ndef g():\n    pass\n\n\ndef h():\n    return 1\n>>>\n",
            "def f():\n    pass\n\n\ndef g():\n    pass\n\n\ndef h():\n    return 1",
        ),
        ("<ul>\n<li>1\n</li>\n", "<li>2\n</li>\n<li>3\n</li>\n>>>\n", "<ul>\n<li>1\n</li>\n<li>2\n</li>\n<li>3\n</li>"),
        ("0\n" * 8, "0\n0\n0\n" + "0\n" * 4 + "END\n>>>\n", "0\n" * 12 + "END"),
        ("x = [0, 0, 0, 0, 0, ", "0, 0, 0, 0]\n>>>\n", "x = [0, 0, 0, 0, 0, 0, 0, 0, 0]"),
        ("a\nfinish(", "finish(x)\n>>>\n", "a\nfinish(x)"),  # it may as well be `finish(finish(x)`
        ("a\nb = finish(", "finish(x)\n>>>\n", "a\nb = finish(finish(x)"),
        ("Title\n-----", "-----\ntext\n>>>\n", "Title\n-----\ntext"),
    ],
)
def test_what_may_be_a_repetition_is_doubted(body: str, answer: str, content: str) -> None:
    result, action = proceed(HEAD + body, answer)
    assert action.content == content and action.completeness is Completeness.SUSPECT and result.confidence <= 0.7
    assert "unanchored-seam" in [finding.code for finding in result.diagnostics]


@pytest.mark.parametrize(
    "answer",
    [
        "b\nc\nd\n>>>\n",  # two lines of three
        "a\nb\nc\nd\n>>>\n",
        "<<<\n  a\nb\nc\nd\n>>>\n",
        "  a  \nb\n\nc\nd\n>>>\n".lstrip(),
        "Here is what follows:\n\n```\na\nb\nc\nd\n>>>\n",
        "```text\na\nb\nc\nd\n>>>\n```",
    ],
)
def test_two_repeated_lines_are_certain(answer: str) -> None:
    result, action = proceed(f"{HEAD}  a\nb\nc\n", answer)
    assert action.content == "  a\nb\nc\nd" and not result.diagnostics and result.confidence == 1.0


def test_a_last_line_that_is_a_sentence_of_the_file_is_not_a_preface() -> None:
    text = f"{HEAD}# Notes\n\nIt works.\n"
    _, action = proceed(text, "Here is another sentence of it.\nIt works.\nAnd more.\n>>>\n")
    assert action.content is not None and action.content.count("It works.") == 2 and not is_sure(action)


def test_a_doubtful_seam_stays_doubtful_after_the_next_one() -> None:
    result, action = proceed(f"{HEAD}a\nb\n", Reply("b\nc\nd\n", Finish.LENGTH), "b\nc\nd\ne\n>>>\n")
    assert action.content == "a\nb\nc\nd\ne" and action.completeness is Completeness.SUSPECT
    assert result.confidence <= 0.7


def test_an_action_that_may_come_twice_is_doubted() -> None:
    result, action = proceed("::run @make\n\n::run @test\n", "::run @test\n\n::run @make\n")
    assert [action.path for action in result.document.actions] == ["make", "test", "make"]
    assert is_sure(action) and not is_sure(result.document.actions[1])


def test_a_shorter_reply_from_the_beginning_is_refused() -> None:
    lines = "".join(f"line {number}\n" for number in range(30))
    result, action = proceed(HEAD + lines, f"{HEAD}line 0\n(as before)\n>>>\n")
    assert action.content == lines.removesuffix("\n") and action.completeness is Completeness.TRUNCATED
    outcomes = [step.outcome for step in result.trace]
    assert "continuation 1: rejected, it begins again and is shorter" in outcomes


def test_a_reply_from_the_beginning_that_is_worse_is_not_taken() -> None:
    text = HEAD + "".join(f"line {number}\n" for number in range(30))
    result, _ = proceed(text, f"{text}>>>\n\n::create @b.txt\n\n::create @c.txt\n\n::c9\n")
    assert result.text == text


def test_a_long_overlap_inside_of_lines_is_left_out() -> None:
    body = "def total(items):\n    return sum(items)\n\nassert total([1, 2]) == 3\n"
    for size, is_certain in ((60, True), (30, False)):
        for end in range(len(body) - 12, len(body)):
            text = f"{HEAD}{body[:end]}"
            joined = join(text, f"{text[-size:]}{body[end:]}>>>\n")
            assert joined.text == f"{HEAD}{body}>>>\n" and (not is_certain or joined.anchored), (size, end)
    for answer in ("ab" * 20, "0, 0, 0, 0, 0, 0, 0, 0]\n"):
        joined = join(f"{HEAD}x = {answer}"[:-2], answer)
        assert not joined.anchored


def test_a_fence_of_the_reply_is_not_a_wrapping_of_the_answer() -> None:
    text = f"{HEAD}# T\n\n```python\nimport x\nimport y\n"
    result, action = proceed(text, "```python\nimport x\nimport y\nx.run()\n```\n>>>\n")
    assert action.content == "# T\n\n```python\nimport x\nimport y\nx.run()\n```" and result.confidence == 1.0


def test_lines_that_repeat_themselves_say_nothing_about_the_place() -> None:
    text = f"{HEAD}x = [\n0,\n0,\n0,\n"
    assert not join(text, "0,\n0,\n0,\n1]\n").anchored
    assert join(f"{HEAD}x = [\n0,\n1,\n2,\n", "0,\n1,\n2,\n3]\n").anchored


@pytest.mark.parametrize(("length", "dropped"), [(20, 20), (19, 0)])
def test_an_overlap_inside_of_a_line_is_long(length: int, dropped: int) -> None:
    text = f"{HEAD}value = compute_from(alpha, beta, gamma"
    assert join(text, f"{text[-length:]}, delta)\n").dropped == dropped
