"""Read the sections of a reply in Markdown, from the blocks that markdown-it finds."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from ...core.document import (
    VITAL_NAMES,
    Action,
    Completeness,
    Document,
    ErrorNote,
    Question,
    Section,
    Thought,
    Vitals,
)
from ...core.grammar.loading import load_dialect
from ..measuring.statistics import load_library
from . import EXTRA

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_SPAN = r"(?P<{0}_ticks>`+)(?!`)(?P<{0}>.+?)(?<!`)(?P={0}_ticks)(?!`)"  # of code
_PATH = _SPAN.format("path")
_NUMBER = r"(?P<number>[0-9]{1,9})"
_ACTION = re.compile(rf"(?:{_NUMBER}\. )?(?P<verb>[a-z][a-z0-9_-]*) {_PATH}")
# A heading of an action in another form: `Step 2: Create src/a.py:`; not `The plan`.
_SIMILAR_ACTION = re.compile(
    r"(?:(?:action|step)\b[ ]*)?"
    rf"(?:{_NUMBER}[ ]*)?[.):]?[ ]*"
    r"(?P<verb>[a-z]+)[ ]*:?[ ]+"
    rf"(?:{_PATH}|(?P<bare>[^\s`]*[./][^\s`]*\w))"
    r"[ ]*:?",
    re.IGNORECASE,
)
_BOLD = re.compile(r"(\*\*|__)(?P<text>.+?)\1:?")
_QUESTION = re.compile(r"question:[ ]+(?P<text>[^ \n].*)", re.IGNORECASE)
# `Error: Timeout in `job.py`: after 3 s`; not `Errors`.
_ERROR = re.compile(
    r"error:[ ]+"
    rf"(?:{_SPAN.format('type')}|(?P<bare>[^\s`:]+))"
    rf"(?: in {_SPAN.format('target')})?"
    r"(?:[:][ ]+(?P<message>.+))?",
    re.IGNORECASE,
)
# `**Depends on:** `b.py``; not `It depends on b.py`.
_DETAIL = re.compile(
    r"\W*(?P<name>depends[ ]on|dependencies|with)\W*:[*_]*[ ]*(?P<values>.*)", re.IGNORECASE
)
_ITEM = re.compile(rf"{_SPAN.format('code')}|(?P<bare>[^\s`,]+)(?=,|\Z)")
_VITAL = re.compile(
    rf"[*_`]*(?P<name>{'|'.join(VITAL_NAMES.values())})[*_`]*"
    r":[*_`]*[ ]*"
    r"(?P<value>[0-9.]+(?:e-?[0-9]+)?)",
    re.IGNORECASE,
)
_QUOTED_LINE = re.compile(r"[ \t]*>[ ]?(?P<text>.*)")
_CHOICE = re.compile(r"[ \t]*[0-9]+[.)][ \t]?(?P<text>.*)")
_BLOCK_BEGIN = re.compile(r"\s*(?:#|\*\*|`{3}|~{3})")  # of a heading or a fence
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_PADDED = re.compile(r"\A (.*[^ ].*) \Z")
_QUOTED = re.compile(r'\A"(.*)"\Z')
_LINE_ENDING = re.compile(r"(?:\r\n|\r|\n)\Z")
_HALF_FENCE = re.compile(r"(?<![^\r\n])(?:`+|~+)\Z")  # at the end of a truncated content
# The fence around a whole reply.
_WRAPPER = re.compile(
    r"[ ]{0,3}(?:`{3,}|~{3,})[ \t]*(?:(?P<language>markdown|md)[ \t]*)?", re.IGNORECASE
)


def decode(text: str) -> Document:
    """Read the sections of a reply in Markdown; other paragraphs and headings are ignored.

    An action is `TRUNCATED` if the fence of its content is open at the end of the text, and
    `UNTERMINATED` if the block around it ends before its fence. It is `SUSPECT` if a second fence
    follows, as when a fence inside a content closes it. Raises only `SymOpsError`, if
    markdown-it-py is not installed.
    """
    lines = _LINE.findall(text)
    start = _wrapper_end(lines)
    reader = _Reader(lines[start:], is_wrapped=start > 0)
    return Document(tuple(reader.read()))


def _wrapper_end(lines: list[str]) -> int:
    """Return the index of the line after the fence around a whole reply; 0 if there is none.

    Only the opening fence is found here. Its closing fence is the one that no other fence needs.
    """
    is_empty = True
    for number, line in enumerate(lines):
        wrapper = _WRAPPER.fullmatch(line.rstrip("\r\n"))
        if wrapper and (wrapper["language"] or is_empty):
            return number + 1
        if _BLOCK_BEGIN.match(line):
            return 0
        is_empty = is_empty and not line.strip()
    return 0


@cache
def _parser() -> MarkdownIt:
    """Return a parser of blocks only, for which indented text is not code and HTML is text."""
    parser: MarkdownIt = load_library("markdown_it", EXTRA).MarkdownIt("commonmark")
    parser.disable(["html_block", "reference", "code"])
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def _code_text(text: str) -> str:
    """Return the text of a code span, without a blank at both ends."""
    return _PADDED.sub(r"\1", text)


def _code_or_bare(match: re.Match[str], name: str) -> str:
    """Return the text of a code span with a name, or without it the one with the name `bare`."""
    if match[name]:
        return _code_text(match[name])
    return match["bare"]


def _free_text(text: str) -> str:
    return _QUOTED.sub(r"\1", text)


@dataclass
class _Reader:
    """Reads the blocks of a text in order.

    Attributes:
        lines: The lines, with their ends.
        is_wrapped: Whether a fence around the reply was opened before them.
        sections: The sections so far.
        owner: The last section, if a fence may belong to it.
        has_prose: Whether there is prose between that action and the current block.
    """

    lines: list[str]
    is_wrapped: bool
    sections: list[Section] = field(default_factory=list)
    owner: Action | None = None
    has_prose: bool = False

    def read(self) -> list[Section]:
        """Return the sections."""
        tokens = _parser().parse("".join(self.lines))
        index = 0
        while index < len(tokens):
            index = self._read_block(tokens, index)
        return self.sections

    def _read_block(self, tokens: list[Token], start: int) -> int:
        """Read the block that a token begins; return the index of the next token."""
        token = tokens[start]
        match token.type:
            case "blockquote_open":
                self._add_thoughts(token)
                return _end_of(tokens, start)
            case "bullet_list_open":
                end = _end_of(tokens, start)
                vitals = _read_vitals(tokens[start:end])
                if vitals:
                    self._add(vitals)
                    return end
            case "ordered_list_open":
                end = _end_of(tokens, start)
                if self._add_choices(tokens[start:end]):
                    return end
            case "fence":
                self._add_content(token)
            case "inline":
                self._read_text(token.content, tokens[start - 1])
        return start + 1

    def _add(self, section: Section) -> None:
        self.sections.append(section)
        self.owner = section if isinstance(section, Action) else None
        self.has_prose = False

    def _change(self, action: Action, **changes: Any) -> None:
        self.owner = replace(action, **changes)
        self.sections[-1] = self.owner

    def _add_thoughts(self, quote: Token) -> None:
        start, end = quote.map or (0, 0)
        for line in self.lines[start:end]:
            match = _QUOTED_LINE.match(line)
            text = match["text"].rstrip(" \t\r\n") if match else line.strip()
            if text:
                self._add(Thought(text))

    def _add_choices(self, tokens: list[Token]) -> bool:
        """Add a list as the choices of a question; return False if it belongs to no question."""
        last = self.sections[-1] if self.sections else None
        if not isinstance(last, Question) or last.choices or tokens[0].level:
            return False
        choices = []
        for token in tokens:
            if token.type == "list_item_open" and token.level == 1 and token.map:
                choice = _CHOICE.match(self.lines[token.map[0]])
                if choice:
                    choices.append(choice["text"].rstrip(" \t\r\n"))
        self.sections[-1] = replace(last, choices=tuple(choices))
        return True

    def _read_text(self, text: str, opener: Token) -> None:
        """Read a heading or a paragraph, which may begin with a bold line as a heading."""
        is_heading = opener.type == "heading_open"
        lines = text.split("\n")
        bold = _BOLD.fullmatch(lines[0].strip())
        section: Section | None = None
        if bold:
            section = _read_head(bold["text"], is_exact=False)
        elif is_heading:
            section = _read_head(lines[0], is_exact=opener.markup == "##")
        if section:
            self._add(section)
        elif is_heading:
            self.owner = None  # a heading of prose: the text after it belongs to it
        for line in lines[1:] if section or is_heading else lines:
            self._read_detail(line)

    def _read_detail(self, line: str) -> None:
        """Read a line below an action: its dependencies, its attributes, or prose."""
        detail = _DETAIL.fullmatch(line)
        action = self.owner
        if detail is None or action is None:
            self.has_prose = True
            return
        matches = _ITEM.finditer(detail["values"])
        items = [_code_or_bare(match, "code") for match in matches]
        if detail["name"].lower() != "with":
            self._change(action, dependencies=(*action.dependencies, *items))
            return
        attributes = list(action.attributes)
        for item in items:
            key, equals, value = item.partition("=")
            if equals:
                attributes.append((key, value))
        self._change(action, attributes=tuple(attributes))

    def _add_content(self, fence: Token) -> None:
        """Add the content of a fence to the action before it."""
        action = self.owner
        if action is None:
            return
        start, end = fence.map or (0, 0)
        last = self.lines[end - 1].strip()
        is_fence = last.startswith(fence.markup) and not last.strip(fence.markup[0])
        is_closed = is_fence and end - start > 1
        verbs = load_dialect("v2").verbs
        # After prose, a fence below a command is usually its output.
        is_output = self.has_prose and action.type in verbs["running"]
        is_expected = action.content is None and not is_output
        if self.is_wrapped and not is_closed and not fence.info:
            needs_none = action.type in verbs["running"] + verbs["removing"]
            if needs_none or not is_expected or not fence.content.strip():
                return  # it closes the fence around the reply
        if is_expected:
            self._change(action, **self._content_of(fence, is_closed=is_closed))
        elif action.content is not None and action.completeness is Completeness.COMPLETE:
            self._change(action, completeness=Completeness.SUSPECT)

    def _content_of(self, fence: Token, *, is_closed: bool) -> dict[str, Any]:
        """Return the content of a fence, and its completeness."""
        start, end = fence.map or (0, 0)
        content = fence.content
        if not fence.level and self.lines[start].startswith(fence.markup):
            # The parser changes line endings: take the original lines.
            content = "".join(self.lines[start + 1 : end - is_closed])
        completeness = Completeness.COMPLETE
        if not is_closed:
            completeness = Completeness.UNTERMINATED
            if not "".join(self.lines[end:]).strip():
                completeness = Completeness.TRUNCATED
                content = _HALF_FENCE.sub("", content)
        return {"content": _LINE_ENDING.sub("", content), "completeness": completeness}


def _end_of(tokens: list[Token], start: int) -> int:
    """Return the index after the token that closes the block of a token."""
    end = start + 1
    level = tokens[start].level
    while tokens[end].level != level or tokens[end].nesting >= 0:
        end += 1
    return end + 1


def _read_vitals(tokens: list[Token]) -> Vitals | None:
    """Read a list whose items are all vitals; None for any other list."""
    values = []
    for token in tokens:
        if token.type == "inline":
            vital = _VITAL.fullmatch(token.content.strip())
            if vital is None:
                return None
            try:
                value = float(vital["value"])
            except ValueError:
                return None
            values.append((vital["name"].lower(), value))
    if values:
        return Vitals(tuple(values))
    return None


def _read_head(text: str, *, is_exact: bool) -> Section | None:
    """Read the heading of an action, a question or an error; None for any other.

    A heading in the exact form that `encode` writes may have any verb. Others must have one of the
    protocol.
    """
    verbs = load_dialect("v2").verbs
    exact = _ACTION.fullmatch(text) if is_exact else None
    if exact:
        return _action(exact["verb"], exact)
    similar = _SIMILAR_ACTION.fullmatch(text)
    if similar:
        verb = similar["verb"].lower()
        is_change = verb in verbs["writing"] + verbs["removing"]
        if is_change or (similar["path"] and verb in verbs["running"]):
            return _action(verb, similar)
    question = _QUESTION.fullmatch(text)
    if question:
        return Question(_free_text(question["text"]))
    error = _ERROR.fullmatch(text)
    if error:
        kind = _code_or_bare(error, "type")
        target = _code_text(error["target"]) if error["target"] else None
        message = _free_text(error["message"]) if error["message"] else None
        return ErrorNote(kind, target, message)
    return None


def _action(verb: str, heading: re.Match[str]) -> Action:
    path = _code_or_bare(heading, "path")
    number = int(heading["number"]) if heading["number"] else None
    return Action(verb, path, number=number)
