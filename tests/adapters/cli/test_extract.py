"""`symops extract`: the object on standard output, the rest on standard error; exit codes 0, 1 and 2."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import run
from json_replies import JUDGMENT

REPLY = '<think>{"step": 1}</think>\nNot {"step": true}.\n```json\n{"step": 2, "reason": "ok", // two\n}\n```\n'


@pytest.fixture(name="schema")
def schema_file(tmp_path: Path) -> str:
    file = tmp_path / "judgment.json"
    file.write_text(json.dumps(JUDGMENT), encoding="utf-8")
    return str(file)


def test_found(schema: str) -> None:
    done = run("extract", "--schema", schema, stdin=REPLY)
    assert done.exit_code == 0 and json.loads(done.stdout) == {"step": 2, "reason": "ok"}
    assert "<stdin>:4:1: warning: " in done.stderr and "[repaired]" in done.stderr


def test_not_found(schema: str) -> None:
    done = run("extract", "--schema", schema, stdin='{"step": 1, "reas')
    assert done.exit_code == 1 and done.stdout == ""
    assert "<stdin>:1:1: error: the reply ends" in done.stderr and "symops: <stdin>: no object" in done.stderr


def test_explain(schema: str) -> None:
    done = run("extract", "--explain", "--schema", schema, stdin=REPLY)
    assert done.exit_code == 0
    assert done.stdout.startswith("<stdin>: found by code_block, repaired, line 4, column 1")
    places = [line.split(": ")[0] for line in done.stdout.split("\n") if line.startswith("<stdin>:") and "[" in line]
    assert places == ["<stdin>:1:8", "<stdin>:2:5", "<stdin>:4:1"]
    none = run("extract", "--explain", stdin="nothing")
    assert none.exit_code == 1 and none.stdout.startswith("<stdin>: no object")


def test_json(schema: str, tmp_path: Path) -> None:
    file = tmp_path / "reply.txt"
    file.write_text(REPLY, encoding="utf-8")
    done = run("extract", "--json", "--schema", schema, str(file))
    data = json.loads(done.stdout)
    assert (data["value"], data["strategy"], data["repaired"]) == ({"step": 2, "reason": "ok"}, "code_block", True)
    assert REPLY[data["span"]["start"] : data["span"]["end"]].startswith('{"step": 2')
    assert run("extract", "--json", stdin="I'm sorry, but I cannot.").exit_code == 1


@pytest.mark.parametrize(
    ("text", "message"), [("{", ":1:2: not JSON"), ("[]", ": a schema is a JSON"), ('{"type": 1}', ": /type")]
)
def test_wrong_schema(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "wrong.json"
    file.write_text(text, encoding="utf-8")
    done = run("extract", "--schema", str(file), stdin="{}")
    assert done.exit_code == 2 and f"symops: {file}{message}" in done.stderr
    assert run("extract", "--schema", str(tmp_path / "none"), stdin="{}").exit_code == 2


def test_wordings_of_refusals(tmp_path: Path) -> None:
    file = tmp_path / "de.yaml"
    file.write_text("patterns:\n  de:\n    - das geht nicht\n", encoding="utf-8")
    done = run("extract", "--refusals", str(file), stdin="Das geht nicht.")
    assert done.exit_code == 1 and "the model refuses to answer" in done.stderr
    assert "[no-object]" in run("extract", stdin="Das geht nicht.").stderr
