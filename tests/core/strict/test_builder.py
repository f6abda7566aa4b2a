"""From the parser's tree to nodes: what a dialect says by rules of its own, and that both ways of reading agree."""

from __future__ import annotations

from pathlib import Path

import pytest
from wings import need_wing

import symops_lark
from symops_lark.core.document import Action, ErrorNote, Part, Question, Section, Thought, Vitals
from symops_lark.core.grammar.dialect import Dialect
from symops_lark.core.grammar.loading import derive, load_grammar
from symops_lark.core.rendering.renderer import render
from symops_lark.core.strict.builder import Builder, build
from symops_lark.core.strict.parser import parse
from symops_lark.core.text.source import Span

# Whatever a section says may be a rule of the dialect's own; what stands behind an action's is an argument.
OWN = r"""%import .v2
%override document: (_GAP | thought | vitals | action | question | error | swap)*
%override thought: _THOUGHT _SP remark _NL
%override vitals: (VITAL | doubt) (_SP (VITAL | doubt))* _NL
%override ask: _QUESTION _SP asked _NL
%override choice: _SP NUMBER _DOT _SP offer _NL
%override error: _ERROR _SP kind (_SP message)? _NL
%extend _change: MOVE _SP? _TARGET _SP? PATH _SP? _INTO _SP? goal (_SP? _WHY _SP? reason)? (_SP ASIDE)?
swap:    _SWAP _SP ASIDE _NL page BLOCK
page:    BLOCK
remark:  WHO _SP WORD
doubt:   DOUBT
asked:   WHO _SP WORD
offer:   WORD
kind:    WHO
message: WHO _SP WORD
goal:    FILE
reason:  WHO _SP FILE
MOVE:  "move"
_INTO: "=>"
_WHY:  "~"
_SWAP: "%%"
FILE:  /[A-Z]+/
WHO:   /[a-z]+:/
ASIDE: /\([a-z]+\)/
DOUBT: /::d[0-9]+(\.[0-9]+)?/
"""
ADDED: list[tuple[str, list[Section]]] = [
    (">> me: look\n", [Thought("me: look")]),
    ("::c0.8 ::d0.3\n", [Vitals((("confidence", 0.8), ("doubt", 0.3)))]),
    ("::d0.3 ::c0.8\n", [Vitals((("doubt", 0.3), ("confidence", 0.8)))]),
    ("? you: what\n 1. go\n 2. stop\n", [Question("you: what", ("go", "stop"))]),
    ("? you: what\n", [Question("you: what")]),
    ("! odd:\n", [ErrorNote("odd:")]),
    ("! odd: it: is\n", [ErrorNote("odd:", None, "it: is")]),
    ("::move @a => B\n", [Action("move", "a", attributes=(("goal", "B"),))]),
    ("::move @a => B\n<<<\nx\n>>>\n", [Action("move", "a", "x", attributes=(("goal", "B"),))]),
    (
        "::move @a => B ~ us: C (d)\n",
        [
            Action(
                "move", "a", attributes=(("goal", "B"), ("reason.who", "us:"), ("reason.file", "C"), ("aside", "(d)"))
            )
        ],
    ),
    ("::create @a > b, c\n<<<\n>>>\n", [Action("create", "a", "", ("b", "c"))]),
    ("::run @ls (x)\n", [Action("run", "ls (x)")]),
]


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Dialect:
    path = tmp_path_factory.mktemp("own") / "own.lark"
    path.write_text(OWN, encoding="utf-8")
    dialect = load_grammar(path)
    assert dialect.compiled and dialect.lalr  # the time that this takes is no test's
    return dialect


def read_slowly(text: str, dialect: Dialect) -> tuple[Section, ...]:
    """Read a text by the LALR parser alone."""
    makers = Builder(Span, Span, dialect.marks, dialect.own, text).makers
    sections: tuple[Section, ...] = build(dialect.lalr.parse(text, "document"), makers)
    return sections


@pytest.mark.parametrize(("text", "sections"), ADDED)
def test_what_rules_of_a_dialect_say_is_a_text(text: str, sections: list[Section], own: Dialect) -> None:
    assert list(parse(text, own).sections) == sections
    assert list(read_slowly(text, own)) == sections


def test_a_block_of_a_section_is_a_part(own: Dialect) -> None:
    text = "%% (a)\n<<<\nold\n>>>\n<<<\nnew\n\n>>>\n"
    parts = (Part("aside", "(a)"), Part("page", "", (Part("block", "old"),)), Part("block", "new\n"))
    for [section] in (parse(text, own).custom, read_slowly(text, own)):
        assert section.parts == parts  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("[REASONING]\na\nb\n[ACTION_TYPE] run\n[ACTION_PATH] ls\n", "plain"),
        ("::create @a\n<<<\n\n>>>\n::create @b\n<<<\nx\r\n>>> \n::create @c\n<<<\n>>>\n", "v2"),
        ("::create\n  @path: a\n  @deps: b, c\n  @mode: x\n  @mode: y\n<<<\nx\n>>>\n", "v2_attributes"),
        ("::007 run @ls\n", "v2_numbered"),
    ],
)
def test_both_ways_of_reading_say_the_same(text: str, dialect: str) -> None:
    fast = parse(text, dialect).sections
    assert read_slowly(text, load_grammar(dialect)) == fast != ()
    for slow, section in zip(read_slowly(text, load_grammar(dialect)), fast, strict=True):
        assert slow.span.start == section.span.start
        if isinstance(slow, Action) and isinstance(section, Action):
            assert slow.repeated_attributes == section.repeated_attributes
            assert [(span.start, span.end) for span in (slow.content_span,) if span] == [
                (span.start, span.end) for span in (section.content_span,) if span
            ]


@pytest.mark.parametrize(
    ("asked", "text"),
    [('"', '"'), ('""', ""), ('"a"', "a"), ('"a b"', "a b"), ('"a', '"a'), ('a"', 'a"'), ("'a'", "'a'"), ("a", "a")],
)
def test_quotes_around_a_whole_question_are_none_of_it(asked: str, text: str) -> None:
    assert parse(f"? {asked}\n", "v1").sections == (Question(text),)


@pytest.mark.parametrize(
    ("digits", "number"),
    [("7", 7), ("007", 7), ("9" * 18, 10**18 - 1), ("0" * 9 + "9" * 18, 10**18 - 1), ("1" * 19, 10**18)],
)
def test_a_number_that_counts_nothing_is_cut(digits: str, number: int) -> None:
    [action] = parse(f"::{digits} run @ls\n", "v2_numbered").actions
    assert action.number == number


@pytest.mark.parametrize("mark", ["COMMA", "ACTION", "DOT", "CLOSE"])
@pytest.mark.parametrize(("letter", "name"), [("c", "confidence"), ("m", "mood"), ("f", "focus"), ("s", "stamina")])
def test_a_vital_has_no_name_of_another_mark(tmp_path: Path, mark: str, letter: str, name: str) -> None:
    path = tmp_path / "mine.lark"
    changes = {f"_{mark}": f'"::{letter}"'} | ({} if mark == "ACTION" else {"_ACTION": '"%%"'})
    path.write_text(derive("v2", changes))
    document = parse(f"::{letter}0.5\n", path)
    assert document.vitals == Vitals(((name, 0.5),))
    assert render(document, path) == f"::{letter}0.5\n"
    need_wing("exports")
    assert symops_lark.portable_tables(path)["vitals"].get(f"::{letter}", name) == name
