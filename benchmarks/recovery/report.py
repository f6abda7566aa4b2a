"""Showing figures and failures: the table of the issue, the mistakes worst first, one failure at a time."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from statistics import median
from typing import Any

from symops_lark.compliance.faults.mistakes import REGISTRY, Expected
from symops_lark.compliance.fidelity import differences
from symops_lark.measuring.intervals import wilson

from .same_damage import DAMAGES, Tally
from .scoring import ValidTally, Verdict

NEEDED = {"one": 0.97, "mixed": 0.90}


def rate(k: int, n: int) -> str:
    """Spell a rate with its Wilson interval."""
    if not n:
        return "   -"
    low, high = wilson(k, n)
    return f"{100 * k / n:5.1f} % of {n} ({100 * low:.1f} to {100 * high:.1f})"


def summary(verdicts: Iterable[Verdict]) -> dict[str, Any]:
    """Count a set of verdicts."""
    verdicts = list(verdicts)
    counted = [item for item in verdicts if item.counted]
    times = [item.seconds * 1000 for item in counted if item.seconds]
    return {
        "n": len(counted),
        "exact": sum(item.kind == "exact" for item in counted),
        "crashes": sum(item.kind == "crash" for item in verdicts),
        "invented": sum(item.invented for item in counted),
        "actions": sum(len(item.case.expected) for item in counted),
        "silently_wrong": sum(len(item.silent) for item in counted),
        "still_strict": sum(item.kind == "strict" for item in verdicts),
        "still_strict_but_different": sum(item.kind == "strict-differs" for item in verdicts),
        "median_ms": round(median(times), 1) if times else None,
        "slowest_ms": round(max(times), 1) if times else None,
    }


def valid_lines(tally: ValidTally) -> Iterator[str]:
    """The row of the valid documents."""
    yield "Valid documents whose contents are full of markup (must be 100 %)"
    for name in ("strict", "exact", "untouched", "recovered"):
        label = {"untouched": "byte-identical after repair", "recovered": "the same when recovered"}.get(name, name)
        yield f"  {label:32}{rate(getattr(tally, name), tally.n)}"


def rows(title: str, needed: float, verdicts: list[Verdict]) -> Iterator[str]:
    """The row of a set of damaged documents."""
    count = summary(verdicts)
    yield f"{title} (must be >= {100 * needed:.0f} %)"
    yield f"  {'recovered exactly':32}{rate(count['exact'], count['n'])}"
    share = 100 * count["invented"] / max(1, count["actions"])
    invented = f"{share:5.2f} % ({count['invented']} beside {count['actions']}; must be <= 0.5 %)"
    yield f"  {'actions invented':32}{invented}"
    yield f"  {'silently wrong':32}{count['silently_wrong']:5} (must be 0)"
    yield f"  {'crashes':32}{count['crashes']:5}"
    yield f"  {'still strictly valid, left out':32}{count['still_strict']:5}"
    yield f"  {'  … but not what was meant':32}{count['still_strict_but_different']:5}"
    if count["median_ms"] is not None:
        yield f"  {'time':32}{count['median_ms']:7} ms median, {count['slowest_ms']} ms at most"


def prose_line(verdicts: list[Verdict]) -> str:
    """The row of the replies that are prose alone."""
    bad = sum(bool(item.invented) for item in verdicts)
    total = sum(item.invented for item in verdicts)
    return f"Prose alone: {total} actions invented, in {bad} of {len(verdicts)} replies (must be 0)"


def mistake_lines(verdicts: list[Verdict]) -> Iterator[str]:
    """One line a mistake, the worst first; a star marks kinds that formats.md does not name."""
    groups: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        groups.setdefault(verdict.case.mistakes[0], []).append(verdict)
    table = [(name, summary(group)) for name, group in groups.items()]
    table.sort(key=lambda row: (row[1]["exact"] / row[1]["n"] if row[1]["n"] else 2, row[0]))
    heads = f"{'exact':>9} {'rate':>6} {'invented':>9} {'silent':>7} {'crash':>6} {'strict':>7} {'ms':>6}"
    yield f"  {'mistake':40} {heads}"
    for name, count in table:
        share = f"{100 * count['exact'] / count['n']:.0f} %" if count["n"] else "-"
        strict = f"{count['still_strict']}" + (
            f"+{count['still_strict_but_different']}" if count["still_strict_but_different"] else ""
        )
        star = "" if REGISTRY[name].listed else " *"
        yield (
            f"  {name + star:40} {count['exact']:>4}/{count['n']:<4} {share:>6} {count['invented']:>9} "
            f"{count['silently_wrong']:>7} {count['crashes']:>6} {strict:>7} {count['median_ms'] or '-':>6}"
        )
    yield "  (* a kind that formats.md does not name, left out above; strict: still valid + different)"


def damage_lines(table: dict[str, dict[str, Tally]], missing: list[str]) -> Iterator[str]:
    """The table of the same damage: byte-exact items in percent, silently wrong ones in brackets."""
    yield "The same damage: byte-exact items in %, silently wrong in brackets"
    yield f"  {'':14}" + "".join(f"{kind:>16}" for kind in DAMAGES)
    for name, tallies in table.items():
        yield f"  {name:14}" + "".join(f"{tallies[kind]!s:>16}" for kind in DAMAGES)
    if missing:
        yield f"  (not installed, left out: {', '.join(missing)}; see benchmarks/README.md)"


def shown(verdict: Verdict) -> Iterator[str]:
    """Draw one failure: the damage, what was expected and got, the diagnostics, the text."""
    case = verdict.case
    yield "=" * 100
    yield f"{case.dialect}  {' + '.join(case.mistakes)}  ->  {verdict.kind}  phase={verdict.phase or '-'}"
    if verdict.error:
        yield verdict.error
    for number, (expected, got) in enumerate(verdict.pairs, 1):
        yield from _pair(number, expected, got)
    for item in verdict.silent:
        yield f"  SILENTLY WRONG {item}"
    if verdict.diagnostics:
        yield "  diagnostics: " + ", ".join(_diagnostic(item) for item in verdict.diagnostics[:30])
    yield "-" * 40 + " the damage (- canonical, + damaged)"
    yield from _difference(case.original, case.text)
    yield "-" * 40 + " the damaged text"
    yield from (f"{number:4} |{visible(line)}" for number, line in enumerate(case.text.split("\n"), 1))


def visible(line: str) -> str:
    """Spell out characters that cannot be seen."""
    return "".join(
        char if char.isprintable() or char == " " else {"\t": "→\t", "\r": "␍"}.get(char, f"<U+{ord(char):04X}>")
        for char in line
    ) + ("·" if line.endswith(" ") else "")


def _diagnostic(item: Any) -> str:
    return f"{item.code}@{item.span.start}-{item.span.end}"


def _pair(number: int, expected: Expected | None, got: Any) -> Iterator[str]:
    if expected is None:
        yield f"  {number}. INVENTED  {_got(got)}"
        yield from (f"       {line}" for line in _clip((got.content or "").split("\n"), 6))
    elif got is None:
        fate = "LOST" if expected.required else "left out (may be)"
        yield f"  {number}. {fate}  {expected.type} {expected.path}"
    elif not (wrong := differences(expected, got)):
        yield f"  {number}. ok  {_got(got)}"
    else:
        meant = f"{expected.type} {expected.path!r} {expected.dependencies}"
        yield f"  {number}. WRONG {', '.join(wrong)}: expected {meant}"
        yield f"       got {_got(got)}"
        if "content" in wrong:
            yield f"       content (- expected{' (cut)' if expected.cut else ''}, + got):"
            best = expected.contents[0]
            yield from (f"       {line}" for line in _difference(*map(_text, (best, got.content))))


def _text(content: str | None) -> str:
    return "(no block)" if content is None else content


def _got(got: Any) -> str:
    size = "no block" if got.content is None else f"{len(got.content.split(chr(10)))} lines"
    deps = f" > {', '.join(got.dependencies)}" if got.dependencies else ""
    return f"{got.type} {got.path!r}{deps} ({size}, {got.confidence:.2f}, {got.completeness})"


def _difference(before: str, after: str) -> Iterator[str]:
    old, new = before.split("\n"), after.split("\n")
    lines = list(difflib.unified_diff(old, new, n=1, lineterm=""))[2:]
    yield from (visible(line) for line in _clip(lines, 40))


def _clip(lines: list[str], limit: int) -> list[str]:
    lines = [line if len(line) < 160 else line[:150] + f"… ({len(line)} characters)" for line in lines]
    return lines if len(lines) <= limit else [*lines[:limit], f"… {len(lines) - limit} more"]
