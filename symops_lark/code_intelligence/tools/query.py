"""What code is about some words: definitions and files, ranked by the words in names, texts and paths."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..index import Index
from ..index.words import split_word, terms_of
from .answers import choose_files, fail, give_items, is_asked, read_limit
from .find_definitions import COLUMNS, give_symbol

_MOST_TERMS = 40
_SYNONYM = 0.5  # the weight of a synonym
_CONSIDERED = 400  # names, and files


def run(
    index: Index, text: str, path: str | None = None, limit: int | None = None, synonyms: Sequence[str] = ()
) -> dict[str, Any]:
    """Return definitions and files for words of any language, the best first; scores rank, and decide nothing.

    `synonyms` of the words are searched too, for a smaller weight, and named in a note.
    """
    if not is_asked(text):
        return fail("bad_arguments", "text: some words are expected")
    terms = terms_of(text)[:_MOST_TERMS]
    if not terms:
        return fail("bad_arguments", "text: there is no word in it to look for")
    weights = dict.fromkeys(terms, 1.0)
    others = [term for word in synonyms for term in terms_of(word) if term not in weights][:_MOST_TERMS]
    answer = rank(index, weights | dict.fromkeys(others, _SYNONYM), path, limit)
    if others and "error" not in answer:
        answer["notes"] = [*answer.get("notes", ()), f"synonyms were searched too: {', '.join(dict.fromkeys(others))}"]
    return answer


def rank(index: Index, weights: Mapping[str, float], path: str | None, limit: int | None) -> dict[str, Any]:
    """Return definitions and files for weighted words, the best first."""
    with index.reading() as database:
        files = choose_files(index, path)
        if isinstance(files, dict):
            return files
        by_id = {file.id: file for file in files}
        asked = " OR ".join(f'"{term}"' for term in weights)
        sql = f"SELECT rowid FROM words WHERE words MATCH ? ORDER BY bm25(words) LIMIT {_CONSIDERED}"
        ranked = [row[0] for row in database.execute(sql, (asked,)) if row[0] in by_id]
        nearness = {number: 1 - place / (len(ranked) + 1) for place, number in enumerate(ranked)}
        sql = (
            f"SELECT s.file, {COLUMNS} FROM (SELECT rowid FROM names WHERE names MATCH ? ORDER BY bm25(names) LIMIT"
            f" {_CONSIDERED}) n JOIN spellings p ON p.id = n.rowid JOIN symbols s ON s.name = p.name"
            f" JOIN files f ON f.id = s.file LIMIT {5 * _CONSIDERED}"
        )
        scored: list[tuple[float, dict[str, Any]]] = []
        for number, *row in database.execute(sql, (asked,)):
            if number in by_id:
                score = 2 * _cover(weights, split_word(row[1])) + nearness.get(number, 0.0)
                scored.append((score, give_symbol(tuple(row))))
    for number in ranked:
        place = by_id[number].path
        score = nearness[number] + 0.5 * _cover(weights, terms_of(place))
        scored.append((score, {"path": place, "kind": "file"}))
    scored.sort(key=lambda row: (-row[0], row[1]["path"], row[1].get("line", 0)))
    items = []
    for score, item in scored[: read_limit(limit)]:
        if item["kind"] == "file":
            item |= _first_line(index, item["path"], weights)
        items.append({**item, "score": round(score, 3)})
    full = len(ranked) >= _CONSIDERED
    notes = [f"only the best {_CONSIDERED} files were considered"] if full else []
    words = list(weights)
    return give_items(index, items, total=len(scored), limit=limit, incomplete=full, notes=notes, words=words)


def _cover(weights: Mapping[str, float], words: Iterable[str]) -> float:
    """Return which part of the words that are asked for a name has, and how much else is in it."""
    there = set(words)
    met = sum(weight for term, weight in weights.items() if term in there)
    return met / sum(weights.values()) + 0.25 * sum(term in there for term in weights) / (len(there) or 1)


def _first_line(index: Index, path: str, weights: Mapping[str, float]) -> dict[str, Any]:
    """Return the line of a file that most of the words are on."""
    data = index.data(path)
    lines = (data or b"").decode(index.files[path].encoding or "utf-8", "replace").lower().split("\n")
    met = [sum(weight for term, weight in weights.items() if term in line) for line in lines]
    best = met.index(max(met))
    return {"line": best + 1, "text": lines[best].strip()[:200]}
