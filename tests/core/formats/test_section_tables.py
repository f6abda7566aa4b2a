"""The tables of a section, made of a rule that is built part by part."""

from __future__ import annotations

import re
from typing import Any

import pytest

from symops_lark.core.formats.automaton import ANY_LINES, ANY_TEXT, build
from symops_lark.core.formats.expressions import (
    NOTHING,
    Choice,
    Expression,
    Many,
    Sequence,
    Term,
    Text,
    from_json,
    sequence,
)
from symops_lark.core.formats.reading_tables import section_data

CONTENT = Term("CONTENT", ANY_TEXT)
LINES = Term("CONTENT", ANY_LINES)
JSON = Term("JSON", ANY_TEXT)
PYTHON = Term("PYTHON", ANY_TEXT)
PATH = Term("PATH", "[a-z.]+")
END = Term("END", "[A-Z]+")
SAME_END = Term("SAME_END", "[A-Z]+")
BLANKS = Term("_SP", "[ \t]*")
LINE_END = Term("_NL", "[ ]*\n")
CLOSE = Term("_CLOSE", "```\n")
LESS = Term("_LESS", "<|<ns:")
SHORTEST = {"_SP": "", "_NL": "\n", "_LESS": "<", "_CLOSE": "```\n"}


def tables(*parts: Expression) -> dict[str, Any]:
    """Return the tables of a rule that has some parts after each other."""
    return section_data("write", build(sequence(*parts)), SHORTEST)


def state_of(section: dict[str, Any], terminal: str) -> int:
    """Return the state of a free text."""
    (state,) = [state for state, name, _ in section["free"] if name == terminal]
    return int(state)


def optional(*parts: Expression) -> Expression:
    return Many(sequence(*parts), "?")


PUT = tables(Text("put "), PATH, LINE_END, LINES, Text("done."), LINE_END)
TWO_OPENERS = (Choice((Text("put file "), Text("add file "))), PATH, Text("\n"), CONTENT, Text("done."))


def test_a_text_is_needed_if_every_opener_has_it() -> None:
    assert tables(Text("put "), PATH, Text(" into "), CONTENT, Text("done."))["needed_text"] == " into "
    assert tables(*TWO_OPENERS)["needed_text"] == "\n"
    assert tables(Choice((Text("put:"), Text("add:"))), CONTENT, Text("done."))["needed_text"] == ""
    assert tables(*TWO_OPENERS)["needed_texts"] == ["add file ", "put file "]


def test_the_first_characters_are_those_of_the_openers() -> None:
    assert PUT["first_characters"] == "p"
    assert tables(*TWO_OPENERS)["first_characters"] == "ap"
    # What follows blanks may be anything, except before a value.
    assert tables(BLANKS, Text("put "), PATH, LINE_END, LINES, Text("done."))["first_characters"] == ""
    assert "{" in tables(BLANKS, JSON, Text("done."))["first_characters"]
    assert tables(Text("<|put|>"), CONTENT, Text("<|end|>"))["first_characters"] == ""


@pytest.mark.parametrize(
    ("parts", "is_token"),
    [
        ((Text("<|put|>"), CONTENT, Text("done.")), True),
        ((Text("<｜put｜>"), CONTENT, Text("done.")), True),
        ((Text("[TOOL_CALLS]"), JSON), True),
        # A text that may be missing at the beginning is one of the format as well.
        ((optional(Text("<|put|>")), CONTENT, Text("done.")), True),
        ((Choice((Text("<|put|>"), Text("put:"))), CONTENT, Text("done.")), False),
        ((BLANKS, Text("<|put|>"), CONTENT, Text("done.")), False),
        ((Text("<put>"), CONTENT, Text("done.")), False),
    ],
)
def test_all_openers_of_a_token_begin_with_one(parts: tuple[Expression, ...], is_token: bool) -> None:
    assert tables(*parts)["is_token"] == is_token
    (pattern,) = [pattern for state, pattern, *_ in tables(*parts)["exits"] if state == 0]
    assert pattern.startswith("(?m)^(?P<lead>") != is_token


@pytest.mark.parametrize(
    ("parts", "is_bare"),
    [
        ((JSON, optional(CLOSE)), True),
        ((PYTHON, optional(CLOSE)), True),
        ((Text("call "), JSON, optional(CLOSE)), False),
        ((Choice((Text("put:"), Text("add:"))), CONTENT, Text("done.")), False),
    ],
)
def test_only_a_value_needs_no_mark(parts: tuple[Expression, ...], is_bare: bool) -> None:
    assert tables(*parts)["is_bare_json"] == is_bare


