"""The report as one Markdown text. The HTML page is made from it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from ....core.ground.numbers import counted
from ..comparison import SURE
from ..measures import MEASURES, describe
from ..records import SIMULATED, Record
from . import findings
from .contents import list_contents
from .opening import write_opening
from .plots import PLOTS
from .sections import Section, reasons
from .tables import tabulate
from .words import code, listing, plain, table

# The most important measures come first; measures that are not named here follow.
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
    # Assumed figures come last: they are not measured.
    "asked_as_assumed",
)
HOW_TO_READ = """\
## How to read this

- **Four outcomes of a reply.** **Right**: the actions that were meant came out, and nothing else.
  **Wrong with alarm**: something is wrong, invented or lost, and the reader says so. **No answer**:
  nothing valid came out. **Wrong without alarm** is the outcome to fear: something is wrong,
  invented or lost, and nothing says so. **Valid** describes the form alone: the format is followed.
- **The origin of the replies** is below every table. `simulated` figures are of mistakes that were
  made on purpose, at rates most of which are assumed: they show which mistakes are repaired, and
  are not rates of any model. `replayed` figures are of recorded replies, `live` ones of one model
  on one day. They are never put in one table.
- **A rate** has its n and its 95 % interval: `97.6 % (87.4 to 99.9)`. Replies to one task are
  alike, so tasks are resampled (cluster bootstrap), and with them one more, which may be as good or
  as bad as can be. Where each task was asked once this is Clopper and Pearson's exact interval.
- **A rate of 0** has the same interval: `0 % (at most 7.9 %)`, which 45 tasks give, however often
  each was asked: 1 - 0.025^(1/45). The rule of three, 3/45, is not used: it has one side where all
  other intervals have two, so it would make a rate look surer for having been 0.
- **A difference** of two formats is shown where the interval that pairs them on their common cases
  excludes 0: see "Which differences are shown". Intervals of two rates that overlap do not show
  that the rates are equal.
- **In the end** is after the last phase that is measured. The reply of a simulated writer who is
  asked again is assumed: it has a separate table, and is in no other figure.
- Cases without a reply are counted separately and are in no rate. What is not known is
  *not measurable*, which is not 0.
