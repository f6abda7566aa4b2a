"""Print what readers of JSON answers make of the same replies: `python -m benchmarks.structured extract`.

`speed` prints how long ours takes, `local` what a small model of this machine answers.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator

from symops_lark.answers.structured import extract_json, find_problems
from symops_lark.core.ground.numbers import counted

from . import local
from .damage import KINDS, SCHEMA, Reply, draw_replies
from .readers import READERS, Reader, installed_readers

RIGHT, NO_ANSWER, WRONG = "right", "no answer", "wrong without alarm"
_OPEN = ("{", "[", '"', "```", "```json\n", '{"a":', '{"', "<think>", "{//\n")
_WHOLE = ('{"a":1}', '{"a":1,', "{a:1}", '{"a":x}', "}")


def main() -> int:
    """Run what the command line asks for and print it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.structured", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    extract = commands.add_parser("extract", help="readers on the same replies")
    extract.add_argument("--n", type=int, default=50, help="replies of each kind (default 50)")
    extract.add_argument("--seed", type=int, default=1)
    extract.add_argument("--show", type=int, default=0, metavar="K", help="the first K replies that ours gets wrong")
    speed = commands.add_parser("speed", help="seconds for hostile replies")
    speed.add_argument("--size", type=int, default=10_000_000, help="characters (default 10 million)")
    local.add_options(commands.add_parser("local", help="a small model of this machine, free and held to schemas"))
    options = parser.parse_args()
    if options.command == "local":
        return local.run(options)
    lines = _compare(options) if options.command == "extract" else _take_time(options.size)
    for line in lines:
        print(line, flush=True)
    return 0


def judge(reply: Reply, reader: Reader) -> str:
    """Return what a reader makes of a reply, once its result has been compared with the schema."""
    try:
        value = reader(reply.text)
    except Exception:  # noqa: BLE001  (each library has errors of its own)
        value = None
    if not isinstance(value, dict) or find_problems(value, SCHEMA):
        return RIGHT if reply.wanted is None else NO_ANSWER
    return RIGHT if value == reply.wanted else WRONG


def _compare(options: argparse.Namespace) -> Iterator[str]:
    replies, readers = draw_replies(options.n, options.seed), installed_readers()
    answers = sum(reply.wanted is not None for reply in replies)
    simulated, kinds = counted(len(replies), "simulated reply", "simulated replies"), counted(len(KINDS), "kind")
    yield f"# {simulated}, {options.n} of each of {kinds}, seed {options.seed}"
    yield f"# {answers} have an answer; in {len(replies) - answers} none is certain, and only a refusal is right."
    yield f"# Every result is compared with the schema afterwards. {WRONG}: another value than the one meant."
    for name in READERS.keys() - readers.keys():
        yield f"# {name}: not installed"
    verdicts = {name: Counter((r.kind, judge(r, reader)) for r in replies) for name, reader in readers.items()}
    yield ""
    yield f"{'reader':20}{RIGHT:>8}{NO_ANSWER:>11}{WRONG:>21}"
    for name, value in verdicts.items():
        sums = {verdict: sum(value[kind, verdict] for kind in KINDS) for verdict in (RIGHT, NO_ANSWER, WRONG)}
        yield f"{name:20}{sums[RIGHT]:8}{sums[NO_ANSWER]:11}{sums[WRONG]:21}"
    yield ""
    yield f"{WRONG}, by kind"
    yield f"{'':24}" + "".join(f"{name.split(' ')[0][:12]:>13}" for name in readers if name != "symops, no schema")
    for kind in KINDS:
        counts = [value[kind, WRONG] for name, value in verdicts.items() if name != "symops, no schema"]
        yield f"{kind:24}" + "".join(f"{count or '.':>13}" for count in counts)
    yield ""
    yield "no answer of symops, though there is one: " + (
        ", ".join(f"{kind} {count}" for kind in KINDS if (count := verdicts["symops"][kind, NO_ANSWER])) or "none"
    )
    matching_replies = [reply for reply in replies if judge(reply, readers["symops"]) == WRONG]
    for reply in matching_replies[: options.show]:
        yield f"{reply.kind}: {json.dumps(reply.text, ensure_ascii=False)} wanted {reply.wanted}"


def _take_time(size: int) -> Iterator[str]:
    yield f"# seconds for {counted(size, 'character')} of one piece again and again"
    for piece in (*_OPEN, *_WHOLE):
        text = piece * (size // len(piece))
        start = time.perf_counter()
        extract_json(text, SCHEMA)
        yield f"{json.dumps(piece, ensure_ascii=False):14}{time.perf_counter() - start:8.1f}"


if __name__ == "__main__":
    sys.exit(main())
