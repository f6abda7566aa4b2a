"""The table of mistakes: what people read of each, and what readers do about it.

The table is in the recovery grammar. A comment above the rule of a mistake has a sentence, a hint and tags:

    //! The closing delimiter is missing; the block ends here. | write `{close}` after the content | no-closer
    missing_closer.-7000: _open | _in

A mistake that only the strict parser finds has no rule, so its comment names it:

    //! tight-mark = A blank belongs after the mark. | the repair `tight-mark` writes it

The recovery, the strict parser, the stream and the repair rules read this table. So a mistake of a custom grammar is
treated as the one of ours that has the same tags.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from ..ground import resources
from ..ground.errors import GrammarError
from ..text.diagnostics import Diagnostic, Severity
from ..text.source import Span
from .compiling.bounds import read_grammar
from .dialect import Dialect
from .loading import recovery_grammar

MISTAKE = 100  # from this price on a rule is a mistake; below it, a preference between equals

# ---- tags: what readers do about a mistake. The list is closed, because each tag is the key of code that asks for it.
SUSPECT = "suspect"  # a line of a block with this mistake makes the action suspect
HEADS = "heads"  # the block holds action lines: actions after it may be lines of its content
LEFT_OVER = "left-over"  # text right after a block: the block may have ended too early
NO_CLOSER = (
    "no-closer"  # nothing closes the block: it ends before this line, or at the end of the text
)
BETWEEN = "between"  # text between sections; after a block with a misspelt closer, it makes the action suspect
STRAY_FENCE = "stray-fence"  # a fence that belongs to no section: it may stand around all of them
FENCE_CLOSER = "fence-closer"  # a fence closes the block: it may be a line of the content, or end an outer fence
TAGS = (SUSPECT, HEADS, LEFT_OVER, NO_CLOSER, BETWEEN, STRAY_FENCE, FENCE_CLOSER)

Tagged = Mapping[str, frozenset[str]]
UNTAGGED: Tagged = {tag: frozenset() for tag in TAGS}


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake of a dialect.

    Attributes:
        code: The diagnostic code.
        sentence: The message, as a sentence.
        hint: How to write it right.
        price: What a reading costs that assumes it; 0 if none does.
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
        """Return the diagnostic of the mistake at a place; its message is the sentence, as messages are written."""
        message = self.sentence[:1].lower() + self.sentence[1:].removesuffix(".")
        return Diagnostic(self.code, message, span, severity, expected, self.hint)


def load_mistakes(dialect: Dialect) -> Mapping[str, Mistake]:
    """Return the mistakes of a dialect's recovery grammar by code, in the marks of the dialect.

    A custom grammar need not have words and tags for our mistakes: it inherits them.
    """
    if dialect.frozen("mistakes") is not None:
        return _thaw(dialect)
    return _load(dialect, tuple(recovery_grammar(dialect).files))


def load_tagged(dialect: Dialect) -> Tagged:
    """Return the codes of a dialect's mistakes by tag; every tag has an entry."""
    if dialect.frozen("mistakes") is not None:
        return _thaw_tagged(dialect)
    return _load_tagged(dialect, tuple(recovery_grammar(dialect).files))


@lru_cache(maxsize=32)
def _thaw(dialect: Dialect) -> Mapping[str, Mistake]:
    table: dict[str, Mistake] = {}
    for code, (sentence, hint, price, tags) in dialect.frozen("mistakes").items():
        table[code] = Mistake(code, sentence, hint, price, tuple(tags))
    return table


@lru_cache(maxsize=32)
def _thaw_tagged(dialect: Dialect) -> Tagged:
    return _by_tag(_thaw(dialect))


@lru_cache(maxsize=32)
def _load_tagged(dialect: Dialect, files: tuple[tuple[Path, str], ...]) -> Tagged:
    return _by_tag(_load(dialect, files))


def _by_tag(table: Mapping[str, Mistake]) -> Tagged:
    return {
        tag: frozenset([code for code, mistake in table.items() if tag in mistake.tags])
        for tag in TAGS
    }


@lru_cache(maxsize=32)
def _load(dialect: Dialect, files: tuple[tuple[Path, str], ...]) -> Mapping[str, Mistake]:
    ours = resources.find_folder("grammars") / "v2_recovery.lark"
    table = dict(_read(((ours, ours.read_text(encoding="utf-8")),)))
    for code, entry in _read(files).items():
        table[code] = entry.inherit(table.get(code))
    return {code: _finish(code, entry, dialect.marks) for code, entry in table.items()}


@lru_cache(maxsize=32)
def _read(files: tuple[tuple[Path, str], ...]) -> Mapping[str, _Entry]:
    """Return the entries of the first of some files, which may import the others."""
    return _read_entries(*files[0])


def _finish(code: str, entry: _Entry, marks: Mapping[str, str]) -> Mistake:
    """Return a mistake with marks in place of `{name}`.

    The name stays if the dialect has no such mark, and so no such mistake.
    """
    sentence, hint = (
        re.sub(r"\{([a-z_]+)\}", lambda match: marks.get(match[1], match[1]), words)
        for words in (entry.sentence or code.replace("-", " "), entry.hint)
    )
    return Mistake(code, sentence, hint, entry.price or 0, entry.tags or ())


# ---- how the table is read


class _Entry(NamedTuple):
    """What a grammar says of a mistake; its words are empty, and price and tags None, where it says nothing."""

    sentence: str
    hint: str
    price: int | None
    tags: tuple[str, ...] | None

    def inherit(self, base: _Entry | None) -> _Entry:
        """Return this entry with words, price and tags of the entry that it replaces, where it has none."""
        if base is None:
            return self
        words = self if self.sentence else base
        price = base.price if self.price is None else self.price
        tags = base.tags if self.tags is None else self.tags
        return _Entry(words.sentence, words.hint, price, tags)


