"""Sections of a dialect's own on several lines: which lines are joined, and what is text where others are missing."""

from __future__ import annotations

import pytest

from symops_lark.core.grammar.dialect import Dialect
from symops_lark.core.grammar.loading import load_dialect
from symops_lark.core.processor import SymOpsProcessor
from symops_lark.core.recovery.lines.lexer import LineLexer
from symops_lark.core.recovery.lines.spelling import LineRepairer, NoRepairer

PLANS = """// v2 with sections of several lines, and of one.
%import .v2
%override document: (_GAP | thought | action | question | plan | note | mark | shopping)*
plan: _PLAN _SP TITLE _NL step+
step: _SP NUMBER _DOT _SP TEXT _NL
note: _NOTE _SP TITLE _NL remark? BLOCK
remark: _REMARK _SP TEXT _NL
mark: _MARK _SP TITLE _NL
shopping: _SHOP _SP TITLE _NL (item _NL?)+
item: _ITEM _SP TEXT _NL
_PLAN: "=="
_NOTE: "##"
_REMARK: "%%"
_MARK: "&&"
_SHOP: "++"
_ITEM: "*"
TITLE: /[a-z]+/
"""


@pytest.fixture(scope="module")
def plans(tmp_path_factory: pytest.TempPathFactory) -> Dialect:
    path = tmp_path_factory.mktemp("plans") / "plans.lark"
    path.write_text(PLANS)
    return load_dialect(str(path))


def read(text: str, dialect: Dialect, repairer: LineRepairer) -> list[tuple[str, str]]:
    """Return the lines of a text, each with its kind, the endings after them left out."""
    lines = LineLexer(dialect, repairer).read(text)
    assert "".join(text[line.start : line.end] for line in lines) == text
    assert all(line.stop <= line.end <= line.stop + 1 for line in lines)
    return [(str(line.kind), text[line.start : line.stop]) for line in lines]


ROWS = [
    ("== big\n 1. look\n 2. act\n", [("SECTION", "== big\n 1. look\n 2. act")]),
    ("== big\n 1. look\n 2. act", [("SECTION", "== big\n 1. look\n 2. act")]),
    ("== big\n 1. look\nx", [("SECTION", "== big\n 1. look"), ("TEXT", "x")]),
    ("++ food\n* tea\n\n* salt\n\nx", [("SECTION", "++ food\n* tea\n\n* salt"), ("BLANK", ""), ("TEXT", "x")]),
    ("== big\nnothing else\n", [("TEXT", "== big"), ("TEXT", "nothing else")]),
    ("== big\n", [("TEXT", "== big")]),
    ("== big", [("TEXT", "== big")]),
    ("&& one\n 1. look\n", [("SECTION", "&& one"), ("CHOICE", " 1. look")]),
    ("&& one", [("SECTION", "&& one")]),
    ("## title\n%% more\n<<<\nx\n", [("SECTION_HEAD", "## title\n%% more"), ("OPEN", "<<<"), ("TEXT", "x")]),
    ("## title\n<<<\n%% more", [("SECTION_HEAD", "## title"), ("OPEN", "<<<"), ("TEXT", "%% more")]),
    ("## title\n\n<<<\n", [("SECTION_HEAD", "## title"), ("BLANK", ""), ("OPEN", "<<<")]),
    (
        "%% more\n== big\n 1. look\n\n 2. act\n",
        [("TEXT", "%% more"), ("SECTION", "== big\n 1. look"), ("BLANK", ""), ("CHOICE", " 2. act")],
    ),
    (
        "x\n== big\n 1. look\n== next\n 1. act\n== last\n",
        [("TEXT", "x"), ("SECTION", "== big\n 1. look"), ("SECTION", "== next\n 1. act"), ("TEXT", "== last")],
    ),
]
RESPELT = [
    ("  == big\n 1. look\n 2. act\nx\n", [("NEAR_SECTION", "  == big\n 1. look\n 2. act"), ("TEXT", "x")]),
    ("x\n**== big**\n 1. look\n", [("TEXT", "x"), ("NEAR_SECTION", "**== big**\n 1. look")]),
    ("  == big\nx\n", [("TEXT", "  == big"), ("TEXT", "x")]),
    ("  && one\n 1. look\n", [("NEAR_SECTION", "  && one"), ("CHOICE", " 1. look")]),
]


@pytest.mark.parametrize(("text", "lines"), ROWS)
def test_the_lines_of_a_section_are_one(text: str, lines: list[tuple[str, str]], plans: Dialect) -> None:
    assert read(text, plans, NoRepairer()) == lines


@pytest.mark.parametrize(("text", "lines"), [*ROWS, *RESPELT])
def test_its_first_line_may_be_misspelt(text: str, lines: list[tuple[str, str]], plans: Dialect) -> None:
    repairer = SymOpsProcessor(plans).engine(plans).repairer
    assert read(text, plans, repairer) == lines


@pytest.mark.parametrize(("count", "rest"), [(399, 0), (400, 1)])
def test_a_section_has_at_most_400_lines(count: int, rest: int, plans: Dialect) -> None:
    first, *extra = read("== big\n" + " 1. look\n" * count, plans, NoRepairer())
    assert first == ("SECTION", "== big" + "\n 1. look" * 399)
    assert extra == [("CHOICE", " 1. look")] * rest
