"""Find files and edits in left-out text that no format reads, by their signs.

Beside the sections of a dialect, a model may write a file or an edit in any form. A fence is one of
these if the sentence above it introduces a file, if the label behind its sign has a key with a path
(`file=`), or if it begins with the mark of an edit. Other fences are samples. A tag is one if it
names a file.

A reply of thoughts is no answer beside such a fence, beside a call, or with a fence of a shell
directly below a thought (`find_unread`).

Not here: sections that a format reads (`formats.mixed`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from ...discourse.view import read_view
from ...document import Document, Skipped, Thought, Vitals
from ...grammar.codes import LOST_ACTION
from ...ground.file_types import language_of
from ...patterns.regexes import Match, compile_pattern
from ...text.diagnostics import Diagnostic, Severity
from ...text.source import Source

_NOTHING = "\0"  # in the place of actions
_FENCE = compile_pattern(r"[ \t>]*(?P<ticks>`{3,}|~{3,})[ \t]*(?P<info>(?:[^`~ \t][^`]*)?)")
# The path in "Now create `b.py`, which imports it:"
_PATH = compile_pattern(r"`([\w./@+-]{1,200})`")
_COLON = compile_pattern(r"[:：][*_ \t]*$")
_KEY = r"(?:path|file|file_?[Pp]ath|file_?[Nn]ame)"
# tsx project="x" file="b.tsx"
_NAMED = compile_pattern(rf"(?:^|[ \t{{,]){_KEY}=[\"']?([^\"'\s{{}},]{{1,200}})")
# What the text of an edit begins with, by the format of the edit.
EDIT_MARKS = {
    "search_replace": compile_pattern(r"\s*(?:<{5,9}|-{5,9}) ?(?:SEARCH|ORIGINAL)"),
    "unified_diff": compile_pattern(r"\s*(?:@@|diff --git |--- [^\n]+\n\+\+\+ )"),
    "apply_patch": compile_pattern(r"\s*\*\*\* (?:Begin Patch|(?:Add|Update|Delete) File:)"),
}
# `<edit path="b.py">`; not `<Route path="/">`, a component.
_TAG = compile_pattern(r"[ \t]*<[a-z][a-z_-]*([ \t][^<>]*)>.*")
_TAG_PATH = compile_pattern(rf"[ \t]{_KEY}=[\"']([^\"'<>]+)[\"']")
# `<insert_content>`, and `<path>b.py</path>` below it.
_TOOL = compile_pattern(r"[ \t]*<[a-z][a-z_-]*>[ \t]*")
_TOOL_PATH = compile_pattern(rf"[ \t]*<{_KEY}>([^<>]+)</.*")
# A label of ReAct with a text. `Action: none` and `Action: Finish[4]` call nothing.
_CALL = compile_pattern(r"(?m)^[ \t]*Action(?P<input> Input)?:[ \t]*(?P<value>\S[^\n]*)")
_NO_CALL = compile_pattern(
    r"[\[(*_`\"']*(?:[Nn]one|NONE|[Nn]o|[Nn]othing|[Nn]/?[Aa]|[Nn]ull|[Ff]inish(?:ed)?|[Dd]one|-)"
    r"(?:[^\w][^\n]*)?"
)
# The label of a fence that an agent runs: that of a shell, as mini-swe-agent writes it, or nothing.
_RUNS = compile_pattern(r"(?:[a-z]+_)?(?:bash|sh|zsh|shell|cmd|powershell)(?:_[a-z_]+)?|")
# What is above the code of smolagents: `Code:`.
_LABEL = compile_pattern(r"[ \t#*_]*(?:Action|Code|Command)[*_]*:[*_ \t]*")
_HINT = "write it in the notation that was asked for"
_MAX_LINE = 1000  # characters; longer lines are data


class _Fence(NamedTuple):
    """A fence in left-out text, or a line between the fences.

    Attributes:
        start: The offset of its first line.
        end: The offset after its last line.
        ticks: The sign that opens it; empty for a line between the fences.
        info: The text after the sign, or the line.
        above: The last line above it that is not blank.
        content: Its lines.
    """

    start: int
    end: int
    ticks: str
    info: str
    above: str
    content: str


def find_left_edits(outside: str, paths: Collection[str]) -> Iterator[Diagnostic]:
    """Yield a warning for each file or edit in text that was left out.

    Args:
        outside: The reply, with null characters in the place of its actions.
        paths: The paths of the actions: left-out text may show a part of such a file.
    """
    # Most replies have none of these.
    if "```" not in outside and "~~~" not in outside and "</" not in outside:
        return
    source = Source(outside)
    text = _read_lines(outside)
    for part in _split(text):
        sign = _sign_of_fence(part, paths) if part.ticks else _sign_of_line(part, paths)
        if sign:
            span = source.span(part.start, part.end)
            yield Diagnostic(LOST_ACTION, f"{sign}, and is left out", span, Severity.WARNING)


def find_unread(document: Document, text: str) -> list[Diagnostic]:
    """Return an error if a reply has only thoughts, and a fence or a call that was not read.

    Agents that were trained on other notations write `Thought:` before them. A fence counts if it
    has the sign of a file or an edit, if it is below a label such as `Code:`, or if it is one of a
    shell directly below a thought. Other fences are samples, as in "The tests printed:".

    Args:
        document: What was read; its spans are positions in `text`.
        text: The text that was read.
    """
    sections = [section for section in document.sections if not isinstance(section, Skipped)]
    if not sections or not all(isinstance(section, Thought | Vitals) for section in sections):
        return []
    view = _read_lines(text)
    pieces: list[str] = []
    done = 0
    for section in sections:
        span = section.span
        pieces.append(view[done : span.start])
        # A fence may be around the thoughts.
        pieces.append(_NOTHING * (span.end - max(done, span.start)))
        done = max(done, span.end)
    pieces.append(view[done:])
    outside = "".join(pieces)
    fences = [part for part in _split(outside) if part.ticks]
    place = _find_call(view, fences)
    for fence in fences:
        if place is None and _is_run(view, outside, fence):
            place = (fence.start, fence.end)
    if place is None:
        return []
    message = "the reply has only thoughts, and this fence or call is no action"
    span = Source(text).span(place[0], place[1])
    return [Diagnostic(LOST_ACTION, message, span, hint=_HINT)]


def _read_lines(text: str) -> str:
    """Return the view of a text whose lines all end with line feeds; offsets stay."""
    return read_view(text, ()).replace("\r\n", " \n").replace("\r", "\n")


def _find_call(view: str, fences: Sequence[_Fence]) -> tuple[int, int] | None:
    """Return where the first call in ReAct is; it may have been read as a part of a thought."""
    calls_nothing = False
    for call in _CALL.finditer(view):
        # The input belongs to the action above it.
        if not (call["input"] and calls_nothing):
            calls_nothing = _NO_CALL.fullmatch(call["value"]) is not None
        is_sample = any(fence.start <= call.start() < fence.end for fence in fences)
        if not calls_nothing and not is_sample:
            return call.start(), call.end()
    return None


def _is_run(view: str, outside: str, fence: _Fence) -> bool:
    """Return whether a fence beside thoughts may be an action.

    Args:
        view: The reply.
        outside: The same, with null characters in the place of the thoughts.
        fence: The fence; its offsets are positions in both.
    """
    if not fence.content.strip():
        return False
    if _sign_of_fence(fence, ()):
        return True
    end = _end_before(view, fence.start)
    line_begin = view.rfind("\n", 0, end) + 1
    if _LABEL.fullmatch(view, line_begin, end):
        return True
    last = _end_before(outside, fence.start)
    is_directly_below = outside.endswith(_NOTHING, 0, last)
    return is_directly_below and _RUNS.fullmatch(fence.info) is not None


def _end_before(text: str, end: int) -> int:
    """Return the offset after the last character before an offset that is not blank."""
    while end > 0 and text[end - 1].isspace():
        end -= 1
    return end


def _split(text: str) -> Iterator[_Fence]:
    """Yield the fences of a text that have no action, and the lines between the fences."""
    start = -1  # of the open fence
    ticks = info = above = ""
    last_line = ""  # above the current line, but for blank ones
    content: list[str] = []
    has_action = False
    at = 0
    for line in text.split("\n"):
        end = at + len(line)
        match = _FENCE.fullmatch(line)
        is_open = start >= 0
        if is_open and match is not None and _closes(match, ticks):
            if not has_action:
                yield _Fence(start, end, ticks, info, above, "\n".join(content))
            start = -1
            last_line = ""
        elif match is not None and (not is_open or (has_action and match["info"].strip())):
            # A fence around an action may have no end.
            start = at
            ticks = match["ticks"]
            info = match["info"].strip()
            above = last_line
            content = []
            has_action = False
        else:
            if is_open:
                content.append(line)
                has_action = has_action or _NOTHING in line
            else:
                yield _Fence(at, end, "", line, last_line, "")
            last_line = line if line.strip() else last_line
        at = end + 1
    if start >= 0 and not has_action:
        yield _Fence(start, len(text), ticks, info, above, "\n".join(content))


def _closes(match: Match, ticks: str) -> bool:
    """Return whether a line ends the fence that some signs opened."""
    return match["ticks"].startswith(ticks) and not match["info"].strip()


def _sign_of_fence(fence: _Fence, paths: Collection[str]) -> str:
    """Return why a fence may be a file or an edit; empty if it is only a sample."""
    name = _NAMED.search(fence.info)
    if name is not None:
        return _name_file("this fence", name[1], paths)
    if len(fence.above) > _MAX_LINE:
        return ""
    path = _PATH.search(fence.above)
    if path is not None and path[1] in paths:
        return ""
    if any(mark.match(fence.content) for mark in EDIT_MARKS.values()):
        return "this fence begins with a mark of an edit"
    # "`os.path`:" names no file.
    if path is not None and language_of(path[1]) and _COLON.search(fence.above):
        return _name_file("the fence below a sentence", path[1], paths)
    return ""


def _sign_of_line(line: _Fence, paths: Collection[str]) -> str:
    """Return why a line may begin an edit in tags; empty if it does not."""
    if len(line.info) > _MAX_LINE or "<" not in line.info:
        return ""
    tag = _TAG.fullmatch(line.info)
    tag = tag and _TAG_PATH.search(tag[1])
    if tag is None and _TOOL.fullmatch(line.above):
        tag = _TOOL_PATH.fullmatch(line.info)
    if tag is None:
        return ""
    return _name_file("this tag", tag[1], paths)


def _name_file(subject: str, path: str, paths: Collection[str]) -> str:
    """Return that something names a file; empty if an action has its path."""
    if path in paths:
        return ""
    return f"{subject} names the file {path}"
