"""The differences of two grammars: the shortest texts that they do not read alike.

Both read samples of both grammars, and damaged copies of these. Each text on which they disagree is
reduced as long as they disagree in the same way, so that only the difference remains. One text is
returned for each shape of a difference.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, combinations

from ...core.document import Document
from ...core.grammar.compiling.compiler import WrittenDialect
from ...core.ground.members import coerce_members
from ...core.text.diagnostics import Diagnostic
from ...core.text.source import lines_with_endings
from .readers import ParsedText, Reading, find_reader

_MUTANTS = 6  # damaged copies of each sample
_REDUCED = 3  # texts that are reduced, of those that seem to differ in the same place
# Neighbors that are left out together: an opener and its closer, with a line between them.
_STRETCH = 3
_SHORT = 40  # characters of a text in which pairs of them are left out, too
_SIMPLE = "a0 _-"  # replacements of other characters, the simplest first
_LETTERS = "ab0 \t.:\"'\n"  # put into texts, besides the characters of marks


class Kind(StrEnum):
    """How two grammars, a first and a second, disagree on a text."""

    FIRST_ONLY = "first-only"
    SECOND_ONLY = "second-only"
    READ_DIFFERENTLY = "read-differently"


@dataclass(frozen=True, slots=True)
class Difference:
    """A text without a superfluous line or character, with the reading of each grammar."""

    kind: Kind
    text: str
    first: Reading
    second: Reading

    def __post_init__(self) -> None:
        coerce_members(self)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The number of texts that were compared, and one difference of each shape.

    Differences are sorted by kind, the shortest first.
    """

    compared: int
    differences: tuple[Difference, ...]


def compare(
    first: WrittenDialect,
    second: WrittenDialect,
    n: int = 200,
    seed: int | str = 0,
    watch: Callable[[int, int], object] | None = None,
    start: str = "",
) -> Comparison:
    """Compare two grammars on samples of each, and on damaged copies of these.

    Any two grammars of Lark can be compared. The same arguments give the same comparison. A result
    without differences does not prove that the grammars are equal. Raises `GrammarError` for a
    grammar that cannot be compiled. Source: the readings of the strict parser.

    Args:
        first: The first grammar.
        second: The second grammar.
        n: The number of samples of each grammar.
        seed: The seed of the samples and of their damage.
        watch: Is called with the number of texts that were read, and of all texts.
        start: The start rule of both grammars; empty: the usual one.
    """
    readers = Readers(first, second, start)
    texts = _make_texts(readers, n, seed)
    groups: dict[tuple[str, ...], list[str]] = {}
    # The shortest texts come first, and only the first ones of a place are reduced.
    for number, text in enumerate(texts):
        if watch is not None:
            watch(number, len(texts))
        if readers.find_kind(text) is not None:
            group = groups.setdefault(readers.find_place(text), [])
            if len(group) < _REDUCED:
                group.append(text)
    different = chain.from_iterable(groups.values())
    reduced = _choose((reduce(text, readers) for text in different), readers)
    # Leaving out pairs takes long, so it is done only for the texts that remain.
    reduced = _choose((reduce(text, readers, pairs=True) for text in reduced), readers)
    differences = []
    for text in sorted(reduced, key=_length):
        kind = readers.find_kind(text)
        if kind:
            differences.append(Difference(kind, text, *readers.read(text)))
    kinds = list(Kind)
    differences.sort(key=lambda difference: kinds.index(difference.kind))
    return Comparison(len(texts), tuple(differences))


def _length(text: str) -> tuple[int, str]:
    return len(text), text


def _choose(texts: Iterable[str], readers: Readers) -> list[str]:
    """Return the shortest text of each shape."""
    by_shape: dict[tuple[str, ...], str] = {}
    for text in texts:
        shape = readers.find_shape(text)
        by_shape[shape] = min(text, by_shape.get(shape, text), key=_length)
    return list(by_shape.values())


# ---- texts


