"""Grammars that explode are checked in a bounded number of steps, and what was not checked is told."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from symops_lark import GrammarError, Severity
from symops_lark.core.grammar.compiling import bounds
from symops_lark.core.grammar.loading import load_grammar
from symops_lark.lab.workbench.check import check_grammar
from symops_lark.lab.workbench.strict_trace import trace_strict

EXPLODING = ['document: ("a"~99999)', 'document: document document | "a"', 'document: ("a" | "b"~1..40)~40 "c"']


@pytest.mark.slow
@pytest.mark.parametrize("text", EXPLODING)
def test_checking_ends(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "MOST_STEPS", 500_000)
    path = tmp_path / "mine.lark"
    path.write_text(text + "\n", encoding="utf-8")
    begin = time.process_time()
    report = check_grammar(path)
    assert time.process_time() - begin < 30
    assert report.exit_code > 0
    assert any(finding.severity is Severity.ERROR for finding in report.findings)
    if report.compiles:  # then what was left out is told
        assert "not-checked" in [finding.code for finding in report.findings]


def test_a_grammar_without_a_document_is_told(tmp_path: Path) -> None:
    path = tmp_path / "mine.lark"
    path.write_text('start: "a"\n', encoding="utf-8")
    with pytest.raises(GrammarError, match="no rule is called `document`"):
        trace_strict("a\n", load_grammar(path))
