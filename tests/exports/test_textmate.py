"""The grammar for editors, run by VS Code's engine: contents are in their languages, and none leaves its block."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from drawn_dialects import QUICK, draw_dialect
from highlighters import PACKAGES, Editor, editor, exported, kinds_by_pygments, node
from hypothesis import given
from hypothesis import strategies as st
from repository import ROOT
from strategies import documents, replies
from texts import DIALECTS, OnFile, groups_on_file, noted

import symops_lark
from symops_lark.core.grammar.compiling.compiler import WrittenDialect
from symops_lark.core.grammar.loading import load_grammar
from symops_lark.core.text.source import BOM
from symops_lark.exports.highlighting.languages import load_languages
from symops_lark.exports.highlighting.lines import LABELS
from symops_lark.exports.highlighting.oniguruma import NoPattern, end_of_group, to_oniguruma

SUFFIXES = {
    suffix: single_language.editor
    for single_language in load_languages()
    for suffix in single_language.suffixes
    if single_language.scope
}
NAMES = {name: item.editor for item in load_languages() for name in item.names}
every_dialect = pytest.mark.parametrize("dialect", DIALECTS)
some_dialects = pytest.mark.parametrize("dialect", ["v1", "v2", "v2_1", "plain"])  # v2_1 has all options


@pytest.fixture(scope="module")
def vscode() -> Iterator[Editor]:
    with editor() as started:
        yield started


def embedded(scopes: list[str]) -> str:
    """Return the language of the content that a token belongs to."""
    return next((scope.rpartition(".")[2] for scope in scopes if scope.startswith("meta.embedded.block.")), "")


def language_of(path: str) -> str:
    """Return what the editor calls the language of a file."""
    name = path.rpartition("/")[2]
    stem, dot, suffix = name.rpartition(".")
    return NAMES.get(name) or SUFFIXES.get(stem and dot + suffix.lower()) or "plaintext"


def check_valid(vscode: Editor, text: str, dialect: str | WrittenDialect, *, endless: bool = True) -> None:
    """Every line of a content is in its language, whatever this leaves open, and no line outside of one is."""
    actions = symops_lark.parse(text, dialect).actions
    shift, text = text.startswith(BOM), text.removeprefix(BOM)
    expected = [""] * (text.count("\n") + 1)
    for action in actions:
        if action.content is not None and action.content_span is not None:
            start, end = action.content_span.start - shift, action.content_span.end - shift
            first = text.count("\n", 0, start)
            count = text.count("\n", start, end) + (start < end or not text[start:].partition("\n")[0].strip(" \t\r"))
            runs = action.type in load_grammar(dialect).verbs["running"]
            expected[first : first + count] = ["plaintext" if runs else language_of(action.path)] * count
    lines = vscode.highlight(dialect, text, endless=endless)
    for line, language, output in zip(lines, expected, text.split("\n"), strict=True):
        for value, scopes in line:
            assert embedded(scopes) == language, (output, value, scopes)
            assert "invalid.illegal.symops" not in scopes, output
            assert "endless" not in scopes or language or "meta.embedded.line.shell" in scopes


# ---- laws


@pytest.mark.slow
@pytest.mark.alike(6)
@groups_on_file()
def test_texts_on_file(texts: tuple[OnFile, ...], vscode: Editor) -> None:
    for name, dialect, text in texts:
        with noted(name, dialect):
            try:
                symops_lark.parse(text, dialect)
            except symops_lark.ParseError:
                continue
            for endless in (False, True):
                check_valid(vscode, text, dialect, endless=endless)


@pytest.mark.slow
@some_dialects
@given(data=st.data())
def test_valid_texts(dialect: str, data: st.DataObject, vscode: Editor) -> None:
    check_valid(vscode, symops_lark.render(data.draw(documents(dialect)), dialect), dialect)


@pytest.mark.slow
@some_dialects
@given(text=replies())
def test_both_highlighters_see_the_same(dialect: str, text: str, vscode: Editor) -> None:
    text = text.removeprefix(BOM)
    assert vscode.kinds(dialect, text) == kinds_by_pygments(dialect, text)


@pytest.mark.alike(8)
@pytest.mark.slow
@pytest.mark.parametrize("base", ["v1", "v2_1", "plain"])
@QUICK
@given(data=st.data())
def test_dialects_with_other_marks(base: str, data: st.DataObject, vscode: Editor) -> None:
    dialect = draw_dialect(base, data)
    assert isinstance(dialect, WrittenDialect)
    text = symops_lark.render(data.draw(documents(dialect)), dialect)
    check_valid(vscode, text, dialect)
    assert vscode.kinds(dialect, text) == kinds_by_pygments(dialect, text)


# ---- known places

REPLY = """\
>> The login needs hashed passwords.
::c0.9
::create @ src/auth.py > config.py, db.js
<<<
def check():
    \"\"\"Left open.
    >>> check()
 >>>
