"""Decide whether a symbol of the code may be what a term of natural language means.

Their letters are compared first, then words and synonyms. A model is asked last.
"""

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
_PROMPT = """\
Does the identifier below name code for what the term means?

Term:
{term}

Identifier:
{symbol}
"""
_SEPARATORS = str.maketrans("", "", "_- ")


def is_related(
    term: str, symbol: str, synonyms: Synonyms | None = None, model: Model | None = None
) -> bool:
    """Return whether a term and a symbol may mean the same.

    This is so if one is part of the other, if they share a word that carries meaning, or if a
    synonym of the term is part of the symbol. Otherwise the model decides, if there is one.

    Args:
        term: The term.
        symbol: The name of the symbol.
        synonyms: The synonyms. None: those of the package.
        model: The model to ask.
    """
    if synonyms is None:
        synonyms = our_synonyms()
    folded = fold_text(term)
    name = fold_text(symbol)
    if not folded or not name:
        return False
    if folded == name or _is_part(folded, name) or _is_part(name, folded):
        return True
    words = split_identifier(symbol)
    if _share_words(term, [*words, *content_words(symbol)]):
        return True
    # A synonym may be a part of several words: `sign in` of `userSignInPage`.
    joined = "".join(word for word in words if word not in synonyms.unrelated)
    for synonym in synonyms.of(term):
        if _squeeze(synonym) in joined:
            return True
        # Words of an identifier are ASCII: another synonym can only be in the name.
        if not synonym.isascii() and synonym in name:
            return True
    return model is not None and _ask(model, term, symbol)


def _is_part(part: str, name: str) -> bool:
    """Return whether a text is part of another, and long enough for that to mean something."""
    # A kanji says as much as a syllable: two are a word.
    least = 3 if part.isascii() else 2
    return len(part) >= least and _squeeze(part) in _squeeze(name)


def _share_words(term: str, words: list[str]) -> bool:
    weak = weak_words()[0]
    singulars = {_singular(word) for word in words if word not in weak}
    return not singulars.isdisjoint(map(_singular, meanings(term)))


def _singular(word: str) -> str:
    if len(word) <= 3 or word.endswith("ss"):
        return word
    return word.removesuffix("s")


def _squeeze(text: str) -> str:
    return text.translate(_SEPARATORS)


def _ask(model: Model, term: str, symbol: str) -> bool:
    # Imported here: only a model needs it, and hooks of clients wait for the gate.
    from ...answers.structured import ask_json

    prompt = _PROMPT.format(term=term, symbol=symbol)
    answer = ask_json(model, prompt, _SCHEMA, name="relation")
    return answer.value is not None and answer.value["related"] is True
