"""Grammars made from grammars: base files included, definitions exchanged, and what follows from the marks made anew.

A dialect's file may begin with `%import .v2` (the whole file of that name, beside it or installed) and then change it:
`%override NAME: …` takes the place of a definition, `%extend NAME: …` adds alternatives. The result is one text that
stands on its own, so an override reaches everything that is built from it (Lark resolves terminals per file).

Some terminals follow from the marks: a content line is any line but a lone delimiter, a path holds no dependency mark.
`following` spells them for any marks, so that new marks need nothing but themselves.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from .errors import GrammarError

FENCES = range(4, 9)  # the lengths of a longer fence
_START = re.compile(
    r"(%override |%extend )?[?!]{0,2}(_?[A-Za-z][A-Za-z0-9_]*|_[0-9]\w*)(?:\{[^}]*\})?(?:\.-?\d+)?[ \t]*:(.*)"
)
_BASE = re.compile(r"%import[ \t]+\.(\w+)[ \t]*")


@dataclass(frozen=True, slots=True)
class Statement:
    """A definition with the lines that continue it, or a line that is none (`name` is empty); where it stands."""

    name: str
    lines: tuple[str, ...]
    path: Path
    line: int  # 1-based
    how: str = ""  # override, extend
    added: tuple[tuple[Path, int, int, str], ...] = ()  # what extends it: file, line, place among `lines`, as written
    written: str = ""  # its first line as it stands in the file, where that is another

    @property
    def body(self) -> str:
        """What stands behind the colon."""
        match = _START.match(self.lines[0])
        return "\n".join(((match[3] if match else ""), *self.lines[1:])).strip()


def flatten(path: Path, text: str, find: Callable[[Path, str], tuple[Path, str]]) -> tuple[Statement, ...]:
    """Give the statements of a grammar with its base files included; `find(path, name)` reads a base.

    Raises `GrammarError` for an override of what is not defined.
    """
    return tuple(_flatten(path, text, find, set(), []))


def _flatten(
    path: Path, text: str, find: Callable[[Path, str], tuple[Path, str]], seen: set[Path], statements: list[Statement]
) -> list[Statement]:
    """Apply the statements of one file to those that stand already; a file that was read before is not read again."""
    seen.add(path)
    own: set[str] = set()
    for statement in _split(path, text):
        base = None if statement.name else _BASE.fullmatch(statement.lines[0])
        if base:
            try:
                other, other_text = find(path, base[1])
            except OSError:
                message = f"there is no grammar {base[1]!r} to build on, beside this file or installed"
                message += "; `symops grammar list` tells what is installed"
                drawn = f"\n{statement.line:>5} | {statement.lines[0]}"
                raise GrammarError(f"{path}:{statement.line}:1: {message}{drawn}") from None
            if other not in seen:
                statements = _flatten(other, other_text, find, seen, statements)
            continue
        before = read_marks(statements) if statement.name.startswith("_") else {}
        statements = _change(statements, statement) if statement.how else [*statements, statement]
        own.add(statement.name)
        if statement.name.startswith("_"):  # it may be a mark
            statements = _follow(statements, before, own)
    return statements


def _split(path: Path, text: str) -> list[Statement]:
    found: list[Statement] = []
    for number, line in enumerate(text.split("\n"), 1):
        match = _START.match(line)
        if match:
            found.append(Statement(match[2], (line,), path, number, (match[1] or "").strip("% ")))
        elif line[:1] in (" ", "\t") and line.strip() and found and found[-1].name:
            last = found[-1]
            found[-1] = Statement(last.name, (*last.lines, line), path, last.line, last.how)
        else:
            found.append(Statement("", (line,), path, number))
    while found and not found[-1].name and not found[-1].lines[0]:
        found.pop()
    return found


def _change(statements: list[Statement], change: Statement) -> list[Statement]:
    """Put an override in the place of a definition, or add alternatives to it."""
    places = [i for i, statement in enumerate(statements) if statement.name == change.name]
    if not places:
        message = f"{change.name} is not defined in what this file builds on, so it cannot be changed"
        if close := get_close_matches(change.name, {statement.name for statement in statements}, 1):
            message += f"; did you mean {close[0]}?"
        raise GrammarError(f"{change.path}:{change.line}:1: {message}\n{change.line:>5} | {change.lines[0]}")
    at = places[-1]
    old = statements[at]
    if change.how == "override":
        first = change.lines[0].removeprefix("%override ")
        new = Statement(change.name, (first, *change.lines[1:]), change.path, change.line, written=change.lines[0])
    else:
        place = len("\n".join(old.lines).split("\n"))
        added = (*old.added, (change.path, change.line, place, change.lines[0]))
        new = replace(old, lines=(*old.lines, "    | " + change.body), added=added)
    return [*statements[:at], new, *statements[at + 1 :]]


class Origin(NamedTuple):
    """Where a line of a grammar comes from: the file, the line there (1-based), and how it is written there."""

    path: Path
    line: int
    written: str


def join(statements: Sequence[Statement]) -> tuple[str, tuple[Origin, ...]]:
    """Give the text of the statements, and for each of its lines where it comes from."""
    lines: list[str] = []
    origins: list[Origin] = []
    for statement in statements:
        for number, line in enumerate("\n".join(statement.lines).split("\n")):
            path, first, begin, written = next(
                (a for a in reversed(statement.added) if a[2] <= number),
                (statement.path, statement.line, 0, statement.written),
            )
            lines.append(line)
            origins.append(Origin(path, first + number - begin, (number == begin and written) or line))
    return "\n".join(lines) + "\n", tuple(origins)


# ---- marks, and what follows from them

_LEADING = ("thought", "action", "vital", "confidence", "mood", "focus", "stamina", "question", "error")
_INNER = ("target", "depends", "comma")


def find_mark_faults(marks: Mapping[str, str]) -> list[str]:
    """Say what is wrong with marks: sentences; none where all sections can be told apart."""
    faults = [
        f"_{name.upper()} is {mark!r}: a mark has no blanks, line breaks, quotes or backslashes, and is not empty"
        for name, mark in marks.items()
        if not mark or re.search(r"[\s\"\\]", mark)
    ]
    leading = [(name, marks[name]) for name in _LEADING if name in marks]
    for place, (name, mark) in enumerate(leading):
        for other, other_mark in leading[place + 1 :]:
            if {name, other} != {"action", "vital"} and (mark.startswith(other_mark) or other_mark.startswith(mark)):
                faults.append(
                    f"_{name.upper()} {mark!r} and _{other.upper()} {other_mark!r} begin alike: no line "
                    "tells the two sections apart"
                )
        for delimiter in (key for key in marks if key.startswith(("open", "close", "end_close"))):
            if marks[delimiter] == mark:
                faults.append(f"_{name.upper()} and _{delimiter.upper()} are both {mark!r}")
            elif name == "action" and marks[delimiter].startswith(mark):
                faults.append(f"_{delimiter.upper()} {marks[delimiter]!r} begins with _ACTION {mark!r}")
    inner = [(name, marks[name]) for name in _INNER if name in marks and marks[name] not in [m for _, m in leading]]
    tagged = {"target", "depends"} if "confidence" in marks else set()  # plain: they have lines of their own
    for name, mark in inner:
        if name not in tagged and re.match(r"[\w./\\~'`*-]", mark):
            faults.append(f"_{name.upper()} {mark!r} begins with a character that paths have")
    for place, (name, mark) in enumerate(inner):
        for other, other_mark in inner[place + 1 :]:
            apart = tagged >= {name, other} and not mark.startswith(other_mark) and not other_mark.startswith(mark)
            if mark[:1] == other_mark[:1] and not apart:
                faults.append(f"_{name.upper()} {mark!r} and _{other.upper()} {other_mark!r} begin alike")
    if re.search(r"[0-9]", marks.get("vital", "")):
        faults.append(f"_VITAL {marks['vital']!r} has a digit: a value could not be told from it")
    return faults


def read_marks(statements: Iterable[Statement]) -> dict[str, str]:
    """Give the marks: terminals with a leading underscore that are one string, by lower-case name without it."""
    marks = {}
    for statement in statements:
        body = statement.body
        if statement.name.startswith("_") and re.fullmatch(r'"(?:[^"\\\n]|\\.)*"', body):
            try:
                marks[statement.name[1:].lower()] = str(ast.literal_eval(body))
            except (ValueError, SyntaxError):
                continue  # Lark says what is wrong with it
    return marks


def set_marks(statements: Sequence[Statement], changes: Mapping[str, str]) -> list[Statement]:
    """Exchange definitions (by name, the text behind the colon); what follows from the marks follows."""
    found = list(statements)
    before = read_marks(found)
    for name, body in changes.items():
        first = next((s for s in found if s.name == name), None)
        path = first.path if first else Path()
        found = _change(found, Statement(name, (f"{name}: {body}",), path, first.line if first else 1, "override"))
    return _follow(found, before, set(changes))


def _follow(statements: list[Statement], before: Mapping[str, str], own: set[str]) -> list[Statement]:
    """Respell the terminals that follow from marks that have changed, where they were spelt by `following`."""
    after = read_marks(statements)
    if after == before:
        return statements
    old, new = following(before), following(after)
    out = []
    for statement in statements:
        name = statement.name
        if name in new and name not in own and statement.body == old.get(name, new[name]):
            lines = tuple(f"{name}: {new[name]}".split("\n"))
            statement = replace(statement, lines=lines, added=(), written="")
        out.append(statement)
    return out


_BLANKS = r" \t\r\n"
_INVISIBLE = r"\u00ad\u200b-\u200f\u2060\ufeff"
_TYPOGRAPHIC = r"\u00a0\u00ad\u200b-\u200f\u2060\u3000\ufeff‘’“”«»‹›→⇒➜＞＠"
_QUOTES = "\"'`*「」『』【】"


def following(marks: Mapping[str, str]) -> dict[str, str]:
    """Give the terminals that follow from marks, as a grammar spells them."""
    if not {"target", "depends", "open", "close"} <= marks.keys():
        return {}
    # Where each part of an action has a line of its own, its mark may stand in a path; errors have another mark then.
    target = marks.get("at", marks["target"])[:1]
    depends = "<>" if "at" in marks else "<>" + marks["depends"][:1]
    comma = marks.get("comma", "")[:1]
    at = _class(target)
    inside = _class(depends)
    # A delimiter at the end of an action line is a mistake, not a part of the path.
    behind = re.sub(r"[\w./\\~)\]}-]", "", marks["open"][-1:] + marks["close"][-1:])
    first, last = _class(depends + _QUOTES), _class(depends + _QUOTES + ":;,=" + behind)
    item, item_inside = _class(depends + comma + _QUOTES), _class(depends + comma)
    lone = {marks[name] for name in ("open", "close", "end_close") if name in marks}
    # The full-width forms of the marks are misspelt marks, not parts of a path.
    wide = [chr(ord(c) + 0xFEE0) for c in target + depends[2:] if 33 <= ord(c) < 127]
    odd = _TYPOGRAPHIC + "".join(c for c in wide if c not in _TYPOGRAPHIC)
    found = {
        "_CONTENT_LINE": lines_except(lone),
        "WORD": f"/[^{_BLANKS}{at}]+/",
        "MESSAGE": rf"/[^{_BLANKS}{at}]([^\r\n]*[^{_BLANKS}])?/",
        "COMMAND": rf"/[^{_BLANKS}`*{at}{_INVISIBLE}]([^\r\n{_INVISIBLE}]*[^{_BLANKS}{_INVISIBLE}])?/",
        "PATH": rf"/[^{_BLANKS}{at}{first}{odd}]([^\r\n{inside}{odd}]*"
        rf"[^{_BLANKS}{last}{odd}-])?/",
        "DEPENDENCY": rf"/[^{_BLANKS}{at}{item}{odd}]([^\r\n{item_inside}{odd}]*"
        rf"[^{_BLANKS}{last}{odd}-])?/",
        "LINE": lines_not_beginning({mark for name, mark in marks.items() if name not in ("comma", "dot", "at")}),
    }
    for length in FENCES:
        opener, closer = (lengthen(marks[name], length) for name in ("open", "close"))
        found[f"_OPEN_{length}"] = _quote(opener)
        found[f"_CLOSE_{length}"] = _quote(closer)
        found[f"_CONTENT_LINE_{length}"] = lines_except({opener, closer})
    return found


def lengthen(mark: str, length: int) -> str:
    """Make a delimiter of a longer fence: the last character once more for each step above three."""
    return mark + mark[-1] * (length - 3)


def _quote(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _class(characters: str) -> str:
    """Spell characters for the inside of a class in a grammar's regular expression, each once."""
    return "".join(("\\" + c if c in "\\]^-/[" else c) for c in dict.fromkeys(characters))


