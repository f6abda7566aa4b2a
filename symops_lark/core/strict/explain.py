"""Why a text does not parse strictly, for people: what was seen, what was expected, which repair would help."""

from __future__ import annotations

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
from ..grammar.dialect import Dialect
from ..grammar.lalr import Unexpected
from ..grammar.mistakes import load_mistakes
from ..ground.numbers import quoted
from ..patterns.regexes import compile_pattern, escape
from ..text.diagnostics import Diagnostic, Severity
from ..text.source import LineEndings, Source, cut


def explain_error(error: Unexpected, source: Source, shift: int, dialect: Dialect) -> Diagnostic:
    """Say what is wrong in terms of the marks, and name the repair that would cure it."""
    endings = LineEndings(source.text)
    offset = endings.to_plain(min(error.offset + shift, len(source.text)))
    plain = source if endings.plain is source.text else Source(endings.plain, source.name)
    found = _explain(error, plain, offset, dialect)
    return replace(found, span=endings.span(source, found.span.start, found.span.end))


def _explain(error: Unexpected, source: Source, offset: int, dialect: Dialect) -> Diagnostic:
    missing = _find_pathless(source, offset, dialect) or _find_unclosed(source, offset, dialect)
    if missing is not None:
        return missing
    line, _ = source.place(min(offset, len(source.text.rstrip("\n"))))
    start = source.line_starts[line - 1]
    shown = source.line_text(line)
    marks = dialect.marks
    expected = _expected(error, dialect)
    mistakes = load_mistakes(dialect)
    if shown.rstrip(" \t") in (marks["open"], marks["close"]):
        return mistakes[STRAY_DELIMITER].diagnose(source.span(start, start + len(shown)), Severity.ERROR, expected)
    for name, pattern in _LINE_CHECKS:
        filled = pattern.format(**{k: escape(v) for k, v in marks.items()}, verbs="|".join(_all_verbs(dialect)))
        if compile_pattern(filled).fullmatch(shown):
            mistake = replace(mistakes[name], code=_REPORTED_AS.get(name, name))
            return mistake.diagnose(source.span(start, start + len(shown)), Severity.ERROR, expected)
    at = max(offset, start)
    end = start + len(shown)
    if at == start or not shown[: at - start].strip():
        return mistakes[STRAY_TEXT].diagnose(source.span(start, end), Severity.ERROR, expected)
    rest = cut(source.text, at, _SHOWN).split("\n")[0]
    found = f"{quoted(rest)}" if rest.strip() else "the end of the line"
    message = f"{found} is not expected here"
    hint = "`symops check` shows what the repair rules make of this line"
    return Diagnostic(UNEXPECTED_TEXT, message, source.span(at, max(at, end)), expected=expected, hint=hint)


_SHOWN = 20  # characters of what is not expected
# What makes a line nearly a section, by a pattern over marks; the first that matches is reported. The words of these
# mistakes are in the recovery grammar, as `//! code = Sentence. | hint`.
_LINE_CHECKS = (
    (CODE_FENCE, r"[ \t]*(```+|~~~+).*"),
    (INDENTED_MARK, r"[ \t]+({action}|{thought}|{open}|{close}|{question}|{error}).*"),
    (MISSING_TARGET_MARK, r"{action}[ \t]*(?i:{verbs})[ \t]+[^{target}]*"),
    (MISSING_ACTION_MARK, r"(?i:{verbs})[ \t]*{target}.*"),
    (MISSING_ALL_MARKS, r"(?i:{verbs})[ \t]+[^ \t]+\.[0-9A-Za-z_]+.*"),
    (CAPITAL_VERB, r"{action}[ \t]*[A-Z][A-Za-z_-]*[ \t]*{target}.*"),
    (DECORATED_PATH, r"{action}[ \t]*[^ \t]+[ \t]*{target}[ \t]*[\"'`*].*"),
    (TIGHT_MARK, r"({thought}|{question}|{error})[^ \t\u00a0\u3000].*"),
)
_REPORTED_AS = {MISSING_ALL_MARKS: MISSING_ACTION_MARK}

_ABOVE_A_BLOCK = ("head", "path_line", "command_line", "depends_line", "attribute")


def _find_pathless(source: Source, offset: int, dialect: Dialect) -> Diagnostic | None:
    """If the error is behind an action whose path should be an attribute and is not there, point at the action."""
    if "path_key" not in dialect.marks:
        return None
    line, column = source.place(min(offset, max(0, len(source.text) - 1)))

    def rule_of(number: int) -> str | None:
        match = dialect.line_pattern.fullmatch(source.line_text(number) + "\n")
        return match.lastgroup if match else None

    if column > 1 and rule_of(line) not in ("attribute", "depends_line"):
        return None
    line += column > 1
    rule: str | None = "attribute"
    while line > 1 and rule in ("attribute", "depends_line"):
        line -= 1
        rule = rule_of(line)
    if rule != "verb_line":
        return None
    start = source.line_starts[line - 1]
    marks = dialect.marks
    wanted = marks["target"] + marks["path_key"]
    span = source.span(start, start + len(source.line_text(line)))
    message = f"this action names no path: an indented line `{wanted}` is missing right below it"
    return Diagnostic(
        MISSING_PATH,
        message,
        span,
        expected=(wanted,),
        hint=f"write `  {wanted} a.py` below it, or `{marks['target']}a.py` behind the verb",
    )


def _find_unclosed(source: Source, offset: int, dialect: Dialect) -> Diagnostic | None:
    """If the error is an opener whose block never ends properly, point at the opener."""
    line, _ = source.place(min(offset, max(0, len(source.text) - 1)))
    opener = source.line_text(line).rstrip(" \t")
    if line < 2 or opener not in dialect.fences:
        return None
    closer = dialect.fences[opener][0]
    above = dialect.line_pattern.fullmatch(source.line_text(line - 1) + "\n")
    if above is None or above.lastgroup not in _ABOVE_A_BLOCK:
        return None
    start = source.line_starts[line - 1]
    span = source.span(start, start + len(opener))
    return Diagnostic(
        MISSING_CLOSER,
        f"this block is never closed: `{closer}` alone on a line is missing",
        span,
        expected=(closer,),
        hint=f"write `{closer}` behind the content; the repair `missing-closer` does it",
    )


def _expected(error: Unexpected, dialect: Dialect) -> tuple[str, ...]:
    """Name what could stand at the place of the error, in terms of the marks."""
    names = error.expected
    marks = dialect.marks
    out = [marks[name[1:].lower()] for name in names if name[1:].lower() in marks]
    out += [marks[name] for name in VITAL_NAMES.values() if "VITALS" in names and name in marks]
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
    out += [words[name] for name in names if name in words]
    return tuple(sorted(set(out)))


def _all_verbs(dialect: Dialect) -> list[str]:
    return [verb for group in dialect.verbs.values() for verb in group]
