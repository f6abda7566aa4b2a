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
    extracted = extract_json(case.reply, case.schema)
    assert [diagnostic.code for diagnostic in extracted.diagnostics] == list(case.codes)
    assert (extracted.strategy, extracted.repaired) == (case.strategy, case.repaired)
    if case.value is None:
        assert extracted.value is None and extracted.span is None
        return
    assert extracted.span is not None
    assert json.dumps(extracted.value, ensure_ascii=False) == json.dumps(json.loads(case.value), ensure_ascii=False)
    assert (
        case.reply[extracted.span.start : extracted.span.end].strip()
        == case.reply[extracted.span.start : extracted.span.end]
    )