def _make_texts(readers: Readers, n: int, seed: int | str) -> list[str]:
    """Return samples of both and damaged copies of them, each text once, by length."""
    chance = random.Random(f"difference {seed}").random
    # Dicts keep the order, so that the same seed gives the same texts.
    samples: dict[str, None] = {}
    lines: dict[str, None] = {}
    marks: dict[str, None] = {}
    for reader in readers.both:
        samples |= dict.fromkeys(reader.sample(n, seed))
        marks |= dict.fromkeys(reader.marks)
    for text in samples:
        lines |= dict.fromkeys(lines_with_endings(text))
    insets = [*marks, *dict.fromkeys("".join(marks) + _LETTERS)]
    texts = dict(samples)
    for text in samples:
        for _ in range(_MUTANTS):
            texts[damage_text(text, list(lines), insets, len(marks), chance)] = None
    return sorted(texts, key=_length)


def damage_text(
    text: str, others: Sequence[str], insets: Sequence[str], marks: int, chance: Callable[[], float]
) -> str:
    """Damage a text in one place, sometimes in more: lose, double, exchange or insert something.

    Args:
        text: The text.
        others: Lines of other texts.
        insets: The marks, and then single characters.
        marks: The number of marks.
        chance: Returns a random number from 0 to 1.
    """

    def pick(size: int) -> int:
        return int(chance() * size)

    lines = lines_with_endings(text)
    if lines and chance() < 0.5:
        at = pick(len(lines))
        second = pick(len(lines))
        match pick(6):
            case 0:
                del lines[at]
            case 1:
                lines.insert(second, lines[at])
            case 2:
                lines[at], lines[second] = lines[second], lines[at]
            case 3:
                lines.insert(at, others[pick(len(others))])
            case _:
                # A line that is markup in one grammar may be content in the other.
                lines.insert(at, insets[pick(marks)] + "\n")
        damaged = "".join(lines)
    else:
        at = pick(len(text) + 1)
        inset = insets[pick(len(insets))]
        # In one of three cases nothing is inserted, so that a character may only be lost.
        inserted = ("", inset, inset)[pick(3)]
        damaged = text[:at] + inserted + text[at + pick(2) :]
    if chance() < 0.75:
        return damaged
    return damage_text(damaged, others, insets, marks, chance)


# ---- readings


class Readers:
    """Two grammars that read the same texts; their readings are cached."""

    def __init__(self, first: WrittenDialect, second: WrittenDialect, start: str = "") -> None:
        self.dialects = (first, second)
        self.both = (find_reader(first, start), find_reader(second, start))
        self._readings: dict[str, tuple[Reading, Reading]] = {}

    def read(self, text: str) -> tuple[Reading, Reading]:
        """Return both documents or trees; for a refusal, its first diagnostic."""
        if text not in self._readings:
            self._readings[text] = self.both[0].read(text), self.both[1].read(text)
        return self._readings[text]

    def find_kind(self, text: str) -> Kind | None:
        """Return how the two disagree on a text; None if they do not."""
        first, second = self.read(text)
        refused = (isinstance(first, Diagnostic), isinstance(second, Diagnostic))
        if refused == (True, True) or first == second:
            return None
        kinds = {(False, True): Kind.FIRST_ONLY, (True, False): Kind.SECOND_ONLY}
        return kinds.get(refused, Kind.READ_DIFFERENTLY)

    def find_place(self, text: str) -> tuple[str, ...]:
        """Return names of the place of a difference, for grouping.

        They are the refusal with the terminal of the other grammar there, or the part of a node.
        """
        kind = str(self.find_kind(text))
        first, second = self.read(text)
        if isinstance(first, Document) and isinstance(second, Document):
            return kind, *_find_part(first, second)
        if isinstance(first, ParsedText) and isinstance(second, ParsedText):
            return kind, *_find_line(first, second)
        reader, refusal = self.both[0], second
        if isinstance(first, Diagnostic):
            reader, refusal = self.both[1], first
        if not isinstance(refusal, Diagnostic):
            return (kind,)
        return kind, refusal.code, reader.find_terminal(text, refusal.span.start)

    def find_shape(self, text: str) -> tuple[str, ...]:
        """Return the place of a difference, and the kinds of the lines.

        Texts with the same shape show the same difference.
        """
        kinds = []
        for line in text.split("\n"):
            kinds += [reader.find_line_kind(line + "\n") for reader in self.both]
        return *self.find_place(text), *filter(None, kinds)


