"""The grammars: strict, portable, nothing dead in them; broken ones are reported."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import lark.lexer
import pytest
from counting import counting_parser
from lark import Lark, Token
from lark.exceptions import UnexpectedInput
from texts import DIALECTS, texts_on_file

import symops_lark
from symops_lark import GrammarError
from symops_lark.core.grammar import loading
from symops_lark.core.grammar.compiling.compiler import STARTS
from symops_lark.core.grammar.loading import load_dialect, load_grammar

PACKAGE = Path(symops_lark.__file__).parent
V2 = load_grammar("v2").text


# ---- strict and portable


@pytest.mark.slow
@pytest.mark.alike(6)
@pytest.mark.parametrize("name", DIALECTS)
def test_it_passes_larks_strict_mode(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No collision between regular expressions, no conflict in the tables (needs interegular)."""
    pytest.importorskip("interegular")
    monkeypatch.setattr(lark.lexer, "has_interegular", True)
    assert Lark(load_grammar(name).text, parser="lalr", start=list(STARTS), strict=True).options.strict


def _regexes(name: str) -> Iterator[tuple[str, str]]:
    for terminal, tree in load_grammar(name).definitions[1].items():
        for token in tree.scan_values(lambda value: isinstance(value, Token) and value.type == "REGEXP"):
            yield terminal, str(token)


_CLASS = r"\[\^?(?:\\[nrtfv\\\]\[^/-]|\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|[^\\\]])+\]"
_LITERAL = r"\\[nrt\\./()\[\]{}|?*+$^-]|[^\\.\[\](){}|?*+^$]"
_PORTABLE = re.compile(rf"(?:{_CLASS}|{_LITERAL}|\((?!\?)|\)|\||[?*+](?![?*+]))*")


@pytest.mark.parametrize("name", DIALECTS)
def test_it_is_in_the_portable_subset(name: str) -> None:
    """Literals, explicit classes, `( ) | ? * +`: what every exporter can keep."""
    regexes = list(_regexes(name))
    assert len(regexes) > 10
    for terminal, regex in regexes:
        body, slash, flags = regex[1:].rpartition("/")
        assert slash and not flags, f"{terminal} has flags"
        assert _PORTABLE.fullmatch(body), f"{terminal}: {body}"


@pytest.mark.parametrize(
    "regex", [r"a.b", r"\d+", r"\w", r"\s", r"^a", r"a$", r"(?=a)", r"(?:a)", r"a*?", r"a{2}", r"\bx"]
)
def test_the_subset_is_checked(regex: str) -> None:
    assert not _PORTABLE.fullmatch(regex)


@pytest.mark.parametrize("name", DIALECTS)
def test_it_uses_no_feature_that_exporters_lose(name: str) -> None:
    text = re.sub(r"//[^\n]*", "", load_grammar(name).text)
    text = re.sub(r'"(?:\\.|[^"\\])*"|/(?:\\.|\[(?:\\.|[^\]])*\]|[^/\\\n])+/', "LITERAL", text)
    for feature in ("%ignore", "%import", "%extend", "%override", "%declare", "->", "[", "{", "~"):
        assert feature not in text
    assert not re.search(r"^[?!]?\w+\.-?\d", text, re.MULTILINE), "no priorities"
    assert not re.search(r"^[?!]", text, re.MULTILINE), "no rule that keeps or drops its tree"


# ---- nothing dead: every alternative of every rule and every terminal is reached by a strict case


@lru_cache(maxsize=16)
def coverage(name: str) -> tuple[Lark, Counter[Any]]:
    """Parse all valid texts on file with a parser that counts how often it reduces each alternative of each rule."""
    lark, rules = counting_parser(name)
    parsed = 0
    for _, dialect, text in texts_on_file():
        if dialect in (name, load_grammar(name).family):  # what builds on v2 reads the texts of v2
            try:
                lark.parse(text.removeprefix("\ufeff").removesuffix("\n") + "\n", start="document")
            except UnexpectedInput:
                continue
            parsed += 1
    assert parsed > (10 if name == "plain" else 30)
    return lark, rules


