"""How often a stream announces the actions that the whole text says, of damaged replies."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from symops_lark import StreamParser
from symops_lark.core.ground.numbers import counted
from symops_lark.core.streaming import assemble
from symops_lark.lab.benchmark.faults.marks import Dialect

from .cases import Case, cases, mixed_cases


def lines(dialects: Iterable[Dialect], names: Sequence[str], options: argparse.Namespace) -> Iterator[str]:
    """Yield the figures of each dialect: of each mistake alone, and of several together."""
    yield f"Announced actions of damaged replies, seed {options.seed}, n {options.n}"
    for dialect in dialects:
        single = [case for name in names for case in cases(name, dialect, options.n, options.seed)]
        yield from _tell(f"{dialect.name}, one mistake", single, options.show)
        if not options.only:
            mixed = list(mixed_cases(dialect, 20 * options.n, options.seed))
            yield from _tell(f"{dialect.name}, two to four mistakes", mixed, options.show)


def _tell(title: str, found: list[Case], show: int) -> Iterator[str]:
    """Yield the share of texts, and of their actions, that is announced as the result has it, and the worst kinds."""
    same = actions = right = announced = 0
    counts: Counter[str] = Counter()
    for case in found:
        stream = StreamParser(case.dialect.format)
        got = assemble(stream.events([case.text])).actions
        closed = stream.close()
        final = closed.document.actions if closed.document is not None else ()
        agreeing = sum((Counter(got) & Counter(final)).values())
        same, actions, right = same + (got == final), actions + len(final), right + agreeing
        announced += len(got)
        if got != final:
            counts["+".join(case.mistakes)] += 1
            if counts.total() <= show:
                yield from ("-" * 60, str(case.mistakes), *(item.message for item in closed.differences), case.text)
    yield (
        f"{title}: {same} of {counted(len(found), 'text')} ({same / max(1, len(found)):.1%}) announced as they end; "
        f"{right} of {counted(actions, 'action')} ({right / max(1, actions):.1%}), "
        f"{announced - right} announced otherwise"
    )
    for name, count in counts.most_common(_WORST):
        yield f"  {count:3} x {name}"


_WORST = 10  # mistakes that are named
