"""Half a content is never written as a whole one: what any command writes of it, is asked about or refused again."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import HALF, run
from drawn_dialects import QUICK, draw_dialect
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import documents
from texts import DIALECTS
from trees import MemoryTree

import symops_lark
from symops_lark import (
    Action,
    Completeness,
    Document,
    ErrorNote,
    ParseError,
    ProtocolError,
    RenderError,
    SymOpsProcessor,
    Thought,
)
from symops_lark.acting.changes import Decision
from symops_lark.acting.plan.planning import plan
from symops_lark.core.grammar.loading import load_grammar
from symops_lark.core.rendering.converter import convert_document
from symops_lark.core.rendering.renderer import can_render
from symops_lark.core.unfinished import find_unfinished, read_marks
from symops_lark.lab.benchmark.faults.dialects import load
from symops_lark.lab.benchmark.faults.documents import draw_documents, write

BROKEN = (Completeness.TRUNCATED, Completeness.UNTERMINATED, Completeness.SUSPECT)
Said = tuple[str, str, str | None]


def sure(document: Document) -> set[Said]:
    """Return what would be done without a question."""
    actions = [change.action for change in plan(document, MemoryTree()).changes if change.decision is Decision.AUTO]
    return {(action.type, action.path, action.content) for action in actions}


def sure_of(text: str, dialect: str) -> set[Said]:
    try:
        return sure(symops_lark.process(text, dialect).document)
    except ProtocolError:
        return set()


def is_strict(text: str, dialect: str) -> bool:
    try:
        symops_lark.parse(text, dialect)
    except ParseError:
        return False
    return True


def texts_written_of(cut: str, dialect: str) -> Iterator[tuple[str, str]]:
    """Yield the texts that are made of a reply, each with its dialect: repaired, rendered, converted."""
    processor = SymOpsProcessor(dialect)
    for cut_off in (None, True):
        repaired = processor.repair(cut, cut_off=cut_off)
        yield repaired.text, dialect
        results = []
        if is_strict(repaired.text, dialect):
            results.append(symops_lark.parse(repaired.text, dialect))
        try:
            results.append(processor.process(cut, cut_off=cut_off).document)
        except ProtocolError:
            continue
        results.append(Document.from_dict(json.loads(json.dumps(results[-1].to_dict()))))
        for document in results:
            for target in DIALECTS:
                with suppress(RenderError):
                    yield convert_document(document, target).text, target


@pytest.mark.slow
@pytest.mark.alike(8)
@pytest.mark.parametrize("name", DIALECTS)
@pytest.mark.parametrize("seed", range(3))
def test_no_text_that_is_written_of_half_a_content_is_carried_out_unasked(name: str, seed: int) -> None:
    rng, count = random.Random(f"{name} {seed}"), 0
    for document in draw_documents(4, f"half {seed}", load(name), hard=0.5):
        text = write(document, load(name))
        actions = symops_lark.parse(text, name).actions
        whole_rows = {(action.type, action.path, action.content) for action in actions}
        contents = [action.content_span for action in actions if action.content and action.content_span]
        for span in rng.sample(contents, min(2, len(contents))):
            at = rng.randrange(span.start, span.end + 1)
            cut = text[: text.find("\n", at) + 1 if rng.random() < 0.4 else at]
            if any(
                is_strict(cut, single_dialect) for single_dialect in DIALECTS
            ):  # a line of the content begins as a closer
                continue
            for output, dialect in texts_written_of(cut, name):
                assert sure_of(output, dialect) <= whole_rows, output
                count += 1
    assert count > 30


# ---- the law of marks, for documents made by hand


def unfinished(name: str) -> st.SearchStrategy[Document]:
    """Documents whose actions are in any state."""
    states = st.sampled_from(list(Completeness))

    def change(document: Document, drawn: list[Completeness]) -> Document:
        left = iter(drawn)
        sections = (
            replace(section, completeness=next(left)) if isinstance(section, Action) else section
            for section in document.sections
        )
        return replace(document, sections=tuple(sections))

    drawn = st.lists(states, min_size=6, max_size=6)
    return st.tuples(documents(name), drawn).map(lambda both: change(*both))


def check_marks(document: Document, render: Callable[[Document], str], parse: Callable[[str], Document]) -> None:
    text = render(document)
    repeated_document = parse(text)
    for before, after in zip(document.actions, repeated_document.actions, strict=True):
        assert before == after
        if before.completeness is not Completeness.COMPLETE:
            assert after.completeness is not Completeness.COMPLETE
    assert render(repeated_document) == text and parse(render(repeated_document)) == repeated_document
    if all(action.completeness is Completeness.COMPLETE for action in document.actions):
        assert repeated_document == document
    assert not {(a.type, a.path, a.content) for a in find_unfinished(document)} & sure(repeated_document) or len(
        {(a.type, a.path) for a in document.actions}
    ) < len(document.actions)


@pytest.mark.parametrize("name", DIALECTS)
@given(st.data())
def test_what_is_not_whole_says_so_in_every_dialect(name: str, data: st.DataObject) -> None:
    document = data.draw(unfinished(name))
    check_marks(document, lambda d: symops_lark.render(d, name), lambda text: symops_lark.parse(text, name))


@pytest.mark.slow
@pytest.mark.alike(6)
@pytest.mark.parametrize("base", ["v1", "v2", "plain"])
@settings(QUICK)
@given(st.data())
def test_what_is_not_whole_says_so_in_dialects_of_others(base: str, data: st.DataObject) -> None:
    dialect = draw_dialect(base, data)
    action = Action("create", "a.py", "x = 1\n", completeness=data.draw(st.sampled_from(BROKEN)))
    document = Document((Thought("go"), action, Action("run", "ls -l", completeness=BROKEN[0])))
    check_marks(document, lambda d: symops_lark.render(d, dialect), lambda text: symops_lark.parse(text, dialect))


def test_a_dialect_that_cannot_say_it_writes_no_half_content(tmp_path: Path) -> None:
    path = tmp_path / "mute.lark"
    text = load_grammar("v2").text
    assert "[^ \\t\\r\\n@]+/\nTEXT" in text  # what the type of an error is made of: here, of digits
    path.write_text(text.replace("[^ \\t\\r\\n@]+/\nTEXT", "[0-9]+/\nTEXT"))
    half = Document((Action("create", "a.py", "x", completeness=Completeness.TRUNCATED),))
    with pytest.raises(RenderError, match="it is truncated, and there is no error section to say so") as caught:
        symops_lark.render(half, path)
    assert "v2" in caught.value.dialects and not can_render(half, path)
    assert symops_lark.repair(HALF, path).text == HALF
    assert symops_lark.parse("::create @a\n<<<\nx\n>>>\n", path).actions


# ---- which action an error section means

COMPLETE, TRUNCATED, UNTERMINATED, SUSPECT = Completeness.COMPLETE, *BROKEN
A, B = Action("create", "a", "x"), Action("create", "b", "y")


@pytest.mark.parametrize(
    ("sections", "states"),
    [
        ((A, ErrorNote("Truncated", "a")), [TRUNCATED]),
        ((A, ErrorNote("truncated")), [TRUNCATED]),
        ((A, ErrorNote("UNTERMINATED", "elsewhere", "really")), [UNTERMINATED]),
        ((A, B, ErrorNote("Truncated", "a")), [TRUNCATED, COMPLETE]),
        ((A, B, ErrorNote("Truncated", "b")), [COMPLETE, TRUNCATED]),
        ((A, ErrorNote("Suspect", "a"), B), [SUSPECT, COMPLETE]),
        ((A, A, ErrorNote("Truncated", "a")), [COMPLETE, TRUNCATED]),
        ((A, A, Thought("so"), ErrorNote("Truncated", "a")), [TRUNCATED, TRUNCATED]),
        ((A, Thought("so"), ErrorNote("Truncated")), [TRUNCATED]),
        ((A, ErrorNote("Suspect", "a"), ErrorNote("Truncated", "a")), [TRUNCATED]),
        ((A, ErrorNote("Other", "a"), ErrorNote("Truncated", "a")), [TRUNCATED]),
        ((ErrorNote("Truncated"), A), [COMPLETE]),
        ((ErrorNote("Truncated", "a"), A, B), [TRUNCATED, COMPLETE]),
        ((A, ErrorNote("SyntaxError", "a", "truncated")), [COMPLETE]),
    ],
)
def test_an_error_section_means_the_action_before_it_or_the_one_it_names(
    sections: tuple[Action | ErrorNote, ...], states: list[Completeness]
) -> None:
    document = Document(sections)
    assert [action.completeness for action in read_marks(document).actions] == states
    assert {change.decision is Decision.AUTO for change in plan(Document((A,)), MemoryTree()).changes} == {True}
    unsure = {number for number, state in enumerate(states, 1) if state is not COMPLETE}
    assert not unsure & {c.number for c in plan(document, MemoryTree()).changes if c.decision is Decision.AUTO}


# ---- the commands


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "half").write_text(HALF)
    return tmp_path


def test_commands_that_write_half_a_content_warn_and_fail(folder: Path) -> None:
    repaired = run("repair", "half")
    (folder / "repaired").write_text(repaired.stdout)
    (folder / "json").write_text(run("process", "--json", "half").stdout)
    output = [
        repaired,
        run("repair", "repaired"),
        run("render", "repaired"),
        run("render", "json"),
        run("convert", "-t", "v1", "repaired"),
        run("convert", "-t", "plain", "repaired"),
        run("repair", "--not-cut-off", "half"),
        run("check", "--fix", stdin=HALF),
    ]
    for result in output:
        assert result.exit_code == 1, result.stdout
        assert "create a.py is " in result.stderr or "create a.py is " in result.stdout or "a.py is t" in result.stderr
        finished = run("plan", stdin=result.stdout)
        assert "a.py" in finished.stdout and "auto" not in finished.stdout
    for document in ("json", "half"):
        assert run("plan", document).exit_code == 1


@pytest.mark.parametrize("text", [f"{HALF}\n>>>", ">> so\n::create @a.py\n<<<\nx\n>>>"])
def test_what_looks_whole_and_is_known_to_be_cut_off_is_asked_about(folder: Path, text: str) -> None:
    assert "auto" in run("plan", stdin=text).stdout
    assert "auto" not in run("plan", "--cut-off", stdin=text).stdout
    result = run("repair", "--cut-off", stdin=text)
    assert result.exit_code == 1 and result.stdout == text and "may not be whole" in result.stderr
    assert run("repair", "--cut-off", stdin=text + "\n").exit_code == 0


def test_a_stream_that_breaks_leaves_half_a_file_as_half_a_file(folder: Path) -> None:
    (folder / "model.py").write_text(f"import os; os.write(1, {HALF.encode()!r}); raise SystemExit(1)")
    texts = ("ask", "-p", "command", "--command", "python3 model.py", "--attempts", "0", "-o", "out", "Go.")
    result = run(*texts)
    assert result.exit_code == 1 and "warning: create a.py is truncated" in result.stderr
    assert "! Truncated @ a.py" in (folder / "out").read_text()
    assert "auto" not in run("plan", "out").stdout
    assert run(*texts, "--json").exit_code == 1
    (folder / "json").write_text((folder / "out").read_text())
    assert "auto" not in run("plan", "json").stdout
