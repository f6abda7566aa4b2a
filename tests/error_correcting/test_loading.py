"""Compiling a grammar with its mistakes: what is read, decided, noted and refused."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest
from lark import Lark
from lark.indenter import Indenter

from symops_lark.core.ground.errors import GrammarError
from symops_lark.error_correcting import ErrorCorrectingParser
from symops_lark.error_correcting.loading import Engine, Mistake, Written, read_source

PAIRS = 'start: "a" "b"\n%ignore " "\n'
REDUCE = 'start: a | b\na: "x"\nb: "x"\n'  # a collision of two rules
SHIFT = 'start: s\ns: "i" s | "i" s "e" s | "x"\n'  # a conflict that Lark resolves without a word
NOT_LALR = "the grammar is not LALR(1): it is read by Earley's algorithm"


def fail(grammar: Any, *arguments: Any, **options: Any) -> str:
    with pytest.raises(GrammarError) as caught:
        ErrorCorrectingParser(grammar, *arguments, **options)
    return str(caught.value)


# ---- the source


def test_a_place_is_told_with_its_line() -> None:
    assert Written(Path("a.lark"), "x\ny\nz").place(2, 1) == (Path("a.lark"), 2, 1, "y")


def test_a_mark_at_the_beginning_of_a_grammar_is_no_part_of_it(tmp_path: Path) -> None:
    path = tmp_path / "a.lark"
    path.write_text("\ufeff" + PAIRS, encoding="utf-8")
    assert read_source(path, "?") == Written(path, PAIRS)
    assert read_source("\ufeff" + PAIRS, "?") == Written(Path("?"), PAIRS)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.lark"
    assert fail(path) == f"{path}: the grammar cannot be read: No such file or directory"
    path.write_bytes(b'start: "\xff"')
    assert fail(path) == f"{path}: the grammar cannot be read: it is not UTF-8"


def test_an_empty_grammar_is_named() -> None:
    assert fail(" \n") == "<grammar>: the grammar is empty"


def test_a_grammar_imports_files_beside_it(tmp_path: Path) -> None:
    (tmp_path / "words.lark").write_text("WORD: /[a-z]+/\n", encoding="utf-8")
    path = tmp_path / "a.lark"
    path.write_text('start: WORD ";"\n%import .words.WORD\n', encoding="utf-8")
    mistakes = 'start: _none\n_none.-300: WORD "."\n'
    parser = ErrorCorrectingParser(path, mistakes=f"%extend {mistakes}")
    assert parser.parse("ab;").price == 0
    assert parser.parse("ab.").price == 300
    lark = Lark.open(str(path), parser="lalr")
    assert ErrorCorrectingParser(lark, mistakes=f"%extend {mistakes}").parse("ab.").price == 300


def test_a_text_imports_files_beside_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "words.lark").write_text("WORD: /[a-z]+/\n", encoding="utf-8")
    monkeypatch.setattr(sys.modules["__main__"], "__file__", str(tmp_path / "program.py"), raising=False)
    assert ErrorCorrectingParser("start: WORD\n%import .words.WORD\n").parse("ab").price == 0


def test_a_mistake_that_cannot_be_compiled_has_its_place_in_its_own_file(tmp_path: Path) -> None:
    path = tmp_path / "own.lark"
    path.write_text("//! Too much.\n%extend start: nothing\n", encoding="utf-8")
    message = fail(PAIRS, mistakes=path)
    assert message.startswith(f"{path}:2:16: ") and "\n    2 | %extend start: nothing\n" in message
    assert fail(PAIRS, mistakes="start: nothing").startswith("<mistakes>:1:1: ")
    # What the mistakes change may be wrong where the grammar defines it, be it in its last line.
    for grammar, place in [('A: "a"\nstart: A', "<grammar>:1:1: "), ('start: A\nA: "a"', "<grammar>:2:1: ")]:
        assert fail(grammar, mistakes="%override A: /x*/").startswith(place)


# ---- a parser of Lark


def test_the_options_of_a_parser_of_lark_are_those_of_its_mistakes() -> None:
    grammar = 'start: "a" [b] "."\nb: "b"\n'
    mistakes = '%extend start: _bang\n_bang.-300: "a" [b] "!"\n'
    for holders in (True, False):
        for keep in (True, False):
            options: dict[str, Any] = {
                "parser": "lalr",
                "maybe_placeholders": holders,
                "keep_all_tokens": keep,
                "propagate_positions": True,
            }
            lark = Lark(grammar, **options)
            tree = ErrorCorrectingParser(lark, mistakes=mistakes).parse("a!").tree
            assert tree.children == [*["a"] * keep, *[None] * holders, *["!"] * keep]
            assert ErrorCorrectingParser(grammar, mistakes=mistakes, **options).parse("a!").tree == tree


def test_flags_of_a_parser_of_lark_are_those_of_the_search() -> None:
    lark = Lark('start: WORD ";"\nWORD: /[a-z]+/\n', parser="lalr", g_regex_flags=re.IGNORECASE)
    parser = ErrorCorrectingParser(lark, mistakes='%extend start: _dot\n_dot.-300: WORD "."\n')
    assert [parser.parse(text).price for text in ("AB;", "AB.", "AB")] == [0, 300, 1000]


def test_folders_of_imports_of_a_parser_of_lark_are_those_of_its_mistakes(tmp_path: Path) -> None:
    (tmp_path / "words.lark").write_text("WORD: /[a-z]+/\n", encoding="utf-8")
    lark = Lark('start: WORD ";"\n%import words.WORD\n', parser="lalr", import_paths=[str(tmp_path)])
    parser = ErrorCorrectingParser(lark, mistakes='%extend start: _dot\n_dot.-300: WORD "."\n')
    assert parser.parse("ab.").price == 300


def test_a_parser_of_lark_has_the_start_rule() -> None:
    lark = Lark("one: A\ntwo: A A\nA: /a/", parser="lalr", start=["one", "two"])
    parser = ErrorCorrectingParser(lark, "two", mistakes="%extend two: _more\n_more.-300: A A A\n")
    assert [parser.parse(text).price for text in ("aa", "aaa", "a", "ab")] == [0, 300, 1060, 1560]
    assert fail(lark, "start") == "the parser has no start rule 'start'"


# ---- engines and lexers

ENGINES = [
    (PAIRS, "auto", {}, "lalr", "contextual", ()),
    (PAIRS, "lalr", {"lexer": "basic"}, "lalr", "basic", ()),
    (PAIRS, "earley", {}, "earley", "dynamic", ()),
    (PAIRS, "earley", {"lexer": "basic"}, "earley", "basic", ()),
    (PAIRS, "earley", {"lexer": "dynamic_complete"}, "earley", "dynamic", ()),
    (REDUCE, "auto", {}, "earley", "dynamic", (NOT_LALR,)),
    (SHIFT, "lalr", {}, "lalr", "contextual", ()),
    (SHIFT, "auto", {"lexer": "contextual"}, "lalr", "contextual", ()),
    (SHIFT, "earley", {}, "earley", "dynamic", ()),
]


@pytest.mark.parametrize(("grammar", "engine", "options", "chosen", "lexer", "notes"), ENGINES)
def test_a_grammar_has_lalr_tables_if_they_fit(
    grammar: str, engine: Engine, options: dict[str, Any], chosen: str, lexer: str, notes: tuple[str, ...]
) -> None:
    parser = ErrorCorrectingParser(grammar, parser=engine, **options)
    assert parser.lark.options.parser == chosen
    assert (parser.compiled.is_lalr, parser.compiled.lexer) == (chosen == "lalr", lexer)
    assert parser.notes == notes


def test_a_conflict_is_noted_with_its_terminal() -> None:
    [note] = ErrorCorrectingParser(SHIFT).notes
    assert note == "Lark resolves a conflict at E without a message: the grammar is read by Earley's algorithm"


@pytest.mark.parametrize("options", [{"parser": "lalr"}, {"lexer": "basic"}])
def test_a_collision_is_refused_if_lalr_is_wanted(options: dict[str, Any]) -> None:
    assert "Reduce/Reduce collision" in fail(REDUCE, **options)


def test_what_neither_engine_reads_has_the_place_of_the_error() -> None:
    assert fail('start: "a" c\n').startswith("<grammar>:1:12: the grammar cannot be compiled: Rule 'c' used")


@pytest.mark.parametrize("ignored", ['" "', r"/\s+/", "/[ ]/"])
def test_a_blank_separates_words_if_the_grammar_ignores_it(ignored: str) -> None:
    assert ErrorCorrectingParser(f'start: "a" "b"\n%ignore {ignored}\n').compiled.blank == " "


@pytest.mark.parametrize("rest", ["", '%ignore "-"\n', "%ignore /\\n/\n", '_B: " "\n%ignore "  "\n'])
def test_no_blank_separates_words_if_the_grammar_has_another_use_of_it(rest: str) -> None:
    assert ErrorCorrectingParser(f'start: "a" "b"\n{rest}').compiled.blank == ""


# ---- postlexers

BLOCKS = """
start: (NAME _NL [_INDENT start _DEDENT])+
NAME: /[a-z]+/
_NL: /(\\n[ ]*)+/
%declare _INDENT _DEDENT
"""


def test_blocks_are_read_by_an_indenter_with_a_note() -> None:
    parser = ErrorCorrectingParser(BLOCKS)
    assert parser.notes == ("blocks are read by Lark's Indenter, at _NL",)
    assert isinstance(parser.lark.options.postlex, Indenter) and parser.compiled.is_lalr
    assert parser.compiled.reader is not parser.lark
    assert ErrorCorrectingParser(PAIRS).compiled.indentation is None


def test_a_postlexer_of_the_caller_is_taken() -> None:
    postlexer = ErrorCorrectingParser(BLOCKS).lark.options.postlex
    parser = ErrorCorrectingParser(BLOCKS, postlex=postlexer, parser="earley", lexer="contextual")
    assert parser.lark.options.postlex is postlexer and parser.notes == () and parser.compiled.is_lalr
    assert parser.parse("a\n    b\n  c\n").price == 400
    assert "declared without a pattern" in fail(BLOCKS, postlex=None)
    mistakes = '%extend start: _dot\n_dot.-300: NAME "." _NL\n'
    assert ErrorCorrectingParser(BLOCKS, mistakes=mistakes, postlex=postlexer).parse("a.\n").price == 300


@pytest.mark.parametrize("lexer", ["basic", "contextual"])
def test_mistakes_are_read_with_any_lexer(lexer: str) -> None:
    parser = ErrorCorrectingParser(PAIRS, mistakes='%extend start: _dot\n_dot.-300: "a" "."\n', lexer=lexer)
    assert [parser.parse(text).price for text in ("ab", "a.", "a")] == [0, 300, 1000]


ROOMS = 'start: room+\nroom: NAME ":" "x" ("," "x")* ";"\nNAME: /[A-Z]+/\n'
UNPRICED = [
    ('%extend room: _eq\n_eq: NAME "=" ";"\n', "the rule _eq of the recovery grammar has no negative priority"),
    ('%extend room: _eq\n_eq.200: NAME "=" ";"\n', "the rule _eq of the recovery grammar has no negative priority"),
    ('%extend room: ("!" _eq)+\n_eq: "="\n', "the rule _eq of the recovery grammar has no negative priority"),
    ('%extend room: NAME "=" ";"\n', "the recovery grammar gives room a form without a mistake"),
    ('%extend room: ("!" NAME)+\n', "the recovery grammar gives room a form without a mistake"),
    ('%extend room: _eq\n_eq.-200: NAME sign ";"\nsign: "=" | "~"\n', ""),
    ('%extend room: ("!" _eq)+\n_eq.-200: NAME "=" ";"\n', ""),
    ('%override room: NAME sign "x" ("," "x")* ";"\nsign.-1: ":" | "="\n', ""),
]


@pytest.mark.parametrize(("mistakes", "note"), UNPRICED)
def test_what_a_recovery_grammar_allows_without_a_price_is_noted(mistakes: str, note: str) -> None:
    parser = ErrorCorrectingParser(ROOMS, mistakes=mistakes)
    assert parser.notes == ((f"{note}: its text counts as valid",) if note else ())


# ---- what is refused

REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"parser": "lalr", "use_bytes": True}, "use_bytes is not supported: texts are strings"),
    ({"parser": "cyk"}, "the parser 'cyk' is not supported: use 'lalr' or 'earley'"),
]


@pytest.mark.parametrize(("options", "reason"), REFUSED)
def test_options_that_change_what_a_text_is_are_refused(options: dict[str, Any], reason: str) -> None:
    assert fail(Lark('start: "a"', **options)) == f"<grammar>: {reason}"


@pytest.mark.parametrize("engine", ["cyk", "lr", "", None])
@pytest.mark.parametrize("grammar", ['start: "a"', Lark('start: "a"', parser="lalr")], ids=["text", "Lark"])
def test_only_the_parsers_of_the_signature_are_taken(grammar: str | Lark, engine: Any) -> None:
    reason = f"<grammar>: the parser {engine!r} is not supported: use 'lalr' or 'earley'"
    assert fail(grammar, parser=engine) == reason


def test_the_patterns_of_another_engine_are_refused() -> None:
    lark = Lark('start: "a"', parser="lalr")
    lark.options.options["regex"] = True  # the package `regex` may not be here
    assert fail(lark) == "<grammar>: regex=True is not supported: terminals are patterns of Python's re"


# ---- mistakes


def test_words_of_mistakes_are_the_comments_above_their_rules() -> None:
    mistakes = """
