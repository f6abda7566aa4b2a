"""The report as one Markdown text, the source of every other form of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from ..measures import describe, find_measures
from . import findings
from .findings import last
from .sections import Section, reasons
from .tables import tabulate
from .words import cell, code, listing, plain, table

# What a reader asks first comes first; measures that are not named here follow behind.
_ORDER = (
    "fidelity_by_phase",
    "compliance_by_phase",
    "wrong_actions",
    "repair_success",
    "exact_by_mistake",
    "exact_by_number_of_mistakes",
    "exact_on_the_same_mistakes",
    "tokens_per_action",
    "calibration",
    "brier_score",
    "do_no_harm",
    "cascade",
    "collisions",
    "exact_by_language",
    "exact_by_size",
    "well_formed",
    "asked_again",
    "asked_as_assumed",
    "usage",
    "latency",
)
HOW_TO_READ = """\
## How to read this

- **A rate** stands with its n and its 95 % interval (Wilson's): `97.6 % (94.1 to 99.1)`. Of something that was never
  seen in n replies, all that can be said is that its rate is at most about 3/n: `0 % (at most 1.8 %)`.
- **Provenance** stands above everything. `simulated` figures are of mistakes that were made on purpose: they tell which
  mistakes are put right, and are no rates of any model. `replayed` figures are of recorded replies, `live` ones of one
  model on one day. They are never put in one table.
- **Accepted** means that a valid document came out; **exact**, that it is what was meant. **Wrong accepted** is what
  to fear: something is wrong or missing without an alarm. A rejected reply is never any kind of success.
- **In the end** is after the last phase that is measured. What a simulated writer says when it is asked again is
  assumed: it stands in a table of its own, and in no other figure.
- **Figures of two formats** whose intervals overlap can still differ, and the other way round: `symops bench compare`
  pairs them on the same tasks, and says how sure a difference is.
- Repetitions of a task are more alike than different tasks: where a task was asked several times, Wilson's interval is
  too narrow. `compare` and the intervals of tokens draw whole tasks instead.
- Cases without a reply are counted apart and are in no rate. What nobody knows is *not measurable*, which is not 0.
"""


def write_markdown(sections: Sequence[Section], *, plots: bool = False) -> str:
    """Return the report as Markdown; with `plots`, an image `plot:SECTION/NAME` marks the place of each plot."""
    replies = sum(len(section.records) for section in sections)
    lines = ["# How often the format is obeyed, and what comes out", ""]
    if not sections:
        return "\n".join([*lines, "There are no records.", ""])
    many = len(sections) > 1
    lines += [
        f"{replies:,} replies of {len(sections)} provenance{'s' if many else ''}"
        f"{', each in a part of its own' if many else ''}.",
        "",
    ]
    if many:
        lines += [*(f"- {code(section.name)}: {len(section.records):,} replies" for section in sections), ""]
    for place, section in enumerate(sections):
        lines += [*_section(section, place if plots else None), ""]
    return "\n".join([*lines, HOW_TO_READ])


def _section(section: Section, place: int | None) -> Iterator[str]:
    yield f"## {code(section.name)}"
    yield ""
    yield from _headline(section)
    yield ""
    measures, figures = find_measures(), section.figures
    late = [name for name in measures if any(figure.unit == "milliseconds" for figure in figures[name])]
    order = [name for name in (*_ORDER, *measures) if name in measures and name not in late]
    from .plots import find_plots

    for name in dict.fromkeys([*order, *late]):
        tables = tabulate(figures[name])
        if not tables:
            continue
        title, how = describe(measures[name])
        yield from (f"### {title}", "")
        finding = getattr(findings, name, None)
        if finding and (told := finding(figures[name])):
            yield from (f"**{told}**", "")
        if place is not None and name in find_plots():
            yield from (f"![{title}](plot:{place}/{name})", "")
        for caption, lines in tables:
            yield from ((caption, "") if caption else ())
            yield from (*lines, "", f"{code(section.name)}.{'' if (caption, lines) != tables[-1] else ' ' + how}", "")
    yield from _unmeasured(section)
    yield from _settings(section)


def _headline(section: Section) -> Iterator[str]:
    """Yield in words, and in a table, the three figures that matter."""
    if not section.records:
        yield f"None of {len(section.failed):,} cases has a reply: nothing can be measured."
        return
    formats = len({record.case.format for record in section.records})
    tasks = len({record.case.task for record in section.records})
    asked = f"{len(section.records):,} replies to {tasks:,} tasks in {formats} format{'s' if formats > 1 else ''}"
    yield f"{asked}, {_SAID.get(section.provenance.kind, plain(section.provenance.kind))}."
    if section.failed:
        yield f"{len(section.failed):,} further cases have no reply and are in no figure."
    fidelity, compliance = section.figures["fidelity_by_phase"], section.figures["compliance_by_phase"]
    exact = {figure.format: figure for figure in last(fidelity, "exact")}
    wrong = {figure.format: figure for figure in last(fidelity, "wrong accepted")}
    first = {figure.format: figure for figure in compliance if figure.part == "strict"}
    end = {figure.format: figure for figure in last(compliance, "accepted")}
    yield ""
    if not exact:
        yield "- **What was meant is not known, so whether it came out cannot be told; compliance can.**"
    for told in findings.headlines(fidelity, compliance):
        what, colon, rest = told.partition(":")
        yield f"- **{what}{colon}**{rest}"
    yield ""
    heads = ["format", "n", "exact in the end", "wrong accepted", "valid as written", "valid in the end"]
    rows = []
    for format in sorted(end):
        found = [known.get(format) for known in (exact, wrong, first, end)]
        cells = [cell(f, with_n=f.n != end[format].n) if f else "not measurable" for f in found]
        rows.append([code(format), f"{end[format].n:,}", *cells])
    yield from table(heads, rows, 1)
    yield ""
    yield f"{code(section.name)}. After the last phase of each format; rates with 95 % intervals."


_SAID = {
    "simulated": "with mistakes that were made on purpose: this tells what is put right, and is no rate of any model",
    "replayed": "which had been recorded",
    "live": "asked of a model for this run",
}


def _unmeasured(section: Section) -> Iterator[str]:
    """List what could not be measured, and why; and the cases without a reply."""
    lost: dict[tuple[str, str, str, str], list[str]] = defaultdict(list)
    for name, measure in find_measures().items():
        for figure in section.figures[name]:
            if figure.value is None:
                lost[describe(measure)[0], figure.why, figure.name, figure.part].append(figure.format)
    named: dict[tuple[str, str, tuple[str, ...]], list[dict[str, None]]] = defaultdict(lambda: [{}, {}])
    for (title, why, name, part), formats in lost.items():
        for words, word in zip(named[title, why, tuple(formats)], (name, plain(part)), strict=True):
            words |= {word: None} if word else {}
    if named:
        cells = [
            (
                title,
                "; ".join(", ".join(words) for words in told if words),
                why,
                "every" if formats == section.formats else listing([code(format) for format in formats]),
            )
            for (title, why, formats), told in named.items()
        ]
        lines = table(["measure", "figures", "why", "formats"], cells, 4)
        yield from ("### Not measurable here", "", *lines, "", f"{code(section.name)}.", "")
    crashed = [record for record in section.records if record.error]
    for title, group, note in (
        ("Cases without a reply", section.failed, "In no figure above."),
        ("Crashes of a reader", crashed, "They count as rejected."),
    ):
        if group:
            rows = [(code(format), str(count), plain(why)) for format, why, count in reasons(group)]
            lines = table(["format", "cases", "why"], rows, 3)
            yield from (f"### {title}", "", *lines, "", f"{code(section.name)}. {note}", "")


def _settings(section: Section) -> Iterator[str]:
    """Yield what the figures depend on."""
    every = (*section.records, *section.failed)
    yield from ("### Settings", "")
    rows = [("provenance", code(section.provenance.kind))]
    rows += [(plain(name), code(value)) for name, value in section.provenance.detail]
    models = sorted({record.model for record in every if record.model})
    rows += [("model", listing([code(name) for name in models]))] if models else []
    rows += [("seed", listing([code(str(seed)) for seed in sorted({record.seed for record in every})]))]
    rows += [("repetitions", str(1 + max(record.case.repetition for record in every)))]
    versions: dict[str, set[str]] = {}
    for record in every:
        for name, version in record.versions:
            versions.setdefault(name, set()).add(version)
    rows += [(plain(name), listing([code(v) for v in sorted(told)])) for name, told in sorted(versions.items())]
    yield from (*table(["setting", "value"], rows, 2), "", f"{code(section.name)}.", "")
    counts = Counter((record.case.format, record.fingerprint, record.rules) for record in every)
    lines = [
        (code(format), code(fingerprint), code(rules), f"{n:,}")
        for (format, fingerprint, rules), n in sorted(counts.items())
    ]
    yield from (*table(["format", "fingerprint", "rules", "cases"], lines, 3), "", f"{code(section.name)}.")
