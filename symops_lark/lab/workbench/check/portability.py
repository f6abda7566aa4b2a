"""Check: what is outside the portable subset, so that one file serves Lark, lark-js, llguidance, XGrammar and GBNF.

The subset: regular expressions of literals, explicit classes and their complements, `( ) | ? * +`; rules and terminals
with the same signs; no priorities, aliases, templates, `[ ]` groups and directives.
"""

from __future__ import annotations

from collections.abc import Iterator

from ....exports import list_exports
from ....exports.features import find_features
from ....exports.losses import find_obstacle
from ....exports.subset import FEATURES, UNVERIFIED
from .report import Finding
from .subject import Subject


def find_unportable_features(subject: Subject) -> Iterator[Finding]:
    """What uses more than the portable signs; each feature once in each regular expression."""
    exports = ", ".join(list_exports("constraint"))
    for code, start in find_features(subject.dialect):
        feature = FEATURES[code]
        told = "; ".join(f"{loss.export} {loss.effect} ({loss.source})" for loss in feature.losses)
        message = f"{feature.name} is outside the portable subset: {told}"
        if not told:
            message = f"{feature.name}: no export is known to lose it ({UNVERIFIED} for all four)"
        if feature.refused:
            message += f"; symops export refuses it for {exports}: {feature.refused}"
        elif feature.narrowed:
            message += f"; in what symops export writes for {exports}, {feature.narrowed}"
        yield (subject.warn if told else subject.note)(code, message, start, hint=feature.hint)


def find_start_rule(subject: Subject) -> Iterator[Finding]:
    """Exports begin with another name: llguidance and XGrammar with `start`, GBNF with `root`; no mistake."""
    yield subject.note(
        "start-rule",
        "llguidance and XGrammar begin with a rule `start`, GBNF with `root`: an exporter must rename document",
        "document",
    )


def find_other_obstacles(subject: Subject) -> Iterator[Finding]:
    """The language as a whole cannot be kept in a grammar for constrained decoding, whatever it is written with."""
    found = find_obstacle(subject.dialect)
    if found is not None and not found.code:
        exports = ", ".join(list_exports("constraint"))
        message = f"symops export refuses the dialect for {exports}, because of {found.name}: {found.reason}"
        yield subject.warn("no-automaton", message, found.start)
