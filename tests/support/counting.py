"""What counts: the function calls of some work, the alternatives of a grammar's rules that a parser uses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from cProfile import Profile
from typing import Any

from lark import Lark

from symops_lark.core.grammar.compiling.compiler import STARTS
from symops_lark.core.grammar.loading import load_grammar


def count_calls(work: Callable[[], Any]) -> int:
    """Count the function calls of Python and of its built-ins that some work makes."""
    profile = Profile()
    profile.runcall(work)
    return sum(entry.callcount for entry in profile.getstats())


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
