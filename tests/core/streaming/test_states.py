"""Streaming: the tables of moves are what the readers do: no other move is made, and each of them is by some text."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from pathlib import Path

import pytest
from new_dialects import NEW, write_dialects
from streams import stream
from texts import texts_on_file

from symops_lark.core.grammar.loading import load_dialect
from symops_lark.core.streaming.blocks import Block
from symops_lark.core.streaming.sections import SectionReader
from symops_lark.core.streaming.states import BlockState, SectionState

Move = tuple[Enum, Enum]
SECTION_MOVES: Mapping[SectionState, frozenset[SectionState]] = {
    SectionState.SECTIONS: frozenset(
        (SectionState.REMARK, SectionState.BLOCK, SectionState.THINKING, SectionState.OWN)
    ),
    SectionState.REMARK: frozenset((SectionState.SECTIONS, SectionState.REMARK, SectionState.BLOCK)),
    # To REMARK where a malformed head, on a line that was held back in REMARK, opened the block.
    SectionState.BLOCK: frozenset((SectionState.SECTIONS, SectionState.REMARK)),
    SectionState.THINKING: frozenset((SectionState.SECTIONS,)),
    SectionState.OWN: frozenset((SectionState.SECTIONS,)),
}
BLOCK_MOVES: Mapping[BlockState, frozenset[BlockState]] = {
    BlockState.EXACT: frozenset((BlockState.EXACT, BlockState.SAME_MARK)),
    BlockState.LENIENT: frozenset((BlockState.EXACT, BlockState.MAYBE_CLOSED)),
    BlockState.FENCE: frozenset((BlockState.EXACT, BlockState.MAYBE_CLOSED)),
    BlockState.SAME_MARK: frozenset(),
    BlockState.MAYBE_CLOSED: frozenset((BlockState.LENIENT, BlockState.FENCE)),
}
TABLES = ((SectionReader, SECTION_MOVES), (Block, BLOCK_MOVES))
ALL = {(state, after) for _, table in TABLES for state, states in table.items() for after in states}
TEXTS = (
    ("v2", "<think>\nhm\n</think>\n"),
    ("v2", "::create @a\nx = 1\ny = 2\n"),
    ("v2", "::create @a\ncreate b.py\nx = 1\n"),  # two lines below the head, each of them no opener
    ("v2", "::create @a\ncreate b.py\n:: Create @c <<<\nx\n>>>\n"),  # a misspelt head below such a line
    ("v2", "::create @a\n<<<\n<<<\nx\n>>>\n"),
    ("v1", "$ create @ a\n--\nx\n$ create @ b\n--\ny\n--\n"),
    ("v2", "::create @a\n<\n<<<\nx\n>>>\n"),
    ("v2", "::create @a\n<\nx\n>\ny\n>\n\n"),
    ("v2", "::create @a\n```\n<<<\nx\n>>>\n"),
    ("v2", "::create @a\n```\nx\n>>>\ny\n```\n"),
)


@pytest.fixture
def moves(monkeypatch: pytest.MonkeyPatch) -> set[Move]:
    """The moves that any reader makes from now on."""
    created: set[Move] = set()

    def record(self: object, name: str, value: object) -> None:
        if name == "state" and isinstance(value, Enum) and name in vars(self):
            created.add((vars(self)[name], value))
        object.__setattr__(self, name, value)

    for owner, _ in TABLES:
        monkeypatch.setattr(owner, "__setattr__", record)
    return created


def test_each_move_is_made(moves: set[Move], tmp_path: Path) -> None:
    own = write_dialects(tmp_path)["blocks"]
    for dialect, text in (*TEXTS, (load_dialect(own), NEW["blocks"].text)):
        stream([text], dialect, keep=False)
    assert moves == ALL


@pytest.mark.slow
def test_no_other_move_is_made(moves: set[Move]) -> None:
    for _, dialect, text in texts_on_file():
        stream([text], dialect, keep=False)
    assert moves and moves <= ALL
