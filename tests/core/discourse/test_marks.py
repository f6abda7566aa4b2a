"""Where marks are: tokens, the elements around thinking, and labels in brackets."""

from __future__ import annotations

import pytest
from passages import ACT, spans_of
from symops_lark.core.discourse.marks import find_elements, find_tokens
from symops_lark.core.discourse.reading import read_discourse


def test_elements_in_words_are_no_tokens() -> None:
    for name, are_elements in (("inner_monologue", True), ("think", False)):
        text = f"<{name}>\nLet me see.\n</{name}>\n"
        elements = [text[mark.start : mark.end] for mark in find_elements(text, ())]
        tokens = [text[mark.start : mark.end] for mark in find_tokens(text, ())]
        both = [f"<{name}>", f"</{name}>"]
        assert (elements, tokens) == ((both, []) if are_elements else ([], both))


def test_only_an_element_that_ends_the_same_is_struck_out() -> None:
    assert find_tokens("<s>old</s>", ()) == []
    (mark,) = find_tokens("<im_end> is not <|im_end|>", ())
    assert (mark.start, mark.end) == (16, 26)


@pytest.mark.parametrize("label", ["[user]", "【ユーザー】", "<observation>"])
def test_a_label_in_brackets_ends_with_its_bracket(label: str) -> None:
    text = f"{ACT}\n\n{label}\n\n{ACT}\n"
    passages = read_discourse(text, spans_of(text), announced=True)
    why = passages[-1].why
    assert text[why.start : why.end] == label
