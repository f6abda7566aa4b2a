"""Print the table of how well replies are recovered: `python -m benchmarks.recovery`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from itertools import chain

from symops_lark.core.grammar import loading
from symops_lark.core.ground.numbers import counted
from symops_lark.core.ground.python_processes import process_pool
from symops_lark.lab.benchmark.faults.dialects import load
from symops_lark.lab.benchmark.faults.documents import draw_documents
from symops_lark.lab.benchmark.faults.endings import nth_endings
from symops_lark.lab.benchmark.faults.marks import DIALECTS, Dialect
from symops_lark.lab.benchmark.faults.mistakes import REGISTRY

from . import derived, detection, peers, reliability, report, streams
from .cases import Case, Verdict, cases, judge_case, mixed_cases, prose_cases, valid_case
from .same_damage import SymOps, Tally, compare

Task = tuple[str, Dialect, int, int]


def main() -> int:
    """Run what the command line asks for and print it."""
    options = _options()
    if options.list:
        for item in REGISTRY.values():
            print(f"{item.name:42}{item.summary}")
        return 0
    names = [name for name in REGISTRY if any(part in name for part in options.only.split(","))]
    if not names:
        print(f"no mistake is called {options.only!r}; see --list", file=sys.stderr)
        return 2
    chosen = {"both": DIALECTS, "all": loading.dialects()}.get(options.dialect, tuple(options.dialect.split(",")))
    dialects = tuple(map(load, chosen))
    if options.derive:
        lines = derived.lines(dialects, names, options)
    elif options.detection:
        lines = detection.lines(dialects, options)
    elif options.streams:
        lines = streams.lines(dialects, names, options)
    else:
        lines = _lines(dialects, names, options)
    for line in lines:
        print(line, flush=True)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.recovery", description=__doc__)
    parser.add_argument("--n", type=int, default=10, help="cases of each mistake and dialect (default 10)")
    parser.add_argument("--seed", type=int, default=1, help="another seed, other documents and damage (default 1)")
    parser.add_argument(
        "--dialect", default="both", metavar="NAME", help="names or .lark files with commas between, both, or all"
    )
    parser.add_argument(
        "--derive", metavar="SEEDS", help="compare each dialect with ones derived from it, their marks drawn from SEEDS"
    )
    parser.add_argument("--detection", action="store_true", help="how often the dialect of a text is told")
    parser.add_argument("--streams", action="store_true", help="how often a stream announces what the whole text says")
    parser.add_argument("--show", type=int, default=0, metavar="K", help="draw the first K failures")
    parser.add_argument("--only", default="", metavar="PART", help="only mistakes whose name holds PART (or PART,PART)")
    parser.add_argument("--peers", action="store_true", help="compare with the peers that are installed")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default 1)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--list", action="store_true", help="list the mistakes")
    return parser.parse_args()


def _judge(task: Task) -> list[Verdict]:
    kind, dialect, n, seed = task
    result: Iterator[Case]
    if kind == "valid":
        documents = draw_documents(10 * n, seed, dialect, hard=0.85)
        ends = (nth_endings(number, f"{seed}/valid/{number}") for number in range(10 * n))
        result = (valid_case(document, dialect, endings) for document, endings in zip(documents, ends, strict=True))
    elif kind == "mixed":
        result = mixed_cases(dialect, 20 * n, seed)
    elif kind == "prose":
        result = prose_cases(dialect, 10 * n, seed)
    else:
        result = cases(kind, dialect, n, seed)
    return [judge_case(case) for case in result]


def _lines(dialects: tuple[Dialect, ...], names: list[str], options: argparse.Namespace) -> Iterator[str]:
    """Yield the figures, as a table or as JSON."""
    kinds = names if options.only else ["valid", *names, "mixed", "prose"]
    tasks = [(kind, dialect, options.n, options.seed) for kind in kinds for dialect in dialects]
    with process_pool(options.jobs) as pool:
        by_key: dict[str, list[Verdict]] = {}
        for task, verdicts in zip(tasks, pool.map(_judge, tasks), strict=True):
            by_key.setdefault(task[0], []).extend(verdicts)
    valid, mixed, prose = (by_key.get(kind, []) for kind in ("valid", "mixed", "prose"))
    single = list(chain.from_iterable(by_key[name] for name in names))
    table, missing = _same_damage(dialects, options) if not options.only else ({}, [])
    invented = sum(item.invented for item in prose)
    if options.json:
        figures = {
            "valid": report.valid_summary(valid),
            "one_mistake": report.summary(single),
            "several_mistakes": report.summary(mixed),
            "line_endings": {name: {"one_mistake": report.summary(some)} for name, some in report.by_endings(single)},
            "reliability": reliability.as_json(single, mixed),
            "prose_alone": {"n": len(prose), "invented": invented},
            "mistakes": report.by_mistake(single),
            "same_damage": {n: {kind: vars(t) for kind, t in tallies.items()} for n, tallies in table.items()},
        }
        yield json.dumps(figures, indent=2, ensure_ascii=False)
        return
    yield f"Simulated mistakes, seed {options.seed}, n {options.n}, {options.dialect}"
    if not options.only:
        yield from ("", *report.valid_lines(report.valid_summary(valid)))
        yield from (
            "",
            f"Prose alone: {counted(invented, 'action')} invented in {counted(len(prose), 'reply', 'replies')} "
            "(must be 0)",
        )
        yield from ("", *report.damage_lines(table, missing))
    yield from ("", *reliability.lines(single, mixed))
    yield from ("", *report.mistake_lines(single, mixed))
    quiet = [(item.case, text) for item in (*single, *mixed) for text in item.silent + item.unsaid]
    yield from (f"No alarm: {case.dialect} {' + '.join(case.mistakes)}: {text}" for case, text in quiet)
    for verdict in report.worst((*valid, *single, *mixed, *prose))[: options.show]:
        yield from report.shown(verdict)


def _same_damage(
    dialects: tuple[Dialect, ...], options: argparse.Namespace
) -> tuple[dict[str, dict[str, Tally]], list[str]]:
    result, missing = peers.installed() if options.peers else ([], [])
    forms = [*(SymOps(dialect) for dialect in dialects), *result]
    return {form.name: compare(form, 6 * options.n, options.seed) for form in forms}, missing


if __name__ == "__main__":
    sys.exit(main())
