"""What counts: the function calls of some work, the alternatives of a grammar's rules that a parser uses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from cProfile import Profile
from typing import Any

from lark import Lark

from symops_lark.grammar.compiler import STARTS
from symops_lark.grammar.loading import load_grammar


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


class CountedText(str):
    """A text that counts in `seen` the characters that its slices copy, and those that `count` and `find` pass over.

    Its slices are such texts, too; what is made of it otherwise is not.
    """

    seen = 0

    def __getitem__(self, key: Any) -> str:
        piece = super().__getitem__(key)
        if len(piece) < 2:
            return piece
        CountedText.seen += len(piece)
        return CountedText(piece)

    def count(self, sub: str, start: Any = None, end: Any = None) -> int:
        CountedText.seen += len(range(*slice(start, end).indices(len(self))))
        return super().count(sub, start, end)

    def find(self, sub: str, start: Any = None, end: Any = None) -> int:
        found = super().find(sub, start, end)
        first, last, _ = slice(start, end).indices(len(self))
        CountedText.seen += (found if found >= 0 else max(first, last)) - first
        return found

    def rfind(self, sub: str, start: Any = None, end: Any = None) -> int:
        found = super().rfind(sub, start, end)
        first, last, _ = slice(start, end).indices(len(self))
        CountedText.seen += last - (found if found >= 0 else min(first, last))
        return found


def count_characters(text: str, work: Callable[[str], Any]) -> int:
    """Count the characters of a text that some work copies or passes over by itself."""
    before = CountedText.seen
    work(CountedText(text))
    return CountedText.seen - before
