"""Changes of the grammar of v2: one for each feature outside the portable subset."""

from __future__ import annotations

from collections.abc import Callable

from symops_lark.core.grammar.loading import load_grammar

V2 = load_grammar("v2").text
Change = Callable[[str], str]


def put(old: str, new: str) -> Change:
    def change(text: str) -> str:
        assert old in text, f"v2.lark has changed: {old!r} is not in it"
        return text.replace(old, new, 1)

    return change


def define(line: str) -> Change:
    return lambda text: text + line + "\n"


FEATURE_CHANGES: dict[str, Change] = {
    "any-character": put("NUMBER:     /[0-9]+/", "NUMBER:     /[0-9]./"),
    "class-shorthand": put("NUMBER:     /[0-9]+/", "NUMBER:     /\\d+/"),
    "anchor": put("NUMBER:     /[0-9]+/", "NUMBER:     /[0-9]+\\b/"),
    "look-around": put("NUMBER:     /[0-9]+/", "NUMBER:     /[0-9]+(?!x)/"),
    "backreference": put("NUMBER:     /[0-9]+/", "NUMBER:     /([0-9])\\1/"),
    "named-group": put("NUMBER:     /[0-9]+/", "NUMBER:     /(?P<n>[0-9])/"),
    "group-extension": put("NUMBER:     /[0-9]+/", "NUMBER:     /(?:[0-9])+/"),
    "regex-flag": put("NUMBER:     /[0-9]+/", "NUMBER:     /[0-9]+/i"),
    "lazy-repetition": put("NUMBER:     /[0-9]+/", "NUMBER:     /[0-9]+?/"),
    "possessive-repetition": put("NUMBER:     /[0-9]+/", "NUMBER:     /[0-9]++/"),
    "counted-repetition": put("NUMBER:     /[0-9]+/", "NUMBER:     /[0-9]{1,3}/"),
    "non-ascii-class": put("NUMBER:     /[0-9]+/", "NUMBER:     /[0-9é]+/"),
    "astral-class": put("NUMBER:     /[0-9]+/", "NUMBER:     /[0-9\\U0001f600]+/"),
    "priority": put("NUMBER:     /[0-9]+/", "NUMBER.2:     /[0-9]+/"),
    "alias": put("document: (_GAP", "document: _all -> document\n_all: (_GAP"),
    "maybe-group": put("question: ask choice*", "question: ask [choice]"),
    "template": put("question: ask choice*", "question: ask _many{choice}\n_many{what}: what*"),
    "ignore": define("%ignore /\\x00/"),
    "declare": define("%declare LATER"),
    "import": define("%import common.WS"),
    "counted-rule": put("question: ask choice*", "question: ask choice~3"),
    "string-flag": put("ask:      _QUESTION", '_ASK: "ask"i\nask:      (_QUESTION | _ASK)'),
    "character-range": put("NUMBER:     /[0-9]+/", 'NUMBER:     ("0".."9")+'),
    "rule-modifier": put("ask:      _QUESTION", "!ask:      _QUESTION"),
    "start-rule": lambda text: text,
}

# A recovery grammar that nests: sections inside a content, between delimiters that balance.
NESTED = """%import .v2_recovery
%extend _line: _nested
_nested: body_inner_head body_inner_open _inner* (body_inner_close | missing_inner_closer)
missing_inner_closer.-3000:
_inner: _line | body_inner_head
body_inner_head: ACTION | NEAR_ACTION | COMMAND
body_inner_open: OPEN
body_inner_close: CLOSE
"""
