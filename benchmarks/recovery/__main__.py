"""Print the table of how well replies are recovered: `python -m benchmarks.recovery`."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from typing import Any

from symops_lark.compliance.faults.dialects import every, load
from symops_lark.compliance.faults.documents import draw_documents
from symops_lark.compliance.faults.marks import DIALECTS, Dialect
from symops_lark.compliance.faults.mistakes import REGISTRY

from . import derived, detection, peers, report
from .same_damage import SymOps, Tally, compare
from .scoring import ValidTally, Verdict, cases, judge, judge_valid, mixed_cases, prose_cases

Task = tuple[str, Dialect, int, int]
PROSE = "prose-alone"


def main() -> int:
    """Run what the command line asks for and print it."""
    options = _options()
    if options.list:
        for item in REGISTRY.values():
            print(f"{item.name:42}{item.summary}{'' if item.listed else ' *'}")
        return 0
    names = list(REGISTRY)
    if options.only:
        names = [name for name in names if any(part in name for part in options.only.split(","))]
        if not names:
            print(f"no mistake is called {options.only!r}; see --list", file=sys.stderr)
            return 2
    chosen = {"both": DIALECTS, "all": every()}.get(options.dialect, tuple(options.dialect.split(",")))
    dialects = tuple(map(load, chosen))
    if options.derive:
        return _compare_derived(dialects, names, options)
    if options.detection:
        return _detect(dialects, options)
    whole = not options.only
    valid = _valid(dialects, options) if whole and options.n else ValidTally()
    single = _run([(name, dialect, options.n, options.seed) for dialect in dialects for name in names], options)
    mixed = _run([("", dialect, 20 * options.n, options.seed) for dialect in dialects], options) if whole else []
    prose = _run([(PROSE, dialect, 10 * options.n, options.seed) for dialect in dialects], options) if whole else []
    table, missing = _same_damage(dialects, options) if whole else ({}, [])
    if options.json:
        print(json.dumps(_figures(valid, single, mixed, prose, table), indent=2, ensure_ascii=False))
    else:
        for line in _table(options, valid, single, mixed, prose, table, missing):
            print(line)
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
    parser.add_argument("--show", type=int, default=0, metavar="K", help="draw the first K failures")
    parser.add_argument("--only", metavar="PART", help="only mistakes whose name holds PART (or PART,PART)")
    parser.add_argument("--peers", action="store_true", help="compare with the peers that are installed")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default 1)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--list", action="store_true", help="list the mistakes")
    return parser.parse_args()


def _compare_derived(dialects: tuple[Dialect, ...], names: list[str], options: argparse.Namespace) -> int:
    """Print the figures of each dialect beside those of the dialects derived from it."""
    singles = [name for name in names if REGISTRY[name].listed]
    print(f"Derived dialects, seed {options.seed}, n {options.n}: base %, derived %, difference")
    failed = []
    for base in dialects:
        for seed in map(int, options.derive.split(",")):
            print(f"{base.name}, marks {seed}: {derived.spelt(derived.derive(base, seed))}", flush=True)
            tasks = [(name, base.format, seed, options.n, options.seed) for name in singles]
            tasks += [] if options.only else [("", base.format, seed, 20 * options.n, options.seed)]
            with ProcessPoolExecutor(options.jobs) as pool:
                found = dict(zip((task[0] for task in tasks), pool.map(derived.judged, tasks), strict=True))
            one = [pair for name, pairs in found.items() if name for pair in pairs]
            for title, pairs in (("one mistake", one), ("two to four mistakes", found.get("", []))):
                if pairs:
                    print(*derived.lines(title, pairs), sep="\n", flush=True)
            both = [pair for pair in one + found.get("", []) if pair[1].counted]
            failed += [pair for pair in both if pair[0].kind == "exact" != pair[1].kind]
    worst = Counter(" + ".join(first.case.mistakes) for first, _ in failed)
    print(*(f"  {count:4} x only base: {name}" for name, count in worst.most_common(25)), sep="\n")
    for _, second in failed[: options.show]:
        print(*report.shown(second), sep="\n")
    return 0


def _detect(dialects: tuple[Dialect, ...], options: argparse.Namespace) -> int:
    """Print how often the dialect of a text is told."""
    print(f"Detection among all installed dialects, seed {options.seed}, n {options.n}")
    with ProcessPoolExecutor(options.jobs) as pool:
        tasks = detection.tasks(dialects, options.n, options.seed)
        found = [told for part in pool.map(detection.run, tasks) for told in part]
    print(*detection.lines(found), sep="\n")
    for title, text in [row for told in found for row in told.missed][: options.show]:
        print("=" * 100, title, text, sep="\n")
    return 0


def _judge_task(task: Task) -> list[Verdict]:
    name, dialect, n, seed = task
    if name == PROSE:
        return [judge(case) for case in prose_cases(dialect, n, seed)]
    found = cases(name, dialect, n, seed) if name else mixed_cases(dialect, n, seed)
    return [judge(case) for case in found]


def _run(tasks: list[Task], options: argparse.Namespace) -> list[Verdict]:
    if options.jobs == 1:
        return [verdict for task in tasks for verdict in _progress(task)]
    with ProcessPoolExecutor(options.jobs) as pool:
        return [verdict for found in pool.map(_judge_task, tasks) for verdict in found]


def _progress(task: Task) -> list[Verdict]:
    if sys.stderr.isatty():
        print(f"\r\033[K{task[1]} {task[0] or 'several mistakes'}", end="\r", file=sys.stderr)
    return _judge_task(task)


def _valid(dialects: tuple[Dialect, ...], options: argparse.Namespace) -> ValidTally:
    tally = ValidTally()
    for dialect in dialects:
        for document in draw_documents(10 * options.n, options.seed, dialect, hard=0.85):
            judge_valid(document, dialect, tally)
    return tally


def _same_damage(
    dialects: tuple[Dialect, ...], options: argparse.Namespace
) -> tuple[dict[str, dict[str, Tally]], list[str]]:
    found, missing = peers.installed() if options.peers else ([], [])
    forms = [*(SymOps(dialect) for dialect in dialects), *found]
    return {form.name: compare(form, 6 * options.n, options.seed, lambda _: None) for form in forms}, missing


def _listed(verdicts: list[Verdict]) -> list[Verdict]:
    return [item for item in verdicts if all(REGISTRY[name].listed for name in item.case.mistakes)]


def _table(
    options: argparse.Namespace,
    valid: ValidTally,
    single: list[Verdict],
    mixed: list[Verdict],
    prose: list[Verdict],
    table: dict[str, dict[str, Tally]],
    missing: list[str],
) -> Iterator[str]:
    yield f"Simulated mistakes, seed {options.seed}, n {options.n}, {options.dialect}"
    yield ""
    if valid.n:
        yield from report.valid_lines(valid)
        yield ""
    yield from report.rows("One mistake", report.NEEDED["one"], _listed(single))
    yield ""
    if mixed:
        yield from report.rows("Two to four mistakes", report.NEEDED["mixed"], mixed)
        yield ""
    if prose:
        yield report.prose_line(prose)
        yield ""
    if table:
        yield from report.damage_lines(table, missing)
        yield ""
    yield "Each mistake alone"
    yield from report.mistake_lines(single)
    silent = [(item, text) for item in [*single, *mixed] for text in item.silent]
    if silent:
        yield ""
        yield f"Silently wrong ({len(silent)})"
        for item, text in silent:
            yield f"  {item.case.dialect} {' + '.join(item.case.mistakes)}: {text}"
    for what, text, note in valid.failures[: options.show]:
        yield from ("=" * 100, what, note, text)
    bad = [item for item in [*single, *mixed] if item.kind not in {"exact", "strict"}]
    bad += [item for item in prose if item.invented]
    bad.sort(key=lambda item: (item.kind == "strict-differs", not item.silent, item.kind != "crash"))
    for item in islice(bad, options.show):
        yield from report.shown(item)


def _figures(
    valid: ValidTally,
    single: list[Verdict],
    mixed: list[Verdict],
    prose: list[Verdict],
    table: dict[str, dict[str, Tally]],
) -> dict[str, Any]:
    names = sorted({item.case.mistakes[0] for item in single})
    return {
        "valid": {key: getattr(valid, key) for key in ("n", "strict", "exact", "untouched", "recovered")},
        "one_mistake": report.summary(_listed(single)),
        "several_mistakes": report.summary(mixed),
        "prose_alone": {"n": len(prose), "invented": sum(item.invented for item in prose)},
        "mistakes": {name: report.summary(item for item in single if item.case.mistakes[0] == name) for name in names},
        "same_damage": {
            name: {
                kind: {"exact": tally.exact, "items": tally.items, "silent": tally.silent, "written": tally.written}
                for kind, tally in tallies.items()
            }
            for name, tallies in table.items()
        },
    }


if __name__ == "__main__":
    sys.exit(main())
