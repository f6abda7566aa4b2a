"""The lexer for Pygments: no text is lost, no valid text is marked as wrong, and parts are what the parser says."""

from __future__ import annotations

import os
import subprocess
import sys
from cProfile import Profile
from pathlib import Path
from typing import Any

import pytest
from drawn_dialects import QUICK, draw_dialect
from highlighters import CONTENT, bare_module, exported, lex, lexer_module
from hypothesis import given
from hypothesis import strategies as st
from new_dialects import NEW, write_dialects
from pygments.lexers import get_lexer_by_name
from pygments.token import Error, Token
from strategies import LOOK_ALIKES, documents, lines, replies
from texts import DIALECTS, OnFile, groups_on_file, noted

import symops_lark
from symops_lark.core.grammar.compiling.compiler import WrittenDialect
from symops_lark.core.grammar.loading import load_grammar
from symops_lark.core.ground.file_types import LANGUAGES, NAMES, language_of
from symops_lark.core.text.source import BOM
from symops_lark.exports.highlighting.languages import load_languages
from symops_lark.exports.highlighting.lines import LABELS

every_dialect = pytest.mark.parametrize("dialect", DIALECTS)
some_dialects = pytest.mark.parametrize("dialect", ["v1", "v2", "v2_1", "plain"])  # v2_1 has all options


def pieces(text: str, dialect: str | WrittenDialect) -> list[tuple[int, Any, str]]:
    """Return the tokens of a text, after a look whether they are the whole text."""
    result = lex(lexer_module(dialect), text)
    assert "".join(value for _, _, value in result) == text
    at = 0
    for start, _, value in result:
        assert (start, bool(value)) == (at, True)
        at += len(value)
    return result


def check_valid(text: str, dialect: str | WrittenDialect) -> None:
    """Nothing of a valid text is an error, and its parts are those of its document."""
    assert not [value for _, kind, value in pieces(text, dialect) if kind in Error]
    result = lex(bare_module(dialect), text)
    token = {label: _token(name) for label, (name, _) in LABELS.items()}
    document = symops_lark.parse(text, dialect)
    verbs = [value for _, kind, value in result if kind in (token["verb"], token["unknown-verb"])]
    assert verbs == [action.type for action in document.actions]
    names = [value for _, kind, value in result if kind in (token["path"], token["command"], token["dependency"])]
    expected = [name for action in document.actions for name in (action.path, *action.dependencies)]
    assert sorted(names) == sorted(expected + [note.target for note in document.errors if note.target is not None])
    contents = {start: value for start, kind, value in result if kind is getattr(Token, CONTENT)}
    spans = [action.content_span for action in document.actions if action.content]
    for span, action in zip(spans, (action for action in document.actions if action.content), strict=True):
        assert span is not None and contents.pop(span.start).rstrip("\r\n") == (action.content or "").rstrip("\r\n")
    assert not "".join(contents.values()).strip("\r\n")


def _token(name: str) -> Any:
    kind: Any = Token
    for part in name.split("."):
        kind = getattr(kind, part)
    return kind


# ---- laws


@pytest.mark.slow
@groups_on_file()
def test_texts_on_file(texts: tuple[OnFile, ...]) -> None:
    for name, dialect, text in texts:
        with noted(name, dialect):
            pieces(text, dialect)
            try:
                symops_lark.parse(text, dialect)
            except symops_lark.ParseError:
                continue
            check_valid(text, dialect)


@some_dialects
@given(st.data())
def test_valid_texts(dialect: str, data: st.DataObject) -> None:
    check_valid(symops_lark.render(data.draw(documents(dialect)), dialect), dialect)


@pytest.mark.slow
@some_dialects
@given(replies())
def test_no_text_is_lost(dialect: str, text: str) -> None:
    pieces(text, dialect)


@pytest.mark.alike(8)
@pytest.mark.slow
@pytest.mark.parametrize("base", ["v1", "v2_1", "plain"])
@QUICK
@given(st.data())
def test_dialects_with_other_marks(base: str, data: st.DataObject) -> None:
    dialect = draw_dialect(base, data)
    assert isinstance(dialect, WrittenDialect)
    for _ in range(3):
        check_valid(symops_lark.render(data.draw(documents(dialect)), dialect), dialect)


@pytest.mark.slow
@given(st.lists(lines(), max_size=6).map("\n".join))
def test_contents_are_taken_as_they_are_in_every_language(content: str) -> None:
    """No lexer of another language loses text here, raises, or says that a content is wrong."""
    for suffix in LANGUAGES:
        text = f"::create @a{suffix}\n<<<\n{content}\n>>>\n"
        opened = content.split("\n")
        kinds = {kind for _, kind, _ in pieces(text, "v2")}
        assert Error not in kinds or {line.rstrip(" \t\r") for line in opened} & {"<<<", ">>>"}


# ---- languages


@pytest.mark.slow
def test_every_file_type_has_a_language_of_pygments() -> None:
    languages = load_languages()
    assert {suffix for language in languages for suffix in language.suffixes} == LANGUAGES.keys()
    assert {name for single_language in languages for name in single_language.names} == NAMES.keys()
    for item in languages:
        get_lexer_by_name(item.lexer)


