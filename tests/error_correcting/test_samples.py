"""Texts of a terminal: the one to insert, all of them if they are few, its quotes, and what is near to it."""

from __future__ import annotations

import re

import pytest

from symops_lark.error_correcting.samples import find_choices, find_quotes, find_sample, is_near, is_token


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("a+", "aa", True),
        ("a+", "aab", False),
        ("a+", "baa", False),
        ("a*", "", False),
        ("a+?", "aa", False),  # a lexer takes one letter of it
    ],
)
def test_a_token_is_all_that_a_lexer_takes(pattern: str, text: str, expected: bool) -> None:
    assert is_token(re.compile(pattern), text) == expected


SAMPLES = [
    (r"[a-z]+", "x"),
    (r"[A-Z]\w*", "X"),
    (r"-?[0-9]+", "0"),
    (r"[1-9][0-9]*", "1"),
    (r'"[^"]*"|\'[^\']*\'', '""'),
    (r"'[^']*'", "''"),
    (r"[!a-f]+", "a"),
    (r"[!A-F]+", "A"),
    (r"(\r?\n)+", "\n"),
    (r"[! ]+", " "),
    (r"\{[^}]*\}", "{}"),
    (r"\([^)]*\)", "()"),
    (r"\[[^\]]*\]", "[]"),
    (r"[a-z]+\.[a-z]+", "x.x"),
    (r"[!/]/[^\n]*", "//"),
    (r"[!#][^\n]*\n", "#\n"),
    (r"<[0-9]{2}>", "<00>"),  # none of the usual ones: the shortest
    (r"on|off|auto", "on"),
    (r"off|nil", "nil"),  # of the shortest choices the first one of the alphabet
    (r"(?i:ON|OFF)", "on"),
    (r"q*", "q"),
    (r"(q{3})??", None),  # a lexer takes nothing of it
    (r"(?<=b)q{2}", None),  # it is not the text of a token by itself
]


@pytest.mark.parametrize(("pattern", "sample"), SAMPLES)
def test_a_usual_text_is_inserted_or_else_a_short_one(pattern: str, sample: str | None) -> None:
    assert find_sample(pattern, re.compile(pattern), find_choices(pattern)) == sample


CHOICES = [
    ("on|off", {"on", "off"}),
    ("(?i:on|off)", {"on", "off"}),
    ("ON|Off", {"ON", "Off"}),
    ("[Āā]n", {"ān"}),  # letters whose two cases are neighbors
    ("colou?r", {"color", "colour"}),
    ("(aa|bb)?", {"aa", "bb"}),
    ("(aa|b)(cc|d)", {"aacc", "aad", "bcc", "bd"}),
    ("[ab]", set()),  # two letters are not one letter with two cases
    ("[a-c]", set()),
    ("[^a]", set()),
    ("a+", set()),
    ("a|b+", set()),
    ("(a+)?", set()),
    (r"(?<=a)b", set()),
    ("|".join(f"a{chr(97 + at // 26)}{chr(97 + at % 26)}" for at in range(64)), 64),
    ("|".join(f"a{chr(97 + at // 26)}{chr(97 + at % 26)}" for at in range(65)), 0),
    ("a?b?c?d?e?f?", 63),  # but for the empty text
    ("a?b?c?d?e?f?g?", 0),
]


@pytest.mark.parametrize(("pattern", "texts"), CHOICES)
def test_all_texts_of_a_terminal_are_known_if_they_are_few(pattern: str, texts: set[str] | int) -> None:
    choices = find_choices(pattern)
    assert (len(choices) if isinstance(texts, int) else choices) == texts


@pytest.mark.parametrize(
    ("pattern", "quotes"),
    [(r'"[^"]*"', '"'), (r"(['\"]).*?\1", "\"'"), ("`[^`]*`", "`"), ("[a-z]+", ""), (r'"[a-z]*"', "")],
)
def test_quotes_are_those_around_any_words(pattern: str, quotes: str) -> None:
    assert find_quotes(re.compile(pattern)) == quotes


NEAR = [
    ("true", "true", False),
    ("TRUE", "true", True),
    ("tru", "true", True),
    ("trrue", "true", True),
    ("trye", "true", True),
    ("treu", "true", True),
    ("Treu", "true", True),
    ("fals", "true", False),
    ("ON", "on", True),
    ("o", "on", False),
    ("fo", "for", True),
    ("", "on", False),
]


@pytest.mark.parametrize(("text", "target", "expected"), NEAR)
def test_words_are_near_by_one_slip(text: str, target: str, expected: bool) -> None:
    assert is_near(text, target) == expected
