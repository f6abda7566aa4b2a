"""Find marks from which no section could be read: an action may be lost.

A mark counts where it begins a line, and where no section is. Long marks, the names of known tools
and closing tags are evidence; a fence alone is not. In a format that the reply uses, a short mark
is evidence, too.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..grammar import codes
from ..patterns.regexes import compile_pattern
from ..recovery.doubts.left_edits import EDIT_MARKS
from ..text.shell_words import is_of_shell
from .sections import BLANKS, Item, LineStarts, Part, Section, find_places
from .tools import find_named_tools, kind_of_tool

_NAMES = ("TAG", "TOOL", "KEY")  # terminals whose texts may be those of tags
_SHORT_MARK = 4  # characters of a mark of a format that the reply uses
_MOST_MARKS = 60  # of a reply; most have fewer than ten
_QUOTES = ("`", '"', "'")
_LONGEST_INDENT = 80  # characters before a mark that are looked at
# A bounded part of a line, since many blanks may be in a text.
_INDENT = compile_pattern(f"[{BLANKS}]{{0,{_LONGEST_INDENT}}}")
_HEADINGS = compile_pattern(r"(?m)^--- [^ \t\n][^\n]*\n\+\+\+ [^ \t\n]")
_NAMED_INFO = compile_pattern(
    r"[`~]+(?:[^`~\n][^\n]*)?[ \t{](?:file|filename|file_path|path|title)="
)
_HERE_DOCUMENT = compile_pattern(r"(?m)^[ \t]*(?:sudo )?(?:cat|tee)[ \t][^\n]*<<")
# An action: a tag of a shell with attributes, or any tag with the name of a file.
_ACTION_TAG = compile_pattern(
    r"(?m)^[ \t]*<(?:(?:boltAction|shell|bash|run)[ \t]|(?P<name>[A-Za-z][A-Za-z_-]*)"
    r"(?:[ \t]+[A-Za-z_-]+=(?:\"[^\"\n]*\"|'[^'\n]*'))*[ \t]+"
    r"(?:path|file_?[Pp]ath|file_?name|file|from|original_file_path|packages)=[\"'])"
)
_LOOKING = compile_pattern(r"(?:[a-z]+-)?(?:read|view|open|show|list|search|find|grep|glob)")
# Lines of a shell that do nothing but prepare for files: blank ones, comments, `mkdir -p`.
_PREPARING = compile_pattern(r"[ \t]*(?:#[^\n]*|mkdir -p [0-9A-Za-z_./ -]+)?")
_FOLDER = compile_pattern(r"[ \t]*(?:\$ )?(?:cd|pushd) [^ \t\n;&]+[ \t]*(?:(?:&&|;)[^\n]*)?")
_UNNAMED = ("sample", "command")
# What may be between the plain input of a shell and the next label of ReAct: blank lines, a fence.
_BLANK = compile_pattern(r"(?:[ \t]*(?:`{3}[ \t]*)?\n)*[ \t]*")
_LABEL = compile_pattern(r"(?:Thought|Action|Observation|Question|(?:Final )?Answer):")
_NAMED_CALL = compile_pattern(r"(?m)^[ ]{0,3}\[(?P<name>[A-Za-z_][A-Za-z0-9_.]*)\(")


class LostSection(NamedTuple):
    """A mark from which no section could be read.

    Attributes:
        start: The offset of the mark.
        end: The end of its line.
        format_name: The name of the format.
    """

    start: int
    end: int
    format_name: str


def find_lost(
    lines: LineStarts, sections: Sequence[Section], items: Sequence[Item]
) -> Iterator[LostSection]:
    """Yield the marks from which no section could be read.

    Args:
        lines: The lines of the text; all end with line feeds only, the last one too.
        sections: The sections that were looked for.
        items: The sections that were read, in order.
    """
    text = lines.text
    names: dict[int, str] = {}
    # The same for all sections that are JSON without a mark.
    named_tools = list(find_named_tools(text))
    used = {item.format_name for item in items}
    for section in sections:
        is_json = not section.needed_text and "JSON" in section.free_names
        places = named_tools if is_json else _find_known_calls(lines, section)
        for place in (*_find_marks(lines, section), *places):
            names.setdefault(place, section.format_name)
        if "TAG" in section.patterns and section.format_name in used:
            for place in _find_action_tags(text):
                names.setdefault(place, section.format_name)
    starts = [item.start for item in items]
    for place, name in names.items():
        # The last item that begins before it, or there.
        index = bisect_right(starts, place) - 1
        is_inside = index >= 0 and place < items[index].end
        if is_inside:
            continue
        end = text.find("\n", place)
        yield LostSection(place, end, name)
    yield from _find_left_marks(text, sections, items, frozenset(names))
    for item in items:
        section = item.section
        if section.rule == "sample" and _ends_with_name(text, item, sections):
            yield LostSection(item.start, item.end, section.format_name)


def find_lost_fence(text: str, item: Item) -> LostSection | None:
    """Return what is lost with a fence that gives no action; None if it is only a sample.

    An edit may belong to the file that was named before, and a script may write files.

    Args:
        text: The text; its lines end with line feeds only, the last one too.
        item: The fence.
    """
    part = item.find("COMMAND")
    if part is not None:
        match = _HERE_DOCUMENT.search(text, part.start, part.end)
        return match and _lost_line(text, match.start(), "heredoc")
    part = item.find("CONTENT")
    if part is None:
        return None
    for name, pattern in EDIT_MARKS.items():
        if pattern.match(text, part.start, part.end):
            return _lost_line(text, part.start, name)
    if _NAMED_INFO.match(text, item.start):
        return _lost_line(text, item.start, item.section.format_name)
    return None


def prepares(script: str, items: Sequence[Item]) -> bool:
    """Return whether a script does nothing but prepare for its files.

    Args:
        script: The script.
        items: Its here-documents.
    """
    outside = text_outside(script, items)
    lines = outside.split("\n")
    return all(map(_PREPARING.fullmatch, lines))


def doubt_shell(text: str, items: Sequence[Item]) -> None:
    """Doubt here-documents and plain inputs beside other lines, which are left out.

    Lines of a shell may change the folder of a file, or use it. A line below a plain input may be
    a part of it.

    Args:
        text: The text; its lines end with line feeds only, the last one too.
        items: The sections that were read, in order. They get the doubts.
    """
    _doubt_inputs(text, items)
    files = [item for item in items if _is_here_document(text, item)]
    # Most replies have none.
    if not files:
        return
    paragraph: list[str] = []
    is_script = False
    outside = text_outside(text, items, "\n\n")
    lines = outside.split("\n")
    lines.append("")  # ends the last paragraph
    for line in lines:
        if _FOLDER.fullmatch(line) or _HERE_DOCUMENT.match(line):
            is_script = True
        if line.strip():
            paragraph.append(line)
            continue
        is_shell = all(map(is_of_shell, paragraph))
        is_preparing = all(map(_PREPARING.fullmatch, paragraph))
        if is_shell and not is_preparing:
            is_script = True
        paragraph = []
    if is_script:
        for item in files:
            item.doubts.append(codes.LEFT_OUT_COMMAND)


def is_plain(item: Item) -> bool:
    """Return whether an item is ReAct's plain input of a shell, a line that no mark ends."""
    is_command = item.section.rule == "command"
    return is_command and item.format_name == "react"


