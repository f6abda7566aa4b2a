"""Trees of repaired texts, with places in the text that was given."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping
from typing import Any

from lark import Token, Tree

from ..core.text.source import Source
from .edits import InsertedToken, Leaf, Repaired


def build_tree(
    root: Any, callbacks: Mapping[Any, Any], text: str, to_given: Callable[[int], int] = int
) -> Any:
    """Build the tree of a derivation by Lark's functions, children first.

    Args:
        root: The derivation.
        callbacks: By rule, the function that builds its part.
        text: The text, for lines and columns.
        to_given: Returns the offset in the text for one of the derivation.
    """
    # Lines and columns refer to the text that was given.
    source = Source(text)
    values: list[Any] = []
    pending: list[tuple[Any, bool]] = [(root, False)]
    while pending:
        value, is_ready = pending.pop()
        if isinstance(value, Leaf):
            is_new = value.start == value.stop and bool(value.edits)
            begin = to_given(value.start)
            end = to_given(value.stop)
            span = (begin, end)
            token = _make_token(value.name, value.value, span, source, is_new)
            values.append(token)
        elif is_ready:
            first = len(values) - len(value.children)
            # Lark's function gets the values of the children.
            children = values[first:]
            del values[first:]
            values.append(callbacks[value.rule](children))
        else:
            pending.append((value, True))
            pending.extend((child, False) for child in reversed(value.children))
    return values[0]


def _make_token(
    name: str, value: str, span: tuple[int, int], source: Source, is_new: bool
) -> Token:
    start, stop = span
    kind = Token
    if is_new:
        kind = InsertedToken
    line, column = source.place(start)
    end_line, end_column = source.place(stop)
    return kind(name, value, start, line, column, end_line, end_column, stop)


class _Places:
    """Converts offsets of a repaired text to offsets of the text that was given."""

    def __init__(self, text: str, repaired: Repaired) -> None:
        self.source = Source(text)
        # Offsets in the repaired text and in the given one, where a part of both begins.
        self.fixed = [0]
        self.given = [0]
        self.new: list[tuple[int, int]] = []  # the inserted parts, in the repaired text
        for start, end, resume, edit in repaired.places:
            self.fixed += [start, end, resume]
            self.given += [edit.start, edit.stop, edit.stop]
            if edit.new and edit.start == edit.stop:
                self.new.append((start, end))

    def to_given(self, offset: int) -> int:
        """Return the offset in the given text."""
        # The last part that begins at or before the offset.
        index = bisect_right(self.fixed, offset) - 1
        distance = offset - self.fixed[index]
        place = self.given[index] + distance
        if index + 1 < len(self.given):
            place = min(place, self.given[index + 1])
        return place

    def end_to_given(self, offset: int) -> int:
        """Return the offset in the given text for the end of a token.

        Text that is deleted after the token does not belong to it.
        """
        index = bisect_left(self.fixed, offset)
        first = self.fixed[index : index + 1]
        if first == [offset]:
            return self.given[index]
        return self.to_given(offset)

    def is_new(self, start: int, stop: int) -> bool:
        """Return whether a token was inserted as a whole."""
        return any(begin <= start and stop <= end for begin, end in self.new)


def locate_tree(tree: Any, text: str, repaired: Repaired) -> Any:
    """Give the tokens of Lark's tree of a repaired text their places in the given text.

    Args:
        tree: The tree; what a transformer has made of it is returned unchanged.
        text: The given text.
        repaired: The repaired text.
    """
    # A transformer may have made anything of the tree.
    places = _Places(text, repaired)
    if isinstance(tree, Token):
        return _locate_token(tree, places)
    if not isinstance(tree, Tree):
        return tree
    # Positions of rules are those of their tokens.
    for subtree in tree.iter_subtrees():
        for index, child in enumerate(subtree.children):
            if isinstance(child, Token):
                subtree.children[index] = _locate_token(child, places)
        if not subtree.meta.empty:
            _locate_meta(subtree.meta, places)
    return tree


def _locate_meta(meta: Any, places: _Places) -> None:
    """Give a rule its places in the given text, without and with the tokens that Lark left out."""
    for prefix in ("", "container_"):
        start = places.to_given(getattr(meta, f"{prefix}start_pos"))
        end = places.end_to_given(getattr(meta, f"{prefix}end_pos"))
        stop = max(start, end)
        line, column = places.source.place(start)
        end_line, end_column = places.source.place(stop)
        located = {
            "start_pos": start,
            "line": line,
            "column": column,
            "end_pos": stop,
            "end_line": end_line,
            "end_column": end_column,
        }
        for name, value in located.items():
            setattr(meta, prefix + name, value)


def _locate_token(token: Token, places: _Places) -> Token:
    start, stop = token.start_pos, token.end_pos
    if start is None:
        return token
    if stop is None:
        return token
    is_new = places.is_new(start, stop)
    first = places.to_given(start)
    end = places.end_to_given(stop)
    last = max(first, end)
    span = (first, last)
    return _make_token(str(token.type), str(token), span, places.source, is_new)
