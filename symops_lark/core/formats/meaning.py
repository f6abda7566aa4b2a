"""What an item of a format means: verbs, paths, contents and edits.

An item means one thing, except a call with several replacements or a patch of several files.
"""

from __future__ import annotations

from typing import Any

from ..document import Replacement
from ..grammar.codes import (
    BROKEN_ARGUMENTS,
    BROKEN_SECTION,
    EXPANDED_TEXT,
    HOLDS_ANOTHER_SECTION,
    MISSING_ARGUMENT,
    NO_FILE_NAMED,
    NO_FINAL_LINE_FEED,
    PARTIAL_WRITE,
)
from ..patterns.regexes import compile_pattern
from ..text.json_ends import read_json
from ..text.python_calls import translate_calls
from .calls import calls_in, find_odd_arguments, name_call, read_attributes, read_object
from .sections import VALUES, Item
from .tools import Call, Meaning, Problem, find_meaning, fold, kind_of_tool, load_tools, writes_part

# Texts without which a content is in no notation for edits.
_EDIT_SIGNS = ("SEARCH", "ORIGINAL", "@@", "*** ")
_PARTIAL = Problem(PARTIAL_WRITE)
# What a shell replaces in a here-document whose word is not in quotes.
_REPLACED = compile_pattern(r"[$`\\]")
_FILE_NAME = compile_pattern(r"[^()]*\.[A-Za-z0-9_]{1,10}|[^()][^()/]*/[^()]+")
_TOOL = compile_pattern(r"[A-Za-z_-]+")
_TOOL_KEYS = ("mode", "operation", "action")  # attributes that say what to do with a file
_VISIBLE = compile_pattern(r"\S")
# Beginning lines in which a notation for edits shows: headers of a diff are up to six lines.
FIRST_LINES = 8
_FEWEST = 4  # characters of a mark that no other text has by chance


def accept(text: str, item: Item) -> bool:
    """Return whether an item is a section: a call that nothing else marks must name a known tool.

    Args:
        text: The text.
        item: The item, whole or with its opener alone (`Item.is_opened`).
    """
    section = item.section
    if section.rule != "call":
        return _may_be_file(item, text)
    longest = max(map(len, section.opener_texts), default=0)
    is_marked = longest >= _FEWEST
    if is_marked and HOLDS_ANOTHER_SECTION not in item.doubts:
        return True
    if item.is_opened:
        name = item.text_of("TOOL", text)
        return name is None or kind_of_tool(name) is not None
    doubts = list(item.doubts)
    is_truncated = item.is_truncated
    meanings = find_meanings(text, item)
    # What its arguments say about it is found again when the item is used.
    item.doubts = doubts
    item.is_truncated = is_truncated
    if is_marked:
        missing = Problem(MISSING_ARGUMENT)
        return any(meaning != missing for meaning in meanings)
    # A call that is left out is reported, unless it may be data.
    if _PARTIAL in meanings:
        return True
    return any(isinstance(meaning, Meaning) for meaning in meanings)


def _may_be_file(item: Item, text: str) -> bool:
    """Return whether a path above a fence or in a sentence may be one, and not another name."""
    path = item.text_of("PATH", text)
    if path is None:
        return True
    if "SEARCH" in item.section.free_names:
        return item.find("SENTENCE") is None or _FILE_NAME.fullmatch(path) is not None
    return item.find("FENCE") is None or any(map(str.isalpha, path))


def find_meanings(text: str, item: Item) -> list[Meaning | Problem]:
    """Return what an item means.

    Args:
        text: The text.
        item: The item. Doubts about its arguments are added to it.
    """
    return [_decide_verb(meaning) for meaning in _read_meanings(text, item)]


def _decide_verb(meaning: Meaning | Problem) -> Meaning | Problem:
    """Return a meaning; the content of a new file that is in a notation for edits is an edit."""
    if not isinstance(meaning, Meaning):
        return meaning
    content = meaning.content or ""
    match meaning.verb:
        case "create" if is_edit(content, meaning.path):
            return meaning._replace(verb="edit")
        case "replace" if _shows_edit(content, meaning.path):
            return meaning._replace(verb="edit")
        case "replace":
            # As an edit it would overwrite the file.
            return _PARTIAL
    return meaning


