"""Edits of blanks: which part of a line they change, and where a new line end is written."""

from __future__ import annotations

from functools import cache

import pytest
from block_grammar import BLOCKS

from symops_lark.error_correcting import ErrorCorrectingParser

REQUIRED = """
start: ("if" _NL _INDENT "x" _NL _DEDENT)+
_NL: /(\\r?\\n[\\t ]*)+/
%declare _INDENT _DEDENT
"""
COMMENTS = BLOCKS + "COMMENT: /#[^\\n]*/\n%ignore COMMENT\n"
Row = tuple[str, int, int, str, str, int]


@cache
def load(grammar: str) -> ErrorCorrectingParser:
    return ErrorCorrectingParser(grammar)


REPAIRS: list[tuple[str, str, str, list[Row]]] = [
    (BLOCKS, "if a:\nb = c\n", "if a:\n    b = c\n", [("insert", 6, 6, "_INDENT", "    ", 900)]),
    (BLOCKS, "a = b\n    c = d\n", "a = b\nc = d\n", [("delete", 6, 10, "_DEDENT", "", 900)]),
    (BLOCKS, "if a:\n\tb = c\n    d = e\n", "if a:\n\tb = c\n\td = e\n", [("replace", 13, 17, "_INDENT", "\t", 400)]),
    (BLOCKS, "if a:\n  b = c\n   d = e\n", "if a:\n  b = c\n  d = e\n", [("delete", 16, 17, "_DEDENT", "", 900)]),
    (BLOCKS, "if a:\n\tif b:\n\tc = d\n", "if a:\n\tif b:\n\t\tc = d\n", [("insert", 14, 14, "_INDENT", "\t", 900)]),
    # A new line end is written where the next token begins, so that no blank precedes it.
    (BLOCKS, "a = b  c = d\n", "a = b  \nc = d\n", [("insert", 7, 7, "_NL", "\n", 1060)]),
    (BLOCKS, "if a:\n  b = f()c = d\n", "if a:\n  b = f()\n  c = d\n", [("insert", 15, 15, "_NL", "\n  ", 1060)]),
    (BLOCKS, "a = b :c = d\n", "a = b \nc = d\n", [("replace", 6, 7, "_NL", "\n", 1560)]),
    (BLOCKS, "a = b :  c = d\n", "a = b \nc = d\n", [("replace", 6, 9, "_NL", "\n", 1560)]),
    (
        BLOCKS,
        "a = b : ! c = d\n",
        "a = b \nc = d\n",
        [("replace", 6, 8, "_NL", "\n", 1560), ("delete", 8, 10, "", "", 1000)],
    ),
    (
        BLOCKS,
        "if a:\n b = c ! ! !  d = e\n",
        "if a:\n b = c \n d = e\n",
        [("replace", 13, 15, "_NL", "\n ", 1560), ("delete", 15, 17, "", "", 1000), ("delete", 17, 20, "", "", 1000)],
    ),
    (BLOCKS, "if a:\n b = c ! d = e\n", "if a:\n b = c \n d = e\n", [("replace", 13, 15, "_NL", "\n ", 1560)]),
    (
        BLOCKS,
        "if a:\n b = c : = d = e\n",
        "if a:\n b = c \n d = e\n",
        [("replace", 13, 15, "_NL", "\n ", 1560), ("delete", 15, 17, "EQUAL", "", 1000)],
    ),
    (
        BLOCKS,
        "if a: b = c\n",
        "if a: \n    b = c\n",
        [("insert", 6, 6, "_NL", "\n    ", 1060), ("insert", 12, 12, "_DEDENT", "", 900)],
    ),
    # Lark reads the blanks after the last line end as those of a line.
    (BLOCKS, "a = b\n    ", "a = b\n", [("delete", 6, 10, "_DEDENT", "", 900)]),
    (BLOCKS, "if a:\n    b = c\n  ", "if a:\n    b = c\n", [("delete", 16, 18, "_DEDENT", "", 400)]),
    (
        BLOCKS,
        "a = f(b,\n  c\n ",
        "a = f(b,\n  c)\n",
        [("insert", 12, 12, "RPAR", ")", 1000), ("delete", 13, 14, "_DEDENT", "", 900)],
    ),
    (BLOCKS, "if a:\n b = d c\n ", "if a:\n b = d \n ", [("delete", 13, 14, "NAME", "", 1040)]),
    (
        BLOCKS,
        "if a:\n  b = c\n  = !  ",
        "if a:\n  b = c\n",
        [("delete", 14, 16, "_DEDENT", "", 0), ("delete", 16, 18, "EQUAL", "", 1000), ("delete", 18, 21, "", "", 1000)],
    ),
    (BLOCKS, "a = b  ", "a = b  \n", [("insert", 7, 7, "_NL", "\n", 1060)]),
    (BLOCKS, "a = b :  ", "a = b \n", [("replace", 6, 9, "_NL", "\n", 1560)]),
    (COMMENTS, "a = b  # c", "a = b  # c\n", [("insert", 10, 10, "_NL", "\n", 1060)]),
    (COMMENTS, "a = b\n: # c", "a = b\n# c", [("delete", 6, 8, "COLON", "", 1000)]),
    (COMMENTS, "if a:\n    b = c\n  # d", "if a:\n    b = c\n# d", [("delete", 16, 18, "_DEDENT", "", 400)]),
    # A token that is deleted where a line begins takes the blanks after it along.
    (BLOCKS, "a = b\n=  c = d\n", "a = b\nc = d\n", [("delete", 6, 9, "EQUAL", "", 1000)]),
    (
        BLOCKS,
        "if a:\n  b = c\n = ! d = e\n",
        "if a:\n  b = c\n  d = e\n",
        [
            ("insert", 15, 15, "_INDENT", " ", 400),
            ("delete", 15, 17, "EQUAL", "", 1000),
            ("delete", 17, 19, "", "", 1000),
        ],
    ),
    # The blanks of a line precede a token that is inserted in it.
    (
        REQUIRED,
        "if\n",
        "if\n    x\n",
        [
            ("insert", 3, 3, "_INDENT", "    ", 900),
            ("insert", 3, 3, "X", "x", 1000),
            ("insert", 3, 3, "_NL", "\n", 1060),
        ],
    ),
    (REQUIRED, "if\n  x\nif\nx\n", "if\n  x\nif\n  x\n", [("insert", 10, 10, "_INDENT", "  ", 900)]),
]


