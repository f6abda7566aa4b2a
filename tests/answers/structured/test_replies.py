"""The corpus of replies: what is found in each, how, and what is said about the rest."""

from __future__ import annotations

import json

import pytest
from json_replies import JsonCase, read_cases

from symops_lark.answers.structured import extract_json

CASES = read_cases()


def test_there_are_replies_of_all_kinds() -> None:
    assert len(CASES) >= 60
    assert sum(case.value is None for case in CASES) > 40 < sum(case.value is not None for case in CASES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_reply(case: JsonCase) -> None:
    found = extract_json(case.reply, case.schema)
    assert [each.code for each in found.diagnostics] == list(case.codes)
    assert (found.strategy, found.repaired) == (case.strategy, case.repaired)
    if case.value is None:
        assert found.value is None and found.span is None
        return
    assert found.span is not None
    assert json.dumps(found.value, ensure_ascii=False) == json.dumps(json.loads(case.value), ensure_ascii=False)
    assert case.reply[found.span.start : found.span.end].strip() == case.reply[found.span.start : found.span.end]
