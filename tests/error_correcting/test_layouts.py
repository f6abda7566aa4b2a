"""Texts for the search of blocks: their signs, the lines that are moved, and the names that a grammar may use."""

from __future__ import annotations

from functools import cache

import pytest
from block_grammar import BLOCKS

from symops_lark.core.ground.errors import GrammarError
from symops_lark.error_correcting import ErrorCorrectingParser
from symops_lark.error_correcting.edits import DEDENT_SIGN, HIDDEN_SIGN, INDENT_SIGN, SIGNS
from symops_lark.error_correcting.indentation import (
    Layout,
    guess_indenter,
    lay_out,
    read_indenter,
    sign_source,
    write_blocks,
)

SHOWN = str.maketrans({INDENT_SIGN: ">", DEDENT_SIGN: "<", HIDDEN_SIGN: "~"})
SIGNED = str.maketrans({">": INDENT_SIGN, "<": DEDENT_SIGN})


@cache
def blocks() -> ErrorCorrectingParser:
    return ErrorCorrectingParser(BLOCKS)


def layouts_of(text: str) -> list[Layout]:
    indentation = blocks().compiled.indentation
    assert indentation is not None
    return lay_out(text, blocks().compiled.tables, indentation)


# ---- names of terminals

DECLARED = "%declare _INDENT _DEDENT\n"


@pytest.mark.parametrize("source", ["_NL: /x/", "NL: /x/", "_NEWLINE: /x/", "NEWLINE.2: /x/", "start: a\n_NL : /x/"])
def test_a_line_end_has_one_of_four_names(source: str) -> None:
    postlex = guess_indenter(DECLARED + source)
    assert postlex.NL_type == source.split("\n")[-1].split(":")[0].split(".")[0].strip()


@pytest.mark.parametrize(
    "source",
    [
        DECLARED,
        DECLARED + "_NLS: /x/",
        DECLARED + "start: _NL",
        "%declare _INDENT\n_NL: /x/",
        "%declare _DEDENT\n_NL: /x/",
        "%declare _INDENT _DEDENT _OTHER\n_NL: /x/",
        "_NL: /x/",
        "// %declare _INDENT _DEDENT\n_NL: /x/",
    ],
)
def test_a_grammar_with_other_names_has_no_guessed_indenter(source: str) -> None:
    assert guess_indenter(source) is None


@pytest.mark.parametrize("source", ["%declare INDENT DEDENT\n", " %declare INDENT\nNL: /y/\n\t%declare\tDEDENT\n"])
def test_names_may_be_declared_one_by_one_and_without_underscores(source: str) -> None:
    postlex = guess_indenter(source + "NL: /x/")
    assert (postlex.INDENT_type, postlex.DEDENT_type) == ("INDENT", "DEDENT")


def test_the_guessed_indenter_has_the_brackets_and_the_tab_of_lark() -> None:
    postlex = guess_indenter(BLOCKS)
    assert postlex.OPEN_PAREN_types == ["LPAR", "LSQB", "LBRACE"]
    assert postlex.CLOSE_PAREN_types == ["RPAR", "RSQB", "RBRACE"]
    assert postlex.tab_len == 8


def test_the_terminals_of_an_indenter_are_read() -> None:
    indentation = read_indenter(guess_indenter(BLOCKS))
    assert indentation[:3] == ("_NL", "_INDENT", "_DEDENT") and indentation.marks == {"_INDENT", "_DEDENT"}
    assert indentation.openers == {"LPAR", "LSQB", "LBRACE"} and indentation.closers == {"RPAR", "RSQB", "RBRACE"}
    assert [indentation.width(blanks) for blanks in ("", "   ", "\t", " \t \t")] == [0, 3, 8, 18]


@pytest.mark.parametrize("postlex", [None, "text"])
def test_another_postlexer_is_refused_by_its_name(postlex: object) -> None:
    with pytest.raises(GrammarError, match=f"the postlexer {type(postlex).__name__} is not supported"):
        read_indenter(postlex)