_LONGEST_PRICE = 12  # digits
_SHOWN = 200  # characters of a line in an error
_FIELDS = 3  # of a comment: sentence, hint, tags
_RULE = re.compile(r"(?:%(?:override|extend)\s+)?[?!]*(_?[a-z][a-z0-9_]*)(?:\.(-?\d+))?\s*:")
_IMPORT = re.compile(r"%import\s+\.(\w+)(?:\.(\w+)\s*->\s*(\w+))?")
_NAMED = re.compile(
    r"//!\s*([a-z][a-z0-9-]*) = "
)  # "//! tight-mark = A blank belongs after the mark."
_BAR = re.compile(r"\s\|(?=\s|$)")  # between the fields of a comment


def read_mistakes(path: Path, text: str) -> dict[str, Mistake]:
    """Return the mistakes of a recovery grammar, and of those that it imports; the placeholders stay.

    The sentence is empty if a mistake has none.

    Raises:
        GrammarError: A sentence is above no rule, or a tag is unknown.
    """
    entries = _read_entries(path, text)
    return {
        code: Mistake(code, entry.sentence, entry.hint, entry.price or 0, entry.tags or ())
        for code, entry in entries.items()
    }


def _read_entries(path: Path, text: str) -> dict[str, _Entry]:
    entries: dict[str, _Entry] = {}
    comment: list[tuple[int, str]] = []  # its lines, with their numbers
    for number, line in enumerate((*text.split("\n"), ""), 1):
        named = _NAMED.match(line)
        if line.startswith("//!") and not named:
            comment.append((number, line))
            continue
        rule = _RULE.match(line)
        imported = _IMPORT.match(line)
        if comment and not rule:
            words = _join(comment)
            raise GrammarError(
                f"{path}:{number}: a sentence stands above its mistake, and here is no rule: {words}"
            )
        if rule and len(rule[2] or "") > _LONGEST_PRICE:
            raise GrammarError(
                f"{path}:{number}: the price of the rule {rule[1]} has too many digits"
            )
        if rule and (comment or -int(rule[2] or 0) >= MISTAKE):
            code = mistake_name(rule[1])
            entry = _read_comment(path, comment)._replace(price=-int(rule[2] or 0))
            entries[code] = entry.inherit(entries.get(code))
        elif named:  # it has the price of the rule that another grammar has for it, if there is one
            entry = _read_comment(path, [(number, line)], named[0])
            entries[named[1]] = entry.inherit(entries.get(named[1]))
        elif imported:
            entries |= _read_imported(path, *imported.groups())
        comment = []
    return entries


def _join(comment: Sequence[tuple[int, str]]) -> str:
    return " ".join([line[3:].strip() for _, line in comment]).strip()


def _read_comment(path: Path, comment: Sequence[tuple[int, str]], named: str = "") -> _Entry:
    """Return what the lines of a comment say, after its name if it has one: `Sentence. | hint | tag, tag`."""
    words = _join(comment).removeprefix(named[3:].strip())
    fields = _BAR.split(words)
    if len(fields) > _FIELDS:
        found = f"got {len(fields)} fields (write no ` | ` within one)"
        raise _draw(path, comment[-1], "|", f"expected a sentence, a hint and tags, {found}")
    tags = None if len(fields) < _FIELDS else _read_tags(path, comment, fields[-1])
    hint = fields[1].strip() if len(fields) > 1 else ""
    return _Entry(fields[0].strip(), hint, None, tags)


def _read_tags(path: Path, comment: Sequence[tuple[int, str]], field: str) -> tuple[str, ...]:
    tags = tuple([tag.strip() for tag in field.split(",") if tag.strip()])
    for tag in tags:
        if tag not in TAGS:
            line = next(line for line in reversed(comment) if tag.split()[0] in line[1])
            raise _draw(path, line, tag, f"unknown tag {tag[:40]!r}: expected {', '.join(TAGS)}")
    return tags


def _draw(path: Path, line: tuple[int, str], sign: str, message: str) -> GrammarError:
    """Return the error about a comment, with its line and a caret below the last place of a sign."""
    number, shown = line
    at = max(0, shown.rfind(sign.split()[0]))
    left = max(0, at - _SHOWN // 2) if len(shown) > _SHOWN else 0
    hint = "write `//! Sentence. | hint | tag, tag`; the hint and the tags may be left out"
    drawn = f"{number:>5} | {shown[left : left + _SHOWN]}\n      | {' ' * (at - left)}^\n        hint: {hint}"
    return GrammarError(f"{path}:{number}:{at + 1}: {message}\n{drawn}")


def _read_imported(path: Path, name: str, rule: str | None, alias: str | None) -> dict[str, _Entry]:
    """Read the mistakes of a grammar beside another one, or an installed one."""
    beside = path.with_name(f"{name}.lark")
    file = beside if beside.is_file() else resources.find_folder("grammars") / f"{name}.lark"
    entries = _read_entries(file, read_grammar(file)) if file.is_file() else {}
    if rule and alias and mistake_name(rule) in entries:
        entries[mistake_name(alias)] = entries[mistake_name(rule)]
    return entries


def mistake_name(rule: str) -> str:
    """Return the diagnostic code of a rule: hyphens, and no prefix of an imported file."""
    return rule.rsplit("__", 1)[-1].strip("_").replace("_", "-")
