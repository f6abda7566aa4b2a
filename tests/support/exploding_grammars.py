"""Grammars that say much in a few signs, or refer to themselves in every way: made by size, with a seed."""

from __future__ import annotations

from collections.abc import Callable

_ON_V2 = "%import .v2\n%override document: (_GAP | thought | vitals | action | question | error | extra)*\n"
_EXTRA = '_EXTRA: "%%"\n'


def _alone(rule: str, *more: str) -> str:
    """Write a grammar of one section that is read by a rule, without a base."""
    return "\n".join([f"document: {rule}", *more, ""])


def _in_v2(rule: str, *more: str) -> str:
    """Write v2 with one more section."""
    return _ON_V2 + "\n".join([f"extra: _EXTRA {rule} _NL", *more, _EXTRA])


def _nest(depth: int, times: int, inner: str = '"a"') -> str:
    for _ in range(depth):
        inner = f"({inner}~{times})"
    return inner


def _many(count: int, shape: str, sign: str = " ") -> str:
    return sign.join(shape.format(n) for n in range(count))


def _chain(count: int, rule: str, last: str) -> list[str]:
    return [*(rule.format(n, n + 1) for n in range(count)), last.format(count)]


Rule = tuple[str, list[str]]  # what the document or the section reads, and further definitions
_FAMILIES: dict[str, Callable[[int], Rule]] = {
    "repeated": lambda n: (f'("a"~{10 * n * n})', []),
    "repeated-range": lambda n: (f'("a"~1..{n * n})', []),
    "nested-repetition": lambda n: (_nest(min(n, 9), 9), []),
    "nested-star": lambda n: ("(" * n + '"a"' + ")*" * n, []),
    "nested-range": lambda n: (f'(("a" | "b"~1..{n})~{n}) "c"', []),
    "self-twice": lambda n: ("x", ['x: x x | "a"']),
    "self-many": lambda n: ("x", [f'x: {_many(n, "x")} | "a"']),
    "empty-cycle": lambda n: ("e0", [*(f"e{k}: e{(k + 1) % n} |" for k in range(n))]),
    "empty-rules": lambda n: (_many(n, "e{}?"), [f"e{k}: " for k in range(n)]),
    "unit-cycle": lambda n: ("e0", [*(f'e{k}: e{(k + 1) % n} | "a"' for k in range(n))]),
    "optional-chain": lambda n: (_many(n, '"a"?'), []),
    "optional-rules": lambda n: (_many(n, "w{}?"), [f'w{k}: "w{k}"' for k in range(n)]),
    "brackets": lambda n: (_many(n, '["a{}"]'), []),
    "alternatives": lambda n: (f"({_many(40 * n, chr(34) + 'a{}' + chr(34), ' | ')})", []),
    "alternatives-of-rules": lambda n: (
        f"({_many(20 * n, 'w{}', ' | ')})*",
        [f'w{k}: "w{k}" w{(k * 7) % (20 * n)}?' for k in range(20 * n)],
    ),
    "choices": lambda n: (_many(n, '("a" | "b" | "c")'), []),
    "templates": lambda n: ("t0{W}", [*_chain(n, "t{}{{x}}: x t{}{{x}}", "t{}{{x}}: x"), 'W: "w"']),
    "templates-double": lambda n: (
        "t0{W}",
        [*_chain(n, "t{0}{{x}}: t{1}{{a{{x}}}} t{1}{{b{{x}}}}", "t{}{{x}}: x"), "a{x}: x", "b{x}: x", 'W: "w"'],
    ),
    "rules-double": lambda n: ("r0", _chain(n, "r{0}: r{1} r{1}", 'r{}: "a"')),
    "rules-double-inline": lambda n: ("_r0", _chain(n, "_r{0}: _r{1} _r{1} | _r{1}", '_r{}: "a"')),
    "terminals-double": lambda n: ("T0", _chain(n, "T{0}: T{1} T{1}", 'T{}: "a"')),
    "states-double": lambda n: (
        "s",
        ['s: "a" s | "b" s | "a" q0', *_chain(n, 'q{0}: "a" q{1} | "b" q{1}', 'q{}: "c"')],
    ),
    "left-and-right": lambda n: (
        "l0",
        [f'l{k}: l{(k + 1) % n} "a{k}" | "b{k}" l{(k + 2) % n} | "c{k}"' for k in range(n)],
    ),
    "huge-regex": lambda n: ("BIG", ["BIG: /" + _many(40 * n, "(a{}|b)", "") + "/"]),
    "counted-regex": lambda n: ("BIG", [f"BIG: /(a{{{100 * n}}}){{{100 * n}}}/"]),
    "optional-regex": lambda n: ("BIG", ["BIG: /" + _many(20 * n, "(x{}y?)?", "") + "z/"]),
    "unicode-regex": lambda n: ("BIG", ["BIG: /" + r"[\w\s-ɏ]" * (20 * n) + "/"]),
    "counted-terminal": lambda n: ("BIG", [f'BIG: "a"~{100 * n} "b"~1..{100 * n}']),
    "many-terminals": lambda n: (
        f"({_many(20 * n, 'W{}', ' | ')})*",
        [f"W{k}: /[a-z]{{{k % 9 + 1}}}x{k}[a-z]+/" for k in range(20 * n)],
    ),
    "long-sequence": lambda n: (_many(100 * n, '"a{}"'), []),
    "deep-brackets": lambda n: ("(" * 60 * n + '"a"' + ")" * 60 * n, []),
}
_TWICE = ("self-twice", "self-many", "repeated", "alternatives", "rules-double")  # of the document rule itself
FAMILIES = tuple(_FAMILIES)


def make_grammar(family: str, size: int, on_v2: bool) -> str:
    """Return the text of one grammar of a family: alone, or as one more section of v2."""
    rule, extra = _FAMILIES[family](size)
    return _in_v2(rule, *extra) if on_v2 else _alone(rule, *extra)