def _doubt_inputs(text: str, items: Sequence[Item]) -> None:
    """Doubt plain inputs below which another line is left out before the next label."""
    following = len(text)
    for item in reversed(items):
        if is_plain(item):
            blank = _BLANK.match(text, item.end)
            place = item.end if blank is None else blank.end()
            if place < following and not _LABEL.match(text, place):
                item.doubts.append(codes.NO_CLOSING_MARK)
        # Fences that no name is above are left out.
        elif item.section.rule in _UNNAMED:
            continue
        following = item.start


def _is_here_document(text: str, item: Item) -> bool:
    end = item.find("END")
    return end is not None and "<<" in text[item.start : end.start]


def text_outside(text: str, items: Sequence[Item], between: str = "") -> str:
    """Return what of a text is in none of its sections.

    Args:
        text: The text.
        items: The sections, in order.
        between: What is put into their places.
    """
    rows = []
    done = 0
    for item in items:
        rows.append(text[done : item.start])
        done = item.end
    rows.append(text[done:])
    return between.join(rows)


def _lost_line(text: str, start: int, format_name: str) -> LostSection:
    end = text.find("\n", start)
    return LostSection(start, end, format_name)


def _find_left_marks(
    text: str, sections: Sequence[Section], items: Sequence[Item], known: frozenset[int]
) -> Iterator[LostSection]:
    """Yield the first line with a mark between two sections of a format, if another has none.

    In a format that the reply uses, even a short mark or an end alone is evidence. `known` are the
    places of marks that are reported already.
    """
    marks = _marks_in_use(text, sections, items)
    # Most replies are about prose and samples, which have no marks.
    if not marks:
        return
    done = 0
    places = [(item.start, item.end) for item in items]
    places.append((len(text), len(text)))
    mark_list = list(marks)
    for start, end in places:
        place, mark = _find_line(text, done, start, mark_list)
        if mark and place not in known:
            line_end = text.find("\n", place)
            yield LostSection(place, line_end, marks[mark])
        done = end


