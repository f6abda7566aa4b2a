"""The example languages: their broken texts are repaired, and their mistakes named."""

from __future__ import annotations

from pathlib import Path

import pytest

from symops_lark.core.ground.errors import GrammarError
from symops_lark.error_correcting import ErrorCorrectingParser
from symops_lark.error_correcting.languages import find_mistakes, list_languages, load_language


def load(name: str) -> ErrorCorrectingParser:
    language = load_language(name)
    return ErrorCorrectingParser(language.grammar, mistakes=language.mistakes)


def test_there_are_ten() -> None:
    assert len(list_languages()) == 10
    with pytest.raises(GrammarError, match="there are calls, config"):
        load_language("cobol")


@pytest.mark.parametrize("name", list_languages())
def test_the_broken_text_is_repaired(name: str) -> None:
    language = load_language(name)
    parse = ErrorCorrectingParser(language.grammar).parse(language.text)
    assert parse.complete and parse.accepted and parse.edits
    plain = ErrorCorrectingParser(language.grammar).lark
    assert plain.parse(parse.text) == parse.tree


@pytest.mark.slow
@pytest.mark.parametrize("name", list_languages())
def test_both_engines_find_the_same_price(name: str) -> None:
    language = load_language(name)
    by_chart = ErrorCorrectingParser(language.grammar, parser="earley", lexer="dynamic").parse(language.text)
    by_default = ErrorCorrectingParser(language.grammar).parse(language.text)
    assert by_chart.complete
    assert abs(by_chart.price - by_default.price) < 1000


REPAIRS = [
    ("json", '{"a": 1 "b": 2}', '{"a": 1, "b": 2}'),
    ("json", "{'a': 1}", '{"a": 1}'),
    ("json", "{“a”: 1}", '{"a": 1}'),
    ("json", '{a: 1, "b: 2}', '{"a": 1, "b": 2}'),
    ("json", '{"a": [1, 2}', '{"a": [1, 2]}'),
    ("json", '{"a": hello world, "b": 1}', '{"a": "hello world", "b": 1}'),
    ("json", "[1 2 3", "[1, 2, 3]"),
    ("json", "[1, tru]", "[1, true]"),
    ("json", "[1, TRUE]", "[1, true]"),
    ("sql", "SELECT a FRM b", "SELECT a FROM b"),
    ("sql", "SELECT a, FROM b", "SELECT a FROM b"),
    ("sql", "SELECT a FROM b ORDER a", "SELECT a FROM b ORDER BY a"),
    ("statements", "if a then b = 1; ", "if a then b = 1; end"),
    ("statements", "prnt 1;", "print 1;"),
    ("config", "mode = Tru;", "mode = Tru;"),
    ("config", "a = 1;\n!!! ??? ,,, ===\nb = 2;\n", "a = 1;\nb = 2;\n"),
]


@pytest.mark.parametrize(("name", "broken", "wanted"), REPAIRS)
def test_repairs_are_those_that_a_person_expects(name: str, broken: str, wanted: str) -> None:
    parse = ErrorCorrectingParser(load_language(name).grammar).parse(broken)
    assert "".join(parse.text.split()) == "".join(wanted.split())


MISTAKES = [
    ("json", '{"a": [True, None],}', ["trailing-comma", "python-true", "python-none"], '{"a": [true, null]}'),
    ("json", "[1, 2,]", ["trailing-comma-in-list"], "[1, 2]"),
    ("config", 'a: 1;\nb = 2\nc = "x";', ["colon-for-equals", "missing-semicolon"], 'a = 1; b = 2; c = "x";'),
    ("ini", "[a]\nb: 1\n", ["colon-for-equals"], "[a]\nb = 1\n"),
    ("sql", "SELECT a FROM b WHERE a == 1", ["double-equals"], None),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "broken", "codes", "right"), MISTAKES)
def test_named_mistakes_have_their_words(name: str, broken: str, codes: list[str], right: str | None) -> None:
    parser = load(name)
    parse = parser.parse(broken)
    diagnostics = parser.diagnostics(broken, parse)
    assert [diagnostic.code for diagnostic in diagnostics] == codes
    assert all(
        (diagnostic.hint and diagnostic.message[0].islower()) or "Python" in diagnostic.message
        for diagnostic in diagnostics
    )
    assert parse.text == broken and not parse.accepted and parse.complete
    if right is not None:
        assert parse.tree == parser.lark.parse(right)


def test_a_language_is_its_files() -> None:
    names = "calls config dotenv graphql ini json lists sql statements toml"
    assert " ".join(list_languages()) == names
    config = load_language("config")
    assert config.name == "config"
    assert config.grammar.name == "config.lark"
    assert config.mistakes == config.grammar.with_name("config_recovery.lark")
    assert config.text == config.grammar.with_name("config.txt").read_text("utf-8") != ""
    assert load_language("calls").mistakes is None


def test_mistakes_are_a_file_beside_a_grammar(tmp_path: Path) -> None:
    grammar = tmp_path / "own.lark"
    mistakes = tmp_path / "own_recovery.lark"
    assert find_mistakes(grammar) is None
    mistakes.mkdir()
    assert find_mistakes(grammar) is None  # it is a folder
    mistakes.rmdir()
    mistakes.write_text("", encoding="utf-8")
    assert find_mistakes(grammar) == mistakes
