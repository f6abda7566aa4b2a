"""Private parts of libraries: one fence a library, what each fence relies on, and a law that nothing else touches them.

A test here fails when a library changes. Its message names the version, what changed, and the one module to change.
"""

from __future__ import annotations

import re
import sys
from importlib.metadata import version
from typing import Any

import pytest

from symops_lark.core.patterns import re_syntax

RE_FENCE = "symops_lark/core/patterns/re_syntax.py"
PYTHON = f"re of Python {sys.version.split()[0]}"


def advise(library: str, fault: str, fence: str) -> str:
    """Return what a person reads when a library is not as its fence expects."""
    name = library if " " in library else f"{library} {version(library)}"
    return f"{name}: {fault}. Adapt {fence}, and nothing else; then this test to the new shape"


# ---- re

# For each operation of a tree: a pattern of it, and its value as this package reads it.
SHAPES: dict[str, tuple[str, Any]] = {
    "LITERAL": ("a", 97),
    "NOT_LITERAL": ("[^a]", 97),
    "ANY": (".", None),
    "AT": ("^", "AT_BEGINNING"),
    "IN": (r"[^a-c\dx]", [("NEGATE", None), ("RANGE", (97, 99)), ("CATEGORY", "CATEGORY_DIGIT"), ("LITERAL", 120)]),
    "BRANCH": ("ab|cd", (None, [[("LITERAL", 97), ("LITERAL", 98)], [("LITERAL", 99), ("LITERAL", 100)]])),
    "SUBPATTERN": ("(?i:a)", (None, re.IGNORECASE.value, 0, [("LITERAL", 97)])),
    "MAX_REPEAT": ("a{2,3}", (2, 3, [("LITERAL", 97)])),
    "MIN_REPEAT": ("a{2,3}?", (2, 3, [("LITERAL", 97)])),
    "POSSESSIVE_REPEAT": ("a{2,3}+", (2, 3, [("LITERAL", 97)])),
    "ATOMIC_GROUP": ("(?>a)", [("LITERAL", 97)]),
    "ASSERT": ("(?=a)", (1, [("LITERAL", 97)])),
    "ASSERT_NOT": ("(?<!a)", (-1, [("LITERAL", 97)])),
}


def plain(value: Any) -> Any:
    """Return a part of a tree with names in place of `re`'s constants, and lists in place of its sequences."""
    if isinstance(value, int):
        name = str(value)
        return int(value) if name.isdigit() or name.startswith("-") else name
    if isinstance(value, tuple):
        return tuple(plain(part) for part in value)
    return value if value is None else [plain(part) for part in value]


@pytest.mark.parametrize("operation", SHAPES)
def test_re_gives_an_operation_the_shape_that_is_read(operation: str) -> None:
    pattern, expected = SHAPES[operation]
    tree = re_syntax.parse_pattern(pattern)
    items = [(str(name), plain(value)) for name, value in tree.items]
    assert items == [(operation, expected)], advise(PYTHON, f"{operation} of {pattern!r} has another shape", RE_FENCE)


def test_re_tells_flags_groups_and_endless_repetitions() -> None:
    tree = re_syntax.parse_pattern("(?i)(?P<name>a)(b)*")
    assert tree.flags & re.IGNORECASE, advise(PYTHON, "flags are not in the state of a tree", RE_FENCE)
    assert (tree.names, tree.groups) == ({"name": 1}, 2), advise(PYTHON, "groups are not in the state", RE_FENCE)
    high = list(tree.items)[-1][1][1]
    assert high == re_syntax.ENDLESS > 10**9, advise(PYTHON, "an endless repetition has another bound", RE_FENCE)


def test_re_has_one_of_two_shapes_for_what_never_matches() -> None:
    items = [(str(name), plain(value)) for name, value in re_syntax.parse_pattern("(?!)").items]
    known = [("ASSERT_NOT", (1, []))], [("FAILURE", ())]  # up to Python 3.12, and since
    assert items in known, advise(PYTHON, "(?!) has another shape", RE_FENCE)


@pytest.mark.parametrize("pattern", ["(", "a{2,1}", "[", "(" * 5_000 + ")" * 5_000])
def test_what_re_cannot_read_is_one_error(pattern: str) -> None:
    with pytest.raises(re_syntax.UnreadablePatternError):
        re_syntax.parse_pattern(pattern)
