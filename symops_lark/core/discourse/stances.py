"""Judge by the words around utterances whether they are asked for now.

A *lead* is the last sentence of the last line of prose right before an utterance ("For example:").
It holds for the utterances up to the next prose; one that touches its utterance, without a blank
line between them, holds for that paragraph only. `clauses` finds the part of it that decides.

A *tail* is a sentence after an utterance. A question asks about everything before it ("Shall I
proceed?"); a withdrawal takes back the utterances right before it ("Scratch that."). One that names
a file ("May I delete `old.py`?") is about the utterances with that name. A line that introduces the
next utterance is not a tail.

Tried and left out: to doubt every lead with a colon that announces nothing in known words. In the
sets of `benchmarks/discourse` it found 13 actions that were not meant, and doubted 22 others.

Not here: which patterns there are (`stances.yaml`), and turns (`turns`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..patterns.regexes import compile_pattern
from ..text.source import cut, size
from .clauses import read_clauses
from .marks import Place, clear_parts
from .passages import Stance
from .tables import MAX_SENTENCE, our_tables

_MAX_SENTENCES = 200  # after an utterance: what comes later is another subject
_MAX_QUESTION = 48  # characters; longer questions are about the matter, not about what to do
_MAX_HEAD = 400  # characters of an utterance that may name it
# `src/app.py`, `hud_old.gd`
_NAME = compile_pattern(r"(?<![0-9A-Za-z_-])[0-9A-Za-z_-]+(?:[./][0-9A-Za-z_-]+)+")
_FENCE = compile_pattern(r"[ \t]*(?:`{3,}|~{3,})[^\n]*")
# A sentence ends before a word that does not begin in lower case, so `e.g. this` is one sentence.
_SENTENCE_END = compile_pattern(r"(?<=[.!?])[ \t]+(?=[^a-z])|(?<=[。！？])")
_INLINE_CODE = compile_pattern(r"`[^`\n]*`")
# A line of a program: `x = 1`, `f(x)`, `}`; not `I changed it:`.
_CODE = compile_pattern(r"[{}]| [-+*]?= |[=;][ \t]*$|=>|[0-9A-Za-z_]\(")
_WRAPPED = " \t\r*\"“”'‘’•"
# `# `, `- `, `(2) **` and `> - [x] ` before a sentence, with the signs around it.
_LIST_MARKS = compile_pattern(
    rf"(?:(?:#{{1,6}}|>+|[-*+•]|\[[ xX]\]|\(?[0-9]{{1,3}}[.)])[ \t]+[{_WRAPPED}]*)+"
)
_MANY_BLANKS = 3  # of a question in English that names what it asks about: "Is the LED green?"
_POINTING = compile_pattern(
    r"(?i:(?<![0-9A-Za-z_])(?:it|this|that|these|those|them|so|I|we|go|proceed|continue|ok|okay|"
    r"fine)(?![0-9A-Za-z_]))"
)
_QUESTION_ENDS = ("?", "？", "ですか", "ますか", "ましょうか", "でしょうか", "吗")
_STATEMENT_ENDS = (".", "!")
_COLONS = (":", "：")
# A statement that ends with one of these is about the utterance after it.
_POINTING_DOWN = compile_pattern(
    r"(?i:(?<![0-9A-Za-z_])(?:the following(?: [A-Za-z-]+){0,2}|"
    r"(?:file|code|command|block|example|snippet|edit|change|action|script)s? below)[.!]*$)"
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with the line that it is in.

    Attributes:
        start: The offset of the line.
        end: The offset after the line.
        text: The words, without Markdown, list mark, final colon and final 。.
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
        announced: Whether a short question at the very end waits for an answer to it.
    """
    if not utterances:
        return []
    gaps = _gaps(text, utterances, excluded)
    doubts = _judge_leads(text, utterances, gaps)
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
    # One match: to cut off each mark takes quadratic time for a line of marks.
    match = _LIST_MARKS.match(body)
    if match:
        body = body[match.end() :]
    for part in _SENTENCE_END.split(body):
        sentence = part.strip(_WRAPPED + "()（）[]")
        words = sentence.rstrip(":：。 \t*")
        words = words.replace("**", "")
        if words:
            yield Sentence(at, at + len(line), words, sentence[-1:])


# ---- leads


def _judge_leads(
    text: str, utterances: Sequence[Place], gaps: Sequence[Sequence[Place]]
) -> list[Doubt | None]:
    doubts: list[Doubt | None] = []
    current: Doubt | None = None
    is_touching = False
    previous = 0
    for (start, end), parts in zip(utterances, gaps, strict=False):
        lead = _find_lead(text, parts)
        if _has_more(text, parts, previous, start):
            # A mark, a thought or a block is between: what was said before it is over.
            current = None
            if not parts or text[parts[-1][1] : start].strip():
                lead = []
        if lead:
            current = _judge_lead(lead)
            is_touching = text.count("\n", lead[-1].end, start) <= 1
        elif is_touching and is_apart(text, previous, start):
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


