"""Find what may be meant. These are guesses with a confidence below 1, to be confirmed by facts."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ..index import Index
from .answers import Answer, fail, is_asked
from .semantic import SemanticBackend, WordBackend

_MAX_CONFIDENCE = 0.9


def run(
    index: Index,
    query: str,
    path: str | None = None,
    limit: int | None = None,
    backend: SemanticBackend | None = None,
) -> Answer:
    """Return definitions and files that may be meant, the best first.

    Args:
        index: The index.
        query: The text.
        path: The folder or file. None: the whole folder of the index.
        limit: The most items.
        backend: Ranks the results. None: `choose_backend`.
    """
    if not is_asked(query):
        return fail("bad_arguments", "query: some words are expected")
    if backend is None:
        backend = choose_backend()
    answer = backend.search(index, query, path, limit)
    if not answer:
        return fail("bad_arguments", "query: there is no word in it to search for")
    items = answer["items"]
    best = max((item["score"] for item in items), default=0) or 1
    for rank, item in enumerate(items, 1):
        # Scores of a model differ little (0.88 to 0.90): only their order says something.
        item["rank"] = rank
        confidence = min(_MAX_CONFIDENCE, _MAX_CONFIDENCE * item["score"] / best)
        item["confidence"] = round(confidence, 3)
        item["source"] = "HYPOTHESIS"
    return answer | {"backend": backend.name}


def choose_backend(synonyms: Callable[[str], Iterable[str]] | None = None) -> SemanticBackend:
    """Return the backend that is installed.

    It is the model of the extra `semantic`. Without it, words and their synonyms are searched.
    """
    # Imported here: a backend of the caller needs neither.
    from .vectors import VectorBackend, is_installed

    words = WordBackend(synonyms)
    return VectorBackend(words=words) if is_installed() else words
