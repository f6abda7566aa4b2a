"""Make tasks of real files: one place of a file is changed, and the reply must undo the change.

A function with `@mutation` changes a line in one way. To add a kind of change, add a function.
"""

from __future__ import annotations

import hashlib
import os
import sysconfig
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from ....core.ground.errors import SymOpsError
from ....core.ground.numbers import grouped
from ....core.patterns.regexes import compile_pattern


@dataclass(frozen=True, slots=True)
class EditTask:
    """A file with one changed place, and the request to undo the change.

    Attributes:
        path: The path of the file below its source.
        kind: The kind of change, such as "other number".
        before: The text that the model sees.
        after: The text that its edit must give.
        first: The index of the first line of `before` that is replaced.
        old: The lines of `before` that are replaced. Empty if a line is missing there.
        new: The lines that replace them.
        is_unique: Whether the changed line, or the line above a missing one, occurs once.
    """

    path: str
    kind: str
    before: str
    after: str
    first: int
    old: tuple[str, ...]
    new: tuple[str, ...]
    is_unique: bool

    @property
    def end(self) -> int:
        """The index of the first line below the changed place."""
        return self.first + len(self.old)

    @property
    def request(self) -> str:
        """The request to the model, in words."""
        place = f"In the file {self.path}, "
        number = self.first + 1
        if not self.old:
            order = f"a line is missing after line {self.first}. Insert it there:"
            return f"{place}{order}\n\n{self.new[0]}"
        if not self.new:
            order = f"line {number} repeats the line above it. Remove line {number}:"
            return f"{place}{order}\n\n{self.old[0]}"
        wrong = f"line {number} is wrong. It reads:\n\n{self.old[0]}"
        return f"{place}{wrong}\n\nIt must read:\n\n{self.new[0]}\n\nChange nothing else."

    @property
    def fingerprint(self) -> str:
        """A hash of all that the task says."""
        parts = (self.path, self.kind, self.before, self.after)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


# Returns the line that the model sees in place of a line of the file, or None if there is nothing
# to change in it.
Mutation = Callable[[str], str | None]
MUTATIONS: dict[str, Mutation] = {}
# Kinds that look at more than one line.
MISSING = "missing line"
DOUBLED = "doubled line"
COPIED = "copy of another line"


def mutation(name: str) -> Callable[[Mutation], Mutation]:
    """Return a decorator that registers a kind of change of a line.

    Args:
        name: The name of the kind.
    """

    def register(function: Mutation) -> Mutation:
        MUTATIONS[name] = function
        return function

    return register


@mutation("other number")
def _change_number(line: str) -> str | None:
    match = _NUMBER.search(line)
    if match is None:
        return None
    number = int(match[0]) + 1
    return line[: match.start()] + str(number) + line[match.end() :]


@mutation("misspelt word")
def _misspell_word(line: str) -> str | None:
    # A lost letter is the most frequent slip of a model that copies.
    match = _WORD.search(line)
    if match is None:
        return None
    return line[: match.end() - 1] + line[match.end() :]


@mutation("other operator")
def _change_operator(line: str) -> str | None:
    for operator, replacement in _OPERATORS.items():
        if operator in line:
            return line.replace(operator, replacement, 1)
    return None


def make_tasks(source: str | Path | None, n: int, seed: int = 0) -> tuple[EditTask, ...]:
    """Return tasks of the files of a folder, one of each file.

    Args:
        source: The folder, with all folders below it. None: the standard library of this Python.
        n: The number of tasks, if there are enough files.
        seed: Another seed draws other files, lines and kinds.

    Returns:
        The tasks, in the order in which they were drawn.

    Raises:
        SymOpsError: There is no such folder, or it has no text file of 50 to 3,000 lines.
    """
    folder = Path(source or sysconfig.get_paths()["stdlib"])
    paths = list(_find_files(folder))
    rng = Random(f"edits/{seed}")
    rng.shuffle(paths)
    kinds = (*MUTATIONS, MISSING, DOUBLED, COPIED)
    tasks: list[EditTask] = []
    for path in paths:
        if len(tasks) == n:
            break
        text = _read_text(path)
        if text is None:
            continue
        name = path.relative_to(folder).as_posix()
        # Each kind in turn, so that all are equally frequent.
        task = _make_task(name, text, kinds[len(tasks) % len(kinds)], rng)
        if task is not None:
            tasks.append(task)
    if not tasks:
        message = f"no text file of {MIN_LINES} to {grouped(MAX_LINES)} lines is in it"
        raise SymOpsError(f"{folder}: {message}; name another folder with --source")
    return tuple(tasks)


def _find_files(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder that may be texts, in order, without hidden folders."""
    if not folder.is_dir():
        raise SymOpsError(f"{folder}: there is no such folder")
    for place, names, files in os.walk(folder):
        # `os.walk` enters the folders that are in this list afterwards.
        names[:] = sorted(name for name in names if _is_own(name))
        for name in sorted(files):
            if Path(name).suffix in _SUFFIXES:
                yield Path(place, name)


def _is_own(folder: str) -> bool:
    return folder[0] not in "._" and folder != "site-packages"


def _read_text(path: Path) -> str | None:
    """Return the text of a file, or None if the file cannot be used for a task."""
    try:
        if path.is_symlink() or path.stat().st_size > _MAX_BYTES:
            return None
        text = path.read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        return None
    # Other line endings than LF would need a model to write them.
    has_odd_ends = "\r" in text or "\f" in text or not text.endswith("\n")
    if has_odd_ends or text.startswith("\ufeff"):
        return None
    return text if MIN_LINES <= text.count("\n") <= MAX_LINES else None


def _make_task(path: str, text: str, kind: str, rng: Random) -> EditTask | None:
    """Return the task of one file, or None if no line can be changed in this way."""
    lines = text.split("\n")[:-1]
    places = [index for index, line in enumerate(lines) if index and line.strip()]
    for index in rng.sample(places, min(_TRIES, len(places))):
        line = lines[index]
        if kind == MISSING:
            return _build(path, kind, lines, index, (), (line,))
        if kind == DOUBLED:
            return _build(path, kind, lines, index + 1, (line,), ())
        if kind == COPIED:
            changed: str | None = lines[rng.choice(places)]
        else:
            changed = MUTATIONS[kind](line)
        if changed is not None and changed != line:
            return _build(path, kind, lines, index, (changed,), (line,))
    return None


def _build(
    path: str,
    kind: str,
    lines: Sequence[str],
    first: int,
    old: tuple[str, ...],
    new: tuple[str, ...],
) -> EditTask:
    """Return the task in which `old` is in place of the lines `new` of a file."""
    changed = [*lines[:first], *old, *lines[first + len(new) :]]
    # The line by which a model finds the place.
    key = old[0] if old else changed[first - 1]
    before = "".join(f"{line}\n" for line in changed)
    after = "".join(f"{line}\n" for line in lines)
    return EditTask(path, kind, before, after, first, old, new, changed.count(key) == 1)


# ---- limits and tables

MIN_LINES = 50
MAX_LINES = 3_000
_MAX_BYTES = 400_000
# Lines that are tried in one file.
_TRIES = 40
_LANGUAGES = (
    "c cc cpp cs css go h html java js kt md php py rb rs scss sh sql swift toml ts tsx yaml yml"
)
_SUFFIXES = frozenset(f".{suffix}" for suffix in _LANGUAGES.split())
_NUMBER = compile_pattern(r"[0-9]+")
_WORD = compile_pattern(r"[A-Za-z]{4,}")
_OPERATORS = {" == ": " != ", " < ": " <= ", " + ": " - ", " and ": " or ", " && ": " || "}