def _find_lead(text: str, parts: Sequence[Place]) -> list[Sentence]:
    """Return the sentences of the last line of prose in a gap."""
    if not parts:
        return []
    start, end = parts[-1]
    last: tuple[int, str] | None = None
    for at, line in read_lines(text, start, end):
        last = at, line
    if last is None:
        return []
    at, line = last
    return list(read_sentences(at, line))


def _judge_lead(lead: Sequence[Sentence]) -> Doubt | None:
    """Return the doubt of the last sentence.

    Japanese and Chinese write whole sentences before an action. If the last of them announces
    nothing, it comments on the one before ("I show an example. It stores the password.").
    """
    groups = our_tables().groups
    last = lead[-1]
    if last.ending in _STATEMENT_ENDS and _POINTING_DOWN.search(last.text) is None:
        return None
    for sentence in reversed(lead[-2:]):
        words = _INLINE_CODE.sub("`x`", sentence.text)
        if _CODE.search(words):
            return None
        clauses = read_clauses(words)
        stance = groups["lead"].find(clauses.sentence, clauses.last)
        # A question before an action may ask for it; a withdrawal there is about what came before.
        if not stance and groups["tail"].find(words) == Stance.ASKED:
            stance = Stance.ASKED
        if stance:
            return Doubt(Stance(stance), sentence)
        if sentence.ending != "。" or groups["announcing_lead"].find(clauses.last):
            return None
    return None


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
        is_last = index == len(utterances) - 1
        following = None if is_last else doubts[index + 1]
        doubt = _find_tail(text, parts, announced and is_last, following)
        if doubt is None:
            continue
        first = first_of_run
        if doubt.stance is Stance.ASKED:
            first = first_unasked
            first_unasked = index + 1
        for number in _named(text, utterances, range(first, index + 1), doubt.sentence):
            doubts[number] = doubts[number] or doubt


def _named(
    text: str, utterances: Sequence[Place], numbers: Sequence[int], sentence: Sentence
) -> Sequence[int]:
    """Return the utterances that a sentence names, or the words before it; all if none is named."""
    names = _NAME.findall(cut(sentence.text, 0, MAX_SENTENCE))
    if not names:
        line = text[sentence.start : sentence.end]
        before, _, _ = line.partition(sentence.text)
        names = _NAME.findall(cut(before, 0, MAX_SENTENCE))
    if not names:
        return numbers
    named = []
    for number in numbers:
        start, end = utterances[number]
        stop = min(end, start + _MAX_HEAD)
        head, _, _ = text[start:stop].partition("\n")
        if any(name in head for name in names):
            named.append(number)
    return named or numbers


def _find_tail(
    text: str, parts: Sequence[Place], is_last: bool, following: Doubt | None
) -> Doubt | None:
    """Return the doubt of the first sentence that has one.

    Args:
        text: The reply.
        parts: The prose after an utterance, up to the next one.
        is_last: Whether no utterance follows. Then a short question at the very end waits for an
            answer.
        following: The doubt about the next utterance. The sentence that is its lead says nothing
            of the one before.
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
        is_lead = sentence.ending in _COLONS
        if following is not None and following.sentence == sentence:
            is_lead = True
        if stance and not is_offered and not is_lead:
            return Doubt(Stance(stance), sentence)
        is_offering = is_offering or bool(groups["offers"].find(sentence.text))
    if is_offering or not is_last or last is None:
        return None
    if _waits(last.text) and not groups["offers"].find(last.text):
        return Doubt(Stance.ASKED, last)
    return None


def _sentences_in(text: str, parts: Sequence[Place]) -> Iterator[Sentence]:
    """Yield the sentences of some prose, without headings."""
    for start, end in parts:
        for at, line in read_lines(text, start, end):
            for sentence in read_sentences(at, line):
                if not line.startswith("#"):
                    yield sentence


def _waits(words: str) -> bool:
    """Return whether a sentence is a short question that is about the utterances."""
    if size(words) > _MAX_QUESTION or not words.endswith(_QUESTION_ENDS):
        return False
    is_english = words.isascii() and words.count(" ") >= _MANY_BLANKS
    return not is_english or _POINTING.search(words) is not None


# ---- answers


def announces_answer(between: str) -> bool:
    """Return whether the text between two answers announces the later one, so that it counts."""
    announcing = our_tables().groups["announcing"]
    # Of a long line, only the end is near the later answer.
    return any(announcing.find(line[-MAX_SENTENCE:]) for line in between.split("\n"))
