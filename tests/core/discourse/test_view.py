"""The view: thinking and tokens are blank, everything else stays where it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from symops_lark import Source
from symops_lark.core.discourse.tables import our_tables
from symops_lark.core.discourse.view import read_view


@pytest.mark.parametrize(
    ("text", "view"),
    [
        ("<think>a</think>b", "               \nb"),
        ("a\n<think>\nb\n</think>\nc", "a\n       \n \n        \nc"),
        ("b</think>c", "        \nc"),
        ("<|channel|>final<|message|>a", " " * 26 + "\na"),
        ("<|im_start|>assistant\n<think>a</think>\nb", " " * 21 + "\n" + " " * 16 + "\nb"),
        # Everything before a closing token without its beginning was thinking.
        ("a</think>b</think>c", " " * 17 + "\nc"),
        ("<think>a</think>b</reasoning>c", " " * 28 + "\nc"),
        # Pairs match like brackets.
        ("<think><reasoning>a</reasoning>b</think>c", " " * 39 + "\nc"),
        ("<think><reasoning>a</think>c", " " * 26 + "\nc"),
        ("<think>a</reasoning>b</think>c", " " * 28 + "\nc"),
        ("<think>a</think>b<think>c</think><think>d</think>e", f"{' ' * 15}\nb{' ' * 31}\ne"),
        # One that begins twice, and one that a wrong token ends, are sections as well.
        ("<think><think>a</think>b", " " * 22 + "\nb"),
        ("<think>a</reason>b", " " * 16 + "\nb"),
        ("a<|channel|>final<|message|>b", " " * 27 + "\nb"),
        (
            "<|channel|>analysis<|message|>a<|end|>\n<|channel|>final<|message|>b",
            " " * 38 + "\n" + " " * 26 + "\nb",
        ),
        # Without an answer, only the tokens that separate nothing are blank.
        ("<|channel|>analysis<|message|>a", "<|channel|>analysis" + " " * 10 + "\na"),
        ("<think>a<|im_start|>assistant\nb", "<think>a" + " " * 21 + "\nb"),
        ("<think>a</think>\nb<|im_end|>", " " * 16 + "\nb" + " " * 10),
        ("<think>a<|im_end|>b</think>c", " " * 26 + "\nc"),
        ("analysisa\nassistantfinalb", " " * 9 + "\n" + " " * 13 + "\nb"),
    ],
)
def test_thinking_is_blank(text: str, view: str) -> None:
    assert read_view(text, []) == view
    assert len(view) == len(text)


@pytest.mark.parametrize(
    "text", ["", "plain text\n", "<|im_end|>\n", "the tag `<think>` begins it", "<b>bold</b>"]
)
def test_a_text_without_thinking_is_returned_itself(text: str) -> None:
    assert read_view(text, []) is text


def test_a_section_without_an_end_stays() -> None:
    assert read_view("<think>maybe\nthe answer", []) == "<think>maybe\nthe answer"


def test_contents_are_not_looked_into() -> None:
    text = "a <think>b</think> c"
    span = Source(text).span(0, len(text))
    assert read_view(text, [span]) is text


TOKENS = sorted(our_tables().tokens)


@given(
    st.lists(st.one_of(st.sampled_from(TOKENS), st.text(max_size=6), st.just("\n"))).map("".join)
)
def test_length_and_lines_stay(text: str) -> None:
    view = read_view(text, [])
    assert len(view) == len(text)
    for before, after in zip(text, view, strict=True):
        assert after in (before, " ", "\n")
        assert after == "\n" or before != "\n"
