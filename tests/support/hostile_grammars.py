"""Grammars of strangers that would take endless time, or memory, or crash: name, text, and what is said of it."""

from __future__ import annotations

_V2 = "%import .v2\n"


def _document(rule: str, *more: str) -> str:
    """Write v2 with one more section, which begins with a mark of its own."""
    return _V2 + "\n".join(
        (
            "%override document: (_GAP | thought | vitals | action | question | error | extra)*",
            f"extra: _EXTRA {rule}",
            '_EXTRA: "%%"',
            *more,
            "",
        )
    )


def _terminal(body: str, *more: str) -> str:
    return _document("BAD _NL", f"BAD: {body}", *more)


_LAUGHS = [f"T{n}: T{n + 1} T{n + 1}" for n in range(40)]
_RULES = [f"r{n}: r{n + 1} r{n + 1}" for n in range(40)]

TERMINALS = {
    "nested": r"/(a+)+b/",
    "nested-star": r"/(a*)*b/",
    "twice": r"/(a|a)*b/",
    "overlapping": r"/(a|b|ab)*c/",
    "escapes": r'/"(\\.|[^"])*"/',
    "two-loops": r"/[a-z]+[a-z0-9]+[0-9a-z]+!/",
    "behind-a-word": r"/key: (x+x+)+y/",
    "in-a-look": r"/(?=(a+)+b)a/",
    "in-an-atomic-group": r"/(?>(a+)+b)/",
    "counted": r"/(a{1,3}){1,20}b/",
    "optional": "/" + "a?" * 30 + "a" * 30 + "/",
    "ignoring-case": r"/(a+|A+)+b/i",
    "of-words": r"/(\w+\s?)*!/",
    "of-categories": r"/(\d|[0-9]+)+x/",
    "lazy": r"/(a+?)+?b/",
    "combined": '("a"+)+ "b"',
    "repeated": '("a"~1..9)~2..40 "b"',
}
UNDECIDED = {"backreference": r"/(a+)\1/", "huge": r"/(a{1000}){1000}/", "huge-lark": '("ab"~9999)~9999 "c"'}

GRAMMARS = {
    **{f"terminal-{name}": (_terminal(body), "may take endless time: on the text") for name, body in TERMINALS.items()},
    **{f"undecided-{name}": (_terminal(body), "may take endless time, because") for name, body in UNDECIDED.items()},
    "terminal-of-terminals": (_terminal('(INNER)+ "b"', 'INNER: "a"+'), "'BAD' may take endless time: on the text"),
    "terminal-and-a-word": (_terminal("/(a+)+b/", f'LONG: "{"a" * 40}!"'), "may take endless time"),
    "unclosed-pattern": (_terminal("/[ " + r"\\t" * 60), "the pattern has no end"),
    "unclosed-string": (_terminal('"' + r"\\t" * 60), "the string has no end"),
    "optionals": (_document(" ".join(f'["{c}"]' for c in "abcdefghijklmnopqrstuv") + " _NL"), "alternatives"),
    "question-marks": (_document(" ".join(f'"{c}"?' for c in "abcdefghijklmnopqrstuv") + " _NL"), "alternatives"),
    "choices": (_document(" ".join(['("a"|"b"|"c")'] * 15) + " _NL"), "alternatives"),
    "repeated-choices": (_document('("a"|"b")~40 _NL'), "alternatives"),
    "repeated-a-range": (_document('("a"|"b")~1..30 _NL'), "alternatives"),
    "repeated-very-often": (_document('("a"|"b"|"c" "d"?)~3000 _NL'), "alternatives"),
    "number-of-digits": (_document(f'"a"~{"9" * 5000} _NL'), "alternatives"),
    "recursive-template": (_document("t{WORD} _NL", "t{x}: x t{u{x}} | x", "u{y}: y y"), "use itself"),
    "many-templates": (
        _document(
            "t0{WORD} _NL",
            *[f"t{n}{{x}}: t{n + 1}{{a{{x}}}} t{n + 1}{{b{{x}}}}" for n in range(20)],
            "t20{x}: x",
            "a{x}: x",
            "b{x}: x",
        ),
        "leads to more than",
    ),
    "terminals-that-double": (_document("T0 _NL", *_LAUGHS, 'T40: "x"'), "steps"),
    "rules-that-double": (_document("r0 _NL", *_RULES, "r40: WORD"), "steps"),
    "states-that-double": (
        _document(
            "s _NL", 's: "a" s | "b" s | "a" q0', *[f'q{n}: "a" q{n + 1} | "b" q{n + 1}' for n in range(22)], 'q22: "c"'
        ),
        "",
    ),
    "empty-mark": (_V2 + '%override _OPEN: ""\n', "the mark _OPEN is empty"),
    "endless-mark": (_V2 + f'%override _OPEN: "{"<" * 5000}"\n', "more than 100 characters"),
    "deep-groups": (_document("(" * 5000 + '"a"' + ")" * 5000 + " _NL"), ""),
    "deep-regex": (_terminal("/" + "(" * 5000 + "a" + ")" * 5000 + "/"), ""),
    "many-definitions": (_V2 + "".join(f'x{n}: "a"\n' for n in range(5000)), "definitions"),
    "many-marks": (_V2 + "".join(f'_X{n}: "a"\n' for n in range(5000)), "definitions"),
    "builds-on-itself": ("%import .builds-on-itself\n" + _V2 + "%import .circle\n", ""),
    "empty": ("", ""),
    "no-grammar": ("\x00\x01\ufeff{}", ""),
    "bad-escape": (_terminal('"\\ud800"'), ""),
    "bad-name": (_terminal("/\\N{no such name}/"), ""),
    "bad-class": (_terminal("/[z-a]/"), ""),
    "digits": (_terminal("/a{" + "9" * 5000 + "}/"), ""),
    "flags": (_terminal("/a/imslux"), ""),
    "no-width": (_terminal("/a*/"), ""),
    "verbs": (_V2 + "%override _running: thought\n", ""),
    "verb-without-a-text": (_V2 + "%override RUN: /r/ /u/\n", ""),
    "priority": (_V2 + f"extra.{'9' * 5000}: WORD\n", ""),
}
RECOVERIES = {
    "doubling": (
        "%import .v2_recovery\n"
        + "".join(f"a{n}: a{n + 1} | a{n + 1} a{n + 1}\n" for n in range(30))
        + "a30: TEXT\n%extend document: a0\n"
    ),
    "optionals": "%import .v2_recovery\n%extend document: " + "[TEXT] " * 22 + "\n",
    "circle": "%import .v2_recovery\n%extend document: document document\n",
    "nothing": "",
    "declared": "%declare TEXT\ndocument: TEXT document |\n",
    "template": "%declare TEXT\ndocument: t{TEXT}\nt{x}: x t{u{x}} | x\nu{y}: y y\n",
    "price": "%import .v2_recovery\nnew_mistake." + "9" * 5000 + ": document\n",
    "readings": (
        "%import .v2_recovery\n"
        + "".join(f"o{n}.-{n}00: o{n + 1} | p{n}\np{n}.-7{n}00: o{n + 1}\n" for n in range(18))
        + "o18: TEXT\n%extend document: document o0\n"
    ),
}
