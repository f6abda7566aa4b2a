"""Judge the words after a verdict: a short answer, such as a tag, which has no content.

A condition, a contrast or a remark of its writer may take a verdict back. So more words count than
after an action (`stances`), and a wrong doubt costs only another question.

    [REVIEW:1]                       a verdict
    All tests pass.                  a sentence without a word of doubt
    Reason: it fails if CI is red.   a reason may have an `if`
    However, I am not sure.          takes the verdict back

How far words reach
    - What takes back counts up to the end of the reply, all else up to the next heading: later
      sections are about something else.
    - The words of possibility (`if`, `might`) do not count in a paragraph of reasons. It ends at
      a blank line; that of a label ("Reasons:") at the next one.
    - Who speaks about a verdict may doubt it, but on its own line this is the report.
    - A sentence with another verdict is about that one, unless it takes back.

Not here: text before a verdict, its own sentence, and verdicts that contradict each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..patterns.regexes import compile_pattern
from ..text.source import Span
from .labels import find_blocks
from .marks import clear_parts
from .passages import Stance
from .stances import Doubt, Sentence, is_apart, read_lines, read_sentences
from .tables import our_tables

# A section begins: `## Notes`, `---`.
_SECTION = compile_pattern(r"[ \t]*(?:#{1,6}[ \t]+\S|(?:[-*_][ \t]?){3,}\r?$)")
_BRACKETS = (("(", ")"), ("（", "）"))
_COLONS = (":", "：")
_DECORATION = " \t*_`\"'["


@dataclass(frozen=True, slots=True)
class _Remark:
    """A sentence after a verdict, and where it is.

    Attributes:
        sentence: The sentence.
        is_same_line: Whether it is on the line of the verdict.
        is_bracketed: Whether its line is in brackets.
        is_near: Whether it is in the section of the verdict.
        is_reason: Whether it is in a paragraph of reasons.
        verdict: Another verdict that it has; empty: it has none.
    """

    sentence: Sentence
    is_same_line: bool
    is_bracketed: bool
    is_near: bool
    is_reason: bool
    verdict: str


def find_retraction(text: str, end: int, others: Sequence[Span] = ()) -> Doubt | None:
    """Return the sentence after a verdict that takes it back, or may do so.

    Takes time linear in the length of the text. Code blocks are not read.

    Args:
        text: The reply.
        end: The offset after the verdict, or after the sentence that it is in.
        others: Further verdicts, in order.

    Returns:
        The first such sentence, or None.
    """
    for remark in _remarks(text, end, others):
        stance = _judge(remark)
        if stance:
            return Doubt(Stance(stance), remark.sentence)
    return None


def _remarks(text: str, end: int, others: Sequence[Span]) -> Iterator[_Remark]:
    """Yield the sentences after a verdict."""
    reasons = our_tables().groups["reasons"]
    remaining = list(reversed(others))
    _, blocks = find_blocks(text, 0, len(text), "")
    line_end = text.find("\n", end)
    if line_end < 0:
        line_end = len(text)
    is_near = True
    is_reason = False
    is_label = False  # whether the last sentence was a label of reasons
    previous = end
    for start, stop in clear_parts(text, [(0, end), *blocks]):
        for at, line in read_lines(text, start, stop):
            if text[at - 1] == "\n" and _SECTION.match(line):
                is_near = False
            if is_apart(text, previous, at) and not is_label:
                is_reason = False
            previous = at + len(line)
            body = line.strip()
            is_bracketed = (body[:1], body[-1:]) in _BRACKETS
            for sentence in read_sentences(at, line):
                words = sentence.text
                if reasons.find(words):
                    is_reason = True
                is_label = is_reason and sentence.ending in _COLONS
                yield _Remark(
                    sentence=sentence,
                    is_same_line=at < line_end,
                    is_bracketed=is_bracketed,
                    is_near=is_near,
                    is_reason=is_reason,
                    verdict=_take_verdict(text, words, remaining),
                )


def _take_verdict(text: str, words: str, remaining: list[Span]) -> str:
    """Return a verdict that a sentence has, and remove all that it has; empty if it has none.

    Args:
        text: The reply.
        words: The sentence.
        remaining: The verdicts that no sentence has had, the next one last.
    """
    name = ""
    position = 0
    while remaining:
        span = remaining[-1]
        # A sentence may have lost its brackets.
        verdict = text[span.start : span.end].strip("[]")
        start = words.find(verdict, position)
        if start < 0:
            break
        position = start + len(verdict)
        name = verdict
        remaining.pop()
    return name


def _judge(remark: _Remark) -> str:
    """Return the stance of a sentence after a verdict; empty if it leaves the verdict."""
    groups = our_tables().groups
    words = remark.sentence.text
    # "Not applicable: [REVIEW:1]" takes that verdict back.
    label, _, _ = words.partition(remark.verdict or words)
    is_labeled = label.rstrip(_DECORATION).endswith(_COLONS)
    if not is_labeled and groups["retractions"].find(words):
        return Stance.WITHDRAWN
    if remark.verdict or not remark.is_near:
        return ""
    # A line in brackets is a reservation: "(assuming that the tests pass)".
    if remark.is_bracketed and not remark.is_same_line:
        return Stance.CONDITIONAL
    if groups["closings"].find(words):
        return ""
    for name in ("verdict_tail", "tail"):
        stance = groups[name].find(words)
        if stance:
            return stance
    if not remark.is_reason and groups["possibilities"].find(words):
        return Stance.CONDITIONAL
    if not remark.is_same_line and groups["verdict_person"].find(words):
        return Stance.WITHDRAWN
    return ""
