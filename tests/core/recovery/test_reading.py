"""What is read again, and what is remembered of the last reading."""

from __future__ import annotations

from typing import Any

import pytest

from symops_lark.core.grammar.loading import load_dialect
from symops_lark.core.recovery import reading
from symops_lark.core.recovery.lines.spelling import NoRepairer
from symops_lark.core.recovery.outline.known_blocks import find_known


def test_what_was_read_last_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the same rules, in the same dialect, if nobody names an engine, and if it is not too long to be kept."""
    read: list[str] = []

    def note(text: str, *more: Any) -> Any:
        read.append(text)
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
        read.clear()
        outline = reading.read_outline(text, dialect, repairer, engine=engine)
        assert read == [text] * reads, (text, dialect, engine)
        assert outline.text == text
