"""Contents of edits with their results: the cases of `cases.yaml`, and the examples of each notation."""

from __future__ import annotations

from collections import Counter
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

import pytest
import yaml

import symops_lark
from symops_lark.core import edits
from symops_lark.core.edits import Edited, Refusal, edit_text, kind_of, show_anchors
from symops_lark.core.edits.reading import READERS, notation_modules
from symops_lark.core.patterns.regexes import compile_linear

TABLE = yaml.safe_load((Path(__file__).parent / "cases.yaml").read_text(encoding="utf-8"))
CASES: list[dict[str, Any]] = TABLE["cases"]
EXAMPLES: dict[str, list[dict[str, Any]]] = yaml.safe_load(
    (Path(__file__).parent / "examples.yaml").read_text(encoding="utf-8")
)


def old_text(case: dict[str, Any]) -> str | None:
    if case.get("file") == "none":
        return None
    text: str = TABLE["files"][case["file"]] if "file" in case else case["old"]
    return text


@pytest.mark.parametrize("case", CASES, ids=[case["case"] for case in CASES])
def test_case(case: dict[str, Any]) -> None:
    old, path = old_text(case), case.get("path", "a.py")
    result = edit_text(old, case["content"], path)
    assert kind_of(case["content"], path, old or "") == case["kind"] == result.kind
    if "refused" in case:
        assert isinstance(result, Refusal)
        assert (result.reason, list(result.places)) == (case["refused"], case.get("places", []))
        return
    assert isinstance(result, Edited)
    assert case.get("text", result.text) == result.text
    if case.get("asks") is True:
        assert result.doubts
    else:
        assert result.doubts[:1] == ((case["asks"],) if "asks" in case else ())


def test_the_cases_have_different_names_and_all_kinds() -> None:
    assert len({case["case"] for case in CASES}) == len(CASES) >= 162
    kinds = Counter(case["kind"] for case in CASES)
    assert set(kinds) == {"whole text", *(reader.kind for reader in READERS)}
    assert min(kinds.values()) >= 2


@pytest.mark.parametrize(
    ("kind", "example"), [(kind, example) for kind, examples in EXAMPLES.items() for example in examples]
)
def test_example_of_a_notation(kind: str, example: dict[str, Any]) -> None:
    result = edit_text(example["old"], example["content"], example.get("path", "a.py"))
    if example["new"] is None:
        assert isinstance(result, Refusal) and result.kind == kind and result.reason and result.hint
    else:
        assert isinstance(result, Edited)
        assert (result.text, bool(result.doubts)) == (example["new"], example.get("asks", False))
        assert result.kind == kind or result.doubts


def test_each_notation_has_examples_of_both_ends() -> None:
    for module in notation_modules():
        examples = EXAMPLES[module.KIND]
        outcomes = {example["new"] is None for example in examples if kind_of(example["content"], "", example["old"])}
        assert len(examples) >= 2 and (outcomes == {True, False} or hasattr(module, "read_against")), module
    assert len({reader.rank for reader in READERS}) == len(READERS) == len({reader.kind for reader in READERS})


def test_patterns_take_linear_time() -> None:
    """RE2 reads each pattern: it has neither look-around nor references to groups."""
    patterns = set()
    for item in walk_packages(edits.__path__, f"{edits.__name__}."):
        if item.name.endswith(".left_out"):
            continue  # its two boundaries of words look around; it reads 300 characters of a line
        values = [getattr(value, "pattern", None) for value in vars(import_module(item.name)).values()]
        patterns |= {value for value in values if isinstance(value, str)}
    assert len(patterns) >= 40
    for pattern in patterns:
        compile_linear(pattern)


def test_public_names() -> None:
    assert symops_lark.edits is edits
    assert symops_lark.edit_text is edit_text and symops_lark.edits.kind_of is kind_of
    assert set(edits.__all__) <= {name for name in edits.__all__ if hasattr(edits, name)}


def test_anchors_are_shown_with_their_lines() -> None:
    assert show_anchors("a\nb\n") == "1:swz|a\n2:aur|b\n"
    assert show_anchors("\ufeffa\r\nb", 7).split("|")[0] == "7:swz"
    lines = [f"row {number}" for number in range(40)]
    output = show_anchors("\n".join(lines)).splitlines()
    assert [line.partition("|")[2] for line in output] == lines
    assert len({line.partition("|")[0].partition(":")[2] for line in output}) == 40
