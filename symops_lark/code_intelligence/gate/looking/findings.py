"""What an exploration found: files by weight, definitions, quoted lines, calls that show them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

from ..write_gate import is_markup

Item = Mapping[str, Any]
_AROUND = 20  # lines before and after a place, where a file does not fit
_LONGEST = 150  # lines of a definition that are opened, where its file does not fit
_LEAST_SHARE = 0.1  # of the best file's weight
_MOST_PLACES = 3  # of one name in an answer
_MOST_HITS = 10  # in an answer
_MOST_SYMBOLS = 8  # of an understanding: the highest risk asks for five
_MOST_PATTERNS = 3  # of an understanding: the highest risk asks for two
_LONGEST_PATTERN = 200  # characters
# "tests/a.py", "a_test.go", "a.spec.ts"; not "latest.py"
_TEST = re.compile(r"(?:\A|[/_.-])(?:tests?|specs?|__tests__)[/_.-]")
_DATA = (".txt", ".json", ".yaml", ".yml", ".toml", ".lock", ".csv", ".svg", ".xml", ".sum")


@dataclass
class Findings:
    """What was found.

    Attributes:
        scores: The weight of each file, by path.
        definitions: The definitions of each name that was looked up.
        hits: The lines that hold what the request quotes.
        evidence: The call that shows a slot, by slot.
        homes: The files that define or use something related to the target.
    """

    scores: dict[str, float] = field(default_factory=dict)
    definitions: dict[str, list[Item]] = field(default_factory=dict)
    hits: list[Item] = field(default_factory=list)
    evidence: dict[str, Item] = field(default_factory=dict)
    homes: set[str] = field(default_factory=set)
    _places: dict[str, set[tuple[int, int]]] = field(default_factory=dict)

    def rank(self, items: Iterable[Item], weight: float) -> None:
        """Give the files of an answer their weight; an answer with many files says less of each."""
        paths = {str(item["path"]) for item in items}
        for path in paths:
            share = weight * _weigh_kind(path) / sqrt(len(paths))
            self.scores[path] = self.scores.get(path, 0.0) + share

    def mark(self, items: Iterable[Item]) -> None:
        """Mark lines that matter; a definition matters to its end."""
        for item in items:
            start = item["line"]
            end = item.get("end_line") or start
            self._places.setdefault(item["path"], set()).add((start, end))

    def ranked(self) -> list[str]:
        """Return the files, the best first; the path decides between equals."""
        return sorted(self.scores, key=lambda path: (-self.scores[path], path))

    def likely(self) -> list[str]:
        """Return the files to open, the best first.

        Where the target's own files are known, others that weigh less than a tenth of the best one
        share a word with the request by chance.
        """
        ranked = self.ranked()
        if not self.homes:
            return ranked
        least = self.scores[ranked[0]] * _LEAST_SHARE
        return [path for path in ranked if path in self.homes or self.scores[path] >= least]

    def ranges(self, path: str, last: int) -> list[tuple[int, int]]:
        """Return the lines around what matters in a file of `last` lines; ranges do not touch."""
        joined: list[tuple[int, int]] = []
        for start, end in sorted(self._places.get(path, ())):
            first = max(1, start - _AROUND)
            final = min(last, end + _AROUND, start + _LONGEST)
            if joined and first <= joined[-1][1] + 1:
                first, before = joined.pop()
                final = max(final, before)
            joined.append((first, final))
        return joined

    def lines(self) -> list[Item]:
        """Return the definitions and hits that the answer names."""
        chosen: list[Item] = []
        for items in self.definitions.values():
            chosen += items[:_MOST_PLACES]
        return [*chosen, *self.hits[:_MOST_HITS]]

    def summary(self) -> dict[str, Any]:
        """Return the definitions and hits as the answer shows them."""
        definitions: dict[str, list[str]] = {}
        for name, items in self.definitions.items():
            definitions[name] = list(map(_name_place, items[:_MOST_PLACES]))
        hits = list(map(_show_line, self.hits[:_MOST_HITS]))
        return {"definitions": definitions, "hits": hits}

    def understanding(self, opened: list[str], names: Iterable[str]) -> dict[str, Any]:
        """Return arguments for `submit_understanding`.

        Args:
            opened: The paths of the opened files.
            names: The names that these files define.

        Returns:
            Symbols, entry points, files, patterns and evidence. The caller leaves out evidence for
            a slot without a value.
        """
        symbols = list(dict.fromkeys((*self.definitions, *names)))[:_MOST_SYMBOLS]
        patterns = list(map(_quote, self.hits))
        for name, items in self.definitions.items():
            path = items[0]["path"]
            patterns.append(f"{name} in {path}")
        if not patterns:
            patterns = [f"{name} in {opened[0]}" for name in symbols]
        return {
            "symbols_identified": symbols,
            "entry_points": symbols[:2] or opened[:2],
            "files_analyzed": opened,
            "existing_patterns": patterns[:_MOST_PATTERNS],
            "slot_evidence": dict(self.evidence),
        }


def _name_place(item: Item) -> str:
    return f"{item['path']}:{item['line']}"


def _show_line(item: Item) -> Item:
    return {name: item[name] for name in ("path", "line", "text")}


def _quote(item: Item) -> str:
    text = item["text"].strip()
    return f"{_name_place(item)} {text}"[:_LONGEST_PATTERN]


def _weigh_kind(path: str) -> float:
    """Return how much a file counts by its kind."""
    if is_markup(path) or path.endswith(_DATA):
        return 0.1
    if _TEST.search(path.lower()):
        return 0.5
    return 1.0
