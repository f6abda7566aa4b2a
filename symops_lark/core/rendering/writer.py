"""How each section is written in a dialect: its marks, its layout, and the forms that it has to choose from.

Every mark comes from the dialect. The style follows from the action mark: one character (`$`) stands between blanks,
`$ create @ path > dep`, a longer one (`::`) is written tight, `::create @path >dep`, as the original notes do; a word
(`DO`) stands between blanks too.
Nothing is checked here but what would not even give a text.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal

from ..document import VITAL_NAMES, Action, CustomSection, ErrorNote, Question, Section, Thought, Vitals
from ..grammar.dialect import UNSAID, Dialect
from ..grammar.marks import FENCES
from ..patterns.regexes import compile_pattern
from .refusal import Refusal
from .templates import write_action, write_section

_KEY_OF = {name: key for key, name in VITAL_NAMES.items()}
_INDENT, _QUOTE = "  ", '"'


@dataclass(frozen=True, slots=True)
class RenderOptions:
    """Which of several forms are written, in dialects that have them (v2.1); the default is the shortest that fits.

    `numbered` numbers the actions that have no number, `end_marked` ends blocks by the longer closer, `attributes`
    writes path and dependencies on lines of their own, `fence` is the least length of a fence, 3 to 8.
    """

    numbered: bool = False
    end_marked: bool = False
    attributes: bool = False
    fence: int = 3


SHORTEST = RenderOptions()


def write(section: Section, dialect: Dialect, forms: RenderOptions = SHORTEST, together: bool = False) -> str:
    """Write one section, with the newline that ends it; `together` with the one above if that is of its kind."""
    lines_alone = "lines" in dialect.forms
    match section:
        case Thought() if lines_alone:
            return ("" if together else f"{_mark(dialect, 'thought')}\n") + f"{section.text}\n"
        case Thought():
            return f"{_mark(dialect, 'thought')} {section.text}\n"
        case Vitals():
            return _write_vitals(section, dialect)
        case CustomSection():
            return write_section(section, dialect, lambda content: _write_block(content, dialect, forms))
        case Action() if _has_arguments(section, dialect):
            return write_action(section, dialect, lambda content: _write_block(content, dialect, forms))
        case Action() if lines_alone:
            return _write_head_lines(section, dialect) + _write_block(section.content, dialect, forms)
        case Action():
            return _write_head(section, dialect, forms) + _write_block(section.content, dialect, forms)
        case Question():
            lines = [f"{_mark(dialect, 'question')} {_QUOTE}{section.text}{_QUOTE}\n"]
            for number, choice in enumerate(section.choices, 1):
                lines.append(f"{_INDENT}{number}{_mark(dialect, 'dot')} {choice}".rstrip(" \t") + "\n")
            return "".join(lines)
        case ErrorNote():
            return write_error(section, dialect)
        case _:
            raise Refusal(f"a {type(section).__name__} is no section")


def _has_arguments(action: Action, dialect: Dialect) -> bool:
    """Return whether an action says what only a verb of the dialect's own takes."""
    known = dialect.own.get("arguments", ())
    return any(name in known for name, _ in action.attributes)


def write_error(note: ErrorNote, dialect: Dialect) -> str:
    """Write an error section."""
    at = dialect.marks.get("at", dialect.marks["target"])
    target = f"{at} {note.target}" if note.target is not None else None
    parts = [_mark(dialect, "error"), note.type, target, note.message]
    return " ".join([part for part in parts if part is not None]) + "\n"


def _mark(dialect: Dialect, name: str) -> str:
    if dialect.marks.get(name, UNSAID).startswith(UNSAID):
        raise Refusal(f"the dialect has no mark for it (_{name.upper()} in {dialect.file})")
    return dialect.marks[name]


