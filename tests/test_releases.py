"""Releases: a tag is checked, and the workflows build what is announced, with pinned actions and few rights."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from repository import ROOT

from tools.check_release import find_problems


def test_a_release_is_checked(tmp_path: Path) -> None:
    version = tmp_path / "symops_lark" / "core" / "ground" / "version.py"
    version.parent.mkdir(parents=True)
    version.write_text('__version__ = "0.9.0"\n')
    changelog = tmp_path / "CHANGELOG.md"
    changelog.write_text("# Changelog\n\n## [Unreleased]\n\n## [0.9.0] - 2026-12-01\n\n- New.\n")
    assert list(find_problems("v0.9.0", tmp_path)) == []
    assert len(list(find_problems("v0.9.1", tmp_path))) == 2
    changelog.write_text("# Changelog\n\n## [Unreleased]\n\n- Left.\n\n## [0.9.0] - 2026-12-01\n\n- New.\n")
    assert list(find_problems("v0.9.0", tmp_path)) == [
        "CHANGELOG.md: move the entries below `## [Unreleased]` to the release"
    ]


WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_pin_actions_and_grant_little(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    uses = re.findall(r"uses: (.+)$", text, re.MULTILINE)
    assert uses and all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", use) for use in uses), uses
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] == {}
    for job in workflow["jobs"].values():
        assert "permissions" in job and job["timeout-minutes"] <= 60
    # What a job calls must be here: a target of make, a script, a test.
    targets = re.findall(r"\bmake ([a-z]+)", text)
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert all(f"\n{target}:" in makefile for target in targets)
    files = re.findall(r"\b((?:tests|tools|examples)/[\w./-]+)", text)
    assert all((ROOT / file).exists() for file in files), files


def test_workflows_cover_every_python_that_is_announced() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    announced = [word.rpartition(" ")[2] for word in project["classifiers"] if re.search(r":: 3\.\d+$", word)]
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "test.yml").read_text(encoding="utf-8"))
    assert workflow["jobs"]["test"]["strategy"]["matrix"]["python"] == announced
