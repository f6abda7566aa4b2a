"""The benchmark of readers: ours accepts nothing that is wrong, and the kinds of damage can tell a careless one."""

from __future__ import annotations

import pytest

from benchmarks.structured.__main__ import RIGHT, WRONG, judge
from benchmarks.structured.damage import KINDS, draw_replies
from benchmarks.structured.readers import READERS, read_by_us, read_without_schema

REPLIES = draw_replies(8, seed=7)


@pytest.mark.slow
def test_ours_is_right_or_refuses() -> None:
    assert {reply.kind for reply in REPLIES} == set(KINDS)
    verdicts = [judge(reply, read_by_us) for reply in REPLIES]
    assert WRONG not in verdicts
    assert verdicts.count(RIGHT) >= 0.95 * len(REPLIES)
    assert WRONG not in [judge(reply, read_without_schema) for reply in REPLIES]


@pytest.mark.parametrize("name", [name for name in READERS if not name.startswith("symops") and name != "BAML"])
def test_others_can_be_wrong(name: str) -> None:
    reader, library = READERS[name]
    if library:
        pytest.importorskip(library)
    verdicts = {(reply.kind, judge(reply, reader)) for reply in REPLIES}
    assert ("alone", RIGHT) in verdicts and ("name twice", WRONG) in verdicts
