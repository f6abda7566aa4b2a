"""Files of users, settings that a format does not have, and the word with which the writer ends a content."""

from __future__ import annotations

from inspect import signature
from pathlib import Path
from typing import Any

import pytest
from format_samples import OWN

from symops_lark import SymOpsProcessor, recover
from symops_lark.core.document import Action, Document
from symops_lark.core.formats.documents import read_format
from symops_lark.core.formats.grammar import compile_format
from symops_lark.core.formats.loading import load_format
from symops_lark.core.formats.writer import write_format
from symops_lark.core.ground.errors import GrammarError, RenderError
from symops_lark.core.patterns.regexes import compile_pattern


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ("thing: PATH\nPATH: /x/\n", 1, "document"),
        ("document: thing*\nthing: PATH\nPATH: /x/\n", 2, "thing"),
        ('document: write*\nwrite: "x" PATH\nPATH: /x/\n', 2, "CONTENT"),
        ('document: delete*\ndelete: "x" PATH\nPATH: /x(?=y)/\n', 3, "look"),
        ('document: delete*\ndelete: "x" PATH\nPATH: /x+?/\n', 3, "lazy"),
        ('document: delete*\ndelete: "x" a\na: PATH a\nPATH: /x/\n', 2, "itself"),
        ('document: delete*\ndelete: "x" PATH\nPATH.2: /x/\n', 3, "priorities"),
        ("document: write*\nwrite: PATH? CONTENT\nPATH: /x/\nCONTENT: /(.|\\n)*/\n", 2, "begin"),
        ('document: write*\nwrite: PATH "\\n" CONTENT "end"\nPATH: /x/\nCONTENT: /(.|\\n)*/\n', 2, "mark"),
        ('document: delete*\ndelete: "x" /y/ PATH\nPATH: /x/\n', 2, "terminal"),
        ('document: delete*\ndelete: "x" PATH SAME_END\nPATH: /x/\nEND: /y/\nSAME_END: END\n', 2, "SAME_END"),
        ('document: delete*\ndelete: "x PATH\n', 2, "no end"),
        ('document: delete*\ndelete: "x" PATH\nPATH: /[' + "\\\\\\\\t" * 60 + "\n", 3, "no end"),
        ('document: delete*\ndelete: "x" PATH\nPATH: /[a-z](/\n', 3, "cannot be read"),
        ('document: delete*\ndelete: "x" PATH\nPATH: /[[a]/\n', 3, "Possible nested set"),
        (
            'document: write*\nwrite: "<" KEY ">" PATH "</" SAME_KEY ">" CONTENT "</"\nKEY: /k/\nSAME_KEY: KEY\n'
            "PATH: /x/\nCONTENT: /(.|\\n)*/\n",
            2,
            "free text",
        ),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(text: str, line: int, word: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.lark"
    path.write_text(text, "utf-8")
    with pytest.raises(GrammarError) as caught:
        compile_format(path)
    message = str(caught.value)
    assert message.startswith(f"{path}:{line}:")
    assert word in message


def test_a_terminal_that_is_written_twice_needs_two_values(tmp_path: Path) -> None:
    path = tmp_path / "twice.lark"
    path.write_text(
        'document: delete*\ndelete: "rm " PATH " and " PATH _NL\nPATH: /[a-z.]+/\n_NL: /\\n/\n', encoding="utf-8"
    )
    with pytest.raises(RenderError, match="needs something that the action does not have"):
        write_format(Document((Action("delete", "a.py", None),)), path)


SETTINGS: dict[str, Any] = {
    "rules": ["rules"],
    "dialects": ["v1"],
    "corrector": object(),
    "extract": True,
    "recovery_engine": "earley",
}


@pytest.mark.parametrize("name", sorted(signature(SymOpsProcessor).parameters.keys() - {"format", "max_characters"}))
def test_a_setting_without_an_effect_is_refused(name: str, tmp_path: Path) -> None:
    """Each setting of the pipeline is in the table: a new one works, or is refused."""
    path = tmp_path / "team.lark"
    path.write_text(OWN["team_heredoc"], "utf-8")
    for format in ("hermes_json", path):
        with pytest.raises(GrammarError, match=f"{name}: only dialects have this setting"):
            SymOpsProcessor(format, **{name: SETTINGS[name]})
        with pytest.raises(GrammarError, match="engine: only dialects have this setting"):
            recover("x", format, engine="earley")


@pytest.mark.parametrize(
    ("words", "content", "closer"),
    [
        ("[A-Z]+", "EOF", "EOFX"),
        ("[a-z]+", "EOF eof", "eofx"),
        ("[0-9]+", "000 001", "002"),
        ("done|stop", "done", "stop"),
        ("[0-9]", "0", "1"),
    ],
)
def test_the_writer_takes_a_word_of_the_pattern(words: str, content: str, closer: str, tmp_path: Path) -> None:
    path = tmp_path / "team.lark"
    path.write_text(OWN["team_heredoc"].replace("[A-Za-z_0-9]+", words), "utf-8")
    action = Action("create", "a.py", content)
    text = write_format(Document((action,)), path)
    assert text.splitlines()[-1] == closer
    (loaded,) = read_format(text, path).actions
    assert loaded.content == content


def test_the_writer_says_why_there_is_no_word(tmp_path: Path) -> None:
    path = tmp_path / "team.lark"
    path.write_text(OWN["team_heredoc"].replace("[A-Za-z_0-9]+", "done|stop"), "utf-8")
    with pytest.raises(RenderError, match=r"create a\.py: each word of END"):
        write_format(Document((Action("create", "a.py", "done\nstop"),)), path)


@pytest.mark.parametrize("words", [r"[)][A-Z]*", r"[(][(]", r"[+]|[*]", r"\[x", r"[\^$]", "[.]{3}"])
def test_a_word_at_the_end_may_have_signs_of_patterns(words: str, tmp_path: Path) -> None:
    path = tmp_path / "team.lark"
    path.write_text(OWN["team_heredoc"].replace("[A-Za-z_0-9]+", words), "utf-8")
    text = write_format(Document((Action("create", "a.py", "x = 1"),)), path)
    (loaded,) = read_format(text, path).actions
    assert loaded.content == "x = 1"
    opener, *inner, closer = text.splitlines()
    # Without its opener, the word is the end of a section that cannot be read.
    assert inner == ["x = 1"] and closer in opener
    (section,) = load_format(path).sections
    assert any(compile_pattern(end.pattern).search(f"{closer}\n") for end in section.ends)


def test_a_mark_that_a_text_keeps_busy_for_years_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "busy.lark"
    path.write_text(
        'document: write*\nwrite: "<file" (_SP "mode=" WORD | _SP WORD "=" WORD)* ">" PATH _NL CONTENT "</file>"\n'
        "WORD: /[a-z]+/\n_SP: /[ \\t]+/\nPATH: /[^ \\n]+/\nCONTENT: /(.|\\n)*/\n_NL: /\\n/\n",
        encoding="utf-8",
    )
    match = r"busy\.lark:2:1: .*the rule write may take endless time: .*each repetition doubles"
    with pytest.raises(GrammarError, match=match):
        read_format("<file>a.py\nx\n</file>\n", path)
