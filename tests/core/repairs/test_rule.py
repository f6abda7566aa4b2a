"""What placeholders of patterns stand for, dialect by dialect."""

from __future__ import annotations

import pytest

from symops_lark.core.grammar.loading import load_dialect
from symops_lark.core.patterns.regexes import compile_linear
from symops_lark.core.repairs.rule import fill_pattern, fill_template, fill_text, placeholders

DIALECTS = {name: load_dialect(name) for name in ("v1", "v2", "plain")}


@pytest.mark.parametrize(
    ("dialect", "pattern", "text", "matches"),
    [
        ("v2", "{action}", "::", True),
        ("v2", "{action}", ":", False),
        ("v2", "{action}?", "", True),  # what counts a mark counts all of it
        ("v2", "{action}{2}", "::::", False),
        ("v2", "{action}+", "::::", True),
        ("v2", "{open_char}", "<", True),
        ("v2", "{open_loose}", "< <<", True),
        ("v2", "{open_loose}", "<<<", True),
        ("v2", "{open_spread}", "<<<", False),
        ("v2", "{open_spread}", "< < <", True),
        ("v2", "{target_spread}", "@", False),  # one sign cannot be spread
        ("v2", "{open_run}", "<", True),
        ("v2", "{open_run}", "<<<<<<", True),
        ("v2", "{open_run}", "<<>", False),
        ("plain", "{action_run}", "[ACTION_TYPE]", True),
        ("plain", "{action_last}", "]", True),
        ("plain", "{action_words}", "action type", True),
        ("plain", "{action_words}", "ActionType", True),
        ("plain", "{action_words}", "action", False),
        ("plain", "{action_bare}", "ACTION_TYPE", True),
        ("plain", "{action_bare}", "action_type", False),
        ("plain", "{question_bare}", "QUESTION", False),  # a lone word may be any
        ("v2", "{action_words}", "", False),
        ("v2", "{any_action}", "$", True),
        ("v2", "{any_action}", "::", True),
        ("v2", "{other_action}", "$", True),
        ("v2", "{other_action}", "::", False),
        ("v2", "{opening}", "<", True),
        ("v2", "{opening}", "＜", True),
        ("v2", "{opening}", "【", True),
        ("v2", "{opening}", "@", False),
        ("v2", "{opening}", ":", False),
        ("plain", "{opening}", "]", False),
        ("v2", "{closing}", ">", True),
        ("v2", "{closing}", "＞", True),
        ("plain", "{closing}", "[", False),
        ("v1", "{closer}", "--", True),
        ("v2", "{verb}", "create", True),
        ("v2", "{verb}", "run", True),
        ("v2", "{running}", "create", False),
        ("v2", "{section}", "", False),
        ("v2", "{path}", "a.py", True),
        ("v2", "{path}", "src/a", True),
        ("v2", "{path}", ".env", True),
        ("v2", "{path}", "Makefile", True),
        ("v2", "{path}", "LICENSE", True),
        ("v2", "{path}", "word", False),
    ],
)
def test_a_placeholder_stands_for(dialect: str, pattern: str, text: str, matches: bool) -> None:
    placeholders.cache_clear()  # what was made before says nothing
    match = compile_linear(fill_pattern(pattern, DIALECTS[dialect])).fullmatch(text)
    assert (match is not None) is matches


def test_marks_are_put_into_texts_as_they_are() -> None:
    assert fill_text("{open}x{close}", DIALECTS["v2"]) == "<<<x>>>"
    assert fill_template("{action}é", DIALECTS["v2"]) == r"::\xe9"
    with pytest.raises(KeyError):
        fill_text("{nothing}", DIALECTS["v2"])
