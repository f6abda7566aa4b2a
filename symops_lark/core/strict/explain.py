"""Explain why a text does not parse strictly: what was read, what was expected, what would help.

The LALR parser reports an offset and the terminals that it expected. People think in marks and
lines, so the checks here run in this order, and the first that applies gives the diagnostic:

1. An action whose path must be an attribute has none: the action is reported, not the line below.
2. A block is never closed: its opener is reported, not the end of the text.
3. The line is a delimiter where none may be, or nearly a section's line (`_LINE_CHECKS`): the
   diagnostic names the repair rule.
4. The line is plain text, or has unexpected text at the offset.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from ..document import VITAL_NAMES
from ..grammar.codes import (
    CAPITAL_VERB,
    CODE_FENCE,
    DECORATED_PATH,
    INDENTED_MARK,
    MISSING_ACTION_MARK,
    MISSING_ALL_MARKS,
    MISSING_CLOSER,
    MISSING_PATH,
    MISSING_TARGET_MARK,
    STRAY_DELIMITER,
    STRAY_TEXT,
    TIGHT_MARK,
    UNEXPECTED_TEXT,
)
from ..grammar.dialect import UNSAID, Dialect
from ..grammar.lalr import Unexpected
from ..grammar.mistakes import load_mistakes
from ..ground.numbers import quoted
from ..patterns.regexes import compile_pattern, escape
from ..text.diagnostics import Diagnostic, Severity
from ..text.source import BOM, LineEndings, Source, cut


def explain_error(error: Unexpected, source: Source, shift: int, dialect: Dialect) -> Diagnostic:
    """Return the diagnostic of a syntax error, in terms of the dialect's marks.

    Args:
        error: The error of the strict parser.
        source: The text.
        shift: The offset in the text from which `error.offset` counts.
        dialect: The dialect.
    """
    endings = LineEndings(source.text)
    # The checks see line feeds only; the span is carried back to the text.
    offset = endings.to_plain(min(error.offset + shift, len(source.text)))
    plain = source
    if endings.plain is not source.text:
        plain = Source(endings.plain, source.name)
    diagnostic = _explain(error, plain, offset, dialect)
    span = diagnostic.span
    return replace(diagnostic, span=endings.span(source, span.start, span.end))


def _explain(error: Unexpected, source: Source, offset: int, dialect: Dialect) -> Diagnostic:
    missing = _find_pathless(source, offset, dialect) or _find_unclosed(source, offset, dialect)
    if missing is not None:
        return missing
    # An error at the end of the text belongs to its last line with text.
    line, _ = source.place(min(offset, len(source.text.rstrip("\n"))))
    start = source.line_starts[line - 1]
    line_text = source.line_text(line)
    end = start + len(line_text)
    line_span = source.span(start, end)
    expected = describe_terminals(error.expected, dialect.marks)
    mistakes = load_mistakes(dialect)
    name = _nearest_mistake(line_text, dialect)
    if name:
        mistake = replace(mistakes[name], code=REPORTED_AS.get(name, name))
        return mistake.diagnose(line_span, Severity.ERROR, expected)
    at = max(offset, start)
    before = line_text[: at - start]
    if not before.strip():
        return mistakes[STRAY_TEXT].diagnose(line_span, Severity.ERROR, expected)
    excerpt = cut(source.text, at, _MAX_EXCERPT).split("\n")[0]
    unexpected = quoted(excerpt) if excerpt.strip() else "the end of the line"
    return Diagnostic(
        UNEXPECTED_TEXT,
        f"{unexpected} is not expected here",
        source.span(at, max(at, end)),
        expected=expected,
        hint="`symops repair --explain` shows what the repair rules make of this text",
    )


def _nearest_mistake(line: str, dialect: Dialect) -> str:
    """Return the code of the first line check that a line matches; empty if none does."""
    for code, pattern in line_checks(dialect):
        if compile_pattern(pattern).fullmatch(line):
            return code
    return ""


def line_checks(dialect: Dialect) -> list[tuple[str, str]]:
    """Return the patterns of lines that are nearly a section, with the codes of the mistakes.

    Args:
        dialect: The dialect whose marks and verbs the patterns have.
    """
    patterns = {name: escape(mark) for name, mark in dialect.marks.items()}
    close = dialect.marks["close"]
    more = escape(close[-1]) if close.startswith(dialect.marks["thought"]) else ""
    verbs = dialect.any_verb
    checks = []
    for code, template in _LINE_CHECKS:
        checks.append((code, template.format(**patterns, verbs=verbs, more=more)))
    return checks


_MAX_EXCERPT = 20  # characters of the unexpected text in a message
# Lines that are nearly a section, by a pattern over marks; the first that matches is reported. The
# messages of these mistakes are in the recovery grammar, as `//! code = Sentence. | hint`.
_LINE_CHECKS = (
    # Where the closer begins with the mark of a thought, `more` is its last sign: no thought is
    # meant by a closer with more signs.
    (STRAY_DELIMITER, r"({open}|{close}(?:{more})*)[ \t]*"),
    (CODE_FENCE, r"[ \t]*(```|~~~).*"),
    (INDENTED_MARK, r"[ \t]+({action}|{thought}|{open}|{close}|{question}|{error}).*"),
    (MISSING_TARGET_MARK, r"{action}[ \t]*(?i:{verbs})[ \t]++[^{target}]*"),
    (MISSING_ACTION_MARK, r"(?i:{verbs})[ \t]*{target}.*"),
    (MISSING_ALL_MARKS, r"(?i:{verbs})[ \t]+[^ \t]+\.[0-9A-Za-z_]+.*"),
    (CAPITAL_VERB, r"{action}[ \t]*[A-Z][A-Za-z_-]*[ \t]*{target}.*"),
    (DECORATED_PATH, r"{action}[ \t]*[^ \t]+[ \t]*{target}[ \t]*[\"'`*].*"),
    (TIGHT_MARK, r"({thought}|{question}|{error})[^ \t\u00a0\u3000].*"),
)
# A line without any mark is reported as one that lacks the first of them.
REPORTED_AS = {MISSING_ALL_MARKS: MISSING_ACTION_MARK}

# The rules of lines that a block may follow.
_ABOVE_A_BLOCK = ("head", "path_line", "command_line", "depends_line", "attribute")


def _find_pathless(source: Source, offset: int, dialect: Dialect) -> Diagnostic | None:
    """Return the diagnostic for an action above the error that has no path; None if it has one.

    Only in dialects that name a path in an attribute line.
    """
    if "path_key" not in dialect.marks:
        return None
    # An error at the end of the text belongs to its last line.
    line, column = source.place(min(offset, max(0, len(source.text) - 1)))

    def rule_of(number: int) -> str | None:
        match = dialect.line_pattern.fullmatch(_line_of(source, number) + "\n")
        return match.lastgroup if match else None

    if column > 1 and rule_of(line) not in ("attribute", "depends_line"):
        return None
    # Walk up over the attributes to the first line of the action.
    if column > 1:
        line += 1
    rule: str | None = "attribute"
    while line > 1 and rule in ("attribute", "depends_line"):
        line -= 1
        rule = rule_of(line)
    if rule != "verb_line":
        return None
    start = source.line_starts[line - 1]
    marks = dialect.marks
    path_mark = marks["target"] + marks["path_key"]
    span = source.span(start, start + len(source.line_text(line)))
    message = f"this action names no path: an indented line `{path_mark}` is missing right below it"
    return Diagnostic(
        MISSING_PATH,
        message,
        span,
        expected=(path_mark,),
        hint=f"write `  {path_mark} a.py` below it, or `{marks['target']}a.py` after the verb",
    )


def _find_unclosed(source: Source, offset: int, dialect: Dialect) -> Diagnostic | None:
    """Return the diagnostic for a block that is never closed, at its opener; None otherwise."""
    line, _ = source.place(min(offset, max(0, len(source.text) - 1)))
    opener = source.line_text(line).rstrip(" \t")
    if line < 2 or opener not in dialect.fences:
        return None
    closer = dialect.fences[opener][0]
    above = dialect.line_pattern.fullmatch(_line_of(source, line - 1) + "\n")
    if above is None or above.lastgroup not in _ABOVE_A_BLOCK or closer.startswith(UNSAID):
        return None
    start = source.line_starts[line - 1]
    span = source.span(start, start + len(opener))
    return Diagnostic(
        MISSING_CLOSER,
        f"this block is never closed: `{closer}` alone on a line is missing",
        span,
        expected=(closer,),
        hint=f"write `{closer}` after the content; the repair `missing-closer` does it",
    )


def _line_of(source: Source, number: int) -> str:
    """Return a line of a text; a byte order mark at the beginning is part of no line."""
    return source.line_text(number).removeprefix(BOM)


def describe_terminals(names: Collection[str], marks: Mapping[str, str]) -> tuple[str, ...]:
    """Return what people read for terminals that may follow, sorted.

    Args:
        names: The names of the terminals.
        marks: The marks of the dialect.
    """
    expected = set()
    for name in names:
        # The terminal of a mark is its name in capitals after an underscore.
        mark = name[1:].lower()
        if mark in marks:
            expected.add(marks[mark])
    if "VITALS" in names:
        # Some dialects have a mark for each vital.
        for name in VITAL_NAMES.values():
            if name in marks:
                expected.add(marks[name])
    words = {
        "VITAL": marks.get("vital", "") + "c0.9",
        "VERB": "a verb",
        "PATH": "a path",
        "COMMAND": "a command",
        "DEPENDENCY": "a dependency",
        "BLOCK": f"a block {marks['open']} … {marks['close']}",
        "TEXT": "text",
        "_SP": "a blank",
        "_NL": "the end of the line",
        "WORD": "a word",
    }
    for name in names:
        if name in words:
            expected.add(words[name])
    return tuple(sorted(expected))