def test_the_texts_and_patterns_of_a_section() -> None:
    section = tables(*TWO_OPENERS, LINE_END)
    assert section["opener_texts"] == ["put file ", "add file ", "\n"]
    assert section["patterns"] == {"PATH": PATH.pattern, "_NL": LINE_END.pattern}
    assert section["rule"] == "write"
    assert section["free"] == [[state_of(section, "CONTENT"), "CONTENT", False]]


def test_a_mark_has_at_least_four_characters_without_blanks() -> None:
    section = tables(Text(" put "), PATH, Text("  :"), PATH, Text("into"), CONTENT, Text("done."), Text("\n"))
    assert section["mark_texts"] == ["into", "done."]


def test_a_mark_behind_a_sign_that_may_have_a_prefix_has_the_sign() -> None:
    section = tables(LESS, Text("put>"), CONTENT, LESS, Text("/a>"), BLANKS, Text("over"))
    assert set(section["mark_texts"]) == {"put>", "<put>", "</a>", "over"}
    # Only a hidden terminal directly before a text is a part of its mark.
    section = tables(LESS, PATH, Text("put>"), CONTENT, Text("done."))
    assert section["mark_texts"] == ["put>", "done."]
    section = tables(LESS, Text("a>"), CONTENT, LINE_END, Text("done."))
    assert section["mark_texts"] == ["done."]


def test_inner_marks_lead_to_a_further_part() -> None:
    section = tables(Text("put "), LESS, CONTENT, LINE_END, Text(" then "), Term("VALUE", ANY_TEXT), Text("done."))
    assert section["inner_marks"] == ["put", "<", "then"]
    section = tables(Choice((Text("none."), Sequence((Text("put "), CONTENT, Text("done."))))))
    assert section["inner_marks"] == ["put"]


def test_an_envelope_is_around_a_section_of_one_piece() -> None:
    begin, end = Text("begin\n"), Text("the end\n")
    assert tables(optional(begin), Text("remove "), PATH, LINE_END, end)["envelope"] == ["begin\n", "the end\n"]
    # A section with a free text, or with the two marks alone, has none.
    assert tables(begin, Text("put file"), PATH, Text(" with\n"), LINES, end)["envelope"] == ["", ""]
    assert tables(begin, PATH, end)["envelope"] == ["", ""]


def test_a_section_is_open_after_a_text_if_nothing_needs_to_follow() -> None:
    for end in (NOTHING, optional(CLOSE), BLANKS):
        section = tables(Text("call "), Many(sequence(Term("KEY", ANY_TEXT), Text("=")), "*"), JSON, end)
        assert section["open_states"] == [state_of(section, "JSON")]
    several = tables(Text("call "), JSON, optional(Text("with "), CONTENT, Text("done.")))
    assert several["open_states"] == [state_of(several, "JSON")]
    for needed in (CLOSE, LINE_END, sequence(optional(BLANKS), Text("x")), sequence(BLANKS, CONTENT, Text("done."))):
        assert tables(Text("call "), JSON, needed)["open_states"] == []


@pytest.mark.parametrize(
    ("parts", "ends"),
    [
        # A free text of whole lines ends where a line begins; other texts end anywhere.
        ((LINES, Text("done.")), ["(?m)^(?:done\\.)"]),
        ((CONTENT, Text("done.")), ["done\\."]),
        # Blanks before the first mark are not needed, others are.
        ((CONTENT, BLANKS, Text("done."), LINE_END), ["done\\.(?:[ ]*\n)"]),
        # A terminal without a name, and of the ends that a format chooses the usual one.
        ((CONTENT, Text("</"), PATH, Text(">")), ["</(?:[a-z.]+)>"]),
        ((LINES, SAME_END, LINE_END), ["(?m)^(?:EOF(?:[ ]*\n))"]),
        # Without a mark, any text would be an end.
        ((CONTENT, LINE_END), []),
        ((JSON, CLOSE), ['(?m)^(?:[^"\\\\\\n]|\\\\.)*"[ \\t]*\\}']),
        ((PYTHON, Text("done.")), ['(?m)^(?:[^"\\\\\\n]|\\\\.)*"[ \\t]*\\)[ \\t\\n]*\\]']),
    ],
)
def test_the_ends_of_a_section(parts: tuple[Expression, ...], ends: list[str]) -> None:
    section = tables(Text("put "), END, Text(" "), *parts)
    assert [pattern for pattern, _ in section["ends"]] == ends
    assert all(needed for _, needed in section["ends"])


