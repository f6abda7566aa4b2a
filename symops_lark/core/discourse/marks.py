"""Find the tokens and labels of a reply: the marks at which a turn or a channel can begin.

A *token* belongs to a chat template (`<|im_end|>`). It counts wherever it is used, and is not used
where it is only mentioned: in inline code, in quotation marks, or in a code block without
utterances. A *label* (`User:`, `### Observation`) consists of words, which a reply may also use
for other things. So it counts only where a turn can begin: at the margin of a line that begins a
paragraph, and with an utterance after it.

No mark counts in an opaque part, such as the content of an action.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..patterns.regexes import compile_pattern
from ..text.source import cut
from .passages import Channel, Speaker
from .speaker_table import CHANNEL, CLOSE, END, OPEN, TURN, TURN_AFTER, Names
from .tables import our_tables

Place = tuple[int, int]  # start and end, as offsets in the text
_MAX_LABEL = 60  # characters of a line in which the colon of a label must be
_MAX_BEFORE = 200  # characters before a token that may be inline code; a bound on the time
_QUOTES = ("`", "'", '"', "“", "‘", "「", "『")
_DECORATION = "*_ \t"  # Markdown around a label
_FENCE = compile_pattern(r"[ \t]{0,3}(?P<run>`{3,}|~{3,})(?P<info>[^`\n]*)")
# A tag at the beginning of a line: `<inner_monologue>`, `</analysis>`, `<think mode="long">`; not
# `see <analysis>`.
_ELEMENT = compile_pattern(
    r"(?:^|(?<=\n))[ \t]*"
    r"(?P<tag><(?P<end>/)?(?P<name>[A-Za-z][A-Za-z_-]{2,30})(?P<more>[ \t][^<>\n]{0,200})?>)"
)
_BRACKETS = {"[": "]", "<": ">"}


@dataclass(frozen=True, slots=True)
class Mark:
    """A token or a label.

    Attributes:
        start: The offset of its first character.
        end: The offset after its last character.
        kind: One of the kinds of `tables`.
        value: The speaker, the channel, or the closing token.
        is_token: Whether it is a token, and so is certain.
    """

    start: int
    end: int
    kind: str
    value: str
    is_token: bool


def clear_parts(text: str, opaque: Sequence[Place]) -> Iterator[Place]:
    """Yield the parts of a text that are neither opaque nor blank.

    Args:
        text: The text.
        opaque: The opaque parts, in any order; they may overlap.
    """
    start = 0
    for first, last in sorted(opaque):
        # Most parts between sections are blank lines.
        if start < first and not text[start:first].isspace():
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
    tokens += _stripped(text, parts)
    tokens.sort(key=mark_start)
    return tokens


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
        if token and stop <= end:
            mark = _token(text, at, stop, token)
            if mark is not None and not _is_mentioned(text, mark):
                yield mark
        at = text.find(beginning, at + 1, end)


def _token(text: str, start: int, end: int, token: str) -> Mark | None:
    tables = our_tables()
    kind, value = tables.tokens[token]
    if kind != TURN_AFTER:
        return Mark(start, end, kind, value, True)
    # The name of the role is the word before: `user<|role_sep|>`.
    first = max(0, start - _MAX_LABEL)
    line = text[first:start].rpartition("\n")[2]
    speaker = tables.labels.get(line.strip().lower())
    if speaker is None:
        return None
    return Mark(start, end, TURN, speaker, True)


def _is_mentioned(text: str, mark: Mark) -> bool:
    """Return whether a token is not used: quoted, in inline code, or the end of an element."""
    first = max(0, mark.start - _MAX_BEFORE)
    before = text[first : mark.start]
    if before.endswith(_QUOTES):
        return True
    line = before.rpartition("\n")[2]
    if line.count("`") % 2 == 1:
        return True
    # `<s>old</s>` is struck out in Markdown, and does not end a reply.
    token = text[mark.start : mark.end]
    if mark.kind != END or not token.startswith("</"):
        return False
    opening = token.replace("/", "", 1)
    return opening in line


def _stripped(text: str, parts: Sequence[Place]) -> list[Mark]:
    """Return the words that are left where a server has taken out Harmony's tokens."""
    marks: list[Mark] = []
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
    """Return the tags of elements around thinking whose names are words, in order.

    An element counts if its tags begin lines and both are there: `<inner_monologue>` and its end.
    A tag without the other one may be the subject of the text.

    Args:
        text: The reply.
        opaque: The parts where no tag counts.
    """
    tokens = our_tables().tokens
    tags: list[Mark] = []
    opened: dict[str, Mark] = {}  # by name; one that begins again is not closed
    for start, end in clear_parts(text, opaque):
        for match in _ELEMENT.finditer(text, start, end):
            name = match["name"].lower()
            start_of_tag = match.start("tag")
            closing = f"</{name}>"
            kind = ""
            token = f"<{name}>"
            if token in tokens:
                kind, closing = tokens[token]
            # A token with attributes.
            if kind == OPEN and match["more"]:
                tags.append(Mark(start_of_tag, match.end(), OPEN, closing, True))
            if kind or not _names_thinking(name):
                continue
            mark = Mark(start_of_tag, match.end(), OPEN, closing, False)
            if not match["end"]:
                opened[name] = mark
            elif name in opened:
                opening = opened.pop(name)
                tags += (opening, replace(mark, kind=CLOSE))
    tags.sort(key=mark_start)
    return tags


def _names_thinking(name: str) -> bool:
    elements = our_tables().elements
    words = name.replace("-", "_").split("_")
    return any(word.startswith(elements) for word in words)


# ---- labels