"""
_ORIGINS = {
    "replayed": "The replies had been recorded.",
    "live": "A model was asked for them in this run.",
}


def write_markdown(sections: Sequence[Section], *, plots: bool = False) -> str:
    """Return the report as Markdown.

    With `plots`, an image `plot:SECTION/NAME` marks the place of each plot.
    """
    lines = ["# How often the format is obeyed, and what comes out", ""]
    if not sections:
        return "\n".join([*lines, "There are no records.", ""])
    # A reader who stops after the first screen has the verdict.
    lines += write_opening(sections, plots, _origin)
    if len(sections) > 1:
        replies = counted(sum(len(section.records) for section in sections), "reply", "replies")
        provenances = counted(len(sections), "provenance")
        lines += [f"{replies} of {provenances}, each in a separate part.", ""]
    parts = []
    for place, section in enumerate(sections):
        if len(sections) > 1:
            lines += [f"{code(section.name)}:", ""]
        lines += [*_subject(section), ""]
        parts += [*_section(section, place if plots else None), ""]
    return "\n".join([*lines, HOW_TO_READ, *list_contents(parts), "", *parts])


def _subject(section: Section) -> Iterator[str]:
    """Yield sentences on what was compared."""
    if not section.records:
        yield _no_reply(section)
        return
    every = section.records
    # Replies of a model to a free request have no meaning that is known.
    judged = [record for record in every if record.expected is not None]
    # A recorded reply without a task has its own name in the place of one.
    answered = judged if section.provenance.kind == "replayed" else every
    subject = "the format"
    if len(section.formats) > 1:
        subject = f"{len(section.formats)} formats, each a way to write a reply with its reader:"
    names = _codes(section.formats)
    replies = counted(len(every), "reply", "replies")
    yield f"**What was compared**: {subject} {names}. {replies}{_tasks(answered)}."
    yield _source(section)
    if not judged:
        yield "What was meant is not known, so only the form is judged."
    elif len(judged) == len(every):
        yield (
            "Because it is known what was meant, each reply is judged as right, wrong or no answer."
        )
    else:
        yield (
            f"What was meant is known of {len(judged):,} of {len(every):,}: only these are judged "
            "as right, wrong or no answer; for the others only the form is judged."
        )
    if section.is_uneven:
        yield f"\n{_warn_of_tasks(section)}"


def _no_reply(section: Section) -> str:
    return f"None of {len(section.failed):,} cases has a reply: nothing can be measured."


def _codes(names: Iterable[object]) -> str:
    return listing([code(str(name)) for name in names])


def _tasks(records: Sequence[Record]) -> str:
    """Return the number of tasks that some replies are to."""
    if not records:
        return ""
    text = f" to {counted(len({record.case.task for record in records}), 'task')}"
    repetitions = _repetitions(records)
    if repetitions > 1:
        text += f", each up to {counted(repetitions, 'time')}"
    return text


def _repetitions(records: Iterable[Record]) -> int:
    return 1 + max(record.case.repetition for record in records)


def _source(section: Section) -> str:
    """Return the origin of the replies; of simulated ones, how much of it is assumed."""
    kind = section.provenance.kind
    if kind != SIMULATED:
        return _ORIGINS.get(kind, f"They are {plain(kind)}.")
    # Logs of older versions have no count of the rates that are assumed.
    profile = dict(section.provenance.detail).get("profile", "")
    assumed = "this log does not contain how many of its rates are assumed"
    if section.assumed:
        assumed = f"**{section.assumed}**: it was not counted how often models make those mistakes"
    return (
        "No model wrote them: mistakes were made on purpose in right replies, as often as the "
        f"profile {code(profile)} says; {assumed}. So this shows what is repaired, and is not a "
        "rate of any model."
    )


def _warn_of_tasks(section: Section) -> str:
    """Return which formats have replies to fewer tasks."""
    task_count = len({record.case.task for record in section.records})
    fewer = []
    for name, n in sorted(section.tasks.items()):
        if n < task_count:
            fewer.append(f"{code(name)} {n:,}")
    # All may have replies to each task, but not equally often.
    reason = "some lack repetitions"
    if fewer:
        reason = f"of {counted(task_count, 'task')} there are replies in {listing(fewer)}"
    return (
        f"**Not all formats have the same tasks**: {reason}. So a row of a table may be of easier "
        'tasks than its neighbour; "Which differences are shown" pairs the cases that two formats '
        "have in common."
    )


def _origin(section: Section) -> str:
    """Return the text below every table: the origin, and whether rows are of different tasks."""
    text = f"{code(section.name)}."
    if section.is_uneven:
        text += " Not all formats have the same tasks: see above."
    return text


def _section(section: Section, place: int | None) -> Iterator[str]:
    yield from (f"## {code(section.name)}", "")
    yield from _differences(section)
    for name in _order(section):
        title, definition = describe(MEASURES[name])
        figures = section.figures[name]
        tables = tabulate(figures)
        if not tables:
            continue
        yield from (f"### {title}", "")
        # Not every measure can be put in a sentence.
        write_finding = getattr(findings, name, None)
        finding = write_finding(figures) if write_finding else ""
        if finding:
            yield from (f"**{finding}**", "")
        if place is not None and name in PLOTS:
            yield from (f"![{title}](plot:{place}/{name})", "")
        notes = [_origin(section)] * len(tables)
        # Only the last table of a measure has its definition below it.
        notes[-1] += f" {definition}"
        for (caption, lines), note in zip(tables, notes, strict=True):
            if caption:
                yield from (caption, "")
            yield from (*lines, "", note, "")
    yield from _unmeasured(section)
    yield from _settings(section)


def _order(section: Section) -> list[str]:
    """Return the names of the measures in the order of the report."""
    # Times differ from run to run: they come last, so that the rest can be compared.
    late = {}
    for name in (*_ORDER, *MEASURES):
        late[name] = any(figure.unit == "milliseconds" for figure in section.figures[name])
    return sorted(late, key=lambda name: late[name])


def _differences(section: Section) -> Iterator[str]:
    """Yield the differences of two formats that are shown, and how certain the least one is."""
    compared, differences = section.differences
    if not compared:
        return
    yield from ("### Which differences are shown", "")
    columns = {
        "right in the end": "right more often than",
        "wrong without alarm": "wrong without alarm less often than",
    }
    rows: dict[str, dict[str, list[str]]] = {}
    for difference in differences:
        row = rows.setdefault(difference.better, {column: [] for column in columns})
        if difference.comparison.outcome in row:
            row[difference.comparison.outcome].append(code(difference.worse))
    if rows:
        lines = []
        for format, row in sorted(rows.items()):
            cells = [", ".join(names) or "none" for names in row.values()]
            lines.append([code(format), *cells])
        yield from (*table(["format", *columns.values()], lines, 3), "")
    else:
        yield from (
            "**No difference of two formats is shown.** This does not show that there is none.",
            "",
        )
    greatest = ""
    if differences:
        p = max(difference.comparison.corrected for difference in differences)
        greatest = f" (the greatest of these is {p:.2g})"
    yield (
        f"{_origin(section)} On the cases that both have, with tasks resampled. A "
        f"difference is shown if its p is below {SURE:g} after Holm's correction for {compared:,} "
        f"comparisons{greatest}. Formats that are not named here may still differ. "
        "`symops bench compare` gives sizes and intervals."
    )
    yield ""


def _unmeasured(section: Section) -> Iterator[str]:
    """Yield what could not be measured, and why; and the cases without a reply."""
    # The formats of each figure that has no value.
    lost = defaultdict(list)
    for name, measure in MEASURES.items():
        # Titles are unique, names of figures are not.
        title, _ = describe(measure)
        for figure in section.figures[name]:
            if figure.value is None:
                lost[title, figure.why, figure.name, figure.part].append(figure.format)
    # One row for all figures of a measure that lack a value for the same reason and formats.
    rows: dict[tuple[str, str, tuple[str, ...]], tuple[dict[str, None], dict[str, None]]] = {}
    for (title, why, name, part), unmeasured in lost.items():
        names, parts = rows.setdefault((title, why, tuple(unmeasured)), ({}, {}))
        names[name] = None
        parts[plain(part)] = None
    lines = []
    for (title, why, formats), words in rows.items():
        texts = [", ".join(filter(None, group)) for group in words]
        where = "every"
        if formats != section.formats:
            where = _codes(formats)
        lines.append([title, "; ".join(filter(None, texts)), why, where])
    if lines:
        heads = ["measure", "figures", "why", "formats"]
        yield from _titled("Not measurable here", table(heads, lines, 4), _origin(section))
    crashed = [record for record in section.records if record.error]
    # Both are errors, but only a crash is a judgment of the reply.
    yield from _errors("Cases without a reply", section, section.failed, "In no figure above.")
    yield from _errors("Crashes of a reader", section, crashed, "They count as no answer.")


def _errors(title: str, section: Section, group: Sequence[Record], note: str) -> Iterator[str]:
    if group:
        rows = [(code(format), str(n), plain(why)) for format, why, n in reasons(group)]
        lines = table(["format", "cases", "why"], rows, 3)
        yield from _titled(title, lines, f"{_origin(section)} {note}")


def _titled(title: str, lines: Sequence[str], note: str) -> tuple[str, ...]:
    return (f"### {title}", "", *lines, "", note, "")


def _settings(section: Section) -> Iterator[str]:
    """Yield the settings that the figures depend on."""
    records = (*section.records, *section.failed)
    models = set()
    seeds = set()
    versions = defaultdict(set)
    cases: Counter[tuple[str, str, str]] = Counter()
    for record in records:
        models |= {record.model} - {""}
        seeds.add(record.seed)
        cases[record.case.format, record.fingerprint, record.rules] += 1
        # A log may be resumed with other versions.
        for name, version in record.versions:
            versions[name].add(version)
    rows = [("provenance", code(section.provenance.kind))]
    rows += [(plain(name), code(value)) for name, value in section.provenance.detail]
    if models:
        rows.append(("model", _codes(sorted(models))))
    rows += [("seed", _codes(sorted(seeds))), ("repetitions", str(_repetitions(records)))]
    rows += [(plain(name), _codes(sorted(versions[name]))) for name in sorted(versions)]
    yield from _titled("Settings", table(["setting", "value"], rows, 2), _origin(section))
    # Formats of the same name that other readers judged would be in two rows.
    lines = [(*map(code, names), f"{n:,}") for names, n in sorted(cases.items())]
    yield from (*table(["format", "fingerprint", "rules", "cases"], lines, 3), "", _origin(section))
