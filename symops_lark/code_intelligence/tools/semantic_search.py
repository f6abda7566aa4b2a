"""What may be meant: guesses, each with a confidence below 1, which facts have to confirm."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..index import Index
from .answers import fail, is_asked
from .semantic import SemanticBackend, WordBackend

_MOST_SURE = 0.9


def run(
    index: Index, query: str, path: str | None = None, limit: int | None = None, backend: SemanticBackend | None = None
) -> dict[str, Any]:
    """Return definitions and files that may be meant, the best first."""
    if not is_asked(query):
        return fail("bad_arguments", "query: some words are expected")
    chosen = backend or choose_backend()
    answer = chosen.search(index, query, path, limit)
    if not answer:
        return fail("bad_arguments", "query: there is no word in it to look for")
    best = max((item["score"] for item in answer["items"]), default=0) or 1
    for rank, item in enumerate(answer["items"], 1):
        item["rank"] = rank  # scores of a model are all alike, .88 to .90: their order is what they say
        item["confidence"] = round(min(_MOST_SURE, _MOST_SURE * item["score"] / best), 3)
        item["source"] = "HYPOTHESIS"
    return answer | {"backend": chosen.name}


def choose_backend(synonyms: Callable[[str], Iterable[str]] | None = None) -> SemanticBackend:
    """Return the backend that there is: by the model of the extra `semantic`, else by words and their synonyms."""
    from .vectors import VectorBackend, is_installed

    words = WordBackend(synonyms)
    return VectorBackend(words=words) if is_installed() else words