def find_labels(
    text: str, utterances: Sequence[Place], opaque: Sequence[Place], verdicts: bool = False
) -> tuple[list[Mark], list[Place]]:
    """Return the labels with an utterance after them, and the code blocks without utterances.

    Takes time linear in the length of the text.

    Args:
        text: The reply.
        utterances: What the reader may act on, in order.
        opaque: Further parts where no label counts.
        verdicts: Whether the utterances are verdicts. Then labels count on each line, and after
            the last verdict as well.

    Returns:
        The labels in order, and the Markdown blocks between the utterances that hold none.
    """
    labels: list[Mark] = []
    quoted: list[Place] = []
    first = 0  # where the first utterance begins
    last = 0  # where the last one begins
    if utterances:
        first, _ = utterances[0]
        last, _ = utterances[-1]
    fence = ""  # that is open
    hidden = [*utterances, *opaque]
    for start, end in clear_parts(text, hidden):
        fence, blocks = find_blocks(text, start, end, fence)
        quoted += blocks
        if start >= last and not verdicts:
            continue
        names: Names = {}
        if verdicts and start > first:
            names = our_tables().later_labels
        for block, stop in [*blocks, (end, end)]:
            labels += _labels_in(text, start, block, verdicts, names)
            start = stop
    return labels, quoted


def find_blocks(text: str, start: int, end: int, fence: str) -> tuple[str, list[Place]]:
    """Return the fence that is open at the end of a part, and the code blocks that are inside it.

    Args:
        text: The text.
        start: Where the part begins.
        end: Where it ends.
        fence: The fence that is open where it begins; empty if none is.
    """
    blocks: list[Place] = []
    opened = -1  # where the block begins; -1: in an earlier part, so an utterance is in it
    # Most parts have none.
    backticks = text.find("```", start, end)
    tildes = text.find("~~~", start, end)
    if backticks < 0 and tildes < 0:
        return fence, blocks
    for at, line in _lines(text, start, end):
        match = _FENCE.fullmatch(line.rstrip("\r"))
        if match is None:
            continue
        run = match["run"]
        if not fence:
            fence = run
            opened = at
            continue
        info = match["info"].strip()
        if info or not run.startswith(fence):
            continue
        if opened >= 0:
            stop = at + len(line)
            blocks.append((opened, stop))
        fence = ""
        opened = -1
    return fence, blocks


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    """Yield the lines of a part with their offsets."""
    at = start
    for line in text[start:end].split("\n"):
        yield at, line
        at += len(line) + 1


def _labels_in(text: str, start: int, end: int, everywhere: bool, names: Names) -> Iterator[Mark]:
    """Yield the labels of a part.

    Args:
        text: The reply.
        start: Where the part begins.
        end: Where it ends.
        everywhere: Whether labels count on each line, also if it is indented. False: where a
            paragraph begins.
        names: Further labels.
    """
    can_begin = True  # whether a turn can begin here
    for at, line in _lines(text, start, end):
        is_blank = not line.strip()
        is_margin = at == 0 or text[at - 1] == "\n"
        body = line.lstrip(" \t") if everywhere else line
        is_indented = body.startswith((" ", "\t"))
        mark = None
        if can_begin and is_margin and not is_blank and not is_indented:
            start_of_body = at + len(line) - len(body)
            mark = _label_of(start_of_body, body, names)
        if mark is not None:
            yield mark
        # Turns may follow each other without a blank line.
        can_begin = everywhere or is_blank or mark is not None


def _label_of(at: int, line: str, names: Names) -> Mark | None:
    """Return the label that a line begins with."""
    mark = None
    if line.startswith(("#", "**", "__")):
        mark = _heading(at, line, names)
    elif line.startswith(("[", "<")):
        return _bracket(at, line)
    if mark is not None:
        return mark
    beginning = cut(line, 0, _MAX_LABEL)
    speakers = our_tables().labels
    name, colon, _ = beginning.replace("：", ":").partition(":")
    if not colon:
        # `user> text`, as a terminal shows it
        speakers = our_tables().headings
        name, colon, _ = beginning.partition("> ")
    words = _bare_name(name)
    speaker = speakers.get(words) or names.get(words)
    if not colon or speaker is None:
        return None
    stop = at + len(name) + 1
    return Mark(at, stop, TURN, speaker, False)


def _bare_name(name: str) -> str:
    """Return the words of a label in lower case, without decoration and number: `**User 2`."""
    words = name.strip(_DECORATION)
    words = words.rstrip("0123456789")
    words = words.strip(_DECORATION)
    return words.lower()


def _bracket(at: int, line: str) -> Mark | None:
    """Return the label that is alone on a line, in brackets: `[user]`, `<observation>`."""
    label = line.strip()
    closing = _BRACKETS[label[0]]
    if not label.endswith(closing):
        return None
    name = label[1:-1].strip()
    speaker = our_tables().headings.get(name.lower())
    if speaker is None:
        return None
    stop = at + len(line)
    return Mark(at, stop, TURN, speaker, False)


def _heading(at: int, line: str, names: Names) -> Mark | None:
    """Return the speaker or the section that a heading names."""
    heading = line.strip()
    if len(heading) > _MAX_LABEL:
        return None
    is_bold = not heading.startswith("#")
    if is_bold and not heading.rstrip(":：").endswith(("**", "__")):
        return None
    tables = our_tables()
    name = heading.strip(_DECORATION + ":：#").lower()
    stop = at + len(line)
    speaker = tables.headings.get(name) or names.get(name)
    if speaker is not None and (names or not is_bold):
        return Mark(at, stop, TURN, speaker, False)
    name = name.removeprefix("the ")
    name = name.removeprefix("my ")
    channel = tables.sections.get(name)
    if channel is None:
        return None
    return Mark(at, stop, CHANNEL, channel, False)
