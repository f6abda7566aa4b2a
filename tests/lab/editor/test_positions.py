"""Laws of positions: they round-trip in each encoding, and edits give the text that the editor has."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from symops_lark.lab.editor.open_texts import OpenTexts
from symops_lark.lab.editor.positions import Position, Positions

# Characters of one to four bytes, line endings, and what Python takes for line endings and editors do not.
SIGNS = "aé한😀𝔘\n\r\t \x0b\x0c\x1c\x85\u2028\u2029\ufeff"
TEXTS = st.text(st.sampled_from(SIGNS) | st.characters(codec="utf-8"), max_size=40)
ENCODINGS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


def split_lines(text: str) -> list[str]:
    """Return the lines as the specification defines them, without their endings."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


@given(TEXTS, st.sampled_from([*ENCODINGS]))
def test_positions_round_trip(text: str, encoding: str) -> None:
    positions = Positions(text, encoding)
    codec, size = ENCODINGS[encoding]
    for offset in range(len(text) + 1):
        position = positions.to_position(offset)
        before = split_lines(text[:offset])
        if text[offset - 1 : offset + 1] == "\r\n" and offset:
            before = split_lines(text[: offset - 1])  # between both signs of an ending: the end of the line
            assert positions.to_offset(position) == offset - 1
        else:
            assert positions.to_offset(position) == offset
        assert position == (len(before) - 1, len(before[-1].encode(codec)) // size)


@given(TEXTS, st.integers(0, 50), st.integers(0, 60), st.sampled_from([*ENCODINGS]))
def test_every_position_is_a_place_in_the_text(text: str, line: int, character: int, encoding: str) -> None:
    positions = Positions(text, encoding)
    offset = positions.to_offset(Position(line, character))
    assert 0 <= offset <= len(text)
    assert positions.to_position(offset) <= (line, character) or line < len(split_lines(text))


def test_a_position_inside_a_character_is_before_it() -> None:
    assert Positions("a😀b").to_offset(Position(0, 2)) == 1
    assert Positions("a😀b").to_offset(Position(0, 3)) == 2
    assert Positions("a😀b", "utf-8").to_offset(Position(0, 4)) == 1


def test_half_a_surrogate_pair_is_one_unit() -> None:
    assert Positions("\ud83d!").to_position(1) == (0, 1)
    assert Positions("\ud83d!").to_offset(Position(0, 1)) == 1


@st.composite
def sessions(draw: st.DrawFn) -> tuple[str, str, list[tuple[int, int, str]]]:
    """Draw a text, an encoding, and edits: offsets in the text before each edit, and what replaces the part."""
    text = draw(TEXTS)
    length = len(text)
    edits = []
    for _ in range(draw(st.integers(0, 5))):
        first, last = sorted((draw(st.integers(0, length)), draw(st.integers(0, length))))
        new = draw(TEXTS)
        edits.append((first, last, new))
        length += len(new) - (last - first)
    return text, draw(st.sampled_from([*ENCODINGS])), edits


class Client:
    """The text of an editor: bytes in its encoding. Places in it are counted by their own rules."""

    def __init__(self, text: str, encoding: str) -> None:
        self.codec, self.size = ENCODINGS[encoding]
        self.text = text

    def place(self, offset: int) -> types.Position:
        lines = split_lines(self.text[:offset])
        return types.Position(len(lines) - 1, len(lines[-1].encode(self.codec)) // self.size)

    def edit(self, first: int, last: int, new: str) -> types.TextDocumentContentChangePartial:
        place = types.Range(self.place(first), self.place(last))
        self.text = self.text[:first] + new + self.text[last:]
        return types.TextDocumentContentChangePartial(place, new)


def is_inside_ending(text: str, offset: int) -> bool:
    return 0 < offset < len(text) and text[offset - 1 : offset + 1] == "\r\n"


@given(sessions())
def test_the_server_has_the_text_of_the_editor(session: tuple[str, str, list[tuple[int, int, str]]]) -> None:
    text, encoding, edits = session
    texts = OpenTexts()
    uri = Path("/a.symops").as_uri()
    texts.open(types.TextDocumentItem(uri, "symops", 1, text))
    client = Client(text, encoding)
    changes = []
    for first, last, new in edits:
        # No position is between the two signs of a line ending.
        first -= is_inside_ending(client.text, first)
        last -= is_inside_ending(client.text, last)
        changes.append(client.edit(first, last, new))
    texts.change(types.VersionedTextDocumentIdentifier(2, uri), changes, encoding)
    opened = texts.get(uri)
    assert opened is not None
    assert (opened.file.text, opened.version) == (client.text, 2)


def test_an_edit_without_a_range_replaces_the_text() -> None:
    texts = OpenTexts()
    texts.open(types.TextDocumentItem("untitled:1", "symops", 1, "a"))
    changes = [types.TextDocumentContentChangeWholeDocument("b")]
    texts.change(types.VersionedTextDocumentIdentifier(7, "untitled:1"), changes, "utf-16")
    opened = texts.get("untitled:1")
    assert opened is not None and opened.file.text == "b"
    texts.close("untitled:1")
    assert texts.get("untitled:1") is None


@pytest.mark.parametrize("separator", ["\x0b", "\x0c", "\x85", "\u2028"])
def test_only_line_endings_end_lines(separator: str) -> None:
    assert Positions(f"a{separator}b\nc").to_position(4) == (1, 0)