def _write_vitals(vitals: Vitals, dialect: Dialect) -> str:
    lines_alone = "lines" in dialect.forms
    own, words = dialect.own.get("vitals", {}), []
    for name, value in vitals.items():
        if not math.isfinite(value) or value < 0:
            raise Refusal(f"{name} is {value}; a value is a number from 0.0 to 1.0")
        number = format(Decimal(repr(abs(float(value)))), "f")
        if name in own:
            word = own[name] + number
        elif lines_alone:
            word = f"{_mark(dialect, name)} {number}" if name in _KEY_OF else f"{dialect.marks.get(name)} {number}"
        else:
            word = _mark(dialect, "vital") + _KEY_OF.get(name, name) + number
        if name not in _KEY_OF and not compile_pattern(dialect.line_patterns["vitals"]).fullmatch(word + "\n"):
            raise Refusal(f"{name!r} is none of the vitals {', '.join((*_KEY_OF, *own))}")
        words.append(word)
    if not words:
        raise Refusal("it has no value")
    return ("\n" if lines_alone else " ").join(words) + "\n"


def _write_head(action: Action, dialect: Dialect, forms: RenderOptions) -> str:
    mark, target, depends = _mark(dialect, "action"), dialect.marks["target"], dialect.marks["depends"]
    gap = " " if len(mark) == 1 or mark[-1].isalnum() or _looks_vital(mark + action.type, dialect) else ""
    comma = dialect.marks.get("comma")
    number = f"{action.number} " if action.number is not None else ""
    running = action.type in dialect.verbs["running"]
    apart = forms.attributes and not running
    head = f"{mark}{gap}{number}{action.type}"
    if not apart:
        head += f" {target}{gap}{action.path}"
    attributes = [("path", action.path)] if apart else []
    if action.dependencies and "attributes" in dialect.forms and (apart or running):
        attributes.append(("deps", f"{comma} ".join(action.dependencies)))
    elif action.dependencies:
        joint = comma + " " if comma else f" {depends}{gap}"
        head += f" {depends}{gap}" + joint.join(action.dependencies)
    lines = [f"{_INDENT}{target}{key}: {value}".rstrip(" ") for key, value in (*attributes, *action.attributes)]
    return "\n".join((head, *lines)) + "\n"


def _looks_vital(head: str, dialect: Dialect) -> bool:
    """Return whether an action mark with its verb would be read as a vital: a blank tells them apart."""
    words = (
        *(dialect.marks.get("vital", UNSAID) + key for key in VITAL_NAMES),
        *dialect.own.get("vitals", {}).values(),
    )
    return any(head.startswith(word) and head[len(word) :][:1].isdigit() for word in words)


def _write_head_lines(action: Action, dialect: Dialect) -> str:
    marks = dialect.marks
    head = f"{marks['action']} {action.type}\n{marks['target']} {action.path}\n"
    if action.dependencies:
        head += f"{marks['depends']} {(marks.get('comma', '') + ' ').join(action.dependencies)}\n"
    return head


def _write_block(content: str | None, dialect: Dialect, forms: RenderOptions) -> str:
    if content is None:
        return ""
    # The newline that ends the last line of a content belongs to the closer; the empty content has no line.
    last = "\n" if content else ""
    opener, closer = _delimiters(content, dialect, forms)
    return f"{opener}\n{content}{last}{closer}\n"


def _delimiters(content: str, dialect: Dialect, forms: RenderOptions) -> tuple[str, str]:
    """Return the shortest delimiters that the content has not alone on a line; the plain ones if there are none."""
    marks = dialect.marks
    closer = marks["end_close"] if forms.end_marked and "end_marks" in dialect.forms else marks["close"]
    if "fences" in dialect.forms and isinstance(content, str):
        lone = {line.rstrip(" \t\r") for line in content.split("\n")}
        for length, (opener, closers) in zip((3, *FENCES), dialect.fences.items(), strict=False):
            if length >= forms.fence and lone.isdisjoint((opener, *closers)):
                return opener, closer if length == 3 else closers[0]
    return marks["open"], closer
