"""The oracle: a second strict parser of v1 and v2, written by hand from grammars/README.md, line by line, without Lark.

It shares nothing with the package but the node classes. Where it and `parse` disagree, one of them is wrong. It only
answers yes (a document) or no (None): where and why is the parser's business.
"""

from __future__ import annotations

from dataclasses import dataclass

from symops_lark import Action, Document, ErrorNote, Question, Thought, Vitals

_BLANKS = " \t"
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_DIGITS = "0123456789"
_RUNNING = ("run", "test", "execute", "check", "verify")
_NAMES = {"c": "confidence", "m": "mood", "f": "focus", "s": "stamina"}
# A path is written bare: these are signs of quoting, emphasis, arrows and the like, which have repairs of their own.
_WRAPPERS = "\"'`*「」『』【】"
_INVISIBLE = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"
_NEVER_IN_PATHS = "<>→⇒➜＞＠‘’“”«»‹›\u00a0\u3000" + _INVISIBLE
_LOOSE_ENDS = ":;,=-"

Section = Thought | Vitals | Action | Question | ErrorNote


@dataclass(frozen=True)
class Marks:
    """The marks of one dialect, spelt once more: the oracle must not read them from the grammar."""

    thought: str
    vital: str
    action: str
    opener: str
    closer: str


DIALECTS = {"v1": Marks("~", "#", "$", "--", "--"), "v2": Marks(">>", "::", "::", "<<<", ">>>")}


class No(Exception):
    """The text is not in the dialect."""


def read(text: str, dialect: str) -> Document | None:
    """Give the document of a text, or None if the text is not in the dialect."""
    text = text.removeprefix("\ufeff")
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    try:
        return Document(tuple(_Reader(DIALECTS[dialect], lines).sections()), dialect)
    except No:
        return None


class _Reader:
    def __init__(self, marks: Marks, lines: list[str]) -> None:
        self.marks = marks
        self.lines = lines
        self.at = 0

    def sections(self) -> list[Section]:
        result: list[Section] = []
        while self.at < len(self.lines):
            line = self.lines[self.at].rstrip(" \t\r")
            self.at += 1
            if line:
                if "\r" in line:
                    raise No
                result.append(self.section(line))
        return result

    def section(self, line: str) -> Section:
        marks = self.marks
        if line.startswith(marks.vital) and _is_vital(line.removeprefix(marks.vital)):
            return self.vitals(line)
        if line.startswith(marks.action):
            return self.action(line.removeprefix(marks.action))
        if line.startswith(marks.thought):
            return Thought(_after_blank(line.removeprefix(marks.thought)))
        if line.startswith("?"):
            return self.question(line[1:])
        if line.startswith("!"):
            return _error(_after_blank(line[1:]))
        raise No

    def vitals(self, line: str) -> Vitals:
        values: dict[str, float] = {}
        for word in line.replace("\t", " ").split(" "):
            if not word:
                continue
            if not word.startswith(self.marks.vital):
                raise No
            word = word.removeprefix(self.marks.vital)
            complete, dot, part = word[1:].partition(".")
            if word[:1] not in _NAMES or not _all(complete, _DIGITS) or (dot and not _all(part, _DIGITS)):
                raise No
            values[_NAMES[word[0]]] = float(word[1:])
        return Vitals(tuple(values.items()))

    def question(self, rest: str) -> Question:
        text = _after_blank(rest)
        if len(text) > 1 and text[0] == text[-1] == '"':
            text = text[1:-1]
        choices = []
        while self.at < len(self.lines):
            line = self.lines[self.at].rstrip(" \t\r")
            bare = line.lstrip(_BLANKS)
            if not bare or bare == line:
                break
            number, dot, choice = bare.partition(".")
            if not dot or not _all(number, _DIGITS) or "\r" in line:
                raise No
            choices.append(_after_blank(choice) if choice else "")
            self.at += 1
        return Question(text, tuple(choices))

    def action(self, rest: str) -> Action:
        verb, target_mark, target = rest.partition("@")
        verb, target = verb.strip(_BLANKS), target.strip(_BLANKS)
        if not target_mark or not verb or verb[0] not in _LETTERS or not _all(verb, _LETTERS + _DIGITS + "_-"):
            raise No
        dependencies: tuple[str, ...] = ()
        if verb in _RUNNING:
            if not target or target[0] in "`*@" or _holds(target, _INVISIBLE):
                raise No
            path = target
        else:
            path, dependencies = _split_target(target)
        return Action(verb, path, self.content(), dependencies)

    def content(self) -> str | None:
        marks = self.marks
        if self.at == len(self.lines) or self.lines[self.at].rstrip(" \t\r") != marks.opener:
            return None
        for end in range(self.at + 1, len(self.lines)):
            bare = self.lines[end].rstrip(" \t\r")
            if bare == marks.closer:
                body = "\n".join(self.lines[self.at + 1 : end])
                self.at = end + 1
                return body.removesuffix("\r")
            if bare == marks.opener:
                break
        raise No


def _is_vital(word: str) -> bool:
    return word[:1] in ("c", "m", "f", "s") and _all(word[1:2], _DIGITS)


def _all(text: str, letters: str) -> bool:
    return bool(text) and all(letter in letters for letter in text)


def _holds(text: str, letters: str) -> bool:
    return any(letter in letters for letter in text)


def _after_blank(text: str) -> str:
    """What stands behind a mark and at least one blank."""
    if not text or text[0] not in _BLANKS:
        raise No
    return text.strip(_BLANKS)


def _split_target(target: str) -> tuple[str, tuple[str, ...]]:
    """Split `path > dependency, dependency`; a comma before the first `>` belongs to the path."""
    path, *remainder = target.split(">")
    names = [path, *(name for part in remainder for name in part.split(","))]
    names = [name.strip(_BLANKS) for name in names]
    for name in names:
        if not name or name[0] in "@" + _WRAPPERS or name[-1] in _WRAPPERS + _LOOSE_ENDS:
            raise No
        if _holds(name, _NEVER_IN_PATHS):
            raise No
    return names[0], tuple(names[1:])


def _error(rest: str) -> ErrorNote:
    """Read `Type`, `Type @ target`, each with a message behind it."""
    words = rest.replace("\t", " ")
    kind = words.split(" ")[0].split("@")[0]
    part = rest[len(kind) :]
    bare = part.lstrip(_BLANKS)
    target = None
    if not kind:
        raise No
    if bare.startswith("@"):
        bare = bare[1:].lstrip(_BLANKS)
        target = bare.replace("\t", " ").split(" ")[0].split("@")[0]
        part = bare[len(target) :]
        bare = part.lstrip(_BLANKS)
        if not target or bare.startswith("@"):
            raise No
    if not bare:
        return ErrorNote(kind, target)
    if bare == part:
        raise No
    return ErrorNote(kind, target, bare)
