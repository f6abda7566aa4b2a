"""No pattern of the package can be kept busy: `re` tries every division of a text, and replies are hostile."""

from __future__ import annotations

import importlib
import pkgutil
import re
from pathlib import Path
from types import ModuleType

import pytest
from pattern_traps import after_any_text, find_traps, to_its_end

import symops_lark
from symops_lark.core.formats.loading import all_sections

# Methods that take a beginning or a part of a text: a pattern that ends with a repetition cannot fail there.
_PARTIAL = r"{}\.(?:match|search|finditer|findall|sub|split)\("
# Methods that begin at each place of a text.
_SEARCH = r"{}\.(?:search|finditer|findall|sub|split)\("


def modules() -> list[ModuleType]:
    """Return all modules of the package that the installed libraries allow."""
    result = [symops_lark]
    for row in pkgutil.walk_packages(symops_lark.__path__, "symops_lark."):
        if row.name.endswith("__main__"):
            continue
        try:
            result.append(importlib.import_module(row.name))
        except ImportError:
            continue
    return result


def objects_in(value: object) -> list[object]:
    """Return the values of a table of a module; any other object alone."""
    if isinstance(value, dict):
        return list(value.values())
    return list(value) if isinstance(value, list | tuple | frozenset) else [value]


def patterns_of(module: ModuleType) -> set[str]:
    """Return the patterns of a module, as they are used.

    Those that must take a text to its end are followed by another character. Those that are searched for follow any
    text.
    """
    text = Path(module.__file__ or "").read_text(encoding="utf-8")
    patterns = set()
    for name, table in vars(module).items():
        # Those that other code is given, such as `map(_WORD.fullmatch, words)`, count as well.
        is_whole = f"{name}.fullmatch" in text or not re.search(_PARTIAL.format(re.escape(name)), text)
        for value in objects_in(table):
            pattern = getattr(value, "pattern", None)
            if isinstance(pattern, str) and hasattr(value, "fullmatch"):
                patterns.add(pattern)
                if re.search(_SEARCH.format(re.escape(name)), text):
                    patterns.add(after_any_text(pattern))
                if is_whole and value is table:
                    patterns.add(to_its_end(pattern))
    return patterns


@pytest.mark.slow
def test_no_mark_of_an_installed_format_is_a_trap() -> None:
    """The patterns out of each state of each section; `SAME_X` is a text there."""
    patterns = {exits.pattern for section in all_sections() for exits in section.alternations.values()}
    assert len(patterns) > 60
    # Lines of diffs repeat up to forty times, which is too much to examine.
    assert find_traps(pattern for pattern in patterns if "diff --git " not in pattern) == {}


@pytest.mark.slow
def test_no_pattern_of_the_package_is_a_trap() -> None:
    """A line of 100,000 backticks took minutes."""
    patterns = {pattern for module in modules() for pattern in patterns_of(module)}
    assert len(patterns) > 600
    traps = find_traps(patterns)
    # The texts of these are bounded, or our own: verdicts of 300 characters, documents, tasks.
    assert {why for why in traps.values() if "refers back" not in why} == set()
