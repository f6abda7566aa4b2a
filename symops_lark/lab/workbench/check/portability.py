"""Check: features outside the subset that Lark, lark-js, llguidance, XGrammar and GBNF share.

The subset: regular expressions of literals, explicit classes and their complements, `( ) | ? * +`;
rules and terminals with the same signs; no priorities, aliases, templates, `[ ]` groups and
directives.
"""

from __future__ import annotations

from collections.abc import Iterator

from ....exports import list_exports
from ....exports.features import find_features
from ....exports.losses import find_obstacle
from ....exports.subset import UNVERIFIED, load_features
from .report import Finding
from .subject import Subject


def find_unportable_features(subject: Subject) -> Iterator[Finding]:
    """A feature is not portable; it is reported once in each regular expression."""
    exports = ", ".join(list_exports("constraint"))
    for code, start in find_features(subject.dialect):
        feature = load_features()[code]
        losses = [f"{loss.export} {loss.effect} ({loss.source})" for loss in feature.losses]
        message = f"{feature.name} is outside the portable subset: {'; '.join(losses)}"
        if not losses:
            # It may still be lost: it was not tried.
            message = f"{feature.name}: no export is known to lose it ({UNVERIFIED} for all four)"
        if feature.refused:
            message += f"; symops export refuses it for {exports}: {feature.refused}"
        report = subject.warn if losses else subject.note
        yield report(code, message, start, hint=feature.hint)


def find_start_rule(subject: Subject) -> Iterator[Finding]:
    """Exports begin with another rule: `start` in llguidance and XGrammar, `root` in GBNF."""
    yield subject.note(
        "start-rule",
        "llguidance and XGrammar begin with a rule `start`, GBNF with `root`: an exporter must "
        "rename document",
        "document",
    )


def find_other_obstacles(subject: Subject) -> Iterator[Finding]:
    """The language cannot be exported for constrained decoding, however it is written."""
    obstacle = find_obstacle(subject.dialect)
    # An obstacle with a code is a feature, which is reported above.
    if obstacle is not None and not obstacle.code:
        exports = ", ".join(list_exports("constraint"))
        message = (
            f"symops export refuses the dialect for {exports}, because of {obstacle.name}: "
            f"{obstacle.reason}"
        )
        yield subject.warn("no-automaton", message, obstacle.start)