//! A dot
//! is too much. | leave
//! it out
_dot_at_end.-300: "a" "b" "."
no_comment.-300: "a" "b" ","

//! Without a hint.
?!many_dots.-200 : "a" "b" ".."
//! This comment is of nothing.

plain: "a" "b" ";"
//! A line between ends nothing. |
%extend start: _dot_at_end | no_comment | many_dots | plain | last
last: "a" "b" ":"
"""
    assert ErrorCorrectingParser(PAIRS, mistakes=mistakes).compiled.mistakes == {
        "dot-at-end": Mistake("A dot is too much.", "leave it out"),
        "many-dots": Mistake("Without a hint.", ""),
        "last": Mistake("A line between ends nothing.", ""),
    }


def test_only_a_rule_of_the_mistakes_has_a_price() -> None:
    """Neither a rule of the grammar has one, nor one that Lark makes of a repetition, nor a part of a mistake."""
    grammar = PAIRS.replace("start:", "start.-500:")
    mistakes = '%extend start: _dot\n_dot.-300: dots\ndots.20: "a" "b" "."+\n'
    parser = ErrorCorrectingParser(grammar, mistakes=mistakes)
    productions = parser.compiled.tables.productions
    assert {row.name: row.price for row in productions if row.price} == {"_dot": 300}
    assert parser.parse("ab...").price == 300


HELPERS = """
start: item+ "!"
item: "a" ("," "x")* | "b" (";" "y" (":" "z")*)+
"""


REPEATED = '%extend start: _dot ("?" "w")*\n_dot.-300: "." item\n'  # changes the numbers of the helpers that follow


def test_helper_rules_are_matched_by_what_they_derive() -> None:
    compiled = ErrorCorrectingParser(HELPERS, mistakes=REPEATED, parser="lalr").compiled
    assert {name: own for name, own in compiled.to_lark.items() if name != own} == {
        "__start_plus_1": "__start_plus_0",
        "__item_star_2": "__item_star_1",
        "__item_star_3": "__item_star_2",
        "__item_plus_4": "__item_plus_3",
    }
    assert compiled.to_lark.keys() == {*compiled.to_tables.values()} >= {"start", "item"}
    assert all(compiled.to_lark[name] == own for own, name in compiled.to_tables.items())


@pytest.mark.parametrize("exact", [True, False])
def test_repetitions_are_repaired_with_and_without_mistakes(exact: bool) -> None:
    plain = ErrorCorrectingParser(HELPERS, parser="lalr")
    with_mistakes = ErrorCorrectingParser(HELPERS, mistakes=REPEATED, parser="lalr")
    text = "a,x,xxb;y:z;ya,x!"
    parses = [parser.parse(text, exact=exact) for parser in (plain, with_mistakes)]
    assert [(parse.price, parse.complete, parse.tree) for parse in parses] == [(1000, True, parses[0].tree)] * 2
    assert [with_mistakes.parse(text, exact=exact).price for text in (".a,x", ".a?w?")] == [300, 1300]
