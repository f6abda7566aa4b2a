"""Consecutive versions of files, from histories of git; and parts of them, as small files of their own."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path, PurePosixPath
from random import Random

_LARGEST = 120_000  # bytes
_MOST_LINES = 1_500


@dataclass(frozen=True)
class Version:
    """A file before and after one commit; `path` keeps the ending of its name alone."""

    path: str
    before: str
    after: str

    @property
    def size(self) -> int:
        """The number of filled lines before."""
        return sum(bool(line.strip()) for line in self.before.split("\n"))


def read_versions(repository: Path, most: int, seed: int) -> Iterator[Version]:
    """Yield changes of text files in a history, in an order drawn from the seed.

    Args:
        repository: A folder that git knows, with its history.
        most: How many at most.
        seed: Another one gives others, where there are more.

    Raises:
        subprocess.CalledProcessError: It is none of git's.
    """
    log = ("log", "--all", "--no-merges", "--diff-filter=M", "--raw", "--no-renames", "--no-abbrev", "--format=")
    parts = _git(repository, *log).decode(errors="replace").split("\n")
    rows = sorted({(*line.split("\t")[0].split(" ")[2:4], line.split("\t")[1]) for line in parts if line[:4] == ":100"})
    Random(seed).shuffle(rows)
    with subprocess.Popen(
        ("git", "-C", str(repository), "cat-file", "--batch"), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as batch:
        for old, new, path in rows:
            before, after = _read_text(batch, old), _read_text(batch, new)
            if before and after and before.count("\n") <= _MOST_LINES and before != after:
                yield Version("text" + PurePosixPath(path).suffix, before, after)
                most -= 1
                if not most:
                    break


def cut_part(version: Version, size: int, random: Random) -> Version | None:
    """Return a changed place with lines around it as a file of `size` lines; None if the place is larger.

    Args:
        version: Where it is cut from.
        size: Lines of the part before the change.
        random: What draws the place, and where in the part it stands.
    """
    old, new = version.before.splitlines(keepends=True), version.after.splitlines(keepends=True)
    places = [code for code in SequenceMatcher(None, old, new, autojunk=False).get_opcodes() if code[0] != "equal"]
    _, a, b, c, d = random.choice(places)
    around = size - (b - a)
    least, smallest = max(around - (len(old) - b), 0), min(around, a, c)
    if least > smallest:
        return None
    above = random.randint(least, smallest)
    below = around - above
    if old[a - above : a] != new[c - above : c] or old[b : b + below] != new[d : d + below]:
        return None
    part = Version(version.path, "".join(old[a - above : b + below]), "".join(new[c - above : d + below]))
    return part if part.before.count("\n") == size and part.before.strip() and part.after.strip() else None


def _git(repository: Path, *arguments: str) -> bytes:
    return subprocess.run(("git", "-C", str(repository), *arguments), capture_output=True, check=True).stdout


def _read_text(batch: subprocess.Popen[bytes], name: str) -> str:
    """Return a text that git keeps, or an empty one for what is large, or no text."""
    assert batch.stdin is not None and batch.stdout is not None
    batch.stdin.write(name.encode() + b"\n")
    batch.stdin.flush()
    head = batch.stdout.readline().split()
    if len(head) < 3:
        return ""
    data = batch.stdout.read(int(head[2]) + 1)[:-1]
    try:
        text = data.decode() if len(data) <= _LARGEST and b"\0" not in data else ""
    except UnicodeDecodeError:
        return ""
    return text if text.strip() else ""
