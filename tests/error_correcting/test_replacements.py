"""Tokens in place of what was written: near words, completed and exchanged quotes, values without quotes."""

from __future__ import annotations

from functools import cache

import pytest

from symops_lark.error_correcting import ErrorCorrectingParser
from symops_lark.error_correcting.edits import INDENT_SIGN, Unit
from symops_lark.error_correcting.replacements import find_replacements
from symops_lark.error_correcting.scanner import Scanner

GRAMMAR = """
start: ("print" | "=" | ":" | "," | "(" | "%" | "if" | WORD | TEXT | SQL | NUMBER | MODE | DATE | MARK | PLAIN)*
WORD: /[a-z][a-z0-9']*/
TEXT: /"(\\\\.|[^"\\\\\\n])*"/
SQL: /'(''|[^'\\n])*'/
NUMBER: /[0-9]+/
MODE: "car" | "cat" | "off"
DATE: /(?=x)[0-9]{8}/
MARK: /["`][^"`\\n]*["`]/
PLAIN: /"[a-z ]*"/
%ignore /[ \\n]+/
"""
Replaced = tuple[str, int, int]  # the value, its price, and the place after it


@cache
def scanner(text: str) -> Scanner:
    return Scanner(ErrorCorrectingParser(GRAMMAR, parser="earley").compiled.tables, text, "basic")


def replace(text: str, name: str, start: int = 0) -> list[Replaced]:
    """Return the ways to write a terminal for the text at a place, but for those that replace one unit."""
    moves = list(find_replacements(scanner(text).tables, text, start, [], name))
    for move in moves:
        [edit] = move.leaf.edits
        assert (move.leaf.name, move.leaf.stop, edit.name, edit.price) == (name, move.stop, name, move.price)
    return [(move.leaf.value, move.price, move.stop) for move in moves]


def replace_unit(old: str, unit: str, name: str) -> list[Replaced]:
    moves = find_replacements(scanner(old).tables, old, 0, [Unit(unit, 0, len(old))], name)
    rows = [(move.leaf.value, move.price, move.stop) for move in moves if move.leaf.edits[0].kind == "replace"]
    return list(dict.fromkeys(rows))


UNITS = [
    ("prnt", "WORD", "PRINT", [("print", 400, 4)]),
    ("PRINT", "WORD", "PRINT", [("print", 400, 5)]),
    ("abc", "WORD", "PRINT", [("print", 1500, 3)]),
    ("if", "IF", "PRINT", [("print", 1500, 2)]),
    ("abc", "WORD", "EQUAL", []),  # a value is not written for a sign
    ("!", "", "EQUAL", []),
    (":", "COLON", "EQUAL", [("=", 1500, 1)]),
    ("print", "PRINT", "PRINT", []),
    ("of", "WORD", "MODE", [("off", 400, 2)]),
    ("cas", "WORD", "MODE", [("car", 400, 3)]),  # "cat" is as near
    ("dogs", "WORD", "MODE", [("car", 1560, 4)]),
    ("abc", "WORD", "TEXT", [('"abc"', 900, 3)]),
    ("it's", "WORD", "TEXT", [('"it\'s"', 900, 4)]),
    ("it's", "WORD", "SQL", [("''", 1560, 4)]),  # one quote is there: another end may be meant
    ("a1", "WORD", "PLAIN", [('""', 1560, 2)]),  # it has no digits
    ("print", "PRINT", "TEXT", [('""', 1560, 5)]),  # a reserved word is no value
    (":", "COLON", "TEXT", [('""', 1560, 1)]),
    ("!?", "", "TEXT", [('""', 1560, 2)]),
    ("a12", "WORD", "NUMBER", [("12", 1500, 3)]),
    ("if1", "IF", "NUMBER", [("0", 1560, 3)]),
    ("abc", "WORD", "NUMBER", [("0", 1560, 3)]),
    ("abc", "WORD", "DATE", []),  # no text of it is known
]


@pytest.mark.parametrize(("old", "unit", "name", "replaced"), UNITS)
def test_a_unit_is_replaced_by_what_is_nearest(old: str, unit: str, name: str, replaced: list[Replaced]) -> None:
    assert replace_unit(old, unit, name) == replaced