def _shown(rule: Any) -> str:
    return f"{rule.origin.name}: " + " ".join(symbol.name for symbol in rule.expansion)


@pytest.mark.parametrize("name", DIALECTS)
def test_every_alternative_is_reached(name: str) -> None:
    lark, rules = coverage(name)
    missed = {_shown(rule) for rule in lark.rules if not rules[rule]}
    assert missed == {"document: "}, "a text has at least one line, so only the empty alternative stays unused"


@pytest.mark.slow
@pytest.mark.parametrize("name", DIALECTS)
def test_every_terminal_is_reached(name: str) -> None:
    lark, rules = coverage(name)
    met = {symbol.name for rule in rules for symbol in rule.expansion if symbol.is_term}
    assert {terminal.name for terminal in lark.terminals} - met == set()


@pytest.mark.parametrize("name", DIALECTS)
def test_no_definition_is_dead(name: str) -> None:
    """What nothing refers to is dropped by Lark without a word."""
    text = re.sub(r"//[^\n]*", "", load_grammar(name).text)
    defined = re.findall(r"^(\w+)[ ]*:", text, re.MULTILINE)
    assert len(defined) > 40
    assert [word for word in defined if len(re.findall(rf"\b{word}\b", text)) < 2 and word != "document"] == []


# ---- files


@pytest.mark.parametrize("name", ["_QUESTION", "_OPEN", "CREATE", "question", "_SP"])
@pytest.mark.parametrize("blanks", ["  ", "\t"])
def test_an_indented_definition_is_one(tmp_path: Path, name: str, blanks: str) -> None:
    """Lark takes it for one."""
    text = re.sub(rf"(?m)^{name}:", lambda match: blanks + match[0], V2)
    path = tmp_path / "own.lark"
    path.write_text(text)
    assert text != V2
    own = load_dialect(path)
    for table in ("marks", "rules", "forms", "verbs"):
        assert own.table(table) == load_dialect("v2").table(table)
    path.write_text(f'%import .v2\n\n{blanks}%override _QUESTION: "%%"\n')
    assert load_dialect(path).marks["question"] == "%%"


def test_marks_and_verbs_are_read_from_the_grammar() -> None:
    marks = load_grammar("v2").marks
    assert (marks["open"], marks["close"], marks["action"], marks["thought"]) == ("<<<", ">>>", "::", ">>")
    assert load_grammar("v1").marks["open"] == load_grammar("v1").marks["close"] == "--"
    assert (
        load_grammar("v1").verbs
        == load_grammar("v2").verbs
        == {
            "running": ("run", "test", "execute", "check", "verify"),
            "writing": ("create", "edit", "update"),
            "removing": ("delete", "remove"),
        }
    )


def test_a_new_dialect_is_a_new_file(tmp_path: Path) -> None:
    path = tmp_path / "at.lark"
    path.write_text(
        V2.replace('"::"', '"%%"')
        .replace('"<<<"', '"BEGIN"')
        .replace('">>>"', '"END"')
        .replace(V2[V2.index("_CONTENT_LINE: ") :], '_CONTENT_LINE: /[^BE\\n][^\\n]*\\n/ | "\\n"\n')
    )
    document = symops_lark.parse("%%c0.5\n%%create @a.py\nBEGIN\nx\nEND\n", path)
    assert document.dialect == "at" and document.actions[0].content == "x"
    assert symops_lark.process("Sure:\n\n%%create @a.py\nBEGIN\nx\nEND\n", path).document.actions == document.actions


# ---- broken grammars