def _read_meanings(text: str, item: Item) -> list[Meaning | Problem]:
    """Return what an item says, whatever its contents are."""
    rule = item.section.rule
    path = (item.text_of("PATH", text) or "").strip()
    # A folder is not a file, and a grammar may let the path out.
    is_lacking = not path and rule in ("delete", "edit", "write")
    if is_lacking or path.endswith("/"):
        return [Problem(MISSING_ARGUMENT)]
    match rule:
        case "call":
            calls = _read_calls(text, item)
            if calls is None:
                return [Problem(BROKEN_SECTION)]
            meanings = []
            for call in calls:
                meaning = find_meaning(call)
                meanings.append(meaning)
                is_action = isinstance(meaning, Meaning)
                if is_action and call is not None:
                    item.doubts += find_odd_arguments(call)
            return meanings
        case "command":
            command = (item.text_of("COMMAND", text) or "").strip()
            if not command:
                return [Problem(MISSING_ARGUMENT)]
            return [Meaning("run", command)]
        case "delete":
            return [Meaning("delete", path)]
        case "edit" if item.find("SEARCH"):
            return [_read_pairs(text, item, path)]
        case "edit":
            return [Meaning("edit", path, _read_patch(text, item))]
        case "write":
            return [_read_file(text, item, path)]
    return [Problem(NO_FILE_NAMED)]


def is_edit(content: str, path: str) -> bool:
    """Return whether a content is in a notation for edits.

    Args:
        content: The content.
        path: The file.
    """
    return begins_like_edit(content) and _shows_edit(content, path)


def _shows_edit(content: str, path: str) -> bool:
    from ..edits.reading import shows_edit

    return shows_edit(content, path)


def begins_like_edit(content: str) -> bool:
    """Return whether a content may be in a notation for edits, by its first lines.

    Args:
        content: The content.
    """
    lines = content.lstrip().split("\n", FIRST_LINES)
    beginning = "\n".join(lines[:FIRST_LINES])
    return any(sign in beginning for sign in _EDIT_SIGNS)


def _read_calls(text: str, item: Item) -> list[Call | None] | None:
    """Return the calls of an item; None for another entry, or if nothing can be read."""
    name = item.text_of("TOOL", text)
    if item.find("JSON") is None and item.find("PYTHON") is None:
        return [Call(name or "", _read_arguments(text, item))]
    calls: list[Call | None] = []
    name = None
    for part in item.parts:
        source = text[part.start : part.end]
        if part.name == "TOOL":
            name = source
        if part.name == "PYTHON":
            translated = translate_calls(source)
            source = translated.json if translated else ""
        if part.name not in VALUES:
            continue
        value = _read_value(source, item)
        if value is None:
            return None
        if name is None:
            calls += calls_in(value)
        else:
            call = Call(name, value) if isinstance(value, dict) else None
            calls.append(call)
    # Data in prose has paths and contents, too. What follows is near, what is before may be far.
    if _VISIBLE.search(text, item.end) or _VISIBLE.search(text, 0, item.start):
        return calls
    return list(map(name_call, calls))


def _read_value(source: str, item: Item) -> Any:
    """Return a value of an item; None if it is broken. One that lacks its end is doubted."""
    value, is_completed, in_string = read_json(source)
    if is_completed and value is not None:
        item.doubts.append(BROKEN_ARGUMENTS)
        item.is_truncated = item.is_truncated or in_string
    return value


def _read_arguments(text: str, item: Item) -> dict[str, Any]:
    """Return the values of a call by key; each value belongs to the key before it."""
    table = load_tools()
    arguments: dict[str, Any] = {}
    key = ""
    for part in item.parts:
        value = text[part.start : part.end]
        if part.name == "KEY":
            key = value
        elif part.name == "VALUE" and table.parameters.get(fold(key)) == "edits":
            # A list, which these calls write as JSON.
            arguments.setdefault(key, read_object(value) or value)
        elif part.name == "VALUE":
            arguments.setdefault(key, value)
    return arguments


def _read_pairs(text: str, item: Item, path: str) -> Meaning:
    """Return the meaning of pairs of old and new text."""
    edits = pairs_of(text, item)
    # Blank lines do not show a place in a file.
    searched = "".join([edit.old for edit in edits])
    written = "".join([edit.new for edit in edits])
    if edits and not searched.strip():
        # A new file.
        return Meaning("create", path, written)
    if edits and edits[0].lines:
        content = _block_text(text, item)
        if is_edit(content, path):
            return Meaning("edit", path, content)
    return Meaning("edit", path, None, edits)


def pairs_of(text: str, item: Item) -> tuple[Replacement, ...]:
    """Return the pairs of old and new text of an item.

    Args:
        text: The text.
        item: The item. If it is truncated, the last pair may be missing.
    """
    is_lines = False
    for free in item.section.free.values():
        if free.name == "SEARCH":
            is_lines = free.is_lines
    pairs = []
    old = ""
    for part in item.parts:
        if part.name == "SEARCH":
            old = text[part.start : part.end]
        elif part.name == "REPLACE":
            new = text[part.start : part.end]
            pairs.append(Replacement(old, new, lines=is_lines))
    return tuple(pairs)


