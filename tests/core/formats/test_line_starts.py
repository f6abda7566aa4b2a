"""Where lines begin that may have an opener: most lines begin like no section."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from symops_lark.core.formats.loading import all_sections
from symops_lark.core.formats.sections import BLANKS, LineStarts, has_opener

SECTIONS = list(all_sections())
TOKEN = "<|tool_call_begin|>"


def test_a_line_is_found_by_its_first_sign_after_blanks() -> None:
    text = "<file>\n  <file>\nx <file>\n\n\n\tcat\n"
    lines = LineStarts(text, SECTIONS)
    assert lines.find("<") == [0, 7]
    assert lines.find("c") == [text.index("\tcat")]
    assert lines.find("<c") == [0, 7, text.index("\tcat")]
    assert lines.find("*") == []


def test_of_blank_lines_only_the_first_is_found() -> None:
    text = "a\n\n \n\t\nb\n\n\nc\n"
    assert LineStarts(text, SECTIONS).find("\n") == [2, 9]


def test_a_line_that_begins_with_a_token_is_found_for_any_sign() -> None:
    text = f"So {TOKEN}\n{TOKEN}\n"
    assert LineStarts(text, SECTIONS).find("") == [text.rindex(TOKEN)]


@given(st.text("<`{ \n\tcx", max_size=30), st.sampled_from("<`{c"))
def test_no_line_is_missed(text: str, character: str) -> None:
    places, start = [], 0
    for line in text.split("\n"):
        if line.lstrip(BLANKS).startswith(character):
            places.append(start)
        start += len(line) + 1
    assert LineStarts(text, SECTIONS).find(character) == places


def test_an_opener_may_be_the_first_or_the_last_line() -> None:
    for opener in (
        '<file path="a.py">\n',
        "cat > a.py << 'EOF'\n",
        "<tool_call>\n<function=run>\n<parameter=command>\n",
    ):
        assert has_opener(opener, SECTIONS)
        assert has_opener(f"Here.\n\n{opener}", SECTIONS)
    assert not has_opener("A file begins with <file>, they say.\n", SECTIONS)