>>> x
>>>
::create @ web/Dockerfile
<<<
FROM x
>>>
::run @ echo "$HOME" > a.py
? Which?
  1. One
! Gone @ a.py because
"""
PLACES = {
    "The login needs": "comment.line.thought.symops",
    "0.9": "constant.numeric.symops",
    "create": "entity.name.function.verb.symops",
    "src/auth.py": "entity.name.type.path.symops",
    "config.py": "entity.name.type.dependency.symops",
    "db.js": "entity.name.type.dependency.symops",
    "def": "storage.type.function.python",
    "Left open.": "string.quoted.docstring.multi.python",
    " >>>": "string.quoted.docstring.multi.python",
    ">>> x": "string.quoted.docstring.multi.python",
    "FROM": "keyword.other.special-method.dockerfile",
    "HOME": "string.quoted.double.shell",
    "Which?": "string.unquoted.question.symops",
    "One": "string.unquoted.choice.symops",
    "Gone": "entity.name.type.error.symops",
    "because": "string.unquoted.message.symops",
}


@pytest.mark.slow
@pytest.mark.parametrize("text", PLACES)
def test_known_places(text: str, vscode: Editor) -> None:
    at = REPLY.index(text)
    row, column = REPLY.count("\n", 0, at), at - REPLY.rfind("\n", 0, at) - 1
    done, scopes = 0, list[str]()
    for value, result in vscode.highlight("v2", REPLY)[row]:
        scopes = result if done <= column else scopes
        done += len(value)
    assert PLACES[text] in scopes


HEADS = {
    "v1": "$ create @ {}",
    "v2": "::create @ src/{} > b.zig",
    "v2_1": "::1 create\n  @note: b.zig\n  @path: {}\n  @deps: b.zig",
    "plain": "[ACTION_TYPE] create\n[ACTION_PATH] a b/{}\n[ACTION_DEPENDS] b.zig",
}


@pytest.mark.slow
@pytest.mark.parametrize("dialect", HEADS)
def test_contents_are_in_the_language_of_the_path(dialect: str, vscode: Editor) -> None:
    opener, closers = next(iter(load_grammar(dialect).fences.items()))
    paths = [*NAMES, *(f"x{suffix}" for suffix in SUFFIXES), *(f"a.b{suffix.upper()}" for suffix in SUFFIXES)]
    actions = [f"{HEADS[dialect].format(path)}\n{opener}\nx\n\n{closers[0]}\n" for path in paths]
    check_valid(vscode, "".join(actions), dialect)


@pytest.mark.parametrize(
    "path", ["py", "a.unknown", "a.py/x", "Dockerfile.x", "xDockerfile", "x Dockerfile", "src/.py"]
)
def test_contents_of_other_files_are_text(path: str, vscode: Editor) -> None:
    check_valid(vscode, f"::create @ {path} > Dockerfile\n<<<\nx\n>>>\n", "v2")


@pytest.mark.slow
def test_every_scope_is_one_of_an_editor() -> None:
    folder = PACKAGES / "node_modules" / "tm-grammars" / "grammars"
    if not folder.is_dir():
        pytest.skip("npm could not reach a registry")
    scopenames = {json.loads(path.read_text(encoding="utf-8"))["scopeName"] for path in folder.glob("*.json")}
    scopenames |= {"source.lark", "text.html.php"}  # of an extension of its own; what VS Code calls PHP in HTML
    assert {language.scope for language in load_languages() if language.scope} <= scopenames
    names = [element.editor for element in load_languages()]
    assert len(names) == len(set(names))


# ---- patterns


@pytest.mark.parametrize(
    ("pattern", "translated"),
    [
        ("[^[a]", "[^\\[a]"),
        ("[]a]", "[\\]a]"),
        ("[&&&a]", "[\\&\\&&a]"),
        ("[\\[\\]]\\[", "[\\[\\]]\\["),
        ("(?s:.)(?i:a)", "(?m:.)(?i:a)"),
        ("\\U0001F600\\Z", "\\x{0001F600}\\z"),
        ("(?>a)*+(?<!b)", "(?>a)*+(?<!b)"),
    ],
)
def test_patterns_are_translated(pattern: str, translated: str) -> None:
    assert to_oniguruma(pattern) == translated


@pytest.mark.parametrize("pattern", ["(?P<a>x)", "(?x: a)", "(?m:a)", "(?a:x)", "(a)(?(1)b)"])
def test_patterns_that_editors_have_not_are_refused(pattern: str) -> None:
    with pytest.raises(NoPattern):
        to_oniguruma(pattern)


def test_ends_of_groups() -> None:
    pattern = "(?:a[)(])(b\\))(c(?=(d)))"
    assert [end_of_group(pattern, number) for number in (1, 2, 3)] == [13, 23, 21]
    with pytest.raises(IndexError):
        end_of_group(pattern, 4)


def test_what_cannot_be_kept_is_refused_with_its_place(tmp_path: Path) -> None:
    grammar = tmp_path / "mine.lark"
    grammar.write_text("%import .v2\n\n%override NUMBER: /(?a:[0-9]+)/\n", encoding="utf-8")
    with pytest.raises(symops_lark.SymOpsError, match=r"mine\.lark:3:\d+: \(\?a: is not in"):
        symops_lark.export("textmate", grammar)


# ---- the folder


@pytest.mark.slow
@pytest.mark.alike(2)
@pytest.mark.parametrize("dialect", ["v2", "v1"])
def test_vsce_packs_the_folder(dialect: str, tmp_path: Path) -> None:
    vsce = PACKAGES / "node_modules" / "@vscode" / "vsce" / "vsce"
    if not vsce.is_file():
        pytest.skip("npm could not reach a registry")
    for name, text in exported("textmate", dialect).items():
        (tmp_path / "made" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "made" / name).write_text(text, encoding="utf-8")
    npm = Path(node()).parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    (tmp_path / "npm").write_text(f'#!/bin/sh\nexec "{node()}" "{npm}" "$@"\n', encoding="utf-8")
    (tmp_path / "npm").chmod(0o755)
    done = subprocess.run(
        [node(), str(vsce), "package", "--out", "../made.vsix"],
        cwd=tmp_path / "made",
        env=os.environ | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "HOME": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "made.vsix").is_file()
    warned = [line for line in done.stderr.splitlines() if "WARNING" in line]
    assert all("repository" in line for line in warned), warned


@every_dialect
def test_files_say_what_they_are(dialect: str) -> None:
    files = exported("textmate", dialect)
    [grammar] = [json.loads(text) for name, text in files.items() if name.endswith("tmLanguage.json")]
    assert "Generated: do not edit" in " ".join(grammar["information_for_contributors"])
    assert "MIT" in files["LICENSE"]
    package = json.loads(files["package.json"])
    assert package["contributes"]["grammars"][0]["scopeName"] == grammar["scopeName"]
    assert {package["contributes"]["grammars"][0]["path"][2:], *package["files"][::2][:1]} <= files.keys()


def test_the_page_tells_tokens_and_scopes() -> None:
    page = (ROOT / "docs" / "highlighting.md").read_text(encoding="utf-8")
    for label, (token, scope) in LABELS.items():
        assert f"| {label} | `{token}` | `{scope}` |\n" in page
