"""Read the table of mistakes: the message of each, and what readers of a reply do about it.

The table is in the recovery grammar. A comment above the rule of a mistake has a sentence, a hint
and tags:

    //! The closing delimiter is missing. | write `{close}` after the content | no-closer
    missing_closer.-7000: _open | _in

A mistake that only the strict parser finds has no rule, so its comment names it:

    //! tight-mark = A blank belongs after the mark. | the repair `tight-mark` writes it

Recovery, the strict parser, streams and repair rules read this table. So a mistake of a custom
grammar is treated as an installed one that has the same tags. A custom grammar may leave out words,
price or tags of an installed mistake: it inherits them, field by field.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from ..ground import resources
from ..ground.errors import GrammarError
from ..text.diagnostics import Diagnostic, Severity
from ..text.source import Span
from .compiling.bounds import read_grammar
from .dialect import UNSAID, Dialect
from .loading import recovery_grammar

# Rules with at least this price are mistakes. Lower prices only order equally good readings.
MISTAKE = 100

# ---- tags: what readers do about a mistake. The list is closed: code asks for each tag by name.
SUSPECT = "suspect"  # a line of a block with this mistake makes the action suspect
HEADS = "heads"  # the block has action lines: actions after it may be lines of its content
LEFT_OVER = "left-over"  # text right after a block: the block may have ended too early
NO_CLOSER = "no-closer"  # the block has no closing delimiter: it ends before this line
# Text between sections. After a block whose closing delimiter is misspelled, it makes the action
# suspect.
BETWEEN = "between"
STRAY_FENCE = "stray-fence"  # a fence outside sections: it may be around all of them
# A fence closes the block. It may also be a line of the content, or close an outer fence.
FENCE_CLOSER = "fence-closer"
TAGS = (SUSPECT, HEADS, LEFT_OVER, NO_CLOSER, BETWEEN, STRAY_FENCE, FENCE_CLOSER)

Tagged = Mapping[str, frozenset[str]]  # by tag, the codes of the mistakes that have it
_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")  # "{close}"
_Files = tuple[tuple[Path, str], ...]  # a grammar's path and text, then those that it may import
UNTAGGED: Tagged = {tag: frozenset() for tag in TAGS}


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake of a dialect.

    Attributes:
        code: The diagnostic code.
        sentence: The message, as a sentence with a capital letter and a full stop.
        hint: How to fix it; may be empty.
        price: The price of a reading that assumes it; 0 if none does.
        tags: What readers do about it (`TAGS`).
    """

    code: str
    sentence: str
    hint: str = ""
    price: int = 0
    tags: tuple[str, ...] = ()

    def diagnose(
        self, span: Span, severity: Severity = Severity.WARNING, expected: tuple[str, ...] = ()
    ) -> Diagnostic:
        """Return the diagnostic of this mistake.

        Args:
            span: Where the mistake is.
            severity: Its severity.
            expected: What would be valid there, as the strict parser lists it.
        """
        # Messages begin with a small letter and have no full stop.
        first = self.sentence[:1].lower()
        remainder = self.sentence[1:].removesuffix(".")
        message = first + remainder
        return Diagnostic(self.code, message, span, severity, expected, self.hint)


class _Table(NamedTuple):
    """The mistakes of one dialect, by code and by tag."""

    by_code: Mapping[str, Mistake]
    by_tag: Tagged


def load_mistakes(dialect: Dialect) -> Mapping[str, Mistake]:
    """Return the mistakes of a dialect's recovery grammar by code, in the marks of the dialect.

    Those of the installed v2 are included, for words and tags that a custom grammar leaves out.

    Raises:
        GrammarError: The recovery grammar is not valid.
    """
    return _load(dialect).by_code


def load_tagged(dialect: Dialect) -> Tagged:
    """Return the codes of a dialect's mistakes by tag; each tag has an entry.

    Raises:
        GrammarError: The recovery grammar is not valid.
    """
    return _load(dialect).by_tag


def _load(dialect: Dialect) -> _Table:
    if dialect.frozen("mistakes") is not None:
        return _thaw(dialect)
    grammar = recovery_grammar(dialect)
    return _load_files(dialect, tuple(grammar.files))


@lru_cache(maxsize=32)
def _thaw(dialect: Dialect) -> _Table:
    table = {}
    rows = dialect.frozen("mistakes")
    for code, (sentence, hint, price, tags) in rows.items():
        tags = tuple(tags)
        table[code] = Mistake(code, sentence, hint, price, tags)
    return _Table(table, _by_tag(table))


