"""What Lark's errors mean: a message, a hint and a place for each kind whose place or words are not for people."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from .subject import Subject


class Meaning(NamedTuple):
    """An error in words for people; the place is an offset in the grammar, or -1: Lark's place is right."""

    message: str
    hint: str
    place: int = -1


def explain_words(subject: Subject, text: str) -> Meaning | None:
    """Return what an error of Lark means; None: its words are clear."""
    for pattern, explain in _ERRORS:
        match = re.search(pattern, text, re.DOTALL)
        if match:
            return explain(subject, match)
    return None


def _find(subject: Subject, pattern: str, number: int = 0) -> int:
    """Return the offset of the first group of a pattern in the grammar, or of a later match; -1 if there is none."""
    matches = list(re.finditer(pattern, subject.dialect.text, re.MULTILINE))
    return matches[min(number, len(matches) - 1)].start(1) if matches else -1


def _define(subject: Subject, name: str) -> int:
    return subject.definitions[name].name.start if name in subject.definitions else -1


def _explain_token(subject: Subject, match: re.Match[str]) -> Meaning:
    sign = match[1]
    hint = "an alternative has one alias, `-> name`, at its end" if sign == "->" else "delete it, or quote it"
    return Meaning(f"unexpected `{sign}`", hint)


def _explain_alias(subject: Subject, match: re.Match[str]) -> Meaning:
    rule, alias = match[1], match[2]
    message = f"the rule {rule} begins with `_`, so it has no node that the alias {alias} could name"
    place = _find(subject, rf"->\s*({alias})\b")
    return Meaning(message, f"rename the rule, such as `?{rule.lstrip('_')}`, or leave out the alias", place)


def _explain_undefined(subject: Subject, match: re.Match[str]) -> Meaning | None:
    name = match[1]
    place = _find(subject, rf"->\s*({name})\b")
    if place < 0:
        return None
    message = f"the alias {name} is inside of brackets: only a whole alternative of a rule has an alias"
    return Meaning(message, "make the part in brackets a rule, and give its alternative the alias", place)


def _explain_template(subject: Subject, match: re.Match[str]) -> Meaning:
    name, expected, given = match[1], match[2], match[3]
    unit = "argument" if expected == "1" else "arguments"
    place = _find(subject, rf"(?<!^)\b({name})\{{")
    return Meaning(f"the template {name} takes {expected} {unit}, not {given}", f"write `{name}{{…, …}}`", place)


def _explain_rule(subject: Subject, match: re.Match[str]) -> Meaning:
    rule, terminal = match[1], match[2]
    hint = f"terminals are made of strings, patterns and terminals: make {rule} a terminal, {rule.upper()}"
    return Meaning(f"the terminal {terminal} uses the rule {rule}", hint)


def _explain_empty(subject: Subject, match: re.Match[str]) -> Meaning:
    hint = "a terminal takes at least one character: write `+` for `*` here, and `NAME?` in rules"
    name = match[1]
    ignored = re.fullmatch(r"__IGNORE_(\d+)", name)
    if ignored:
        place = _find(subject, r"^%ignore[ \t]+([/\"])", int(ignored[1]))
        return Meaning("the ignored pattern can be empty (zero-width)", hint, place)
    return Meaning(f"the terminal {name} can be empty (zero-width)", hint, _define(subject, name))


def _explain_recursion(subject: Subject, match: re.Match[str]) -> Meaning:
    name = match[1]
    hint = "write the repetition with `*` or `+`, or make it a rule"
    return Meaning(f"the terminal {name} refers to itself, which only rules can", hint, _define(subject, name))


_ERRORS: tuple[tuple[str, Callable[[Subject, re.Match[str]], Meaning | None]], ...] = (
    (r"Unexpected token Token\('\w+', '(.*?)'\)", _explain_token),
    (r"Rule (\w+) is marked for expansion .*\(alias=(\w+)\)", _explain_alias),
    (r"Rule '(\w+)' used but not defined", _explain_undefined),
    (r"template arguments used for (\w+) \(expected (\d+), got (\d+)\)", _explain_template),
    (r"Rules aren't allowed inside terminals \(NonTerminal\('(\w+)'\) in (\w+)\)", _explain_rule),
    (r"zero-width terminals?\.? \((\w+):", _explain_empty),
    (r"Recursion in terminal '(\w+)'", _explain_recursion),
)
