"""Why a grammar cannot be compiled: all the mistakes of the first kind that there is one of, each with a suggestion.

Lark is the judge; this module is asked only when Lark has refused a grammar, because Lark stops at the first mistake
and often names the place where it noticed rather than the one to change.
"""

from __future__ import annotations

import difflib
import re
import warnings
from collections.abc import Callable, Iterator

from ....core.grammar.compiling.bounds import TooManyStepsError, bounded_steps, steps_for
from ....core.grammar.tokens import Word, is_name
from ....core.ground.errors import GrammarError
from .conflicts import find_reduce_conflicts
from .lark_words import explain_words
from .report import Finding
from .subject import Subject
from .unused import READ_MARKS, VERB_GROUPS

PLACED = re.compile(r"(?P<path>[^\n]*?):(?P<line>\d+):(?P<column>\d+): (?P<message>[^\n]*)")
_LONGEST = 300
_RULE_NAMED = re.compile(r"the rule (\w+) is not a pattern")
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_HINTS = {
    "is not a pattern": "a rule of one line has names, ( ) and the signs | ? * + only, and leads not back to itself",
    "[Cc]ollision": "let the two rules begin or end with different terminals",
}


def find_refusal(subject: Subject) -> Exception | None:
    """Return the error with which the library refuses the grammar, or None if it can be used."""
    dialect = subject.dialect
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of `re`, about classes that may mean something else one day
            _ = dialect.parser, dialect.marks, dialect.verbs, dialect.line_pattern
            with bounded_steps(dialect.path, steps_for(dialect.text), what="checked"):
                _ = subject.tables
    except Exception as error:  # noqa: BLE001
        # Lark raises whatever its parts raise, from AssertionError to UnicodeDecodeError: a designer gets a message.
        return error
    return None


def find_reader_refusal(subject: Subject) -> Exception | None:
    """Return the error with which a reader refuses a dialect that a tool can load, or None."""
    try:
        subject.dialect.table("served")
    except GrammarError as error:
        return error
    return None


def explain(subject: Subject, refusal: Exception) -> list[Finding]:
    """Return the reasons for a refusal, at least one."""
    if isinstance(refusal, TooManyStepsError):
        return [_pass_on(subject, refusal)]
    # A grammar that is not a dialect needs neither marks nor verbs.
    stages = _STAGES[:-1] if subject.start else _STAGES
    for stage in stages:
        try:
            with bounded_steps(subject.dialect.path, steps_for(subject.dialect.text), what="checked"):
                found = [finding for cause in stage for finding in cause(subject)]
        except Exception:  # noqa: BLE001
            # The tables of a broken grammar cannot always be made: then Lark's own word must do.
            continue
        if found:
            return found
    return [_pass_on(subject, refusal)]


def find_written_faults(subject: Subject) -> list[Finding]:
    """Return the mistakes that are visible without compiling, of the first kind that there is one of."""
    for stage in _WRITTEN:
        found = [finding for cause in stage for finding in cause(subject)]
        if found:
            return found
    return []


def _pass_on(subject: Subject, refusal: Exception) -> Finding:
    """Turn an error into a finding: its message begins with file, line and column where these are known."""
    text = str(refusal) if isinstance(refusal, GrammarError) else f"{type(refusal).__name__}: {refusal}"
    hint = next((hint for pattern, hint in _HINTS.items() if re.search(pattern, text)), "")
    meaning = explain_words(subject, text)
    if meaning and meaning.place >= 0:
        return subject.error("grammar-error", meaning.message, meaning.place, hint=meaning.hint)
    text = text if len(text) < _LONGEST else text[:_LONGEST] + "…"
    rule = _RULE_NAMED.search(text)
    placed = PLACED.match(text)
    if not placed:
        message = text.removeprefix(f"{subject.dialect.path}: ").removeprefix("the grammar cannot be compiled: ")
        return subject.error("grammar-error", " ".join(message.split()), rule[1] if rule else 0, hint=hint)
    message = placed["message"].removeprefix("the grammar cannot be compiled: ")
    line, column = int(placed["line"]), int(placed["column"])
    origins = [(str(path), number) for path, number, _ in subject.dialect.origins]
    at = origins.index((placed["path"], line)) if (placed["path"], line) in origins else line - 1
    starts = subject.source.line_starts
    offset = starts[min(at, len(starts) - 1)] + column - 1
    if meaning:
        message, hint = meaning.message, meaning.hint
    return subject.error("grammar-error", message, offset, hint=hint)


# ---- causes


def _find_strange_words(subject: Subject) -> Iterator[Finding]:
    for word in subject.statements.words:
        if word.kind == "unclosed":
            kind, sign = ("string", "quote") if word.text[0] == '"' else ("regex", "slash")
            hint = f"write the closing {sign} on the same line; inside, escape it with a backslash"
            yield subject.error(f"unclosed-{kind}", f"this {kind} is never closed", word.start, hint=hint)
        if word.kind == "other" or "\0" in word.text:
            hint = "strings take double quotes" if word.text == "'" else "delete it, or put it in double quotes"
            message = f"{word.text[:40]!r} means nothing in a grammar"
            if word.text.startswith("\ufeff"):
                message = "the file begins with a byte order mark, which Lark does not read"
                hint = "save the file as UTF-8 without a byte order mark (BOM)"
            yield subject.error("strange-character", message, word.start, hint=hint)


