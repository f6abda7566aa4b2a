"""The text as a lattice: what each lexer finds at a place, what can be deleted, and which edits lead further."""

from __future__ import annotations

from functools import cache

import pytest

from symops_lark.error_correcting import ErrorCorrectingParser
from symops_lark.error_correcting.edits import DEDENT_SIGN, END, HIDDEN_SIGN, INDENT_SIGN, Edit, Leaf, Move, Unit
from symops_lark.error_correcting.scanner import Scanner
from symops_lark.error_correcting.tables import Tables

GRAMMAR = """
start: ("if" | "print" | "(" | ")" | ";" | "=" | "==" | NAME | NUMBER | _NL | PATH | QUOTED)*
NAME: /[a-z]+/
NUMBER: /[0-9]+/
PATH: /@[^\\n]+/
QUOTED: /"[^"\\n]*"/
_NL: /\\n/
%ignore /\\s+/
%ignore /#[^\\n]*/
"""
BLOCKS = """
start: (NAME _NL | NAME _NL _INDENT start _DEDENT | TEXT _NL | "(" NAME* ")" _NL)+
NAME: /[a-z]+/
TEXT: /"[^"]*"/
_NL: /(\\n[ ]*)+/
%declare _INDENT _DEDENT
%ignore " "
"""


@cache
def tables(grammar: str = GRAMMAR) -> Tables:
    options = {} if grammar == BLOCKS else {"parser": "earley"}
    return ErrorCorrectingParser(grammar, **options).compiled.tables  # type: ignore[arg-type]


def scan(text: str, lexer: str = "contextual", **options: object) -> Scanner:
    return Scanner(tables(), text, lexer, **options)  # type: ignore[arg-type]


# ---- what is there


@pytest.mark.parametrize(("text", "place", "end"), [("a b", 1, 2), ("  # b\n #c", 0, 9), ("a", 0, 0), ("a", 1, 1)])
def test_all_ignored_text_is_skipped(text: str, place: int, end: int) -> None:
    assert scan(text).skip(place) == end


TOKENS = [
    ("basic", "if", {"IF": "if"}),
    ("contextual", "if", {"IF": "if"}),
    ("dynamic", "if", {"IF": "if", "NAME": "if"}),
    ("basic", "ifx", {"NAME": "ifx"}),
    ("contextual", "ifx", {"NAME": "ifx"}),
    ("dynamic", "ifx", {"NAME": "ifx", "IF": "if"}),
    ("basic", "==", {"__ANON_0": "=="}),
    ("contextual", "==", {"__ANON_0": "==", "EQUAL": "="}),
    ("contextual", "=a", {"EQUAL": "="}),
    ("basic", "!a", {}),
    ("contextual", "!a", {}),
    ("basic", " a", {"NAME": "a"}),
    ("basic", "\n a", {"NAME": "a"}),  # Lark's lexer takes the longer blanks
    ("contextual", "\n a", {"NAME": "a", "_NL": "\n"}),
    ("dynamic", "\n\n", {"_NL": "\n", END: ""}),
    ("basic", "# c", {END: ""}),
    ("dynamic", "", {END: ""}),
]


@pytest.mark.parametrize(("lexer", "text", "expected"), TOKENS)
def test_a_lexer_finds_its_terminals(lexer: str, text: str, expected: dict[str, str]) -> None:
    leaves = scan(text, lexer).tokens(0)
    assert {name: leaf.value for name, leaf in leaves.items()} == expected
    for name, leaf in leaves.items():
        assert (leaf.name, leaf.edits) == (name, ())
        assert leaf.start == (len(text) if name == END else text.index(leaf.value))
        assert leaf.stop == leaf.start + (name == END or len(leaf.value))


def test_a_forbidden_token_is_not_there() -> None:
    for lexer in ("basic", "contextual"):
        leaf = Leaf("NAME", 0, 2, "ab")
        assert scan("ab", lexer, forbidden=frozenset({leaf})).tokens(0) == {}
        inserted = Leaf("NAME", 0, 0, "ab", (Edit("insert", 0, 0, "NAME", "ab", 1060),))
        for other in (leaf._replace(value="a"), leaf._replace(start=1), inserted):
            assert scan("ab", lexer, forbidden=frozenset({other})).tokens(0) == {"NAME": leaf}


