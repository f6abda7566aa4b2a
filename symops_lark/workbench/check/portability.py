"""Check: what is outside the portable subset, so that one file serves Lark, lark-js, llguidance, XGrammar and GBNF.

The subset: regular expressions of literals, explicit classes and their complements, `( ) | ? * +`; rules and terminals
with the same signs; no priorities, aliases, templates, `[ ]` groups and directives.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...exporters.subset import FEATURES, UNVERIFIED, Feature
from .report import Finding
from .subject import Subject
from .tokens import Word

_MARKUP = re.compile(
    r"""(?P<class>\[\^?\]?(?:\\.|[^\]\\])*\])
    |(?P<look_around>\(\?<?[=!])
    |(?P<named_group>\(\?P[<>])
    |(?P<backreference>\(\?P=|\\[1-9])
    |(?P<group_extension>\(\?)
    |(?P<lazy_repetition>(?:[*+?]|\{\d*,?\d*\})\?)
    |(?P<possessive_repetition>(?:[*+?]|\{\d*,?\d*\})\+)
    |(?P<counted_repetition>\{(?!\})\d*,?\d*\})
    |(?P<class_shorthand>\\[dDwWsS])
    |(?P<anchor>[$^]|\\[bBAZ])
    |(?P<any_character>\.)
    |(?P<escape>\\.)""",
    re.VERBOSE | re.DOTALL,
)
_SHORTHAND = re.compile(r"\\[dDwWsS]")
_POINT = re.compile(r"\\u([0-9a-fA-F]{4})|\\U([0-9a-fA-F]{8})|\\x([0-9a-fA-F]{2})|([^\x00-\x7f])")
_RANGE = ".."
_DIRECTIVES = {"%ignore": "ignore", "%declare": "declare", "%import": "import"}
_SIGNS = {"->": "alias", _RANGE: "character-range"}
_SIGNS |= dict(zip("[{~", ("maybe-group", "template", "counted-rule"), strict=True))


def find_regex_features(subject: Subject) -> Iterator[Finding]:
    """Regular expressions that use more than the portable signs; each feature once in each regular expression."""
    for word in subject.statements.words:
        if word.kind == "regex":
            seen = set()
            for code, start in _scan(word):
                if code not in seen:
                    seen.add(code)
                    yield _make(subject, FEATURES[code], start)


def find_rule_features(subject: Subject) -> Iterator[Finding]:
    """Rules, terminals and directives that use more than the portable signs."""
    for definition in subject.statements.definitions:
        if definition.modifiers:
            yield _make(subject, FEATURES["rule-modifier"], definition.name.start - len(definition.modifiers))
        for word in definition.head:
            if word.kind == "number":
                yield _make(subject, FEATURES["priority"], word.start)
            elif word.text == "{":
                yield _make(subject, FEATURES["template"], word.start)
        for word in definition.body:
            code = _SIGNS.get(word.text) if word.kind == "sign" else None
            if code is None and word.kind == "string" and word.text[-1] == "i":
                code = "string-flag"
            if code:
                yield _make(subject, FEATURES[code], word.start)
    for line in subject.statements.directives:
        directive = _DIRECTIVES.get(line[0].text)
        if directive:
            yield _make(subject, FEATURES[directive], line[0].start)


def find_start_rule(subject: Subject) -> Iterator[Finding]:
    """Exports begin with another name: llguidance and XGrammar with `start`, GBNF with `root`; no mistake."""
    yield subject.note(
        "start-rule",
        "llguidance and XGrammar begin with a rule `start`, GBNF with `root`: an exporter must rename document",
        "document",
    )


def _scan(word: Word) -> Iterator[tuple[str, int]]:
    """Yield the codes and offsets of what is not portable in a regular expression."""
    body, _, flags = word.text[1:].rpartition("/")
    begin = word.start + 1
    for match in _MARKUP.finditer(body):
        kind = str(match.lastgroup)
        if kind == "class":
            if _SHORTHAND.search(match[0]):
                yield "class-shorthand", begin + match.start()
            points = [int(m[1] or m[2] or m[3], 16) if not m[4] else ord(m[4]) for m in _POINT.finditer(match[0])]
            if max(points, default=0) > 0xFFFF:
                yield "astral-class", begin + match.start()
            elif max(points, default=0) > 0x7F:
                yield "non-ascii-class", begin + match.start()
        elif kind != "escape":
            yield kind.replace("_", "-"), begin + match.start()
    if flags:
        yield "regex-flag", begin + len(body) + 1


def _make(subject: Subject, feature: Feature, start: int) -> Finding:
    find = subject.warn if feature.losses else subject.note
    told = "; ".join(f"{loss.export} {loss.effect} ({loss.source})" for loss in feature.losses)
    message = (
        f"{feature.name} is outside the portable subset: {told}"
        if told
        else (f"{feature.name}: no export is known to lose it ({UNVERIFIED} for all four)")
    )
    return find(feature.code, message, start, hint=feature.hint)
