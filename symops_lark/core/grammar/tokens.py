"""Split a `.lark` file into tokens and definitions with their places, even if it is broken.

Lark stops at the first error, and its trees have no places. The checks of a grammar
(`lab/workbench/check`) need all errors and the place of each. The patterns are like those of
`lark.load_grammar.TERMINALS`, but a backslash has one meaning in them: so the time is linear.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

# The order matters: comments before regular expressions, closed strings before unclosed ones.
# `regex` is /ab*/i, and over several lines only with the flag x; `//` begins a comment.
_TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|\#[^\n]*)
    |(?P<regex>/(?!/)(?:\\.|[^/\\\n])*+/[imslux]*|/(?!/)(?:\\[\s\S]|[^/\\])*+/[imslu]*x[imslux]*)
    |(?P<string>"(?:\\.|[^"\\\n])*+"i?)
    |(?P<unclosed>["/][^\n]*)
    |(?P<directive>%\w+)
    |(?P<name>[A-Za-z_]\w*)
    |(?P<number>[+-]?\d+)
    |(?P<newline>\n)
    |(?P<blank>[ \t\r\f]+)
    |(?P<sign>->|\.\.|[()\[\]{}|:,.*+?~!])
    |(?P<other>.)""",
    re.VERBOSE,
)
_RULE = re.compile(r"_?[a-z][_a-z0-9]*")
_TERMINAL = re.compile(r"_?[A-Z][_A-Z0-9]*")
_HEAD_KINDS = ("sign", "name", "number")  # between the name and the colon of a definition
_WRAPPING = re.compile(r"[!?]{0,2}")  # `!` keeps all tokens, `?` gives way to an only child


@dataclass(frozen=True, slots=True)
class Word:
    """A token of a grammar.

    Attributes:
        kind: The name of a group of `_TOKEN`.
        text: The text of the token.
        start: The offset at which it begins.
    """

    kind: str
    text: str
    start: int

    def is_sign(self, signs: str) -> bool:
        """Return whether this is one of some signs of one character."""
        if self.kind != "sign":
            return False
        return len(self.text) == 1 and self.text in signs


@dataclass(frozen=True, slots=True)
class Definition:
    """The definition of a rule or a terminal.

    Attributes:
        name: The name.
        head: The tokens between the name and the colon: priority, parameters of a template.
        body: The tokens after the colon.
        modifiers: The signs before the name: `!`, `?`, or both.
    """

    name: Word
    head: tuple[Word, ...]
    body: tuple[Word, ...]
    modifiers: str = ""

    @property
    def is_terminal(self) -> bool:
        """Whether the name is in upper case."""
        return self.name.text.strip("_")[:1].isupper()

    @property
    def uses(self) -> list[Word]:
        """The rules and terminals that the body names.

        Parameters of a template and names of aliases are not among them.
        """
        parameters = {word.text for word in self.head if word.kind == "name"}
        names = []
        before = ""
        for word in self.body:
            is_alias = before == "->"
            if word.kind == "name" and word.text not in parameters and not is_alias:
                names.append(word)
            before = word.text
        return names


@dataclass(frozen=True, slots=True)
class Statements:
    """The parts of a grammar.

    Attributes:
        words: All tokens except blanks, line feeds and comments.
        definitions: The definitions, in the order of the file.
        directives: The lines that begin with a directive such as `%import`.
        other_lines: The lines that are neither, which are errors.
    """

    words: tuple[Word, ...]
    definitions: tuple[Definition, ...]
    directives: tuple[tuple[Word, ...], ...]
    other_lines: tuple[tuple[Word, ...], ...]


def is_name(text: str) -> bool:
    """Return whether Lark accepts a text as the name of a rule or a terminal."""
    return bool(_RULE.fullmatch(text) or _TERMINAL.fullmatch(text))


def split(text: str) -> Statements:
    """Return the parts of a grammar's text. Never raises."""
    lines = _join_alternatives(_split_lines(text))
    words = []
    definitions = []
    directives = []
    other_lines = []
    for line in lines:
        words += line
        definition = _read_definition(line)
        if definition:
            definitions.append(definition)
        elif line[0].kind == "directive":
            directives.append(tuple(line))
        else:
            other_lines.append(tuple(line))
    return Statements(tuple(words), tuple(definitions), tuple(directives), tuple(other_lines))


def _split_lines(text: str) -> list[list[Word]]:
    """Return the tokens of each line that is not blank."""
    lines: list[list[Word]] = [[]]
    for match in _TOKEN.finditer(text):
        kind = str(match.lastgroup)
        if kind == "newline":
            lines.append([])
        elif kind not in ("blank", "comment"):
            lines[-1].append(Word(kind, match[0], match.start()))
    return [line for line in lines if line]


def _join_alternatives(lines: Sequence[list[Word]]) -> list[list[Word]]:
    """Return lines in which those that begin with `|` are joined to the line that they continue."""
    joined: list[list[Word]] = []
    for line in lines:
        if line[0].is_sign("|") and joined:
            joined[-1] += line
        else:
            joined.append(line)
    return joined


def _read_definition(line: Sequence[Word]) -> Definition | None:
    """Return the definition in a line; None if it is not one."""
    name_index = 0
    while name_index < len(line) and line[name_index].is_sign("!?"):
        name_index += 1
    signs = [word.text for word in line[:name_index]]
    modifiers = "".join(signs)
    if name_index >= len(line) or line[name_index].kind != "name":
        return None
    colon = name_index + 1
    while colon < len(line) and not line[colon].is_sign(":"):
        colon += 1
    if colon >= len(line):
        return None
    if not _WRAPPING.fullmatch(modifiers):
        return None
    name = line[name_index]
    head = line[name_index + 1 : colon]
    body = line[colon + 1 :]
    for word in head:
        if word.kind not in _HEAD_KINDS:
            return None
    if head and not head[0].is_sign(".{"):
        return None
    return Definition(name, tuple(head), tuple(body), modifiers)