def _find_line(first: ParsedText, second: ParsedText) -> tuple[str, ...]:
    """Return the first two lines of the trees that are not equal, without the values of tokens."""
    for left, right in zip(first.tree.split("\n"), second.tree.split("\n"), strict=False):
        if left != right:
            return left.split("\t")[0].strip(), right.split("\t")[0].strip()
    return ("length of the tree",)


def _find_part(first: Document, second: Document) -> tuple[str, ...]:
    """Return the kinds of the first two sections that are not equal, and the field that differs."""
    for left, right in zip(first.sections, second.sections, strict=False):
        if left != right:
            kinds = (type(left).__name__, type(right).__name__)
            names = getattr(left, "__dataclass_fields__", ()) if kinds[0] == kinds[1] else ()
            for name in names:
                # The same section is at another place if a section before it has other lines.
                if "span" not in name and getattr(left, name) != getattr(right, name):
                    return *kinds, name
            return *kinds, ""
    return ("number of sections",)


# ---- reduction


def reduce(text: str, readers: Readers, *, pairs: bool = False) -> str:
    """Return a minimal text on which two grammars disagree in the same way as on this one.

    Without any of its lines or characters, or with a simpler character, they would not disagree in
    this way.

    Args:
        text: A text on which they disagree.
        readers: The grammars.
        pairs: Whether pairs of characters of a short text are left out, too, such as one of an
            opener and one of its closer.

    Raises:
        ValueError: They agree on the text.
    """
    kind = readers.find_kind(text)
    if kind is None:
        raise ValueError("the grammars agree on this text")

    def keeps(candidate: str) -> bool:
        return readers.find_kind(candidate) is kind

    # Each step may make room for the one before it, so they are repeated until nothing changes.
    before = None
    while before != text:
        before = text
        text = "".join(_minimize(lines_with_endings(text), keeps))
        text = "".join(_minimize(list(text), keeps))
        text = _simplify(text, keeps)
        if pairs and before == text and len(text) <= _SHORT:
            for start, end in combinations(range(len(text)), 2):
                shorter = text[:start] + text[start + 1 : end] + text[end + 1 :]
                if keeps(shorter):
                    text = shorter
                    break
    return text


def _minimize(parts: list[str], keeps: Callable[[str], bool]) -> list[str]:
    """Leave out stretches of parts, from half of all to single ones, as in delta debugging.

    In the result, no stretch of up to three parts can be left out.
    """
    size = max(_STRETCH, len(parts) // 2)
    while size:
        start = 0
        is_shorter = False
        while start < len(parts):
            remaining = parts[:start] + parts[start + size :]
            if keeps("".join(remaining)):
                parts = remaining
                is_shorter = True
            else:
                # Long stretches do not overlap: trying every start would take too long.
                start += size if size > _STRETCH else 1
        if size > _STRETCH:
            size = max(_STRETCH, size // 2)
        elif is_shorter:
            # What could not be left out before may be superfluous now.
            size = _STRETCH
        else:
            size -= 1
    return parts


def _simplify(text: str, keeps: Callable[[str], bool]) -> str:
    """Replace characters by simpler ones."""
    for at, character in enumerate(text):
        if character == "\n":
            continue
        for simple in _SIMPLE.partition(character)[0]:
            simpler = text[:at] + simple + text[at + 1 :]
            if keeps(simpler):
                text = simpler
                break
    return text
