"""Find the labels of a reply: words at which a turn or a section can begin, and code blocks.

    text                             mark
    User: now the tests              a turn of the user
    ### Observation                  a turn of a tool
    **Scratchpad**                   a section of thinking
    - User: a table with names       -: an item of a list
    User: a name and a mail          -: the next line is "Team: ...", so it is a list of terms
    ## User                          -: "## Tests" is a heading beside it, so it is a title

A label consists of words, which a reply may also use for other things. So it counts only where a
turn can begin: at the margin of a line that begins a paragraph, and with an utterance after it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..patterns.regexes import compile_pattern
from ..text.source import cut
from .marks import FENCE, MAX_LABEL, Mark, Place, clear_parts
from .passages import Channel, Speaker
from .tables import CHANNEL, TURN, Names, our_tables

_DECORATION = "*_ \t\u00a0\u202f"  # Markdown around a label, and blanks of French before a colon
_NUMBER = "0123456789 ."
# `[read_file for 'a.py'] Result:`, as Cline shows what a tool returned
_RESULT = compile_pattern(r"\[[a-z_]{2,40}(?: for [^\n]{1,200})?\] Result:")
# `Team: a list of users`, as a list of terms has it
_TERM = compile_pattern(r"(?P<name>[A-Z][A-Za-z]{1,20}|[ァ-ヶ一-龥]{2,8})[:：]")
_HEADING = compile_pattern(r"(?P<level>#{1,6})[ \t]+(?P<name>[^ \t\n][^\n]*)")
_COLONS = (":", "：")
_ASKED = ("?", "？")
_BRACKETS = {"[": "]", "<": ">", "【": "】"}


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
    plain: set[str] = set()  # the levels of headings of which one names no speaker
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
            plain |= _plain_levels(text, start, block, names)
            start = stop
    marks = [mark for mark in labels if mark.kind != TURN or _level(text, mark.start) not in plain]
    return marks, quoted


def _level(text: str, start: int) -> str:
    """Return the signs of a heading; empty if the line is not one."""
    match = _HEADING.match(text, start)
    return match["level"] if match else ""


def _plain_levels(text: str, start: int, end: int, names: Names) -> set[str]:
    """Return the levels of headings of which one is neither a speaker nor a section: `## Tests`.

    Where one heading is the title of a part, those beside it are titles, too: `## User`.
    """
    tables = our_tables()
    known = {*tables.headings, *tables.sections, *names}
    levels = set()
    for _, line in _lines(text, start, end):
        match = _HEADING.fullmatch(line)
        if match is None:
            continue
        name = match["name"].strip(_DECORATION + ":：#")
        if name.lower() not in known:
            levels.add(match["level"])
    return levels


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
        match = FENCE.fullmatch(line)
        if match is None:
            continue
        run = match["run"]
        if not fence:
            fence = run
            opened = at
            continue
        if match["info"] or not run.startswith(fence):
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
        everywhere: Whether labels count on each line, also if it is indented or one of a list of
            terms. False: where a paragraph begins.
        names: Further labels.
    """
    lines = list(_lines(text, start, end))
    can_begin = True  # whether a paragraph can begin here
    before = ""  # the last line of prose
    last = _last_paragraph(lines)
    for number, (at, line) in enumerate(lines):
        is_blank = not line.strip()
        body = line
        if everywhere:
            body = line.lstrip(" \t")
        is_indented = body.startswith((" ", "\t"))
        is_margin = at == 0 or text[at - 1] == "\n"
        mark = None
        if can_begin and is_margin and not is_blank and not is_indented:
            start_of_body = at + len(line) - len(body)
            mark = _label_of(start_of_body, body, names)
        if mark is not None and (everywhere or not _is_listed(lines, number, mark)):
            is_answered = number < last or before.endswith(_ASKED)
            is_dialogue = is_answered and _follows_answer(line, before)
            yield replace(mark, is_dialogue=is_dialogue)
        # Turns may follow each other without a blank line.
        can_begin = everywhere or is_blank or mark is not None or line.startswith("---")
        if not is_blank:
            before = line.rstrip()


def _follows_answer(line: str, before: str) -> bool:
    """Return whether a label can reply to the line of prose before it.

    A line with a colon introduces a list. A heading without one is a title.
    """
    if not before or before.endswith(_COLONS):
        return False
    if not line.startswith("#"):
        return True
    return line.rstrip().endswith(_COLONS)


def _last_paragraph(lines: Sequence[tuple[int, str]]) -> int:
    """Return the number of the blank line before the last paragraph; -1: there is one at most."""
    is_after = False  # a line with text
    for number in range(len(lines) - 1, -1, -1):
        _, line = lines[number]
        if line.strip():
            is_after = True
        elif is_after:
            return number
    return -1


def _is_listed(lines: Sequence[tuple[int, str]], number: int, mark: Mark) -> bool:
    """Return whether the line after a label begins with another name, as in a list of terms.

    It is no list if the next step of a trace follows these terms, as in "Observation: ok",
    "Thought: I go on".
    """
    tables = our_tables()
    first = number + 1
    for following in range(first, len(lines)):
        _, line = lines[following]
        match = _TERM.match(line)
        if match is None:
            return following > first
        name = match["name"].strip().lower()
        if following == first and name in tables.labels:
            return False
        channel = tables.steps.get(name)
        if channel == Channel.THINKING:
            return False
        if channel == Channel.FINAL and mark.value == Speaker.TOOL:
            return False
    return len(lines) > first


def _label_of(at: int, line: str, names: Names) -> Mark | None:
    """Return the label that a line begins with."""
    mark = None
    if line.startswith(("#", "**", "__")):
        mark = _heading(at, line, names)
    elif line.startswith(tuple(_BRACKETS)):
        return _bracket(at, line)
    if mark is not None:
        return mark
    beginning = cut(line, 0, MAX_LABEL)
    speakers = our_tables().labels
    name, colon, following = beginning.replace("：", ":").partition(":")
    if name == "role":
        # `role: user`, as a message in YAML has it
        name += colon + following
        speakers = {f"role: {role}": speaker for role, speaker in our_tables().headings.items()}
    elif not colon:
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
    words, bracket, role = name.strip(_DECORATION).partition("(")
    # `Player (you)`
    if bracket and role.rstrip(") ").lower() in our_tables().labels:
        words = role.rstrip(") ")
    # `EXECUTION RESULT of [execute_bash]`
    words = words.partition(" of [")[0]
    words = words.rstrip(_NUMBER)
    words = words.strip(_DECORATION)
    return words.lower()


def _bracket(at: int, line: str) -> Mark | None:
    """Return the label in brackets at the beginning of a line: `[user] more`, `<observation>`."""
    name, closing, following = line[1:MAX_LABEL].partition(_BRACKETS[line[0]])
    # An element of HTML may begin a line, so `<observation>` must be alone on it.
    if not closing or (following.strip() and line[0] == "<"):
        return None
    result = _RESULT.match(line)
    if result is not None:
        return Mark(at, at + result.end(), TURN, Speaker.TOOL, False)
    tables = our_tables()
    speakers = tables.labels if line[0] == "【" else tables.headings
    speaker = speakers.get(name.strip().lower().rstrip(_NUMBER))
    if speaker is None:
        return None
    stop = at + len(name) + 2
    return Mark(at, stop, TURN, speaker, False)


def _heading(at: int, line: str, names: Names) -> Mark | None:
    """Return the speaker or the section that a heading names."""
    heading = line.strip()
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
