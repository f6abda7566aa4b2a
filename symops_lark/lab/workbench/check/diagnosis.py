"""The reasons why a grammar cannot be compiled: all faults of the first kind that occurs.

Lark decides. This module is asked only after Lark has refused a grammar, because Lark stops at the
first fault, and often names the place where it noticed the fault rather than the one to change.
"""

from __future__ import annotations

import difflib
import re
import warnings
from collections.abc import Callable, Iterator

from ....core.grammar.compiling.bounds import TooManyStepsError, bounded_steps, steps_for
from ....core.grammar.tokens import is_name
from ....core.ground.errors import GrammarError
from .conflicts import find_reduce_conflicts
from .lark_words import explain_words
from .report import Finding
from .subject import Subject
from .unused import READ_MARKS, VERB_GROUPS

PLACED = re.compile(r"(?P<path>[^\n]*?):(?P<line>\d+):(?P<column>\d+): (?P<message>[^\n]*)")
_LONGEST = 300  # characters of a message; Lark lists all terminals in some
_RULE_NAMED = re.compile(r"the rule (\w+) is not a pattern")
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_HINTS = {
    "is not a pattern": "a rule of one line has names, ( ) and the signs | ? * + only, and leads "
    "not back to itself",
    "[Cc]ollision": "let the two rules begin or end with different terminals",
}


def find_refusal(subject: Subject) -> Exception | None:
    """Return the error with which the library refuses the grammar, or None if it can be used."""
    dialect = subject.dialect
    try:
        with warnings.catch_warnings():
            # `re` warns of classes that may get another meaning in a later version.
            warnings.simplefilter("ignore")
            _ = dialect.parser, dialect.marks, dialect.verbs, dialect.line_pattern
            with bounded_steps(dialect.path, steps_for(dialect.text), what="checked"):
                _ = subject.tables
    except Exception as error:  # noqa: BLE001
        # Lark raises many kinds of errors, from AssertionError to UnicodeDecodeError.
        return error
    return None


def find_reader_refusal(subject: Subject) -> Exception | None:
    """Return the error with which a reader refuses a dialect that can be loaded, or None."""
    try:
        subject.dialect.table("served")
    except GrammarError as error:
        return error
    return None


def explain(subject: Subject, refusal: Exception) -> list[Finding]:
    """Return the reasons for a refusal, at least one."""
    if isinstance(refusal, TooManyStepsError):
        return [_pass_on(subject, refusal)]
    # A grammar that is not a dialect needs neither marks nor verbs, which are the last stage.
    stages = _STAGES[:-1] if subject.start else _STAGES
    for stage in stages:
        try:
            with bounded_steps(
                subject.dialect.path, steps_for(subject.dialect.text), what="checked"
            ):
                findings = _run(stage, subject)
        except Exception:  # noqa: BLE001
            # The tables of a broken grammar cannot always be built: then Lark's message is used.
            continue
        if findings:
            return findings
    return [_pass_on(subject, refusal)]


def find_written_faults(subject: Subject) -> list[Finding]:
    """Return the faults that are visible without compiling, of the first kind that occurs."""
    for stage in _WRITTEN:
        findings = _run(stage, subject)
        if findings:
            return findings
    return []


def _run(stage: _Stage, subject: Subject) -> list[Finding]:
    findings: list[Finding] = []
    for find in stage:
        findings += find(subject)
    return findings


def _pass_on(subject: Subject, refusal: Exception) -> Finding:
    """Return an error as a finding, at the place with which its message begins, if any."""
    text = (
        str(refusal)
        if isinstance(refusal, GrammarError)
        else f"{type(refusal).__name__}: {refusal}"
    )
    hint = ""
    for pattern, advice in _HINTS.items():
        if not hint and re.search(pattern, text):
            hint = advice
    meaning = explain_words(subject, text)
    # Lark's own place may be that of another definition.
    if meaning and meaning.place >= 0:
        return subject.error("grammar-error", meaning.message, meaning.place, hint=meaning.hint)
    # Without an explanation, Lark's message is shortened.
    text = text if len(text) < _LONGEST else text[:_LONGEST] + "…"
    rule = _RULE_NAMED.search(text)
    placed = PLACED.match(text)
    if not placed:
        message = text.removeprefix(f"{subject.dialect.path}: ").removeprefix(
            "the grammar cannot be compiled: "
        )
        return subject.error(
            "grammar-error", " ".join(message.split()), rule[1] if rule else 0, hint=hint
        )
    message = placed["message"].removeprefix("the grammar cannot be compiled: ")
    line = int(placed["line"])
    # The place is in a file; findings are placed in the complete grammar of several files.
    origins = [(str(path), number) for path, number, _ in subject.dialect.origins]
    place = (placed["path"], line)
    index = origins.index(place) if place in origins else line - 1
    starts = subject.source.line_starts
    offset = starts[min(index, len(starts) - 1)] + int(placed["column"]) - 1
    if meaning:
        message, hint = meaning.message, meaning.hint
    return subject.error("grammar-error", message, offset, hint=hint)


# ---- causes


