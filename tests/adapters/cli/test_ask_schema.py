"""`symops ask --schema`: a JSON object from a model, against a real server on loopback and the real SDKs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import Result
from command_line import run
from json_replies import JUDGMENT
from model_server import Answer, Failure, Line, model_server

VALUE = {"step": 2, "reason": "緑"}
GOOD = json.dumps(VALUE)


@pytest.fixture
def schema(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-1")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test-2")
    file = tmp_path / "schema.json"
    file.write_text(json.dumps(JUDGMENT))
    return str(file)


def ask(url: str, schema: str, *arguments: str, provider: str = "openai") -> Result:
    return run("ask", "-p", provider, "-m", "m", "--base-url", url, "--schema", schema, *arguments, "Which rule?")


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_the_value_is_printed_alone(provider: str, schema: str) -> None:
    with model_server([GOOD]) as server:
        result = ask(server.url, schema, provider=provider)
    assert result.exit_code == 0 and result.stderr == ""
    assert json.loads(result.stdout) == VALUE
    assert server.requests[0].prompt == "Which rule?"


def test_what_was_tried_is_told_and_shown(schema: str) -> None:
    lines: list[Line] = [Failure(400, "response_format is unknown"), f"Sure!\n```json\n{GOOD}\n```\n"]
    with model_server(lines) as server:
        result = ask(server.url, schema, "--trace")
    assert result.exit_code == 0
    assert "openai:m failed: " in result.stderr and "response_format is unknown" in result.stderr
    assert "attempt 1: native_schema: failed: " in result.stdout
    assert "attempt 2: prompt: answered, code_block" in result.stdout and "reply | Sure!" in result.stdout
    with model_server(lines) as server:
        result = ask(server.url, schema, "--json", "--quiet")
    data = json.loads(result.stdout)
    assert (data["value"], data["model"], data["method"]) == (VALUE, "openai:m", "structured_output")
    assert [attempt["status"] for attempt in data["attempts"]] == ["failed", "answered"] and result.stderr == ""


def test_the_way_may_be_chosen(schema: str) -> None:
    with model_server([GOOD]) as server:
        assert ask(server.url, schema, "--way", "prompt").exit_code == 0
    assert "response_format" not in server.requests[0].body


@pytest.mark.parametrize(
    ("lines", "code", "told"),
    [
        (["No idea."] * 2, 1, "answered with nothing that fits the schema"),
        (["I'm sorry, but I can't help with that."] * 3, 1, "refused to answer"),
        ([Answer(GOOD[:9], finish="length")] * 2, 1, "was cut off before the answer was whole"),
        ([Failure(401, "bad key")], 2, "does not accept the key"),
    ],
)
def test_where_there_is_no_value_the_reason_is_told(lines: list[Line], code: int, told: str, schema: str) -> None:
    with model_server(lines) as server:
        result = ask(server.url, schema)
    assert (result.exit_code, result.stdout) == (code, "") and told in result.stderr


def test_the_value_is_written_to_a_file(schema: str, tmp_path: Path) -> None:
    with model_server([GOOD]) as server:
        result = ask(server.url, schema, "-o", str(tmp_path / "value.json"))
    assert (result.exit_code, result.stdout) == (0, "")
    assert json.loads((tmp_path / "value.json").read_text()) == VALUE


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"type": "object",\n "properties": }', "schema.json:2:16: not JSON: Expecting value"),
        ("[1]", "schema.json: a schema is a JSON object"),
        ('{"type": "array"}', "describes no object"),
        ('{"type": "objekt"}', "objekt"),
        (json.dumps({"properties": {"a": {"type": 3}}}), "/properties/a/type"),
    ],
)
def test_a_wrong_schema_is_told_before_anything_is_asked(text: str, told: str, schema: str) -> None:
    Path(schema).write_text(text)
    with model_server([GOOD]) as server:
        result = ask(server.url, schema)
    assert (result.exit_code, server.requests) == (2, []) and told in result.stderr


def test_options_about_documents_are_refused(schema: str) -> None:
    for option in (["--constrained"], ["-f", "v1"], ["--save-reply", "x"]):
        result = ask("http://127.0.0.1:9", schema, *option)
        assert result.exit_code == 2 and "is about documents" in result.stderr
    result = run("ask", "-p", "openai", "--way", "prompt", "Which?")
    assert result.exit_code == 2 and "give --schema" in result.stderr
    result = ask("http://127.0.0.1:9", schema, "-o", schema)
    assert result.exit_code == 2 and "written and read" in result.stderr