BROKEN = {
    "not-a-grammar": (lambda text: text + "what is this?\n", r"broken\.lark:\d+:\d+: "),
    "unclosed-group": (lambda text: text.replace("choice:   _SP", "choice:   (_SP"), r"broken\.lark:\d+:\d+: "),
    "bad-character": (lambda text: text.replace('_TARGET:   "@"', "_TARGET:   '@'"), r"broken\.lark:\d+:\d+: "),
    "unknown-terminal": (lambda text: text.replace("_SP TEXT _NL", "_SP TEXTT _NL", 1), r"broken\.lark.*TEXTT"),
    "unknown-rule": (lambda text: text.replace("| question |", "| qestion |"), r"broken\.lark.*qestion"),
    "bad-regex": (lambda text: text.replace("NUMBER:     /[0-9]+/", "NUMBER:     /[0-9+/"), r"broken\.lark.*NUMBER"),
    "twice": (lambda text: text + "\nNUMBER: /x/\n", r"broken\.lark.*NUMBER"),
    "zero-width": (lambda text: text.replace("_SP: /[ \\t]+/", "_SP: /[ \\t]*/"), r"broken\.lark.*_SP"),
    "empty": (lambda text: "", r"broken\.lark.*document"),
}


def _broken(kind: str, folder: Path) -> tuple[Path, str]:
    change, pattern = BROKEN[kind]
    path = folder / "broken.lark"
    path.write_text(change(V2), encoding="utf-8")
    assert path.read_text(encoding="utf-8") != V2
    return path, pattern


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_grammar_is_reported(kind: str, tmp_path: Path) -> None:
    path, pattern = _broken(kind, tmp_path)
    with pytest.raises(GrammarError, match=pattern):
        symops_lark.parse(">> hi\n", path)
    with pytest.raises(GrammarError):
        symops_lark.process("hi\n", path)


@pytest.mark.parametrize(
    "kind", ["bad-character", "unknown-terminal", "unknown-rule", "bad-regex", "twice", "zero-width"]
)
def test_a_broken_grammar_is_reported_with_its_place(kind: str, tmp_path: Path) -> None:
    path, _ = _broken(kind, tmp_path)
    with pytest.raises(GrammarError, match=r"broken\.lark:\d+:\d+: "):
        symops_lark.parse(">> hi\n", path)


def test_a_grammar_without_marks_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "bare.lark"
    path.write_text(V2.replace('_TARGET:   "@"', "_TARGET:   /@/"))
    with pytest.raises(GrammarError, match=r"bare\.lark: no mark _TARGET"):
        symops_lark.process("hi\n", path)


def test_a_grammar_that_is_not_there_is_reported(tmp_path: Path) -> None:
    with pytest.raises(GrammarError, match=r"gone\.lark"):
        symops_lark.parse("", tmp_path / "gone.lark")
    with pytest.raises(GrammarError, match=r"'v9'.*v1, v2"):
        symops_lark.parse("", "v9")
    folder = tmp_path / "folder.lark"
    folder.mkdir()
    with pytest.raises(GrammarError, match=r"folder\.lark"):
        symops_lark.parse("", folder)
    (tmp_path / "latin.lark").write_bytes(b"// caf\xe9\n")
    with pytest.raises(GrammarError, match=r"latin\.lark"):
        symops_lark.parse("", tmp_path / "latin.lark")


def test_of_many_files_only_the_last_dialects_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that writes the grammar of each request to a file does not grow for ever."""
    monkeypatch.setattr(loading, "_LOADED", {})
    monkeypatch.setattr(loading, "_MOST_LOADED", 2)
    paths = [tmp_path / f"{name}.lark" for name in "abc"]
    for path in paths:
        path.write_text("%import .v2\n", encoding="utf-8")
    dialects = [load_dialect(path) for path in paths]
    assert [load_dialect(path) is dialect for path, dialect in zip(paths[1:], dialects[1:], strict=True)] == [True] * 2
    dialect = load_dialect(paths[0])
    assert dialect is not dialects[0] and dialect.fingerprint == dialects[0].fingerprint
