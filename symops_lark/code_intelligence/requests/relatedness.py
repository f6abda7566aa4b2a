"""Whether a symbol of the code may be what a term of natural language means: parts, words, synonyms, then a model."""

from __future__ import annotations

from ...models import Model
from .folding import content_words, fold_text, split_identifier
from .words import Synonyms, meanings, our_synonyms, weak_words

_SCHEMA = {
    "type": "object",
    "properties": {"related": {"type": "boolean"}},
    "required": ["related"],
    "additionalProperties": False,
}


def is_related(term: str, symbol: str, synonyms: Synonyms | None = None, model: Model | None = None) -> bool:
    """Return whether a term and a symbol may mean the same.

    One is part of the other, they share a word that carries meaning, or a synonym of the term is part of the symbol;
    where none of this holds, a model is asked if there is one.
    """
    known = our_synonyms() if synonyms is None else synonyms
    said, name = fold_text(term), fold_text(symbol)
    if not said or not name:
        return False
    if said == name or _is_part(said, name) or _is_part(name, said):
        return True
    words = [word for part in symbol.replace(".", " ").split() for word in split_identifier(part)]
    if _share_words(term, symbol, words):
        return True
    kept = [word for word in words if word not in known.unrelated]
    joined = "".join(kept)
    if any(_squeeze(word) in joined if word.isascii() else word in name for word in known.of(term)):
        return True
    return model is not None and _ask(model, term, symbol)


def _is_part(part: str, whole: str) -> bool:
    """Return whether a text is part of another, and long enough for that to mean something."""
    return len(part) >= (3 if part.isascii() else 2) and _squeeze(part) in _squeeze(whole)


def _share_words(term: str, symbol: str, words: list[str]) -> bool:
    known = {_single(word) for word in (*words, *content_words(symbol)) if word not in weak_words()[0]}
    return not known.isdisjoint(map(_single, meanings(term)))


def _single(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _squeeze(text: str) -> str:
    return text.replace("_", "").replace("-", "").replace(" ", "")


def _ask(model: Model, term: str, symbol: str) -> bool:
    asked = f"Does the identifier below name code for what the term means?\n\nTerm:\n{term}\n\nIdentifier:\n{symbol}\n"
    from ...answers.structured import ask_json  # loaded with a model alone: hooks of clients wait for the gate

    answer = ask_json(model, asked, _SCHEMA, name="relation")
    return answer.value is not None and answer.value["related"] is True
