"""Dialects of the shape of plain that lack marks: they are read, and no text has a substitute for a mark."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from symops_lark import (
    Action,
    Document,
    ParseError,
    RenderError,
    StreamParser,
    derive,
    parse,
    process,
    recover,
    render,
    validate,
)
from symops_lark.core.grammar.dialect import UNSAID
from symops_lark.core.grammar.loading import load_dialect
from symops_lark.core.ground.resources import find_folder

PLAIN = (find_folder("grammars") / "plain.lark").read_text(encoding="utf-8")
V2 = (find_folder("grammars") / "v2.lark").read_text(encoding="utf-8")
DEPENDS = (
    " depends_line*",
    "depends_line: _DEPENDS _SP DEPENDENCY (_SP? _COMMA _SP? DEPENDENCY)* _NL\n",
    '_COMMA: ","\n',
)
REMOVED = {
    "dependencies": (*DEPENDS, '_DEPENDS: "[ACTION_DEPENDS]"\n'),
    "a vital": (" | _STAMINA", '_STAMINA: "[STAMINA]"\n'),
    "errors": (
        " | error)",
        "error:     _ERROR _SP WORD (_SP? _AT _SP? WORD)? (_SP MESSAGE)? _NL\n",
        '_ERROR: "[ERROR]"\n',
    ),
}
TEXT = "[ACTION_TYPE] create\n[ACTION_PATH] a.py\n[CONTENT_START]\nx = 1\n[CONTENT_END]\n\n[CONFIDENCE] 0.5\n"
BROKEN = (
    "Sure:\n[Action Type]: Create\n[ACTION_PATH] a.py\n[CONTENT_START]\nx = 1\n```\n[CONFIDENCE] 0.5\n",
    "[ACTION_TYPE] create\n[ACTION_PATH] a.py\n[ACTION_DEPENDS] b.py\nstamina: 0.5\nError: none\n[CONTENT_START]\nx\n",
)


def write_without(name: str, folder: Path) -> Path:
    text = PLAIN
    for part in REMOVED[name]:
        assert part in text
        text = text.replace(part, ")" if part.endswith(")") and part.startswith(" |") else "", 1)
    path = folder / "team.lark"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", REMOVED)
def test_a_mark_may_be_missing(name: str, tmp_path: Path) -> None:
    path = write_without(name, tmp_path)
    document = parse(TEXT, path)
    assert [action.content for action in document.actions] == ["x = 1"] and not validate(document)
    assert parse(render(document, path), path) == document
    for text in (TEXT, *BROKEN):
        result = process(text, path)
        assert [action.path for action in result.document.actions] == ["a.py"]
        events = [event.to_dict() for event in StreamParser(path).events([text])]
        encoded = json.dumps([result.to_dict(), recover(text, path).to_dict(), events], ensure_ascii=False)
        assert UNSAID not in encoded


def test_the_substitutes_are_not_said(tmp_path: Path) -> None:
    dialect = load_dialect(write_without("dependencies", tmp_path))
    assert dialect.marks["depends"].startswith(UNSAID) and "depends" not in dialect.said_marks
    assert not load_dialect("plain").marks["depends"].startswith(UNSAID)


@pytest.mark.parametrize("base", ["v2", "v1"])
def test_a_block_that_no_text_has_is_not_one_of_the_dialect(base: str, tmp_path: Path) -> None:
    """Prompts taught it, and the benchmark wrote it, though strict parsers refuse each such text."""
    path = tmp_path / "team.lark"
    path.write_text(derive(base, {"action": "head"}), encoding="utf-8")
    dialect = load_dialect(path)
    assert dialect.said_marks.keys() == load_dialect(base).said_marks.keys() - {"open", "close"}
    command = Document((Action("run", "ls"),))
    text = render(command, path)
    assert process(text, path).document == command and process(text, path).phase == "strict"
    with pytest.raises(RenderError):
        render(Document((Action("create", "a.py", "x"),)), path)
    # A model that writes one nevertheless is understood.
    written = process(text + render(Document((Action("create", "a.py", "x"),)), base), path)
    assert [action.content for action in written.document.actions] == [None, "x"]
    events = [event.to_dict() for event in StreamParser(path).events([text])]
    assert UNSAID not in json.dumps([events, written.document.to_dict()], ensure_ascii=False)


@pytest.mark.parametrize("definition", ["_ACTION", "/[%]+/", '"a" | "b"'])
@pytest.mark.parametrize("mark", ["_ERROR", "_QUESTION", "_COMMA", "_DOT", "_VITAL"])
def test_a_terminal_that_is_not_one_text_is_no_mark(mark: str, definition: str, tmp_path: Path) -> None:
    """The explanation of an invalid line ended as a bug: it names all marks."""
    path = tmp_path / "team.lark"
    text, count = re.subn(rf"(?m)^{mark}:.*$", lambda line: f"{mark}: {definition}", V2)
    assert count == 1
    path.write_text(text, encoding="utf-8")
    assert parse("::run @ls\n", path).actions
    for broken in ("nothing\n", " ? a\n", "::run ls\n"):
        with pytest.raises(ParseError):
            parse(broken, path)
