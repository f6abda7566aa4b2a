"""What a repair costs, as the guide says: one text for each row of its table."""

from __future__ import annotations

from functools import cache
from typing import Literal

import pytest

from symops_lark.error_correcting import ErrorCorrectingParser

GRAMMAR = """
start: ("set" NAME "=" value ";")*
?value: TEXT | NUMBER | NAME | list
list: "[" value ("," value)* "]"
NAME: /[a-z]+/
NUMBER: /[0-9]+/
TEXT: /"[^"\\n]*"/
%ignore /\\s+/
"""


@cache
def parser(engine: Literal["lalr", "earley"]) -> ErrorCorrectingParser:
    return ErrorCorrectingParser(GRAMMAR, parser=engine)


PRICES = [
    ("set a = 1", 1000, "set a = 1;"),  # insert a token
    ("set a = ;", 1060, None),  # … that is invented
    ("set a = = 1;", 1000, "set a =  1;"),  # delete a token
    ("set a 5 = 1;", 1040, "set a  = 1;"),  # … that is a value
    ("set a = 1; set", 1080, "set a = 1;"),  # … that is a keyword
    ("[ set a = 1;", 1020, "set a = 1;"),  # … that opens a bracket
    ("] set a = 1;", 1000, "set a = 1;"),  # … that closes one
    ("!! set a = 1;", 1000, "set a = 1;"),  # … that is none
    ("é set a = 1;", 1040, "set a = 1;"),
    ("set a , 1;", 1500, "set a = 1;"),  # replace a token
    ("set ; = 1;", 1560, None),  # … by one that is invented
    ("set a = 1;\n! = , ;\n", 2500, "set a = 1;\n"),  # delete a line
    ("set a = b c d;", 900, 'set a = "b c d";'),  # put quotes around a value
    ('set a = "b\n;', 800, 'set a = "b"\n;'),  # complete a quote at the end of a line
    ('set a = b"\n;', 800, 'set a = "b"\n;'),
    ('set a = "b;', 810, 'set a = "b";'),  # … elsewhere
    ("sett a = 1;", 400, "set a = 1;"),  # a near miss
    ("SET a = 'b';", 800, 'set a = "b";'),
]


@pytest.mark.parametrize("engine", ["lalr", "earley"])
@pytest.mark.parametrize(("text", "price", "repaired"), PRICES)
def test_a_repair_costs_what_the_guide_says(
    text: str, price: int, repaired: str | None, engine: Literal["lalr", "earley"]
) -> None:
    parse = parser(engine).parse(text, exact=True)
    assert (parse.price, parse.accepted, parse.minimal) == (price, True, True)
    assert repaired is None or parse.text.split() == repaired.split()
