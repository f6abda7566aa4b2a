"""Write one section in a dialect, with the dialect's marks and layout.

Every mark comes from the dialect, and the style follows from the action mark:

    mark            example                       spelled
    one character   `$ create @ path > dep`       with blanks
    a word          `DO create @ path > dep`      with blanks
    longer          `::create @path >dep`         without, as in the original notes

Nothing is checked here except what would not even give a text: `renderer` parses the result.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from functools import partial

from ..document import (
    VITAL_NAMES,
    Action,
    CustomSection,
    ErrorNote,
    Question,
    Section,
    Thought,
    Vitals,
)
from ..grammar.dialect import UNSAID, Dialect
from ..grammar.marks import FENCES
from ..patterns.regexes import compile_pattern
from .refusal import Refusal
from .templates import write_action, write_section

_KEY_OF = {name: key for key, name in VITAL_NAMES.items()}
_INDENT = "  "
_QUOTE = '"'


@dataclass(frozen=True, slots=True)
class RenderOptions:
    """Which of several forms to write, in dialects that have them (v2.1).

    The default is the shortest form that fits.

    Attributes:
        numbered: Number the actions that have no number.
        end_marked: End blocks with the longer closer, but for those with a longer fence.
        attributes: Write path and dependencies on separate lines.
        fence: The minimum length of a fence, 3 to 8 characters.
    """

    numbered: bool = False
    end_marked: bool = False
    attributes: bool = False
    fence: int = 3


SHORTEST = RenderOptions()


def write(
    section: Section, dialect: Dialect, forms: RenderOptions = SHORTEST, together: bool = False
) -> str:
    """Write one section.

    Args:
        section: The section.
        dialect: The dialect.
        forms: Which of several forms to write.
        together: Whether the section above is of the same kind and directly above: then a mark
            with a separate line is not repeated.

    Returns:
        The text, with the newline that ends it.

    Raises:
        Refusal: The dialect has no mark for a part of it, or a value cannot be written.
    """
    lines_alone = "lines" in dialect.forms
    write_block = partial(_write_block, dialect=dialect, forms=forms)
    match section:
        case Thought() if lines_alone:
            mark = "" if together else f"{_mark(dialect, 'thought')}\n"
            return f"{mark}{section.text}\n"
        case Thought():
            return f"{_mark(dialect, 'thought')} {section.text}\n"
        case Vitals():
            return _write_vitals(section, dialect)
        case CustomSection():
            return write_section(section, dialect, write_block)
        case Action() if _has_own_arguments(section, dialect):
            return write_action(section, dialect, write_block)
        case Action() if lines_alone:
            head = _write_head_lines(section, dialect)
            return head + write_block(section.content)
        case Action():
            head = _write_head(section, dialect, forms)
            return head + write_block(section.content)
        case Question():
            return _write_question(section, dialect)
        case ErrorNote():
            return write_error(section, dialect)
        case _:
            raise Refusal(f"a {type(section).__name__} is not a section")


def _has_own_arguments(action: Action, dialect: Dialect) -> bool:
    """Return whether an action has an argument that only a custom verb of the dialect takes."""
    own_arguments = dialect.own.get("arguments", ())
    names = [name for name, _ in action.attributes]
    return not set(own_arguments).isdisjoint(names)


def _write_question(question: Question, dialect: Dialect) -> str:
    mark = _mark(dialect, "question")
    lines = [f"{mark} {_QUOTE}{question.text}{_QUOTE}"]
    for number, choice in enumerate(question.choices, 1):
        dot = _mark(dialect, "dot")
        line = f"{_INDENT}{number}{dot} {choice}"
        line = line.rstrip(" \t")  # an empty choice leaves a blank at the end
        lines.append(line)
    lines.append("")
    return "\n".join(lines)


def write_error(note: ErrorNote, dialect: Dialect) -> str:
    """Write an error section.

    Args:
        note: The section.
        dialect: The dialect.

    Returns:
        One line, with its newline.

    Raises:
        Refusal: The dialect has no error sections.
    """
    # v2 writes "@path" after a verb, but "@ path" after an error.
    at = dialect.marks.get("at", dialect.marks["target"])
    target = None
    if note.target is not None:
        target = f"{at} {note.target}"
    mark = _mark(dialect, "error")
    parts = [mark, note.type, target, note.message]
    line = " ".join([part for part in parts if part is not None])
    return line + "\n"


def _mark(dialect: Dialect, name: str) -> str:
    if dialect.marks.get(name, UNSAID).startswith(UNSAID):
        terminal = "_" + name.upper()
        raise Refusal(f"the dialect has no mark for it ({terminal} in {dialect.file})")
    return dialect.marks[name]


def _write_vitals(vitals: Vitals, dialect: Dialect) -> str:
    own_marks = dialect.own.get("vitals", {})
    words = []
    for name, value in vitals.items():
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not math.isfinite(value) or value < 0:
            raise Refusal(f"{name} is {value}; a value is a number from 0.0 to 1.0")
        # Exact and without an exponent: 1e-7 becomes 0.0000001. `abs` is for -0.0.
        exact = Decimal(repr(abs(float(value))))
        number = format(exact, "f")
        word = _write_vital(name, number, dialect)
        # Other names are checked here, because `faults` could not say which ones there are.
        if name not in _KEY_OF:
            line = compile_pattern(dialect.line_patterns["vitals"])
            if not line.fullmatch(word + "\n"):
                names = ", ".join((*_KEY_OF, *own_marks))
                raise Refusal(f"{name!r} is not one of the vitals {names}")
        words.append(word)
    if not words:
        raise Refusal("it has no value")
    separator = "\n" if "lines" in dialect.forms else " "
    return separator.join(words) + "\n"


def _write_vital(name: str, number: str, dialect: Dialect) -> str:
    own_marks = dialect.own.get("vitals", {})
    if name in own_marks:
        return str(own_marks[name]) + number
    if "lines" not in dialect.forms:
        key = _KEY_OF.get(name, name)
        return _mark(dialect, "vital") + key + number
    # A name that the dialect lacks gives a line that its pattern does not match.
    mark = dialect.marks.get(name)
    if name in _KEY_OF:
        mark = _mark(dialect, name)
    return f"{mark} {number}"


def _write_head(action: Action, dialect: Dialect, forms: RenderOptions) -> str:
    """Write the lines of an action before its content."""
    marks = dialect.marks
    mark = _mark(dialect, "action")
    target = marks["target"]
    is_command = action.type in dialect.verbs["running"]
    is_spaced = len(mark) == 1 or mark[-1].isalnum()
    if not is_spaced:
        is_spaced = _looks_vital(f"{mark}{action.type}", dialect)
    gap = ""
    if is_spaced:
        gap = " "
    number = ""
    if action.number is not None:
        number = f"{action.number} "
    head = f"{mark}{gap}{number}{action.type}"
    attributes = []  # pairs that are written on separate lines
    # The grammars read a command in the first line only.
    has_path_line = forms.attributes and not is_command
    if has_path_line:
        attributes.append(("path", action.path))
    else:
        head += f" {target}{gap}{action.path}"
    if action.dependencies:
        comma = marks.get("comma")
        depends = f" {marks['depends']}{gap}"
        # `faults` explains a dependency that is not a text.
        names = list(map(str, action.dependencies))
        # After a command, ">" is a part of the command.
        if "attributes" in dialect.forms and (has_path_line or is_command):
            dependencies = f"{comma} ".join(names)
            attributes.append(("deps", dependencies))
        else:
            joint = comma + " " if comma else depends
            dependencies = joint.join(names)
            head += depends + dependencies
    lines = [head]
    attributes += action.attributes
    for key, value in attributes:
        line = f"{_INDENT}{target}{key}: {value}"
        lines.append(line.rstrip(" "))
    lines.append("")
    return "\n".join(lines)


def _looks_vital(head: str, dialect: Dialect) -> bool:
    """Return whether an action mark with its verb would be parsed as a vital without a blank.

    Example: the verb `c0` of v2, as `::c0` is the beginning of `::c0.9`.
    """
    own_marks = dialect.own.get("vitals", {})
    marks = list(own_marks.values())
    mark = dialect.marks.get("vital", UNSAID)
    marks += [mark + key for key in VITAL_NAMES]
    for word in marks:
        value = head.removeprefix(word)
        if value != head and value[:1].isdigit():
            return True
    return False


def _write_head_lines(action: Action, dialect: Dialect) -> str:
    """Write the lines of an action before its content, where each part has a separate line."""
    marks = dialect.marks
    # Formatted, not concatenated: a value that is not a text must get as far as `faults`.
    head = f"{marks['action']} {action.type}"
    path = f"{marks['target']} {action.path}"
    lines = [head, path]
    if action.dependencies:
        joint = marks.get("comma", "") + " "
        dependencies = joint.join(map(str, action.dependencies))
        lines.append(marks["depends"] + " " + dependencies)
    lines.append("")
    return "\n".join(lines)


def _write_block(content: str | None, dialect: Dialect, forms: RenderOptions) -> str:
    if content is None:
        return ""
    # The newline that ends the last line of a content belongs to the closer; the empty content has
    # no line.
    last = "\n" if content else ""
    opener, closer = _delimiters(content, dialect, forms)
    body = f"{content}{last}"
    return f"{opener}\n{body}{closer}\n"


def _delimiters(content: str, dialect: Dialect, forms: RenderOptions) -> tuple[str, str]:
    """Return the shortest delimiters that are not a line of the content; else the plain ones."""
    marks = dialect.marks
    closer = marks["close"]
    if forms.end_marked and "end_marks" in dialect.forms:
        closer = marks["end_close"]
    plain = (marks["open"], closer)
    if "fences" not in dialect.forms or not isinstance(content, str):
        return plain
    # A mark ends a block even with blanks after it.
    lines = {line.rstrip(" \t\r") for line in content.split("\n")}
    # The longest fences may have no pair here: `strict=False`.
    lengths = (3, *FENCES)
    pairs = zip(lengths, dialect.fences.items(), strict=False)
    for length, (opener, closers) in pairs:
        if length < forms.fence:
            continue
        if lines.isdisjoint((opener, *closers)):
            return opener, closer if length == 3 else closers[0]
    return plain
