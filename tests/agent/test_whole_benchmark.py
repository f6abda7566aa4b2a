"""The benchmark of the whole: its ways are fair, and a run never writes a change that fails the tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.whole.__main__ import CASES, WAYS, Writer, measure
from symops_lark.models import Message


@pytest.mark.slow
def test_a_writer_makes_the_same_mistakes_for_every_way() -> None:
    path = next(iter(CASES))
    prompt = (Message("user", f'<file path="{path}">\nraise CartError("the cart is empty")\n</file>\n'),)
    replies = {Writer(path, f"key/{number}", "mid").reply(prompt) for number in range(20)}
    assert len(replies) > 5 and any("return 0" in reply for reply in replies)
    assert Writer(path, "key/1", "mid").reply(prompt) == Writer(path, "key/1", "mid").reply(prompt)


@pytest.mark.slow
def test_a_run_writes_nothing_that_fails_the_tests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    ends = measure(WAYS["three models, a run"], 3, "mid")
    assert ends["wrong"] == 0 and ends["right"] > 0
    assert measure(WAYS["one model, no code, by hand"], 3, "mid")["right"] == 0
