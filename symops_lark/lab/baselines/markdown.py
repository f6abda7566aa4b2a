"""Markdown as chat models write it: headings for actions, fences for contents, quotes for thoughts.

    > I need a store first.                     a thought; adjacent lines are several

    - confidence: 0.88                          vitals

    ## create `src/a.py`                        an action; with a number, `## 3. create …`

    Depends on: `b.py`, `c.py`                  and below it `With: `key=value`` for attributes

    ```                                         its content, in a fence longer than any inside
    x = 1
    ```

    ## Question: Which one?                     and a numbered list of choices

    ## Error: `Timeout` in `job.py`: after 3 s

All other paragraphs are prose. Texts are read unchanged, without emphasis, escapes or entities.
`markdown_reading` has the decoder.
"""

from __future__ import annotations

import re
from dataclasses import fields

from ...core.document import Action, Document, ErrorNote, Question, Section, Thought, Vitals
from ...core.ground.errors import RenderError
from . import Baseline
from .markdown_reading import decode
from .sections import writable_sections

_TICKS = "`"
_FAULTS = {"\n": "line break", "\r": "line break", "\0": "NUL"}
# Nothing, blanks at one end, a hash at the end, or quotes around it.
_NEEDS_QUOTES = re.compile(r'|\s.*|.*[\s#]|"|".*"', re.DOTALL)
_EDGE = re.compile(r"\A[` ]|[` ]\Z")
_FENCE_LINE = re.compile(r" {0,3}`{3,}[^`]*")
_VITAL_LINE = re.compile(r"[-*] (\w+: [0-9]+\.[0-9]+?)0*")


def encode(document: Document) -> str:
    """Write a document as Markdown, and read it again as a check.

    Raises:
        RenderError: Markdown cannot express a section, such as a content that ends with a carriage
            return, or a path with a line break. The message names the field.
        SymOpsError: markdown-it-py is not installed.
    """
    sections = writable_sections(document)
    text = _write(sections)
    if decode(text).sections == tuple(sections):
        return text
    for number, section in enumerate(sections, 1):
        if decode(_write([section])).sections != (section,):
            reason, line = _explain(section)
            raise RenderError(f"Markdown cannot express section {number}: {reason}", line)
    raise RenderError(
        "Markdown cannot express the document: next to another section, one is read differently"
    )


def _write(sections: list[Section]) -> str:
    pieces = []
    bullet = "*"
    above: Section | None = None
    for section in sections:
        if isinstance(section, Vitals):
            # A list continues after blank lines; another bullet begins another list.
            is_second = isinstance(above, Vitals) and bullet == "-"
            bullet = "*" if is_second else "-"
        is_same_quote = isinstance(above, Thought) and isinstance(section, Thought)
        if above is not None and not is_same_quote:
            pieces.append("\n")
        pieces.append(_write_section(section, bullet))
        above = section
    return "".join(pieces)


def _write_section(section: Section, bullet: str) -> str:
    lines = []
    match section:
        case Thought():
            lines.append(f"> {section.text}")
        case Vitals():
            for name, value in section.items():
                lines.append(f"{bullet} {name}: {value!r}")
        case Action():
            return _write_action(section)
        case Question():
            lines.append(f"## Question: {_free(section.text)}")
            if section.choices:
                lines.append("")
            for number, choice in enumerate(section.choices, 1):
                item = f"{number}. {choice}"
                lines.append(item.rstrip(" "))
        case ErrorNote():
            line = f"## Error: {_code(section.type)}"
            if section.target is not None:
                line += f" in {_code(section.target)}"
            if section.message is not None:
                line += f": {_free(section.message)}"
            lines.append(line)
        case _:
            raise RenderError(f"Markdown cannot express a {type(section).__name__}")
    return "".join(f"{line}\n" for line in lines)


def _write_action(action: Action) -> str:
    head = f"{action.type} {_code(action.path)}"
    if action.number is not None:
        head = f"{action.number}. {head}"
    parts = [f"## {head}\n"]
    if action.dependencies:
        names = ", ".join(map(_code, action.dependencies))
        parts.append(f"Depends on: {names}\n")
    if action.attributes:
        pairs = [f"{key}={value}" for key, value in action.attributes]
        attributes = ", ".join(map(_code, pairs))
        parts.append(f"With: {attributes}\n")
    if action.content is not None:
        # A longer fence than any inside: a shorter one does not close it.
        length = _longest_run(action.content) + 1
        fence = _TICKS * max(3, length)
        # The newline after the last line belongs to the closing fence. An empty content has none.
        content = action.content + "\n" if action.content else ""
        parts.append(f"{fence}\n{content}{fence}\n")
    return "\n".join(parts)


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)


def _code(text: str) -> str:
    """Write a text as a code span, which does not change it."""
    ticks = _TICKS * (_longest_run(text) + 1)
    # One blank at both ends is not part of the span: it separates ticks.
    blank = " " if _EDGE.search(text) else ""
    return f"{ticks}{blank}{text}{blank}{ticks}"


def _free(text: str) -> str:
    """Write a text at the end of a heading, in quotes if Markdown would remove a part of it."""
    if _NEEDS_QUOTES.fullmatch(text):
        return f'"{text}"'
    return text


def _explain(section: Section) -> tuple[str, int | None]:
    """Return why Markdown cannot express a section, and the line of the content if that is why."""
    for field in fields(section):
        value = getattr(section, field.name)
        for text in value if isinstance(value, tuple) else (value,):
            if not isinstance(text, str):
                continue
            if field.name == "content":
                if text.endswith("\r"):
                    return "its content ends with a carriage return", len(text.split("\n"))
                continue
            for character, fault in _FAULTS.items():
                if character in text:
                    return f"its {field.name} has a {fault}", None
            has_blanks = text != text.strip(" \t")
            if has_blanks and isinstance(section, Thought | Question):
                return f"its {field.name} begins or ends with a blank", None
    return "it would be read differently", None


def parse(text: str) -> Document | None:
    """Read a reply without other text, so that it is the same when written; None for any other."""
    document = decode(text)
    try:
        expected = encode(document)
    except RenderError:
        return None
    if _shape(expected) == _shape(text):
        return document
    return None


def _shape(text: str) -> list[str]:
    """Return the lines of a text without blank ones, words after fences and zeros of vitals."""
    shape = []
    for line in text.split("\n"):
        line = _FENCE_LINE.sub("```", line.rstrip())
        if line:
            shape.append(_VITAL_LINE.sub(r"- \1", line))
    return shape


BASELINE = Baseline("markdown", encode, decode, parse)
