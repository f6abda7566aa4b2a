"""What people read of a mistake: one table, which stands in the recovery grammar, above the rule that each mistake is.

    //! The opening delimiter is missing; the content begins here. | write `{open}` directly below the action line
    missing_opener.-4000: body_first

The recovery, the strict parser, the stream and the repair rules take their words from here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from ..ground import resources
from ..ground.errors import GrammarError
from ..text.diagnostics import Diagnostic, Severity
from ..text.source import Span
from .compiling.bounds import read_grammar
from .dialect import Dialect
from .loading import recovery_grammar

MISTAKE = 100  # from this price on a rule is a mistake; below it, a preference between equals
EARLY_CLOSE = "early-close"  # a content may go on behind its end
DRAFT_ACTION = "draft-action"  # what was read as an action may be none
LOST_ACTION = "lost-action"  # what was meant as an action is in no document, which lowers the confidence
UNREADABLE = "unreadable-section"  # lines that began a section and make none


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake by its diagnostic code: a sentence that says it, a hint how to write it right, and its price."""

    code: str
    sentence: str
    hint: str = ""
    price: int = 0

    def diagnose(self, span: Span, severity: Severity = Severity.WARNING, expected: tuple[str, ...] = ()) -> Diagnostic:
        """Return the diagnostic of the mistake at a place; its message is the sentence, as messages are written."""
        message = self.sentence[:1].lower() + self.sentence[1:].removesuffix(".")
        return Diagnostic(self.code, message, span, severity, expected, self.hint)


def load_mistakes(dialect: Dialect) -> Mapping[str, Mistake]:
    """Return the mistakes of a dialect's recovery grammar by code, in the marks of the dialect.

    A grammar that is not ours need not have words for its own mistakes, and takes over those for ours.
    """
    if dialect.frozen("mistakes") is not None:
        return _thaw(dialect)
    return _load(dialect, tuple(recovery_grammar(dialect).files))


@lru_cache(maxsize=32)
def _thaw(dialect: Dialect) -> Mapping[str, Mistake]:
    return {code: Mistake(code, *row) for code, row in dialect.frozen("mistakes").items()}


@lru_cache(maxsize=32)
def _load(dialect: Dialect, files: tuple[tuple[Path, str], ...]) -> Mapping[str, Mistake]:
    ours = resources.find_folder("grammars") / "v2_recovery.lark"
    known = dict(_read(((ours, ours.read_text(encoding="utf-8")),)))
    for code, mistake in _read(files).items():
        words = mistake if mistake.sentence else known.get(code, Mistake(code, code.replace("-", " ")))
        known[code] = replace(words, price=mistake.price)
    return {code: _fill(mistake, dialect.marks) for code, mistake in known.items()}


@lru_cache(maxsize=32)
def _read(files: tuple[tuple[Path, str], ...]) -> Mapping[str, Mistake]:
    """Return the mistakes of the first of some files, which may import the others."""
    return read_mistakes(*files[0])


def _fill(mistake: Mistake, marks: Mapping[str, str]) -> Mistake:
    """Put marks in place of `{name}`; the name stays where a dialect has no such mark, and so no such mistake."""
    sentence, hint = (
        re.sub(r"\{([a-z_]+)\}", lambda match: marks.get(match[1], match[1]), words)
        for words in (mistake.sentence, mistake.hint)
    )
    return replace(mistake, sentence=sentence, hint=hint)


_LONGEST_PRICE = 12
_RULE = re.compile(r"(?:%(?:override|extend)\s+)?[?!]*(_?[a-z][a-z0-9_]*)(?:\.(-?\d+))?\s*:")
_IMPORT = re.compile(r"%import\s+\.(\w+)(?:\.(\w+)\s*->\s*(\w+))?")


def read_mistakes(path: Path, text: str) -> dict[str, Mistake]:
    """Return the mistakes that a recovery grammar, and those that it imports, spell out; the placeholders stay.

    The sentence is empty where a mistake has none. Raises `GrammarError` if a sentence stands above no rule.
    """
    found: dict[str, Mistake] = {}
    words = ""
    for number, line in enumerate(text.split("\n"), 1):
        rule = _RULE.match(line)
        imported = _IMPORT.match(line)
        if line.startswith("//!"):
            words = f"{words} {line[3:].strip()}".strip()
            continue
        if words and not rule:
            raise GrammarError(f"{path}:{number}: a sentence stands above its mistake, and here is no rule: {words}")
        if rule and len(rule[2] or "") > _LONGEST_PRICE:
            raise GrammarError(f"{path}:{number}: the price of the rule {rule[1]} has too many digits")
        if rule and (words or -int(rule[2] or 0) >= MISTAKE):
            sentence, _, hint = (part.strip() for part in words.partition(" | "))
            code = mistake_name(rule[1])
            found[code] = Mistake(code, sentence, hint, -int(rule[2] or 0))
        elif imported:
            found |= _read_imported(path, *imported.groups())
        words = ""
    return found


def _read_imported(path: Path, name: str, rule: str | None, alias: str | None) -> dict[str, Mistake]:
    """Read the mistakes of a grammar beside another one, or an installed one."""
    beside = path.with_name(f"{name}.lark")
    file = beside if beside.is_file() else resources.find_folder("grammars") / f"{name}.lark"
    found = read_mistakes(file, read_grammar(file)) if file.is_file() else {}
    if rule and alias and mistake_name(rule) in found:
        code = mistake_name(alias)
        found[code] = replace(found[mistake_name(rule)], code=code)
    return found


def mistake_name(rule: str) -> str:
    """Return the diagnostic code of a rule: hyphens, and no prefix of an imported file."""
    return rule.rsplit("__", 1)[-1].strip("_").replace("_", "-")
