"""Files that formats of other agents write: their tools do not say whether a file is new."""

from __future__ import annotations

from pathlib import Path

import pytest
from format_samples import OWN
from hypothesis import given
from hypothesis import strategies as st
from trees import MemoryTree

from symops_lark import Decision, plan, process, render, validate
from symops_lark.acting.changes import Operation
from symops_lark.core.document import Action, Document
from symops_lark.core.formats.loading import formats
from symops_lark.core.formats.writer import write_format
from symops_lark.core.ground.errors import GrammarError, RenderError
from symops_lark.core.rendering.writer import RenderOptions

_LINES = st.lists(st.text("abcx =+-<>@", max_size=12), max_size=6)


def _write(name: str, content: str) -> str | None:
    """Return a reply in a format that writes one file; None if the format cannot say that."""
    try:
        return write_format(Document((Action("create", "a.py", content),)), name)
    except RenderError:
        return None


WRITING = [name for name in formats() if _write(name, "x = 1") is not None]


@pytest.mark.parametrize("name", WRITING)
def test_writing_an_existing_file_asks_and_replaces_all_of_it(name: str) -> None:
    text = _write(name, "x = 1")
    assert text is not None
    document = process(text, name).document
    (change,) = plan(document, MemoryTree({"a.py": b"old = 0\n"})).changes
    assert change.operation is Operation.REPLACE
    assert change.after == b"x = 1\n"
    assert change.decision is Decision.ASK
    assert any("replaces the whole file" in reason for reason in change.reasons)
    # Nothing is asked about a new file but what the reading leaves in doubt.
    (new,) = plan(document, MemoryTree({})).changes
    assert new.operation is Operation.CREATE
    assert not any("replaces" in reason for reason in new.reasons)


@pytest.mark.parametrize("name", WRITING)
@given(old=_LINES, new=_LINES)
def test_no_content_replaces_a_file_without_a_question(name: str, old: list[str], new: list[str]) -> None:
    text = _write(name, "\n".join(new))
    before = "".join(line + "\n" for line in old).encode()
    document = process(text, name).document if text else Document()
    planned_changes = plan(document, MemoryTree({"a.py": before}))
    for change in planned_changes.changes:
        assert change.decision is not Decision.AUTO
        assert change.after != before


def test_in_a_dialect_a_creation_of_an_existing_file_is_refused() -> None:
    document = process("::create @a.py\n<<<\nx = 1\n>>>\n").document
    planned_changes = plan(document, MemoryTree({"a.py": b"old = 0\n"}))
    assert [conflict.code for conflict in planned_changes.conflicts] == ["existing-file"]
    # The caller may say which it is.
    (change,) = plan(document, MemoryTree({"a.py": b"old = 0\n"}), format="qwen_xml").changes
    assert change.operation is Operation.REPLACE


def test_a_file_written_twice_is_still_refused() -> None:
    text = "".join(filter(None, (_write("qwen_xml", "x = 1"), _write("qwen_xml", "x = 2"))))
    planned_changes = plan(process(text).document, MemoryTree({"a.py": b"old = 0\n"}))
    assert [conflict.code for conflict in planned_changes.conflicts] == ["duplicate-target"]


def test_functions_that_take_a_dialect_take_a_format(tmp_path: Path) -> None:
    name = next(iter(OWN))
    own = tmp_path / f"{name}.lark"
    own.write_text(OWN[name])
    document = Document((Action("create", "a.py", "x = 1"),))
    for format in ("qwen_xml", own):
        assert validate(document, format) == validate(document)
        text = render(document, format)
        assert process(text, format).document.actions[0].content == "x = 1"
        (change,) = plan(document, MemoryTree({"a.py": b"x = 2\n"}), format=format).changes
        assert change.operation is Operation.REPLACE


def test_a_format_has_no_forms_to_choose_from() -> None:
    document = Document((Action("create", "a.py", "x = 1"),))
    with pytest.raises(GrammarError, match="only dialects have this setting"):
        render(document, "qwen_xml", RenderOptions())
