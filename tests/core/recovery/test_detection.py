"""Detection: the dialect in which a text is meant, none for texts in no dialect, and a note where it is doubtful."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pytest
from corpus_reader import Case, read_corpus
from hypothesis import given, settings
from hypothesis import strategies as st
from numbering import unnumbered
from repository import TESTS
from texts import DIALECTS, OnFile, any_text, groups_on_file, noted

import symops_lark
from symops_lark import Action, Document, Phase, ProtocolError, Result, SymOpsProcessor, derive, dialects, render
from symops_lark.core.document import Thought
from symops_lark.core.grammar.dialect import Dialect
from symops_lark.core.grammar.loading import load_grammar
from symops_lark.core.recovery import detection as detecting
from symops_lark.core.recovery.detected import Detection
from symops_lark.core.recovery.lines.spelling import LineRepairer
from symops_lark.core.recovery.outline.outline import Outline
from symops_lark.core.recovery.reading import read_outline

PROCESSOR = SymOpsProcessor()


def process(text: str, format: str) -> Result | None:
    try:
        return symops_lark.process(text, format)
    except ProtocolError:
        return None


@lru_cache(maxsize=1)
def clear_cases() -> tuple[tuple[Case, Result], ...]:
    """The cases of the corpus that are valid in their dialect or made valid by repairs."""

    def find() -> Iterator[tuple[Case, Result]]:
        for case in read_corpus(sorted((TESTS / "corpus").glob("*.md"))):
            result = process(case.text, case.dialect)
            if result is not None and result.phase in (Phase.STRICT, Phase.REPAIRED):
                yield case, result

    return tuple(find())


@pytest.mark.slow
def test_the_corpus_is_read_as_it_is_meant() -> None:
    """At least 99 of 100 cases say the same when the dialect is not told.

    The dialect itself may be another one: cases about the marks of the other version are told by their marks.
    """
    mistakes = []
    for case, intended in clear_cases():
        detection = PROCESSOR.detect(case.text)
        result = process(case.text, "auto")
        right = (
            detection.dialect is not None
            and result is not None
            and unnumbered(result.document) == unnumbered(intended.document)
        )
        if not right:
            mistakes.append(case.id)
    assert len(clear_cases()) > 350
    assert len(mistakes) <= 0.01 * len(clear_cases()), mistakes


@pytest.mark.parametrize("name", dialects())
def test_a_valid_text_is_read_in_the_plainest_dialect_that_it_is_valid_in(name: str) -> None:
    document = Document((Thought("go"), Action("create", "a.py", "x = 1", ("b.py",))))
    text = render(document, name)
    detection = PROCESSOR.detect(text)
    assert detection.dialect is load_grammar(load_grammar(name).family)
    assert detection.document == document and not detection.doubtful


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("::1 create @a.py\n<<<\nx\n>>>\n", "v2_numbered"),
        ("::create @a.py\n<<<\nx\n>>>END\n", "v2_end_marked"),
        ("::create\n  @path: a.py\n<<<\nx\n>>>\n", "v2_attributes"),
        ("::create @a.py\n<<<<\n>>>\n>>>>\n", "v2_long_fence"),
        ("::create @a.md\n<<<<\n<<<\ny\n>>>\nand so", "v2_long_fence"),
        ("::1 create @a.py\n<<<<\n>>>\n>>>>\n", "v2_1"),
        ("Sure!\n\n::1 create\n  @path: a.py\n<<<<\n>>>\n>>>>\n", "v2_1"),
        ("Sure!\n\n[Action Type] create\n[ACTION_PATH] a.py\n[CONTENT_START]\nx\n[CONTENT_END]\n", "plain"),
        ("Sure!\n\n$ create @ a.py\n--\nx\n--\n", "v1"),
    ],
)
def test_options_are_found_where_they_are_used(text: str, name: str) -> None:
    detection = PROCESSOR.detect(text)
    assert detection.dialect is not None and detection.dialect.name == name
    result = symops_lark.process(text)
    assert result.document.dialect == name
    assert (detection.document is not None) is (result.phase is Phase.STRICT)


NO_DIALECT = {
    "empty": "",
    "blank": "\n \n\t\n",
    "prose": "Hello there.\nHow are you? I am well.\n",
    "code": "def f(x):\n    return x + 1\n",
    "comment": "# c\nimport x\n",
    "markdown": "# Title\n\nSome *text*.\n\n- one\n- two\n\n```python\nx = 1\n```\n",
    "json": '{"actions": [{"type": "create", "path": "a.py"}]}\n',
    "tool-call": '<tool_call>\n{"name": "ls"}\n</tool_call>\n',
    "shell": "$ ls\na b\n$ cat x\n",
    "diff": "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
    "chat": "User: hi\nAssistant: hello\n",
    "quotation": "> quoted\n> and more\n",
    "sql": "SELECT 1;\n-- all of it\n",
    "conflict": "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main\n",
    "python-prompt": ">>> 1 + 1\n2\n",
    "agent": "Action: search\nAction Input: x\nObservation: y\n",
    "mentions": "The plain format writes [ACTION_TYPE] and [ACTION_PATH] on lines of their own.\n",
    "log": "The server wrote:\n\n[INFO] starting up\n[ERROR] Timeout while connecting\n[INFO] done\n\nSo restart it.\n",
    "log-alone": "[ERROR] Timeout\n[INFO] foo\n",
    "ticket": "Type: feature\nPath: src/a.py\nThat is what the ticket says.\n",
}


@pytest.mark.parametrize("text", NO_DIALECT.values(), ids=NO_DIALECT.keys())
def test_texts_in_no_dialect(text: str) -> None:
    detection = PROCESSOR.detect(text)
    assert detection.dialect is None and detection.runner_up is None and detection.to_diagnostic() is None


def test_a_text_of_two_dialects_is_doubtful() -> None:
    """Half of it is v1, half is v2: whichever is taken, something is lost, and a note says so."""
    text = "~ one\n\n$ run @ ls\n\n>> two\n\n::run @pwd\n"
    detection = PROCESSOR.detect(text)
    assert detection.dialect is not None and detection.runner_up is not None
    assert {detection.dialect.name, detection.runner_up.name} == {"v1", "v2"}
    assert detection.doubtful and detection.margin is not None
    codes = [finding.code for finding in symops_lark.process(text).diagnostics]
    assert codes.count("doubtful-dialect") == 1
    assert "doubtful-dialect" not in [finding.code for finding in symops_lark.process(text, "v2").diagnostics]


@pytest.mark.parametrize(
    ("text", "name", "margin", "doubtful"),
    [
        ("$ create\n? why\n", "v1", 1500, True),  # an action line that breaks off decides
        ("::\n<<<\na = 1\n>>>\n::run @make\n", "v2", 1700, True),  # what is inside the block speaks for none
        (">> go\n::create\n", "v2", 2700, False),  # one exact line, one that breaks off, one that v1 must respell
        ("::create @a.py\n>>>\nx = 1\n>>>\n", "v2", 8300, False),  # delimiters that are right cost no respelling
        ("::run @ls\n[ACTION_TYPE] create\n[ACTION_PATH] a.py\n", "v2", 2000, True),  # at the margin itself
    ],
)
def test_what_speaks_for_a_dialect_has_its_weight(text: str, name: str, margin: int, doubtful: bool) -> None:
    detection = PROCESSOR.detect(text)
    assert detection.dialect is not None and detection.dialect.name == name
    assert (detection.margin, detection.doubtful) == (margin, doubtful)


@pytest.mark.parametrize(("margin", "doubtful"), [(None, False), (0, True), (2000, True), (2001, False)])
def test_doubt_ends_at_two_plain_slips(margin: int | None, doubtful: bool) -> None:
    v1, v2 = map(load_grammar, ("v1", "v2"))
    detection = Detection(v2, None, v1, margin)
    assert detection.doubtful is doubtful
    assert (detection.to_diagnostic() is not None) is doubtful


def test_richer_dialects_are_only_tried_where_one_of_them_could_be_cheaper(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []

    def count(text: str, dialect: Dialect, repairer: LineRepairer) -> Outline:
        tried.append(dialect.name)
        return read_outline(text, dialect, repairer)

    monkeypatch.setattr(detecting, "read_outline", count)
    PROCESSOR.detect("Sure!\n\n" + "::create @a.py\n<<<\nx\n>>>\n" * 3)
    assert sorted(tried) == ["plain", "v1", "v2", "v2_1"]
    tried.clear()
    PROCESSOR.detect("Sure!\n\n::1 create @a.py\n<<<\nx\n>>>\n")
    assert sorted(tried) == sorted(dialects())


def test_a_text_that_two_dialects_read_otherwise_is_a_tie(tmp_path: Path) -> None:
    """A dialect in which the marks of two sections are exchanged reads every text of the other, and otherwise."""
    mine = tmp_path / "mine.lark"
    mine.write_text(derive("v2", {"_QUESTION": '"!"', "_ERROR": '"?"'}))
    processor = SymOpsProcessor(dialects=[mine])
    detection = processor.detect("? why not\n")
    assert detection.dialect is load_grammar("v2") and detection.margin == 0
    assert detection.runner_up is not None and detection.runner_up.name == "mine"
    assert [finding.code for finding in processor.process("? why not\n").diagnostics] == ["doubtful-dialect"]
    assert not PROCESSOR.detect("? why not\n").doubtful


def test_a_dialect_of_another_family_is_another_one_whatever_its_action_mark_is(tmp_path: Path) -> None:
    mine = tmp_path / "mine.lark"
    mine.write_text(derive("v1", {"_ACTION": '"::"', "_VITAL": '"::"'}))
    detection = SymOpsProcessor(dialects=[mine]).detect("Sure!\n\n::run @ls\n")
    assert detection.runner_up is not None and detection.runner_up.name == "mine" and detection.doubtful


@pytest.mark.parametrize("before", ["", "Sure! Here it is.\n\n"])
def test_a_dialect_given_by_path_is_found(tmp_path: Path, before: str) -> None:
    mine = tmp_path / "mine.lark"
    mine.write_text(derive("v2", {"_ACTION": '"@@"', "_VITAL": '"@@"', "_TARGET": '"§"', "_THOUGHT": '"%%"'}))
    document = Document((Thought("go"), Action("create", "a.py", "x = 1", ("b.py",))))
    text = before + render(document, mine)
    processor = SymOpsProcessor(dialects=[mine])
    detection = processor.detect(text)
    assert detection.dialect is not None and detection.dialect.name == "mine"
    result = processor.process(text)
    assert result.document.dialect == "mine" and result.document.actions == document.actions
    assert not PROCESSOR.detect(text).document
    for name in ("v1", "v2", "plain"):
        second = render(document, name)
        assert processor.process(before + second).document.dialect == name


@groups_on_file()
def test_what_is_not_priced_changes_nothing_that_is_told(texts: tuple[OnFile, ...]) -> None:
    for name, dialect, text in texts[::4]:
        with noted(name, dialect):
            exact = PROCESSOR.detect(text)
            nearest = PROCESSOR._detect(text, nearest=True)
            assert (nearest.dialect, nearest.document) == (exact.dialect, exact.document)
            assert nearest.to_diagnostic() == exact.to_diagnostic()


def test_a_dialect_without_lines_of_its_own_is_not_priced(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []

    def count(text: str, dialect: Dialect, repairer: LineRepairer) -> Outline:
        tried.append(dialect.name)
        return read_outline(text, dialect, repairer)

    monkeypatch.setattr(detecting, "read_outline", count)
    PROCESSOR.read("Sure!\n\n" + "::create @a.py\n<<<\nx\n>>>\n" * 3)
    assert tried == ["v2"]
    tried.clear()
    PROCESSOR.read("Sure!\n\n" + "::create @b.py\n  @deps: c.py\n<<<\nx\n>>>\n" * 3)
    assert "v2_1" in tried
    tried.clear()
    PROCESSOR.read("Sure!\n\n" + "$ create @ b.py\n--\nx <<<< y\n--\n" * 3)  # has signs of longer delimiters
    assert tried == ["v1"]


@settings(deadline=None)
@given(data=st.data())
def test_what_has_no_sign_of_further_forms_is_no_cheaper_with_them(data: st.DataObject) -> None:
    text = data.draw(any_text(data.draw(st.sampled_from(DIALECTS))))
    exact, nearest = PROCESSOR.detect(text), PROCESSOR._detect(text, nearest=True)
    assert (nearest.dialect, nearest.document) == (exact.dialect, exact.document)