UNITS = [
    ("contextual", "ab c", [("NAME", 0, 2)]),
    ("contextual", "  ab", [("NAME", 2, 4)]),
    ("contextual", "!?! a", [("", 0, 3)]),
    ("contextual", "!", [("", 0, 1)]),
    ("contextual", "@a b", [("PATH", 0, 4), ("", 0, 1)]),
    ("dynamic", '"a b"', [("QUOTED", 0, 5), ("", 0, 1)]),
    ("basic", "@a b", [("PATH", 0, 4)]),
    ("contextual", "", []),
    ("contextual", "# c", []),
]


@pytest.mark.parametrize(("lexer", "text", "units"), UNITS)
def test_a_unit_is_a_token_or_its_first_word_or_what_is_no_token(
    lexer: str, text: str, units: list[tuple[str, int, int]]
) -> None:
    assert scan(text, lexer).units(0) == [Unit(*unit) for unit in units]


def test_tokens_are_counted_ahead() -> None:
    scanner = scan("a !! b ")
    assert [scanner.ahead(0, count) for count in range(5)] == [0, 1, 4, 6, 8]
    assert scanner.ahead(1, 1) == 4
    assert [scanner.has_at_most(count) for count in (2, 3, 4)] == [False, True, True]
    assert scan("").has_at_most(0) and not scan("a").has_at_most(0)


# ---- deletions

DELETED = [
    ("if", "IF", 1080),
    ("(", "LPAR", 1020),
    (")", "RPAR", 1000),
    ("==", "__ANON_0", 1000),
    ("a", "NAME", 1040),
    ("@-", "PATH", 1040),
    ("!?", "", 1000),
    ("!é", "", 1040),
]


@pytest.mark.parametrize(("text", "name", "price"), DELETED)
def test_signs_are_deleted_rather_than_words(text: str, name: str, price: int) -> None:
    assert scan(text).delete(Unit(name, 0, len(text))) == Edit("delete", 0, len(text), name, "", price)


def test_the_indentation_of_a_line_is_deleted_by_half() -> None:
    scanner = Scanner(tables(BLOCKS), INDENT_SIGN, "basic")
    assert scanner.delete(Unit("_INDENT", 0, 1)).price == 450


def moves_of(scanner: Scanner, place: int, name: str) -> list[tuple[list[tuple[str, int, int]], int, int]]:
    """Return the edits that put a terminal at a place, with their price and the place after them."""
    rows = []
    for move in scanner.edits(place, name):
        assert move.leaf.name == name and move.price == sum(edit.price for edit in move.leaf.edits)
        rows.append(([edit[:3] for edit in move.leaf.edits], move.price, move.stop))
    return rows


def test_as_few_tokens_as_possible_are_deleted() -> None:
    moves = moves_of(scan("; = a b"), 0, "NAME")
    assert moves[0] == ([("delete", 0, 1), ("delete", 2, 3)], 2000, 5)
    assert ([("insert", 0, 0)], 1060, 0) in moves
    assert scan("; = a b").edits(0, "NAME")[0].leaf.value == "a"
    assert all(len(row[0]) < 2 for row in moves_of(scan("; = a b", deepest=1), 0, "NAME"))


def test_four_tokens_are_deleted_before_one() -> None:
    assert moves_of(scan("; ; ; ; if"), 0, "IF")[0] == ([("delete", at, at + 1) for at in (0, 2, 4, 6)], 4000, 10)
    assert [row for row in moves_of(scan("; ; ; ; ; if"), 0, "IF") if row[0][0][0] == "delete"] == []


def test_the_end_is_reached_by_deletions_alone() -> None:
    assert scan(" ; ").edits(0, END) == [
        Move(1000, 4, Leaf(END, 3, 4, "", (Edit("delete", 1, 2, "SEMICOLON", "", 1000),)))
    ]
    assert scan("").edits(0, END) == []


def test_the_cheaper_way_to_cut_is_kept() -> None:
    """The quoted text and a word cost more than a quote, which is no token, and a path."""
    moves = moves_of(scan('"@a"c\n', "dynamic"), 0, "_NL")
    assert moves[0] == ([("delete", 0, 1), ("delete", 1, 5)], 2040, 6)


def test_a_token_is_inserted_with_its_shortest_text() -> None:
    [move] = [move for move in scan("a").edits(1, "EQUAL") if move.leaf.edits[0].kind == "insert"]
    assert move == Move(1000, 1, Leaf("EQUAL", 1, 1, "=", (Edit("insert", 1, 1, "EQUAL", "=", 1000),)))