def _marks_in_use(text: str, sections: Sequence[Section], items: Sequence[Item]) -> dict[str, str]:
    """Return the marks of the formats of a reply, each with the name of its format."""
    marks = {}
    used = [item.section for item in items if item.section.rule != "sample"]
    names = {section.format_name for section in used}
    for section in sections:
        if section.format_name not in names:
            continue
        around = section.envelope
        for mark in section.mark_texts:
            plain = mark.strip()
            # Words are a part of prose, and an envelope may be around nothing.
            if plain.isalnum() or mark in around:
                continue
            if len(plain) >= _SHORT_MARK:
                marks[plain] = section.format_name
    searched: set[tuple[int, str]] = set()
    for item in items:
        for part in item.parts:
            # Each mark costs the length of the text, and each search that of the item.
            if len(marks) + len(searched) >= _MOST_MARKS:
                return marks
            name = text[part.start : part.end]
            if (item.start, name) in searched or f"</{name}>" in marks:
                continue
            for mark in _marks_of(text, item, part):
                marks[mark] = item.section.format_name
            if part.name in _NAMES:
                searched.add((item.start, name))
    return marks


def _marks_of(text: str, item: Item, part: Part) -> Iterator[str]:
    """Yield the marks that a part of an item names: its end, or tags that the item has."""
    value = text[part.start : part.end]
    if part.name == "END":
        yield value
    if part.name not in _NAMES:
        return
    opening = f"<{value}>"
    closing = f"</{value}>"
    for mark in (opening, closing):
        if text.find(mark, item.start, item.end) >= 0:
            yield mark


def _find_line(text: str, start: int, stop: int, marks: Sequence[str]) -> tuple[int, str]:
    """Return where the first line begins that begins or ends with a mark, and the mark."""
    place = start
    for line in text[start:stop].split("\n"):
        plain = line.strip(BLANKS)
        for mark in marks:
            # A name such as `EOF` is a mark if it is the whole line.
            is_mark = plain == mark
            if not mark.isalnum():
                is_mark = plain.startswith(mark) or plain.endswith(mark)
            if is_mark:
                return place, mark
        place += len(line) + 1
    return stop, ""


def _find_marks(lines: LineStarts, section: Section) -> Iterator[int]:
    """Yield the places of marks that only a section has."""
    text = lines.text
    for line_start in lines.find(section.mark_characters):
        indent = _INDENT.match(text, line_start)
        place = indent.end() if indent else line_start
        if any(text.startswith(mark, place) for mark in section.long_openers):
            yield place
    # A token may be inside of a line. In quotes it is only talked about.
    tokens: Sequence[str] = ()
    if section.is_token:
        tokens = section.long_openers
    for mark in tokens:
        # A word between tokens.
        if mark[0].isalpha():
            continue
        for place in find_places(text, mark):
            before = text[place - 1 : place]
            if before not in _QUOTES:
                yield place
    # Of a diff without a hunk, only the headings are left.
    if "OLD" in section.patterns and "\n+++ " in text:
        for match in _HEADINGS.finditer(text):
            yield match.start()
    tag = section.patterns.get("TAG")
    if tag is not None and "</" in text:
        # The opening tag may be broken in many ways.
        closing_tag = compile_pattern(rf"(?m)^[ \t]*</(?:{tag})>")
        for match in closing_tag.finditer(text):
            yield match.start()


def _find_action_tags(text: str) -> Iterator[int]:
    """Yield the places of tags that name a file or are those of a shell, but for looking at it."""
    for match in _ACTION_TAG.finditer(text):
        name = match["name"] or ""
        if not _LOOKING.match(name.lower()):
            # Not the blanks before it.
            yield text.find("<", match.start())


def _find_known_calls(lines: LineStarts, section: Section) -> Iterator[int]:
    """Yield the places of openers of a call that name a known tool, whatever follows them."""
    if "PYTHON" in section.free_names:
        for match in _NAMED_CALL.finditer(lines.text):
            if kind_of_tool(match["name"]) is not None:
                yield match.start("name")
        return
    groups = []
    for group, name in section.opener.groups.items():
        if name == "TOOL":
            groups.append(group)
    # Most sections have no tool, and nothing is searched for.
    if not groups:
        return
    opener = section.find_opener(lines, 0)
    while opener is not None:
        for group in groups:
            name = opener[group]
            is_known = bool(name) and kind_of_tool(name) is not None
            if is_known:
                yield section.start_of(opener)
        after = max(opener.end(), opener.start() + 1)
        opener = section.find_opener(lines, after)


def _ends_with_name(text: str, item: Item, sections: Sequence[Section]) -> bool:
    """Return whether the end of a sample may be the beginning of a named fence.

    Then the fences before it are paired wrongly.
    """
    content = item.find("CONTENT")
    if content is None:
        return False
    end = max(0, content.end - 1)
    last_line = text.rfind("\n", 0, end) + 1
    # The first line of the sample may be its last.
    last_line = max(last_line, content.start)
    for section in sections:
        is_named = section.rule == "write"
        if not is_named or section.format_name != item.section.format_name:
            continue
        opener = section.opener_pattern.match(text, last_line)
        if opener is not None and opener.end() >= item.end:
            return True
    return False
