"""The choice of the engine that reads a broken text, from the library and from the command line."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import run
from grammar_changes import NESTED
from texts import texts_on_file
from wings import need_wing

from symops_lark import SymOpsProcessor, process, recover
from symops_lark.core.document import Completeness, Document
from symops_lark.core.grammar.dialect import Dialect
from symops_lark.core.grammar.loading import load_dialect, recovery_text
from symops_lark.core.ground.errors import GrammarError
from symops_lark.core.recovery.engines import choice as engines
from symops_lark.core.recovery.engines.automaton import Automaton
from symops_lark.core.recovery.engines.choice import ENGINES, MOST_LINES, Engine, choose_engine, load_engine, read_kinds
from symops_lark.core.recovery.engines.earley import Earley
from symops_lark.core.text.diagnostics import Severity

UNFINISHED = """document: _section*
_section: head (block | unfinished) | drop
block: open body* close
unfinished.-900: open body*
head: ACTION
open: OPEN
close: CLOSE
body: TEXT | PROSE
drop: lost
lost.-5000: TEXT | OPEN | CLOSE | PROSE
%declare ACTION OPEN CLOSE TEXT PROSE
"""
GUIDE = """::create @guide.md
<<<
Write it so:

::create @a.py
<<<
x = 1
>>>

Then run it.
>>>
::run @make
"""


@pytest.fixture
def nested(tmp_path: Path) -> str:
    (tmp_path / "nested.lark").write_text("// v2, and contents that hold sections.\n%import .v2\n")
    (tmp_path / "nested_recovery.lark").write_text(NESTED)
    return str(tmp_path / "nested.lark")


@pytest.mark.slow
def test_both_engines_give_the_same_document() -> None:
    short = [(name, text) for _, name, text in texts_on_file() if text.count("\n") < 9]
    for dialect, text in random.Random(6).sample(short, 20):
        assert recover(text, dialect, engine="earley") == recover(text, dialect, engine="automaton"), (dialect, text)


@pytest.mark.slow
def test_both_engines_give_the_same_result_of_damaged_replies() -> None:
    for dialect, text in (
        ("v2", "Sure!\n\n::create @a.py\n```python\nx = 1\n\n::run @ls\nDone.\n<<<\ny\n"),
        ("v1", "$ create a.py\n--\nx\n$ edit @b.py\n--\ny\n--\n--\nbye\n"),
        ("plain", "[ACTION_TYPE] create\n[ACTION_PATH] a.py\n[CONTENT_START]\nx\n[ACTION_TYPE] run\n"),
    ):
        automaton, earley = (SymOpsProcessor(dialect, recovery_engine=e).process(text) for e in ENGINES)
        assert earley == automaton == process(text, dialect)


def test_the_shape_of_the_grammar_chooses(nested: str) -> None:
    assert choose_engine(load_dialect("v2")) == "automaton"
    assert choose_engine(load_dialect("v2"), "earley") == "earley"
    assert choose_engine(load_dialect(nested)) == "earley"


@pytest.mark.slow
def test_a_content_that_holds_sections_is_read_by_earley(nested: str) -> None:
    document = recover(GUIDE, nested)
    assert [(a.type, a.path, a.completeness) for a in document.actions] == [
        ("create", "guide.md", Completeness.COMPLETE),
        ("run", "make", Completeness.COMPLETE),
    ]
    assert document.actions[0].content == GUIDE.split("<<<\n", 1)[1].rsplit("\n>>>", 1)[0]
    assert document.price == 0
    assert [a.path for a in recover(GUIDE, "v2").actions] == ["guide.md", "a.py", "make"]
    broken = recover(GUIDE.replace("\n>>>\n\nThen", "\n\nThen"), nested)
    assert [a.path for a in broken.actions] == ["guide.md", "make"]
    assert [d.code for d in broken.diagnostics] == ["missing-inner-closer"]


def test_a_recovery_grammar_with_nesting_has_no_tables(nested: str) -> None:
    need_wing("exports")
    from symops_lark.exports.tables import freeze

    with pytest.raises(GrammarError, match=r"^nested: its recovery grammar has nesting, which tables cannot say"):
        freeze(nested)


def test_tables_are_read_by_the_automaton_unless_another_engine_is_named() -> None:
    need_wing("exports")
    from symops_lark.exports.tables import freeze

    frozen = Dialect.from_data(freeze("v2"))
    assert (choose_engine(frozen), choose_engine(frozen, "earley")) == ("automaton", "earley")
    assert load_engine(frozen).mistakes == load_engine(load_dialect("v2")).mistakes
    assert isinstance(load_engine(frozen), Automaton)
    assert isinstance(load_engine(frozen, "earley"), Earley)


@pytest.mark.slow
def test_an_engine_that_cannot_run_a_grammar_says_so(nested: str) -> None:
    for use in (
        lambda: recover(GUIDE, nested, engine="automaton"),
        lambda: SymOpsProcessor(nested, recovery_engine="automaton"),
    ):
        with pytest.raises(GrammarError, match=r"nested_recovery\.lark: an automaton cannot run .* is earley"):
            use()
    for use in (lambda: recover("x", "v2", engine="lalr"), lambda: SymOpsProcessor(recovery_engine="lalr")):
        with pytest.raises(ValueError, match="no engine 'lalr'; the engines are automaton and earley"):
            use()


def without_note(document: Document) -> Document:
    return replace(document, diagnostics=tuple(d for d in document.diagnostics if d.code != "earley-limit"))


@pytest.mark.slow
def test_a_text_beyond_the_limit_is_read_by_the_automaton(nested: str) -> None:
    long = "::create @a.py\n<<<\nx\n" * (MOST_LINES // 3 + 1)
    for dialect, text in (
        ("v2", "the automaton gave the same reading"),
        (nested, "by the recovery grammar of v2 instead"),
    ):
        document = recover(long, dialect, engine="earley")
        [note] = [d for d in document.diagnostics if d.code == "earley-limit"]
        assert str(MOST_LINES) in note.message
        assert note.message.endswith(text)
        assert note.severity is Severity.WARNING
        assert replace(without_note(document), dialect="v2") == recover(long, "v2")


@pytest.mark.parametrize(
    ("name", "lines", "engine", "read", "said"),
    [
        ("v2", 200, "earley", ("v2", "earley"), ""),
        ("v2", 201, "earley", ("v2", "automaton"), "up to 200; the automaton gave the same reading"),
        ("v2", 201, None, ("v2", None), ""),
        ("nested", 200, None, ("nested", None), ""),
        ("nested", 201, None, ("v2", None), "up to 200; it was read by the recovery grammar of v2 instead"),
    ],
)
def test_which_engine_reads_how_many_lines(
    name: str,
    lines: int,
    engine: str | None,
    read: tuple[str, str | None],
    said: str,
    nested: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    request: list[tuple[str, str | None]] = []
    automaton = load_engine(load_dialect("v2"))

    def load(dialect: Dialect, engine: str | None = None) -> Engine:
        request.append((dialect.name, engine))
        return automaton

    monkeypatch.setattr(engines, "load_engine", load)
    _, note = read_kinds(load_dialect(nested if name == "nested" else name), ["THOUGHT"] * lines, engine)
    assert request == [read]
    assert note.endswith(said) and bool(note) == bool(said)


@pytest.mark.slow
def test_the_limit_is_the_last_text_that_earley_reads(nested: str) -> None:
    dialect = load_dialect(nested)
    kinds = ["THOUGHT"] * 200  # as the documentation has it
    assert read_kinds(dialect, kinds) == (load_engine(dialect).read(kinds), "")
    assert read_kinds(dialect, [*kinds, "THOUGHT"])[1] != ""


@pytest.mark.slow
def test_roles_that_cannot_stand_where_they_are_are_dropped(tmp_path: Path) -> None:
    """Whatever the roles of somebody's grammar are: recovery raises nothing, and loses no text without saying so."""
    (tmp_path / "odd.lark").write_text("%import .v2\n")
    kinds = sorted(load_engine(load_dialect("v2"), "earley").kinds)  # type: ignore[attr-defined]
    for role in ("body", "close", "wrap", "attribute", "whatever", "head", "thought", "vitals", "blank"):
        rules = f"document: _a\n_a: | _a {role}\n{role}: {' | '.join(kinds)}\n%declare {' '.join(kinds)}\n"
        (tmp_path / "odd_recovery.lark").write_text(rules)
        for text in (GUIDE[3:], GUIDE.replace(">>>", ""), "\n\n", "  x\n>> y"):
            document = recover(text, tmp_path / "odd.lark")
            left = text
            for section in document.sections:
                left = left.replace(text[section.span.start : section.span.end], "", 1)
            assert not left.strip(), (role, text)


