"""What an answer may change: nothing that was sure, and the rest not without a warning."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symops_lark import (
    Action,
    Document,
    ErrorNote,
    Question,
    Result,
    SelfCorrector,
    Span,
    SymOpsProcessor,
    Thought,
    render,
)
from symops_lark.core.document import Section
from symops_lark.models import Finish, Reply, ScriptedModel
from symops_lark.models.correction.changes import find_changes
from symops_lark.models.correction.guard import find_drift, is_better, is_sure

A = "::create @a.py\n<<<\na = 1\n>>>\n"
B = "::create @b.py\n<<<\nb = 1\n>>>\n"
HOLLOW = "\n::create @b.py\n"  # without its content
ADDED = "added-action"


def correct(first: str | Reply, answer: str, mode: str = "whole") -> Result:
    processor = SymOpsProcessor("v2", corrector=SelfCorrector(ScriptedModel([answer] * 2), mode))
    return processor.process(first, "Write it.")


def codes(result: Result) -> list[str]:
    return [finding.code for finding in result.diagnostics]


@pytest.mark.parametrize(
    ("first", "answer", "change"),
    [
        (A.replace("a.py", "a.py > b.py") + HOLLOW, A + B, "changes its dependencies"),
        (A + "\n::run @make\n" + HOLLOW, "::run @make\n\n" + A + B, "has it in another order"),
        (A + HOLLOW, A.replace("1", "2") + B, "changes its content on line 1"),
        (A + HOLLOW, A.replace("create", "edit") + B, "says edit instead"),
    ],
)
def test_an_answer_that_changes_a_sure_action_does_not_count(first: str, answer: str, change: str) -> None:
    result = correct(first, answer)
    assert result.text == first
    assert [change in finding.message for finding in result.diagnostics if finding.code == "content-drift"] == [True]


def test_attributes_and_edits_of_sure_actions_are_compared() -> None:
    before = SymOpsProcessor("v2_1").process("::create @a.py\n  @mode: x\n<<<\na = 1\n>>>\n")
    (action,) = before.document.actions
    assert is_sure(action) and action.attributes
    assert find_drift(before, Document((action,))) == ()
    bare = Action(action.type, action.path, action.content)
    assert "changes its attributes" in find_drift(before, Document((bare,)))[0].message


@pytest.mark.parametrize(
    ("first", "answer", "code"),
    [
        (A + HOLLOW, A, "dropped-action"),
        (A + HOLLOW, A + B.replace("b.py", "c.py"), "dropped-action"),
        (A + HOLLOW, A + "\n::delete @b.py\n", "changed-action"),
        ("? Which database?\n" + HOLLOW, B, "dropped-note"),
        ("! network\n" + HOLLOW, B, "dropped-note"),
        (A + HOLLOW, A + B + "\n::run @curl x | sh\n", ADDED),
        (A + HOLLOW, A + B + B, ADDED),
        (A + HOLLOW, A + B + "\n::delete @a.py\n", ADDED),
    ],
)
def test_what_a_correction_does_not_need_is_doubted(first: str, answer: str, code: str) -> None:
    result = correct(first, answer)
    assert code in codes(result) and result.confidence <= 0.7 and result.text == answer


def test_an_added_action_is_suspect_in_both_modes() -> None:
    for mode, answer in (("whole", A + B), ("differential", B)):
        result = correct(A + HOLLOW, answer + "\n::delete @z.py\n", mode)
        assert [(action.path, is_sure(action)) for action in result.document.actions] == [
            ("a.py", True),
            ("b.py", True),
            ("z.py", False),
        ]


@pytest.mark.parametrize(
    ("first", "answer"),
    [
        (A + HOLLOW, A + B),
        (A + HOLLOW, A + "\n>> a thought\n\n" + B),
        (HOLLOW + "\n" + A, A + B),  # a broken action may get another place
        (A + "\n::create @`b.py`\n", A + B),
        (A + "\n::create @b.py as discussed\n", A + B),
        ("There are no actions here, only words.", A + B),
        ("", A + B),
    ],
)
def test_a_correction_of_the_format_draws_no_warning(first: str, answer: str) -> None:
    result = correct(first, answer)
    assert result.confidence == 1.0 and codes(result) == []


@pytest.mark.parametrize("path", ["data_b.py", "b.pyi", "src/b.py", "bxpy"])
def test_another_path_is_another_action(path: str) -> None:
    result = correct(f"{A}\n::create @{path}\n", A + B)
    assert {"dropped-action", ADDED} <= set(codes(result))


def test_what_follows_a_truncated_reply_is_not_added() -> None:
    result = correct(
        Reply(A + "\n::create @b.py\n<<<\nb", Finish.LENGTH), f"<<<\nb = 1\n>>>\n{A.replace('a.py', 'c.py')}"
    )
    assert [action.path for action in result.document.actions] == ["a.py", "b.py", "c.py"]
    assert codes(result) == [] and result.confidence == 1.0


def test_a_truncated_action_that_gets_less_content_is_suspect() -> None:
    lines = "".join(f"line {number}\n" for number in range(30))
    text = f">> Two files\n\n::create @b.py\n<<<\n{lines}"
    answer = f">> Two files\n\n::create @b.py\n<<<\n(as before)\n>>>\n\n{A}{B}".replace(
        "@b.py\n<<<\nb = 1", f"@c.py\n<<<\n{lines}"
    )
    result = correct(Reply(text, Finish.LENGTH), answer)
    assert not any(is_sure(action) for action in result.document.actions if action.path == "b.py")


ACTIONS = st.builds(
    Action, st.sampled_from(["create", "edit"]), st.sampled_from(["a.py", "b.py"]), st.sampled_from("xy")
)
NOTES = st.sampled_from([Question("Which?"), ErrorNote("network"), Thought("so")])
SECTIONS: st.SearchStrategy[Section] = st.one_of(ACTIONS, NOTES)
DOCUMENTS = st.lists(SECTIONS, max_size=4).map(lambda sections: Document(tuple(sections)))


@given(DOCUMENTS, DOCUMENTS)
def test_all_that_is_added_and_dropped_is_reported(earlier: Document, later: Document) -> None:
    """A law: an answer without drift and without changes has the same actions in the same order, and all notes."""
    before = SymOpsProcessor("v2").read(render(earlier), None)
    drift, changes = find_drift(before, later), find_changes(before, later, was_cut=False)
    actions = before.document.actions
    if not drift and not changes and actions and all(map(is_sure, actions)):
        assert later.actions == actions
        assert len(later.questions) >= len(before.document.questions)
        assert len(later.errors) >= len(before.document.errors)
    assert not find_drift(before, before.document) and not find_changes(before, before.document, was_cut=False)


def test_an_action_with_an_unknown_verb_may_become_another() -> None:
    """It was listed as wrong and as right in one question, and the right answer was refused."""
    result = correct("::rn @pytest\n" + HOLLOW, "::run @pytest\n\n" + B)
    assert [action.type for action in result.document.actions] == ["run", "create"]
    assert "content-drift" not in codes(result)


def test_of_two_actions_on_one_path_the_equal_one_is_the_same() -> None:
    broken = A.removesuffix(">>>\n")
    result = correct(broken + "\n::run @make\n\n" + A, "::run @make\n\n" + A)
    assert "content-drift" not in codes(result)


def test_an_action_without_a_path_is_missing() -> None:
    before = SymOpsProcessor("v2").process("::create @b.py\n<<<\nx\n>>>\n")
    after = Document((Action("create", "", content="x"),))
    assert {change.code for change in find_changes(before, after, was_cut=False)} == {"dropped-action", ADDED}


def test_a_seam_that_is_no_longer_in_the_reply_is_not_reported() -> None:
    lines = [f"a{number} = {number}\n" for number in range(9)]
    reply = Reply("::create @a.py\n<<<\n" + "".join(lines[:7]), Finish.LENGTH)
    whole = "::create @a.py\n<<<\n" + "".join(lines) + ">>>\n"
    model = ScriptedModel([Reply(lines[7], Finish.LENGTH), whole])
    result = SymOpsProcessor("v2", corrector=SelfCorrector(model)).process(reply, "Write it.")
    assert result.document.actions[0].content == "".join(lines).strip() and codes(result) == []


@pytest.mark.parametrize(("verb", "content", "same"), [("create", "x = 1", True), ("run", None, False)])
def test_a_file_is_the_same_without_a_dot_before_it_and_a_program_is_not(
    verb: str, content: str | None, same: bool
) -> None:
    before = SymOpsProcessor("v2").read(render(Document((Action(verb, "./b.py", content),))), None)
    corrected = Document((Action(verb, "b.py", content),))
    assert (not find_drift(before, corrected)) is same
    assert (not find_changes(before, corrected, was_cut=False)) is same


def test_each_broken_path_takes_the_next_later_action() -> None:
    before = SymOpsProcessor("v2").read("::create @(a.py)\n<<<\nx\n>>>\n\n::create @(b.py)\n<<<\ny\n>>>\n", None)
    corrected = Document((Action("create", "a.py", "x"), Action("create", "b.py", "y")))
    assert find_changes(before, corrected, was_cut=False) == []
    *_, added = find_changes(before, Document((Action("run", "ls", span=Span(3, 9)),)), was_cut=False)
    assert (added.code, added.report().span) == ("added-action", Span(3, 9))
    missing = find_changes(before, Document(()), was_cut=False)[0].report()
    assert (missing.code, missing.span.start, missing.span.end) == ("dropped-action", 0, 0)


def test_a_long_line_is_shown_in_part() -> None:
    old, new = "x" * 80, "x" * 59 + "y" * 21
    before = SymOpsProcessor("v2").read(render(Document((Action("create", "a.py", old),))), None)
    (finding,) = find_drift(before, Document((Action("create", "a.py", new),)))
    assert f"on line 1: {old[:60]!r} became {new[:60]!r}" in finding.message


def test_a_result_with_more_whole_actions_is_better() -> None:
    processor = SymOpsProcessor("v2")
    suspect = processor.read("::run @npm ci\nnpm test\n", None)
    complete = processor.read("::run @npm ci\n\n::run @npm test\n", None)
    assert is_better(complete, suspect) and not is_better(suspect, complete)


def test_the_first_line_that_differs_is_shown() -> None:
    before = SymOpsProcessor("v2").read(render(Document((Action("create", "a.py", "x\ny\nz"),))), None)
    (finding,) = find_drift(before, Document((Action("create", "a.py", "x\nY\nZ"),)))
    assert "on line 2: 'y' became 'Y'" in finding.message


def test_a_repaired_line_may_be_sure() -> None:
    """Notes of repairs are no errors."""
    before = SymOpsProcessor("v2").read('::create @"a.py"\n<<<\nx\n>>>\n', None)
    assert before.diagnostics and is_sure(before.document.actions[0])
    assert find_drift(before, Document(()))
