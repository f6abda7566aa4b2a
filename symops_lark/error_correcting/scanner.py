"""The text as a lattice: the terminals at each place, as it is and by edits.

A place is the offset after the token before. Ignored text is skipped from there. As in Lark's
dynamic lexer, a terminal is searched where it is expected. With the basic lexer there is one token
at a place. With the contextual lexer a keyword is never read as the name that it looks like.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from .edits import (
    DELETE,
    END,
    INDENTATION,
    LINE,
    LOST_BRACKET,
    LOST_KEYWORD,
    LOST_VALUE,
    OPENERS,
    SIGNS,
    Edit,
    Leaf,
    Move,
    Unit,
    is_word,
)
from .replacements import find_replacements
from .tables import Least, Tables

DEEPEST = 4  # tokens that are deleted before an expected one; an exact search has another bound
_MOST_LINES = 3  # lines that are deleted before an expected token
_WORD_OR_SIGN = re.compile(r"\w+|[^\w\s]|\s+")


class Deleted(NamedTuple):
    """Deletions, and their price."""

    price: int
    edits: tuple[Edit, ...]


class Scanner:
    """A text, read by the terminals of a grammar.

    Attributes:
        text: The text.
        tables: The grammar.
        forbidden: Tokens that Lark's lexer does not find, each with its edits.
    """

    def __init__(
        self,
        tables: Tables,
        text: str,
        lexer: str,
        deepest: int = DEEPEST,
        forbidden: frozenset[Leaf] = frozenset(),
    ) -> None:
        """Prepare a text.

        Args:
            tables: The grammar.
            text: The text.
            lexer: "basic", "contextual" or "dynamic".
            deepest: The number of tokens that may be deleted before an expected one.
            forbidden: Tokens that a repair must not have.
        """
        self.tables = tables
        self.text = text
        self.lexer = lexer
        self.deepest = deepest
        self.forbidden = forbidden
        self.length = len(text)
        self._longest: dict[int, tuple[str, int] | None] = {}
        self._skipped: dict[int, int] = {}
        self._tokens: dict[int, dict[str, Leaf]] = {}
        self._moves: dict[tuple[int, str], list[Move]] = {}
        self._units: dict[int, list[Unit]] = {}
        self._least: dict[frozenset[str], Least] = {}
        self._deleted: dict[int, list[dict[int, Deleted]]] = {}

    def longest(self, offset: int) -> tuple[str, int] | None:
        """Return the terminal that the basic lexer finds at an offset, and its end."""
        if offset not in self._longest:
            self._longest[offset] = self.tables.find_longest(self.text, offset)
        return self._longest[offset]

    def skip(self, place: int) -> int:
        """Return the end of the ignored text at a place."""
        if place not in self._skipped:
            # Several ignored tokens may follow each other.
            end = place
            while end < self.length:
                token = self.longest(end)
                if token is None or token[0] not in self.tables.ignored:
                    break
                end = token[1]
            self._skipped[place] = end
        return self._skipped[place]

    def tokens(self, place: int) -> dict[str, Leaf]:
        """Return the terminals at a place, without edits."""
        if place in self._tokens:
            return self._tokens[place]
        leaves = {}
        # Ignored text precedes the token.
        start = self.skip(place)
        if start >= self.length:
            end = self.length
            leaves[END] = Leaf(END, end, end + 1, "")
        elif self.lexer == "basic":
            token = self.longest(start)
            if token:
                name, stop = token
                value = self.text[start:stop]
                leaves[name] = Leaf(name, start, stop, value)
        if self.lexer != "basic" and place < self.length:
            for name in self.tables.used:
                leaf = self._match(name, place, start)
                if leaf:
                    leaves[name] = leaf
        if self.forbidden:
            for name, leaf in list(leaves.items()):
                if leaf in self.forbidden:
                    del leaves[name]
        self._tokens[place] = leaves
        return leaves

    def _match(self, name: str, place: int, start: int) -> Leaf | None:
        """Return a terminal at a place, or after its ignored text."""
        # A terminal may contain text that is ignored elsewhere, such as line feeds.
        for begin in dict.fromkeys((place, start)):
            match = self.tables.match(name, self.text, begin)
            if not match:
                continue
            if match.end() <= begin:
                continue
            if self.lexer == "dynamic":
                return Leaf(name, begin, match.end(), match[0])
            if self._can_be_token(name, match):
                return Leaf(name, begin, match.end(), match[0])
        return None

    def _can_be_token(self, name: str, match: re.Match[str]) -> bool:
        """Return whether a contextual lexer can find this token."""
        if match[0] in self.tables.keywords.get(name, ()):
            return False
        longest = self.longest(match.start())
        if longest is None:
            return True
        if longest[1] <= match.end():
            return True
        # The beginning of a longer word is not a token.
        last = match[0][-1]
        following = self.text[match.end()]
        return not (is_word(last) and is_word(following))

    def units(self, place: int) -> list[Unit]:
        """Return the parts that can be deleted or replaced at a place."""
        if place in self._units:
            return self._units[place]
        units = []
        start = self.skip(place)
        if start < self.length:
            token = self.longest(start)
            if token:
                units.append(Unit(token[0], start, token[1]))
                # A token may be too long: then its first word alone is a unit, too.
                word = _WORD_OR_SIGN.match(self.text, start)
                if word and word.end() < token[1] and self.lexer != "basic":
                    units.append(Unit("", start, word.end()))
            else:
                # A run of characters without a token is one unit.
                stop = start + 1
                while stop < self.length and self.longest(stop) is None:
                    stop += 1
                units.append(Unit("", start, stop))
        self._units[place] = units
        return units

    def ahead(self, place: int, count: int) -> int:
        """Return the place after the next `count` tokens; after the end, if there are fewer."""
        for _ in range(count):
            # Each token ahead must be one that the lexer finds.
            units = self.units(place)
            if not units:
                return self.length + 1
            place = units[0].stop
        return place

    def has_at_most(self, count: int) -> bool:
        """Return whether the text has at most this many tokens."""
        return self.ahead(0, count + 1) > self.length

    def edits(self, place: int, name: str) -> list[Move]:
        """Return the edits that put a terminal at a place."""
        key = (place, name)
        if key not in self._moves:
            moves = self._after_deletions(place, name)
            moves += self._after_lines(place, name)
            if name != END:
                moves += self._inserted(place, name)
                moves += self._replacements(place, name)
                moves += self._after_cheap_deletions(place, name)
            if self.tables.marks:
                # A value over several words may have a hidden line end.
                moves = [move for move in moves if not self._has_sign(move.leaf)]
            if self.forbidden:
                moves = [move for move in moves if move.leaf not in self.forbidden]
            self._moves[key] = moves
        return self._moves[key]

    def _has_sign(self, leaf: Leaf) -> bool:
        if leaf.name in self.tables.marks:
            return False
        return any(sign in leaf.value for sign in SIGNS)

    def least(self, place: int) -> Least:
        """Return the cheapest price to insert all of a nonterminal at a place, by its name."""
        # The search asks this at each step, and mostly nothing is forbidden.
        if not self.forbidden:
            return self.tables.least
        # An inserted token has no text.
        inserted = [leaf for leaf in self.forbidden if leaf.start == leaf.stop == place]
        without = frozenset(leaf.name for leaf in inserted)
        if not without:
            return self.tables.least
        if without not in self._least:
            self._least[without] = self.tables.find_least(without)
        return self._least[without]

    def _replacements(self, place: int, name: str) -> Iterator[Move]:
        start = self.skip(place)
        units = self.units(place)
        yield from find_replacements(self.tables, self.text, start, units, name)

    def _inserted(self, place: int, name: str) -> Iterator[Move]:
        tables = self.tables
        price = tables.insert_price(name)
        if price is not None:
            value = tables.samples[name]
            edit = Edit("insert", place, place, name, value, price)
            leaf = Leaf(name, place, place, value, (edit,))
            yield Move(price, place, leaf)

    def delete(self, unit: Unit) -> Edit:
        """Return the edit that deletes a part of the text."""
        # A preference: signs are deleted rather than words.
        old = self.text[unit.start : unit.stop]
        price = DELETE
        if unit.name in self.tables.marks:
            price = INDENTATION
        elif unit.name in self.tables.literals:
            if is_word(old[0]):
                price += LOST_KEYWORD
            elif old in OPENERS:
                price += LOST_BRACKET
        elif unit.name or any(map(is_word, old)):
            price += LOST_VALUE
        return Edit("delete", unit.start, unit.stop, unit.name, "", price)

    def _deletions(self, place: int) -> list[dict[int, Deleted]]:
        """Return the ways to delete 1, 2, … tokens at a place, by the place after them."""
        if place in self._deleted:
            return self._deleted[place]
        depths: list[dict[int, Deleted]] = []
        ways = {place: Deleted(0, ())}
        while ways and len(depths) < self.deepest:
            # Two ways to cut a part into units lead to one place: keep the cheaper one.
            longer: dict[int, Deleted] = {}
            for start, way in ways.items():
                for unit in self.units(start):
                    edit = self.delete(unit)
                    total = way.price + edit.price
                    if edit.stop not in longer or total < longer[edit.stop].price:
                        edits = (*way.edits, edit)
                        longer[edit.stop] = Deleted(total, edits)
            ways = longer
            depths.append(ways)
        self._deleted[place] = depths
        return depths

    def _after_deletions(self, place: int, name: str) -> list[Move]:
        """Delete as few tokens as possible before the next terminal of this name."""
        moves = []
        whole = place
        for ways in self._deletions(place):
            for start, way in ways.items():
                leaf = self.tokens(start).get(name)
                if leaf:
                    edited = leaf._replace(edits=way.edits)
                    moves.append(Move(way.price, leaf.stop, edited))
            # After a part of a longer token, more may have to be deleted.
            whole = self.ahead(whole, 1)
            leaf = self.tokens(whole).get(name)
            if leaf is None:
                continue
            token = (name, leaf.stop)
            if self.longest(leaf.start) == token:
                break
        return moves

    def _after_cheap_deletions(self, place: int, name: str) -> Iterator[Move]:
        """Delete tokens and replace the next one, where it is the one with the highest price.

        In all other cases it costs as much to replace the first one and to delete the others.
        """
        for ways in self._deletions(place):
            for start, way in ways.items():
                highest = max(edit.price for edit in way.edits)
                units = self.units(start)
                if not units:
                    continue
                if self.delete(units[0]).price <= highest:
                    continue
                for move in self._replacements(start, name):
                    edits = way.edits + move.leaf.edits
                    leaf = move.leaf._replace(edits=edits)
                    total = way.price + move.price
                    yield Move(total, move.stop, leaf)

    def _end_of_line(self, line_end: int) -> int:
        """Return the place after a line end, with the blanks that its token has in this grammar."""
        token = self.longest(line_end)
        if self.tables.marks and token:
            return token[1]
        return line_end + 1

    def _after_lines(self, place: int, name: str) -> Iterator[Move]:
        """Delete lines before the next terminal of this name, each by one edit."""
        start = self.skip(place)
        # Only a complete line is a foreign line.
        line_feed = self.text.rfind("\n", 0, start)
        line_start = line_feed + 1
        if line_start == 0 and "\n" not in self.text:
            return
        if self.text[line_start:start].strip():
            return
        edits: tuple[Edit, ...] = ()
        for count in range(1, _MOST_LINES + 1):
            line_end = self.text.find("\n", start)
            stop = self.length
            if line_end >= 0:
                stop = self._end_of_line(line_end)
            if start >= stop:
                return
            edit = Edit("delete", start, stop, "", "", LINE)
            edits = (*edits, edit)
            leaf = self.tokens(stop).get(name)
            if leaf:
                edited = leaf._replace(edits=edits)
                yield Move(count * LINE, leaf.stop, edited)
                return
            start = stop
