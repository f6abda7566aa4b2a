"""From a document to its canonical text in any dialect; what a dialect cannot say is refused, never bent.

Every mark comes from the dialect. The style follows from the action mark: one character (`$`) stands between blanks,
`$ create @ path > dep`, a longer one (`::`) is written tight, `::create @path >dep`, as the source documents do.

The law `parse(render(d, x), x) == d` is not hoped for but checked: the text is read back strictly before it is given.
Which paths, commands and texts a dialect can say is therefore known to its grammar alone; this module only asks it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

from .document import VITAL_NAMES, Action, Document, ErrorNote, Question, Section, Skipped, Thought, Vitals
from .errors import ParseError, RenderError
from .grammar import Dialect, dialects, load_dialect
from .parser import parse

_KEY_OF = {name: key for key, name in VITAL_NAMES.items()}
_INDENT, _QUOTE = "  ", '"'
_SHOWN = 60


def render(document: Document, format: str | Path | Dialect = "v2") -> str:
    """Write a document as canonical text in a dialect; skipped text is no section and is left out.

    Raises `RenderError` for what the dialect cannot say, with the dialects that can, and `GrammarError` if there is
    no such dialect. Source: formats.md, "v1" and "v2".
    """
    return render_and_read(document, format)[0]


def can_render(document: Document, format: str | Path | Dialect = "v2") -> bool:
    """Whether a dialect can say a document."""
    return not isinstance(_attempt(document, load_dialect(format)), _Refusal)


def render_and_read(document: Document, format: str | Path | Dialect = "v2") -> tuple[str, Document]:
    """Write a document as `render` does, and give with the text the equal document that it was read back to."""
    dialect = load_dialect(format)
    outcome = _attempt(document, dialect)
    if not isinstance(outcome, _Refusal):
        return outcome
    others = [name for name in dialects() if name != dialect.name]
    able = [name for name in others if can_render(document, name)]
    message = f"{dialect.name} cannot say section {outcome.number}, {_name(outcome.section)}: {outcome.reason}"
    if able:
        message += f"; {_and(able)} can say it"
    elif partly := [name for name in others if can_render(Document((outcome.section,)), name)]:
        message += f"; {_and(partly)} can say it, but not the rest of the document"
    elif outcome.line is not None:
        message += "; no installed dialect can say it"
    raise RenderError(message, outcome.line, able)


class _Refusal(Exception):
    """Why a dialect cannot say a section; `line` is the line of the content, if it is the content's fault."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.reason, self.line = reason, line
        self.number, self.section = 0, cast(Section, None)

    def at(self, number: int, section: Section) -> _Refusal:
        """Tell the place: the section and its number in the document."""
        self.number, self.section = number, section
        return self


def _attempt(document: Document, dialect: Dialect) -> tuple[str, Document] | _Refusal:
    """Write a document and read it back: the text and what was read if it is the same, else the reason."""
    said = [(number, s) for number, s in enumerate(document.sections, 1) if not isinstance(s, Skipped)]
    pieces: list[str] = []
    above: Section | None = None
    for number, section in said:
        if above is not None and not _stay_together(above, section):
            pieces.append("\n")
        try:
            pieces.append(_write(section, dialect))
        except _Refusal as refusal:
            return refusal.at(number, section)
        above = section
    text = "".join(pieces)
    read = _read(text, dialect)
    if read is not None and read.sections == tuple(section for _, section in said):
        return text, read
    for number, section in said:
        if reason := _explain(section, dialect):
            return reason.at(number, section)
    found = read.sections if read is not None else ()
    differing = (i for i, (_, section) in enumerate(said) if found[i : i + 1] != (section,))
    return _Refusal("beside its neighbours it would be read differently").at(*said[next(differing, -1)])


def _stay_together(above: Section, below: Section) -> bool:
    """Thoughts stand together, and so do vitals; all other sections are separated by a blank line."""
    return isinstance(below, Thought | Vitals) and type(above) is type(below)


def _read(text: str, dialect: Dialect) -> Document | None:
    try:
        return parse(text, dialect)
    except ParseError:
        return None


# Writing. Nothing is checked here but what would not even give a text.


def _write(section: Section, dialect: Dialect) -> str:
    """Write one section, with the newline that ends it."""
    match section:
        case Thought():
            return f"{_mark(dialect, 'thought')} {section.text}\n"
        case Vitals():
            return _write_vitals(section, dialect)
        case Action():
            return _write_head(section, dialect) + _write_block(section.content, dialect)
        case Question():
            lines = [f"{_mark(dialect, 'question')} {_QUOTE}{section.text}{_QUOTE}\n"]
            for number, choice in enumerate(section.choices, 1):
                lines.append(f"{_INDENT}{number}{_mark(dialect, 'dot')} {choice}".rstrip(" \t") + "\n")
            return "".join(lines)
        case ErrorNote():
            target = f"{_mark(dialect, 'target')} {section.target}" if section.target is not None else None
            parts = [_mark(dialect, "error"), section.type, target, section.message]
            return " ".join(part for part in parts if part is not None) + "\n"
        case _:
            raise _Refusal(f"a {type(section).__name__} is no section")


def _mark(dialect: Dialect, name: str) -> str:
    if name not in dialect.marks:
        raise _Refusal(f"the dialect has no mark for it (_{name.upper()} in {dialect.path.name})")
    return dialect.marks[name]


