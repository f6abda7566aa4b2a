"""Everything public can be pickled, copied and compared: a reply that fails must not break a pool of processes."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
from new_dialects import NEW, write_dialects

import symops_lark
from symops_lark import (
    Action,
    Completeness,
    CustomSection,
    Document,
    ErrorNote,
    Part,
    Phase,
    Policy,
    PromptBuilder,
    Question,
    RenderOptions,
    SelfCorrector,
    Severity,
    Skipped,
    Source,
    Span,
    StreamParser,
    SymOpsProcessor,
    Thought,
    Vitals,
)
from symops_lark.acting.files.view import FolderView
from symops_lark.core.grammar.loading import load_dialect
from symops_lark.core.streaming import NEED_TEXT
from symops_lark.models.scripted import ScriptedModel

BROKEN = "Sure:\n\n::create a.py\n```python\nx = 1\n```\n::delete @old.py because of it\n"
RULE = """id: percent
phase: symbols
summary: Two percent signs.
why: A test.
cost: 1
lines: [head]
replace:
  pattern: ^%%[ \\t]*
  with: '{action}'
examples:
- before: |
    %% create @a.py
    <<<
    x
    >>>
  after: |
    ::create @a.py
    <<<
    x
    >>>
unchanged:
- |
  ::run @echo %%
"""
ROUNDS: dict[str, Callable[[Any], Any]] = {
    "pickled": lambda value: pickle.loads(pickle.dumps(value)),
    "copied": copy.copy,
    "deeply copied": copy.deepcopy,
}


def raised(call: Callable[[], object]) -> BaseException:
    with pytest.raises(symops_lark.SymOpsError) as caught:
        call()
    return caught.value


def folder_plan(folder: Path) -> symops_lark.Plan:
    folder.mkdir(exist_ok=True)
    (folder / "old.py").write_text("x\n")
    return symops_lark.plan(symops_lark.process(BROKEN, "v2").document, folder)


def load_policy(folder: Path) -> symops_lark.Policy:
    (folder / "policy.yaml").write_text("deleting: refuse\n")
    return symops_lark.load_policy(folder / "policy.yaml")


def outcome(folder: Path) -> Any:
    plan = symops_lark.plan(symops_lark.parse("::create @new.py\n<<<\nx\n>>>\n"), FolderView(folder))
    return symops_lark.apply(plan, folder, confirm=lambda change: True)


def undone(folder: Path) -> Any:
    outcome(folder)
    return symops_lark.undo(folder)


def finding() -> symops_lark.Diagnostic:
    return symops_lark.process(BROKEN, "v2").diagnostics[0]


def streamed() -> symops_lark.StreamResult:
    parser = StreamParser("v2")
    list(parser.events([BROKEN]))
    return parser.close()


def announced(kind: type[object]) -> list[object]:
    """Return the events of one kind."""
    events: list[object] = [event for event in StreamParser("v2").events([BROKEN]) if isinstance(event, kind)]
    assert events
    return events


def processor(folder: Path) -> SymOpsProcessor:
    """Return one with rules and a dialect of the user's own."""
    (folder / "rules").mkdir(exist_ok=True)
    (folder / "rules" / "percent.yaml").write_text(RULE)
    (folder / "at.lark").write_text(symops_lark.derive("v2", {"_ACTION": '"@@"'}))
    sym_ops_processor = SymOpsProcessor("auto", rules=[folder / "rules"], dialects=[folder / "at.lark"])
    assert sym_ops_processor.process("%% create @a.py\n<<<\nx\n>>>\n").document.actions
    return sym_ops_processor


