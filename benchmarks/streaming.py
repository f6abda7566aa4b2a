"""Print how often a stream announces the actions that the whole text says: `python -m benchmarks.streaming`.

Damaged replies are those of `benchmarks.recovery`; all of them are simulated. `--memory MB` measures time and memory of
one long valid stream instead.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections import Counter
from collections.abc import Iterator

from symops_lark import StreamParser
from symops_lark.compliance.faults.dialects import every, handle, load
from symops_lark.compliance.faults.mistakes import REGISTRY
from symops_lark.numbers import counted
from symops_lark.streaming import NEED_TEXT, ActionStarted, assemble

from .recovery.cases import Case, cases, mixed_cases


def main() -> int:
    """Run what the command line asks for and print it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.streaming", description=__doc__)
    parser.add_argument("--n", type=int, default=5, help="cases of each mistake and dialect (default 5)")
    parser.add_argument("--seed", type=int, default=1, help="another seed, other documents and damage (default 1)")
    parser.add_argument(
        "--dialect", default=",".join(every()), metavar="NAME", help="names with commas between (default: all dialects)"
    )
    parser.add_argument("--only", default="", metavar="PART", help="only mistakes whose name holds PART")
    parser.add_argument("--worst", type=int, default=10, metavar="K", help="name the K mistakes worst announced")
    parser.add_argument("--show", type=int, default=0, metavar="K", help="draw the first K texts announced otherwise")
    parser.add_argument("--memory", type=int, default=0, metavar="MB", help="measure a long valid stream")
    options = parser.parse_args()
    if options.memory:
        return measure(options.memory)
    print(f"Announced actions of damaged replies, seed {options.seed}, n {options.n}")
    for name in options.dialect.split(","):
        dialect = load(name)
        single = [
            case
            for item in REGISTRY.values()
            if options.only in item.name
            for case in cases(item.name, dialect, options.n, options.seed)
        ]
        tell(f"{name}, one mistake", single, options)
        if not options.only:
            tell(f"{name}, two to four mistakes", list(mixed_cases(dialect, 20 * options.n, options.seed)), options)
    return 0


def tell(title: str, found: list[Case], options: argparse.Namespace) -> None:
    """Stream the texts and print the share of them, and of their actions, that is announced as the result has it."""
    same = actions = right = announced = 0
    wrong: Counter[str] = Counter()
    shown = 0
    for case in found:
        stream = StreamParser(handle(case.dialect))
        got = assemble(stream.events([case.text])).actions
        closed = stream.close()
        final = closed.document.actions if closed.document is not None else ()
        agreeing = sum((Counter(got) & Counter(final)).values())
        same, actions, right = same + (got == final), actions + len(final), right + agreeing
        announced += len(got)
        if got != final:
            wrong["+".join(case.mistakes)] += 1
            if shown < options.show:
                shown += 1
                print("-" * 60, case.mistakes, *(item.message for item in closed.differences), case.text, sep="\n")
    print(
        f"{title}: {same}/{counted(len(found), 'text')} ({same / max(1, len(found)):.1%}) announced as they end; "
        f"{right}/{counted(actions, 'action')} ({right / max(1, actions):.1%}), "
        f"{announced - right} announced otherwise"
    )
    for name, count in wrong.most_common(options.worst):
        print(f"  {count:3} x {name}")


def measure(size: int) -> int:
    """Print time per megabyte and peak memory of a valid stream that is not kept."""
    stream, seen = StreamParser("v2", keep=False), Counter[str]()
    began = time.perf_counter()
    for piece in pieces(size * 1_000_000):
        stream.receive(piece)
        while (event := stream.next_event()) is not NEED_TEXT:
            seen["actions" if isinstance(event, ActionStarted) else "events"] += 1
    stream.close()
    seconds = time.perf_counter() - began
    unit = 1024 if sys.platform == "darwin" else 1
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 / unit
    print(
        f"{size} MB in {seconds:.1f} s: {1000 * seconds / size:.0f} ms per MB; {counted(seen.total(), 'event')}, "
        f"{counted(seen['actions'], 'of them an action', 'of them actions')}; peak memory of the process {peak:.0f} MB"
    )
    return 0


def pieces(size: int) -> Iterator[str]:
    """Return a valid text of about `size` characters, in pieces of 4,096."""
    section = ">> the next file\n::c0.9 ::m0.8\n::create @src/module.py\n<<<\n{}>>>\n\n::run @pytest -q\n\n"
    function = "def function_{}(value: int) -> int:\n    # a comment\n    return value + {}\n\n"
    body = "".join(function.format(i, i) for i in range(200))
    text = section.format(body)
    text = text * max(1, 1_000_000 // len(text))
    done = 0
    while done < size:
        for at in range(0, len(text), 4096):
            piece = text[at : at + 4096]
            done += len(piece)
            yield piece


if __name__ == "__main__":
    sys.exit(main())
