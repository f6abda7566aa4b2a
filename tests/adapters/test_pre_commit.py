"""The hooks for pre-commit: their manifest is valid for pre-commit itself, which runs each on good and bad files."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent.parent
MANIFEST = ROOT / ".pre-commit-hooks.yaml"
HOOKS: dict[str, dict[str, Any]] = {hook["id"]: hook for hook in yaml.safe_load(MANIFEST.read_text("utf-8"))}
GOOD, BROKEN = "::create @a.py\n<<<\nx = 1\n>>>\n", "::Create @a.py\n<<<\nx = 1\n>>>\n"
PROMPT = "Write:\n\n~~~\n{}~~~\n"
RULE = (ROOT / "repair_rules" / "symbols" / "capital-verb.yaml").read_text("utf-8").replace("capital-verb", "own-verb")
CASES = {
    "symops-check": ("a.symops", GOOD, BROKEN),
    "symops-fix": ("a.symops", GOOD, BROKEN),
    "symops-prompt-lint": ("prompts/a.md", PROMPT.format(GOOD), PROMPT.format(GOOD.replace("<<<", "--"))),
    "symops-rules-test": ("own/own-verb.yaml", RULE, RULE.replace("::create", "::CREATE")),
}


def pre_commit(*words: str, cwd: Path, tmp: Path) -> subprocess.CompletedProcess[str]:
    (tmp / "bin").mkdir(exist_ok=True)
    (tmp / "bin" / "symops").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m symops_lark "$@"\n')
    (tmp / "bin" / "symops").chmod(0o755)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | {
        "PATH": f"{tmp / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "PRE_COMMIT_HOME": str(tmp / "cache"),
        "HOME": str(tmp),
    }
    command = [sys.executable, "-m", "pre_commit", *words]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.slow
def test_hooks_pass_good_files_and_stop_bad_ones(tmp_path: Path) -> None:
    """As `language: system`, since an environment of its own would be installed from a network."""
    assert shutil.which("git") and set(CASES) == set(HOOKS)
    done = pre_commit("validate-manifest", str(MANIFEST), cwd=ROOT, tmp=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    hooks = [hook | {"language": "system"} for hook in HOOKS.values()]
    hooks[-1]["args"] = ["--rules", "own"]
    work = tmp_path / "work"
    work.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=work, check=True)
    (work / ".pre-commit-config.yaml").write_text(yaml.safe_dump({"repos": [{"repo": "local", "hooks": hooks}]}))
    for bad in (False, True):
        for name, *texts in CASES.values():
            (work / name).parent.mkdir(exist_ok=True)
            (work / name).write_text(texts[bad], encoding="utf-8")
        subprocess.run(["git", "add", "-A"], cwd=work, check=True)
        done = pre_commit("run", "--all-files", "--verbose", cwd=work, tmp=tmp_path)
        passed = [line for line in done.stdout.splitlines() if line.endswith(("Passed", "Failed"))]
        assert [line.rsplit(".", 1)[-1] for line in passed] == ["Failed" if bad else "Passed"] * len(HOOKS), done.stdout
    assert (work / "a.symops").read_text(encoding="utf-8") == GOOD, "the hook that repairs has written it"
