"""Markdown as chat models write it: headings for actions, fences for contents, quotes for thoughts.

    > I need a store first.                     a thought; lines that follow one another are several

    - confidence: 0.88                          vitals

    ## create `src/a.py`                        an action; with a number, `## 3. create …`

    Depends on: `b.py`, `c.py`                  and below it `With: `key=value`` for attributes

    ```                                         its content, in a fence longer than any inside
    x = 1
    ```

    ## Question: Which one?                     and a numbered list of choices

    ## Error: `Timeout` in `job.py`: after 3 s

All other paragraphs are prose. Texts are read as they are written, without emphasis, escapes or entities.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from ...core.document import VITAL_NAMES, Action, Completeness, Document, ErrorNote, Question, Section, Thought, Vitals
from ...core.grammar.loading import load_dialect
from ...core.ground.errors import RenderError
from ..measuring.statistics import load_library
from . import EXTRA, Baseline
from .sections import said

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_CLOSING_HASH = re.compile(r"#\Z")
_TICKS, _QUOTE = "`", '"'
_FAULTS = {"\n": "line break", "\r": "line break", "\0": "NUL"}


def encode(document: Document) -> str:
    """Write a document as Markdown, and read it back before it is given.

    Raises `RenderError`, with the field, for what Markdown cannot say (a content that ends with a carriage return, a
    path with a line break), and `SymOpsError` if markdown-it-py is not installed.
    """
    sections = said(document)
    text = _write(sections)
    if decode(text).sections == tuple(sections):
        return text
    for number, section in enumerate(sections, 1):
        if decode(_write([section])).sections != (section,):
            reason, line = _explain(section)
            raise RenderError(f"Markdown cannot say section {number}: {reason}", line)
    raise RenderError("Markdown cannot say the document: beside its neighbours a section would be read differently")


def _write(sections: list[Section]) -> str:
    pieces: list[str] = []
    bullet = "*"
    for above, section in zip([None, *sections], sections, strict=False):
        if isinstance(section, Vitals):
            # A list goes on over blank lines; another bullet begins another one.
            bullet = "*" if isinstance(above, Vitals) and bullet == "-" else "-"
        if above is not None and not (isinstance(above, Thought) and isinstance(section, Thought)):
            pieces.append("\n")
        pieces.append(_write_section(section, bullet))
    return "".join(pieces)


def _write_section(section: Section, bullet: str) -> str:
    match section:
        case Thought():
            return f"> {section.text}\n"
        case Vitals():
            return "".join(f"{bullet} {name}: {value!r}\n" for name, value in section.items())
        case Action():
            return _write_action(section)
        case Question():
            items = enumerate(section.choices, 1)
            choices = "".join(f"{number}. {choice}".rstrip(" ") + "\n" for number, choice in items)
            return f"## Question: {_free(section.text)}\n" + (f"\n{choices}" if choices else "")
        case ErrorNote():
            target = f" in {_code(section.target)}" if section.target is not None else ""
            message = f": {_free(section.message)}" if section.message is not None else ""
            return f"## Error: {_code(section.type)}{target}{message}\n"
        case _:
            raise RenderError(f"Markdown cannot say a {type(section).__name__}")


def _write_action(action: Action) -> str:
    number = f"{action.number}. " if action.number is not None else ""
    parts = [f"## {number}{action.type} {_code(action.path)}\n"]
    if action.dependencies:
        parts.append(f"Depends on: {', '.join(map(_code, action.dependencies))}\n")
    if action.attributes:
        parts.append(f"With: {', '.join(_code(f'{key}={value}') for key, value in action.attributes)}\n")
    if action.content is not None:
        fence = _TICKS * max(3, _longest_run(action.content) + 1)
        # The newline that ends the last line of a content belongs to the closing fence; the empty one has no line.
        parts.append(f"{fence}\n{action.content}" + ("\n" if action.content else "") + f"{fence}\n")
    return "\n".join(parts)


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)


def _code(text: str) -> str:
    """Write a text as a code span, which keeps it as it is."""
    ticks = _TICKS * (_longest_run(text) + 1)
    pad = " " if text[:1] in ("`", " ") or text[-1:] in ("`", " ") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def _free(text: str) -> str:
    """Write a text at the end of a heading: in quotes if Markdown would take away something of it."""
    quoted = text.startswith(_QUOTE) and text.endswith(_QUOTE)
    if quoted or not text or text != text.strip() or _CLOSING_HASH.search(text):
        return f"{_QUOTE}{text}{_QUOTE}"
    return text


def _explain(section: Section) -> tuple[str, int | None]:
    """Return the field of a section that Markdown cannot say, and the line of the content if it is its fault."""
    for field in fields(section):
        value = getattr(section, field.name)
        for text in value if isinstance(value, tuple) else (value,):
            if not isinstance(text, str):
                continue
            if field.name == "content":
                if text.endswith("\r"):
                    return "its content ends with a carriage return", len(text.split("\n"))
            elif fault := next((reason for character, reason in _FAULTS.items() if character in text), None):
                return f"its {field.name} has a {fault}", None
            elif isinstance(section, Thought | Question) and text != text.strip(" \t"):
                return f"its {field.name} begins or ends with a blank", None
    return "it would be read differently", None


_SPAN = r"(?P<{0}_ticks>`+)(?!`)(?P<{0}>.+?)(?<!`)(?P={0}_ticks)(?!`)"
_PATH = _SPAN.format("path")
_ACTION = re.compile(rf"(?:(?P<number>[0-9]{{1,9}})\. )?(?P<verb>[a-z][a-z0-9_-]*) {_PATH}")
_NEARLY = re.compile(
    rf"(?:(?:action|step)\b[ ]*)?(?:(?P<number>[0-9]{{1,9}})[ ]*)?[.):]?[ ]*"
    rf"(?P<verb>[a-z]+)[ ]*:?[ ]+(?:{_PATH}|(?P<bare>[^\s`]*[./][^\s`]*\w))[ ]*:?",
    re.IGNORECASE,
)
_BOLD = re.compile(r"(\*\*|__)(?P<text>.+?)\1:?")
_QUESTION = re.compile(r"question:[ ]+(?P<text>.+)", re.IGNORECASE)
_ERROR = re.compile(
    rf"error:[ ]+(?:{_SPAN.format('type')}|(?P<bare>[^\s`:]+))(?: in {_SPAN.format('target')})?"
    rf"(?:[:][ ]+(?P<message>.+))?",
    re.IGNORECASE,
)
_DETAIL = re.compile(r"\W*(?P<name>depends[ ]on|dependencies|with)\W*:[*_]*[ ]*(?P<rest>.*)", re.IGNORECASE)
_ITEM = re.compile(rf"{_SPAN.format('code')}|(?P<bare>[^\s`,]+)(?=,|\Z)")
_VITAL = re.compile(
    rf"[*_`]*(?P<name>{'|'.join(VITAL_NAMES.values())})[*_`]*:[*_`]*[ ]*(?P<value>[0-9.]+(?:e-?[0-9]+)?)", re.IGNORECASE
)
_QUOTED_LINE = re.compile(r"[ \t]*>[ ]?(?P<text>.*)")
_CHOICE = re.compile(r"[ \t]*[0-9]+[.)][ \t]?(?P<text>.*)")
_BLOCK_BEGIN = re.compile(r"\s*(?:#|\*\*|`{3}|~{3})")  # of a heading or a fence
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_FENCE_LINE = re.compile(r" {0,3}`{3,}[^`]*")
_VITAL_LINE = re.compile(r"[-*] (\w+: [0-9]+\.[0-9]+?)0*")
_WRAPPER = re.compile(r"[ ]{0,3}(?:`{3,}|~{3,})[ \t]*(?P<language>markdown|md)?[ \t]*", re.IGNORECASE)


def parse(text: str) -> Document | None:
    """Read a reply of which nothing is left over, so that it is written again as it was; None for any other."""
    document = decode(text)
    try:
        return document if _shape(encode(document)) == _shape(text) else None
    except RenderError:
        return None


def _shape(text: str) -> list[str]:
    """Return the lines of a text, without what changes nothing: blank ones, words behind fences, zeros of vitals."""
    lines = (_FENCE_LINE.sub("```", line.rstrip()) for line in text.split("\n"))
    return [_VITAL_LINE.sub(r"- \1", line) for line in lines if line]


def decode(text: str) -> Document:
    """Read the sections of a reply in Markdown; paragraphs and headings that are none of them are passed over.

    An action is `TRUNCATED` if the fence of its content is open at the end of the text, `UNTERMINATED` if what it
    stands in ends before its fence, and `SUSPECT` if a second fence follows it, as when a fence in a content closes it.
    Raises only `SymOpsError`, if markdown-it-py is not installed.
    """
    lines = _LINE.findall(text)
    body = _unwrap(lines)
    return Document(tuple(_Reader(lines if body is None else body, body is not None).read()))


def _unwrap(lines: list[str]) -> list[str] | None:
    """Return what is behind the fence that the whole reply stands in, or None if it stands in none.

    Only the opening fence is looked for: which one closes it is known when the others have found their partners.
    """
    for number, line in enumerate(lines):
        wrapper = _WRAPPER.fullmatch(line.rstrip("\r\n"))
        if wrapper and (wrapper["language"] or not "".join(lines[:number]).strip()):
            return lines[number + 1 :]
        if _BLOCK_BEGIN.match(line):
            return None
    return None


@cache
def _parser() -> MarkdownIt:
    """Return a parser of blocks only, for which indented text is no code and HTML is text."""
    parser: MarkdownIt = (
        load_library("markdown_it", EXTRA).MarkdownIt("commonmark").disable(["html_block", "reference", "code"])
    )
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def _code_text(text: str) -> str:
    padded = len(text) > 2 and text[0] == text[-1] == " " and text.strip(" ")
    return text[1:-1] if padded else text


def _free_text(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text.startswith(_QUOTE) and text.endswith(_QUOTE) else text


@dataclass
class _Reader:
    """Reads the blocks of a text in order; `owner` is the last section, if a fence may belong to it."""

    lines: list[str]
    wrapped: bool
    owner: Action | None = None
    prose: bool = False  # between that action and here

    def read(self) -> list[Section]:
        """Return the sections."""
        self.sections: list[Section] = []
        tokens = _parser().parse("".join(self.lines))
        at = 0
        while at < len(tokens):
            at = self._read_block(tokens, at)
        return self.sections

    def _read_block(self, tokens: list[Token], at: int) -> int:
        """Read the block that a token begins; give the index of the token to go on with."""
        token = tokens[at]
        match token.type:
            case "blockquote_open":
                self._add_thoughts(token)
                return _end_of(tokens, at)
            case "bullet_list_open" if vitals := _read_vitals(tokens[at : (end := _end_of(tokens, at))]):
                self._add(vitals)
                return end
            case "ordered_list_open" if self._add_choices(tokens[at : (end := _end_of(tokens, at))]):
                return end
            case "fence":
                self._add_content(token)
            case "inline":
                opener = tokens[at - 1]
                exact = opener.type == "heading_open" and opener.markup == "##"
                self._read_text(token.content, exact, exact or opener.type == "heading_open")
        return at + 1

    def _add(self, section: Section) -> None:
        self.sections.append(section)
        self.owner = section if isinstance(section, Action) else None
        self.prose = False

    def _change(self, action: Action, **changes: Any) -> None:
        self.sections[-1] = self.owner = replace(action, **changes)

    def _add_thoughts(self, quote: Token) -> None:
        start, end = quote.map or (0, 0)
        for line in self.lines[start:end]:
            found = _QUOTED_LINE.match(line)
            text = found["text"].rstrip(" \t\r\n") if found else line.strip()
            if text:
                self._add(Thought(text))

    def _add_choices(self, tokens: list[Token]) -> bool:
        last = self.sections[-1] if self.sections else None
        if not isinstance(last, Question) or last.choices or tokens[0].level:
            return False
        items = [t.map for t in tokens if t.type == "list_item_open" and t.level == 1 and t.map]
        found = (_CHOICE.match(self.lines[start]) for start, _ in items)
        self.sections[-1] = replace(last, choices=tuple(f["text"].rstrip(" \t\r\n") for f in found if f))
        return True

    def _read_text(self, text: str, exact: bool, heading: bool) -> None:
        first, *others = text.split("\n")
        bold = _BOLD.fullmatch(first.strip())
        if (heading or bold) and (section := _read_head(bold["text"] if bold else first, exact and not bold)):
            self._add(section)
        elif heading:
            self.owner = None  # a heading of prose: what follows belongs to it
        else:
            others.insert(0, first)
        for line in others:
            self._read_detail(line)

    def _read_detail(self, line: str) -> None:
        """Read a line below an action: what it depends on, its attributes, or prose."""
        detail = _DETAIL.fullmatch(line)
        if detail is None or (action := self.owner) is None:
            self.prose = True
            return
        items = [_code_text(m["code"]) if m["code"] else m["bare"] for m in _ITEM.finditer(detail["rest"])]
        if detail["name"].lower() == "with":
            pairs = (item.partition("=") for item in items)
            attributes = tuple((key, value) for key, equals, value in pairs if equals)
            self._change(action, attributes=action.attributes + attributes)
        else:
            self._change(action, dependencies=action.dependencies + tuple(items))

    def _add_content(self, fence: Token) -> None:
        start, end = fence.map or (0, 0)
        last = self.lines[end - 1].strip() if end - start > 1 else ""
        closed = len(last) >= len(fence.markup) and not last.strip(fence.markup[0])
        if (action := self.owner) is None:
            return
        verbs = load_dialect("v2").verbs
        awaited = action.content is None and not (self.prose and action.type in verbs["running"])
        if self.wrapped and not closed and not fence.info:
            bare = action.type in verbs["running"] + verbs["removing"]
            if bare or not awaited or not fence.content.strip():
                return  # it closes the fence around the reply
        if not awaited:
            if action.content is not None and action.completeness is Completeness.COMPLETE:
                self._change(action, completeness=Completeness.SUSPECT)
            return
        content = fence.content
        if not fence.level and self.lines[start].startswith(fence.markup):
            content = "".join(self.lines[start + 1 : end - closed])  # with the line endings that it had
        completeness = Completeness.COMPLETE
        if not closed:
            cut = not "".join(self.lines[end:]).strip()
            completeness = Completeness.TRUNCATED if cut else Completeness.UNTERMINATED
            content = re.sub(r"(?<![^\r\n])(?:`+|~+)\Z", "", content) if cut else content  # half of the closing fence
        content = re.sub(r"(?:\r\n|\r|\n)\Z", "", content)
        self._change(action, content=content, completeness=completeness)


def _end_of(tokens: list[Token], at: int) -> int:
    """Return the index behind the token that closes what a token opens."""
    level = tokens[at].level
    return next(i for i in range(at + 1, len(tokens)) if tokens[i].level == level and tokens[i].nesting < 0) + 1


def _read_vitals(tokens: list[Token]) -> Vitals | None:
    """Read a list of which every item is a vital; None for another one."""
    found = [_VITAL.fullmatch(token.content.strip()) for token in tokens if token.type == "inline"]
    try:
        values = [(vital["name"].lower(), float(vital["value"])) for vital in found if vital]
    except ValueError:
        return None
    return Vitals(tuple(values)) if values and all(found) else None


def _read_head(text: str, exact: bool) -> Section | None:
    """Read a heading: of an action, a question or an error, or None.

    A heading exactly as `encode` writes it may have any verb; others must have one that the protocol names.
    """
    verbs = load_dialect("v2").verbs
    if exact and (found := _ACTION.fullmatch(text)):
        return Action(found["verb"], _code_text(found["path"]), **_number(found))
    if found := _NEARLY.fullmatch(text):
        verb = found["verb"].lower()
        changing = verb in verbs["writing"] + verbs["removing"]
        if changing or (found["path"] and verb in verbs["running"]):
            path = _code_text(found["path"]) if found["path"] else found["bare"]
            return Action(verb, path, **_number(found))
    if found := _QUESTION.fullmatch(text):
        return Question(_free_text(found["text"]))
    if found := _ERROR.fullmatch(text):
        kind = _code_text(found["type"]) if found["type"] else found["bare"]
        target = _code_text(found["target"]) if found["target"] else None
        message = _free_text(found["message"]) if found["message"] else None
        return ErrorNote(kind, target, message)
    return None


def _number(found: re.Match[str]) -> dict[str, Any]:
    return {"number": int(found["number"])} if found["number"] else {}


BASELINE = Baseline("markdown", encode, decode, parse)