def test_signs_replace_the_terminals_without_text() -> None:
    source = sign_source("start: A", read_indenter(guess_indenter(BLOCKS)))
    assert source.translate(SHOWN).split("\n") == [
        "start: A",
        '%override _INDENT: ">"',
        '%override _DEDENT: "<"',
        "_SYMOPS_HIDDEN: /~+/",
        "%ignore _SYMOPS_HIDDEN",
        "",
    ]


# ---- texts with signs

# Each text with its layouts: the text with signs, the offsets of moved lines, and the columns they are moved by.
LAYOUTS: list[tuple[str, list[tuple[str, set[int], int]]]] = [
    ("", [("", set(), 0)]),
    ("a = b\n", [("a = b\n", set(), 0)]),
    ("if a:\n  b = c", [("if a:\n  >b = c<", set(), 0)]),
    ("if a:\n b = c\nd = e\n", [("if a:\n >b = c\n<d = e\n", set(), 0)]),
    ("if a:\n if b:\n  c = d\ne = f\n", [("if a:\n >if b:\n  >c = d\n<<e = f\n", set(), 0)]),
    ("if a:\n if b:\n  c = d\n e = f\n", [("if a:\n >if b:\n  >c = d\n <e = f\n<", set(), 0)]),
    ("a = ! !\n ? b = c\n", [("a = ! !\n >? b = c\n<", set(), 0)]),
    # A line between two blocks belongs to the inner or to the outer one, and so does the next line.
    (
        "if a:\n        b = c\n      d = e\n      h = i\nf = g\n",
        [
            ("if a:\n        >b = c\n      d = e\n      h = i\n<f = g\n", {26, 38}, 4),
            ("if a:\n        >b = c\n      <d = e\n      >h = i\n<f = g\n", {26}, 6),
        ],
    ),
    (
        "if a:\n    if b:\n        c = d\n  e = f\n",
        [
            ("if a:\n    >if b:\n        >c = d\n  <e = f\n<", {32}, 2),
            ("if a:\n    >if b:\n        >c = d\n  <<e = f\n", {32}, 2),
        ],
    ),
    (
        "if a:\n    if b:\n        c = d\n       e = f\n",
        [
            ("if a:\n    >if b:\n        >c = d\n       e = f\n<<", {37}, 1),
            ("if a:\n    >if b:\n        >c = d\n       <e = f\n<", {37}, 3),
        ],
    ),
    # Line ends in brackets are hidden.
    ("a = f(\n  b,\nc)\nd = e\n", [("a = f(~~~b,~c)\nd = e\n", set(), 0)]),
    ("a = f(b))\nc = g(\nd)\n", [("a = f(b))\nc = g(~d)\n", set(), 0)]),
    # A bracket without its end contains the remainder, or ends before a line that is not indented further.
    ("a = f(b,\n    c\nd = e\n", [("a = f(b,~~~~~c~d = e~", set(), 0), ("a = f(b,~~~~~c\nd = e\n", set(), 0)]),
    (
        "if a:\n  b = f(c,\n    g(d\n  e = h\ni = j\n",
        [
            ("if a:\n  >b = f(c,~~~~~g(d~~~e = h~i = j~<", set(), 0),
            ("if a:\n  >b = f(c,~~~~~g(d\n  e = h\n<i = j\n", set(), 0),
        ],
    ),
    (
        "a = f(\n b\n) c = g(\nd = e\n",
        [("a = f(~~b~) c = g(~d = e~", set(), 0), ("a = f(~~b~) c = g(\nd = e\n", set(), 0)],
    ),
    (
        "if a:\n  b = f(\n   c)\n  d = f(\n  e = g\n",
        [
            ("if a:\n  >b = f(~~~~c)\n  d = f(~~~e = g~<", set(), 0),
            ("if a:\n  >b = f(~~~~c)\n  d = f(\n  e = g\n<", set(), 0),
        ],
    ),
    # Brackets in brackets have the column of the first one, and end together.
    ("a = f(g(b)\n, c)\nd = e\n", [("a = f(g(b)~, c)\nd = e\n", set(), 0)]),
    ("a = f(g(b)\n , c\nd = e\n", [("a = f(g(b)~~, c~d = e~", set(), 0), ("a = f(g(b)~~, c\nd = e\n", set(), 0)]),
    ("a = f(\n  g(b,\n c\nd = e\n", [("a = f(~~~g(b,~~c~d = e~", set(), 0), ("a = f(~~~g(b,~~c\nd = e\n", set(), 0)]),
    # A bracket without its beginning is none.
    (
        "if a):\n  b = f(\n    c\n  d = e\n",
        [("if a):\n  >b = f(~~~~~c~~~d = e~<", set(), 0), ("if a):\n  >b = f(~~~~~c\n  d = e\n<", set(), 0)],
    ),
    # A bracket ends before the end of the text, too.
    ("a = f(b\n", [("a = f(b~", set(), 0), ("a = f(b\n", set(), 0)]),
    ("if a:\n b = f(c\n   ", [("if a:\n >b = f(c~~~~<", set(), 0), ("if a:\n >b = f(c\n   ><<", set(), 0)]),
    ("a = f(b", [("a = f(b", set(), 0)]),
]


