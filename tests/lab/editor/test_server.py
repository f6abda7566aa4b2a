"""The real server as a process, asked by pygls' own client."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from broken_grammars import BROKEN
from command_line import environment, run
from corpus_reader import corpus_files, read_corpus
from language_client import Editor, span
from lsprotocol import types
from wings import need_wing

from symops_lark.core.ground.resources import find_folder
from symops_lark.lab.editor.positions import Positions

pytestmark = pytest.mark.slow
REPLY = "Sure 😀 it:\n\n::Create hello.py\n<<<\nprint('Hello!')\n>>>\n::run @ls\n"
GRAMMARS = find_folder("grammars")
RULES = find_folder("repair_rules")
SEVERITIES = {"error": 1, "warning": 2, "note": 3}


@pytest.fixture(scope="module")
def editor() -> Iterator[Editor]:
    with Editor() as editor:
        yield editor
    assert editor.messages == []  # no bug was reported
    assert editor.exit_code == 0


def simplify(text: str, diagnostics: list[types.Diagnostic]) -> list[tuple[int, int, str, str, int]]:
    """Return line and column as people count them, code, message and severity of diagnostics."""
    positions = Positions(text)
    rows = []
    for item in diagnostics:
        start = item.range.start
        line_start = positions.find_offset(start.line + 1, 1)
        offset = positions.to_offset((start.line, start.character))  # type: ignore[arg-type]
        place = (start.line + 1, offset - line_start + 1)
        message = item.message.partition("\n")[0]
        rows.append((*place, str(item.code or ""), message, int(item.severity or 0)))
    return rows


def expect(findings: list[dict[str, Any]]) -> list[tuple[int, int, str, str, int]]:
    rows = []
    for finding in findings:
        place = finding.get("span", finding)
        severity = SEVERITIES[finding["severity"]]
        rows.append((place["line"], place["column"], finding["code"], finding["message"], severity))
    return rows


# ---- the same diagnostics as on the command line


def sample_replies() -> list[str]:
    cases = [
        case
        for case in read_corpus(corpus_files())
        if case.dialect == "v2" and "\n" in case.text and "\r" not in case.text
    ]
    return [case.text for case in random.Random(1).sample(cases, 12)]


@pytest.mark.alike(3)
@pytest.mark.parametrize("text", [REPLY, "", "only words\n", *sample_replies()])
def test_a_reply_has_the_diagnostics_of_check(text: str, editor: Editor, tmp_path: Path) -> None:
    path = tmp_path / "reply.symops"
    path.write_text(text, encoding="utf-8")
    uri = editor.open(path, text)
    data = json.loads(run("check", "--json", str(path)).stdout)
    assert simplify(text, editor.diagnostics(uri)) == expect(data["diagnostics"])


@pytest.mark.alike(6)
@pytest.mark.parametrize("code", random.Random(1).sample(sorted(BROKEN), 6))
def test_a_grammar_has_the_diagnostics_of_grammar_check(code: str, editor: Editor, tmp_path: Path) -> None:
    text = BROKEN[code][0]((GRAMMARS / "v2.lark").read_text("utf-8"))
    path = tmp_path / "mine.lark"
    path.write_text(text, encoding="utf-8")
    uri = editor.open(path, text)
    data = json.loads(run("grammar", "check", "--json", str(path)).stdout)
    assert simplify(text, editor.diagnostics(uri)) == expect(data["findings"])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("mine.lark", '%import .v2\n%override _OPNE: "x"\n'),
        ("mine.lark", "%import .nothing\n"),
        ("mine.lark", 'document: write*\nwrite: "put " PATH _NL\nPATH: /[^ \\n]+/\n_NL: /\\n/\n'),
        ("mine_recovery.lark", "//! A sentence. | a hint | no-closer\nmissing_closer.-7000: _OPEN\n"),
        ("mine_recovery.lark", "%import .v2_recovery\n//! A sentence. | a hint | frob\n%override prose: _OPEN\n"),
        ("mine_recovery.lark", "%import .v2_recovery\n%override prose: (_OPEN\n"),
    ],
)
def test_an_error_of_a_grammar_is_that_of_the_command_line(
    name: str, text: str, editor: Editor, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    problems = simplify(text, editor.diagnostics(editor.open(path, text)))
    arguments = ("grammar", "check") if "recovery" in name else ("parse", "-f")
    done = run(*arguments, str(path))
    output = done.stdout + done.stderr
    assert problems != [] and len(problems) == output.count(f"{name}:") - output.count(f"{name}: ")
    for line, column, _, message, _ in problems:
        assert re.search(rf"{name}:{line}:{column}: (\w+: )?{re.escape(message)}", output)


RULE = (RULES / "symbols" / "capital-verb.yaml").read_text("utf-8")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("cost:", "const:"),
        ("phase: symbols", "phase: [symbols"),
        ("dialects:", "id:"),
        ("why:", "wy: 😀 "),
        ("pattern: ", "pattern: ("),
    ],
)
def test_a_rule_has_the_error_of_the_loader(old: str, new: str, editor: Editor, tmp_path: Path) -> None:
    text = RULE.replace(old, new, 1)
    if text == RULE:
        text = f"{new} 1\n{RULE}"
    path = tmp_path / "capital-verb.yaml"
    path.write_text(text, encoding="utf-8")
    [problem] = simplify(text, editor.diagnostics(editor.open(path, text, "yaml")))
    line, column, _, message, severity = problem
    errors = run("rules", "list", "--rules", str(path)).stderr
    assert f"{path}:{line}:{column}: " in errors
    assert message in errors and severity == SEVERITIES["error"]


def test_the_table_of_tools_is_checked(editor: Editor, tmp_path: Path) -> None:
    text = (GRAMMARS / "formats" / "tools.yaml").read_text("utf-8")
    assert editor.diagnostics(editor.open(tmp_path / "tools.yaml", text, "yaml")) == []
    broken = text.replace("things:", "thing:")
    folder = tmp_path / "broken"
    [problem] = editor.diagnostics(editor.open(folder / "tools.yaml", broken, "yaml"))
    assert "did you mean 'things'?" in problem.message
    assert broken.split("\n")[problem.range.start.line].startswith("thing:")


def test_a_rule_set_names_rules_that_exist(editor: Editor) -> None:
    text = "symbols:\n  - capital-verb\n  - capital-vreb\n"
    [problem] = editor.diagnostics(editor.open(RULES / "rulesets" / "new.yaml", text, "yaml"))
    assert problem.message == "no rule is called 'capital-vreb'"
    assert problem.range == span((2, 4), (2, 16))


@pytest.mark.parametrize("folder", ["symbols", "plain", "rulesets"])
def test_the_installed_rules_have_no_diagnostics(folder: str, editor: Editor) -> None:
    for path in sorted((RULES / folder).glob("*.yaml"))[:3]:
        assert editor.diagnostics(editor.open(path, path.read_text("utf-8"), "yaml")) == []


def test_an_error_in_another_file_is_shown_at_the_import(editor: Editor, tmp_path: Path) -> None:
    (tmp_path / "base.lark").write_text('%import .v2\n\n%override _OPNE: "x"\n', encoding="utf-8")
    text = "// Mine.\n%import .base\n"
    [problem] = editor.diagnostics(editor.open(tmp_path / "mine.lark", text))
    assert problem.range == span((1, 0), (1, 13))
    assert problem.message.startswith("base.lark:3:1: ")
    assert problem.related_information is not None
    [link] = problem.related_information
    assert link.location.uri == (tmp_path / "base.lark").as_uri()
    assert link.location.range.start == types.Position(2, 0)


def test_a_saved_file_is_checked_in_the_files_that_import_it(editor: Editor, tmp_path: Path) -> None:
    base = tmp_path / "base.lark"
    base.write_text('%import .v2\n%override _OPNE: "x"\n', encoding="utf-8")
    uri = editor.open(tmp_path / "mine.lark", "%import .base\n")
    assert editor.diagnostics(uri) != []
    text = '%import .v2\n%override _OPEN: "x"\n'
    base.write_text(text, encoding="utf-8")
    editor.save(editor.open(base, text))
    # Both checks of the first text report the mistake; without another check this would time out.
    while any("_OPNE" in item.message for item in editor.diagnostics(uri)):
        pass


def test_foreign_yaml_is_left_alone(editor: Editor, tmp_path: Path) -> None:
    uri = editor.open(tmp_path / "compose.yaml", "services: [\n", "yaml")
    assert editor.diagnostics(uri) == []
    assert editor.hover(uri, 0, 1) is None


def test_syntax_is_checked_before_a_grammar_is_compiled(editor: Editor, tmp_path: Path) -> None:
    text = "%import .v2\n"
    uri = editor.open(tmp_path / "mine.lark", text)
    assert editor.diagnostics(uri) == []
    editor.change(uri, 2, (span((1, 0), (1, 0)), "extra: (NUMBER\n"))
    [problem] = editor.diagnostics(uri, 2)
    assert (problem.code, problem.range.start) == ("unbalanced-bracket", types.Position(1, 7))
    editor.change(uri, 3, (span((1, 7), (1, 8)), ""))
    editor.save(uri)
    # The rule is not used, which only a compiled grammar shows.
    assert "unused" in "".join(str(item.code) for item in editor.diagnostics(uri, 3))


def test_a_closed_text_has_no_diagnostics(editor: Editor, tmp_path: Path) -> None:
    uri = editor.open(tmp_path / "closed.symops", REPLY)
    assert editor.diagnostics(uri)
    editor.close(uri)
    assert editor.diagnostics(uri, None) == []
    assert editor.hover(uri, 2, 3) is None


# ---- edits


@pytest.mark.parametrize("seed", range(3))
def test_answers_after_edits_are_those_of_the_text(seed: int, editor: Editor, tmp_path: Path) -> None:
    """A text that was edited many times has the diagnostics of the same text, opened at once."""
    chance = random.Random(seed)
    pieces = ["::run @ls\n", "😀", "\r\n", "\n", "<<<\n", ">>>\n", "x\x0cy\n", "\u2028", "::create @a.py\n", "? "]
    text = REPLY
    uri = editor.open(tmp_path / "edited.symops", text)
    for version in range(2, 30):
        positions = Positions(text)
        first, last = sorted(chance.sample(range(len(text) + 1), 2))
        last = min(last, first + 9)
        start, end = positions.to_position(first), positions.to_position(last)
        new = chance.choice(pieces)
        text = text[: positions.to_offset(start)] + new + text[positions.to_offset(end) :]
        editor.change(uri, version, (span(start, end), new))
    fresh = editor.open(tmp_path / "fresh.symops", text)
    assert editor.diagnostics(uri, 29) == editor.diagnostics(fresh)


# ---- hover, completion, definition, formatting


def describe(hover: types.Hover | None) -> str:
    assert hover is not None and isinstance(hover.contents, types.MarkupContent)
    return hover.contents.value


def test_hover_describes_an_action(editor: Editor, tmp_path: Path) -> None:
    uri = editor.open(tmp_path / "hover.symops", "😀 ::run @ls\n" + REPLY)
    hover = editor.hover(uri, 3, 4)
    assert hover is not None and hover.range == span((3, 0), (5, 0))
    assert describe(hover).startswith("**create** `hello.py`\n\nIt needs a content block.")
    assert editor.hover(uri, 5, 3) is None  # the content


def test_hover_in_a_grammar_shows_definition_and_comment(editor: Editor, tmp_path: Path) -> None:
    text = '%import .v2\n// Opens a block.\n%override _OPEN: "BEGIN"\n'
    uri = editor.open(tmp_path / "mine.lark", text)
    words = describe(editor.hover(uri, 2, 12))
    assert '%override _OPEN: "BEGIN"' in words and "Opens a block." in words
    assert 'terminal `_OPEN` of `v2.lark`\n\n```lark\n_OPEN:     "<<<"\n```' in words


def test_hover_in_a_rule_shows_the_schema_and_mistakes(editor: Editor, tmp_path: Path) -> None:
    path = RULES / "delimiters" / "missing-closer.yaml"
    text = path.read_text("utf-8")
    uri = editor.open(tmp_path / path.name, text, "yaml")
    lines = text.split("\n")
    assert "The kind of mistake" in describe(editor.hover(uri, lines.index("phase: delimiters"), 1))
    mistakes = [number for number, line in enumerate(lines) if line.strip(" -") == "missing-closer"]
    assert "mistake **missing-closer**: The closing delimiter" in describe(editor.hover(uri, mistakes[-1], 6))


def test_completion_offers_each_verb_as_a_form(tmp_path: Path) -> None:
    with Editor("-f", "v1", snippets=True) as editor:
        uri = editor.open(tmp_path / "new.symops", "~ 😀 plan\n$ cr")
        items = {item.label: item for item in editor.complete(uri, 1, 4)}
    assert {"create", "edit", "run", "delete", "thought", "question", "error"} <= items.keys()
    edit = items["create"].text_edit
    assert isinstance(edit, types.TextEdit)
    assert edit.range == span((1, 0), (1, 4))
    assert edit.new_text == "\\$ create @ ${1:path}\n--\n${2:content}\n--"
    assert items["create"].documentation == "It needs a content block."


def test_completion_offers_paths_and_nothing_in_a_content(editor: Editor, tmp_path: Path) -> None:
    text = "::create @a.py\n<<<\nx = 1\n\n>>>\n::edit @b.py > \n"
    uri = editor.open(tmp_path / "paths.symops", text)
    assert [item.label for item in editor.complete(uri, 5, 15)] == ["a.py"]
    assert editor.complete(uri, 3, 0) == []


def test_completion_in_a_grammar(editor: Editor, tmp_path: Path) -> None:
    uri = editor.open(tmp_path / "mine.lark", "%import .v2\n%override _OP\n%import .\n")
    labels = {item.label for item in editor.complete(uri, 1, 13)}
    assert {"_OPEN", "action", "PATH"} <= labels
    assert {item.label for item in editor.complete(uri, 2, 9)} >= {"v1", "v2", "plain"}
    uri = editor.open(tmp_path / "mine_recovery.lark", "//! A sentence. | a hint | \n")
    assert "no-closer" in {item.label for item in editor.complete(uri, 0, 27)}


def test_completion_in_a_rule(editor: Editor, tmp_path: Path) -> None:
    uri = editor.open(tmp_path / "new.yaml", "phase: symbols\ntouches: \nlines:\n- \nmistakes:\n- \n\n", "yaml")
    keys = {item.label for item in editor.complete(uri, 6, 0)}
    assert {"id", "why", "examples"} <= keys and "phase" not in keys
    assert {item.label for item in editor.complete(uri, 1, 9)} == {"markup", "content", "everything"}
    assert "head" in {item.label for item in editor.complete(uri, 3, 2)}
    assert "missing-closer" in {item.label for item in editor.complete(uri, 5, 2)}


def find_line(path: Path, prefix: str) -> int:
    lines = path.read_text("utf-8").split("\n")
    return next(number for number, line in enumerate(lines) if line.startswith(prefix))


def places(locations: list[types.Location]) -> list[tuple[str, int]]:
    return [(location.uri, location.range.start.line) for location in locations]


def test_a_definition_is_in_the_imported_file(editor: Editor, tmp_path: Path) -> None:
    base = tmp_path / "base.lark"
    base.write_text('%import .v2\n\n%override _CLOSE: "END"\n', encoding="utf-8")
    uri = editor.open(tmp_path / "mine.lark", '%import .base\n%override _OPEN: _CLOSE "x"\n')
    v2 = GRAMMARS / "v2.lark"
    assert places(editor.define(uri, 0, 11)) == [(base.as_uri(), 0)]
    assert places(editor.define(uri, 1, 20)) == [(base.as_uri(), 2), (v2.as_uri(), find_line(v2, "_CLOSE:"))]
    assert places(editor.define(uri, 1, 12)) == [(uri, 1), (v2.as_uri(), find_line(v2, "_OPEN:"))]


def test_a_definition_of_a_verb_and_of_a_dependency(editor: Editor, tmp_path: Path) -> None:
    uri = editor.open(tmp_path / "verbs.symops", "::create @a.py\n<<<\nx\n>>>\n::edit @b.py > a.py\n<<<\ny\n>>>\n")
    v2 = GRAMMARS / "v2.lark"
    assert places(editor.define(uri, 0, 4)) == [(v2.as_uri(), find_line(v2, "CREATE:"))]
    assert places(editor.define(uri, 4, 17)) == [(uri, 0)]


def test_a_definition_of_a_mistake_and_of_a_rule(editor: Editor, tmp_path: Path) -> None:
    uri = editor.open(tmp_path / "new.yaml", "phase: symbols\nmistakes:\n- missing-closer\ndialects: [v1]\n", "yaml")
    recovery = GRAMMARS / "v2_recovery.lark"
    assert (recovery.as_uri(), find_line(recovery, "missing_closer")) in places(editor.define(uri, 2, 5))
    assert places(editor.define(uri, 3, 12)) == [((GRAMMARS / "v1.lark").as_uri(), 0)]
    uri = editor.open(RULES / "rulesets" / "v2.yaml", "symbols:\n  - capital-verb\n", "yaml")
    assert places(editor.define(uri, 1, 8)) == [((RULES / "symbols" / "capital-verb.yaml").as_uri(), 0)]


def test_formatting_writes_what_fix_writes(editor: Editor, tmp_path: Path) -> None:
    path = tmp_path / "broken.symops"
    path.write_text(REPLY, encoding="utf-8")
    uri = editor.open(path, REPLY)
    [edit] = editor.format(uri)
    assert edit.range == span((0, 0), (7, 0))
    fixed = run("check", "--fix", "--yes", "--force", str(path))
    assert edit.new_text == path.read_text("utf-8"), fixed.stderr
    assert editor.format(editor.open(tmp_path / "words.symops", "only words\n")) == []
    uri = editor.open(tmp_path / "mine.lark", '%import .v2  \n\n%override _OPEN: "x"\t\n\n\n')
    [edit] = editor.format(uri)
    assert edit.new_text == '%import .v2\n\n%override _OPEN: "x"\n'


# ---- the protocol


@pytest.mark.alike(2)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-32"])
def test_the_editor_may_choose_the_encoding(encoding: str, tmp_path: Path) -> None:
    with Editor(encodings=(encoding,)) as editor:
        assert editor.capabilities.position_encoding == encoding
        uri = editor.open(tmp_path / "a.symops", "😀 😀\n")
        editor.change(uri, 2, (span((0, 0), (0, 1 if encoding == "utf-32" else 4)), ""))
        editor.diagnostics(uri, 2)
        editor.change(uri, 3, (span((0, 0), (0, 2 if encoding == "utf-32" else 5)), "::run ls"))
        [*_, problem] = editor.diagnostics(uri, 3)
        assert problem.range.start == types.Position(0, 0)
    assert editor.exit_code == 0


def test_without_the_library_the_command_says_what_to_install(tmp_path: Path) -> None:
    need_wing("adapters")
    (tmp_path / "pygls.py").write_text("raise ModuleNotFoundError('gone', name='pygls')\n", encoding="utf-8")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from symops_lark.adapters.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code, "lsp"], capture_output=True, text=True, env=environment())
    assert done.returncode == 2
    assert done.stderr == "symops: this needs the library pygls: pip install 'symops-lark[lsp]'\n"


def test_a_message_that_is_not_json_is_reported() -> None:
    need_wing("adapters")
    command = [sys.executable, "-m", "symops_lark", "lsp"]
    message = b"Content-Length: 5\r\n\r\nhello"
    done = subprocess.run(command, input=message, capture_output=True, env=environment())
    assert b"Error in server: Expecting value" in done.stdout
    assert (done.returncode, done.stderr) == (1, b"")