def _write_vitals(vitals: Vitals, dialect: Dialect) -> str:
    mark, words = _mark(dialect, "vital"), []
    for name, value in vitals.items():
        if name not in _KEY_OF:
            raise _Refusal(f"{name!r} is none of the vitals {', '.join(_KEY_OF)}")
        if not math.isfinite(value) or value < 0:
            raise _Refusal(f"{name} is {value}; a value is a number from 0.0 to 1.0")
        words.append(mark + _KEY_OF[name] + format(Decimal(repr(abs(float(value)))), "f"))
    if not words:
        raise _Refusal("it has no value")
    return " ".join(words) + "\n"


def _write_head(action: Action, dialect: Dialect) -> str:
    mark, target, depends = dialect.marks["action"], dialect.marks["target"], dialect.marks["depends"]
    gap = " " if len(mark) == 1 else ""
    head = f"{mark}{gap}{action.type} {target}{gap}{action.path}"
    if action.dependencies:
        joint = dialect.marks["comma"] + " " if "comma" in dialect.marks else f" {depends}{gap}"
        head += f" {depends}{gap}" + joint.join(action.dependencies)
    return head + "\n"


def _write_block(content: str | None, dialect: Dialect) -> str:
    if content is None:
        return ""
    # The newline that ends the last line of a content belongs to the closer; the empty content has no line.
    last = "\n" if content else ""
    return f"{dialect.marks['open']}\n{content}{last}{dialect.marks['close']}\n"


# Explaining. A section that does not survive is taken apart until the field and the character at fault are known.


def _survives(section: Section, dialect: Dialect) -> bool:
    try:
        read = _read(_write(section, dialect), dialect)
    except _Refusal:
        return False
    return read is not None and read.sections == (section,)


def _explain(section: Section, dialect: Dialect) -> _Refusal | None:
    """Give the reason if a section does not survive alone."""
    if _survives(section, dialect):
        return None
    command = isinstance(section, Action) and section.type in dialect.verbs["running"]
    if isinstance(section, Action):
        if command and section.dependencies:
            return _Refusal("a command has no dependencies: all that follows is the command itself")
        if section.content is not None and _survives(replace(section, content=None), dialect):
            return _explain_content(section.content, dialect)
    for name, value, sample in _fields(section):
        name = "command" if command and name == "path" else name
        if not isinstance(value, str):
            return _Refusal(f"its {name} is {value!r}, not a text")
        if not _survives(sample(value), dialect):
            return _Refusal(f"its {name} {_shorten(value)} {_find_fault(value, sample, dialect)}")
    return _Refusal("it would be read differently")


class _Sample:
    """Makes the simplest section that has a value in one field."""

    def __init__(self, base: Section, field: str, many: bool = False) -> None:
        self.base, self.field, self.many = base, field, many

    def __call__(self, value: str) -> Section:
        changes: dict[str, Any] = {self.field: (value,) if self.many else value}
        return replace(self.base, **changes)


def _fields(section: Section) -> Iterator[tuple[str, object, _Sample]]:
    """Give each text of a section: its name, its value, and the simplest section to try it in."""
    match section:
        case Thought():
            yield "text", section.text, _Sample(Thought("x"), "text")
        case Action():
            yield "verb", section.type, _Sample(Action("x", "x"), "type")
            yield "path", section.path, _Sample(Action(section.type, "x"), "path")
            for dependency in section.dependencies:
                yield "dependency", dependency, _Sample(Action("x", "x"), "dependencies", many=True)
        case Question():
            yield "text", section.text, _Sample(Question("x"), "text")
            for choice in section.choices:
                yield "choice", choice, _Sample(Question("x"), "choices", many=True)
        case ErrorNote():
            yield "type", section.type, _Sample(ErrorNote("x"), "type")
            if section.target is not None:
                yield "target", section.target, _Sample(ErrorNote("x"), "target")
            if section.message is not None:
                yield "message", section.message, _Sample(ErrorNote("x"), "message")


def _find_fault(value: str, sample: _Sample, dialect: Dialect) -> str:
    """Say what is wrong with a text, by trying its characters one at a time."""
    if not value:
        return "is empty"
    if "\n" in value or "\r" in value:
        return "has a line break"
    if value != value.strip(" \t"):
        return "begins or ends with a blank"
    if not _survives(sample(value[0] + "x"), dialect):
        return f"begins with {value[0]!r}"
    if not _survives(sample("x" + value[-1]), dialect):
        return f"ends with {value[-1]!r}"
    for character in sorted(set(value), key=value.index)[:200]:
        if not _survives(sample(f"x{character}x"), dialect):
            return f"contains {character!r}"
    return "would be read differently"


def _explain_content(content: str, dialect: Dialect) -> _Refusal:
    if not isinstance(content, str):
        return _Refusal(f"its content is {_shorten(content)}, not a text")
    opener, closer = dialect.marks["open"], dialect.marks["close"]
    lines = content.split("\n")
    for number, line in enumerate(lines, 1):
        if line.rstrip(" \t\r") in (opener, closer):
            harm = f"which would end the block (a content has no line that is only `{closer}`)"
            if line.rstrip(" \t\r") != closer:
                harm = "which opens a block and cannot stand alone on a line of a content"
            return _Refusal(f"line {number} of its content is `{line.rstrip()}`, {harm}", number)
    if content.endswith("\r"):
        reason = "ends with a carriage return, which would become a part of the line ending before the closer"
        return _Refusal(f"its content {reason} (line {len(lines)})", len(lines))
    return _Refusal("its content would be read differently")


def _name(section: Section) -> str:
    match section:
        case Action():
            return f"{section.type} {_shorten(section.path)}"
        case ErrorNote():
            return "an error"
        case Vitals():
            return "vitals"
        case _:
            return f"a {type(section).__name__.lower()}"


def _shorten(value: object) -> str:
    text = str(value)
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")


def _and(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
