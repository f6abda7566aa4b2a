"""Counts in sentences: one thing is never told as several, in whatever message; one function writes them all."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symops_lark.core.ground.numbers import counted

ROOT = Path(__file__).resolve().parent.parent
VERBS = {
    "calls",
    "changes",
    "uses",
    "drafts",
    "finds",
    "models",
    "names",
    "questions",
    "runs",
    "times",
}  # "it names no target"
_NOUNS = st.from_regex(r"[a-z]{1,9}( [a-z]{1,9})?", fullmatch=True)


def sources() -> Iterator[tuple[str, str]]:
    for folder in ("symops_lark", "benchmarks"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")


@given(st.integers(0, 10**9), _NOUNS, _NOUNS)
def test_a_count_is_told_with_its_noun(number: int, noun: str, plural: str) -> None:
    message, _, subject = counted(number, noun).partition(" ")
    assert int(message.replace(",", "")) == number
    assert subject == (noun if number == 1 else f"{noun}s")
    assert counted(number, noun, plural).partition(" ")[2] == (noun if number == 1 else plural)
    assert (counted(number, noun, zero="no") == f"no {noun}s") == (number == 0)


def plurals(modules: list[ast.Module]) -> set[str]:
    """Return the plural nouns that the program counts: the last words of what is given to `counted`."""
    results = set()
    for module in modules:
        for node in ast.walk(module):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "counted":
                words = [str(item.value) for item in node.args[1:3] if isinstance(item, ast.Constant)]
                if words and " " not in words[-1]:
                    results.add(words[-1] if len(words) == 2 else f"{words[0]}s")
    return results


def bare_counts(module: ast.Module, nouns: set[str]) -> Iterator[tuple[int, str]]:
    """Yield where an f-string has a number in front of a plural: limits, which are never one, stand in capitals."""
    for node in ast.walk(module):
        if not isinstance(node, ast.JoinedStr):
            continue
        for value, following in zip(node.values, node.values[1:], strict=False):
            if not isinstance(value, ast.FormattedValue) or not isinstance(following, ast.Constant):
                continue
            word = re.match(r" (?:more |other |different )?([a-z]+)\b", str(following.value))
            if word is None or word[1] not in nouns:
                continue
            expression = ast.unparse(value.value)
            spec = ast.unparse(value.format_spec) if value.format_spec else ""
            is_number = "," in spec or "len(" in expression or "count" in expression
            # A constant that is never one, written by `grouped`.
            if expression == "limit":
                continue
            if word[1] in VERBS and not is_number:
                continue
            if "f'" in spec and re.search(r"\.\d", spec):  # 1.0 points
                continue
            if not re.fullmatch(r"(grouped\()?[\w.]*?_?[A-Z][A-Z_]+( // 2\*\*20| \* 8)?\)?", expression):
                yield node.lineno, f"{expression} {word[1]}"


@pytest.mark.slow
def test_every_count_in_a_message_is_written_by_one_function() -> None:
    modules = {name: (ast.parse(text), "counted" in text) for name, text in sources() if re.search("counted|[{]", text)}
    nouns = plurals([module for module, counts in modules.values() if counts])
    assert {"repairs", "replies", "rows", "files", "lines"} <= nouns
    planted = ast.parse("f'{len(made)} repairs'; f'{total:,} more rows'; f'{self.said} replies given'; f'{MOST} rows'")
    assert [result for _, result in bare_counts(planted, nouns)] == [
        "len(made) repairs",
        "total rows",
        "self.said replies",
    ]
    items = [
        f"{name}:{line}: {subject}"
        for name, (module, _) in modules.items()
        for line, subject in bare_counts(module, nouns)
    ]
    assert not items, "\n".join(items)


@pytest.mark.slow
def test_no_message_makes_its_own_plural() -> None:
    own = re.compile(r"""['"]s['"] if |else ['"]s['"]""")
    for name, text in sources():
        if name != "symops_lark/core/ground/numbers.py":
            match = own.search(text)
            assert match is None, f"{name}: {match[0] if match else ''}: `counted` writes plurals"