def test_a_block_that_ends_by_a_mistake_of_any_name_is_not_complete(tmp_path: Path) -> None:
    (tmp_path / "own.lark").write_text("%import .v2\n")
    (tmp_path / "own_recovery.lark").write_text(UNFINISHED)
    document = recover("::create @a.py\n<<<\nx\n::create @b.py\n<<<\ny", tmp_path / "own.lark")
    unfinished = (Completeness.UNTERMINATED, Completeness.TRUNCATED)
    assert tuple(action.completeness for action in document.actions) == unfinished
    assert [d.code for d in document.diagnostics] == ["unfinished", "unfinished"]


# ---- the grammar beside the dialect


def test_a_recovery_grammar_builds_on_ours(nested: str) -> None:
    path, text = recovery_text(load_dialect(nested))
    assert path.name == "nested_recovery.lark"
    assert "%import" not in text
    assert "    | _nested\n" in text


@pytest.mark.slow
def test_a_price_of_ours_can_be_exchanged(tmp_path: Path) -> None:
    own = tmp_path / "own.lark"
    own.write_text("%import .v2\n")
    text = "Sure, here it is:\n>> a\n"
    assert recover(text, own).price == recover(text, "v2").price == 2200
    (tmp_path / "own_recovery.lark").write_text("%import .v2_recovery\n%override prose.-300: drop_prose_run\n")
    assert recover(text, own).price == 300
    (tmp_path / "own_recovery.lark").write_text("%import .base_recovery\n")
    with pytest.raises(GrammarError, match=r"own_recovery\.lark:1:1: there is no grammar 'base_recovery'"):
        recover(text, own)
    (tmp_path / "base_recovery.lark").write_text("%import .v2_recovery\n")
    assert recover(text, own).price == 2200
    (tmp_path / "base_recovery.lark").write_text("%import .v2_recovery\n%override prose.-500: drop_prose_run\n")
    assert recover(text, own).price == 500, "a base that has changed is read again"


# ---- the command line


@pytest.mark.slow
def test_the_commands_take_an_engine(nested: str, tmp_path: Path) -> None:
    file = tmp_path / "reply.txt"
    file.write_text(GUIDE)
    by_earley = run("recover", "-f", "v2", "--engine", "earley", str(file)).stdout
    assert by_earley == run("recover", "-f", "v2", str(file)).stdout
    assert "1. create  guide.md" in run("process", "-f", nested, "--engine", "earley", str(file)).stdout
    refused = run("process", "-f", nested, "--engine", "automaton", str(file))
    assert "an automaton cannot run this recovery grammar" in refused.output
    output = run("grammar", "trace", nested, str(file)).stdout
    assert "cheapest reading, by Earley: price 0\n" in output
    assert "readings that lost: not known where rules nest" in output
    traced = {}
    for engine in ("automaton", "earley"):
        done = run("grammar", "trace", "v2", str(file), "--engine", engine, "--json")
        traced[engine] = json.loads(done.stdout)["recovery"]
        assert traced[engine].pop("engine") == engine
    assert traced["automaton"] == traced["earley"]
