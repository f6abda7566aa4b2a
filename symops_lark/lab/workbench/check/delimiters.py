"""How risky the delimiters of blocks are: how often a line of a folder's files is exactly one, by language.

Such a line inside a content would end the block, or could not be said at all; where a dialect has longer fences, it
costs a longer one.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ....core.grammar.dialect import Dialect
from ....core.grammar.marks import FENCES
from ....core.ground.file_types import OTHER, language_of
from ....core.ground.json_objects import JsonObject
from ...measuring.intervals import exact_interval

MAX_BYTES = 1_000_000
_TOO_LARGE = f"over {MAX_BYTES} bytes"
ALL = "all"
_BLANK = b" \t\r"


@dataclass(frozen=True, slots=True)
class Delimiters:
    """What delimits the blocks of a dialect; `fences` are the lines that its content must not have alone, by length.

    Blocks of the usual length 3 come first; dialects without longer fences have no other.
    """

    dialect: str
    opener: str
    closer: str
    fences: tuple[tuple[int, frozenset[str]], ...]

    def fence_for(self, lone: Collection[str]) -> int | None:
        """Return the length of the shortest fence that carries a content with some lone lines; None if none does."""
        return next((length for length, marks in self.fences if marks.isdisjoint(lone)), None)


def delimiters_of(dialect: Dialect) -> Delimiters:
    """Return the delimiters of a dialect."""
    pairs = zip((3, *FENCES), dialect.fences.items(), strict=False)
    fences = tuple((length, frozenset((opener, *closers))) for length, (opener, closers) in pairs)
    return Delimiters(dialect.name, dialect.marks["open"], dialect.marks["close"], fences)


@dataclass(frozen=True, slots=True)
class Row:
    """The files of one language, and in how many a delimiter is all of a line but for blanks behind it.

    `share` is that of files with either; `low` and `high` are its exact 95 % interval. `lines` counts the lines that
    begin with a delimiter. `refused` are the files that no block of the dialect can hold, all with a lone delimiter
    where it has no longer fences. `carried` says how many of those with one the carrier can hold, by length of fence.
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
    """The first lone delimiter of a file, in line `line`; `fence` is the length with which the carrier can hold it."""

    dialect: str
    language: str
    path: str
    line: int
    delimiter: str
    fence: int | None


@dataclass(frozen=True, slots=True)
class Survey(JsonObject):
    """For each dialect a row for each language and one for all; the files that were not read, by reason.

    `large` names those that were too large, `examples` are the first of each dialect and language.
    """

    rows: tuple[Row, ...]
    skipped: dict[str, int]
    examples: tuple[Example, ...] = ()
    large: tuple[str, ...] = ()


@dataclass
class _Tally:
    """What is counted while files are read."""

    counts: dict[tuple[str, str], Counter[str]] = field(default_factory=dict)
    fences: dict[tuple[str, str], Counter[int | None]] = field(default_factory=dict)
    examples: dict[tuple[str, str], list[Example]] = field(default_factory=dict)
    skipped: Counter[str] = field(default_factory=Counter)
    large: list[str] = field(default_factory=list)


def survey(
    folders: Sequence[Path], dialects: Sequence[Delimiters], carrier: Delimiters | None = None, examples: int = 3
) -> Survey:
    """Read all files below some folders, each once, but hidden ones and links.

    The carrier is a dialect with longer fences, which may hold what others cannot; without one each is its own.
    `examples` is the number of them for each dialect and language. Raises `OSError` if a folder is not there.
    """
    for folder in folders:
        if not folder.is_dir():
            raise NotADirectoryError(20, "not a folder", str(folder))
    tally = _Tally()
    every = (*dialects, carrier) if carrier else dialects
    marks = {mark.encode(): mark for known in every for _, fence in known.fences for mark in fence}
    stems = [mark for mark in marks if not any(mark != other and mark.startswith(other) for other in marks)]
    for path in _walk(folders, tally.skipped):
        data = _read(path)
        if isinstance(data, str):
            tally.skipped[data] += 1
            tally.large += [str(path)] * (data == _TOO_LARGE)
            continue
        begun, lone = _find(data, stems, marks)
        language = language_of(path) or OTHER
        for known in dialects:
            _count(tally, known, carrier or known, language, begun, set(lone))
            own = [lone[mark] for mark in known.fences[0][1] if mark in lone]
            kept = tally.examples.setdefault((known.dialect, language), [])
            fence = (carrier or known).fence_for(lone)
            if own and len(kept) < examples:
                at = min(own)
                shown = next(mark for mark, place in lone.items() if place == at)
                line = data.count(b"\n", 0, at)  # `data` begins with a line feed that is not the file's
                kept.append(Example(known.dialect, language, str(path), line, shown, fence))
    rows = tuple(row for known in dialects for row in _make_rows(tally, known))
    found = tuple(item for key in sorted(tally.examples) for item in tally.examples[key])
    return Survey(rows, dict(sorted((+tally.skipped).items())), found, tuple(tally.large))


def _find(data: bytes, stems: list[bytes], marks: dict[bytes, str]) -> tuple[Counter[str], dict[str, int]]:
    """Count the lines that begin with each mark, and give the place of the first line that is nothing else."""
    begun: Counter[str] = Counter()
    lone: dict[str, int] = {}
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
    tally: _Tally, known: Delimiters, carrier: Delimiters, language: str, begun: Counter[str], lone: set[str]
) -> None:
    for key in ((known.dialect, language), (known.dialect, ALL)):
        row = tally.counts.setdefault(key, Counter())
        row["files"] += 1
        row["opener"] += known.opener in lone
        row["closer"] += known.closer in lone
        row["lines"] += sum(begun[mark] for mark in {known.opener, known.closer})
        if not known.fences[0][1].isdisjoint(lone):
            row["either"] += 1
            row["refused"] += known.fence_for(lone) is None
            tally.fences.setdefault(key, Counter())[carrier.fence_for(lone)] += 1


def _make_rows(tally: _Tally, known: Delimiters) -> Iterator[Row]:
    languages = sorted((language for dialect, language in tally.counts if dialect == known.dialect), key=str.lower)
    for language in [*(name for name in languages if name != ALL), ALL]:
        key = known.dialect, language
        counts, fences = tally.counts.get(key, Counter()), tally.fences.get(key, Counter())
        files, either = counts["files"], counts["either"]
        carried = sorted((str(length), n) for length, n in fences.items() if length is not None)
        seen = counts["opener"], counts["closer"], either, counts["lines"]
        share = either / files if files else 0.0
        interval = exact_interval(either, files)
        yield Row(language, known.dialect, files, *seen, share, *interval, counts["refused"], tuple(carried))


def _walk(folders: Sequence[Path], skipped: Counter[str]) -> Iterator[Path]:
    seen: set[str] = set()
    for folder in folders:
        for base, inner, files in os.walk(folder):
            skipped["link"] += sum(os.path.islink(os.path.join(base, name)) for name in inner if not _is_hidden(name))
            inner[:] = sorted(name for name in inner if not _is_hidden(name))
            real = os.path.realpath(base)
            if real in seen:
                inner.clear()
                continue
            seen.add(real)
            yield from (Path(base, name) for name in sorted(files) if not _is_hidden(name))


def _read(path: Path) -> bytes | str:
    """Return the bytes of a text file behind a line feed, or why it is not read."""
    try:
        if path.is_symlink() or not path.is_file():
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
