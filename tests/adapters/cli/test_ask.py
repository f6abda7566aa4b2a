"""`symops ask`: from a request to a validated document, against a real server on loopback and the real SDKs."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import Result
from command_line import run, run_python
from model_server import Answer, Failure, model_server

from symops_lark import Document, export, parse

GOOD = ">> One file does it.\n\n::create @a.py\n<<<\nx = 1\ny = 2\n>>>\n"
HOLLOW = GOOD + "\n::create @b.py\n"
B = "::create @b.py\n<<<\nz = 3\n>>>\n"
CUT = GOOD.index("y = 2") + 4


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-1")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test-2")


def ask(url: str, *arguments: str, provider: str = "openai", request: str = "Write a.py.") -> Result:
    return run("ask", "--provider", provider, "--model", "m", "--base-url", url, *arguments, request)


@pytest.mark.slow
@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_the_validated_document_is_printed(provider: str) -> None:
    with model_server([GOOD]) as server:
        result = ask(server.url.removesuffix("/v1") if provider == "anthropic" else server.url, provider=provider)
    assert result.exit_code == 0
    assert "strict, v2, confidence 1.00" in result.stdout and "create  a.py" in result.stdout
    assert "tokens: 7 in, 5 out" in result.stdout
    assert server.requests[0].protocol == provider and "Write a.py." in server.requests[0].prompt
    assert "sk-test" not in result.output


def test_the_prompt_teaches_the_dialect_that_is_asked_for() -> None:
    with model_server(["~ go\n$ run @ ls\n"]) as server:
        result = ask(server.url, "--format", "v1", "--json")
    assert json.loads(result.stdout)["document"]["dialect"] == "v1"
    system = server.requests[0].messages[0]
    assert system["role"] == "system" and "$ create @" in system["content"]
    assert [message["role"] for message in server.requests[0].messages][1:3] == ["user", "assistant"]


def test_progress_tells_thoughts_and_files() -> None:
    with model_server([GOOD]) as server:
        errors = ask(server.url).stderr
    assert "One file does it." in errors and "create a.py, 2 lines\n" in errors
    with model_server([GOOD]) as server:
        assert ask(server.url, "--quiet").stderr == ""


def test_a_broken_reply_is_asked_for_again() -> None:
    with model_server([HOLLOW, GOOD + B]) as server:
        result = ask(server.url)
    assert result.exit_code == 0 and "corrected, v2" in result.stdout
    assert "asking again: Your reply could not be read as it is." in result.stderr
    assert "create b.py has no content block" in server.requests[1].prompt
    assert "tokens: 14 in, 10 out" in result.stdout


def test_only_the_broken_section_is_asked_for() -> None:
    with model_server([HOLLOW, B]) as server:
        result = ask(server.url, "--differential", "--json")
    assert [a["path"] for a in json.loads(result.stdout)["document"]["sections"] if a["kind"] == "action"] == [
        "a.py",
        "b.py",
    ]


def test_without_attempts_nothing_is_asked_again() -> None:
    with model_server([HOLLOW]) as server:
        result = ask(server.url, "--attempts", "0")
    assert result.exit_code == 1 and "missing-content" in result.stdout and len(server.requests) == 1


@pytest.mark.parametrize("fault", ["cut", "end", "garble"])
def test_a_connection_that_breaks_loses_nothing_that_had_arrived(fault: str, tmp_path: Path) -> None:
    part = GOOD[GOOD.index("x = 1") :]
    with model_server([Answer(GOOD, fault=fault, at=CUT), part]) as server:
        result = ask(server.url, "--save-reply", str(tmp_path / "reply.txt"), "--json")
    assert result.exit_code == 0, result.output
    assert Document.from_dict(json.loads(result.stdout)["document"]) == parse(GOOD)
    assert "what had arrived is used" in result.stderr
    assert (
        "x = 1\n" in server.requests[1].messages[-2]["content"] and "Continue from there" in server.requests[1].prompt
    )
    assert (tmp_path / "reply.txt").read_text() == GOOD[:CUT]


@pytest.mark.slow
def test_what_had_arrived_at_a_limit_is_kept(tmp_path: Path) -> None:
    """A stream that goes on beyond the limit is cut there; what it said is used and saved, and marked as cut off."""
    endless = Answer(GOOD.removesuffix(">>>\n") + "z = 0\n" * 200_000, chunk_size=1000)
    with model_server([endless]) as server:
        saved = tmp_path / "reply.txt"
        result = ask(server.url, "--size-limit", "1", "--attempts", "0", "--save-reply", str(saved), "--json")
    assert "longer than allowed: more than 1 MB came" in result.stderr and "what had arrived is used" in result.stderr
    sections = json.loads(result.stdout)["document"]["sections"]
    assert sections[-1]["completeness"] == "truncated" and sections[-1]["content"].startswith("x = 1\ny = 2\nz = 0\n")
    assert 500_000 < len(saved.read_text()) < 2**20


def test_a_server_that_dies_leaves_what_had_arrived() -> None:
    with model_server([Answer(GOOD, fault="cut", at=CUT), *[Failure(500)] * 9]) as server:
        result = ask(server.url, "--json")
    sections = json.loads(result.stdout)["document"]["sections"]
    assert sections[-1]["content"] == "x = 1\ny = " and sections[-1]["completeness"] == "truncated"


def test_a_reply_that_reached_its_limit_is_continued() -> None:
    with model_server([Answer(GOOD[:CUT], finish="length"), GOOD[GOOD.index("x = 1") :]]) as server:
        result = ask(server.url, "--json")
    assert Document.from_dict(json.loads(result.stdout)["document"]) == parse(GOOD)


def test_the_document_is_written_to_a_file(tmp_path: Path) -> None:
    out = tmp_path / "reply.sym"
    with model_server(["Sure!\n\n" + GOOD.replace("::create", "::Create")]) as server:
        result = ask(server.url, "-o", str(out))
    assert result.exit_code == 0 and parse(out.read_text()) == parse(GOOD)
    with model_server([GOOD]) as server:
        ask(server.url, "--json", "-o", str(out))
    assert json.loads(out.read_text())["phase"] == "strict"


def test_files_are_shown_to_the_model(tmp_path: Path) -> None:
    (tmp_path / "old.py").write_text("was_here = True\n")
    with model_server([GOOD]) as server:
        ask(server.url, "--context", str(tmp_path / "old.py"))
    assert "was_here = True" in server.requests[0].prompt


def test_a_refusal_is_told() -> None:
    with model_server(["I'm sorry, but I can't help with that."]) as server:
        result = ask(server.url)
    assert result.exit_code == 1 and "model-refused" in result.stdout and len(server.requests) == 1
    assert "reply | I'm sorry, but I can't help with that." in result.stdout


def test_a_wrong_key_names_the_variable() -> None:
    with model_server([GOOD], key="another") as server:
        result = ask(server.url)
    assert result.exit_code == 2 and "OPENAI_API_KEY" in result.stderr and "sk-test-1" not in result.output


def test_a_shell_command_answers() -> None:
    code = f"import sys; sys.stdin.read(); sys.stdout.write({GOOD!r})"
    result = run("ask", "-p", "command", "--command", f'"{sys.executable}" -c "{code}"'.replace("\\n", "\\\\n"), "go")
    assert "create  a.py" in result.stdout, result.output


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("ask", "x"), "--provider"),
        (("ask", "-p", "nobody", "x"), "there is no provider 'nobody'"),
        (("ask", "-p", "ollama", "-m", "m", "-f", "v9", "x"), "no dialect is called 'v9'"),
        (("ask", "-p", "ollama", "-m", "m", "-c", "missing.py", "x"), "missing.py"),
        (("ask", "-p", "ollama", "-m", "m", " "), "the request is empty"),
        (("ask", "-p", "ollama", "-m", "m", "--base-url", "http://127.0.0.1:9/v1", "x"), "127.0.0.1:9"),
    ],
)
def test_what_is_wrong_is_said(arguments: tuple[str, ...], told: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2 and told in result.stderr and "Traceback" not in result.output


def test_providers_are_listed() -> None:
    done = run_python("ask", "--list-providers")
    assert done.returncode == 0
    assert {"openai", "anthropic", "ollama", "openrouter", "vllm", "command"} <= {
        line.split()[0] for line in done.stdout.decode().splitlines()
    }


# ---- under a grammar


def test_a_constrained_model_is_sent_the_grammar_of_the_dialect() -> None:
    with model_server(["~ go\n$ run @ ls\n"]) as server:
        result = ask(server.url, "--constrained", "--format", "v1", provider="llama.cpp")
    assert result.exit_code == 0 and "strict, v1" in result.stdout
    assert server.requests[0].body["grammar"] == next(iter(export("gbnf", "v1").values()))


def test_what_a_custom_tool_is_given_is_the_reply() -> None:
    with model_server([GOOD]) as server:
        result = ask(server.url, "--constrained")
    assert result.exit_code == 0 and "strict, v2" in result.stdout
    assert server.requests[0].body["tools"][0]["custom"]["format"]["grammar"]["syntax"] == "lark"


def test_a_constrained_reply_that_was_cut_off_is_continued_freely() -> None:
    """Under the grammar a model could only begin anew."""
    with model_server([Answer(GOOD[:CUT], finish="length"), GOOD[CUT:]]) as server:
        result = ask(server.url, "--constrained", provider="llama.cpp")
    assert result.exit_code == 0 and "create  a.py" in result.stdout
    assert "grammar" in server.requests[0].body and "grammar" not in server.requests[1].body


def test_whoever_takes_no_grammar_is_not_asked(tmp_path: Path) -> None:
    with model_server([GOOD]) as server:
        result = ask(server.url, "--constrained", provider="anthropic")
        assert result.exit_code == 2 and "the provider 'anthropic' takes no grammar" in result.stderr
        nested = tmp_path / "mine.lark"
        nested.write_text("%import .v2\n%extend question: _OPEN question _CLOSE _NL\n")
        result = ask(server.url, "--constrained", "--format", str(nested))
    assert result.exit_code == 2 and "v2.lark" in result.stderr and "cannot keep question" in result.stderr
    assert server.requests == []
