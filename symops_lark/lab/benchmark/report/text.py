"""The report as one Markdown text, the source of every other form of it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from ....core.ground.numbers import counted
from ..comparison import SURE
from ..figures import RIGHT, WRONG
from ..measures import MEASURES, describe
from ..records import SIMULATED, Record
from . import findings
from .findings import last
from .opening import write_opening
from .plots import PLOTS
from .sections import Section, reasons
from .tables import tabulate
from .words import cell, code, listing, plain, table

# What a reader asks first comes first; measures that are not named here follow behind.
_ORDER = (
    "fidelity_by_phase",
    "wrong_with_alarm",
    "compliance_by_phase",
    "wrong_actions",
    "repair_success",
    "right_by_mistake",
    "right_by_number_of_mistakes",
    "right_on_the_same_mistakes",
    "tokens_per_action",
    "calibration",
    "brier_score",
    "do_no_harm",
    "cascade",
    "collisions",
    "right_by_language",
    "right_by_size",
    "well_formed",
    "asked_again",
    "asked_as_assumed",
)
HOW_TO_READ = """\
## How to read this

- **Four ends of a reply.** **Right**: what came out is what was meant, and nothing else. **Wrong with alarm**:
  something is wrong, invented or lost, and the reader says so. **No answer**: nothing valid came out. **Wrong without
  alarm** is what to fear: something is wrong, invented or lost, and nothing says so. **Valid** says of the form alone
  that it is obeyed.
- **Where replies come from** stands below every table. `simulated` figures are of mistakes that were made on purpose,
  at rates most of which are assumed: they tell which mistakes are put right, and are no rates of any model. `replayed`
  figures are of recorded replies, `live` ones of one model on one day. They are never put in one table.
- **A rate** stands with its n and its 95 % interval: `97.6 % (87.4 to 99.9)`. Replies to one task are alike, so whole
  tasks are drawn, and with them one more, which may be as good or as bad as can be. Where each task was asked once
  this is Clopper and Pearson's exact interval.
- **Of what was never seen** the same interval is told: `0 % (at most 7.9 %)`, which 45 tasks give, however often each
  was asked: 1 - 0.025^(1/45). The rule of three, 3/45, is not used: it has one side where all other intervals have two,
  so it would make a rate look surer for having been 0.
- **A difference** of two formats is shown where the interval that pairs them on their common cases excludes 0:
  "Which differences are shown" has them. Intervals of two rates that overlap do not say that there is none.
- **In the end** is after the last phase that is measured. What a simulated writer says when it is asked again is
  assumed: it stands in a table of its own, and in no other figure.
