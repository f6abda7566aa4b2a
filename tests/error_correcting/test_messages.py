"""Messages for people: what each kind of edit says, its code and its place."""

from __future__ import annotations

from functools import cache

import pytest

from symops_lark.core.text.diagnostics import Diagnostic
from symops_lark.error_correcting import ErrorCorrectingParser
from symops_lark.error_correcting.edits import DELETE, END, LINE, Edit
from symops_lark.error_correcting.loading import Compiled
from symops_lark.error_correcting.messages import explain_edits, name_terminal

GRAMMAR = """
start: (LONG_NAME "=" value ";")*
?value: STRING | NUMBER
LONG_NAME: /[a-z]+/
STRING: /"[^"\\n]*"/
NUMBER: /[0-9]+/
%ignore /\\s+/
"""
BLOCKS = """
start: (NAME _NL | NAME _NL _INDENT start _DEDENT)+
NAME: /[a-z]+/
_NL: /(\\n[ ]*)+/
%declare _INDENT _DEDENT
"""
MISTAKES = """
//! The semicolon is missing. | write `;`
%extend start: _no_semicolon
_no_semicolon.-200: LONG_NAME "=" value
%extend start: _colon
_colon.-300: LONG_NAME ":" value ";"
"""


@cache
def grammar() -> Compiled:
    return ErrorCorrectingParser(GRAMMAR, mistakes=MISTAKES).compiled


def explain(text: str, edit: Edit, compiled: Compiled | None = None) -> Diagnostic:
    [diagnostic] = explain_edits(compiled or grammar(), text, [edit])
    return diagnostic


@pytest.mark.parametrize(
    ("name", "words"), [(END, "the end of the text"), ("EQUAL", "`=`"), ("LONG_NAME", "long name"), ("_NL", "nl")]
)
def test_a_terminal_is_called_by_its_text_or_in_words(name: str, words: str) -> None:
    assert name_terminal(grammar(), name) == words


INSERTED = [
    ("a 1;", Edit("insert", 1, 1, "EQUAL", "=", 1000), "expected `=` before `1;`"),
    ("a = 1 ", Edit("insert", 5, 5, "SEMICOLON", ";", 1000), "expected `;` at the end"),
    (" = 1;", Edit("insert", 0, 0, "LONG_NAME", "x", 1060), "expected long name before `=`"),
]


@pytest.mark.parametrize(("text", "edit", "message"), INSERTED)
def test_a_missing_token_is_told_with_what_follows(text: str, edit: Edit, message: str) -> None:
    diagnostic = explain(text, edit)
    assert (diagnostic.message, diagnostic.code) == (message, "missing-token")
    assert diagnostic.expected == (edit.new,)
    assert (diagnostic.span.start, diagnostic.span.end) == (edit.start, edit.start)


def test_a_delimiter_completes_a_token() -> None:
    diagnostic = explain('a = "b;', Edit("insert", 6, 6, "STRING", '"', 800))
    assert (diagnostic.message, diagnostic.code) == ('this string has no "', "unfinished-token")
    assert diagnostic.expected == ()


LONG = "a" * 20
DELETED = [
    (" ;", "SEMICOLON", DELETE, "unexpected `;`", "unexpected-token"),
    ("!!! ???", "", LINE, "unexpected line `!!! ???`", "unexpected-token"),
    ("!!", "", DELETE, "no token begins with `!!`", "no-token"),
    (LONG, "LONG_NAME", DELETE, f"unexpected `{LONG}`", "unexpected-token"),
    (LONG + "b", "LONG_NAME", DELETE, f"unexpected `{LONG}…`", "unexpected-token"),
    (f"\n{LONG}\nb", "", DELETE, f"no token begins with `{LONG}`", "no-token"),
]


@pytest.mark.parametrize(("text", "name", "price", "message", "code"), DELETED)
def test_what_is_deleted_is_quoted_up_to_its_first_line(
    text: str, name: str, price: int, message: str, code: str
) -> None:
    diagnostic = explain(text, Edit("delete", 0, len(text), name, "", price))
    assert (diagnostic.message, diagnostic.code) == (message, code)


@pytest.mark.parametrize(("text", "start"), [(" \n ;", 3), ("   ", 3), (";  ", 0)])
def test_the_caret_is_below_what_is_not_blank(text: str, start: int) -> None:
    diagnostic = explain(f"a{text}b", Edit("delete", 1, 1 + len(text), "SEMICOLON", "", DELETE))
    assert (diagnostic.span.start, diagnostic.span.end) == (1 + start, 1 + len(text))


def test_a_wrong_token_is_told_with_the_right_one() -> None:
    diagnostic = explain("a : 1;", Edit("replace", 2, 3, "EQUAL", "=", 1500))
    assert (diagnostic.message, diagnostic.code) == ("expected `=` instead of `:`", "wrong-token")
    assert diagnostic.expected == ("=",)


def test_skipped_text_is_told() -> None:
    diagnostic = explain("a = (", Edit("skip", 4, 5, "", "", DELETE))
    assert (diagnostic.message, diagnostic.code) == ("the text from here on was not parsed", "skipped-text")


@pytest.mark.parametrize(
    ("code", "message", "hint"),
    [("no-semicolon", "the semicolon is missing", "write `;`"), ("two-words", "two words", "")],
)
def test_a_mistake_has_its_own_words_or_its_name(code: str, message: str, hint: str) -> None:
    diagnostic = explain("a = 1", Edit("mistake", 0, 5, code, "", 200))
    assert (diagnostic.code, diagnostic.message, diagnostic.hint) == (code, message, hint)


def test_an_edit_without_a_price_has_no_message() -> None:
    edits = [Edit("insert", 0, 0, "EQUAL", "=", price) for price in (0, 1)]
    assert len(explain_edits(grammar(), "a", edits)) == 1


@pytest.mark.parametrize(("name", "direction"), [("_INDENT", "further"), ("_DEDENT", "less")])
def test_a_line_is_indented_in_a_direction(name: str, direction: str) -> None:
    blocks = ErrorCorrectingParser(BLOCKS).compiled
    diagnostic = explain("a\nb\n", Edit("insert", 2, 2, name, "  ", 900), blocks)
    assert diagnostic.message == f"expected this line to be indented {direction}"
    assert diagnostic.code == "wrong-indentation"