KEYWORDS = {
    "a.py": ("def", Token.Keyword),
    "src/A.PY": ("def", Token.Keyword),
    "web/app.tsx": ("const", Token.Keyword.Declaration),
    "Makefile": ("export", Token.Keyword),
    "src/Dockerfile": ("FROM", Token.Keyword),
    "a.nim": ("proc", Token.Keyword),  # in no table of ours
    "a.sql": ("SELECT", Token.Keyword),
}


@pytest.mark.slow
@pytest.mark.parametrize("path", KEYWORDS)
def test_contents_are_in_the_language_of_the_path(path: str) -> None:
    word, kind = KEYWORDS[path]
    text = f"::create @ {path} > b.rs\n<<<\n{word} x\n>>>\n{word} x\n"
    rows = [(at, item) for at, item, value in pieces(text, "v2") if value == word]
    assert rows == [(text.index(word), kind)]
    attributes = f"::create\n  @note: b.rs\n  @path: {path}\n  @deps: b.rs\n<<<<\n>>>\n{word} x\n>>>>\n"
    assert (attributes.index(word), kind, word) in pieces(attributes, "v2_1")
    plain = f"[ACTION_TYPE] create\n[ACTION_PATH] {path}\n[CONTENT_START]\n{word} x\n[CONTENT_END]\n"
    assert (plain.index(word), kind, word) in pieces(plain, "plain")


@pytest.mark.parametrize("path", ["py", "a.unknown", "def", "a.symops", "x" * 300 + ".nim", "a.py/x"])
def test_contents_of_other_files_are_text(path: str) -> None:
    text = f"::create @{path}\n<<<\n::create @b.py\ndef x\n>>>\n"
    assert (text.index("::create @b"), Token.Text, "::create @b.py\ndef x\n") in pieces(text, "v2")


def test_the_language_ends_with_the_action() -> None:
    for between in ("::run @ python", "", ">> x", "::create @ b.txt", "::create"):
        text = f"::create @ a.py\n{between}\n<<<\ndef x\n>>>\n"
        assert (text.index("def"), Token.Text, "def x\n") in pieces(text, "v2")


def test_the_same_suffixes_as_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    module = lexer_module("v2")
    lexers = {(language.lexer) for language in load_languages()}
    for path in ("x.PyI", "a/.env", ".py", "a.b.Yaml", "Dockerfile", "dockerfile", "a.d/b", "b.env", ""):
        name = path.rpartition("/")[2]
        value = module.NAMES.get(name) or module.SUFFIXES.get("." + name.rpartition(".")[2].lower(), "")
        assert bool(language_of(path)) == (value in lexers and bool(name.rpartition(".")[0] or name in NAMES))


# ---- what is wrong, and what looks so


STRAYS = {
    "v2": (':: create "a.py"', ">>tight", ">>>", "?", "!x", "::c0.x", "::create"),
    "v1": ("$ create a.py", "~tight", "?x", "#c", "# heading"),
    "plain": ("[ACTION_TYPE]", "[ACTION_PATH] ", "[CONTENT_END]", "[CONFIDENCE] high", "[QUESTION]x"),
    "v2_1": (">>>END", ">>>>>", "::1create @a"),
}


@pytest.mark.parametrize(("dialect", "line"), [(name, line) for name, entry in STRAYS.items() for line in entry])
def test_what_begins_like_a_section_and_is_none_is_an_error(dialect: str, line: str) -> None:
    with pytest.raises(symops_lark.ParseError):
        symops_lark.parse(line + "\n", dialect)
    result = pieces(f"{line}\nand prose\n", dialect)
    assert result[0][1] is Error and line.startswith(result[0][2])
    assert not [value for _, kind, value in result[1:] if kind is Error]


def test_prose_is_text() -> None:
    assert pieces("Sure, here it is:\n\n- a\n  1. b\n", "v2")[0] == (0, Token.Text, "Sure, here it is:\n")
    assert {kind for _, kind, _ in pieces("Sure\n  1. b\nx", "v2")} == {Token.Text}
    assert pieces("x", "plain") == [(0, Token.Text, "x")]


def test_ends_of_texts() -> None:
    assert pieces("", "v2") == []
    assert [value for _, _, value in pieces(BOM + ">> x", "v2")] == [BOM, ">>", " ", "x"]
    assert pieces(">> x", "v2")[-1] == (3, Token.Comment, "x")
    assert pieces("::create @a.py\n<<<", "v2")[-1][2] == "<<<"
    assert pieces("::create @a.py\n<<<\nx = 1", "v2")[-1] == (23, Token.Number.Integer, "1")
    text = "\n\n>> x\n\n"
    lexer = lexer_module("v2").SymOpsLexer()
    assert "".join(value for _, value in lexer.get_tokens(text)) == text


# ---- hostile texts


