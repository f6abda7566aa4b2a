"""Say in a sentence why an utterance does not count."""

from __future__ import annotations

from ..grammar.codes import BEHIND_THE_END, INVENTED_TURN, NOT_ASKED, OTHER_SPEAKER, THOUGHT
from ..ground.numbers import quoted
from ..text.source import cut
from .passages import Passage, Stance

_MAX_SHOWN = 60  # characters of a reason in a message
_SENTENCES = {
    INVENTED_TURN: "this is after a turn of the user or of a tool that the reply itself wrote",
    OTHER_SPEAKER: "this is where another speaker than the assistant speaks",
    BEHIND_THE_END: "this is after the token that ends the reply",
    THOUGHT: "this is in a section of thinking",
}
_STANCES = {
    Stance.EXAMPLE: "it is introduced as an example",
    Stance.PLANNED: "it is for later, or after somebody agrees",
    Stance.CONDITIONAL: "it holds only on a condition",
    Stance.DENIED: "it is advised against",
    Stance.ALTERNATIVE: "it is one of several ways",
    Stance.PAST: "it was done before",
    Stance.FUTURE: "it is for later",
    Stance.QUOTED: "somebody else wrote it",
    Stance.ASKED: "the reply asks whether to do it",
    Stance.WITHDRAWN: "it is taken back",
}


def describe(passage: Passage, text: str) -> str:
    """Return why a passage does not count, with the words that are the reason.

    Args:
        passage: A passage with a code.
        text: The reply.
    """
    sentence = _SENTENCES.get(passage.code)
    if passage.code == NOT_ASKED:
        sentence = f"the words around this do not ask for it now: {_STANCES[passage.stance]}"
    words = text[passage.why.start : passage.why.end].strip()
    excerpt = quoted(cut(words, 0, _MAX_SHOWN))
    return f"{sentence} ({excerpt})"
