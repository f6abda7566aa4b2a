"""Find the part of a lead that decides what it says of the utterance after it.

    lead                                                      what decides
    Instead of patching it, I rewrite it                      I rewrite it
    What I would strongly argue against                       all of it
    It fails if the file is missing, so here is a check       here is a check
    失敗する場合があったので、確認を追加します                      確認を追加します
    之前的写法不能处理空值，所以改成下面这样                        改成下面这样

A sentence is read from its end. What is before a conclusion ("so", ので, 所以) is its reason, and
decides nothing. Before the last clause that announces, a negation or a past tense is about
something else; a condition or an example still counts there ("If it fails, I delete it").
"""

from __future__ import annotations

from typing import NamedTuple

from ..patterns.regexes import compile_pattern
from ..text.source import cut
from .tables import MAX_SENTENCE, our_tables

# After one of these begins what follows from the words before it.
_CONCLUSION = compile_pattern(
    r"; (?:then )?|(?:^|[,;:—–] )(?:and )?(?i:"
    r"so(?= (?:I|we|it|they|the|an?|this|these|here|now|let|out)\b)|"
    r"hence|therefore|thus|which is why|that['’]s why) |"
    r"(?<!も)ので(?![はすしあ])、?|(?:ため|ことから|だから)、|所以|因此|于是|不如"
)
# Where a clause can begin.
_BOUNDARY = compile_pattern(
    r"[,;:—–] | - |[，；、]| (?=(?i:but|which|I|we|let me|let['’]s|here['’]s|here is|here are)\b)"
)

_PARENTHESIS = compile_pattern(r"[(（][^()（）]*[)）]?")
_MAX_WORD = 12  # characters of a word of the next pattern
# After one of these, a pronoun begins no clause that decides: "what I mean", "so that we see it".
_SUBORDINATES = compile_pattern(
    r"(?i:\b(?:that|as|what|which|how|when|if|because|where|whether|than|until|once|before|after|"
    r"since|while|though|although|unless|till))$"
)


class Clauses(NamedTuple):
    """The parts of a lead.

    Attributes:
        sentence: The lead without the reasons that it gives.
        last: The part of it from the last clause that announces an utterance.
    """

    sentence: str
    last: str


def read_clauses(words: str) -> Clauses:
    """Return the parts of a lead that decide.

    Args:
        words: The lead, as `stances` prepares it.
    """
    words = cut(words, 0, MAX_SENTENCE)
    start = 0
    for match in _CONCLUSION.finditer(words):
        # A lead may end with its conclusion: "that is why:".
        if match.end() < len(words):
            start = match.end()
    sentence = words[start:]
    announcing = our_tables().groups["announcing_lead"]
    end = len(sentence)
    for start in reversed(_starts(sentence)):
        clause = _PARENTHESIS.sub(" ", sentence[start:end])
        if announcing.find(clause.strip()):
            return Clauses(sentence, sentence[start:])
        end = start
    return Clauses(sentence, sentence)


def _starts(sentence: str) -> list[int]:
    """Return where the clauses of a sentence may begin, outside of parentheses."""
    places = [match.span() for match in _PARENTHESIS.finditer(sentence)]
    starts = [0]
    for match in _BOUNDARY.finditer(sentence):
        stop = match.start()
        first = max(0, stop - _MAX_WORD)
        is_subordinate = _SUBORDINATES.search(sentence[first:stop]) is not None
        is_inside = any(opened < stop < closed for opened, closed in places)
        if is_subordinate or is_inside:
            continue
        starts.append(match.end())
    return starts