def _find_missing_colons(subject: Subject) -> Iterator[Finding]:
    for word, *_ in subject.statements.other_lines:
        code, message = "stray-line", "this line is neither a definition nor a directive"
        hint = "a line that continues a definition begins with `|`"
        if word.kind == "name":
            code, message = "missing-colon", f"{word.text} is not followed by a colon"
            hint = "a definition is `name: …`; a line that continues one begins with `|`"
        yield subject.error(code, message, word.start, hint=hint)


def _find_wrong_brackets(subject: Subject) -> Iterator[Finding]:
    for definition in subject.statements.definitions:
        waiting: list[Word] = []
        for word in definition.body:
            if word.is_sign("([{"):
                waiting.append(word)
            elif word.is_sign(")]}"):
                if not waiting or _CLOSING[waiting[-1].text] != word.text:
                    yield subject.error("unbalanced-bracket", f"`{word.text}` closes nothing", word.start)
                    break
                waiting.pop()
        else:
            for word in waiting:
                yield subject.error(
                    "unbalanced-bracket",
                    f"`{word.text}` is never closed",
                    word.start,
                    hint=f"write `{_CLOSING[word.text]}` in the same definition",
                )


def _find_wrong_names(subject: Subject) -> Iterator[Finding]:
    for word in subject.statements.words:
        if word.kind == "name" and not is_name(word.text):
            yield subject.error(
                "wrong-name",
                f"{word.text} is no name",
                word.start,
                hint="rules are all lower-case, terminals all upper-case, in ASCII",
            )


def _find_repeated(subject: Subject) -> Iterator[Finding]:
    seen = set()
    for definition in subject.statements.definitions:
        name = definition.name.text
        if name in seen:
            line = subject.error("", "", name).line
            yield subject.error(
                "defined-twice",
                f"{name} is defined already, in line {line}",
                definition.name.start,
                hint="give it another name, or write %override in front",
            )
        seen.add(name)


def _find_undefined(subject: Subject) -> Iterator[Finding]:
    known = set(subject.definitions)
    for line in subject.statements.directives:
        if line[0].text in ("%import", "%declare"):
            known |= {word.text for word in line if word.kind == "name"}
    for definition in subject.statements.definitions:
        for word in definition.uses:
            if word.text not in known and is_name(word.text):
                kind = "terminal" if word.text.strip("_")[:1].isupper() else "rule"
                yield subject.error(
                    f"undefined-{kind}",
                    f"there is no {kind} {word.text}",
                    word.start,
                    hint=_suggest(word.text, known) or f"define it: `{word.text}: …`",
                )
    start = subject.starts[0]
    if start not in known:
        hint = _suggest(start, known) or f"define it: `{start}: …`"
        if not subject.start and not known & {*READ_MARKS}:
            hint += "; or name the start rule of a grammar that is not a dialect: --start RULE"
        yield subject.error("undefined-rule", f"there is no rule {start}, of which a text is made", 0, hint=hint)


def _find_missing_marks(subject: Subject) -> Iterator[Finding]:
    for name in READ_MARKS:
        if not _is_one_string(subject, name):
            hint = "write it as one string; what else belongs to it can be another terminal that begins with it"
            if name not in subject.definitions:
                hint = f'write {name}: "…", even if it looks like another mark'
                hint = _suggest(name, set(subject.definitions)) or hint
            yield subject.error("missing-mark", f"there is no mark {name}", name, hint=hint)


def _is_one_string(subject: Subject, name: str) -> bool:
    return name in subject.definitions and [word.kind for word in subject.definitions[name].body] == ["string"]


def _find_wrong_verbs(subject: Subject) -> Iterator[Finding]:
    for group in VERB_GROUPS:
        if group not in subject.definitions:
            yield subject.error(
                "missing-verbs",
                f"there is no rule {group}, which lists the known verbs of that group",
                0,
                hint=_suggest(group, set(subject.definitions)) or f"write {group}: RUN | TEST, say",
            )
            continue
        for word in subject.definitions[group].uses:
            if not _is_one_string(subject, word.text):
                yield subject.error(
                    "wrong-verb",
                    f"{word.text} is no verb: {group} lists terminals that are one string",
                    word.start,
                    hint='write a terminal such as RUN: "run"',
                )


def _suggest(name: str, known: set[str]) -> str:
    close = difflib.get_close_matches(name, sorted(known), n=1) or [k for k in known if k.lower() == name.lower()]
    return f"did you mean `{close[0]}`?" if close else ""


def _find_wrong_regexes(subject: Subject) -> Iterator[Finding]:
    for word in subject.statements.words:
        if word.kind != "regex":
            continue
        body = word.text[1:].rpartition("/")[0]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                re.compile(body.replace("\\/", "/"))
        except (re.error, RecursionError, OverflowError) as error:
            at = getattr(error, "pos", None) or 0
            hint = "a class is closed by `]`; in it `]` is written `\\]`" if "set" in str(error) else ""
            yield subject.error(
                "wrong-regex", f"this is no regular expression: {error}", word.start + 1 + min(at, len(body)), hint=hint
            )


_Stages = tuple[tuple[Callable[[Subject], Iterator[Finding]], ...], ...]
_WRITTEN: _Stages = (
    (_find_strange_words,),
    (_find_missing_colons, _find_wrong_brackets, _find_wrong_names),
    (_find_wrong_regexes, _find_repeated, _find_undefined),
)
_STAGES: _Stages = (*_WRITTEN, (find_reduce_conflicts,), (_find_missing_marks, _find_wrong_verbs))
