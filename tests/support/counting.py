"""A parser that counts which alternatives of a grammar's rules it uses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from lark import Lark

from symops_lark.grammar.compiler import STARTS
from symops_lark.grammar.loading import load_grammar


def counting_parser(name: str) -> tuple[Lark, Counter[Any]]:
    """Give a dialect's LALR parser, and how often it has reduced each alternative of each rule so far."""
    used: Counter[Any] = Counter()
    lark = Lark(load_grammar(name).text, parser="lalr", start=list(STARTS))
    callbacks = lark.parser.parser.parser.callbacks

    def counted(rule: Any, build: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def reduce(children: Any) -> Any:
            used[rule] += 1
            return build(children)

        return reduce

    for rule, build in list(callbacks.items()):
        callbacks[rule] = counted(rule, build)
    return lark, used
