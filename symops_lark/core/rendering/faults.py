"""Explain why a dialect cannot express a section.

Only the grammar knows which paths, commands and texts a dialect has, so no rule of it is repeated
here. A section that does not survive writing and strict parsing is taken apart instead: each field
is tried in the simplest section, then each character in the simplest field, until one fails.

Example: `create` with the path `a > b` does not survive in v2. `create x` does, so the verb is not
at fault; `create a > b` does not, so the path is; `x>x` is the first that fails of `xax`, `x x`,
`x>x`. The message is: its path 'a > b' contains '>'.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from ..document import Action, ErrorNote, Question, Section, Thought, Vitals
from ..grammar.dialect import Dialect
from ..strict.parser import parse_valid
from .refusal import Refusal
from .writer import write

_MAX_SHOWN = 60  # characters of a value in a message
_MAX_TRIED = 200  # different characters of a value to try; each takes a parse
_Sample = Callable[[str], Section]


def survives(section: Section, dialect: Dialect) -> bool:
    """Return whether a section, written alone, is parsed as the same section.

    Args:
        section: The section.
        dialect: The dialect to write it in.

    Returns:
        False too if the dialect has no way to write it.
    """
    try:
        text = write(section, dialect)
        document = parse_valid(text, dialect)
    except Refusal:
        return False
    if document is None:
        return False
    return document.sections == (section,)


def explain(section: Section, dialect: Dialect) -> Refusal | None:
    """Return the reason why a section does not survive alone.

    Args:
        section: The section.
        dialect: The dialect to write it in.

    Returns:
        The reason, without a place. None: the section survives.
    """
    if survives(section, dialect):
        return None
    is_command = False
    if isinstance(section, Action):
        is_command = section.type in dialect.verbs["running"]
        refusal = _explain_action(section, dialect, is_command)
        if refusal is not None:
            return refusal
    for field, value, sample in _fields(section):
        name = "command" if is_command and field == "path" else field
        # Types are not checked before: a document may come from JSON or from a program.
        if not isinstance(value, str):
            return Refusal(f"its {name} is {value!r}, not a text")
        if not survives(sample(value), dialect):
            excerpt = shorten(value)
            fault = _find_fault(value, sample, dialect)
            return Refusal(f"its {name} {excerpt} {fault}")
    return Refusal("it would be read differently")


def _explain_action(action: Action, dialect: Dialect, is_command: bool) -> Refusal | None:
    """Return the reason if an action has a part that the dialect lacks, or its content fails."""
    own_arguments = dialect.own.get("arguments", ())
    if action.edits:
        return Refusal(
            "it has edits beside its content, which no dialect has: `convert_document` writes them "
            "as search/replace blocks"
        )
    if action.number is not None and "numbers" not in dialect.forms:
        return Refusal(f"it has the number {action.number}, and actions of this dialect have none")
    keys = [key for key, _ in action.attributes]
    foreign = [key for key in keys if key not in own_arguments]
    if foreign and "attributes" not in dialect.forms:
        key = keys[0]
        return Refusal(f"it has the attribute {key!r}, and actions of this dialect have none")
    # On the line of a command, the mark before dependencies would be a part of the command.
    has_dependency_lines = dialect.forms & {"attributes", "lines"}
    if is_command and action.dependencies and not has_dependency_lines:
        return Refusal("a command has no dependencies: all that follows is the command itself")
    if action.content is not None:
        # The head is fine if the action survives without its content.
        without_content = replace(action, content=None)
        if survives(without_content, dialect):
            return _explain_content(action.content, dialect)
    if action.type in dialect.own.get("verbs", ()):
        return Refusal(f"{action.type} takes other arguments than it has")
    return None


def _fields(section: Section) -> Iterator[tuple[str, object, _Sample]]:
    """Yield each text of a section: its name, its value, and a function.

    The function returns the simplest section with a value in this field.
    """
    match section:
        case Thought():
            yield "text", section.text, Thought
        case Action():
            yield "verb", section.type, lambda value: Action(value, "x")
            yield "path", section.path, lambda value: Action(section.type, value)
            for dependency in section.dependencies:
                yield "dependency", dependency, _with_dependency
            for key, value in section.attributes:
                yield "attribute's name", key, lambda value: _with_attribute(value, "x")
                yield f"attribute {key}", value, partial(_with_attribute, key)
        case Question():
            yield "text", section.text, Question
            for choice in section.choices:
                yield "choice", choice, lambda value: Question("x", (value,))
        case ErrorNote():
            yield "type", section.type, ErrorNote
            if section.target is not None:
                yield "target", section.target, lambda value: ErrorNote("x", value)
            if section.message is not None:
                yield "message", section.message, lambda value: ErrorNote("x", message=value)


def _with_dependency(dependency: str) -> Action:
    return Action("x", "x", dependencies=(dependency,))


def _with_attribute(key: str, value: str) -> Action:
    return Action("x", "x", attributes=((key, value),))


def _find_fault(value: str, sample: _Sample, dialect: Dialect) -> str:
    """Return what is wrong with a value, by trying its characters one at a time."""
    if not value:
        return "is empty"
    if "\n" in value or "\r" in value:
        return "has a line break"
    if value != value.strip(" \t"):
        return "begins or ends with a blank"
    # "x" is allowed everywhere, so it fills the place of the other characters.
    first = value[0]
    if not survives(sample(first + "x"), dialect):
        return f"begins with {first!r}"
    last = value[-1]
    if not survives(sample("x" + last), dialect):
        return f"ends with {last!r}"
    characters = list(dict.fromkeys(value))  # in order of appearance
    for character in characters[:_MAX_TRIED]:
        trial = sample(f"x{character}x")
        if not survives(trial, dialect):
            return f"contains {character!r}"
    # Several characters together, such as the name of an attribute that has a meaning already.
    return "would be read differently"


def _explain_content(content: str, dialect: Dialect) -> Refusal:
    if not isinstance(content, str):
        return Refusal(f"its content is {shorten(content)}, not a text")
    opener = dialect.marks["open"]
    closers = dialect.fences[opener]
    lines = content.split("\n")
    for number, line in enumerate(lines, 1):
        mark = line.rstrip(" \t\r")
        if mark not in (opener, *closers):
            continue
        harm = "which opens a block and cannot be alone on a line of a content"
        if mark in closers:
            harm = f"which would end the block (a content has no line that is only `{closers[0]}`)"
        excerpt = line.rstrip()
        return Refusal(f"line {number} of its content is `{excerpt}`, {harm}", number)
    if content.endswith("\r"):
        # The newline before the closer would follow it, and CRLF counts as one line ending.
        last = len(lines)
        return Refusal(
            "its content ends with a carriage return, which would become a part of the line ending "
            f"before the closer (line {last})",
            last,
        )
    return Refusal("its content would be read differently")


def name_section(section: Section) -> str:
    """Return a short name of a section for messages, such as `create 'a.py'`."""
    match section:
        case Action():
            return f"{section.type} {shorten(section.path)}"
        case ErrorNote():
            return "an error"
        case Vitals():
            return "vitals"
        case _:
            return f"a {type(section).__name__.lower()}"


def shorten(value: object) -> str:
    """Return a value in quotes, cut after 60 characters."""
    text = str(value)
    if len(text) > _MAX_SHOWN:
        text = text[:_MAX_SHOWN]
        text += "…"
    return repr(text)