@pytest.mark.parametrize(("grammar", "text", "repaired", "edits"), REPAIRS)
def test_blanks_are_edited_where_they_differ(grammar: str, text: str, repaired: str, edits: list[Row]) -> None:
    parser = load(grammar)
    parse = parser.parse(text)
    assert (parse.text, [tuple(edit) for edit in parse.edits]) == (repaired, edits)
    assert (parse.accepted, parse.complete, parse.price) == (True, True, sum(edit.price for edit in parse.edits))
    assert parse.tree == parser.lark.parse(repaired)


def test_a_line_between_two_blocks_belongs_to_either() -> None:
    parser = load(BLOCKS)
    text = "if a:\n\tb = c\n    d = e\n"
    [other] = parser.parse(text).alternatives
    assert parser.apply(text, other) == "if a:\n\tb = c\nd = e\n"
    assert [tuple(edit) for edit in other] == [("delete", 13, 17, "_DEDENT", "", 400)]


def test_the_end_of_a_block_is_paid_before_the_text_that_is_skipped() -> None:
    parse = load(BLOCKS).parse("if a:\n  b = = c\nd = e\n", max_price=900)
    assert [tuple(edit[:4]) for edit in parse.edits] == [
        ("insert", 11, 11, "NAME"),
        ("insert", 11, 11, "_NL"),
        ("insert", 11, 11, "_DEDENT"),
        ("skip", 11, 22, ""),
    ]
    assert parse.price == sum(edit.price for edit in parse.edits) == 1060 + 1060 + 450 + 1000


@pytest.mark.parametrize("blanks", ["  ", "        "])
def test_no_blanks_precede_the_text_that_is_skipped(blanks: str) -> None:
    text = f"a = b\n{blanks}c = = d\n"
    parse = load(BLOCKS).parse(text, max_price=900)
    assert (parse.text, parse.price, parse.accepted, parse.complete) == ("a = b\n", 1000, True, False)
    assert parse.edits[-1][:3] == ("skip", 6 + len(blanks), len(text))
    assert parse.tree == load(BLOCKS).lark.parse("a = b\n")
