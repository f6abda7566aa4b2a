"""The benchmark of discourse: its replies are well formed, and it notices what it counts."""

from __future__ import annotations

import pytest

from benchmarks.discourse.__main__ import SETS, judge, main, read_set


@pytest.mark.parametrize("name", SETS)
def test_each_set_is_well_formed(name: str) -> None:
    replies = list(read_set(name))
    assert len(replies) == len({reply["id"] for reply in replies}) == (200 if name == "set4" else 150)
    for reply in replies:
        expected = reply["expect"]
        if reply["tool"] == "process":
            paths = [path for _, path in expected["sure"] + expected["not_sure"]]
            assert paths and all(path in reply["input"] for path in paths), reply["id"]
        else:
            assert list(expected) == ["value"], reply["id"]


def test_what_is_meant_and_what_is_not_are_counted() -> None:
    action = "::create @a.py\n<<<\nx = 1\n>>>\n"
    reply = {"tool": "process", "input": action, "expect": {"sure": [["create", "a.py"]], "not_sure": []}}
    assert judge(reply) == (False, False)
    reply["expect"] = {"sure": [], "not_sure": [["create", "a.py"]]}
    assert judge(reply) == (True, False)
    reply["expect"] = {"sure": [["create", "b.py"]], "not_sure": []}
    assert judge(reply) == (False, True)
    assert judge({"tool": "tag", "input": "[REVIEW:2]", "expect": {"value": 2}}) == (False, False)
    assert judge({"tool": "tag", "input": "[REVIEW:2]", "expect": {"value": None}}) == (True, False)
    text = '{"step": 2, "reason": "x"}'
    assert judge({"tool": "extract", "input": text, "expect": {"value": {"step": 3}}}) == (True, False)
    assert judge({"tool": "extract", "input": "nothing", "expect": {"value": {"step": 3}}}) == (False, True)


@pytest.mark.slow
def test_it_prints_a_row_for_each_kind(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["discourse", "set1"])
    assert main() == 0
    rows = capsys.readouterr().out.splitlines()
    assert rows[0].split() == ["set1", "n", "silent", "false"]
    assert {row.split()[0] for row in rows[1:]} >= {"lead-now", "lead-not-now", "label-twin", "tag-one", "all"}