- Cases without a reply are counted apart and are in no rate. What nobody knows is *not measurable*, which is not 0.
"""


def write_markdown(sections: Sequence[Section], *, plots: bool = False) -> str:
    """Return the report as Markdown; with `plots`, an image `plot:SECTION/NAME` marks the place of each plot."""
    replies = sum(len(section.records) for section in sections)
    lines = ["# How often the format is obeyed, and what comes out", ""]
    if not sections:
        return "\n".join([*lines, "There are no records.", ""])
    lines += write_opening(sections, plots, _beneath)
    if len(sections) > 1:
        lines += [
            f"{counted(replies, 'reply', 'replies')} of {counted(len(sections), 'provenance')}, "
            "each in a part of its own.",
            "",
        ]
    for section in sections:
        lines += [*([f"{code(section.name)}:", ""] if len(sections) > 1 else []), *_compared(section), ""]
    parts: list[str] = []
    for place, section in enumerate(sections):
        parts += [*_section(section, place if plots else None), ""]
    return "\n".join([*lines, HOW_TO_READ, *list_contents(parts), "", *parts])


def list_contents(lines: Iterable[str]) -> Iterator[str]:
    """Yield a table of contents of the headings of second and third order in some lines, each a link to its own."""
    yield from ("## Contents", "")
    seen: Counter[str] = Counter()
    for line in lines:
        if found := re.fullmatch(r"(##|###) (.+)", line):
            yield f"{'' if found[1] == '##' else '  '}- [{found[2]}](#{find_anchor(found[2], seen)})"


def find_anchor(heading: str, seen: Counter[str]) -> str:
    """Return by what a heading is linked to, as GitHub makes it; `seen` has those before it."""
    name = re.sub(r"[^\w\- ]", "", re.sub(r"[`*\\]", "", heading)).strip().lower().replace(" ", "-")
    seen[name] += 1
    return name if seen[name] == 1 else f"{name}-{seen[name] - 1}"


def _compared(section: Section) -> Iterator[str]:
    """Yield in words what was compared."""
    if not section.records:
        yield f"None of {len(section.failed):,} cases has a reply: nothing can be measured."
        return
    formats, every = section.formats, len(section.records)
    judged = [record for record in section.records if record.expected is not None]
    # A recorded reply without a task has its own name in the place of one.
    asked = _asked(judged if section.provenance.kind == "replayed" else section.records)
    what = (
        "the format" if len(formats) == 1 else f"{len(formats)} formats, each a way to write a reply with its reader:"
    )
    named, read = listing([code(name) for name in formats]), counted(every, "reply", "replies")
    yield f"**What was compared**: {what} {named}. {read}{asked}."
    yield _source(section)
    if not judged:
        yield "What was meant is not known, so only the form is judged."
    elif len(judged) == every:
        yield "Because it is known what was meant, each reply is told as right, wrong or no answer."
    else:
        yield (
            f"What was meant is known of {len(judged):,} of {every:,}: only these are told as right, wrong or no "
            "answer; of the others the form is judged."
        )
    if section.is_uneven:
        yield f"\n{_remark(section)}"


def _asked(records: Sequence[Record]) -> str:
    """Return to how many tasks some replies are."""
    if not records:
        return ""
    tasks = {record.case.task for record in records}
    times = 1 + max(record.case.repetition for record in records)
    often = f", each up to {counted(times, 'time')}" if times > 1 else ""
    return f" to {counted(len(tasks), 'task')}{often}"


def _source(section: Section) -> str:
    """Return in words where the replies of a section come from, and of simulated ones how much of that is assumed."""
    if section.provenance.kind != SIMULATED:
        return {"replayed": "The replies had been recorded.", "live": "A model was asked for them in this run."}.get(
            section.provenance.kind, f"They are {plain(section.provenance.kind)}."
        )
    profile = dict(section.provenance.detail).get("profile", "")
    told = "how many of its rates are assumed this log does not say"
    if section.assumed:
        told = f"**{section.assumed}**: nobody has counted how often models make those mistakes"
    return (
        f"No model wrote them: mistakes were made on purpose in right replies, as often as the profile {code(profile)} "
        f"says; {told}. So this tells what is put right, and is no rate of any model."
    )


def _remark(section: Section) -> str:
    """Return which formats have replies to which share of the tasks."""
    most = len({record.case.task for record in section.records})
    fewer = [f"{code(name)} {count:,}" for name, count in sorted(section.tasks.items()) if count < most]
    told = f"of {counted(most, 'task')} there are replies in {listing(fewer)}" if fewer else "some lack repetitions"
    return (
        f"**Not all formats have the same tasks**: {told}. So a row of a table may be of easier tasks than its "
        'neighbour; "Which differences are shown" pairs the cases that two formats have in common.'
    )


def _beneath(section: Section) -> str:
    """Return what stands below every table: where its figures come from, and whether its rows are of the same tasks."""
    return f"{code(section.name)}." + (" Not all formats have the same tasks: see above." if section.is_uneven else "")


def _section(section: Section, place: int | None) -> Iterator[str]:
    yield f"## {code(section.name)}"
    yield ""
    yield from _headline(section)
    yield ""
    yield from _differences(section)
    figures = section.figures
    late = [name for name in MEASURES if any(figure.unit == "milliseconds" for figure in figures[name])]
    order = [name for name in (*_ORDER, *MEASURES) if name not in late]
    for name in dict.fromkeys([*order, *late]):
        tables = tabulate(figures[name])
        if not tables:
            continue
        title, how = describe(MEASURES[name])
        yield from (f"### {title}", "")
        finding = getattr(findings, name, None)
        if finding and (told := finding(figures[name])):
            yield from (f"**{told}**", "")
        if place is not None and name in PLOTS:
            yield from (f"![{title}](plot:{place}/{name})", "")
        for caption, lines in tables:
            yield from ((caption, "") if caption else ())
            yield from (*lines, "", f"{_beneath(section)}{'' if (caption, lines) != tables[-1] else ' ' + how}", "")
    yield from _unmeasured(section)
    yield from _settings(section)


def _headline(section: Section) -> Iterator[str]:
    """Yield in words, and in a table, the figures that matter."""
    if not section.records:
        yield f"None of {len(section.failed):,} cases has a reply: nothing can be measured."
        return
    yield f"{counted(len(section.records), 'reply', 'replies')}. {_source(section)}"
    if section.failed:
        yield f"{len(section.failed):,} further cases have no reply and are in no figure."
    fidelity, compliance = section.figures["fidelity_by_phase"], section.figures["compliance_by_phase"]
    right, wrong, end = last(fidelity, RIGHT), last(fidelity, WRONG), last(compliance, "valid")
    first = {figure.format: figure for figure in compliance if figure.part == "strict"}
    yield ""
    if not right:
        yield "- **What was meant is not known, so whether it came out cannot be told; compliance can.**"
    for told in findings.headlines(fidelity, compliance):
        what, colon, rest = told.partition(":")
        yield f"- **{what}{colon}**{rest}"
    yield ""
    heads = ["format", "n", "tasks", "right in the end", "wrong without alarm", "valid as written", "valid in the end"]
    rows = []
    for format in sorted(end):
        found = [known.get(format) for known in (right, wrong, first, end)]
        cells = [cell(f, with_n=f.n != end[format].n) if f else "not measurable" for f in found]
        rows.append([code(format), f"{end[format].n:,}", f"{section.tasks[format]:,}", *cells])
    yield from table(heads, rows, 1)
    yield ""
    yield f"{_beneath(section)} After the last phase of each format; rates with 95 % intervals."


def _differences(section: Section) -> Iterator[str]:
    """Yield which differences of two formats are shown, format by format, and how sure the least of them is."""
    compared, shown = section.differences
    if not compared:
        return
    yield from ("### Which differences are shown", "")
    named = {"right in the end": "right more often than", "wrong without alarm": "wrong without alarm less often than"}
    rows = []
    for format in sorted(section.tasks):
        own = [each for each in shown if each.better == format]
        worse = [[each.worse for each in own if each.comparison.outcome == column] for column in named]
        if own:
            rows.append([code(format), *(", ".join(map(code, names)) or "none" for names in worse)])
    if rows:
        yield from (*table(["format", *named.values()], rows, 3), "")
    else:
        yield from ("**No difference of two formats is shown.** That is not to say that there is none.", "")
    least = max((each.comparison.corrected for each in shown), default=None)
    yield (
        f"{_beneath(section)} On the cases that both have, whole tasks drawn; shown is what has a p below {SURE:g} "
        f"after Holm's correction for {compared:,} comparisons"
        + (f" (the greatest of these is {least:.2g})" if least is not None else "")
        + ". What is not named here may differ all the same. `symops bench compare` gives sizes and intervals."
    )
    yield ""


def _unmeasured(section: Section) -> Iterator[str]:
    """List what could not be measured, and why; and the cases without a reply."""
    lost: dict[tuple[str, str, str, str], list[str]] = defaultdict(list)
    for name, measure in MEASURES.items():
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
        yield from ("### Not measurable here", "", *lines, "", _beneath(section), "")
    crashed = [record for record in section.records if record.error]
    for title, group, note in (
        ("Cases without a reply", section.failed, "In no figure above."),
        ("Crashes of a reader", crashed, "They count as no answer."),
    ):
        if group:
            rows = [(code(format), str(count), plain(why)) for format, why, count in reasons(group)]
            lines = table(["format", "cases", "why"], rows, 3)
            yield from (f"### {title}", "", *lines, "", f"{_beneath(section)} {note}", "")


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
    yield from (*table(["setting", "value"], rows, 2), "", _beneath(section), "")
    counts = Counter((record.case.format, record.fingerprint, record.rules) for record in every)
    lines = [
        (code(format), code(fingerprint), code(rules), f"{n:,}")
        for (format, fingerprint, rules), n in sorted(counts.items())
    ]
    yield from (*table(["format", "fingerprint", "rules", "cases"], lines, 3), "", _beneath(section))