@pytest.mark.parametrize(("text", "expected"), LAYOUTS)
def test_signs_and_moved_lines_of_a_text(text: str, expected: list[tuple[str, set[int], int]]) -> None:
    layouts = layouts_of(text)
    signed_texts = [layout.text.translate(SHOWN) for layout in layouts]
    rows = []
    for layout, signed in zip(layouts, signed_texts, strict=True):
        assert layout.given == text
        assert layout.signs == [place for place, sign in enumerate(signed) if sign in "<>"]
        assert [layout.to_given(place) for place in layout.signs] == [
            place - index for index, place in enumerate(layout.signs)
        ]
        rows.append((signed, {layout.to_given(place) for place in layout.moved}, layout.distance))
        assert layout.price == 400 * len(layout.moved)
        # What follows a line end is its line, or the signs of that.
        assert all(layout.text[place - 1] in " \n" for place in layout.moved)
    assert rows == expected


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("a = b\n", "    "),
        ("if a:\n  b = c\n", "  "),
        ("if a:\n\tif b:\n\t\tc = d\n", "\t"),
        ("if a:\n  b = c\nif d:\n   e = f\n", "  "),
        ("if a:\n    if b:\n      c = d\n", "    "),
        ("if a:\n\n  b = c\n", "  "),
    ],
)
def test_the_first_block_decides_the_blanks_of_a_new_one(text: str, step: str) -> None:
    assert {layout.step for layout in layouts_of(text)} == {step}


def test_a_text_without_blocks_is_not_changed() -> None:
    layout = Layout("a\n", "a\n")
    assert (layout.price, layout.distance, layout.step, layout.to_given(2)) == (0, 0, "    ", 2)


def test_what_looks_like_a_sign_is_none() -> None:
    [layout] = layouts_of(f"a{SIGNS}\n{SIGNS}")
    assert layout.text == "a\ufffd\ufffd\ufffd\n\ufffd\ufffd\ufffd" and layout.signs == []


# ---- texts with indented lines


@pytest.mark.parametrize(
    ("signed", "written"),
    [
        ("a\nb\n", "a\nb\n"),
        ("a\n>b\n<c\n", "a\n    b\nc\n"),
        ("a \n > b\n>c\n<<d", "a\n    b\n        c\nd"),
        ("a\n>b\nc\n>d\n<e\n<", "a\n    b\n    c\n        d\n    e\n"),
        # A text that ends within a block has no blanks there.
        ("a\n>b\n", "a\n    b\n"),
        # More ends than blocks count, so that as many beginnings are missing.
        ("a\n<b\n>c\n>d", "a\nb\nc\n    d"),
    ],
)
def test_signs_are_written_as_blanks(signed: str, written: str) -> None:
    assert write_blocks(signed.translate(SIGNED)) == written
