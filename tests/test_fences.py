"""Private parts of libraries: one fence a library, what each fence relies on, and a law that nothing else touches them.

A test here fails when a library changes. Its message names the version, what changed, and the one module to change.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib.metadata import version
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symops_lark.core.patterns import re2_fast, re_syntax
from symops_lark.core.patterns.regexes import LinearSet, Sieve, compile_linear, substituter

RE_FENCE = "symops_lark/core/patterns/re_syntax.py"
RE2_FENCE = "symops_lark/core/patterns/re2_fast.py"
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
    known: Any = [("ASSERT_NOT", (1, []))], [("FAILURE", ())]  # up to Python 3.12, and since
    assert items in known, advise(PYTHON, "(?!) has another shape", RE_FENCE)


@pytest.mark.parametrize("pattern", ["(", "a{2,1}", "[", "(" * 5_000 + ")" * 5_000])
def test_what_re_cannot_read_is_one_error(pattern: str) -> None:
    with pytest.raises(re_syntax.UnreadablePatternError):
        re_syntax.parse_pattern(pattern)


# ---- RE2


class PublicOnly:
    """Something of a library without its private parts, as a later version may have it."""

    def __init__(self, inner: Any) -> None:
        self._PublicOnly_inner = inner

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._PublicOnly_inner, name)


def hide_private_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `import re2` give a module, compiled patterns and sets that have public names alone."""
    re2 = pytest.importorskip("re2")
    public = ModuleType("re2")
    for name in dir(re2):
        if not name.startswith("_"):
            setattr(public, name, getattr(re2, name))

    class Set:
        @staticmethod
        def SearchSet(options: Any) -> PublicOnly:
            return PublicOnly(re2.Set.SearchSet(options))

    public.compile = lambda *given: PublicOnly(re2.compile(*given))  # type: ignore[attr-defined]
    public.Set = Set  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "re2", public)


TEXTS = ["", "a", "xab", "b\nab\n", "é a b", "aab aab", "\n\n", "日本 ab"]
USES: dict[str, Callable[[str], Any]] = {
    "a sieve": lambda text: list(Sieve("ab|^$").lines(text)),
    "a set": lambda text: LinearSet(["a", "^x", "b$"]).find(text),
    "a large set": lambda text: LinearSet(["^a", "b", *(f"{n}z" for n in range(40))]).find(text),
    "all": lambda text: substituter(compile_linear("(?P<it>a+)(b)?"), r"<\2\g<it>\n>", 0)(text),
    "once": lambda text: substituter(compile_linear("b|(a)"), r"[\1]", 1)(text),
    "nothing": lambda text: substituter(compile_linear("x*"), "-", 0)(text),
}


@pytest.mark.parametrize("use", USES)
def test_without_private_parts_re2_gives_the_same(use: str, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = [USES[use](text) for text in TEXTS]
    hide_private_parts(monkeypatch)
    assert [USES[use](text) for text in TEXTS] == usual
    assert re2_fast._engine_of(compile_linear("a")) is None
    assert re2_fast._split_template("a") is None


def test_re2_has_the_private_parts_that_save_time() -> None:
    re2 = pytest.importorskip("re2")
    compiled, several = re2.compile("(a)(b)?"), re2.Set.SearchSet()
    several.Add("b")
    several.Compile()
    slower = "the public interface is used, which is slower"
    engine = re2_fast._engine_of(compiled)
    assert engine is not None, advise("google-re2", f"no _regexp.Match or _Anchor: {slower}", RE2_FENCE)
    spans = engine[0](engine[1], "é a".encode(), 0, 4)
    assert list(spans) == [(3, 4), (3, 4), (-1, -1)], advise("google-re2", "spans have another shape", RE2_FENCE)
    assert hasattr(several, "_set"), advise("google-re2", f"no _set.Match: {slower}", RE2_FENCE)
    assert list(re2_fast.set_match(several)(b"ab")) == [0], advise("google-re2", "_set.Match differs", RE2_FENCE)
    assert list(re2_fast.set_match(several)(b"x")) == [], advise("google-re2", "_set.Match differs", RE2_FENCE)
    pieces = re2_fast._split_template(r"a\1b\g<name>\n")
    expected = ["a", r"\1", "b", r"\g<name>", r"\n"]
    assert pieces == expected, advise("google-re2", f"_Match._split is gone or differs: {slower}", RE2_FENCE)


@given(st.text("ab\né"), st.integers(0, 8))
def test_both_ways_to_find_the_first_match_agree(text: str, start: int) -> None:
    compiled = pytest.importorskip("re2").compile("ab|$")
    data = text.encode()
    begin = min(start, len(data))
    assert re2_fast.first_match(compiled)(data, begin) == re2_fast.first_match(PublicOnly(compiled))(data, begin)