# The files are a part of the key: a custom grammar that was edited is read again.
@lru_cache(maxsize=32)
def _load_files(dialect: Dialect, files: _Files) -> _Table:
    folder = resources.find_folder("grammars")
    installed = folder / "v2_recovery.lark"
    text = installed.read_text(encoding="utf-8")
    files_of_v2 = ((installed, text),)
    entries = dict(_read(files_of_v2))
    custom = _read(files)
    for code, entry in custom.items():
        base = entries.get(code)
        entries[code] = entry.inherit(base)
    table = {}
    for code, entry in entries.items():
        table[code] = _finish(code, entry, dialect.marks)
    return _Table(table, _by_tag(table))


def _by_tag(table: Mapping[str, Mistake]) -> Tagged:
    tagged = {}
    for tag in TAGS:
        codes = [code for code, mistake in table.items() if tag in mistake.tags]
        tagged[tag] = frozenset(codes)
    return tagged


@lru_cache(maxsize=32)
def _read(files: _Files) -> Mapping[str, _Entry]:
    """Return the entries of the first file, which may import the others."""
    path, text = files[0]
    return _read_entries(path, text)


def _finish(code: str, entry: _Entry, marks: Mapping[str, str]) -> Mistake:
    """Return a mistake with marks in place of `{name}`.

    The name stays if the dialect has no such mark, because then it has no such mistake. A hint that
    needs marks of sections which the dialect does not have is left out.
    """

    def fill(words: str) -> str:
        filled = _PLACEHOLDER.sub(lambda match: marks.get(match[1], match[1]), words)
        return "" if UNSAID in filled else filled

    mistake = entry.to_mistake(code)
    sentence = mistake.sentence
    if not sentence:
        sentence = code.replace("-", " ")
    sentence = fill(sentence) or _PLACEHOLDER.sub(r"\1", sentence)
    hint = fill(mistake.hint)
    return replace(mistake, sentence=sentence, hint=hint)


# ---- how the table is read


class _Entry(NamedTuple):
    """A mistake as one grammar defines it: fields that it leaves out are empty or None."""

    sentence: str
    hint: str
    price: int | None
    tags: tuple[str, ...] | None

    def inherit(self, base: _Entry | None) -> _Entry:
        """Return this entry with the missing fields of the entry that it replaces."""
        if base is None:
            return self
        # A hint belongs to its sentence: they are inherited together.
        words = self if self.sentence else base
        price = self.price
        if price is None:
            price = base.price
        tags = self.tags
        if tags is None:
            tags = base.tags
        return _Entry(words.sentence, words.hint, price, tags)

    def to_mistake(self, code: str) -> Mistake:
        """Return the mistake; its words may be empty, and marks are still `{name}`."""
        price = self.price or 0
        tags = self.tags or ()
        return Mistake(code, self.sentence, self.hint, price, tags)


_Line = tuple[int, str]  # the number of a line, 1-based, and its text

# No price needs more digits, and `int` raises an error for some thousands of them.
_MAX_PRICE_DIGITS = 12
_MAX_EXCERPT = 200  # characters of a line in an error
_MAX_FIELDS = 3  # of a comment: sentence, hint, tags
# "missing_closer.-7000: _open" and "%override prose:", but not "WORD: /x/", which is a terminal.
_RULE = re.compile(r"(?:%(?:override|extend)\s+)?[?!]*(_?[a-z][a-z0-9_]*)(?:\.(-?\d+))?\s*:")
# "%import .v2_recovery", "%import .v2_recovery.prose -> my_prose".
_IMPORT = re.compile(r"%import\s+\.(\w+)(?:\.(\w+)\s*->\s*(\w+))?")
_NAMED = re.compile(r"//!\s*([a-z][a-z0-9-]*) = ")  # "//! tight-mark = A blank belongs …"
_BAR = re.compile(r"\s\|(?=\s|$)")  # between the fields of a comment


def read_mistakes(path: Path, text: str) -> dict[str, Mistake]:
    """Return the mistakes of a recovery grammar and of those that it imports.

    Args:
        path: Its file, for messages and imports.
        text: Its text.

    Returns:
        The mistakes by code. Sentences are empty where the grammar has none, and marks are still
        `{name}`.

    Raises:
        GrammarError: A sentence is above no rule, or a tag is unknown.
    """
    entries = _read_entries(path, text)
    mistakes = {}
    for code, entry in entries.items():
        mistakes[code] = entry.to_mistake(code)
    return mistakes


