"""Find code that is about some words: definitions and files, ranked by names, texts and paths."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..index import Index
from ..index.words import split_word, terms_of
from .answers import Answer, Item, choose_files, fail, give_items, is_asked, read_limit
from .find_definitions import COLUMNS, give_symbol

_MAX_TERMS = 40
_MAX_TEXT = 200  # characters of a line
_SYNONYM = 0.5  # the weight of a synonym
_CONSIDERED = 400  # names, and files
_FILES = f"SELECT rowid FROM words WHERE words MATCH ? ORDER BY bm25(words) LIMIT {_CONSIDERED}"
_NAMES = f"SELECT rowid FROM names WHERE names MATCH ? ORDER BY bm25(names) LIMIT {_CONSIDERED}"
_DEFINITIONS = (
    f"SELECT s.file, {COLUMNS} FROM ({_NAMES}) n JOIN spellings p ON p.id = n.rowid"
    f" JOIN symbols s ON s.name = p.name JOIN files f ON f.id = s.file LIMIT {5 * _CONSIDERED}"
)


def run(
    index: Index,
    text: str,
    path: str | None = None,
    limit: int | None = None,
    synonyms: Sequence[str] = (),
) -> Answer:
    """Return definitions and files for words of any language, the best first.

    Args:
        index: The index.
        text: The words.
        path: The folder or file. None: the whole folder of the index.
        limit: The most items.
        synonyms: Words that are searched too, with a smaller weight. A note names them.
    """
    if not is_asked(text):
        return fail("bad_arguments", "text: some words are expected")
    terms = terms_of(text)[:_MAX_TERMS]
    if not terms:
        return fail("bad_arguments", "text: there is no word in it to search for")
    weights = dict.fromkeys(terms, 1.0)
    more_terms = []
    for synonym in synonyms:
        more_terms += [term for term in terms_of(synonym) if term not in weights]
    more_weights = dict.fromkeys(more_terms[:_MAX_TERMS], _SYNONYM)
    answer = rank(index, weights | more_weights, path, limit)
    if more_weights and "error" not in answer:
        listed = ", ".join(more_weights)
        notes = answer.setdefault("notes", [])
        notes.append(f"synonyms were searched too: {listed}")
    return answer


def rank(index: Index, weights: Mapping[str, float], path: str | None, limit: int | None) -> Answer:
    """Return definitions and files for weighted words, the best first.

    Args:
        index: The index.
        weights: The weight of each word.
        path: The folder or file. None: the whole folder of the index.
        limit: The most items.
    """
    match = match_any(weights)
    scored = []
    with index.reading() as database:
        files = choose_files(index, path)
        if isinstance(files, dict):
            return files
        by_id = {file.id: file for file in files}
        numbers = [row[0] for row in database.execute(_FILES, (match,))]
        # The expression cannot name a path: files elsewhere are removed here.
        ranked = list(filter(by_id.__contains__, numbers))
        # From nearly 1 for the best file down to nearly 0: the values of bm25 have no fixed range.
        nearness = {number: 1 - place / (len(ranked) + 1) for place, number in enumerate(ranked)}
        for number, *row in database.execute(_DEFINITIONS, (match,)):
            if number in by_id:
                item = give_symbol(row)
                score = 2 * _cover(weights, split_word(item["name"]))
                scored.append(item | {"score": score + nearness.get(number, 0.0)})
    for number in ranked:
        place = by_id[number].path
        score = nearness[number] + 0.5 * _cover(weights, terms_of(place))
        scored.append({"path": place, "kind": "file", "score": score})
    scored.sort(key=_order)
    items = scored[: read_limit(limit)]
    # Only the files that are shown are read.
    for item in items:
        if item["kind"] == "file":
            item |= _best_line(index, item["path"], weights)
        item["score"] = round(item["score"], 3)
    is_full = len(ranked) >= _CONSIDERED
    return give_items(
        index,
        items,
        total=len(scored),
        limit=limit,
        incomplete=is_full,
        notes=[f"only the best {_CONSIDERED} files were considered"] if is_full else [],
        words=list(weights),
    )


def match_any(words: Iterable[str]) -> str:
    """Return the expression of SQLite's full-text search for any of some words."""
    return " OR ".join(f'"{word}"' for word in words)


def _order(item: Item) -> tuple[float, str, int]:
    return -item["score"], item["path"], item.get("line", 0)


def _cover(weights: Mapping[str, float], words: Iterable[str]) -> float:
    """Return which part of the words a name has, and how few other words."""
    parts = set(words)
    common = [weights[term] for term in weights if term in parts]
    # A name with nothing else is nearer than one with many other words.
    precision = len(common) / (len(parts) or 1)
    return sum(common) / sum(weights.values()) + 0.25 * precision


def _best_line(index: Index, path: str, weights: Mapping[str, float]) -> Item:
    """Return the line of a file that has most of the words."""
    data = index.data(path) or b""
    encoding = index.files[path].encoding or "utf-8"
    lines = data.decode(encoding, "replace").lower().split("\n")
    sums = [sum(weights[term] for term in weights if term in line) for line in lines]
    best = sums.index(max(sums))
    text = lines[best].strip()
    return {"line": best + 1, "text": text[:_MAX_TEXT]}