def _literal(character: str) -> str:
    return "\\" + character if character in r"\^$.|?*+()[]{}/" else character


class _Trie:
    def __init__(self) -> None:
        self.children: dict[str, _Trie] = {}
        self.end = False

    def add(self, word: str) -> None:
        node = self
        for character in word:
            node = node.children.setdefault(character, _Trie())
        node.end = True


def _trie(words: Iterable[str]) -> _Trie:
    root = _Trie()
    for word in sorted(words):
        root.add(word)
    return root


def lines_except(words: Iterable[str]) -> str:
    """Spell any line, with its newline, but the lines that are one of the words and blanks behind it."""

    def spell(node: _Trie) -> list[str]:
        others = _class("".join(sorted(node.children)))
        if node.end and not others:
            return [r"[ \t\r]*[^ \t\r\n][^\n]*\n"]
        rest = [r"\n", rf"[^\n{others}][^\n]*\n"]
        if node.end:
            rest = [r"[ \t\r]+[^ \t\r\n][^\n]*\n", rf"[^ \t\r\n{others}][^\n]*\n"]
        return rest + [_literal(c) + _group(spell(child)) for c, child in sorted(node.children.items())]

    return "/" + "|".join(spell(_trie(words))) + "/"


def lines_not_beginning(words: Iterable[str]) -> str:
    """Spell any line, with its newline, that begins neither with a blank nor with one of the words."""

    def spell(node: _Trie, first: bool) -> list[str]:
        others = _class("".join(sorted(node.children)))
        excluded = _BLANKS if first else r"\n"
        found = [rf"[^{excluded}{others}][^\n]*\n"]
        if not first:
            found.append(r"\n")
        return found + [
            _literal(c) + _group(spell(child, False)) for c, child in sorted(node.children.items()) if not child.end
        ]

    return "/" + "|".join(spell(_trie(words), True)) + "/"


def _group(alternatives: list[str]) -> str:
    return "(" + "|".join(alternatives) + ")"
