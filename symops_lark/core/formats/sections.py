"""A section of a format at run time: which patterns lead out of each of its free texts.

All of it is data that `reading_tables` makes of a grammar. The patterns are compiled on first use,
since a reply needs those of few formats.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from ..grammar.codes import NO_CLOSING_MARK
from ..patterns.regexes import Match, Pattern, compile_pattern, escape

START = 0
FINAL = 1
# Before a mark at the beginning of a line: characters that cannot be seen.
UNSEEN = "\u200b\u2060\ufeff"
BLANKS = " \t" + UNSEEN
VALUES = ("JSON", "PYTHON")  # terminals whose texts show where they end
_TOKEN = "<|"  # begins a token of a chat template, which may be before an opener
_MIN_MARK = 8  # characters of an opener that no other text has by chance
_UNKNOWN = "\1"  # a text that no reply has


class FreeText(NamedTuple):
    """A state: a terminal that continues up to the first edge that leaves it.

    Attributes:
        name: The terminal.
        is_lines: Whether it ends only at the beginning of a line.
    """

    name: str
    is_lines: bool


class End(NamedTuple):
    """The marks after the last free text of a section.

    Attributes:
        pattern: Their pattern; a terminal whose text is repeated is any of its texts.
        needed_texts: Texts of which every match has one.
    """

    pattern: str
    needed_texts: tuple[str, ...]


class Exits(NamedTuple):
    """The pattern of all edges out of a state.

    Attributes:
        pattern: An alternation; the group `e0` is the first edge, and so on. A terminal whose text
            is repeated is its name between null characters.
        groups: By the name of a group, the terminal that it captures.
        targets: By the group of an edge, the state to which it leads.
        repeated: The terminals whose text is repeated.
    """

    pattern: str
    groups: Mapping[str, str]
    targets: Mapping[str, int]
    repeated: tuple[str, ...]


class LineStarts:
    """Where the lines of a text begin that may have an opener, by their first character.

    Most lines begin like no section, and no pattern has to be tried there.

    Args:
        text: The text; its lines end with line feeds only.
        sections: The sections to look for.
    """

    def __init__(self, text: str, sections: Iterable[Section]) -> None:
        self.text = text
        self._by_character: dict[str, list[int]] = {}
        self._chosen: dict[str, list[int]] = {}
        characters = set(_TOKEN)
        for section in sections:
            characters.update(section.first_characters, section.mark_characters)
        one_of = escape("".join(sorted(characters)))
        pattern = compile_pattern(f"\n[{BLANKS}]*(?=([{one_of}]))")
        after_blank = -1
        # So that a line feed is before the first line, too: this pattern begins with one.
        for match in pattern.finditer("\n" + text):
            place = match.start()
            character = match[1]
            if character == "\n":
                # Patterns that read blank lines read all of them from the first one on.
                is_first = place > after_blank
                after_blank = match.end()
                if not is_first:
                    continue
            self._by_character.setdefault(character, []).append(place)
            if text.startswith(_TOKEN, match.end() - 1):
                self._by_character.setdefault(_TOKEN, []).append(place)

    def find(self, characters: str) -> list[int]:
        """Return where the lines begin that begin with one of some characters, or with a token.

        Args:
            characters: The characters; a line feed means a blank line.
        """
        places = self._chosen.get(characters)
        if places is None:
            chosen: set[int] = set()
            for character in (*characters, _TOKEN):
                chosen.update(self._by_character.get(character, ()))
            places = sorted(chosen)
            self._chosen[characters] = places
        return places


def has_opener(text: str, sections: Sequence[Section]) -> bool:
    """Return whether an opener of some sections is in a text.

    Args:
        text: The text; its lines end with line feeds only.
        sections: The sections.
    """
    lines = LineStarts(text, sections)
    for section in sections:
        opener = section.find_opener(lines, 0)
        if opener is not None:
            return True
    return False


@dataclass(eq=False)
class Section:
    """One rule of a format.

    Attributes:
        format_name: The name of the format.
        rule: The rule: `write`, `edit`, `delete`, `command`, `call` or `sample`.
        free: By state, its free text.
        alternations: By state, the pattern out of it.
        needed_text: The longest text in every opener.
        needed_texts: Texts of which every opener has one: a reply without any has no such section.
            Empty if no such texts are known.
        first_characters: The characters that its openers can begin with, blanks and tokens before
            them apart. Empty if these are many, or if an opener may be inside of a line.
        is_token: Whether it begins with a token of a chat template.
        is_bare_json: Whether no mark is needed before a JSON value that is a call.
        opener_texts: The literal texts of its openers.
        mark_texts: The literal texts that are probably marks wherever they are.
        inner_marks: The marks that lead to a further part, not out of the section.
        envelope: The first and the last mark around several sections; two empty texts if there are
            none. Both are optional in each section: `*** Begin Patch` is only before the first one.
        open_states: The states after which nothing needs to follow.
        ends: Its ends that other texts probably do not have.
        patterns: The patterns of its terminals that are not free texts.
        trees: The edges as trees, which only a writer needs.
        shortest: By hidden terminal, the text that a writer writes.
    """

    format_name: str
    rule: str
    free: Mapping[int, FreeText]
    alternations: Mapping[int, Exits]
    needed_text: str
    needed_texts: tuple[str, ...]
    first_characters: str
    is_token: bool
    is_bare_json: bool
    opener_texts: tuple[str, ...]
    mark_texts: tuple[str, ...]
    inner_marks: tuple[str, ...]
    envelope: tuple[str, ...]
    open_states: frozenset[int]
    ends: tuple[End, ...]
    patterns: Mapping[str, str]
    trees: Any
    shortest: Mapping[str, str]

    @cached_property
    def opener(self) -> Exits:
        """The pattern that begins the section."""
        return self.alternations[START]

    @cached_property
    def opener_pattern(self) -> Pattern:
        """The compiled pattern of `opener`."""
        return compile_pattern(self.opener.pattern)

    @cached_property
    def free_names(self) -> frozenset[str]:
        """The names of its free texts."""
        return frozenset([free.name for free in self.free.values()])

    @cached_property
    def long_openers(self) -> tuple[str, ...]:
        """The literal texts of its openers that no other text has by chance."""
        return tuple([text for text in self.opener_texts if len(text) >= _MIN_MARK])

    @cached_property
    def mark_characters(self) -> str:
        """The characters that `long_openers` begin with."""
        characters = {text[0] for text in self.long_openers}
        return "".join(sorted(characters))

    @cached_property
    def terminals(self) -> frozenset[str]:
        """The names of its terminals, free texts included."""
        return self.free_names.union(self.patterns)

    def start_of(self, opener: Match) -> int:
        """Return where a section begins: what may be before its first mark does not belong to it.

        Args:
            opener: A match of `opener_pattern`.
        """
        if self.is_token:
            return opener.start()
        return opener.end("lead")

    def find_opener(self, lines: LineStarts, start: int) -> Match | None:
        """Return the first opener from an offset on.

        Args:
            lines: The lines of the text.
            start: The offset.
        """
        text = lines.text
        if not self.first_characters:
            if not self.is_possible_in(text):
                return None
            return self.opener_pattern.search(text, start)
        places = lines.find(self.first_characters)
        for index in range(bisect_left(places, start), len(places)):
            opener = self.opener_pattern.match(text, places[index])
            if opener is not None:
                return opener
        return None

    def begins(self, text: str) -> bool:
        """Return whether an opener begins a text.

        Args:
            text: The text; its lines end with line feeds only.
        """
        return self.is_possible_in(text) and self.opener_pattern.match(text) is not None

    def is_possible_in(self, text: str) -> bool:
        """Return whether a text may have an opener; it takes less time than a search for one."""
        for needed in self.needed_texts:
            if needed in text:
                return True
        return not self.needed_texts

    def exits(self, state: int, same: Mapping[str, str]) -> Exits:
        """Return the pattern of all edges out of a state.

        Args:
            state: The state.
            same: By terminal, the text that SAME_X repeats.
        """
        exits = self.alternations[state]
        pattern = exits.pattern
        for name in exits.repeated:
            text = escape(same.get(name, _UNKNOWN))
            pattern = pattern.replace(f"\0{name}\0", text)
        return exits._replace(pattern=pattern)


class Part(NamedTuple):
    """A terminal of a section and its place."""

    name: str
    start: int
    end: int


@dataclass
class Item:
    """A section in a text.

    Attributes:
        section: The rule.
        start: The offset at which it begins.
        end: The offset at which it ends.
        parts: Its terminals, in order.
        is_truncated: Whether the text ends inside it.
        is_opened: Whether only its opener was read so far.
        ending: The pattern of the mark that ended it.
        awaited: The pattern of the marks that may end its last terminal, if it is truncated.
        doubts: The codes of its doubts, some with what the message names.
    """

    section: Section
    start: int
    end: int
    parts: list[Part]
    is_truncated: bool = False
    is_opened: bool = False
    ending: Pattern | None = None
    awaited: Pattern | None = None
    doubts: list[str] = field(default_factory=list)

    @property
    def format_name(self) -> str:
        return self.section.format_name

    def find(self, name: str) -> Part | None:
        """Return the first part of a terminal."""
        for part in self.parts:
            if part.name == name:
                return part
        return None

    def end_before(self, place: int, parts: list[Part]) -> None:
        """End an item at a place where its end is missing.

        Args:
            place: The offset.
            parts: The parts that it keeps.
        """
        self.end = place
        self.parts = parts
        self.ending = None
        self.awaited = None
        self.is_truncated = False
        self.doubts = [NO_CLOSING_MARK]

    def text_of(self, name: str, text: str) -> str | None:
        """Return the text of the first part of a terminal; None if there is none."""
        part = self.find(name)
        return text[part.start : part.end] if part else None


def find_places(text: str, part: str) -> Iterator[int]:
    """Yield the places of a part of a text; they may overlap.

    Args:
        text: The text.
        part: The part.
    """
    place = text.find(part)
    while place >= 0:
        yield place
        place = text.find(part, place + 1)


def find_first_opener(text: str, part: Part, sections: Sequence[Section]) -> int | None:
    """Return where the first opener of some sections is in a part; None if there is none.

    Args:
        text: The text; its lines end with line feeds only.
        part: The part.
        sections: The sections.
    """
    places = []
    for section in sections:
        opener = section.opener_pattern.search(text, part.start, part.end)
        if opener is not None:
            places.append(section.start_of(opener))
    return min(places, default=None)


def read_section(format_name: str, data: Any, shortest: Mapping[str, str]) -> Section:
    """Return the section of JSON values.

    Args:
        format_name: The name of its format.
        data: The values (`reading_tables.section_data`).
        shortest: By hidden terminal, the text that a writer writes.
    """
    free = {}
    for state, name, is_lines in data["free"]:
        free[state] = FreeText(name, is_lines)
    alternations = {}
    for state, pattern, groups, targets, repeated in data["exits"]:
        alternations[state] = Exits(pattern, groups, targets, tuple(repeated))
    return Section(
        format_name,
        data["rule"],
        free,
        alternations,
        data["needed_text"],
        tuple(data["needed_texts"]),
        data["first_characters"],
        data["is_token"],
        data["is_bare_json"],
        tuple(data["opener_texts"]),
        tuple(data["mark_texts"]),
        tuple(data["inner_marks"]),
        tuple(data["envelope"]),
        frozenset(data["open_states"]),
        tuple([End(pattern, tuple(needed)) for pattern, needed in data["ends"]]),
        data["patterns"],
        data.get("trees"),
        shortest,
    )