def test_a_tag_that_is_repeated_may_be_any_of_its_words_at_an_end() -> None:
    section = tables(
        Text("<"), Term("TAG", "file|create"), Text(">"), CONTENT, Text("</"), Term("SAME_TAG", ""), Text(">")
    )
    ((pattern, needed),) = section["ends"]
    assert pattern == "</(?:file|create)>"
    assert all(re.fullmatch(pattern, f"</{tag}>") for tag in ("file", "create"))
    assert needed == ["create", "file"]


def test_only_the_edges_to_the_end_are_ends() -> None:
    section = tables(Text("old:"), Term("SEARCH", ANY_TEXT), Text("new:"), Term("REPLACE", ANY_TEXT), Text("done."))
    assert [pattern for pattern, _ in section["ends"]] == ["done\\."]
    keys = Many(Sequence((Text("key:"), Term("KEY", ANY_TEXT))), "+")
    files = Sequence((Text("put "), CONTENT, Text("over.")))
    assert [pattern for pattern, _ in tables(Text("call:"), keys, Text("done."))["ends"]] == ["done\\."]
    section = tables(Text("call:"), Term("KEY", ANY_TEXT), Text("then "), Choice((CONTENT, Text("done."))))
    assert [pattern for pattern, _ in section["ends"]] == ["then\\ done\\."]
    both = tables(Choice((Sequence((Text("call "), JSON)), files)))
    assert "over\\." in [pattern for pattern, _ in both["ends"]]
    # The end of a fence is that of a sample, too.
    fence = Term("FENCE", "`{3,}")
    assert tables(fence, PATH, Text("\n"), CONTENT, Text("done."))["ends"] == []


def test_a_further_part_is_tried_before_the_end() -> None:
    key = Sequence((Text("key:"), Term("KEY", ANY_TEXT)))
    section = tables(Text("call:"), Many(key, "+"), Text("done."))
    (_, (state, pattern, _, targets, _)) = section["exits"]
    assert pattern == "(?:(?P<e0>key:)|(?P<e1>done\\.))"
    assert targets == {"e0": state, "e1": 1}
    # An edge without a text matches everywhere, so it is not among them.
    (_, (_, pattern, _, targets, _)) = tables(Text("call:"), JSON)["exits"]
    assert (pattern, targets) == ("(?:(?!))", {})
    (_, (_, pattern, _, targets, _)) = tables(Text("call:"), JSON, Choice((NOTHING, Text("done."))))["exits"]
    assert (pattern, targets) == ("(?:(?P<e0>done\\.))", {"e0": 1})


def test_an_exit_knows_its_terminals_and_what_is_repeated() -> None:
    section = tables(Text("put "), PATH, Text(" until "), END, LINE_END, LINES, SAME_END, LINE_END)
    opener, closer = section["exits"]
    assert opener[2] == {"g0": "PATH", "g1": "END"} and opener[4] == []
    assert closer[1] == "(?m)^(?:(?P<e0>\0END\0(?:[ ]*\n)))" and closer[4] == ["END"]


@pytest.mark.parametrize(("value", "sign"), [(JSON, "{"), (PYTHON, "run()")])
def test_an_opener_of_a_value_looks_at_its_first_sign(value: Term, sign: str) -> None:
    def opens(section: dict[str, Any], text: str) -> bool:
        return re.match(section["exits"][0][1], text) is not None

    section = tables(Text("call:"), value, CLOSE)
    assert opens(section, f"call: \n{sign}") and not opens(section, "call: 3")
    # Where one of several free texts may follow, the first sign says nothing.
    assert opens(tables(Text("call:"), Choice((value, CONTENT)), CLOSE), "call: 3")
    # Behind another free text, the value is looked at when its mark was found.
    _, (_, pattern, *_), _ = tables(Text("call:"), Term("KEY", ANY_TEXT), Text("="), value, CLOSE)["exits"]
    assert re.search(pattern, "key=3")


def test_the_trees_of_a_section_are_those_of_its_edges() -> None:
    parts = (Text("put "), PATH, LINE_END)
    section = tables(*parts, LINES, Text("done."))
    state = state_of(section, "CONTENT")
    assert list(section["trees"]) == ["0", str(state)]
    ((opener, target),) = section["trees"]["0"]
    assert from_json(opener) == Sequence(parts) and target == state
