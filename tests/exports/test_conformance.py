"""A conformance suite uses each part of the tables, and parsers of three runtimes pass it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from highlighters import exported
from mutated_documents import is_valid, mutated_documents
from portable_runtime import run_cases, run_cases_in_browser

from benchmarks.exports._chromium import chromium
from symops_lark import dialects, portable_tables
from symops_lark.core.grammar.loading import load_grammar
from symops_lark.exports.portable.tracer import Tracer
from symops_lark.exports.python import module_name


def add_wrong_case(files: dict[str, str], most: int | None = None) -> dict[str, str]:
    """Return a suite with a case before the first ones that no parser passes."""
    first, *rows = files["cases.jsonl"].splitlines(keepends=True)
    changed = {**json.loads(first), "text": ">> another text\n"}
    return {**files, "cases.jsonl": json.dumps(changed) + "\n" + "".join([first, *rows][:most])}


@pytest.mark.slow
@pytest.mark.alike(3)
@pytest.mark.parametrize("name", dialects())
def test_parsers_pass_the_cases(name: str, tmp_path: Path) -> None:
    files = exported("conformance", name)
    count = files["cases.jsonl"].count("\n")
    assert run_cases(files, name) == f"{count} of {count} cases passed\n"
    for file, text in {**files, **exported("python", name)}.items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    parser = f"{module_name(load_grammar(name))}.py"
    command = [sys.executable, "-I", "-S", "run.py", parser]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False)
    assert done.stdout == f"{count} of {count} cases passed\n", done.stderr


@pytest.mark.slow
@pytest.mark.alike(4)
@pytest.mark.parametrize("name", ["v1", "v2", "v2_1", "plain"])
def test_a_browser_passes_the_cases_and_no_other(name: str) -> None:
    if chromium() is None:
        pytest.skip("Chromium is not installed: there is no `chromium` on the path")
    files = exported("conformance", name)
    count = files["cases.jsonl"].count("\n")
    assert run_cases_in_browser(add_wrong_case(files), name) == f"{count} of {count + 1} cases passed"


@pytest.mark.slow
def test_each_case_takes_a_transition_and_valid_texts_take_few_others() -> None:
    tracer = Tracer(portable_tables("v2"))
    transitions: set[tuple[object, ...]] = set()
    for row in exported("conformance", "v2")["cases.jsonl"].splitlines():
        fresh = tracer.trace(json.loads(row)["text"]) - transitions
        assert fresh, row
        transitions |= fresh
    dialect = load_grammar("v2")
    texts = [text for text in mutated_documents(dialect, 400, seed=9) if is_valid(text, dialect)]
    assert len(texts) > 100
    remaining: set[tuple[object, ...]] = set()
    for text in texts:
        remaining |= tracer.trace(text)
    # No finite suite has the moves of all texts; one in twenty may be missing.
    assert len(remaining - transitions) < len(remaining) / 20


@pytest.mark.slow
@pytest.mark.parametrize("runner", ["run.mjs", "run.py"])
def test_a_wrong_expectation_is_noticed(runner: str, tmp_path: Path) -> None:
    broken = add_wrong_case(exported("conformance", "v2"), most=5)
    if runner == "run.mjs":
        with pytest.raises(AssertionError, match="another text"):
            run_cases(broken, "v2")
    for file, text in {**broken, **exported("python", "v2")}.items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "run.py", "symops_v2.py"], cwd=tmp_path, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 1
    assert "another text" in done.stderr