# An example of each public name, made in a folder; what a function gives stands for the function.
EXAMPLES: dict[str, Callable[[Path], Any]] = {
    "FEW_SHOT_EXAMPLES": lambda folder: symops_lark.FEW_SHOT_EXAMPLES,
    "NEED_TEXT": lambda folder: symops_lark.NEED_TEXT,
    "SYMOPS_SYSTEM_PROMPT": lambda folder: symops_lark.SYMOPS_SYSTEM_PROMPT,
    "SYMOPS_V2_SYSTEM_PROMPT": lambda folder: symops_lark.SYMOPS_V2_SYSTEM_PROMPT,
    "Action": lambda folder: Action("create", "a.py", "x", ("b",), 0.5, Completeness.SUSPECT, Span(1, 2), Span(1, 2)),
    "ActionFinished": lambda folder: announced(symops_lark.ActionFinished),
    "ActionStarted": lambda folder: announced(symops_lark.ActionStarted),
    "ContentDelta": lambda folder: announced(symops_lark.ContentDelta),
    "Noticed": lambda folder: announced(symops_lark.Noticed),
    "SectionContent": lambda folder: symops_lark.SectionContent("a", Span(0, 1)),
    "SectionFinished": lambda folder: symops_lark.SectionFinished(Completeness.COMPLETE, Span(0, 9), Span(4, 5)),
    "SectionParsed": lambda folder: symops_lark.SectionParsed(Thought("hm")),
    "SectionStarted": lambda folder: symops_lark.SectionStarted(CustomSection("note", (Part("title", "a"),))),
    "Completeness": lambda folder: Completeness.SUSPECT,
    "Diagnostic": lambda folder: finding(),
    "Document": lambda folder: symops_lark.process(BROKEN, "v2").document,
    "ErrorNote": lambda folder: ErrorNote("Type", "a.py", "why"),
    "ExportError": lambda folder: symops_lark.ExportError("there is no such export"),
    "Format": lambda folder: list(symops_lark.formats()),
    "GrammarError": lambda folder: raised(lambda: load_dialect("nothing")),
    "ModelError": lambda folder: raised(lambda: ScriptedModel([]).generate("hi")),
    "ParseError": lambda folder: raised(lambda: symops_lark.parse(BROKEN)),
    "Phase": lambda folder: Phase.REPAIRED,
    "Change": lambda folder: folder_plan(folder).changes[0],
    "Decision": lambda folder: symops_lark.Decision.REFUSE,
    "Runner": lambda folder: symops_lark.Runner(timeout=5),
    "load_policy": load_policy,
    "Outcome": outcome,
    "Plan": folder_plan,
    "Policy": lambda folder: Policy(allow=("a",)),
    "PromptBuilder": lambda folder: PromptBuilder("v2", budget=100),
    "ProtocolError": lambda folder: raised(lambda: symops_lark.process("Nothing to do.", "v2")),
    "Replacement": lambda folder: symops_lark.Replacement("x = 1", "x = 3", every=True),
    "Question": lambda folder: Question("why", ("a", "b")),
    "RenderError": lambda folder: raised(lambda: symops_lark.render(Document((Action("create", "a", "--"),)), "v1")),
    "RenderOptions": lambda folder: RenderOptions(),
    "Result": lambda folder: symops_lark.process(BROKEN, "v2"),
    "RuleError": lambda folder: symops_lark.RuleError("a.yaml:1:1: wrong"),
    "SelfCorrector": lambda folder: SelfCorrector(load_dialect("v2"), max_attempts=3),  # type: ignore[arg-type]
    "Severity": lambda folder: Severity.NOTE,
    "Skipped": lambda folder: Skipped("text"),
    "CustomSection": lambda folder: CustomSection("note", (Part("title", "a"),), "## a"),
    "Part": lambda folder: Part("steps", "", (Part("step", "a"),)),
    "Source": lambda folder: Source("a\nb", "name"),
    "Span": lambda folder: Span(1, 2, 3, 4),
    "StreamParser": lambda folder: StreamParser,  # the parser itself: see below
    "StreamResult": lambda folder: streamed(),
    "SymOpsError": lambda folder: symops_lark.SymOpsError("what"),
    "SymOpsProcessor": processor,
    "Thought": lambda folder: Thought("hm"),
    "UnsafeActionError": lambda folder: symops_lark.UnsafeActionError("what"),
    "Vitals": lambda folder: Vitals((("confidence", 0.5),)),
    "WorkspaceError": lambda folder: symops_lark.WorkspaceError("what"),
    "apply": outcome,
    "convert": lambda folder: symops_lark.convert("::run @ls\n", "v2", "v1"),
    "derive": lambda folder: symops_lark.derive("v2", {"_ACTION": '"@@"'}),
    "edit_text": lambda folder: symops_lark.edit_text("x = 1\n", "@@\n-x = 1\n+x = 3\n"),
    "Edited": lambda folder: symops_lark.Edited("x = 3\n", "unified diff", ("a doubt",), (1,)),
    "Refusal": lambda folder: symops_lark.Refusal("it does not fit", (1, 4), "quote more lines"),
    "export": lambda folder: symops_lark.export("lark", "v2"),
    "formats": lambda folder: list(symops_lark.formats()),
    "portable_tables": lambda folder: symops_lark.portable_tables(),
    "read_format": lambda folder: symops_lark.read_format("`a.py`\n\n```\nx = 1\n```\n"),
    "write_format": lambda folder: symops_lark.write_format(symops_lark.read_format(""), "qwen_xml"),
    "dialects": lambda folder: [load_dialect(name) for name in symops_lark.dialects()],
    "is_acceptable": lambda folder: symops_lark.is_acceptable(Document()),
    "parse": lambda folder: symops_lark.parse("::run @ls\n"),
    "plan": folder_plan,
    "process": lambda folder: symops_lark.process(BROKEN),
    "recover": lambda folder: symops_lark.recover(BROKEN),
    "render": lambda folder: symops_lark.render(symops_lark.parse("::run @ls\n")),
    "repair": lambda folder: symops_lark.repair(BROKEN),
    "rulesets": lambda folder: symops_lark.rulesets(),
    "schema": lambda folder: symops_lark.schema("plan"),
    "system_prompt": lambda folder: symops_lark.system_prompt(),
    "undo": undone,
    "validate": lambda folder: symops_lark.validate(Document()),
}


