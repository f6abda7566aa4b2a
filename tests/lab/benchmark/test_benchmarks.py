"""The recovery benchmark: what it counts, what it calls exact, what raises no alarm, and that the script runs."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from wings import need_wing

from benchmarks.recovery import cases
from benchmarks.recovery.cases import Case, judge_case, valid_case
from symops_lark.lab.benchmark.faults.dialects import load
from symops_lark.lab.benchmark.faults.documents import Action, Document

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent.parent.parent
V2 = load("v2")
CASE = valid_case(Document((Action("create", "a.py", "x = 1\ny = 2"), Action("run", "python a.py"))), V2)


def damaged(text: str) -> Case:
    return replace(CASE, mistakes=("a-mistake",), text=text)


def test_a_valid_document_is_read_strictly_and_left_alone() -> None:
    need_wing("adapters")
    from benchmarks.recovery.report import valid_summary

    assert valid_summary([judge_case(CASE)]) == {"n": 1, "strict": 1, "exact": 1, "unchanged": 1}


def test_what_is_put_right_is_exact_and_what_still_parses_is_not_counted() -> None:
    need_wing("adapters")
    from benchmarks.recovery.report import summary

    repaired = judge_case(damaged(CASE.text.replace("::create @", "::Create ")))
    assert repaired.counted and repaired.exact and repaired.milliseconds > 0
    strict = judge_case(damaged(CASE.text.replace("y = 2", "y = 3")))
    assert not strict.counted and not strict.exact and strict.silent == ()
    counts = summary([repaired, strict])
    assert (counts["n"], counts["exact"], counts["still_strict_but_different"]) == (1, 1, 1)


def test_what_the_validator_would_reject_counts_as_it_is_read() -> None:
    expected = (replace(CASE.expected[0], contents=(None,)), CASE.expected[1])
    text = ":create @a.py\n\n::run @python a.py\n"
    assert judge_case(replace(damaged(text), expected=expected)).exact


def test_wrong_invented_and_lost_actions_are_told() -> None:
    need_wing("adapters")
    from benchmarks.recovery.report import shown

    verdict = judge_case(damaged(":create @b.py\n<<<\nz\n>>>\n\n::run @python a.py\n\n::run @ls\n"))
    assert verdict.counted and not verdict.exact and verdict.invented == 2
    assert any("run ls: invented" in text for text in verdict.silent)
    lines = "\n".join(shown(verdict))
    assert "NO ALARM run ls" in lines and "-'create a.py'" in lines and "+'run ls'" in lines


def test_a_crash_is_counted_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    need_wing("adapters")
    from benchmarks.recovery.report import shown, summary

    def crash(*_: object) -> None:
        raise ZeroDivisionError("nobody thought of this")

    monkeypatch.setattr(cases.Reading, "read", crash)
    verdict = judge_case(damaged(CASE.text))
    assert summary([verdict])["crashes"] == summary([verdict])["n"] == 1 and not verdict.exact
    assert "ZeroDivisionError" in "\n".join(shown(verdict))


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks.recovery", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_the_script_prints_the_same_figures_as_a_table_and_as_json() -> None:
    arguments = ("--n", "2", "--dialect", "v2", "--only", "closer-missing")
    figures, table = json.loads(run(*arguments, "--json").stdout), run(*arguments).stdout
    assert set(figures["mistakes"]) == {"closer-missing-at-the-end", "closer-missing-in-the-middle"}
    count = figures["one_mistake"]
    assert count["n"] == count["exact"] == 4 and count["wrong_without_alarm"] == count["lost_unsaid"] == 0
    [line] = [line for line in table.splitlines() if line.startswith("one mistake ")]
    assert line.split()[2:4] == ["4", "4"]
    assert run("--only", "no-such-mistake").returncode == 2
