"""The one file of Python has types, docstrings and a stream, and they are those of this package."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from new_dialects import write_dialects
from texts import texts_on_file

from symops_lark import StreamParser, export

USE = """\
from typing import assert_type
import symops_v2
from symops_v2 import NEED_TEXT, Action, ActionStarted, ParseError, ProtocolError, StreamParser

def read(text: str) -> list[str]:
    try:
        result = symops_v2.process(text, cut_off=True)
    except ProtocolError as error:
        return [str(each) for each in error.document.sections]
    repaired = symops_v2.repair(text)
    assert_type(repaired.changed, bool)
    for action in result.document.actions:
        assert_type(action, Action)
        assert_type(action.number, None)
    stream = StreamParser()
    for event in stream.events([text]):
        if isinstance(event, ActionStarted):
            assert_type(event.action.path, str)
    event_or_none = stream.next_event()
    if event_or_none is not NEED_TEXT:
        event_or_none.to_dict()
    closed = stream.close()
    return [step.outcome for step in result.trace] + [closed.error.reason if closed.error else ""]

def parse(text: str) -> list[str]:
    try:
        return [section.wrong for section in symops_v2.parse(text).sections]  # type: ignore[union-attr]
    except ParseError as error:
        return [diagnostic.code for diagnostic in error.diagnostics]

symops_v2.parse(1)  # type: ignore[arg-type]
symops_v2.process("", cut=True)  # type: ignore[call-arg]
StreamParser().receive(b"")  # type: ignore[arg-type]
"""
# Callers meet these in annotations alone: no text of a dialect without custom sections makes one,
# and names of unions have no value at run time.
ABSENT = r"symops_\w+\.(Alternative|Divergence|Event|OfAction|OfSection|Part|Replacement|Row|Section|_\w+)"


def run_python(*arguments: str, folder: Path) -> None:
    command = [sys.executable, "-m", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def module() -> ModuleType:
    """The tolerant parser of v2."""
    parser = ModuleType("symops_v2")
    exec(compile(export("python", "v2", tolerant=True)["symops_v2.py"], "symops_v2.py", "exec"), parser.__dict__)
    return parser


@pytest.mark.slow
def test_the_stubs_agree_with_the_modules(tmp_path: Path, stride: int) -> None:
    """One process reads all of them: most of its time goes to the stubs of the standard library."""
    grammars = write_dialects(tmp_path)
    forms = [("blocks", True), ("v2", False), ("v2", True), ("blocks", False)]
    names = []
    for dialect, tolerant in forms[:2] if stride > 1 else forms:
        names.append(f"symops_{dialect}_{'tolerant' if tolerant else 'strict'}")
        for name, text in export("python", grammars.get(dialect, dialect), tolerant=tolerant).items():
            if "_formats" not in name:
                (tmp_path / names[-1]).with_suffix(Path(name).suffix).write_text(text, encoding="utf-8")
    (tmp_path / "absent").write_text(ABSENT, encoding="utf-8")
    options = ("--ignore-missing-stub", "--allowlist", "absent", "--ignore-unused-allowlist")
    run_python("mypy.stubtest", *names, *options, folder=tmp_path)


@pytest.mark.slow
def test_programs_are_checked_by_the_stub(tmp_path: Path) -> None:
    for name, text in export("python", "v2", tolerant=True).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "use.py").write_text(USE, encoding="utf-8")
    # With --strict, a `type: ignore` that hides no error is an error.
    run_python("mypy", "--strict", "use.py", folder=tmp_path)


def test_the_stub_has_the_words_of_the_dialect(tmp_path: Path) -> None:
    stub = export("python", write_dialects(tmp_path)["blocks"])["symops_blocks.pyi"]
    assert "_SectionName: TypeAlias = Literal['note', 'plan', 'log']" in stub
    assert "'create', 'edit', 'update'" in stub and "_Number: TypeAlias = None" in stub
    assert "_Number: TypeAlias = int | None" in export("python", "v2_1")["symops_v2_1.pyi"]


def test_what_callers_meet_has_docstrings(module: ModuleType) -> None:
    import symops_lark

    for name in ("Action", "Document", "Result", "Diagnostic", "ProtocolError", "ParseError"):
        assert getattr(module, name).__doc__ == getattr(symops_lark, name).__doc__
    for name in module.__all__:
        assert getattr(module, name).__doc__, name
    assert "3.11" in str(module.__doc__)


@pytest.mark.slow
def test_streams_of_the_file_announce_what_this_package_announces(module: ModuleType) -> None:
    texts = [text for _, dialect, text in texts_on_file() if dialect == "v2"][:60]
    for text in texts:
        pieces = [text[at : at + 9] for at in range(0, len(text), 9)]
        theirs = module.StreamParser()
        ours = StreamParser("v2")
        announced = [event.to_dict() for event in theirs.events(pieces)]
        assert announced == [event.to_dict() for event in ours.events(pieces)], text
        assert theirs.close().to_dict()["differences"] == ours.close().to_dict()["differences"]
        assert theirs.next_event() is module.NEED_TEXT
        with pytest.raises(ValueError, match="closed"):
            theirs.receive("x")


@pytest.mark.slow
def test_a_repaired_text_knows_whether_it_changed(module: ModuleType) -> None:
    assert module.repair("::create a.py\n<<<\nx\n>>>\n").changed and not module.repair("::run @ls\n").changed