def _read_entries(
    path: Path, text: str, importers: frozenset[Path] = frozenset()
) -> dict[str, _Entry]:
    """Return the mistakes of a grammar, with those that it imports.

    Args:
        path: The grammar.
        text: Its text.
        importers: The grammars that it is imported from, from the first one on.
    """
    entries: dict[str, _Entry] = {}
    comment = []  # the lines of the comment right above
    # An empty line at the end shows a comment that has no rule below it.
    for number, line in enumerate((*text.split("\n"), ""), 1):
        name = _NAMED.match(line)
        if line.startswith("//!") and not name:
            comment.append((number, line))
            continue
        rule = _RULE.match(line)
        imported = _IMPORT.match(line)
        if comment and not rule:
            words = _join(comment)
            raise GrammarError(
                f"{path}:{number}: expected a rule right below the sentence of its mistake: {words}"
            )
        if rule:
            price = _read_price(path, number, rule)
            if comment or price >= MISTAKE:
                code = mistake_name(rule[1])
                entry = _read_comment(path, comment)
                entry = entry._replace(price=price)
                entries[code] = entry.inherit(entries.get(code))
        elif name:  # its price is that of another grammar's rule, if there is one
            code = name[1]
            entry = _read_comment(path, [(number, line)], name[0])
            entries[code] = entry.inherit(entries.get(code))
        elif imported:
            entries |= _read_imported(path, importers | {path}, *imported.groups())
        comment = []
    return entries


def _read_price(path: Path, number: int, rule: re.Match[str]) -> int:
    """Return the price of a rule, which Lark calls its priority and writes with a minus sign."""
    name = rule[1]
    digits = rule[2] or "0"
    if len(digits) > _MAX_PRICE_DIGITS:
        raise GrammarError(f"{path}:{number}: the price of the rule {name} has too many digits")
    return -int(digits)


def _join(comment: Sequence[_Line]) -> str:
    """Return the text of the lines of a comment, without `//!`."""
    lines = [line[3:].strip() for _, line in comment]
    text = " ".join(lines)
    return text.strip()


def _read_comment(path: Path, comment: Sequence[_Line], name: str = "") -> _Entry:
    """Return the fields of a comment: `Sentence. | hint | tag, tag`.

    `name` is the part of the line that names the mistake, if there is one.
    """
    words = _join(comment)
    words = words.removeprefix(name[3:].strip())
    fields = _BAR.split(words)
    count = len(fields)
    if count > _MAX_FIELDS:
        problem = f"got {count} fields (write no ` | ` within one)"
        raise _draw(path, comment[-1], "|", f"expected a sentence, a hint and tags, {problem}")
    hint = ""
    if count > 1:
        hint = fields[1].strip()
    tags = None
    if count == _MAX_FIELDS:
        tags = _read_tags(path, comment, fields[-1])
    sentence = fields[0].strip()
    return _Entry(sentence, hint, None, tags)


def _read_tags(path: Path, comment: Sequence[_Line], field: str) -> tuple[str, ...]:
    names = field.split(",")
    names = [name.strip() for name in names]
    tags = tuple([name for name in names if name])
    for tag in tags:
        if tag in TAGS:
            continue
        # The last line that has it: the tags are the last field.
        first_word = tag.split()[0]
        lines = [line for line in comment if first_word in line[1]]
        expected = ", ".join(TAGS)
        raise _draw(path, lines[-1], tag, f"unknown tag {tag[:40]!r}: expected {expected}")
    return tags


def _draw(path: Path, line: _Line, sign: str, message: str) -> GrammarError:
    """Return an error about a comment, with its line and a caret below the last place of a sign."""
    number, text = line
    first_word = sign.split()[0]
    column = text.rfind(first_word)
    column = max(0, column)
    left = 0
    if len(text) > _MAX_EXCERPT:
        left = max(0, column - _MAX_EXCERPT // 2)
    excerpt = text[left : left + _MAX_EXCERPT]
    caret = " " * (column - left) + "^"
    place = f"{path}:{number}:{column + 1}"
    hint = "write `//! Sentence. | hint | tag, tag`; the hint and the tags may be left out"
    return GrammarError(
        f"{place}: {message}\n{number:>5} | {excerpt}\n      | {caret}\n        hint: {hint}"
    )


def _read_imported(
    path: Path, importers: frozenset[Path], name: str, rule: str | None, alias: str | None
) -> dict[str, _Entry]:
    """Return the mistakes of an imported grammar, which is beside the file or installed."""
    file = path.with_name(f"{name}.lark")
    if not file.is_file():
        folder = resources.find_folder("grammars")
        file = folder / f"{name}.lark"
    # Lark reports a missing file, and a circle.
    if file in importers or not file.is_file():
        return {}
    text = read_grammar(file)
    entries = _read_entries(file, text, importers)
    if rule and alias:
        code = mistake_name(rule)
        new_code = mistake_name(alias)
        if code in entries:
            entries[new_code] = entries[code]
    return entries


def mistake_name(rule: str) -> str:
    """Return the diagnostic code of a rule: `file__missing_closer` gives `missing-closer`.

    Lark puts the name of a file and two underscores before the rules that it imports.
    """
    name = rule.rsplit("__", 1)[-1]
    name = name.strip("_")
    return name.replace("_", "-")
