"""Find the tokens of a reply: the marks at which a turn or a channel can begin.

A *token* belongs to a chat template (`<|im_end|>`). It counts wherever it is used, and is not used
where it is only mentioned: in inline code, in quotation marks, or in a code block without
utterances. For marks in words, see `labels`.

No mark counts in an opaque part, such as the content of an action.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..patterns.regexes import compile_pattern
from .mentions import is_mentioned
from .passages import Channel, Speaker
from .tables import CHANNEL, CLOSE, OPEN, TURN, TURN_AFTER, our_tables

Place = tuple[int, int]  # start and end, as offsets in the text
MAX_LABEL = 60  # characters of a line in which the colon of a label must be
# `<reasoning effort="high">`
_WITH_ATTRIBUTES = compile_pattern(r"<(?P<name>[A-Za-z:_]{3,30})[ \t][^<>\n]{0,200}>")
# The line of a Markdown fence, with the name of a language or without.
FENCE = compile_pattern(
    r"[ \t]{0,3}(?P<run>`{3,}|~{3,}+)[ \t]*+(?P<info>(?:[^`\n]*[^` \t\r\n])?)[ \t\r]*"
)
# A tag at the beginning of a line: `<inner_monologue>`, `</analysis>`; not `see <analysis>`.
_ELEMENT = compile_pattern(
    r"(?:^|(?<=\n))[ \t]*(?P<tag><(?P<end>/)?(?P<name>[A-Za-z][A-Za-z_-]{2,30})>)"
)


@dataclass(frozen=True, slots=True)
class Mark:
    """A token or a label.

    Attributes:
        start: The offset of its first character.
        end: The offset after its last character.
        kind: One of the kinds of `tables`.
        value: The speaker, the channel, or the closing token.
        is_token: Whether it is a token, and so is certain.
        is_dialogue: Whether it is a label between two paragraphs of prose: an answer before it, and
            one to it. Only then can another speaker's turn begin before the first utterance.
    """

    start: int
    end: int
    kind: str
    value: str
    is_token: bool
    is_dialogue: bool = False


def clear_parts(text: str, opaque: Sequence[Place]) -> Iterator[Place]:
    """Yield the parts of a text that are neither opaque nor blank.

    Args:
        text: The text.
        opaque: The opaque parts, in any order; they may overlap.
    """
    start = 0
    for first, last in sorted(opaque):
        # Most parts between sections are blank lines.
        if text[start:first].strip():
            yield start, first
        start = max(start, last)
    if start < len(text):
        yield start, len(text)


# ---- tokens


def find_tokens(text: str, opaque: Sequence[Place]) -> list[Mark]:
    """Return the tokens that are used outside of opaque parts, in order.

    Takes time linear in the length of the text.

    Args:
        text: The reply.
        opaque: The parts where no token counts.
    """
    tables = our_tables()
    tokens: list[Mark] = []
    parts = list(clear_parts(text, opaque))
    for start, end in parts:
        for beginning in tables.beginnings:
            tokens += _tokens_with(beginning, text, start, end)
    tokens.sort(key=mark_start)
    _end_channel_of_prompt(tokens, text, opaque)
    tokens += _stripped(text, parts)
    tokens.sort(key=mark_start)
    return tokens


def _end_channel_of_prompt(tokens: list[Mark], text: str, opaque: Sequence[Place]) -> None:
    """Read the channel of the answer as the end of thinking, if it is the first channel.

    A server that begins the channel of thinking itself leaves its token out of the reply. A call on
    a channel before it shows that there is no such channel.
    """
    for number, mark in enumerate(tokens):
        if mark.kind != CHANNEL:
            continue
        before = [start for start, _ in opaque if start < mark.start]
        is_first = not any(_begins_channel(text, start) for start in before)
        if mark.value == Channel.FINAL and is_first:
            tokens[number] = replace(mark, kind=CLOSE, value="")
        return


def _begins_channel(text: str, start: int) -> bool:
    tables = our_tables()
    kind, _ = tables.tokens.get(tables.token_at(text, start), ("", ""))
    return kind == CHANNEL


def mark_start(mark: Mark) -> int:
    """Return where a mark begins, to sort by."""
    return mark.start


def _tokens_with(beginning: str, text: str, start: int, end: int) -> Iterator[Mark]:
    """Yield the tokens of a part that begin with a text."""
    tables = our_tables()
    at = text.find(beginning, start, end)
    while at >= 0:
        token = tables.token_at(text, at)
        stop = at + len(token)
        if not token:
            token, stop = _opening_tag(text, at)
        if token and stop <= end:
            mark = _token(text, at, stop, token)
            if mark is not None and not is_mentioned(text, at, stop, mark.kind):
                yield mark
        at = text.find(beginning, at + 1, end)


def _opening_tag(text: str, start: int) -> tuple[str, int]:
    """Return the token that a tag with attributes stands for, and where the tag ends."""
    match = _WITH_ATTRIBUTES.match(text, start)
    if match is None:
        return "", start
    token = f"<{match['name'].lower()}>"
    kind, _ = our_tables().tokens.get(token, ("", ""))
    return (token, match.end()) if kind == OPEN else ("", start)


def _token(text: str, start: int, end: int, token: str) -> Mark | None:
    tables = our_tables()
    kind, value = tables.tokens[token]
    if kind != TURN_AFTER:
        return Mark(start, end, kind, value, True)
    # The name of the role is the word before: `user<|role_sep|>`.
    first = max(0, start - MAX_LABEL)
    line = text[first:start].rpartition("\n")[2]
    speaker = tables.labels.get(line.strip().lower())
    if speaker is None:
        return None
    return Mark(start, end, TURN, speaker, True)


def _stripped(text: str, parts: Sequence[Place]) -> list[Mark]:
    """Return the words that are left where a server has taken out Harmony's tokens."""
    marks = []
    body = len(text) - len(text.lstrip())
    has_answer = False
    for word, channel in our_tables().stripped.items():
        # `analysis` alone is an ordinary word: it counts at the beginning of the reply only.
        is_ordinary = not word.startswith(Speaker.ASSISTANT)
        for start, end in parts:
            at = text.find(word, start, end)
            while at >= 0 and (at == body or not is_ordinary):
                stop = at + len(word)
                marks.append(Mark(at, stop, CHANNEL, channel, True))
                has_answer = has_answer or channel == Channel.FINAL
                at = text.find(word, stop, end)
    if has_answer:
        return marks
    return []


# ---- elements in words


def find_elements(text: str, opaque: Sequence[Place]) -> list[Mark]:
    """Return the tags of elements around thinking whose names are words, in pairs.

    An element counts if its tags begin lines and both are there: `<inner_monologue>` and its end.
    A tag without the other one may be the subject of the text.

    Args:
        text: The reply.
        opaque: The parts where no tag counts.
    """
    tags: list[Mark] = []
    opened = {}  # by name; one that begins again is not closed
    for start, end in clear_parts(text, opaque):
        for match in _ELEMENT.finditer(text, start, end):
            name = match["name"].lower()
            if not _names_thinking(name):
                continue
            start_of_tag = match.start("tag")
            closing = f"</{name}>"
            mark = Mark(start_of_tag, match.end(), OPEN, closing, False)
            if not match["end"]:
                opened[name] = mark
            elif name in opened:
                opening = opened.pop(name)
                tags += (opening, replace(mark, kind=CLOSE))
    return tags


def _names_thinking(name: str) -> bool:
    tables = our_tables()
    # Those of templates are tokens.
    if f"<{name}>" in tables.tokens:
        return False
    words = name.replace("-", "_").split("_")
    return any(word.startswith(tables.elements) for word in words)
