"""The meaning of Lark's errors: a clearer message, a hint and a place for some kinds of errors."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from .subject import Subject


class Meaning(NamedTuple):
    """An error in plain words.

    Attributes:
        message: The error.
        hint: The advice.
        place: The offset in the grammar; -1: the place in Lark's error is right.
    """

    message: str
    hint: str
    place: int = -1


def explain_words(subject: Subject, text: str) -> Meaning | None:
    """Return the meaning of an error of Lark; None: its message is clear."""
    # The first pattern decides: no message of Lark matches two.
    for pattern, explain in _ERRORS:
        match = re.search(pattern, text, re.DOTALL)
        if match:
            return explain(subject, match)
    return None


def _find(subject: Subject, pattern: str, number: int = 0) -> int:
    """Return the offset of the first group of a pattern in the grammar, or of a later match.

    -1 if there is no match.
    """
    matches = list(re.finditer(pattern, subject.dialect.text, re.MULTILINE))
    return matches[min(number, len(matches) - 1)].start(1) if matches else -1


def _define(subject: Subject, name: str) -> int:
    return subject.definitions[name].name.start if name in subject.definitions else -1


def _explain_token(subject: Subject, match: re.Match[str]) -> Meaning:
    sign = match[1]
    hint = "delete it, or quote it"
    if sign == "->":
        hint = "an alternative has one alias, `-> name`, at its end"
    return Meaning(f"unexpected `{sign}`", hint)


def _explain_alias(subject: Subject, match: re.Match[str]) -> Meaning:
    rule, alias = match.groups()
    message = (
        f"the rule {rule} begins with `_`, so it has no node that the alias {alias} could name"
    )
    place = _find(subject, rf"->\s*({alias})\b")
    return Meaning(
        message, f"rename the rule, such as `?{rule.lstrip('_')}`, or leave out the alias", place
    )


def _explain_undefined(subject: Subject, match: re.Match[str]) -> Meaning | None:
    name = match[1]
    place = _find(subject, rf"->\s*({name})\b")
    if place < 0:
        return None
    message = (
        f"the alias {name} is inside of brackets: only a complete alternative of a rule has an "
        "alias"
    )
    return Meaning(
        message, "make the part in brackets a rule, and give its alternative the alias", place
    )


def _explain_template(subject: Subject, match: re.Match[str]) -> Meaning:
    name, expected, count = match.groups()
    # Lark checks the number only when the template is used.
    unit = "argument" if expected == "1" else "arguments"
    # Not at the beginning of a line, where it is defined.
    place = _find(subject, rf"(?<!^)\b({name})\{{")
    return Meaning(
        f"the template {name} takes {expected} {unit}, not {count}",
        f"write `{name}{{…, …}}`",
        place,
    )


def _explain_rule(subject: Subject, match: re.Match[str]) -> Meaning:
    rule, terminal = match.groups()
    hint = (
        "terminals are made of strings, patterns and terminals: make "
        f"{rule} a terminal, {rule.upper()}"
    )
    return Meaning(f"the terminal {terminal} uses the rule {rule}", hint)


def _explain_empty(subject: Subject, match: re.Match[str]) -> Meaning:
    hint = "a terminal takes at least one character: write `+` for `*` here, and `NAME?` in rules"
    name = match[1]
    # Lark's name of an ignored pattern has its number, in the order of the directives.
    ignored = re.fullmatch(r"__IGNORE_(\d+)", name)
    if ignored:
        place = _find(subject, r"^%ignore[ \t]+([/\"])", int(ignored[1]))
        return Meaning("the ignored pattern can be empty (zero-width)", hint, place)
    return Meaning(f"the terminal {name} can be empty (zero-width)", hint, _define(subject, name))


def _explain_recursion(subject: Subject, match: re.Match[str]) -> Meaning:
    name = match[1]
    hint = "write the repetition with `*` or `+`, or make it a rule"
    return Meaning(
        f"the terminal {name} refers to itself, which only rules can", hint, _define(subject, name)
    )


# Messages of Lark 1.x; one that changes is passed on unchanged.
_ERRORS: tuple[tuple[str, Callable[[Subject, re.Match[str]], Meaning | None]], ...] = (
    (r"Unexpected token Token\('\w+', '(.*?)'\)", _explain_token),
    (r"Rule (\w+) is marked for expansion .*\(alias=(\w+)\)", _explain_alias),
    (r"Rule '(\w+)' used but not defined", _explain_undefined),
    (r"template arguments used for (\w+) \(expected (\d+), got (\d+)\)", _explain_template),
    (r"Rules aren't allowed inside terminals \(NonTerminal\('(\w+)'\) in (\w+)\)", _explain_rule),
    (r"zero-width terminals?\.? \((\w+):", _explain_empty),
    (r"Recursion in terminal '(\w+)'", _explain_recursion),
)
