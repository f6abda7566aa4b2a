"""Sessions of the gate: how they begin, and what every refusal has to say."""

from __future__ import annotations

import json
from typing import Any

from benchmarks.code_intelligence.shop import DETAILED, SLOTS
from symops_lark.code_intelligence import Session, Workspace

ISSUE = {"observed_issue": "a wrong password raises 'login failed: wrong password'"}


def begin(workspace: Workspace, query: str = DETAILED, intent: str = "MODIFY") -> Session:
    session = workspace.start_session(query, intent)
    assert session.set_query_frame(SLOTS[query])["ok"]
    return session


def refused(answer: dict[str, Any], code: str) -> None:
    """Assert that a refusal says its code, what is missing and the way on, and is JSON."""
    assert answer["ok"] is False and answer["message"] and isinstance(answer["missing"], dict), answer
    assert answer["next"], answer
    assert code in {answer["reason_code"], *(gap["reason_code"] for gap in answer.get("gaps", ()))}, answer
    assert json.loads(json.dumps(answer)) == answer