def test_every_public_name_has_an_example() -> None:
    assert sorted(EXAMPLES) == sorted(symops_lark.__all__)


@pytest.mark.parametrize("round_trip", ROUNDS)
@pytest.mark.parametrize("name", EXAMPLES)
def test_what_is_public_travels(name: str, round_trip: str, tmp_path: Path) -> None:
    for value in (EXAMPLES[name](tmp_path), getattr(symops_lark, name)):
        repeated = ROUNDS[round_trip](value)
        assert type(repeated) is type(value) and repeated == value
        if not isinstance(value, dict | list):
            assert hash(repeated) == hash(value)
        for attribute in getattr(value, "__slots__", ()):
            assert getattr(repeated, attribute) == getattr(value, attribute), attribute
        if isinstance(value, BaseException):
            assert str(repeated) == str(value) and vars(repeated) == vars(value)


@pytest.mark.slow
def test_what_says_something_else_is_not_equal(tmp_path: Path) -> None:
    created = processor(tmp_path)
    assert created != SymOpsProcessor("v2") != SymOpsProcessor("v1") and SymOpsProcessor("v2") == SymOpsProcessor("v2")
    assert load_dialect("v2") != load_dialect("v1") and PromptBuilder("v2") != PromptBuilder("v1")
    assert symops_lark.SymOpsError("a") != symops_lark.SymOpsError("b") != symops_lark.RuleError("b")


@pytest.mark.slow
def test_a_processor_reads_as_before_where_its_rules_are_gone(tmp_path: Path) -> None:
    data = pickle.dumps(created := processor(tmp_path))
    (tmp_path / "rules" / "percent.yaml").unlink()
    for text in ("%% create @a.py\n<<<\nx\n>>>\n", "@@create @a.py\n<<<\nx\n>>>\n", BROKEN):
        assert pickle.loads(data).process(text) == created.process(text)


@pytest.mark.slow
@pytest.mark.alike(6)
@pytest.mark.parametrize("round_trip", ["pickled", "deeply copied"])
@pytest.mark.parametrize("format", ["auto", "v1", "v2", "plain"])
def test_a_stream_travels_in_the_middle(format: str, round_trip: str) -> None:
    for at in range(0, len(BROKEN), 7):
        parser = StreamParser(format)
        parser.receive(BROKEN[:at])
        parser.next_event()
        repeated = ROUNDS[round_trip](parser)
        ends = []
        for item in (parser, repeated):
            events = list(item.events([BROKEN[at:]]))
            ends.append((events, item.close()))
        assert ends[0] == ends[1]


@pytest.mark.parametrize("name", NEW)
def test_a_stream_travels_in_a_dialect_with_sections_of_its_own(tmp_path: Path, name: str) -> None:
    text, dialect = NEW[name].text, write_dialects(tmp_path)[name]
    parser = StreamParser(dialect)
    parser.receive(text[: len(text) // 2])
    message = list(iter(parser.next_event, NEED_TEXT))
    for round_trip in ("pickled", "deeply copied"):
        repeated = ROUNDS[round_trip](parser)
        events = list(repeated.events([text[len(text) // 2 :]]))
        assert [*message, *events] == list(StreamParser(dialect).events([text]))
        assert repeated.close().document == symops_lark.parse(text, dialect)


def test_a_model_travels_with_its_corrector() -> None:
    corrector = SelfCorrector(ScriptedModel(["::run @ls\n"]))
    repeated_data = pickle.loads(pickle.dumps(SymOpsProcessor("v2", corrector=corrector)))
    assert repeated_data.process("").document == symops_lark.parse("::run @ls\n")


@pytest.mark.slow
def test_a_bad_reply_does_not_break_a_pool() -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        for call in (symops_lark.process, symops_lark.parse):
            with pytest.raises(symops_lark.SymOpsError) as caught:
                pool.submit(call, "Nothing to do.", "v2").result()
            assert caught.value == raised(lambda call=call: call("Nothing to do.", "v2"))  # type: ignore[misc]
        assert pool.submit(symops_lark.repair, BROKEN).result().repairs == symops_lark.repair(BROKEN).repairs
