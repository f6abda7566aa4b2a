"""What is read again, and what is remembered of the last reading."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from symops_lark.core import recovery
from symops_lark.core.grammar.loading import load_dialect
from symops_lark.core.recovery import reading
from symops_lark.core.recovery.lines.spelling import NoRepairer
from symops_lark.core.recovery.outline.known_blocks import find_known
from symops_lark.core.repairs import RepairEngine


def test_what_was_read_last_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the same rules, in the same dialect, if nobody names an engine, and if it is not too long to be kept."""
    texts: list[str] = []

    def note(text: str, *more: Any) -> Any:
        texts.append(text)
        return find_known(text, *more)

    monkeypatch.setattr(reading, "find_known", note)
    monkeypatch.setattr(reading, "_MAX_REMEMBERED", 5)
    v1, v2 = load_dialect("v1"), load_dialect("v2")
    repairer = NoRepairer()
    for text, dialect, engine, reads in (
        ("short", v2, None, 1),
        ("short", v2, None, 0),
        ("short", v2, "automaton", 1),
        ("short", v1, None, 1),
        ("longer", v1, None, 1),
        ("longer", v1, None, 1),
        ("short", v1, None, 0),
        ("other", v1, "automaton", 1),
        ("other", v1, None, 1),
        ("other", v1, None, 0),
    ):
        texts.clear()
        outline = reading.read_outline(text, dialect, repairer, engine=engine)
        assert texts == [text] * reads, (text, dialect, engine)
        assert outline.text == text


def test_the_example_in_the_header_of_the_room_is_read_so() -> None:
    """Each line has this kind and this role, at this price, with this mistake on it or before it."""
    header, *rows = itertools.takewhile(str.strip, itertools.dropwhile(_is_no_header, recovery.__doc__.split("\n")))
    columns = [header.index(name) for name in ("line", "kind", "role", "mistake")]
    items = [[row[a:b].strip() for a, b in itertools.pairwise([*columns, None])] for row in rows]
    dialect = load_dialect("v2")
    text = "".join(line + "\n" for line, *_ in items)
    outline = reading.read_outline(text, dialect, RepairEngine(dialect).repairer)
    results = []
    for part in outline.parts:
        line, step = text[part.line.start : part.line.stop], part.step
        [code] = [*step.mistakes, *step.before] or [""]
        price = f"{code} {step.price}" + ", before this line" * bool(step.before) if code else ""
        results.append([line, str(part.line.kind), step.role, price])
    assert results == items


def _is_no_header(line: str) -> bool:
    return line.split()[:3] != ["line", "kind", "role"]