# They are called before the grammar compiles, so they use only its words and lines.
def _find_strange_words(subject: Subject) -> Iterator[Finding]:
    for word in subject.statements.words:
        if word.kind == "unclosed":
            kind, sign = "regex", "slash"
            if word.text[0] == '"':
                kind, sign = "string", "quote"
            hint = f"write the closing {sign} on the same line; inside, escape it with a backslash"
            yield subject.error(
                f"unclosed-{kind}", f"this {kind} is never closed", word.start, hint=hint
            )
        if word.kind == "other" or "\0" in word.text:
            hint = "delete it, or put it in double quotes"
            if word.text == "'":
                hint = "strings take double quotes"
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
        waiting = []
        for word in definition.body:
            if word.is_sign("([{"):
                waiting.append(word)
            elif word.is_sign(")]}"):
                if not waiting or _CLOSING[waiting[-1].text] != word.text:
                    yield subject.error(
                        "unbalanced-bracket", f"`{word.text}` closes nothing", word.start
                    )
                    break
                waiting.pop()
        else:
            # A wrong bracket leaves others open that are not wrong themselves.
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
                f"{word.text} is not a name",
                word.start,
                hint="rules are all lower-case, terminals all upper-case, in ASCII",
            )


def _find_repeated(subject: Subject) -> Iterator[Finding]:
    names = set()
    for definition in subject.statements.definitions:
        name = definition.name.text
        if name in names:
            line = subject.error("", "", name).line
            yield subject.error(
                "defined-twice",
                f"{name} is defined already, in line {line}",
                definition.name.start,
                hint="give it another name, or write %override in front",
            )
        names.add(name)


def _find_undefined(subject: Subject) -> Iterator[Finding]:
    names = set(subject.definitions)
    for line in subject.statements.directives:
        # These define names as well.
        if line[0].text in ("%import", "%declare"):
            names |= {word.text for word in line if word.kind == "name"}
    for definition in subject.statements.definitions:
        for word in definition.uses:
            if word.text not in names and is_name(word.text):
                kind = "terminal" if word.text.strip("_")[:1].isupper() else "rule"
                yield subject.error(
                    f"undefined-{kind}",
                    f"there is no {kind} {word.text}",
                    word.start,
                    hint=_suggest(word.text, names) or f"define it: `{word.text}: …`",
                )
    # Lark reports this only after all other faults.
    start = subject.starts[0]
    if start not in names:
        hint = _suggest(start, names) or f"define it: `{start}: …`"
        if not subject.start and names.isdisjoint(READ_MARKS):
            hint += "; or name the start rule of a grammar that is not a dialect: --start RULE"
        yield subject.error(
            "undefined-rule", f"there is no rule {start}, of which a text is made", 0, hint=hint
        )


def _find_missing_marks(subject: Subject) -> Iterator[Finding]:
    for name in READ_MARKS:
        if not _is_one_string(subject, name):
            hint = (
                "write it as one string; what else belongs to it can be another terminal that "
                "begins with it"
            )
            if name not in subject.definitions:
                hint = f'write {name}: "…", even if it looks like another mark'
                hint = _suggest(name, set(subject.definitions)) or hint
            yield subject.error("missing-mark", f"there is no mark {name}", name, hint=hint)


def _is_one_string(subject: Subject, name: str) -> bool:
    return name in subject.definitions and [
        word.kind for word in subject.definitions[name].body
    ] == ["string"]


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
                    f"{word.text} is not a verb: {group} lists terminals that are one string",
                    word.start,
                    hint='write a terminal such as RUN: "run"',
                )


def _suggest(name: str, names: set[str]) -> str:
    """Return a hint with the name that is probably meant; empty if there is none."""
    close = difflib.get_close_matches(name, sorted(names), n=1)
    # Letters in another case do not count as similar.
    close += [candidate for candidate in names if candidate.lower() == name.lower()]
    return f"did you mean `{close[0]}`?" if close else ""


def _find_wrong_regexes(subject: Subject) -> Iterator[Finding]:
    for word in subject.statements.words:
        if word.kind != "regex":
            continue
        body = word.text[1:].rpartition("/")[0]
        # `re` is stricter than the library in nothing, and names the place.
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                re.compile(body.replace("\\/", "/"))
        except (re.error, RecursionError, OverflowError) as error:
            at = getattr(error, "pos", None) or 0
            hint = (
                "a class is closed by `]`; in it `]` is written `\\]`"
                if "set" in str(error)
                else ""
            )
            yield subject.error(
                "wrong-regex",
                f"this is not a regular expression: {error}",
                word.start + 1 + min(at, len(body)),
                hint=hint,
            )


# Each stage has the faults of one kind; a fault of an early stage may cause those of later ones.
_Stage = tuple[Callable[[Subject], Iterator[Finding]], ...]
_Stages = tuple[_Stage, ...]
_WRITTEN: _Stages = (
    (_find_strange_words,),
    (_find_missing_colons, _find_wrong_brackets, _find_wrong_names),
    (_find_wrong_regexes, _find_repeated, _find_undefined),
)
_STAGES: _Stages = (*_WRITTEN, (find_reduce_conflicts,), (_find_missing_marks, _find_wrong_verbs))
