"""The texts that are timed: files of Python's own standard library, which no test of ours was made from.

Each file is used once: a text that repeats itself flatters whatever remembers lines. The order is that of a hash of the
file's name, so the choice is the same on every machine that has the same release of Python.
"""

from __future__ import annotations

import hashlib
import json
import sysconfig
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from symops_lark import Action, Document, Thought, render
from symops_lark.core.grammar.loading import dialects, load_dialect
from symops_lark.lab.benchmark.faults import documents
from symops_lark.lab.benchmark.faults.contents import Content

from .texts import DAMAGES, broken

SMALLEST, LARGEST = 1_000, 20_000  # bytes
LINES = 200  # of a reply
_LEFT_OUT = {"site-packages", "test", "tests", "idlelib", "lib2to3"}


@cache
def choose() -> tuple[Content, ...]:
    """Return the files, with their paths below the library's folder."""
    root = Path(sysconfig.get_path("stdlib"))
    paths = [path for path in root.rglob("*.py") if not _LEFT_OUT.intersection(path.relative_to(root).parts)]
    results = []
    for path in sorted(paths, key=lambda path: hashlib.sha256(path.relative_to(root).as_posix().encode()).digest()):
        if SMALLEST <= path.stat().st_size <= LARGEST:
            content = Content(path.relative_to(root).as_posix(), path.read_text("utf-8", "replace"))
            if _is_carried(content):
                results.append(content)
    return tuple(results)


def _is_carried(file: Content) -> bool:
    """Return whether a file can stand in a block of each dialect: one that cannot would make their payloads differ."""
    return "\r" not in file.text and _delimiters().isdisjoint(line.strip() for line in file.text.split("\n"))


@cache
def _delimiters() -> frozenset[str]:
    existing = [load_dialect(name) for name in dialects()]
    return frozenset(mark for dialect in existing for mark in (*dialect.fences, *dialect.closers))


def _document(files: Sequence[Content]) -> Document:
    sections = [(Thought(f"next is {file.path}"), Action("create", file.path, file.text)) for file in files]
    return Document(tuple(section for pair in sections for section in pair))


def take(first: int, count: int) -> Sequence[Content]:
    """Return so many files from one on; behind the last comes the first again."""
    files = choose()
    return [files[(first + number) % len(files)] for number in range(count)]


def write(files: Sequence[Content], dialect: str) -> str:
    """Return a reply that creates the files."""
    return render(_document(files), dialect)


def write_json(files: Sequence[Content]) -> str:
    """Return the same payload as a JSON array of {type, path, content}."""
    rows = [{"type": "create", "path": file.path, "content": file.text} for file in files]
    return json.dumps(rows, ensure_ascii=False)


def damaged(dialect: str, count: int) -> Iterator[str]:
    """Yield so many broken replies of about 200 lines; none has a file of another as long as there are files."""
    kinds, place, total, tries = list(DAMAGES.values()), 0, 0, 0
    while total < count:
        items: list[documents.Section] = []
        lines = 0
        while lines < LINES:
            (file,) = take(place, 1)
            text = "\n".join(file.text.split("\n")[: LINES - lines])
            lines += text.count("\n") + 5
            items += [Thought(f"next is {file.path}"), documents.Action("create", file.path, text)]
            place += 1
        created = broken(documents.Document(tuple(items)), dialect, kinds[tries % len(kinds)])
        tries += 1  # a kind that does not apply to these files is left to others
        if created is not None:
            total += 1
            yield created
