"""Grammars that were broken for the checks of `symops grammar check`: v2 with one change each."""

from __future__ import annotations

from grammar_changes import Change, define, put

from symops_lark import Severity

BROKEN: dict[str, tuple[Change, str, Severity, str]] = {
    # code: the change, a part of the message, severity, example
    "shift-reduce": (
        put("thought:  _THOUGHT _SP TEXT _NL", "thought:  _THOUGHT _SP TEXT _NL _GAP?"),
        "may end before _GAP or continue",
        Severity.WARNING,
        ">> a\n\n",
    ),
    "terminal-collision": (
        put("_NL: /[ \\t\\r]*\\n/", "_NL: /([ \\t\\r]+\\n?|\\n)/"),
        "both _NL and _SP match ' '",
        Severity.WARNING,
        "! a ",
    ),
    "cut-short": (put("_SP: /[ \\t]+/", "_SP: /[ \\t][ \\t]*[ \\t]*/"), "a longer _NL", Severity.WARNING, "! a \n"),
    "swallowed-string": (
        put("MESSAGE:    /[^ \\t\\r\\n@]", "MESSAGE:    /[^ \\t\\r\\n]"),
        "text of _TARGET",
        Severity.WARNING,
        "! a @",
    ),
    "hidden-reading": (
        lambda text: put("_SP? DEPENDENCY", "_SP? _DEPENDS? DEPENDENCY")(
            put('_COMMA:    ","', '_COMMA:    ">>"')(text)
        ),
        "always _COMMA",
        Severity.WARNING,
        "::a@a>a>>",
    ),
    "undecided": (put("NUMBER:     /[0-9]+/", "NUMBER:     /[0-9]+(?=x)/"), "NUMBER", Severity.NOTE, ""),
    "unwrapped-alternation": (
        put("_NL: /[ \\t\\r]*\\n/", "_NL: /[ \\t\\r]+\\n|\\n/"),
        "divides all of BLOCK",
        Severity.WARNING,
        "",
    ),
    "nested-set": (put("NUMBER:     /[0-9]+/", "NUMBER:     /[[0-9]+/"), "possible nested set", Severity.WARNING, ""),
    "unused-rule": (define("lost: TEXT"), "the rule lost is dead: nothing uses it", Severity.WARNING, ""),
    "unused-terminal": (define("lost: FOUND\nFOUND: /x/"), "only lost uses it", Severity.WARNING, ""),
    "recursive-rule": (
        put("question: ask choice*", "question: ask _choices?\n_choices: choice | choice _choices"),
        "_choices leads back to itself",
        Severity.WARNING,
        "",
    ),
    "equal-marks": (put('_THOUGHT:  ">>"', '_THOUGHT:  "?"'), "Lark always takes _QUESTION", Severity.WARNING, "?"),
    "word-mark": (
        put('_ACTION:   "::"', '_ACTION:   "do"'),
        "longer words that begin with it are actions",
        Severity.WARNING,
        "",
    ),
    "divided-block": (
        put("action:   head BLOCK?", "action:   head (_OPEN _NL _CONTENT_LINE* _CLOSE _NL)?"),
        "not one terminal",
        Severity.WARNING,
        "",
    ),
}


def two_readings(text: str) -> str:
    """A line may be a thought or something else: Lark refuses the grammar."""
    text = put("ask:      ", "other: _THOUGHT _SP TEXT _NL\nask:      ")(text)
    return put("question | error)*", "question | error | other)*")(text)
