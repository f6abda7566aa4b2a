"""How risky the delimiters of blocks are: how often a line of a folder's files is exactly one, by language.

Such a line inside a content would end the block, or could not be said at all.
"""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

LANGUAGES = {
    ".c": "C", ".h": "C", ".cc": "C++", ".cpp": "C++", ".cxx": "C++", ".hh": "C++", ".hpp": "C++", ".cs": "C#",
    ".css": "CSS", ".scss": "CSS", ".csv": "CSV", ".go": "Go", ".hs": "Haskell", ".htm": "HTML", ".html": "HTML",
    ".java": "Java", ".js": "JavaScript", ".jsx": "JavaScript", ".mjs": "JavaScript", ".json": "JSON", ".jl": "Julia",
    ".kt": "Kotlin", ".lark": "Lark", ".lua": "Lua", ".md": "Markdown", ".ml": "OCaml", ".php": "PHP", ".pl": "Perl",
    ".pm": "Perl", ".py": "Python", ".pyi": "Python", ".r": "R", ".rb": "Ruby", ".rs": "Rust", ".rst": "reST",
    ".scala": "Scala", ".sh": "Shell", ".sql": "SQL", ".swift": "Swift", ".tex": "TeX", ".toml": "TOML",
    ".ts": "TypeScript", ".tsx": "TypeScript", ".txt": "plain text", ".xml": "XML", ".yaml": "YAML", ".yml": "YAML",
    ".diff": "diff", ".patch": "diff", ".bash": "Shell",
}  # fmt: skip
MAX_BYTES = 1_000_000
_NORMAL = 1.959964  # the 97.5 % quantile of the normal distribution


@dataclass(frozen=True, slots=True)
class Row:
    """The files of one language, and in how many a delimiter is all of a line but for blanks behind it.

    `share` is that of files with either; `low` and `high` are its 95 % Wilson interval. `lines` counts the lines that
    begin with a delimiter.
    """

    language: str
    files: int
    opener: int
    closer: int
    either: int
    lines: int
    share: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Survey:
    """A row for each language and one for all, and the files that were not read, by reason."""

    rows: tuple[Row, ...]
    skipped: dict[str, int]

    def to_dict(self) -> dict[str, Any]:
        """Give the survey as a JSON object."""
        return {"rows": [asdict(row) for row in self.rows], "skipped": self.skipped}


def survey(folder: Path, opener: str, closer: str) -> Survey:
    """Read all files below a folder but hidden ones and links. Raises `OSError` if there is no such folder."""
    if not folder.is_dir():
        raise NotADirectoryError(20, "not a folder", str(folder))
    counts: dict[str, Counter[str]] = {}
    skipped: Counter[str] = Counter()
    for path in _walk(folder):
        text = _read(path, skipped)
        if text is None:
            continue
        lines = text.split("\n")
        lone = {line.rstrip(" \t\r") for line in lines}
        row = counts.setdefault(LANGUAGES.get(path.suffix.lower(), "other"), Counter())
        row["files"] += 1
        row["opener"] += opener in lone
        row["closer"] += closer in lone
        row["either"] += opener in lone or closer in lone
        row["lines"] += sum(line.startswith((opener, closer)) for line in lines)
    rows = [_make_row(language, counts[language]) for language in sorted(counts, key=str.lower)]
    return Survey((*rows, _make_row("all", sum(counts.values(), Counter()))), dict(sorted(skipped.items())))


def wilson(hits: int, total: int) -> tuple[float, float]:
    """Give the 95 % score interval of a share (Wilson, 1927); 0 to 1 where there is nothing."""
    if not total:
        return 0.0, 1.0
    share, square = hits / total, _NORMAL**2
    middle = share + square / (2 * total)
    spread = _NORMAL * math.sqrt(share * (1 - share) / total + square / (4 * total**2))
    return max(0.0, (middle - spread) / (1 + square / total)), min(1.0, (middle + spread) / (1 + square / total))


def _make_row(language: str, counts: Counter[str]) -> Row:
    files, either = counts["files"], counts["either"]
    low, high = wilson(either, files)
    share = either / files if files else 0.0
    return Row(language, files, counts["opener"], counts["closer"], either, counts["lines"], share, low, high)


def _walk(folder: Path) -> Iterator[Path]:
    for base, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not _is_hidden(name))
        for name in sorted(files):
            path = Path(base, name)
            if not _is_hidden(name) and not path.is_symlink():
                yield path


def _read(path: Path, skipped: Counter[str]) -> str | None:
    try:
        if not path.is_file():
            skipped["no file"] += 1
            return None
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except OSError:
        skipped["unreadable"] += 1
        return None
    if len(data) > MAX_BYTES:
        skipped[f"over {MAX_BYTES} bytes"] += 1
    elif b"\0" in data:
        skipped["binary"] += 1
    else:
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            skipped["not UTF-8"] += 1
    return None


def _is_hidden(name: str) -> bool:
    return name != name.lstrip(os.curdir)
