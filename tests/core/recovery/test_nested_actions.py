"""Actions that stand inside the content of the one before are never taken for something to do without a doubt."""

from __future__ import annotations

import pytest

import symops_lark
from symops_lark import Completeness

GUIDE = {
    "v1": "$ create @ guide.md\n--\nLike this:\n```text\n$ create @ a.py\n--\nprint(1)\n--\n```\nDone.\n--\n",
    "v2": "::create @guide.md\n<<<\nLike this:\n```text\n::create @a.py\n<<<\nprint(1)\n>>>\n```\nDone.\n>>>\n",
    "plain": "[ACTION_TYPE] create\n[ACTION_PATH] guide.md\n[CONTENT_START]\nLike this:\n```text\n"
    "[ACTION_TYPE] create\n[ACTION_PATH] a.py\n[CONTENT_START]\nprint(1)\n[CONTENT_END]\n"
    "```\nDone.\n[CONTENT_END]\n",
}


@pytest.mark.parametrize("dialect", GUIDE)
def test_a_sample_in_a_fence_is_doubted(dialect: str) -> None:
    first, second = symops_lark.process(GUIDE[dialect], format=dialect).document.actions
    assert (first.path, second.path) == ("guide.md", "a.py")
    assert first.completeness is not Completeness.COMPLETE
    assert second.completeness is Completeness.SUSPECT and second.confidence <= 0.85


def test_a_sample_without_a_fence_is_told_by_the_delimiter_that_is_left_over() -> None:
    text = "::create @one.txt\n<<<\n::create @a.txt\n<<<\none\n>>>\n>>>\n\n::create @b.txt\n<<<\nb\n>>>\n"
    table = {a.path: a.completeness for a in symops_lark.process(text, format="v2").document.actions}
    assert table["a.txt"] is Completeness.SUSPECT
    assert table["b.txt"] is Completeness.COMPLETE


def test_a_closer_that_was_forgotten_casts_no_doubt_on_what_follows() -> None:
    text = "::create @one.txt\n<<<\none\n\n::create @a.txt\n<<<\na\n>>>\n\n::create @b.txt\n<<<\nb\n>>>\n"
    actions = symops_lark.process(text, format="v2").document.actions
    assert [a.completeness for a in actions] == [Completeness.UNTERMINATED, *[Completeness.COMPLETE] * 2]


@pytest.mark.parametrize("closer", [">>>END", "  >>>", ">>>>", ">>", ">>> the end"])
def test_a_valid_text_that_swallows_the_next_action_is_doubted(closer: str) -> None:
    text = f"::create @a.txt\n<<<\na\n{closer}\n\n::create @b.txt\n  <<<\nb\n>>>\n"
    result = symops_lark.process(text, format="v2")
    assert str(result.phase) == "strict"
    assert [a.completeness for a in result.document.actions] == [Completeness.SUSPECT]
    assert "early-close" in {d.code for d in result.diagnostics}


@pytest.mark.parametrize(("closer", "doubted"), [(">", False), (">" * 2, True), ("->", False)])
def test_only_what_is_nearly_a_closer_is_taken_for_one(closer: str, doubted: bool) -> None:
    text = f"::create @a.txt\n<<<\na\n{closer}\n\n::create @b.txt\n  <<<\nb\n>>>\n"
    (action,) = symops_lark.process(text, format="v2").document.actions
    assert (action.completeness is Completeness.SUSPECT) is doubted


def test_a_nested_action_is_no_surer_than_its_limit() -> None:
    text = "::create @one.txt\n<<<\n::create @a.txt\n<<<\none\n>>>\n>>>\n"
    assert symops_lark.process(text, format="v2").document.actions[1].confidence == 0.85


def test_a_guide_between_longer_fences_is_not_doubted() -> None:
    text = "::create @guide.md\n<<<<\n::create @a.txt\n<<<\na\n>>>\n::create @b.txt\n<<<\nb\n>>>\n>>>>\n"
    (action,) = symops_lark.process(text, format="v2_1").document.actions
    assert action.completeness is Completeness.COMPLETE


def test_the_last_line_of_a_reply_that_was_cut_off_may_be_half_a_command() -> None:
    for head in ("::create", "::Create"):
        text = f"{head} @a.py\n<<<\nx\n>>>\n::run @ph"
        last = symops_lark.process(text, format="v2", cut_off=True).document.actions[-1]
        assert (last.path, last.completeness) == ("ph", Completeness.TRUNCATED)
