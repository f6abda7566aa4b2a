"""Releases: a tag is checked, and the workflows build what is announced, with pinned actions and few rights."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from repository import ROOT

import symops_lark
from symops_lark.core.former_names import FORMER, REMOVED_IN
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


def test_the_version_that_documents_name_is_this_one() -> None:
    """The checklist of a release says how: the hook of pre-commit, the output of `symops --version`, the steps."""
    version = symops_lark.__version__
    pages = [path.read_text(encoding="utf-8") for path in [*(ROOT / "docs").rglob("*.md"), ROOT / "RELEASING.md"]]
    matches = re.findall(
        r"rev: v([\d.]+)|symops, version ([\d.]+)|check_release\.py v([\d.]+)|symops-lark==([\d.]+)", "".join(pages)
    )
    assert len(matches) >= 4
    assert {"".join(words) for words in matches} == {version}


def test_everything_that_is_installed_for_users_has_an_upper_bound() -> None:
    """What a new major version of a library breaks is found by the weekly build, not by users."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    requirements = [*project["dependencies"], *(line for lines in extras.values() for line in lines)]
    libraries = [line for line in requirements if not line.startswith("symops-lark[")]
    assert [line for line in libraries if "==" not in line and not re.search(r">=[\d.]+,<\d", line)] in (
        [],
        ["types-PyYAML"],
    )
    assert {"distributed", "numpy", "xllamacpp"} <= {re.split("[<>=[]", line)[0] for line in libraries}


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


def steps_of(job: str) -> str:
    """Return the steps of a job of the release, as text."""
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8"))
    return yaml.safe_dump(workflow["jobs"][job])


def test_a_release_is_built_once_and_published_with_proofs_of_its_origin() -> None:
    assert "tools/check_release.py" in steps_of("build") and "SOURCE_DATE_EPOCH" in steps_of("build")
    assert "symops doctor" in steps_of("build")
    assert "attestations: true" in steps_of("pypi") and "id-token: write" in steps_of("pypi")
    assert (
        "npm publish" in steps_of("npm") and "--provenance" in steps_of("npm") and "id-token: write" in steps_of("npm")
    )
    assert "attest-build-provenance" in steps_of("github") and "--verify-tag" in steps_of("github")
    # No job that publishes builds: each takes what `build` has built.
    assert all("python -m build" not in steps_of(job) for job in ("pypi", "npm", "github"))


# ---- deprecations


@pytest.mark.slow
def test_every_former_name_warns_and_names_the_version_of_its_removal(tmp_path: Path) -> None:
    """In one process: modules by `FORMER`, members of folders by their `_FORMER`, and `Forms`."""
    folders = [path.parent for path in (ROOT / "symops_lark").rglob("__init__.py") if "_FORMER = (" in path.read_text()]
    members = []
    for folder in folders:
        name = ".".join(folder.relative_to(ROOT).parts)
        members += [f"{name}:{member}" for member in vars(__import__(name, fromlist=["x"]))["_FORMER"]]
    assert len(FORMER) > 100 and len(members) > 10
    names = [*(f"symops_lark.{name}" for name in FORMER), *members, "symops_lark:Forms"]
    script = tmp_path / "use.py"
    script.write_text(
        "import importlib, sys, warnings\n"
        "for name in sys.argv[1:]:\n"
        "    module, _, member = name.partition(':')\n"
        "    with warnings.catch_warnings(record=True) as caught:\n"
        "        warnings.simplefilter('always')\n"
        "        loaded = importlib.import_module(module)\n"
        "        member and getattr(loaded, member)\n"
        "    for warning in caught:\n"
        "        if warning.category is DeprecationWarning:\n"
        "            print(warning.message)\n"
        "    assert not member or caught[-1].filename == __file__, caught[-1].filename\n"
    )
    # The longest first: a module before the folder that took its place.
    names.sort(key=len, reverse=True)
    done = subprocess.run([sys.executable, script, *names], cwd=ROOT, capture_output=True, text=True, check=True)
    message = re.compile(rf"(\S+) is now symops_lark\.[\w.]+; version {re.escape(REMOVED_IN)} removes the former name")
    matchs = [message.fullmatch(line) for line in done.stdout.splitlines()]
    assert {match[1] for match in matchs if match} == {name.replace(":", ".") for name in names}
    assert all(matchs)


def calls_of_warn(path: Path) -> Iterator[ast.Call]:
    """Yield the calls in a file that give a deprecation warning."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and any(map(is_deprecation, node.args)):
            yield node


def is_deprecation(argument: ast.expr) -> bool:
    return isinstance(argument, ast.Name) and argument.id == "DeprecationWarning"


@pytest.mark.slow
def test_deprecation_warnings_come_from_one_function() -> None:
    sources = [path for path in (ROOT / "symops_lark").rglob("*.py") if [*calls_of_warn(path)]]
    assert [path.name for path in sources] == ["former_names.py"]
    assert len([*calls_of_warn(sources[0])]) == 1


def number(version: str) -> tuple[int, ...]:
    """Return the major and the minor version."""
    return tuple(int(part) for part in version.split(".")[:2])


def test_what_a_version_removes_is_gone() -> None:
    assert number(symops_lark.__version__) < number(REMOVED_IN), "remove the former names, then their module"
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    deprecated = changelog.split("### Deprecated\n")[1].split("\n### ")[0]
    assert REMOVED_IN in deprecated


def test_the_changelog_has_one_order_and_no_entry_twice() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    order = ["Upgrade", "Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]
    for release in text.split("\n## ")[1:]:
        kinds = re.findall(r"^### (.*)$", release, re.MULTILINE)
        assert kinds == [kind for kind in order if kind in kinds], release.partition("\n")[0]
        headings = re.findall(r"^#### (.*)$", release, re.MULTILINE)
        assert len(headings) == len(set(headings))
    entries = re.findall(r"^- (.*?)(?=^- |^#|\Z)", text, re.MULTILINE | re.DOTALL)
    texts = [" ".join(entry.split()) for entry in entries]
    assert [entry for entry in texts if texts.count(entry) > 1] == []
    # A line that begins with two blanks and no entry before it is the rest of a merge.
    assert not re.search(r"^(?:#.*)?\n  \S", text, re.MULTILINE)
