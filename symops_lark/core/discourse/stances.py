"""Judge by the words around utterances whether they are asked for now.

A *lead* is the last sentence of the last line of prose right before an utterance ("For example:").
It holds for the utterances up to the next prose; one that touches its utterance, without a blank
line between them, holds for that paragraph only. A *tail* is a sentence after an utterance. A
question asks about everything before it ("Shall I proceed?"); a withdrawal takes back the
utterances right before it ("Scratch that.").

The law of the lead: a line that ends with a colon introduces an action, and is believed only if
it announces one. Otherwise the action is `unclear`: the weakest evidence, and the only one that
needs no known word. Answers are exempt ("On reflection:" introduces one). So are languages whose
words are not known.

Not here: which patterns there are (`stances.yaml`), and turns (`turns`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..patterns.regexes import compile_pattern
from ..text.source import size
from .marks import Place, clear_parts
from .passages import Stance
from .tables import our_tables

_MAX_SENTENCES = 200  # after an utterance: what comes later is another subject
_MAX_QUESTION = 48  # characters; longer questions are about the matter, not about what to do
_FENCE = compile_pattern(r"[ \t]*(?:`{3,}|~{3,})[^\n]*")
# `# `, `> `, `- `, `* [ ] `, `1. ` and `(2) ` before a sentence.
_LIST_MARK = compile_pattern(r"(?:#{1,6}|>+|[-*+•]|\[[ xX]\]|\(?[0-9]{1,3}[.)])[ \t]+")
# A sentence ends before a word that does not begin in lower case, so `e.g. this` is one sentence.
_SENTENCE_END = compile_pattern(r"(?<=[.!?])[ \t]+(?=[^a-z])|(?<=[。！？])")
_INLINE_CODE = compile_pattern(r"`[^`\n]*`")
# A line of a program: `x = 1`, `f(x)`, `}`; not `I changed it:`.
_CODE = compile_pattern(r"[{};=]|[0-9A-Za-z_]\(")
_WRAPPED = " \t\r*\"“”'‘’•"
_QUESTION_ENDS = ("?", "？", "ですか", "ますか", "ましょうか", "でしょうか", "吗")
_STATEMENT_ENDS = (".", "!")
_COLONS = (":", "：")
# Text in a language of `announcing_lead`: Japanese or Chinese, or with a small word of English.
_KNOWN_LANGUAGE = compile_pattern(
    r"[ぁ-んァ-ヶ一-龥]|(?i:(?<![a-z])(?:the|this|that|is|to|of|and|an|in|it|for|be|you|i|was|not|"
    r"with|what|how|by|my|if|or|on|at|your|as|we|would)(?![a-z]))|^[A-Z]?[a-z]+(?:-[a-z]+)?$"
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with the line that it is in.

    Attributes:
        start: The offset of the line.
        end: The offset after the line.
        text: The words, without Markdown, list mark and final colon.
        ending: The last character of the sentence as it was written; empty if it has none.
    """

    start: int
    end: int
    text: str
    ending: str


@dataclass(frozen=True, slots=True)
class Doubt:
    """The reason why an utterance is not asked for.

    Attributes:
        stance: How the sentence describes the utterance.
        sentence: The sentence.
    """

    stance: Stance
    sentence: Sentence


def find_doubts(
    text: str, utterances: Sequence[Place], excluded: Sequence[Place], announced: bool
) -> list[Doubt | None]:
    """Return the doubt about each utterance, or None.

    Takes time linear in the length of the text.

    Args:
        text: The reply.
        utterances: What the reader may act on, in order.
        excluded: The parts that are not prose: code blocks, marks, thoughts. No lead reaches over
            one of them.
        announced: Whether the law of the lead holds.
    """
    if not utterances:
        return []
    gaps = _gaps(text, utterances, excluded)
    doubts = _judge_leads(text, utterances, gaps, announced)
    _judge_tails(text, utterances, gaps, announced, doubts)
    return doubts


def _gaps(text: str, utterances: Sequence[Place], excluded: Sequence[Place]) -> list[list[Place]]:
    """Return the parts of prose before each utterance and after the last one."""
    gaps: list[list[Place]] = [[] for _ in range(len(utterances) + 1)]
    ends = [end for _, end in utterances]
    hidden = [*utterances, *excluded]
    for start, end in clear_parts(text, hidden):
        index = bisect_right(ends, start)
        gaps[index].append((start, end))
    return gaps


# ---- sentences


