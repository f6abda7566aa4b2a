"""The words of a `.lark` file with their places, and its definitions: read from any text, also from a broken one.

Lark stops at the first mistake and forgets places when it has read a grammar; the checks need both. The patterns are
those of `lark.load_grammar.TERMINALS`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|\#[^\n]*)
    |(?P<regex>/(?!/)(?:\\/|\\\\|[^/\n])*?/[imslux]*|/(?!/)(?:\\/|\\\\|[^/])*?/[imslu]*x[imslux]*)
    |(?P<string>"(?:\\"|\\\\|[^"\n])*?"i?)
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
_WRAPPING = re.compile(r"[!?]{0,2}")


@dataclass(frozen=True, slots=True)
class Word:
    """A token of a grammar: `kind` is a group of the pattern, `start` an offset."""

    kind: str
    text: str
    start: int

    def is_sign(self, signs: str) -> bool:
        """Return whether this is one of the one-character signs."""
        return self.kind == "sign" and len(self.text) == 1 and self.text in signs


@dataclass(frozen=True, slots=True)
class Definition:
    """A rule or terminal: its name's place, what stands between name and colon, and the body's tokens."""

    name: Word
    head: tuple[Word, ...]  # priority, parameters of a template
    body: tuple[Word, ...]
    modifiers: str = ""

    @property
    def is_terminal(self) -> bool:
        """Whether the name is in upper case."""
        return self.name.text.strip("_")[:1].isupper()

    @property
    def uses(self) -> list[Word]:
        """The names in the body, but for the parameters of a template and the names of aliases."""
        own = {word.text for word in self.head if word.kind == "name"}
        aliases = {
            b.start for a, b in zip(self.body, self.body[1:], strict=False) if a.text == "->"
        }
        return [
            w
            for w in self.body
            if w.kind == "name" and w.text not in own and w.start not in aliases
        ]


@dataclass(frozen=True, slots=True)
class Statements:
    """A grammar's text in parts: definitions, directives with their words, and lines that are neither."""

    words: tuple[Word, ...]  # without blanks and comments
    definitions: tuple[Definition, ...]
    directives: tuple[tuple[Word, ...], ...]
    others: tuple[tuple[Word, ...], ...]


def is_name(text: str) -> bool:
    """Return whether Lark takes the word for the name of a rule or a terminal."""
    return bool(_RULE.fullmatch(text) or _TERMINAL.fullmatch(text))


def split(text: str) -> Statements:
    """Read a grammar's text; never raises."""
    words = [Word(str(m.lastgroup), m[0], m.start()) for m in _TOKEN.finditer(text)]
    lines: list[list[Word]] = [[]]
    for word in words:
        if word.kind == "newline":
            lines.append([])
        elif word.kind not in ("blank", "comment"):
            lines[-1].append(word)
    joined: list[list[Word]] = []
    for line in filter(None, lines):
        if line[0].is_sign("|") and joined:
            joined[-1] += line
        else:
            joined.append(line)
    definitions, directives, others = [], [], []
    for line in joined:
        found = _read_definition(line)
        if found:
            definitions.append(found)
        elif line[0].kind == "directive":
            directives.append(tuple(line))
        else:
            others.append(tuple(line))
    kept = tuple(word for line in joined for word in line)
    return Statements(kept, tuple(definitions), tuple(directives), tuple(others))


def _read_definition(line: list[Word]) -> Definition | None:
    at = 0
    while at < len(line) and line[at].is_sign("!?"):
        at += 1
    modifiers = "".join(word.text for word in line[:at])
    if at >= len(line) or line[at].kind != "name":
        return None
    colon = next((i for i in range(at + 1, len(line)) if line[i].is_sign(":")), None)
    if colon is None or not _WRAPPING.fullmatch(modifiers):
        return None
    head = tuple(line[at + 1 : colon])
    if any(word.kind not in ("sign", "name", "number") for word in head) or (
        head and not head[0].is_sign(".{")
    ):
        return None
    return Definition(line[at], head, tuple(line[colon + 1 :]), modifiers)
