"""The pipeline: what each phase says of itself, where the next begins, and what a reply that was cut off may not be."""

from __future__ import annotations

from pathlib import Path

import pytest

from symops_lark import Completeness, Phase
from symops_lark.core.grammar.loading import load_dialect
from symops_lark.core.processor import SymOpsProcessor

FENCED = "::create @{}\n<<<\n```\nx\n```\n>>>\n"
JSON = '{"actions": [{"type": "create", "path": "a.py", "content": "x"}]}\n'
PATHLESS = "::create\n  @deps: b.py\n<<<\nx\n>>>\n"
STRICT, REPAIRED, RECOVERED = Phase.STRICT, Phase.REPAIRED, Phase.RECOVERED


@pytest.mark.parametrize(
    ("text", "dialect", "told"),
    [
        ("::run @ls\n", "v2", [("parsed", True)]),
        (FENCED.format("a.py"), "v2", [("parsed, 1 repair of contents", True)]),
        (FENCED.format("a.py") * 2, "v2", [("parsed, 2 repairs of contents", True)]),
        ("::Run @ls\n", "v2", [("failed: verbs are written in lower case", False), ("1 repair, parsed", True)]),
        (
            "Nothing.\n",
            "v2",
            [
                ("failed: this line is no section: it does not begin with a mark", False),
                ("failed: 1 repair, and no section is left", False),
            ],
        ),
        (
            JSON,
            "v2",
            [
                ("failed: this line is no section: it does not begin with a mark", False),
                ("failed: 1 repair, and no section is left", False),
                ("1 action in the format json_calls", True),
            ],
        ),
        (
            PATHLESS,
            "v2_attributes",
            [
                ("failed: this action names no path: an indented line `@path:` is missing right below it", False),
                ("failed: 0 repairs, still not strict", False),
                ("failed: there is no section in it", False),
            ],
        ),
    ],
)
def test_each_phase_tells_what_it_did(text: str, dialect: str, told: list[tuple[str, bool]]) -> None:
    processor = SymOpsProcessor(dialect)
    result = processor.read(text)
    assert [(step.outcome, step.succeeded) for step in result.trace] == told
    assert [step.phase for step in result.trace] == ["strict", "repaired", "recovered"][: len(told)]
    steps = list(processor.steps(text))
    assert steps == [*((phase, None) for phase in (STRICT, REPAIRED)[: len(told) - 1]), (result.phase, result)]
    assert result.phase == (STRICT, REPAIRED, RECOVERED)[len(told) - 1]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("::Run @ls\n", ["::Run @ls\n", "::run @ls\n"]),
        (FENCED.format("a.py"), ["::create @a.py\n<<<\nx\n>>>\n"]),
        (JSON, [JSON, "", JSON]),  # no line of it is markup
    ],
)
def test_each_phase_tells_the_text_that_it_left(text: str, shown: list[str]) -> None:
    assert [step.text for step in SymOpsProcessor("v2").read(text).trace] == shown


COMPLETE, TRUNCATED, SUSPECT = Completeness.COMPLETE, Completeness.TRUNCATED, Completeness.SUSPECT
BLOCK = "::create @a.py\n<<<\nx\n>>>"


@pytest.mark.parametrize(
    ("text", "states"),
    [
        (BLOCK, [SUSPECT]),  # perhaps the beginning of a line of the content
        (BLOCK + "\n", [COMPLETE]),
        (BLOCK + "\n" + BLOCK.replace("a.py", "b.py"), [COMPLETE, SUSPECT]),
        (BLOCK + "\n::run @l", [COMPLETE, TRUNCATED]),
        (">> so\n::run @l\n", [TRUNCATED]),
        (BLOCK + "\n>> so", [COMPLETE]),
        ("Sure!\n" + BLOCK, [SUSPECT]),
        ("Sure!\n" + BLOCK + "\n::run @l", [COMPLETE, TRUNCATED]),
        (">> so", []),
        ("", []),
    ],
)
def test_of_a_reply_that_is_cut_off_the_last_action_is_not_whole(text: str, states: list[Completeness]) -> None:
    processor = SymOpsProcessor("v2")
    assert [action.completeness for action in processor.read(text, True).document.actions] == states
    assert {action.completeness for action in processor.read(text).document.actions} <= {COMPLETE}


def test_only_what_was_taken_out_of_a_fence_is_told() -> None:
    """A fence around a whole content of Markdown stays, as does the content beside one."""
    text = FENCED.format("a.py") + BLOCK.replace("a.py", "b.py") + "\n" + FENCED.format("a.md")
    result = SymOpsProcessor("v2").read(text)
    assert [finding.code for finding in result.diagnostics] == ["fenced-content"]
    assert [action.content for action in result.document.actions] == ["x", "x", "```\nx\n```"]
    assert [action.completeness for action in result.document.actions] == [SUSPECT, COMPLETE, COMPLETE]


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (">> a\\n::run @ls\\n>> b", ["newlines-escaped"]),
        (">> a\\n::run @ls\\n>> b\n", ["newlines-escaped"]),
        ("::run @ls\\n::run @pwd\\n>> b\n", ["newlines-escaped"]),
        (">> a\\n::run @ls\\n>> b\n>> c\n", []),
        ('::run @printf "a\\nb\\n"\n', []),
        ("::run @ls\r", []),
        ("::create @a.log\n<<<\n\x1b[1m::run @ls\x1b[0m \\n\n>>>\n", []),  # what a content says is its own
    ],
)
def test_a_valid_line_that_may_be_several_is_in_doubt(text: str, codes: list[str]) -> None:
    result = SymOpsProcessor("v2").read(text)
    assert result.phase is STRICT
    assert [finding.code for finding in result.diagnostics] == codes
    assert [finding.span.start for finding in result.diagnostics] == [0] * len(codes)
    assert [finding.span.end for finding in result.diagnostics] == [len(text)] * len(codes)
    assert result.confidence == (0.85 if codes else 1.0)
    assert {action.completeness for action in result.document.actions} <= {SUSPECT if codes else COMPLETE}
    assert result.document.diagnostics == result.diagnostics


def test_two_dialects_with_one_grammar_keep_their_own_messages(tmp_path: Path) -> None:
    own = "%import .v2_recovery\n//! stray-text = Separate words. | hint\n%override prose: TEXT+\n"
    results = []
    for name, recovery in (("a", ""), ("b", own)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "mine.lark").write_text("%import .v2\n", encoding="utf-8")
        if recovery:
            (tmp_path / name / "mine_recovery.lark").write_text(recovery, encoding="utf-8")
        results.append(load_dialect(tmp_path / name / "mine.lark"))
    processor = SymOpsProcessor("v2")
    first, second = map(processor.engine, results)
    assert first is not second and second is processor.engine(results[1])
