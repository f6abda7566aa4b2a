"""The tab for any grammar: every example is repaired, and no grammar holds the server up."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from lark import Lark

from symops_lark.core.grammar.compiling.bounds import MOST_BYTES
from symops_lark.core.ground.errors import GrammarError
from symops_lark.error_correcting.languages import list_languages
from symops_lark.lab.playground.answers import Answers, QuestionError
from symops_lark.lab.playground.any_grammar import (
    MOST_CHARACTERS,
    _add_differences,
    list_examples,
    recover,
    recover_apart,
)

WORDS = "start: word+\nword: /[a-z]+/\n%ignore / /\n"
LISTS = 'start: item ("," item)*\nitem: /[a-z]+/\n'
EXAMPLES = list_examples()


def names_of(node: dict[str, Any]) -> list[str]:
    """Return the names of the rules of a drawn tree."""
    below = [name for child in node.get("children", ()) for name in names_of(child)]
    return [node["name"], *below] if "children" in node else below


def test_there_are_ten_examples() -> None:
    languages = Answers().answer("languages", {})["languages"]
    assert [example["name"] for example in languages] == list_languages()
    assert len(languages) == 10


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: str(example["name"]))
def test_every_example_is_repaired(example: dict[str, str]) -> None:
    answer = recover(example["grammar"], example["mistakes"], example["text"])
    assert answer["diagnostics"]
    assert answer["complete"]
    assert answer["tree"]["children"]
    for name in names_of(answer["tree"]):
        assert name in answer["pretty"]
    assert all(alternative["text"] != example["text"] for alternative in answer["alternatives"])


def test_a_valid_text_has_the_tree_of_lark() -> None:
    answer = recover(LISTS, "", "a,b")
    assert answer["pretty"] == Lark(LISTS, parser="lalr").parse("a,b").pretty()
    assert answer["diagnostics"] == []
    assert names_of(answer["tree"]) == ["start", "item", "item"]


def test_an_alternative_can_be_applied() -> None:
    answer = recover(LISTS, "", "a,,b")
    for text in (answer["text"], *(alternative["text"] for alternative in answer["alternatives"])):
        assert recover(LISTS, "", text)["price"] == 0


def test_named_mistakes_are_read() -> None:
    mistakes = (
        '//! There is a semicolon for a comma. | write `,`\n%extend start: _semicolon\n_semicolon.-300: item ";" item\n'
    )
    answer = recover(LISTS, mistakes, "a;b")
    assert [diagnostic["code"] for diagnostic in answer["diagnostics"]] == ["semicolon"]


@pytest.mark.slow
def test_a_wrong_grammar_is_an_answer() -> None:
    fields = {"grammar": "start: MISSING\n", "mistakes": "", "text": ""}
    answer = Answers().answer("recover", fields)
    assert "MISSING" in answer["error"]["message"]


@pytest.mark.parametrize("name", ["grammar", "mistakes", "text"])
def test_what_is_missing_is_told(name: str) -> None:
    fields = {"grammar": WORDS, "mistakes": "", "text": "a"}
    del fields[name]
    with pytest.raises(QuestionError, match=f"{name}: a text is expected"):
        Answers().answer("recover", fields)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("grammar", "text"),
    [("start: WORD\nWORD: /(a+)+b/\n", "a" * 60), ("start: a\na: a a | a a a | /x/ | \n", "x" * 400)],
)
def test_no_grammar_holds_the_server_up(grammar: str, text: str) -> None:
    began = time.monotonic()
    try:
        recover_apart(grammar, "", text, seconds=2.0)
    except GrammarError as error:
        assert "within 2 seconds" in str(error)
    assert time.monotonic() - began < 10


def test_what_is_too_long_is_refused() -> None:
    fields = {"grammar": WORDS, "mistakes": "", "text": "a" * (MOST_CHARACTERS + 1)}
    assert "longer than 20,000 characters" in Answers().answer("recover", fields)["error"]["message"]
    fields = {"grammar": "x" * (MOST_BYTES + 1), "mistakes": "", "text": ""}
    assert "the grammar is longer than" in Answers().answer("recover", fields)["error"]["message"]


def test_a_large_tree_is_not_drawn() -> None:
    answer = recover(WORDS, "", "a " * 2_000)
    assert answer["tree"] is None
    assert answer["pretty"] is None
    deep = recover('start: "(" start ")" | "x"\n', "", "(" * 300 + "x" + ")" * 300)
    assert deep["tree"] is None
    assert deep["price"] == 0


@pytest.mark.slow
def test_characters_that_utf8_lacks_are_read() -> None:
    answer = recover_apart(WORDS, "", "a \ud800 b")
    assert answer["complete"]


# ---- what a page cannot do


@pytest.mark.parametrize("name", [".secret", ".folder.secret", "secret", "folder.secret"])
def test_a_grammar_of_the_page_imports_no_file(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lark would look beside the main module, and in the working folder."""
    (tmp_path / "folder").mkdir()
    for folder in (tmp_path, tmp_path / "folder"):
        (folder / "secret.lark").write_text('thing: "x"\n', "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys.modules["__main__"], "__file__", str(tmp_path / "main.py"), raising=False)
    for mistakes in ("", f"%import {name} (thing)\n%extend start: thing\n"):
        grammar = 'start: "a"\n' if mistakes else f"start: thing\n%import {name} (thing)\n"
        answer = recover(grammar, mistakes, "b")
        assert "only grammars of Lark can be imported" in answer["error"]["message"]


@pytest.mark.slow
@pytest.mark.parametrize("line", ["%import common.INT -> THING", "%import python.NAME -> THING"])
def test_a_grammar_of_the_page_imports_those_of_lark(line: str) -> None:
    answer = recover_apart(f"start: THING\n{line}\n", "", "")
    assert answer["complete"], answer


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit of memory")
def test_the_process_has_a_limit_of_memory() -> None:
    code = (
        "from symops_lark.lab.playground import any_grammar as page\n"
        "page._limit_memory()\n"
        "try:\n    kept = bytearray(page.MOST_MEMORY)\n"
        "except MemoryError:\n    print('refused')\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ended.stdout == "refused\n", ended.stderr


def test_alternatives_with_the_same_words_are_told_apart() -> None:
    answer = recover('start: "[" N ("," N)* "]"\nN: /[0-9]/\n', "", "[1,,,2]")
    words = [tuple(alternative["messages"]) for alternative in answer["alternatives"]]
    assert len(set(words)) == len(words)
    grammar = 'start: word+\nword: A | B\nA: "ab" "c"\nB: "ab" "d"\n%ignore " "\n'
    answer = recover(grammar, "", "abx")
    words = [tuple(single_alternative["messages"]) for single_alternative in answer["alternatives"]]
    assert len(set(words)) == len(words)


def test_equal_messages_get_the_places_that_differ() -> None:
    rows = [{"messages": ["line 1: x"], "text": text} for text in ("a, b c", "a b, c", "a b c,")]
    rows.append({"messages": ["line 2: y"], "text": "z"})
    _add_differences(rows)
    words = [tuple(row["messages"]) for row in rows]
    assert len(set(words)) == 4 and words[3] == ("line 2: y",)