CLOSED = [
    ('"ab', [('"ab"', 800, 3)]),
    ('"a b', [('"a b"', 800, 4), ('"a"', 820, 2)]),
    ('"a, b', [('"a, b"', 800, 5), ('"a"', 810, 2), ('"a,"', 820, 3)]),
    ('"a,', [('"a,"', 830, 3), ('"a"', 810, 2)]),
    ('"a)', [('"a)"', 830, 3), ('"a"', 810, 2)]),
    ('"a  \n', [('"a"', 800, 2), ('"a "', 820, 3)]),
    ('"a_b\nc', [('"a_b"', 800, 4)]),
    ('"', []),
    ('"a\\', [('"a"', 810, 2)]),  # the backslash would escape the quote
    ('"' + "-" * 20, None),
]


@pytest.mark.parametrize(("text", "closed"), CLOSED)
def test_a_quote_is_closed_at_the_end_of_the_line_or_before_a_sign(text: str, closed: list[Replaced] | None) -> None:
    moves = replace(text, "TEXT")
    assert len(moves) == 12 if closed is None else moves == closed


@pytest.mark.parametrize(
    ("text", "opened"),
    [('a"', [('"a"', 800, 2)]), ('ab" c', [('"ab"', 800, 3)]), ('"ab"', []), ("ab", []), ('a\nb"', [])],
)
def test_a_quote_is_opened_where_the_token_begins(text: str, opened: list[Replaced]) -> None:
    moves = list(find_replacements(scanner(text).tables, text, 0, [], "TEXT"))
    inserted = [move for move in moves if move.leaf.edits[0][:3] == ("insert", 0, 0)]
    assert [(move.leaf.value, move.price, move.stop) for move in inserted] == opened
    assert all(move.leaf.start == 0 and move.leaf.edits[0].new == '"' for move in inserted)


RUNS = [
    ("a b", [('"a b"', 900, 3)]),
    ("a b, c ;", [('"a b"', 900, 3), ('"a b, c"', 910, 6)]),
    ("a b = ", [('"a b"', 900, 3)]),
    ("a (b", []),
    ("a b (c", [('"a b"', 900, 3)]),
    ("a b] c", []),
    ("/a.b", [('"/a.b"', 900, 4)]),
    ("%a b", [('"%a b"', 910, 4)]),
    ("@a b", [('"@a b"', 900, 4)]),
    ("ab", []),  # one word is a unit
    ("1 2", []),  # two numbers are two values
    ("-a b", []),
    ("print a", []),
    ("printer a", [('"printer a"', 900, 9)]),
    ("a b\nc", [('"a b"', 900, 3)]),
    ("\na", []),
    ("a\\b c", [('"a\\b c"', 900, 5)]),
]


@pytest.mark.parametrize(("text", "quoted"), RUNS)
def test_several_words_are_one_value_up_to_a_separator(text: str, quoted: list[Replaced]) -> None:
    assert replace(text, "TEXT") == quoted


def test_a_quote_inside_is_escaped_as_the_terminal_has_it() -> None:
    assert replace("a it's b", "SQL") == [("'a it'", 800, 5)]  # this quote is an end rather than a part
    assert replace('"it\'s"', "SQL")[-1] == ("'it''s'", 400, 6)
    assert replace("'a \"b\" c'", "TEXT")[-1] == ('"a \\"b\\" c"', 400, 9)


EXCHANGED = [
    ("'ab' c", "TEXT", [('"ab"', 400, 4)]),
    ("“ab”", "TEXT", [('"ab"', 400, 4)]),
    ("„ab“", "TEXT", [('"ab"', 400, 4)]),
    ("«ab»", "TEXT", [('"ab"', 400, 4)]),
    ("´ab´", "TEXT", [('"ab"', 400, 4)]),
    ("“ab'", "TEXT", [('"ab"', 400, 4)]),
    ("'ab", "TEXT", []),
    ("''", "TEXT", [('""', 400, 2)]),
    ("'a' 'b'", "TEXT", [('"a"', 400, 3)]),
    ("'ab'", "MARK", [('"ab"', 400, 4)]),  # the first one of its quotes
    ('"ab”', "SQL", [("'ab'", 400, 4)]),
    ("ab”", "TEXT", []),
    ("", "TEXT", []),
]


