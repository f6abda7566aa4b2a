"""Where two grammars disagree: the shortest texts that one accepts and the other does not, or that they read otherwise.

Samples of both and damaged copies of them are read by both. Each text on which they disagree is reduced as long as they
disagree in the same way, so that what stays is the difference itself, and one text is kept for each shape of it.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from ...core.document import Document
from ...core.grammar.compiling.compiler import WrittenDialect
from ...core.ground.members import coerce_members
from ...core.text.diagnostics import Diagnostic
from ...core.text.source import lines_with_endings
from .readers import ParsedText, Reader, Reading, find_reader

_MUTANTS = 6  # damaged copies of each sample
_REDUCED = 3  # of the texts that seem to differ in the same place, so many are reduced
_STRETCH = 3  # neighbours that are left out together: an opener and its closer, with a line between them
_SHORT = 40  # characters, up to which pairs of them are tried
_SIMPLE = "a0 _-"  # what other characters become, where it makes no difference, the simplest first
_LETTERS = "ab0 \t.:\"'\n"  # put into texts, besides what marks are made of


class Kind(StrEnum):
    """How two grammars, a first and a second, disagree on a text."""

    FIRST_ONLY = "first-only"
    SECOND_ONLY = "second-only"
    READ_DIFFERENTLY = "read-differently"


@dataclass(frozen=True, slots=True)
class Difference:
    """A text without a superfluous line or character, and what each grammar says: a document or tree, or a refusal."""

    kind: Kind
    text: str
    first: Reading
    second: Reading

    def __post_init__(self) -> None:
        coerce_members(self)


@dataclass(frozen=True, slots=True)
class Comparison:
    """How many texts were compared, and one difference of each shape: by kind, the shortest first."""

    compared: int
    differences: tuple[Difference, ...]


def compare(
    first: WrittenDialect,
    second: WrittenDialect,
    n: int = 200,
    seed: int | str = 0,
    watch: Callable[[int, int], object] = lambda done, total: None,
    start: str = "",
) -> Comparison:
    """Compare two grammars on n samples of each, and on damaged copies of these.

    Any two grammars of Lark can be compared; `start` is their start rule if it is not `start`.

    The same grammars, n and seed give the same comparison; `watch` is told how many texts were read, of how many. No
    difference found is no proof that there is none. Raises `GrammarError` for a grammar that cannot be compiled.
    Source: the readings of the strict parser.
    """
    readers = Readers(first, second, start)
    texts = _make_texts(readers, n, seed)
    groups: dict[tuple[str, ...], list[str]] = {}
    for number, text in enumerate(texts):  # from short to long
        watch(number, len(texts))
        if readers.find_kind(text) is not None:
            group = groups.setdefault(readers.find_place(text), [])
            if len(group) < _REDUCED:
                group.append(text)
    kept = _choose((reduce(text, readers) for group in groups.values() for text in group), readers)
    kept = _choose((reduce(text, readers, pairs=True) for text in kept), readers)
    found = [Difference(kind, text, *readers.read(text)) for text in kept if (kind := readers.find_kind(text))]
    return Comparison(len(texts), tuple(sorted(found, key=lambda d: (list(Kind).index(d.kind), len(d.text), d.text))))


def _choose(texts: Iterable[str], readers: Readers) -> list[str]:
    """Return the shortest text of each shape."""
    kept: dict[tuple[str, ...], str] = {}
    for text in texts:
        shape = readers.find_shape(text)
        kept[shape] = min(text, kept.get(shape, text), key=lambda text: (len(text), text))
    return list(kept.values())


# ---- texts


def _make_texts(readers: Readers, n: int, seed: int | str) -> list[str]:
    """Return samples of both and damaged copies of them, each text once, by length."""
    chance = random.Random(f"difference {seed}").random
    samples = list(dict.fromkeys(text for reader in readers.both for text in reader.sample(n, seed)))
    lines = list(dict.fromkeys(line for text in samples for line in lines_with_endings(text)))
    marks = dict.fromkeys(mark for reader in readers.both for mark in reader.marks)
    insets = [*marks, *dict.fromkeys("".join(marks) + _LETTERS)]
    texts = dict.fromkeys(samples)
    for text in samples:
        for _ in range(_MUTANTS):
            texts[damage_text(text, lines, insets, len(marks), chance)] = None
    return sorted(texts, key=lambda text: (len(text), text))


def damage_text(
    text: str, others: Sequence[str], insets: Sequence[str], marks: int, chance: Callable[[], float]
) -> str:
    """Damage a text in one place, sometimes in two: a line or some characters lost, doubled, exchanged or put in.

    `insets` are the marks, so many as `marks` says, and then single characters.
    """

    def pick(size: int) -> int:
        return int(chance() * size)

    lines = lines_with_endings(text)
    if lines and chance() < 0.5:
        at, other = pick(len(lines)), pick(len(lines))
        match pick(6):
            case 0:
                del lines[at]
            case 1:
                lines.insert(other, lines[at])
            case 2:
                lines[at], lines[other] = lines[other], lines[at]
            case 3:
                lines.insert(at, others[pick(len(others))])
            case _:
                lines.insert(at, insets[pick(marks)] + "\n")  # what is markup in one only is content in the other
        damaged = "".join(lines)
    else:
        at, inset = pick(len(text) + 1), insets[pick(len(insets))]
        damaged = text[:at] + ("", inset, inset)[pick(3)] + text[at + pick(2) :]
    return damaged if chance() < 0.75 else damage_text(damaged, others, insets, marks, chance)


# ---- readings


class Readers:
    """Two grammars that read the same texts; what they said is remembered."""

    def __init__(self, first: WrittenDialect, second: WrittenDialect, start: str = "") -> None:
        self.dialects = (first, second)
        self.both: tuple[Reader, Reader] = (find_reader(first, start), find_reader(second, start))
        self._readings: dict[str, tuple[Reading, Reading]] = {}

    def read(self, text: str) -> tuple[Reading, Reading]:
        """Return each one's document or tree, or the first diagnostic of its refusal."""
        if text not in self._readings:
            self._readings[text] = self.both[0].read(text), self.both[1].read(text)
        return self._readings[text]

    def find_kind(self, text: str) -> Kind | None:
        """Return how the two disagree on a text; None if they do not."""
        first, second = self.read(text)
        refused = (isinstance(first, Diagnostic), isinstance(second, Diagnostic))
        if refused == (False, False):
            return None if first == second else Kind.READ_DIFFERENTLY
        return {(False, True): Kind.FIRST_ONLY, (True, False): Kind.SECOND_ONLY}.get(refused)

    def find_place(self, text: str) -> tuple[str, ...]:
        """Name where they disagree: the refusal, and the terminal that the other sees there; or the part of a node."""
        kind, (first, second) = str(self.find_kind(text)), self.read(text)
        if isinstance(first, Document) and isinstance(second, Document):
            return kind, *_find_part(first, second)
        if isinstance(first, ParsedText) and isinstance(second, ParsedText):
            return kind, *_find_line(first, second)
        accepts, refusal = (1, first) if isinstance(first, Diagnostic) else (0, second)
        if not isinstance(refusal, Diagnostic):
            return (kind,)
        return kind, refusal.code, self.both[accepts].find_terminal(text, refusal.span.start)

    def find_shape(self, text: str) -> tuple[str, ...]:
        """Return what is common to texts that show the same difference: its place, and the kinds of the lines."""
        lines = [line + "\n" for line in text.split("\n")]
        kinds = (reader.find_line_kind(line) for line in lines for reader in self.both)
        return *self.find_place(text), *filter(None, kinds)


