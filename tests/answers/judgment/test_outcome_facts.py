"""The facts of an applied plan: each step counts once."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symops_lark import SymOpsError, process
from symops_lark.answers.judgment.outcome_facts import facts_of_outcome
from symops_lark.answers.judgment.rules_file import RUN_FACTS

COMMANDS = st.none() | st.fixed_dictionaries({"code": st.integers(0, 2), "timed_out": st.booleans()})
STEPS = st.fixed_dictionaries({"status": st.sampled_from(["done", "failed", "skipped"]), "command": COMMANDS})


@given(st.lists(STEPS))
def test_each_step_counts_once(steps: list[dict[str, object]]) -> None:
    facts = facts_of_outcome({"steps": steps})
    assert facts["total"] == facts["passed"] + facts["failed"]
    assert facts["total"] + facts["changes"] + facts["declined"] == len(steps)
    assert facts.keys() <= set(RUN_FACTS)


def test_a_real_outcome_is_counted(tmp_path: Path) -> None:
    from symops_lark import apply, plan

    reply = "::create @a.py\n<<<\nprint(1)\n>>>\n::create @b.py\n<<<\nprint(2)\n>>>\n"
    outcome = apply(plan(process(reply).document, tmp_path), tmp_path)
    facts = facts_of_outcome(outcome.to_dict())
    assert facts == {"passed": 0, "failed": 0, "changes": 2, "declined": 0, "total": 0, "timed_out": False}


@pytest.mark.parametrize("value", [None, [], {}, {"steps": 1}, {"steps": [1]}])
def test_another_value_is_refused(value: object) -> None:
    with pytest.raises(SymOpsError, match="symops apply --json"):
        facts_of_outcome(value)