def read_lines(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    """Yield the lines of prose of a part with their offsets.

    Args:
        text: The text.
        start: Where the part begins.
        end: Where it ends.
    """
    at = start
    for line in text[start:end].split("\n"):
        if line.strip() and not _FENCE.match(line):
            yield at, line
        at += len(line) + 1


def read_sentences(at: int, line: str) -> Iterator[Sentence]:
    """Yield the sentences of a line.

    Args:
        at: The offset of the line.
        line: The line.
    """
    body = line.strip(_WRAPPED)
    match = _LIST_MARK.match(body)
    while match:
        body = body[match.end() :].strip(_WRAPPED)
        match = _LIST_MARK.match(body)
    for part in _SENTENCE_END.split(body):
        sentence = part.strip(_WRAPPED + "()（）[]")
        words = sentence.rstrip(":： \t*")
        words = words.replace("**", "")
        if words:
            yield Sentence(at, at + len(line), words, sentence[-1:])


# ---- leads


def _judge_leads(
    text: str, utterances: Sequence[Place], gaps: Sequence[Sequence[Place]], announced: bool
) -> list[Doubt | None]:
    doubts: list[Doubt | None] = []
    current: Doubt | None = None
    is_touching = False
    previous = 0
    for (start, end), parts in zip(utterances, gaps, strict=False):
        sentence = _find_lead(text, parts)
        if _has_more(text, parts, previous, start):
            # A mark, a thought or a block is between: what was said before it is over.
            current = None
            if not parts or text[parts[-1][1] : start].strip():
                sentence = None
        if sentence is not None:
            current = _judge_lead(sentence, announced)
            is_touching = text.count("\n", sentence.end, start) <= 1
        elif is_touching and doubts and is_apart(text, previous, start):
            current = None
        doubts.append(current)
        previous = end
    return doubts


def _has_more(text: str, parts: Sequence[Place], start: int, end: int) -> bool:
    """Return whether a gap has text that is not prose."""
    for first, last in parts:
        if text[start:first].strip():
            return True
        start = last
    return bool(text[start:end].strip())


def is_apart(text: str, start: int, end: int) -> bool:
    """Return whether a blank line is in a gap.

    Args:
        text: The text.
        start: Where the gap begins.
        end: Where it ends.
    """
    gap = text[start:end].replace("\r", "")
    return "\n\n" in gap


def _find_lead(text: str, parts: Sequence[Place]) -> Sentence | None:
    """Return the last sentence of the last line of prose in a gap."""
    if not parts:
        return None
    start, end = parts[-1]
    last: tuple[int, str] | None = None
    for at, line in read_lines(text, start, end):
        last = at, line
    if last is None:
        return None
    at, line = last
    sentences = list(read_sentences(at, line))
    if not sentences:
        return None
    return sentences[-1]


def _judge_lead(sentence: Sentence, announced: bool) -> Doubt | None:
    groups = our_tables().groups
    words = _INLINE_CODE.sub("`x`", sentence.text)
    is_statement = sentence.ending in _STATEMENT_ENDS
    if is_statement or _CODE.search(words):
        return None
    stance = groups["lead"].find(words)
    # A question before an action may ask for it, and one before an answer is answered by it. A
    # withdrawal there is about what came before.
    if not stance and announced and groups["tail"].find(words) == Stance.ASKED:
        stance = Stance.ASKED
    if stance:
        return Doubt(Stance(stance), sentence)
    is_introduction = sentence.ending in _COLONS
    if announced and is_introduction and not _announces(words):
        return Doubt(Stance.UNCLEAR, sentence)
    return None


def _announces(words: str) -> bool:
    """Return whether a lead announces something real, or is in a language that is not known."""
    if not _KNOWN_LANGUAGE.search(words):
        return True
    groups = our_tables().groups
    if groups["unreal"].find(words):
        return False
    return bool(groups["announcing_lead"].find(words))


# ---- tails


def _judge_tails(
    text: str,
    utterances: Sequence[Place],
    gaps: Sequence[Sequence[Place]],
    announced: bool,
    doubts: list[Doubt | None],
) -> None:
    """Add the doubts that sentences after the utterances give."""
    first_unasked = 0  # the first utterance that no question has reached
    previous = 0  # the end of the utterance before
    first_of_run = 0  # the first of the utterances that are separated by blanks only
    for index, parts in enumerate(gaps[1:]):
        start, end = utterances[index]
        if text[previous:start].strip():
            first_of_run = index
        previous = end
        doubt = _find_tail(text, parts, announced and index == len(utterances) - 1)
        if doubt is None:
            continue
        first = first_of_run
        if doubt.stance is Stance.ASKED:
            first = first_unasked
            first_unasked = index + 1
        for number in range(first, index + 1):
            doubts[number] = doubts[number] or doubt


def _find_tail(text: str, parts: Sequence[Place], is_last: bool) -> Doubt | None:
    """Return the doubt of the first sentence that has one.

    Args:
        text: The reply.
        parts: The prose after an utterance, up to the next one.
        is_last: Whether no utterance follows. Then a short question at the very end waits for an
            answer, whatever its words are.
    """
    groups = our_tables().groups
    is_offering = False
    last: Sentence | None = None
    for count, sentence in enumerate(_sentences_in(text, parts)):
        last = sentence
        if count >= _MAX_SENTENCES:
            continue
        stance = groups["tail"].find(sentence.text)
        is_offered = stance == Stance.ASKED and is_offering
        if stance and not is_offered:
            return Doubt(Stance(stance), sentence)
        is_offering = is_offering or bool(groups["offers"].find(sentence.text))
    if is_offering or not is_last or last is None:
        return None
    if _is_short_question(last.text) and not groups["offers"].find(last.text):
        return Doubt(Stance.ASKED, last)
    return None


def _sentences_in(text: str, parts: Sequence[Place]) -> Iterator[Sentence]:
    """Yield the sentences of some prose, without headings."""
    for start, end in parts:
        for at, line in read_lines(text, start, end):
            if not line.startswith("#"):
                yield from read_sentences(at, line)


def _is_short_question(words: str) -> bool:
    return size(words) <= _MAX_QUESTION and words.rstrip("。").endswith(_QUESTION_ENDS)


# ---- answers


def announces_answer(between: str) -> bool:
    """Return whether the text between two answers announces the later one, so that it counts."""
    return bool(our_tables().groups["announcing"].find(between))
