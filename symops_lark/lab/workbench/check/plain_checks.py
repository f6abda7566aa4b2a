"""Checks of grammars that are not dialects: terminals without pattern, rules without text."""

from __future__ import annotations

from collections.abc import Iterator

from ..plain import PlainGrammar
from .report import Finding
from .subject import Subject


def find_declared_terminals(subject: Subject, grammar: PlainGrammar) -> Iterator[Finding]:
    """A terminal has no pattern, so no lexer finds it; Lark says nothing until a text is parsed."""
    # A postlexer may create tokens of terminals without a pattern.
    if grammar.parser.options.postlex is not None:
        return
    patterns = {terminal.name for terminal in grammar.parser.terminals}
    used: dict[str, None] = {}
    for rule in grammar.parser.rules:
        used |= {str(symbol.name): None for symbol in rule.expansion if symbol.is_term}
    for name in used:
        if name not in patterns:
            # The first use after the directives.
            place = grammar.dialect.text.find(name, grammar.dialect.text.find("%declare"))
            yield subject.error(
                "declared-terminal",
                f"the terminal {name} is declared without a pattern: only a postlexer could make "
                "it",
                max(0, place),
                hint="define it; for indented blocks declare _INDENT and _DEDENT, and call the "
                "line end _NL",
            )


def find_endless_rules(subject: Subject, grammar: PlainGrammar) -> Iterator[Finding]:
    """Each alternative of a rule leads back to it, so it has no text."""
    rules = grammar.parser.rules
    ending: set[str] = set()
    changed = True
    while changed:
        changed = False
        for rule in rules:
            name = str(rule.origin.name)
            parts = {str(symbol.name) for symbol in rule.expansion if not symbol.is_term}
            # A terminal always ends.
            if name not in ending and ending.issuperset(parts):
                ending.add(name)
                changed = True
    # Rules that Lark makes of repetitions are not in the grammar.
    for name in dict.fromkeys(str(rule.origin.name) for rule in rules):
        if name not in ending and name in subject.definitions:
            yield subject.error(
                "endless-rule",
                f"the rule {name} has no text: each of its alternatives needs it again, or "
                "another such rule",
                name,
                hint="add an alternative that ends, or write the repetition with `*` or `+`",
            )
