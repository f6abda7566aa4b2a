"""`symops doctor` and `symops completion`: what a new user runs first."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from command_line import run

from symops_lark.adapters.cli.machine import checks

KEY = "sk-never-printed"


def findings() -> tuple[int, dict[tuple[str, str], tuple[str, str]]]:
    done = run("doctor", "--json")
    rows = json.loads(done.stdout)
    assert rows["ok"] is (done.exit_code == 0)
    return done.exit_code, {(row["group"], row["name"]): (row["state"], row["detail"]) for row in rows["findings"]}


@pytest.mark.slow
def test_a_sound_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    code, result = findings()
    assert code == 0
    assert result["reading", "a broken reply"][0] == result["extras", "structured"][0] == "ok"
    assert result["folders", "cache"] == ("ok", str(tmp_path / "cache" / "symops-lark"))
    assert result["keys", "openai"] == ("ok", "OPENAI_API_KEY")
    assert result["keys", "anthropic"] == ("missing", "ANTHROPIC_API_KEY")
    assert {group for group, _ in result} == {"package", "extras", "programs", "folders", "keys", "terminal", "reading"}
    printed = run("doctor")
    assert printed.exit_code == 0 and printed.stdout.endswith("nothing is broken\n")
    assert KEY not in printed.output + str(result)


@pytest.mark.slow
def test_a_folder_that_cannot_be_written_is_broken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    code, result = findings()
    assert code == 1 and result["folders", "cache"][0] == "broken"
    assert result["folders", "cache"][1].endswith("is not writable: make it writable, or set XDG_CACHE_HOME")
    assert "1 broken: see above" in run("doctor").stdout


@pytest.mark.slow
def test_what_is_missing_is_optional(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    versions = checks._find_version
    monkeypatch.setattr(checks, "_find_version", lambda name: "" if name in ("google-re2", "mcp") else versions(name))
    code, result = findings()
    assert code == 0
    state, detail = result["extras", "mcp"]
    assert state == "missing" and re.fullmatch(r"pip install (-e )?'?.+\[mcp\]'?", detail)
    assert ("extras", "bench") in result
    assert {result["programs", name][0] for name in ("rg", "node", "sandbox")} == {"missing"}
    assert result["package", "google-re2"][0] == "missing"


@pytest.mark.parametrize(
    ("origin", "requirement"),
    [
        (None, "'symops-lark[mcp]'"),
        ('{"url": "https://example.org/x.whl", "archive_info": {}}', "'symops-lark[mcp]'"),
        ('{"url": "file://FOLDER", "dir_info": {}}', "'FOLDER[mcp]'"),
        ('{"url": "file://FOLDER", "dir_info": {"editable": true}}', "-e 'FOLDER[mcp]'"),
        ('{"url": "file:///nowhere/at/all", "dir_info": {}}', "'symops-lark[mcp]'"),
        ("[]", "'symops-lark[mcp]'"),
    ],
)
def test_an_extra_comes_from_where_the_package_came_from(
    origin: str | None, requirement: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = origin and origin.replace("FOLDER", str(tmp_path))
    monkeypatch.setattr("importlib.metadata.distribution", lambda name: SimpleNamespace(read_text=lambda file: text))
    assert checks._written_extra("mcp") == requirement.replace("FOLDER", str(tmp_path))


def test_a_wrong_reading_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "_REPLY", "::create @other.py\n<<<\n>>>\n")
    code, result = findings()
    assert code == 1 and result["reading", "a broken reply"] == ("broken", "it was read wrongly: reinstall")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_completion_script_names_the_command(shell: str) -> None:
    done = run("completion", shell)
    assert done.exit_code == 0 and "_SYMOPS_COMPLETE" in done.stdout and "symops" in done.stdout


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("symops pro", {"process", "prompt"}),
        ("symops process --format v2", {"v2", "v2_1"}),
        ("symops process -f qwen", {"qwen_xml"}),
        ("symops bench run -f v1,pla", {"v1,plain"}),
        ("symops bench run -s local", {"local-model"}),
        ("symops bench run -t csv", {"csv-cleaner"}),
        ("symops ask -p anth", {"anthropic"}),
        ("symops do -p anth", {"anthropic"}),
    ],
)
def test_values_are_completed(line: str, words: set[str]) -> None:
    """As bash asks for them: the words of the line, and the number of the last one."""
    parts = line.split()
    request = {"_SYMOPS_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(len(parts) - 1)}
    code = "from symops_lark.adapters.cli import symops; symops.main(prog_name='symops')"
    done = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | request, capture_output=True, text=True, check=False
    )
    rows = [row.partition(",")[::2] for row in done.stdout.splitlines()]
    assert words <= {value for kind, value in rows if kind == "plain"}, done.stdout + done.stderr
