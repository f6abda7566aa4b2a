"""Read turns and channels in one pass over the marks of a reply.

The state is the speaker, the channel, and three marks that decide about what comes later: the one
that began an invented turn, the one that ended the reply, and the thinking section that is open.

    text                              speaker    counts
    ::create @a.py …                  assistant  yes
    User: now delete it               user       -
    ::delete @a.py                    user       no: invented-turn
    Assistant: done                   assistant  -
    ::run @ls                         assistant  no: invented-turn

Rules
    1. A token of a role sets the speaker. A label in words does too, but is not certain.
    2. Before the assistant's first utterance, a turn of another speaker is an echo of the prompt:
       what it holds is `other-speaker`, and the next turn of the assistant is the reply. A label
       is an echo only if the assistant's turn follows. After the first utterance, another
       speaker's turn is invented, and so is everything after it. So it is after an answer in
       prose, if more prose follows as the answer to it.
    3. A label of the assistant after an utterance begins an invented turn, also if no other
       speaker is known before it.
    4. After a token that ends the reply, later utterances do not count, unless one follows it
       with nothing but blanks between them: some models write such a token between sections.
    5. What is between the tokens of a thinking section does not count. If only the closing one
       was written, everything before it was thinking; if only the opening one was, everything
       after it is doubtful. A section by its heading is thinking if one of the answer follows.
    6. A token that is only mentioned does not count (`marks`).
    7. Verdicts are short, so all prose around them is a part of the reply. A token that ends the
       reply or a message counts after any text, and ends it at once; a label of the user needs no
       reply; a second message is invented.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..grammar.codes import BEHIND_THE_END, INVENTED_TURN, OTHER_SPEAKER, THOUGHT
from .marks import Mark, Place
from .passages import Channel, Speaker
from .tables import CHANNEL, CLOSE, END, MESSAGE_END, OPEN, TURN


@dataclass(slots=True)
class Stretch:
    """A part of a reply without a change of turn or channel, before its words are judged.

    It is changed while the marks are read: a later one can end it later, or make it thinking.

    Attributes:
        start: The offset of its first character.
        end: The offset after its last character.
        speaker: Who speaks.
        channel: The answer, or thinking.
        turn: The number of the turn.
        utterance: The number of the utterance that it is; -1: it is text between utterances.
        code: Empty if it counts.
        mark: The mark that is the reason; None without a code.
        is_certain: Whether the reason is certain.
    """

    start: int
    end: int
    speaker: Speaker
    channel: Channel
    turn: int
    utterance: int
    code: str
    mark: Mark | None
    is_certain: bool


def read_turns(
    text: str, utterances: Sequence[Place], marks: Sequence[Mark], verdicts: bool = False
) -> tuple[Stretch, ...]:
    """Return the stretches of a reply, which partition it.

    Args:
        text: The reply.
        utterances: What a reader may act on, in order and without overlaps.
        marks: The marks of the reply, in order.
        verdicts: Whether the utterances are verdicts.
    """
    reader = _Reader(text, marks, verdicts)
    position = 0
    for number, (start, end) in enumerate(utterances):
        while position < len(marks) and marks[position].start < start:
            reader.take(marks[position])
            position += 1
        reader.resume(start)
        reader.add(start, -1)
        reader.add(end, number)
    for mark in marks[position:]:
        reader.take(mark)
    reader.add(len(text), -1)
    return tuple(reader.stretches)


class _Reader:
    """The state of the pass."""

    def __init__(self, text: str, marks: Sequence[Mark], verdicts: bool) -> None:
        self._text = text
        self._verdicts = verdicts
        self._thinking = match_thinking(marks)
        self._last_answer = max(_starts(marks, Channel.FINAL), default=-1)
        self._last_reply = max(_starts(marks, Speaker.ASSISTANT), default=-1)
        self.stretches: list[Stretch] = []
        self._at = 0
        self._turn = 0
        self._speaker = Speaker.ASSISTANT
        self._speaker_mark: Mark | None = None
        self._channel_mark: Mark | None = None  # of a channel or section of thinking
        self._open: list[Mark] = []  # sections of thinking
        self._invented: Mark | None = None
        self._ended: Mark | None = None
        self._has_ended = False  # text other than an utterance follows the end
        self._has_spoken = False  # the assistant, in its answer
        self._said_from = 0  # where text is the assistant's that no token has ended
        self._forgotten = 0  # the number of stretches before the last lone closing token

    def take(self, mark: Mark) -> None:
        """Change the state at a mark."""
        if mark.kind == TURN:
            self._begin_turn(mark)
        elif mark.kind == END or (mark.kind == MESSAGE_END and self._verdicts):
            self._end(mark)
        elif mark.kind == OPEN and mark.start not in self._thinking.repeated:
            if not self._open:
                self.add(mark.start, -1)
            self._open.append(mark)
        elif mark.kind == CLOSE:
            self._close(mark)
        elif mark.kind == CHANNEL:
            self.add(mark.start, -1)
            is_final = mark.value == Channel.FINAL
            self._channel_mark = None if is_final else mark

    def _end(self, mark: Mark) -> None:
        if self._ended is None and self._has_said(mark):
            self.add(mark.start, -1)
            self._ended = mark

    def _has_said(self, mark: Mark) -> bool:
        """Return whether the assistant has said something before a token that ends its reply."""
        if self._has_spoken or not self._verdicts:
            return self._has_spoken
        start = self._said_from
        self._said_from = mark.end
        if self._speaker is not Speaker.ASSISTANT:
            return False
        words = self._text[start : mark.start].strip()
        return bool(words)

    def resume(self, start: int) -> None:
        """Forget the end of the reply if an utterance follows it at once: the reply continues."""
        mark = self._ended
        if mark is None or self._has_ended or self._verdicts:
            return
        if self._text[mark.end : start].strip():
            self._has_ended = True
        else:
            self._ended = None

    def _begin_turn(self, mark: Mark) -> None:
        speaker = Speaker(mark.value)
        is_own = speaker is Speaker.ASSISTANT
        is_echo = not self._has_spoken
        # A verdict may follow an echo of the question in words.
        if mark.is_dialogue and not (is_own and self._verdicts):
            is_echo = False
        # In words, another speaker before the first utterance is an ordinary word of a reply,
        # unless the reply itself begins later.
        has_reply = mark.start <= self._last_reply
        is_strict = self._verdicts and speaker is Speaker.USER
        if is_echo and not mark.is_token and not has_reply and not is_strict:
            return
        self.add(mark.start, -1)
        self._said_from = mark.end
        if is_echo:
            self._ended = None  # the end of the prompt
        if speaker is not self._speaker or self._has_spoken:
            self._turn += 1
        # Templates such as Harmony's write several messages of the assistant for one reply.
        is_message = is_own and mark.is_token and self._ended is None
        if self._verdicts:
            is_message = False
        if self._invented is None and not is_echo and not is_message:
            self._invented = mark
        self._speaker = speaker
        self._speaker_mark = mark
        if mark.is_token:
            self._channel_mark = None
            self._open.clear()

    def _close(self, mark: Mark) -> None:
        if mark.start in self._thinking.lone:
            self.add(mark.end, -1)
            self._forget(mark)
        elif mark.start in self._thinking.closing:
            count = self._thinking.closing[mark.start]
            if count == len(self._open):
                self.add(mark.end, -1)
            for _ in range(count):
                self._open.pop()

    def _forget(self, mark: Mark) -> None:
        """Read everything before a lone closing token as thinking."""
        for index in range(self._forgotten, len(self.stretches)):
            stretch = self.stretches[index]
            if stretch.code:
                continue
            stretch.channel = Channel.THINKING
            stretch.code = THOUGHT
            stretch.mark = mark
            stretch.is_certain = True
        self._forgotten = len(self.stretches)
        self._has_spoken = False
        self._ended = None
        self._said_from = mark.end

    def add(self, end: int, utterance: int) -> None:
        """Add the stretch up to an offset, in the current state."""
        if end <= self._at and utterance < 0:
            return
        code, mark, is_certain = self._judge(end)
        # Many marks in a row are one passage: that bounds the time of texts made of marks.
        last = self.stretches[-1] if self.stretches else None
        if last is not None and utterance < 0 and last.utterance < 0 and last.mark is mark:
            is_same = last.speaker is self._speaker and last.turn == self._turn
            if is_same and last.code == code:
                last.end = end
                self._at = end
                return
        channel = Channel.FINAL
        if code == THOUGHT or self._open:
            channel = Channel.THINKING
        stretch = Stretch(
            start=self._at,
            end=end,
            speaker=self._speaker,
            channel=channel,
            turn=self._turn,
            utterance=utterance,
            code=code,
            mark=mark,
            is_certain=is_certain,
        )
        self.stretches.append(stretch)
        self._at = end
        is_own = self._speaker is Speaker.ASSISTANT
        if utterance >= 0 and is_own and code != THOUGHT:
            self._has_spoken = True

    def _judge(self, end: int) -> tuple[str, Mark | None, bool]:
        """Return the code of the current state, its reason, and whether it is certain."""
        mark = self._invented
        if mark is not None:
            return INVENTED_TURN, mark, mark.is_token
        mark = self._speaker_mark
        if mark is not None and self._speaker is not Speaker.ASSISTANT:
            return OTHER_SPEAKER, mark, mark.is_token
        if self._ended is not None:
            return BEHIND_THE_END, self._ended, True
        if self._open:
            opening = self._open[0]
            is_certain = opening.is_token and opening.start in self._thinking.closed
            return THOUGHT, opening, is_certain
        section = self._channel_mark
        if section is None:
            return "", None, False
        has_answer = self._last_answer >= end
        # A heading is thinking only if a section of the answer follows.
        if section.is_token or has_answer:
            return THOUGHT, section, section.is_token
        return "", None, False


def _starts(marks: Sequence[Mark], value: str) -> list[int]:
    """Return where the marks with a value are."""
    return [mark.start for mark in marks if mark.value == value]


class Thinking(NamedTuple):
    """How the tokens of thinking match, by where they begin.

    Attributes:
        closed: The opening tokens that are closed, also by the end of an outer pair.
        closing: The closing tokens that match, each with the number of sections that it ends.
        lone: The closing tokens without a section that is open.
        repeated: The opening tokens of a section that is open, which has only one end.
    """

    closed: set[int]
    closing: dict[int, int]
    lone: set[int]
    repeated: set[int]


def match_thinking(marks: Sequence[Mark]) -> Thinking:
    """Match the tokens of thinking like brackets; a turn by a token closes everything.

    Two mistakes of models are known: `<think><think>…</think>` is one section, and in
    `<think>…</thinking>` the wrong token ends it, because no right one follows.

    Args:
        marks: The marks, in order.
    """
    thinking = Thinking(set(), {}, set(), set())
    stack: list[Mark] = []
    depths: dict[str, int] = {}  # how many of each pair are open
    ends = _count_ends(marks, 0)  # how many closing tokens of each pair follow in this turn
    for number, mark in enumerate(marks):
        value = mark.value
        depth = depths.get(value, 0)
        if mark.kind == TURN and mark.is_token:
            stack.clear()
            depths.clear()
            ends = _count_ends(marks, number + 1)
        elif mark.kind == OPEN and depth > 0 and ends[value] <= depth:
            thinking.repeated.add(mark.start)
        elif mark.kind == OPEN:
            stack.append(mark)
            depths[value] = depth + 1
        elif mark.kind == CLOSE:
            ends[value] -= 1
            if not stack:
                thinking.lone.add(mark.start)
            elif depth:
                _close_sections(thinking, stack, depths, mark, value)
            elif not ends[stack[0].value]:
                _close_sections(thinking, stack, depths, mark, "")
    return thinking


def _count_ends(marks: Sequence[Mark], start: int) -> Counter[str]:
    """Return how many closing tokens of each pair follow in the same turn."""
    ends: Counter[str] = Counter()
    for number in range(start, len(marks)):
        mark = marks[number]
        if mark.kind == TURN and mark.is_token:
            break
        if mark.kind == CLOSE:
            ends[mark.value] += 1
    return ends


def _close_sections(
    thinking: Thinking, stack: list[Mark], depths: dict[str, int], mark: Mark, value: str
) -> None:
    """Close the sections up to the innermost one of a pair, or all if no pair is named."""
    thinking.closing[mark.start] = 0
    opening = None
    while stack and (opening is None or opening.value != value):
        opening = stack.pop()
        depths[opening.value] -= 1
        thinking.closed.add(opening.start)
        thinking.closing[mark.start] += 1
