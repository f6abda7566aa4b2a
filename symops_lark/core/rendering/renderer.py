"""Write a document as canonical text in any dialect.

Purpose
    `render` writes the text. `can_render` checks whether a dialect can express a document.

Invariants
    1. `parse(render(document, x), x) == document` for every document that is not refused, and has
       neither skipped text nor incomplete actions without a mark. It is checked at run time: the
       text is parsed strictly before it is returned (`tests/core/rendering/test_renderer.py`).
    2. A section that the dialect cannot express raises `RenderError`. It is never changed to fit.

Theory of operation
    `writer` and `templates` produce a text; which paths, commands and contents are valid is only
    known to the grammar, so this module asks the parser. Blank lines between sections are tried in
    three ways, because custom grammars do not allow them everywhere::

        sections ── write ──> text ── strict parse ──> the same sections?  yes: done
                     ^                                   no: the next of _GAPS
                     └─────────────────────────────────────┘   after the last: `faults` explains

Not here
    `faults` finds the field and the character at fault; `converter` leaves out what does not fit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from ..document import Action, CustomSection, Document, ErrorNote, Section, Skipped, Thought, Vitals
from ..grammar.dialect import Dialect
from ..grammar.loading import dialects, load_dialect
from ..grammar.marks import FENCES
from ..ground.errors import RenderError
from ..strict.parser import parse_valid
from ..unfinished import find_marked, is_whole, mark_of
from .faults import explain, name_section, survives
from .refusal import Refusal
from .writer import SHORTEST, RenderOptions, write

_Numbered = tuple[int, Section]  # the 1-based number of a section in the document, and the section
# Where blank lines are written, in the order of trying.
_GAPS = ("between kinds", "between all", "none")


def render(
    document: Document, format: str | Path | Dialect = "v2", forms: RenderOptions | None = None
) -> str:
    """Return a document as canonical text in a dialect. Source: grammars/README.md.

    Skipped text is not a section and is left out. An incomplete action is followed by an error
    section that marks it as incomplete, and that `parse` reads.

    Args:
        document: The document.
        format: The dialect: its name, its grammar file, or itself.
        forms: Which of several forms to write. None: the shortest ones.

    Returns:
        The text; empty for a document without sections.

    Raises:
        RenderError: The dialect cannot express the document; the error names dialects that can.
        GrammarError: There is no such dialect.
    """
    options = forms or SHORTEST
    text, _ = render_and_read(document, format, options)
    return text


def can_render(document: Document, format: str | Path | Dialect = "v2") -> bool:
    """Return whether a dialect can express a document.

    Args:
        document: The document.
        format: The dialect: its name, its grammar file, or itself.

    Returns:
        Whether `render` returns a text.

    Raises:
        GrammarError: There is no such dialect.
    """
    dialect = load_dialect(format)
    outcome = _attempt(document, dialect)
    return not isinstance(outcome, Refusal)


def render_and_read(
    document: Document, format: str | Path | Dialect = "v2", forms: RenderOptions = SHORTEST
) -> tuple[str, Document]:
    """Render a document, and return the parsed text as well.

    Args:
        document: The document.
        format: The dialect: its name, its grammar file, or itself.
        forms: Which of several forms to write.

    Returns:
        The text, and the equal document that was parsed from it; its spans refer to the text.

    Raises:
        RenderError: The dialect cannot express the document, or does not have the forms.
        GrammarError: There is no such dialect.
    """
    dialect = load_dialect(format)
    if forms != SHORTEST:
        if forms.numbered:
            document = _number(document)
        _check_forms(forms, dialect)
    outcome = _attempt(document, dialect, forms)
    if not isinstance(outcome, Refusal):
        return outcome
    raise _describe(outcome, document, dialect)


def _describe(refusal: Refusal, document: Document, dialect: Dialect) -> RenderError:
    """Return the error for a refusal, with the dialects that can express the document."""
    candidates = [name for name in dialects() if name != dialect.name]
    # Tried, not looked up: which texts a dialect has is known to its grammar alone.
    able = [name for name in candidates if can_render(document, name)]
    if not refusal.number:
        message = f"{dialect.name} cannot say a document without sections: {refusal.reason}"
        return RenderError(message, None, able)
    name = name_section(refusal.section)
    place = f"section {refusal.number}, {name}"
    message = f"{dialect.name} cannot say {place}: {refusal.reason}"
    if able:
        names = list_words(able)
        message += f"; {names} can say it"
        return RenderError(message, refusal.line, able)
    alone = Document((refusal.section,))
    partly_able = [name for name in candidates if can_render(alone, name)]
    if partly_able:
        names = list_words(partly_able)
        message += f"; {names} can say it, but not the rest of the document"
    elif refusal.line is not None:
        message += "; no installed dialect can say it"
    return RenderError(message, refusal.line, able)


def _number(document: Document) -> Document:
    """Number the actions that have no number, by their place among the actions."""
    sections = []
    place = 0
    for section in document.sections:
        if isinstance(section, Action):
            place += 1
            # Given numbers stay, even if they are not the places.
            if section.number is None:
                section = replace(section, number=place)
        sections.append(section)
    return replace(document, sections=tuple(sections))


def _check_forms(forms: RenderOptions, dialect: Dialect) -> None:
    """Raise `RenderError` for forms that a dialect does not have."""
    # Before the names of dialects: a length that no dialect has is not advice.
    if forms.fence not in (3, *FENCES):
        longest = FENCES[-1]
        raise RenderError(f"invalid length of a fence: expected 3 to {longest}, got {forms.fence}")
    # By the names in `Dialect.forms`.
    requested = {
        "numbers": forms.numbered,
        "end_marks": forms.end_marked,
        "attributes": forms.attributes,
        "fences": forms.fence != 3,
    }
    for name, is_requested in requested.items():
        if is_requested and name not in dialect.forms:
            able = [able_name for able_name in dialects() if name in load_dialect(able_name).forms]
            label = name.replace("_", " ")
            names = list_words(able)
            raise RenderError(f"{dialect.name} has no {label}; {names} can write them", None, able)


def _attempt(
    document: Document, dialect: Dialect, forms: RenderOptions = SHORTEST
) -> tuple[str, Document] | Refusal:
    """Write a document and parse it: return both if it is the same, else the reason."""
    reparsed: Document | None = None
    try:
        numbered = list(_mark_unfinished(document, dialect))
        expected = tuple(section for _, section in numbered)
        # Without custom sections, the first way is always the right one.
        for gaps in _GAPS if dialect.own_sections else _GAPS[:1]:
            text = _join(numbered, dialect, forms, gaps)
            # Sections are compared without their spans.
            reparsed = parse_valid(text, dialect)
            if reparsed is not None and reparsed.sections == expected:
                return text, reparsed
    except Refusal as refusal:
        return refusal
    # A section that fails alone is the reason; otherwise its neighbors are.
    for number, section in numbered:
        reason = explain(section, dialect)
        if reason is not None:
            return reason.at(number, section)
    if not numbered:
        return Refusal("a document has at least one section")
    # Each section survives alone, so the first one that is parsed differently has a wrong neighbor.
    sections = () if reparsed is None else reparsed.sections
    misread = Refusal("beside its neighbors it would be read differently")
    for index, (number, section) in enumerate(numbered):
        if sections[index : index + 1] != (section,):
            return misread.at(number, section)
    # The parsed text has more sections than the document.
    number, section = numbered[-1]
    return misread.at(number, section)


def _join(numbered: Sequence[_Numbered], dialect: Dialect, forms: RenderOptions, gaps: str) -> str:
    """Return the text of all sections, with blank lines as `gaps` says."""
    pieces = []
    above: Section | None = None
    for number, section in numbered:
        together = False
        if above is not None:
            together = _stay_together(above, section, dialect)
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


def _mark_unfinished(document: Document, dialect: Dialect) -> Iterator[_Numbered]:
    """Yield the sections, and an error section after each incomplete action that has none yet."""
    marked = find_marked(document.sections)
    for index, section in enumerate(document.sections):
        if isinstance(section, Skipped):
            continue
        number = index + 1
        yield number, section
        if not isinstance(section, Action) or is_whole(section):
            continue
        if index in marked:
            continue
        mark = find_mark(section, dialect)
        if mark is None:
            refusal = Refusal(
                f"it is {section.completeness}, and there is no error section to say so"
            )
            raise refusal.at(number, section)
        yield number, mark


def find_mark(action: Action, dialect: Dialect) -> ErrorNote | None:
    """Return the error section that marks an action as incomplete.

    Args:
        action: The action.
        dialect: The dialect to write it in.

    Returns:
        The error section. None: the dialect has none.
    """
    # The second one has no target: a path may have blanks, and a target is one word.
    for mark in mark_of(action):
        if survives(mark, dialect):
            return mark
    return None


def _stay_together(above: Section, below: Section, dialect: Dialect) -> bool:
    """Return whether no blank line separates two sections.

    Thoughts stay together, and so do vitals. Where each vital has a separate line, neighboring
    lines are one section, so two sections of vitals must be separated.
    """
    if isinstance(below, Vitals) and "lines" in dialect.forms:
        return False
    if isinstance(below, CustomSection):
        if not isinstance(above, CustomSection) or above.name != below.name:
            return False
        return _is_one_line(below, dialect)
    is_same_kind = type(above) is type(below)
    return is_same_kind and isinstance(below, Thought | Vitals)


def _is_one_line(section: CustomSection, dialect: Dialect) -> bool:
    entry = dialect.own_sections.get(section.name)
    has_block = entry is not None and entry[1]
    has_inner_parts = any(part.parts for part in section.parts)
    return not has_block and not has_inner_parts


def list_words(words: Sequence[str], last: str = "and") -> str:
    """Return words as an enumeration, such as `a, b and c`.

    Args:
        words: The words.
        last: The word before the last one.

    Returns:
        The enumeration; empty for no words.
    """
    if len(words) < 2:
        return "".join(words)
    *first_words, last_word = words
    enumeration = ", ".join(first_words)
    return f"{enumeration} {last} {last_word}"
