"""What replaces a pattern without the objects of RE2's wrapper gives what the wrapper gives."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symops_lark.core.patterns.regexes import compile_linear, compile_pattern, substituter

RULES = (
    (r"^[ \t]+(\S.*)$", r"\1"),
    (r"(a)|(b)", r"[\2\g<1>]"),
    (r"(?P<name>a+)(b)?", r"\g<name>\n\2"),
    (r"a*", "x"),  # matches nothing, too
    (r"b$", r"\u00e9"),
    (r"^a", ""),
)


@pytest.mark.parametrize(("pattern", "template"), RULES)
@given(line=st.text("ab \té", max_size=12), count=st.sampled_from((0, 1)))
def test_it_is_what_the_wrapper_gives(pattern: str, template: str, line: str, count: int) -> None:
    compiled = compile_linear(pattern)
    assert substituter(compiled, template, count)(line) == compiled.sub(template, line, count)


def test_a_pattern_has_no_more_attributes_than_those_in_use() -> None:
    assert not hasattr(compile_pattern("a+b"), "func")
    assert compile_pattern("(?P<name>a+)b").groupindex == {"name": 1}
