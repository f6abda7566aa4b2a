"""The guides for contributors: every registry is described, and every path and name in them exists."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
from all_registries import REGISTRIES
from repository import ROOT

CONTRIBUTING = "CONTRIBUTING.md"
HEADING = re.compile(r"^## (To .*)$", re.MULTILINE)
CODE = re.compile(r"`([^`]+)`")
REGISTRY = re.compile(r"registry \*([^*]+)\*")
# `NAME` in `path`, and several names: `ONE`, `TWO` or `THREE` in `path`.
NAMES_IN_A_FILE = re.compile(r"((?:`\w+`(?:,? (?:and|or) |, ))*`\w+`) (?:in|of) `([\w./-]+\.\w+)`")
SUFFIXES = (".js", ".json", ".lark", ".md", ".py", ".scm", ".toml", ".yaml")
PLACEHOLDER = "NAME"  # stands for a file of the reader: there must be others beside it


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def find_guides() -> list[str]:
    """Return each README of the package, and each one elsewhere that says how to add something."""
    paths = [*(ROOT / "symops_lark").rglob("README.md")]
    for folder in ("benchmarks", "docs", "examples", "grammars", "repair_rules", "tests"):
        pages = (ROOT / folder).rglob("README.md")
        paths += [path for path in pages if HEADING.search(path.read_text(encoding="utf-8"))]
    return sorted(path.relative_to(ROOT).as_posix() for path in paths)


GUIDES = find_guides()


def sections(text: str) -> dict[str, str]:
    """Return the sections that begin with "To", by their headings."""
    parts = re.split(r"^## (.*)$", text, flags=re.MULTILINE)
    return {heading: body for heading, body in zip(parts[1::2], parts[2::2], strict=True) if heading.startswith("To ")}


def checked_text(name: str) -> str:
    """Return what a guide says about this repository: all of it, or its sections if the page has another subject."""
    text = re.sub(r"^```.*?^```$", "", read(name), flags=re.MULTILINE | re.DOTALL)
    if name == CONTRIBUTING or text.startswith("# Add to "):
        return text
    return "\n".join(sections(text).values())


# ---- the table


def linked_guides(text: str) -> list[str]:
    """Return the guides that the rows of the table link, in their order."""
    rows = [line for line in text.split("\n") if line.startswith("| ")]
    return [link for row in rows for link in re.findall(r"\]\(([^)]*README\.md)\)", row)]


def test_the_table_links_each_guide_once() -> None:
    assert sorted(linked_guides(read(CONTRIBUTING))) == GUIDES
    assert len(GUIDES) > 10
    without = re.sub(r"^\| .*grammars/README.*\n", "", read(CONTRIBUTING), flags=re.MULTILINE)
    assert sorted(linked_guides(without)) == [name for name in GUIDES if name != "grammars/README.md"]


def test_a_row_names_the_folder_of_its_guide() -> None:
    for row in re.findall(r"^\| `.*$", read(CONTRIBUTING), re.MULTILINE):
        assert linked_guides(row) == [CODE.findall(row)[0] + "README.md"], row


def test_a_guide_leads_back() -> None:
    for name in GUIDES:
        if read(name).startswith("# Add to "):
            assert re.search(r"\[CONTRIBUTING\.md\]\((?:\.\./)+CONTRIBUTING\.md\)", read(name)), name


# ---- the sections


def unproved(text: str) -> list[str]:
    """Return the headings of sections that name no test, no command and no case that proves what was added."""
    results = []
    for heading, body in sections(text).items():
        proof = body.partition("\nProof: ")[2]
        if not re.search(r"`(?:(?:pytest )?tests/|symops )", proof):
            results.append(heading)
    return results


@pytest.mark.parametrize("name", GUIDES)
def test_a_section_says_what_proves_the_new_member(name: str) -> None:
    assert sections(read(name))
    assert unproved(read(name)) == []


def test_a_section_without_a_proof_is_noticed() -> None:
    text = "## To add a\n\nWrite `a.py`.\n\n## To add b\n\nProof: look.\n\n## Other\n"
    assert unproved(text) == ["To add a", "To add b"]


# ---- registries


def test_every_registry_is_described_and_no_other() -> None:
    described = [name for guide in GUIDES for name in REGISTRY.findall(" ".join(checked_text(guide).split()))]
    assert sorted({*described}) == sorted(registry.name for registry in REGISTRIES)


# ---- paths


def missing_paths(text: str) -> list[str]:
    """Return what a text puts between backquotes that looks like a path or a module, and does not exist."""
    missing = []
    for code in CODE.findall(text):
        words = code.split()
        for word in words:
            is_path = "/" in word if len(words) > 1 else "/" in word or word.endswith(SUFFIXES)
            if is_path and re.fullmatch(r"[\w./-]+", word) and not exists(word):
                missing.append(word)
        if "-m" in words and find_spec(words[words.index("-m") + 1]) is None:
            missing.append(code)
    return missing


def exists(path: str) -> bool:
    if PLACEHOLDER in path:
        return any(ROOT.glob(path.replace(PLACEHOLDER, "*")))
    return (ROOT / path).is_dir() if path.endswith("/") else (ROOT / path).is_file()


@pytest.mark.parametrize("name", [CONTRIBUTING, *GUIDES])
def test_every_path_exists(name: str) -> None:
    assert CODE.findall(checked_text(name))
    assert missing_paths(checked_text(name)) == []


def test_a_missing_path_is_noticed() -> None:
    assert missing_paths("`grammars/NAME.lark` and `tests/` and `README.md` and `named=True` and `symops x a.py`") == []
    texts = ("grammars/NAME.lrk", "grammar/", "policy.py", "tests/support", "python -m benchmarks.nothing")
    for code in texts:
        assert missing_paths(f"see `{code}`") == [code]
    assert missing_paths("`pytest tests/test_nothing.py --accept`") == ["tests/test_nothing.py"]


# ---- names


@cache
def defined_names(path: str) -> frozenset[str]:
    """Return the functions, classes, methods and variables that a module of Python or JavaScript defines."""
    text = read(path)
    if path.endswith(".js"):
        return frozenset(re.findall(r"\b(?:class|const|function|let)\s+(\w+)", text))
    names: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return frozenset(names)


def named_in_files(text: str) -> list[tuple[str, str]]:
    """Return each name that a text gives together with its module, and the module."""
    results = []
    for names, path in NAMES_IN_A_FILE.findall(" ".join(text.split())):
        if path.endswith((".js", ".py")):
            results += [(name, path) for name in CODE.findall(names)]
    return results


def undefined_names(text: str) -> list[tuple[str, str]]:
    return [(name, path) for name, path in named_in_files(text) if name not in defined_names(path)]


@pytest.mark.parametrize("name", [CONTRIBUTING, *GUIDES])
def test_every_name_is_defined_in_its_file(name: str) -> None:
    assert undefined_names(checked_text(name)) == []


def test_names_are_given_with_their_files() -> None:
    assert sum(len(named_in_files(checked_text(name))) for name in GUIDES) > 60


def test_an_undefined_name_is_noticed() -> None:
    path = "symops_lark/acting/plan/policy.py"
    assert named_in_files(f"`Policy`, `a`\nor `b`\nin `{path}`") == [("Policy", path), ("a", path), ("b", path)]
    assert undefined_names(f"`Policy`, `a` or `decide_change` in `{path}`") == [("a", path)]
    assert undefined_names("`VIEWS` of `symops_lark/lab/playground/page/views.js`") == []


@pytest.mark.slow
def test_a_run_of_the_tests_ends_with_the_reasons_of_skipped_ones(tmp_path: Path) -> None:
    body = (
        "import pytest\n\n@pytest.mark.parametrize('n', [1, 2])\ndef test_it(n):\n    pytest.skip('there is no moon')\n"
    )
    (tmp_path / "test_moon.py").write_text(body)
    command = [sys.executable, "-m", "pytest", "-p", "conftest", "-p", "no:cacheprovider", str(tmp_path)]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(str, (ROOT, ROOT / "tests", ROOT / "tests/support"))),
    }
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert "why tests were skipped" in done.stdout and "2 × there is no moon" in done.stdout, done.stdout + done.stderr
