"""From a document to its canonical text in any dialect; what a dialect cannot say is refused, never bent.

The law `parse(render(d, x), x) == d` is not hoped for but checked: the text is read back strictly before it is given.
Which paths, commands and texts a dialect can say is therefore known to its grammar alone; this module only asks it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from ..document import Action, CustomSection, Document, ErrorNote, Question, Section, Skipped, Thought, Vitals
from ..grammar.dialect import Dialect
from ..grammar.loading import dialects, load_dialect
from ..grammar.marks import FENCES
from ..ground.errors import RenderError
from ..strict.parser import parse_valid
from ..unfinished import find_marked, is_whole, mark_of
from .refusal import Refusal
from .writer import SHORTEST, RenderOptions, write

_SHOWN = 60
_Sample = Callable[[str], Section]


def render(document: Document, format: str | Path | Dialect = "v2", forms: RenderOptions | None = None) -> str:
    """Return a document as canonical text in a dialect; skipped text is no section and is left out.

    An action that is not whole gets an error section that says so, and which `parse` reads.
    Raises `RenderError` for what the dialect cannot say, with the dialects that can, and `GrammarError` if there is
    no such dialect. Source: grammars/README.md.
    """
    return render_and_read(document, format, forms or SHORTEST)[0]


def can_render(document: Document, format: str | Path | Dialect = "v2") -> bool:
    """Return whether a dialect can say a document."""
    return not isinstance(_attempt(document, load_dialect(format)), Refusal)


def render_and_read(
    document: Document, format: str | Path | Dialect = "v2", forms: RenderOptions = SHORTEST
) -> tuple[str, Document]:
    """Write a document as `render` does, and give with the text the equal document that it was read back to."""
    dialect = load_dialect(format)
    if forms != SHORTEST:
        document = _number(document) if forms.numbered else document
        _check_forms(forms, dialect)
    outcome = _attempt(document, dialect, forms)
    if not isinstance(outcome, Refusal):
        return outcome
    others = [name for name in dialects() if name != dialect.name]
    able = [name for name in others if can_render(document, name)]
    if not outcome.number:
        raise RenderError(f"{dialect.name} cannot say a document without sections: {outcome.reason}", None, able)
    message = f"{dialect.name} cannot say section {outcome.number}, {_name(outcome.section)}: {outcome.reason}"
    if able:
        message += f"; {list_words(able)} can say it"
    elif partly := [name for name in others if can_render(Document((outcome.section,)), name)]:
        message += f"; {list_words(partly)} can say it, but not the rest of the document"
    elif outcome.line is not None:
        message += "; no installed dialect can say it"
    raise RenderError(message, outcome.line, able)


def _number(document: Document) -> Document:
    """Number the actions that have no number, by their place among the actions."""
    sections, place = [], 0
    for section in document.sections:
        if isinstance(section, Action):
            place += 1
            section = replace(section, number=place if section.number is None else section.number)
        sections.append(section)
    return replace(document, sections=tuple(sections))


def _check_forms(forms: RenderOptions, dialect: Dialect) -> None:
    wanted = {
        "numbers": forms.numbered,
        "end_marks": forms.end_marked,
        "attributes": forms.attributes,
        "fences": forms.fence != 3,
    }
    for name, asked in wanted.items():
        if asked and name not in dialect.forms:
            able = [other for other in dialects() if name in load_dialect(other).forms]
            what = name.replace("_", " ")
            raise RenderError(f"{dialect.name} has no {what}; {list_words(able)} can write them", None, able)
    if forms.fence not in (3, *FENCES):
        raise RenderError(f"a fence has a length of 3 to {FENCES[-1]}, not {forms.fence}", None, [])


def _attempt(document: Document, dialect: Dialect, forms: RenderOptions = SHORTEST) -> tuple[str, Document] | Refusal:
    """Write a document and read it back: the text and what was read if it is the same, else the reason."""
    read: Document | None = None
    try:
        said = list(_mark_unfinished(document, dialect))
        for gaps in _GAPS if dialect.own_sections else _GAPS[:1]:
            text = _join(said, dialect, forms, gaps)
            read = parse_valid(text, dialect)
            if read is not None and read.sections == tuple(section for _, section in said):
                return text, read
    except Refusal as refusal:
        return refusal
    for number, section in said:
        if reason := _explain(section, dialect):
            return reason.at(number, section)
    if not said:
        return Refusal("a document has at least one section")
    found = read.sections if read is not None else ()
    differing = (i for i, (_, section) in enumerate(said) if found[i : i + 1] != (section,))
    return Refusal("beside its neighbours it would be read differently").at(*said[next(differing, -1)])


_GAPS = ("between kinds", "between all", "none")  # where blank lines stand: not every grammar has them everywhere


def _join(said: Sequence[tuple[int, Section]], dialect: Dialect, forms: RenderOptions, gaps: str) -> str:
    pieces: list[str] = []
    above: Section | None = None
    for number, section in said:
        together = above is not None and _stay_together(above, section, dialect)
        if isinstance(section, CustomSection) and gaps == "between all":
            together = False
        if above is not None and not together and gaps != "none":
            pieces.append("\n")
        try:
            pieces.append(write(section, dialect, forms, together))
        except Refusal as refusal:
            raise refusal.at(number, section) from None
        above = section
    return "".join(pieces)


def _mark_unfinished(document: Document, dialect: Dialect) -> Iterator[tuple[int, Section]]:
    """Yield the sections with their numbers, and behind an action that is not whole an error section that says so."""
    marked = find_marked(document.sections)
    for place, section in enumerate(document.sections):
        if isinstance(section, Skipped):
            continue
        yield place + 1, section
        if isinstance(section, Action) and not is_whole(section) and place not in marked:
            mark = find_mark(section, dialect)
            if mark is None:
                raise Refusal(f"it is {section.completeness}, and there is no error section to say so").at(
                    place + 1, section
                )
            yield place + 1, mark


def find_mark(action: Action, dialect: Dialect) -> ErrorNote | None:
    """Return the error section that says of an action that it is not whole; None if the dialect has none."""
    return next((mark for mark in mark_of(action) if _survives(mark, dialect)), None)


def _stay_together(above: Section, below: Section, dialect: Dialect) -> bool:
    """Thoughts stand together, and so do vitals; all other sections are separated by a blank line.

    Where each vital has a line of its own, neighbouring lines are one section.
    """
    if isinstance(below, Vitals) and "lines" in dialect.forms:
        return False
    if isinstance(below, CustomSection):
        return isinstance(above, CustomSection) and above.name == below.name and _is_one_line(below, dialect)
    return isinstance(below, Thought | Vitals) and type(above) is type(below)


def _is_one_line(section: CustomSection, dialect: Dialect) -> bool:
    return not dialect.own_sections.get(section.name, ["", ""])[1] and all(not part.parts for part in section.parts)


# Explaining. A section that does not survive is taken apart until the field and the character at fault are known.


def _survives(section: Section, dialect: Dialect) -> bool:
    try:
        read = parse_valid(write(section, dialect), dialect)
    except Refusal:
        return False
    return read is not None and read.sections == (section,)


def _explain(section: Section, dialect: Dialect) -> Refusal | None:
    """Return the reason if a section does not survive alone."""
    if _survives(section, dialect):
        return None
    command = isinstance(section, Action) and section.type in dialect.verbs["running"]
    if isinstance(section, Action):
        own = dialect.own.get("arguments", ())
        if section.number is not None and "numbers" not in dialect.forms:
            return Refusal(f"it has the number {section.number}, and actions of this dialect have none")
        if "attributes" not in dialect.forms and any(key not in own for key, _ in section.attributes):
            return Refusal(f"it has the attribute {section.attributes[0][0]!r}, and actions of this dialect have none")
        if command and section.dependencies and not dialect.forms & {"attributes", "lines"}:
            return Refusal("a command has no dependencies: all that follows is the command itself")
        if section.content is not None and _survives(replace(section, content=None), dialect):
            return _explain_content(section.content, dialect)
        if section.type in dialect.own.get("verbs", ()):
            return Refusal(f"{section.type} takes other arguments than it has")
    for name, value, sample in _fields(section):
        name = "command" if command and name == "path" else name
        if not isinstance(value, str):
            return Refusal(f"its {name} is {value!r}, not a text")
        if not _survives(sample(value), dialect):
            return Refusal(f"its {name} {_shorten(value)} {_find_fault(value, sample, dialect)}")
    return Refusal("it would be read differently")


def _fields(section: Section) -> Iterator[tuple[str, object, _Sample]]:
    """Yield each text of a section: its name, its value, and what makes the simplest section to try a value in."""
    match section:
        case Thought():
            yield "text", section.text, Thought
        case Action():
            yield "verb", section.type, lambda value: Action(value, "x")
            yield "path", section.path, lambda value: Action(section.type, value)
            for dependency in section.dependencies:
                yield "dependency", dependency, lambda value: Action("x", "x", dependencies=(value,))
            for key, value in section.attributes:
                yield "attribute's name", key, lambda value: Action("x", "x", attributes=((value, "x"),))
                yield f"attribute {key}", value, lambda value: Action("x", "x", attributes=((key, value),))  # noqa: B023
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


def _find_fault(value: str, sample: _Sample, dialect: Dialect) -> str:
    """Return what is wrong with a text, by trying its characters one at a time."""
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


def _explain_content(content: str, dialect: Dialect) -> Refusal:
    if not isinstance(content, str):
        return Refusal(f"its content is {_shorten(content)}, not a text")
    opener = dialect.marks["open"]
    closers, lines = dialect.fences[opener], content.split("\n")
    for number, line in enumerate(lines, 1):
        bare = line.rstrip(" \t\r")
        if bare in (opener, *closers):
            harm = f"which would end the block (a content has no line that is only `{closers[0]}`)"
            if bare not in closers:
                harm = "which opens a block and cannot stand alone on a line of a content"
            return Refusal(f"line {number} of its content is `{line.rstrip()}`, {harm}", number)
    if content.endswith("\r"):
        reason = "ends with a carriage return, which would become a part of the line ending before the closer"
        return Refusal(f"its content {reason} (line {len(lines)})", len(lines))
    return Refusal("its content would be read differently")


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


def list_words(words: Sequence[str], last: str = "and") -> str:
    """Return words as a text: commas between them, and a word before the last one."""
    return f" {last} ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