@pytest.mark.parametrize(("text", "name", "exchanged"), EXCHANGED)
def test_other_quotes_are_exchanged(text: str, name: str, exchanged: list[Replaced]) -> None:
    assert [row for row in replace(text, name) if row[1] == 400] == exchanged


def test_a_token_of_the_terminal_is_not_misquoted() -> None:
    assert replace('"ab"', "TEXT") == [('"ab"', 810, 3)]
    assert replace('"ab"', "TEXT", 4) == []


def test_text_is_replaced_where_it_begins() -> None:
    [move] = find_replacements(scanner('x "ab').tables, 'x "ab', 2, [], "TEXT")
    assert (move.leaf.start, move.stop, move.leaf.edits[0][:3]) == (2, 5, ("insert", 5, 5))
    [move] = find_replacements(scanner("x 'ab'").tables, "x 'ab'", 2, [], "TEXT")
    assert (move.leaf.start, move.stop, move.leaf.edits[0][:3]) == (2, 6, ("replace", 2, 6))
    [move] = find_replacements(scanner("x a b").tables, "x a b", 2, [], "TEXT")
    assert (move.leaf.start, move.stop, move.leaf.edits[0][:3]) == (2, 5, ("replace", 2, 5))
    [move] = find_replacements(scanner('x ab"').tables, 'x ab"', 2, [], "TEXT")
    assert (move.leaf.start, move.stop, move.leaf.edits[0][:3]) == (2, 5, ("insert", 2, 2))
    [move] = find_replacements(scanner("x prnt").tables, "x prnt", 2, [Unit("WORD", 2, 6)], "PRINT")
    assert (move.leaf.start, move.stop, move.leaf.edits[0][:3]) == (2, 6, ("replace", 2, 6))


def test_a_token_is_opened_on_its_own_line() -> None:
    tables = ErrorCorrectingParser('start: TEXT\nTEXT: /"[^"]*"/\n').compiled.tables
    assert list(find_replacements(tables, '\nab"', 0, [], "TEXT")) == []


def test_a_quote_alone_is_a_new_token_and_no_unfinished_one() -> None:
    """The closing quote of this token is optional."""
    parser = ErrorCorrectingParser('start: A ";"\nA: /"[a-z ]*"?/\n', parser="lalr")
    for text, repaired, price in [("a;", '"a;', 800), (";", '"";', 1060), ("?;", '"";', 1560)]:
        parse = parser.parse(text)
        assert (parse.text, parse.price, parse.accepted) == (repaired, price, True)


def test_no_text_is_replaced_by_the_indentation_of_a_line() -> None:
    blocks = 'start: ("(" _NL _INDENT "(" _NL _DEDENT)+\n_NL: /(\\n[ ]*)+/\n%declare _INDENT _DEDENT\n'
    tables = ErrorCorrectingParser(blocks).compiled.tables
    units = [Unit("LPAR", 0, 1)]
    assert list(find_replacements(tables, "(", 0, units, "_INDENT")) == []
    [move] = find_replacements(tables, "(", 0, units, "_NL")
    assert (move.leaf.value, move.price) == ("\n", 1560)
    assert list(find_replacements(tables, INDENT_SIGN, 0, [Unit("_INDENT", 0, 1)], "LPAR")) == []


def test_of_many_quotes_only_some_and_the_right_partner_end_a_value() -> None:
    """Each is another reading of the remainder: with all of them, nested objects took a square of time."""
    inner = '"a' * 100
    ways = replace(f"'{inner}'", "TEXT")
    ends = [stop for _, _, stop in ways]
    assert len(ends) < 20
    assert len(inner) + 2 in ends


def test_a_wrong_quote_before_nested_objects_is_repaired_in_few_readings() -> None:
    text = "{'" + '{"a":' * 200 + "1" + "}" * 201
    parse = ErrorCorrectingParser(
        'start: object\nobject: "{" (TEXT ":" value)? "}"\nvalue: object | "1"\nTEXT: /"[a-z]*"/\n'
    )
    assert parse.parse(text).edits
