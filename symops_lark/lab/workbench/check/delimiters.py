"""The risk of the delimiters of blocks: how often a line of a file is equal to one, by language.

Such a line in a content would end the block, or the content could not be written at all. In a
dialect with longer fences, it requires a longer one.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ....core.grammar.dialect import Dialect
from ....core.grammar.marks import FENCES
from ....core.ground.errors import GrammarError
from ....core.ground.file_types import OTHER, language_of
from ....core.ground.json_objects import JsonObject
from ...measuring.intervals import exact_interval

MAX_BYTES = 1_000_000  # a larger file is not a content of an action
_TOO_LARGE = f"over {MAX_BYTES} bytes"
ALL = "all"
_BLANK = b" \t\r"


@dataclass(frozen=True, slots=True)
class Delimiters:
    """The delimiters of the blocks of a dialect.

    Attributes:
        dialect: The name of the dialect.
        opener: The usual opener.
        closer: The usual closer.
        fences: The lengths of fences with the lines that a content must not have alone. The usual
            length, 3, is first; dialects without longer fences have only this one.
    """

    dialect: str
    opener: str
    closer: str
    fences: tuple[tuple[int, frozenset[str]], ...]

    def fence_for(self, lone: Collection[str]) -> int | None:
        """Return the length of the shortest fence for a content with some lone lines, if any."""
        for length, marks in self.fences:
            if marks.isdisjoint(lone):
                return length
        return None


def delimiters_of(dialect: Dialect) -> Delimiters:
    """Return the delimiters of a dialect.

    Args:
        dialect: The dialect.

    Raises:
        GrammarError: The dialect has no blocks.
    """
    if not dialect.said_marks.keys() >= {"open", "close"}:
        raise GrammarError(
            f"{dialect.file}: the dialect has no blocks, so there are no delimiters to count"
        )
    fences = []
    for length, (opener, closers) in zip((3, *FENCES), dialect.fences.items(), strict=False):
        fences.append((length, frozenset((opener, *closers))))
    return Delimiters(dialect.name, dialect.marks["open"], dialect.marks["close"], tuple(fences))


@dataclass(frozen=True, slots=True)
class Row:
    """The files of one language, and how many of them have a delimiter alone on a line.

    Blanks after the delimiter do not count.

    Attributes:
        language: The language.
        dialect: The dialect.
        files: The number of files.
        opener: The files with a lone opener.
        closer: The files with a lone closer.
        either: The files with one of them.
        lines: The lines that begin with a delimiter.
        share: The share of files with either.
        low: The lower end of its exact 95 % interval.
        high: The upper end.
        refused: The files that no block of the dialect can contain. Without longer fences, these
            are all files with a lone delimiter.
        carried: How many of the files with a lone delimiter the carrier can contain, by the length
            of the fence.
    """

    language: str
    dialect: str
    files: int
    opener: int
    closer: int
    either: int
    lines: int
    share: float
    low: float
    high: float
    refused: int
    carried: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Example:
    """The first lone delimiter of a file; `fence` is the length of fence that the carrier needs."""

    dialect: str
    language: str
    path: str
    line: int
    delimiter: str
    fence: int | None


@dataclass(frozen=True, slots=True)
class Survey(JsonObject):
    """The result of a survey.

    Attributes:
        rows: For each dialect a row for each language, and one for all languages.
        skipped: The number of files that were not read, by reason.
        examples: The first examples of each dialect and language.
        large: The files that were too large.
    """

    rows: tuple[Row, ...]
    skipped: dict[str, int]
    examples: tuple[Example, ...] = ()
    large: tuple[str, ...] = ()


@dataclass
class _Tally:
    """The counts while files are read."""

    counts: dict[tuple[str, str], Counter[str]] = field(default_factory=dict)
    fences: dict[tuple[str, str], Counter[int | None]] = field(default_factory=dict)
    examples: dict[tuple[str, str], list[Example]] = field(default_factory=dict)
    skipped: Counter[str] = field(default_factory=Counter)
    large: list[str] = field(default_factory=list)


def survey(
    folders: Sequence[Path],
    dialects: Sequence[Delimiters],
    carrier: Delimiters | None = None,
    examples: int = 3,
) -> Survey:
    """Read all files below some folders, each once; hidden files and links are skipped.

    Args:
        folders: The folders.
        dialects: The delimiters to look for.
        carrier: A dialect with longer fences, which may contain what others cannot. None: each
            dialect is its own carrier.
        examples: The number of examples for each dialect and language.

    Raises:
        NotADirectoryError: A folder does not exist.
    """
    for folder in folders:
        if not folder.is_dir():
            raise NotADirectoryError(20, "not a folder", str(folder))
    tally = _Tally()
    marks: dict[bytes, str] = {}
    for dialect in (*dialects, carrier) if carrier else dialects:
        for _, fence in dialect.fences:
            marks |= {mark.encode(): mark for mark in fence}
    # A longer mark is found by its beginning.
    shorter = [mark for mark in marks if not _has_beginning(mark, marks)]
    for path in _walk(folders, tally.skipped):
        data = _read(path)
        if isinstance(data, str):
            tally.skipped[data] += 1
            if data == _TOO_LARGE:
                tally.large.append(str(path))
            continue
        begun, lone = _find(data, shorter, marks)
        language = language_of(path) or OTHER
        for dialect in dialects:
            _count(tally, dialect, carrier or dialect, language, begun, set(lone))
            collected = tally.examples.setdefault((dialect.dialect, language), [])
            places = {lone[mark]: mark for mark in dialect.fences[0][1] if mark in lone}
            if places and len(collected) < examples:
                place = min(places)
                # `data` begins with a line feed that the file does not have.
                line = data.count(b"\n", 0, place)
                length = (carrier or dialect).fence_for(lone)
                example = Example(dialect.dialect, language, str(path), line, places[place], length)
                collected.append(example)
    rows: list[Row] = []
    for dialect in dialects:
        rows += _make_rows(tally, dialect)
    first_examples = []
    for key in sorted(tally.examples):
        first_examples += tally.examples[key]
    skipped = dict(sorted((+tally.skipped).items()))
    return Survey(tuple(rows), skipped, tuple(first_examples), tuple(tally.large))


def _has_beginning(mark: bytes, marks: Iterable[bytes]) -> bool:
    return any(mark != shorter and mark.startswith(shorter) for shorter in marks)


def _find(
    data: bytes, stems: list[bytes], marks: dict[bytes, str]
) -> tuple[Counter[str], dict[str, int]]:
    """Count the lines that begin with each mark; return also the places of the first lone ones."""
    begun: Counter[str] = Counter()
    lone: dict[str, int] = {}
    # Searching in bytes is many times faster than splitting into lines.
    for stem in stems:
        at = data.find(b"\n" + stem)
        while at >= 0:
            end = data.find(b"\n", at + 1)
            line = data[at + 1 : end if end >= 0 else len(data)].rstrip(_BLANK)
            begun[marks[stem]] += 1
            if line in marks:
                lone.setdefault(marks[line], at + 1)
            at = data.find(b"\n" + stem, at + 1)
    return begun, lone


def _count(
    tally: _Tally,
    dialect: Delimiters,
    carrier: Delimiters,
    language: str,
    begun: Counter[str],
    lone: set[str],
) -> None:
    # Each file counts for its language and for all.
    for key in ((dialect.dialect, language), (dialect.dialect, ALL)):
        row = tally.counts.setdefault(key, Counter())
        row["files"] += 1
        row["opener"] += dialect.opener in lone
        row["closer"] += dialect.closer in lone
        row["lines"] += sum(begun[mark] for mark in {dialect.opener, dialect.closer})
        if not dialect.fences[0][1].isdisjoint(lone):
            row["either"] += 1
            row["refused"] += dialect.fence_for(lone) is None
            tally.fences.setdefault(key, Counter())[carrier.fence_for(lone)] += 1


def _make_rows(tally: _Tally, dialect: Delimiters) -> Iterator[Row]:
    """Yield a row for each language by name, and one for all languages."""
    languages = {language for name, language in tally.counts if name == dialect.dialect}
    for language in [*sorted(languages - {ALL}, key=str.lower), ALL]:
        key = (dialect.dialect, language)
        counts = tally.counts.get(key, Counter())
        carried = []
        for length, n in tally.fences.get(key, Counter()).items():
            # None: not even the carrier can contain the file.
            if length is not None:
                carried.append((str(length), n))
        files = counts["files"]
        either = counts["either"]
        low, high = exact_interval(either, files)
        yield Row(
            language,
            dialect.dialect,
            files,
            counts["opener"],
            counts["closer"],
            either,
            counts["lines"],
            either / files if files else 0.0,
            low,
            high,
            counts["refused"],
            tuple(sorted(carried)),
        )


def _walk(folders: Sequence[Path], skipped: Counter[str]) -> Iterator[Path]:
    """Yield the files below some folders, in order; count links to folders as skipped."""
    visited = set()
    for folder in folders:
        for base, inner, files in os.walk(folder):
            # `os.walk` enters the folders that remain in this list.
            inner[:] = sorted(name for name in inner if not _is_hidden(name))
            for name in inner:
                skipped["link"] += os.path.islink(os.path.join(base, name))
            # One folder may be inside another one.
            real = os.path.realpath(base)
            if real in visited:
                inner.clear()
                continue
            visited.add(real)
            for name in sorted(files):
                if not _is_hidden(name):
                    yield Path(base, name)


def _read(path: Path) -> bytes | str:
    """Return the bytes of a text file after a line feed, or the reason why it is not read."""
    try:
        if path.is_symlink() or not path.is_file():
            # A pipe would be read for ever.
            return "link" if path.is_symlink() else "no file"
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except OSError:
        return "unreadable"
    if b"\0" in data:
        return "binary"
    if len(data) > MAX_BYTES:
        return _TOO_LARGE
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return "not UTF-8"
    return b"\n" + data


def _is_hidden(name: str) -> bool:
    return name != name.lstrip(os.curdir)