def test_a_sign_is_deleted_before_a_word_that_is_replaced() -> None:
    assert ([("delete", 0, 1), ("replace", 2, 6)], 1400, 6) in moves_of(scan("; prnt"), 0, "PRINT")
    # Where the first one costs as much, it is replaced itself, and the second one deleted.
    assert not [row for row in moves_of(scan("abcd prnt"), 0, "PRINT") if len(row[0]) == 2]
    assert not [row for row in moves_of(scan("( !"), 0, "NAME") if len(row[0]) == 2]


def test_a_word_is_replaced_where_another_way_to_cut_goes_too_far() -> None:
    assert ([("delete", 0, 1), ("replace", 1, 5)], 1400, 5) in moves_of(scan("@prnt", "dynamic"), 0, "PRINT")
    assert ([("delete", 0, 1), ("replace", 1, 3)], 2500, 3) in moves_of(scan('"ab"prnt', "dynamic"), 0, "PRINT")


def test_a_forbidden_token_is_no_edit() -> None:
    leaves = [move.leaf for move in scan("; a").edits(0, "NAME")]
    kinds = ["delete", "insert", "replace"]
    assert [leaf.edits[0].kind for leaf in leaves] == kinds
    for leaf in leaves:
        rows = moves_of(scan("; a", forbidden=frozenset({leaf})), 0, "NAME")
        assert [row[0][0][0] for row in rows] == [kind for kind in kinds if kind != leaf.edits[0].kind]
    # The token of the text itself is another one.
    rows = moves_of(scan("; a", forbidden=frozenset({Leaf("NAME", 2, 3, "a")})), 0, "NAME")
    assert [row[0][0][0] for row in rows] == ["insert", "replace"]


def test_more_is_deleted_where_the_next_token_is_a_part_of_a_longer_one() -> None:
    """Lark's contextual lexer may find `=` in `==`; the second `=` needs the deletion of all of it."""
    rows = moves_of(scan("; == ="), 0, "EQUAL")
    assert ([("delete", 0, 1)], 1000, 3) in rows
    assert ([("delete", 0, 1), ("delete", 2, 4)], 2000, 6) in rows
    assert len([row for row in moves_of(scan("; = ="), 0, "EQUAL") if row[0][0][0] == "delete"]) == 1


# ---- lines

LINES = [
    ("a\n! =\nb", 1, "NAME", [([("delete", 2, 6)], 2500, 7)]),
    ("! =\nb", 0, "NAME", [([("delete", 0, 4)], 2500, 5)]),
    ("a\n! =\n; !\nb", 1, "NAME", [([("delete", 2, 6), ("delete", 6, 10)], 5000, 11)]),
    ("a\n! =", 1, END, [([("delete", 2, 5)], 2500, 6)]),
    ("! =", 0, END, []),  # it is all of the text
    ("a ! =\nb", 1, "NAME", []),  # it is a part of a line
    ("a\n  ! =\nb", 1, "NAME", [([("delete", 4, 8)], 2500, 9)]),
    ("a\n!\n!\n!\nif", 1, "IF", [([("delete", 2, 4), ("delete", 4, 6), ("delete", 6, 8)], 7500, 10)]),
    ("a\n!\n!\n!\n!\nif", 1, "IF", []),
    ("a\n", 1, "NAME", []),
    ("a\n", 1, END, []),
]


@pytest.mark.parametrize(("text", "place", "name", "moves"), LINES)
def test_whole_lines_are_deleted(
    text: str, place: int, name: str, moves: list[tuple[list[tuple[str, int, int]], int, int]]
) -> None:
    edits = scan(text, "basic").edits(place, name)
    lines = [move for move in edits if move.leaf.edits[0].price == 2500]
    assert [([edit[:3] for edit in move.leaf.edits], move.price, move.stop) for move in lines] == moves


# ---- signs


def test_a_line_is_deleted_with_the_blanks_of_its_end() -> None:
    scanner = Scanner(tables(BLOCKS), "! !\n  a\n", "contextual")
    [move] = [move for move in scanner.edits(0, "NAME") if move.leaf.edits[0].price == 2500]
    assert move.leaf.edits == (Edit("delete", 0, 6, "", "", 2500),)


def test_no_value_has_a_sign_but_the_marks() -> None:
    text = f'"a{HIDDEN_SIGN}b'
    values = [move.leaf.value for move in Scanner(tables(BLOCKS), text, "contextual").edits(0, "TEXT")]
    assert '"a"' in values and not [value for value in values if HIDDEN_SIGN in value]
    scanner = Scanner(tables(BLOCKS), f"; {DEDENT_SIGN}", "contextual")
    assert [move.leaf.value for move in scanner.edits(0, "_DEDENT")] == [DEDENT_SIGN] * 2
