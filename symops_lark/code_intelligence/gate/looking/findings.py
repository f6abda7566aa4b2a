"""What an exploration found: files by weight, definitions, quoted lines, calls that show them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

from ..write_gate import is_markup

Item = Mapping[str, Any]
Range = tuple[int, int]  # the first and the last line
_AROUND = 20  # lines before and after a place, where a file does not fit
_LONGEST = 150  # lines of a definition that are opened, where its file does not fit
_LEAST_SHARE = 0.1  # of the best file's weight
_MAX_PLACES = 3  # of one name in an answer
_MAX_HITS = 10  # in an answer
_MAX_SYMBOLS = 8  # of an understanding: the highest risk asks for five
_MAX_PATTERNS = 3  # of an understanding: the highest risk asks for two
_LONGEST_PATTERN = 200  # characters
# "tests/a.py", "a_test.go", "a.spec.ts"; not "latest.py"
_TEST = re.compile(r"(?:\A|[/_.-])(?:tests?|specs?|__tests__)[/_.-]")
_DATA = re.compile(r"\.(?:txt|json|yaml|yml|toml|lock|csv|svg|xml|sum)\Z")


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
    _places: dict[str, set[Range]] = field(default_factory=dict)

    def rank(self, items: Iterable[Item], weight: float) -> None:
        """Give the files of an answer their weight; an answer with many files says less of each."""
        paths = {str(item["path"]) for item in items}
        share = weight / sqrt(len(paths) or 1)
        for path in paths:
            self.scores.setdefault(path, 0.0)
            self.scores[path] += share * _weigh_kind(path)

    def mark(self, items: Iterable[Item]) -> None:
        """Mark lines that matter; a definition matters to its end."""
        for item in items:
            start = item["line"]
            end = item.get("end_line") or start
            places = self._places.setdefault(item["path"], set())
            places.add((start, end))

    def ranked(self) -> list[str]:
        """Return the files, the best first; the path decides between equals."""
        # Both sorts are stable.
        paths = sorted(self.scores)
        return sorted(paths, key=self.scores.__getitem__, reverse=True)

    def likely(self) -> list[str]:
        """Return the files to open, the best first.

        Where the target's own files are known, others that weigh less than a tenth of the best one
        share a word with the request by chance.
        """
        ranked = self.ranked()
        if not self.homes:
            return ranked
        best = ranked[0]
        least = _LEAST_SHARE * self.scores[best]
        likely = {path for path in ranked if self.scores[path] >= least}
        likely |= self.homes
        return [path for path in ranked if path in likely]

    def ranges(self, path: str, last: int) -> list[Range]:
        """Return the lines around what matters in a file of `last` lines; ranges do not touch."""
        joined: list[Range] = []
        touching = 0
        places = self._places.get(path, ())
        for start, end in sorted(places):
            first = max(1, start - _AROUND)
            final = min(last, end + _AROUND, start + _LONGEST)
            if first <= touching:
                first, before = joined.pop()
                final = max(final, before)
            joined.append((first, final))
            touching = final + 1
        return joined

    def lines(self) -> list[Item]:
        """Return the definitions and hits that the answer names."""
        chosen = []
        for items in self.definitions.values():
            chosen += items[:_MAX_PLACES]
        chosen += self.hits[:_MAX_HITS]
        return chosen

    def summary(self) -> dict[str, Any]:
        """Return the definitions and hits as the answer shows them."""
        definitions = {}
        for name, items in self.definitions.items():
            first = items[:_MAX_PLACES]
            definitions[name] = list(map(name_place, first))
        hits = self.hits[:_MAX_HITS]
        return {"definitions": definitions, "hits": list(map(_show_line, hits))}

    def understanding(self, opened: list[str], names: Iterable[str]) -> dict[str, Any]:
        """Return arguments for `submit_understanding`.

        Args:
            opened: The paths of the opened files.
            names: The names that these files define.

        Returns:
            Symbols, entry points, files, patterns and evidence. The caller leaves out evidence for
            a slot without a value.
        """
        unique = dict.fromkeys((*self.definitions, *names))
        symbols = list(unique)[:_MAX_SYMBOLS]
        patterns = list(map(_quote, self.hits))
        for name, items in self.definitions.items():
            path = items[0]["path"]
            patterns.append(f"{name} in {path}")
        if not patterns:
            path = opened[0]
            patterns = [f"{name} in {path}" for name in symbols]
        return {
            "symbols_identified": symbols,
            "entry_points": symbols[:2] or opened[:2],
            "files_analyzed": opened,
            "existing_patterns": patterns[:_MAX_PATTERNS],
            "slot_evidence": dict(self.evidence),
        }


def name_place(item: Item) -> str:
    """Return the path and the line of an item: `a.py:1`."""
    return f"{item['path']}:{item['line']}"


def _show_line(item: Item) -> Item:
    return {"path": item["path"], "line": item["line"], "text": item["text"]}


def _quote(hit: Item) -> str:
    place = name_place(hit)
    text = hit["text"].strip()
    return f"{place} {text}"[:_LONGEST_PATTERN]


def _weigh_kind(path: str) -> float:
    """Return how much a file counts by its kind."""
    if is_markup(path) or _DATA.search(path):
        return 0.1
    if _TEST.search(path.lower()):
        return 0.5
    return 1.0