def _block_text(text: str, item: Item) -> str:
    """Return search/replace blocks with their marks."""
    first = item.find("SEARCH")
    last = item.parts[-1]
    for part in item.parts:
        if part.name == "REPLACE":
            last = part
    assert first is not None
    # From the line of the first mark to the end of the last one.
    before = max(0, first.start - 1)
    start = text.rfind("\n", 0, before) + 1
    end = text.find("\n", last.end)
    if end < 0:
        end = len(text)
    return text[start:end]


def _read_patch(text: str, item: Item) -> str:
    """Return the patch of one file; with its head if the file is moved."""
    patch = item.find("PATCH")
    assert patch is not None
    target = item.find("TO")
    path = item.find("PATH")
    if target is None or path is None:
        # An empty line after a patch belongs to the prose, not to its context.
        return text[patch.start : patch.end].rstrip("\n")
    start = text.rfind("\n", 0, path.start) + 1
    body = text[start : patch.end]
    return f"*** Begin Patch\n{body}*** End Patch\n"


def _read_file(text: str, item: Item, path: str) -> Meaning | Problem:
    """Return the meaning of a file whose tag may say what to do with it."""
    # Attributes are as the arguments of a call.
    attributes = read_attributes(text, item)
    tool = None
    for name in _TOOL_KEYS:
        if _TOOL.fullmatch(attributes.get(name, "")):
            tool = attributes.pop(name)
    arguments = {" path": path, **attributes}
    call = Call(load_tools().first_tools["write"], arguments)
    if writes_part(call):
        return _PARTIAL
    item.doubts += find_odd_arguments(call)
    meaning = _read_content(text, item, path)
    kind = kind_of_tool(tool or item.text_of("TAG", text) or "")
    if kind == "edit":
        return meaning._replace(verb="edit")
    if tool is None or kind == "write":
        return meaning
    if kind == "delete":
        return Meaning("delete", path)
    return _PARTIAL


def _read_content(text: str, item: Item, path: str) -> Meaning:
    added = item.text_of("ADDED", text)
    if added is not None:
        content = ""
        for line in added.split("\n")[:-1]:
            # Their sign is no part of them, and `\\ No newline` is none of them.
            if line.startswith("\\"):
                item.doubts.append(NO_FINAL_LINE_FEED)
            else:
                content += line.removeprefix("+") + "\n"
        return Meaning("create", path, content)
    indented = item.text_of("INDENTED", text)
    content = item.text_of("CONTENT", text) or ""
    if indented is not None:
        content = _dedent(indented)
    end = item.find("END")
    if end is not None:
        content = _as_shell(content, text[item.start : end.start], item)
    return Meaning("create", path, content)


def _as_shell(content: str, opener: str, item: Item) -> str:
    """Return the content of a here-document as a shell writes it; doubt what it would replace."""
    is_quoted = opener.endswith(("'", '"'))
    if not is_quoted and _REPLACED.search(content):
        item.doubts.append(EXPANDED_TEXT)
    if "<<-" not in opener:
        return content
    lines = [line.lstrip("\t") for line in content.split("\n")]
    return "\n".join(lines)


def without_indent(content: str, text: str, item: Item) -> str:
    """Return a content without the indentation of its complete section.

    A fence in an item of a list is indented, and some replies are indented completely.

    Args:
        content: The content.
        text: The text.
        item: The section.
    """
    fence = item.find("FENCE")
    start = fence.start if fence else item.start
    line_start = text.rfind("\n", 0, start) + 1
    indent = text[line_start:start]
    if not indent or indent.strip(" "):
        return content
    lines = content.split("\n")
    # A content may begin behind a mark.
    first = 0 if fence or lines[0].startswith(indent) else 1
    for line in lines[first:]:
        is_empty = not line.strip()
        if not is_empty and not line.startswith(indent):
            return content
    plain = lines[:first]
    for line in lines[first:]:
        if not line.strip():
            line = ""
        line = line.removeprefix(indent)
        plain.append(line)
    # The last line is the indentation of the closing mark.
    last_line = lines[-1]
    if last_line == indent and len(plain) > 1:
        plain.pop()
    return "\n".join(plain)


def _dedent(text: str) -> str:
    """Return lines without the blanks that the first line begins with."""
    depth = len(text) - len(text.lstrip(" "))
    lines = []
    for line in text.split("\n"):
        blanks = len(line) - len(line.lstrip(" "))
        start = min(depth, blanks)
        lines.append(line[start:])
    return "\n".join(lines)