HOSTILE = ["::create @a.symops\n<<<\n", "<<<\n", ">>>\n", "::create @a.md\n<<<\n```symops\n", "::c0.9\n", "a > b\n"]
HOSTILE += ["::create @a >" + "b, " * 20 + "\n", "::create @a.py\n<<<\nx\n>>>\n", "? x\n  1. y\n", "\r", "\u2028\n"]


@pytest.mark.parametrize("piece", HOSTILE)
def test_the_work_grows_with_the_text_and_no_faster(piece: str) -> None:
    def count(size: int) -> int:
        profile = Profile()
        profile.runcall(lex, lexer_module("v2_1"), piece * size)
        return sum(entry.callcount for entry in profile.getstats())

    count(2)  # whatever is loaded on first use
    few, many = count(50), count(200)
    assert many <= 4.5 * few + 2000


@some_dialects
@pytest.mark.parametrize(
    "beginning", ["", "::create @", "::create @a >", "$ create @ ", "[ACTION_PATH] ", ">> ", "! ", "? "]
)
def test_long_lines(dialect: str, beginning: str) -> None:
    for piece in ("a ", " ", "\t", ",", "a,", "> ", ">a ", "::c0.9 ", "@", "[A", "\u3000", "-", "\r"):
        line = beginning + piece * (100_000 // len(piece))
        pieces(f"{line}\n{line}", dialect)


class Recorder:
    """A lexer that keeps what it was given."""

    def __init__(self) -> None:
        self.given: list[str] = []

    def get_tokens_unprocessed(self, text: str) -> list[tuple[int, Any, str]]:
        self.given.append(text)
        return [(0, Token.Name, text)]


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        ("x\n" * 15_000, [30_000]),
        ("x\n" * 15_001, [30_000, 2]),
        ("x" * 999 + "\n", [1000]),
        ("x" * 1000 + "\n", []),
        ("x\n" + "a " * 600 + "\ny\n", [2, 2]),
        (("a" * 1001 + "\n") * 50, []),
        (("x" * 99 + "\n") * 700, [30_000, 30_000, 10_000]),
    ],
    ids=range(7),
)
def test_other_lexers_get_no_more_than_they_can_read(
    content: str, parts: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many of them take time that grows with the square: 30 KB of one line are 8 seconds."""
    module, recorder = lexer_module("v2"), Recorder()
    monkeypatch.setattr(module, "_lexer_of_file", lambda path: recorder)
    pieces(f"::create @a.diff\n<<<\n{content}>>>\n", "v2")
    assert [len(part) for part in recorder.given] == parts
    del recorder.given[:]
    pieces(f"::run @ {'a' * 1001}\n", "v2")
    assert recorder.given == []


# ---- the folder


@pytest.mark.slow
@pytest.mark.alike(2)
@pytest.mark.parametrize("dialect", ["v2", "plain"])
def test_pip_installs_the_folder_and_pygmentize_knows_it(dialect: str, tmp_path: Path) -> None:
    for name, text in exported("pygments", dialect).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-build-isolation"]
    subprocess.run([*pip, "--target", str(tmp_path / "site"), str(tmp_path)], check=True, timeout=120)
    text = "::create @a.py\n<<<\ndef f(): pass\n>>>\n"
    reply = symops_lark.render(symops_lark.parse(text), dialect)
    for options in (["-l", "symops"], ["-l", f"symops-{dialect}"], ["reply.symops"]):
        (tmp_path / "reply.symops").write_text(reply, encoding="utf-8")
        output = subprocess.run(
            [sys.executable, "-m", "pygments", "-f", "raw", *options],
            input=None if len(options) == 1 else reply,
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(tmp_path / "site")},
            capture_output=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
        assert "Token.Name.Function\t'create'" in output.stdout, output.stderr
        assert "Token.Keyword\t'def'" in output.stdout


@pytest.mark.parametrize("dialect", DIALECTS)
def test_files_say_what_they_are(dialect: str) -> None:
    files = exported("pygments", dialect)
    for name, text in files.items():
        if name != "README.md":
            assert text.startswith("# Sym-Ops") and "Generated: do not edit" in text and "MIT" in text
    assert LOOK_ALIKES and compile("".join(text for name, text in files.items() if name.endswith(".py")), "x", "exec")


def test_there_is_no_tolerant_form() -> None:
    with pytest.raises(symops_lark.SymOpsError, match="no tolerant form"):
        symops_lark.export("pygments", tolerant=True)


def test_heads_of_custom_sections_with_blocks_have_colours(tmp_path: Path) -> None:
    grammars = write_dialects(tmp_path)
    tokens = pieces(NEW["blocks"].text, load_grammar(grammars["blocks"]))
    kinds = {value: kind for _, kind, value in tokens}
    for mark in ("##", "==", "%%", "<<<", ">>>"):
        assert kinds[mark] is Token.Keyword.Declaration
    for text in ("A title", "big", "quiet", "loud"):
        assert kinds[text] is Token.Literal.String
    assert kinds[">> not a thought\n"] is Token.Text
    assert Error not in kinds.values()