def _find_line(first: ParsedText, second: ParsedText) -> tuple[str, ...]:
    """Name the first two lines of the trees that are not equal, without the values of tokens."""
    for one, other in zip(first.tree.split("\n"), second.tree.split("\n"), strict=False):
        if one != other:
            return one.split("\t")[0].strip(), other.split("\t")[0].strip()
    return ("length of the tree",)


def _find_part(first: Document, second: Document) -> tuple[str, ...]:
    """Name the kinds of the first two sections that are not equal, and the first field that differs."""
    for one, other in zip(first.sections, second.sections, strict=False):
        if one != other:
            names: Iterable[str] = getattr(one, "__dataclass_fields__", ()) if type(one) is type(other) else ()
            fields = (name for name in names if "span" not in name and getattr(one, name) != getattr(other, name))
            return type(one).__name__, type(other).__name__, next(fields, "")
    return ("number of sections",)


# ---- reduction


def reduce(text: str, readers: Readers, *, pairs: bool = False) -> str:
    """Return a least text on which two grammars disagree in the same way as on this one.

    No line and no character can be left out of it without ending that disagreement, and no character can be replaced
    by a simpler one; with `pairs`, no two characters of a short text can be left out either, such as one of an opener
    and one of its closer. Raises `ValueError` if they agree on the text.
    """
    kind = readers.find_kind(text)
    if kind is None:
        raise ValueError("the grammars agree on this text")

    def keeps(candidate: str) -> bool:
        return readers.find_kind(candidate) is kind

    before = None
    while before != text:
        before = text
        text = "".join(_minimize(lines_with_endings(text), keeps))
        text = "".join(_minimize(list(text), keeps))
        text = _simplify(text, keeps)
        if pairs and before == text and len(text) <= _SHORT:
            pairs_left_out = (
                text[:one] + text[one + 1 : other] + text[other + 1 :]
                for one, other in itertools.combinations(range(len(text)), 2)
            )
            text = next(filter(keeps, pairs_left_out), text)
    return text


def _minimize(parts: list[str], keeps: Callable[[str], bool]) -> list[str]:
    """Leave out stretches of parts, from half of all down to single ones, until none of up to three can be spared."""
    size = max(_STRETCH, len(parts) // 2)
    while size:
        at, shrunk = 0, False
        while at < len(parts):
            rest = parts[:at] + parts[at + size :]
            if keeps("".join(rest)):
                parts, shrunk = rest, True
            else:
                at += size if size > _STRETCH else 1
        again = _STRETCH if shrunk else size - 1
        size = max(_STRETCH, size // 2) if size > _STRETCH else again
    return parts


def _simplify(text: str, keeps: Callable[[str], bool]) -> str:
    for at, character in enumerate(text):
        if character != "\n":
            simpler = (text[:at] + simple + text[at + 1 :] for simple in _SIMPLE.partition(character)[0])
            text = next(filter(keeps, simpler), text)
    return text
