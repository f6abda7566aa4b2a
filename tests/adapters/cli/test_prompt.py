"""`symops prompt`: what it prints, what it says of prompts of others, and how it fails."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import GOOD, run, run_python

from symops_lark import PromptBuilder, derive, dialects, system_prompt


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text("x = 1\n")
    (tmp_path / "big.py").write_text("".join(f"x_{number} = {number}\n" for number in range(500)))
    (tmp_path / "b.bin").write_bytes(b"\0\xff")
    (tmp_path / "good.md").write_text(f"So:\n\n{GOOD.replace(', c.py', '')}")
    (tmp_path / "bad.md").write_text("So:\n\n::create @a.py\n<\nx\n>>>\n")
    return tmp_path


# ---- printing


def test_the_request_comes_from_arguments_or_standard_input(folder: Path) -> None:
    expected = PromptBuilder("v2").build_prompt("Write a parser")
    for result in (
        run("prompt", "Write a parser"),
        run("prompt", "Write", "a", "parser"),
        run("prompt", stdin="Write a parser\n"),
        run("prompt", "-", stdin="Write a parser"),
    ):
        assert (result.exit_code, result.stderr, result.stdout) == (0, "", expected)


@pytest.mark.parametrize("name", dialects())
def test_every_dialect_has_a_prompt_that_is_clean(name: str, folder: Path) -> None:
    assert run("prompt", "--system", "-f", name).stdout == system_prompt(name)
    for item in ((), ("--json",), ("--no-examples",), ("--context", "big.py", "--context", "bad.md")):
        (folder / "made.txt").write_text(run("prompt", "-f", name, *item, "Do it").stdout)
        result = run("prompt", "--lint", "-f", name, "made.txt")
        assert (result.exit_code, result.stdout.startswith("made.txt: no findings in ")) == (0, True), result.stdout


def test_a_dialect_by_path(folder: Path) -> None:
    (folder / "mine.lark").write_text(derive("v2", {"_ACTION": '"%%"', "_VITAL": '"%%"'}))
    output = run("prompt", "-f", "mine.lark", "--system").stdout
    assert "%%create @src/slug.py" in output and "::" not in output
    printed = run("prompt", "-f", "mine.lark", "--lint", "good.md").stdout
    assert "hint: `symops convert --format v2 --to mine.lark` rewrites it" in printed


def test_messages(folder: Path) -> None:
    value = json.loads(run("prompt", "--json", "--context", "a.py", "Do it").stdout)
    assert value == PromptBuilder("v2").messages("Do it", {"files": {"a.py": "x = 1\n"}})
    assert json.loads(run("prompt", "--json", "--system").stdout) == [{"role": "system", "content": system_prompt()}]
    assert [m["role"] for m in json.loads(run("prompt", "--json", "--no-examples", "x").stdout)] == ["system", "user"]


def test_no_examples() -> None:
    assert "<reply>" not in run("prompt", "--no-examples", "Do it").stdout
    assert run("prompt", "--no-examples", "--system").stdout == system_prompt(include_examples=False)


def test_the_budget_is_kept_and_what_is_missing_is_told(folder: Path) -> None:
    files = ("-c", "a.py", "-c", "big.py", "-c", "b.bin")
    result = run("prompt", *files, "--budget", "400", "--encoding", "estimate", "Do it")
    assert result.exit_code == 0
    cut, binary = result.stderr.split("\n")[:2]
    assert cut.startswith("symops: big.py: cut, only lines 1 to ")
    assert cut.endswith(" (budget 400 tokens, estimate)")
    assert binary == "symops: b.bin: binary, so it is not shown (budget 400 tokens, estimate)"
    assert "x_499" not in result.stdout and '<file path="a.py">\nx = 1\n</file>' in result.stdout
    assert "x_499" in run("prompt", "-c", "big.py", "--budget", "100000", "Do it").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-c", "missing.py", "x"), "symops: missing.py: cannot be read: No such file or directory\n"),
        (("-c", ".", "x"), "symops: .: this is a folder, not a file\n"),
        (("-c", "a\0b", "x"), "symops: 'a\\x00b': cannot be read: embedded null byte\n"),
        (("-c", "a.py", "--budget", "2", "x"), "symops: a budget of 2 tokens is too small: the names of 1 file alone"),
        (("--budget", "0", "x"), "symops: Invalid value for '--budget': 0 is not in the range x>=1."),
        (("--budget", "9", "--encoding", "x", "y"), "symops: no encoding is called 'x'; installed: "),
        (("--encoding", "estimate", "y"), "symops: --encoding says how tokens are counted: it needs --budget"),
        (("-f", "v9", "x"), "symops: no dialect is called 'v9'"),
        (("-f", "broken.lark", "x"), "symops: broken.lark:1:11: the grammar cannot be compiled"),
        (("-f", "auto", "x"), "symops: no dialect is called 'auto'"),
        ((" ",), "symops: the request is empty"),
        (("--system", "x"), "symops: --system prints the system prompt alone; it has no use for REQUEST"),
        (("--system", "-c", "a.py"), "symops: --system prints the system prompt alone; it has no use for --context"),
        (("--lint", "--no-examples", "a.py"), "symops: --lint reads prompts; it has no use for --no-examples"),
        (("--lint", "--allow", ".env", "a.py"), "symops: --lint reads prompts; it has no use for --allow"),
        (("--system", "--allow", ".env"), "symops: --system prints the system prompt alone; it has no use for --allow"),
        (("--lint", "--system", "a.py"), "symops: --lint reads prompts; it has no use for --system"),
        (("--lint", "missing.md"), "symops: missing.md: cannot be read: No such file or directory\n"),
    ],
)
def test_what_people_do_wrong(folder: Path, arguments: tuple[str, ...], message: str) -> None:
    (folder / "broken.lark").write_text("document: ][\n")
    result = run("prompt", *arguments)
    assert result.exit_code == 2 and result.stdout == ""
    assert result.stderr.startswith(message), result.stderr


@pytest.mark.slow
def test_bytes_come_out_as_utf8() -> None:
    python = run_python("prompt", "日本語で", PYTHONIOENCODING="ascii")
    assert python.returncode == 0 and "日本語で".encode() in python.stdout


# ---- lint


def test_lint_draws_findings(folder: Path) -> None:
    result = run("prompt", "--lint", "bad.md", "good.md")
    assert result.exit_code == 1
    assert result.stdout == (
        "bad.md:4:1: error: this example is not strict v2: this line is no section: "
        "it does not begin with a mark [stray-text]\n"
        "    4 | <\n"
        "      | ^\n"
        "        expected: !, ::, ::c0.9, >>, ?, a block <<< … >>>\n"
        "        hint: it would be: <<<\n"
        "bad.md: 1 finding in 1 example (v2)\n"
        "good.md: no findings in 1 example (v2)\n"
    )


def test_lint_of_standard_input_as_json(folder: Path) -> None:
    result = run("prompt", "--lint", "--json", stdin=(folder / "bad.md").read_text())
    value = json.loads(result.stdout)
    assert result.exit_code == 1 and value["examples"] == 1 and not value["clean"] and value["dialect"] == "v2"
    [finding] = value["diagnostics"]
    assert finding["code"] == "stray-text" and finding["span"]["line"] == 4
    both = json.loads(run("prompt", "--lint", "--json", "good.md", "bad.md").stdout)
    assert [(item["file"], item["clean"]) for item in both] == [("good.md", True), ("bad.md", False)]


def test_lint_asks_for_one_dialect(folder: Path) -> None:
    assert run("prompt", "--lint", "good.md").exit_code == 0
    result = run("prompt", "--lint", "-f", "v1", "good.md")
    assert result.exit_code == 1 and "this example is v2, not v1 [stale-mark]" in result.stdout
