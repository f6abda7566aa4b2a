"""Texts without which a pattern does not match."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from symops_lark.core.formats.loading import formats
from symops_lark.core.patterns.needed_texts import find_needed_texts

LETTERS = st.sampled_from(["a", "b", "ab", "c", "[ab]", "[^a]", ".", "(?=a)", "(?!a)", "(?<=b)", "\\d", "(?i:a)"])


def combine(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    signs = st.sampled_from(["?", "*", "+", "{2}", "{1,3}", "{0,2}", "+?", "*+", "++"])
    return st.one_of(
        st.lists(parts, min_size=1, max_size=3).map("".join),
        st.lists(parts, min_size=2, max_size=3).map(lambda rows: f"(?:{'|'.join(rows)})"),
        st.builds(lambda part, sign: f"(?:{part}){sign}", parts, signs),
        parts.map(lambda part: f"(?P<x>{part})" if "?P<" not in part else part),
        parts.map(lambda part: f"(?>{part})"),
    )


@pytest.mark.slow
@settings(max_examples=300)
@given(st.recursive(LETTERS, combine, max_leaves=8), st.text("abAc1\n", max_size=12))
def test_where_a_pattern_matches_one_of_its_texts_occurs(pattern: str, text: str) -> None:
    # Two groups may have the same name.
    assume(pattern.count("?P<x>") < 2)
    texts = find_needed_texts(pattern)
    is_possible = not texts or any(needed in text for needed in texts)
    assert is_possible or not re.search(pattern, text)


@pytest.mark.parametrize(
    ("pattern", "texts"),
    [
        (r"(?m)^(?:`{3,}|~{3,})[a-z]*", ("```", "~~~")),
        (r"x?(?:<tool>|call:)", ("<tool>", "call:")),
        (r"(?=[ \t]*[{\[])", ("[", "{")),
        (r"(?i)abc", ()),
        (r"a|", ()),
        (r"[^a]*", ()),
    ],
)
def test_the_longest_texts_are_named(pattern: str, texts: tuple[str, ...]) -> None:
    assert find_needed_texts(pattern) == texts


def test_prose_needs_no_pattern_of_a_format() -> None:
    prose = "Sure, I changed it as you said.\n\nThe next step is a test.\n"
    sections = [section for format in formats().values() for section in format.sections]
    possible = [section.format_name for section in sections if section.is_possible_in(prose)]
    assert not possible
