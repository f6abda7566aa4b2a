"""`symops bench sensitivity`: show how much the assumed rates of a profile matter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

import click

from ....core.ground.json_objects import write_object
from ..options import (
    formats_option,
    json_option,
    repetitions_option,
    seed_option,
    split_names,
    tasks_option,
)
from ..progress import show_progress
from ..tables import draw_table
from ..texts import echo, write_json
from ..visibility import visible

if TYPE_CHECKING:
    from ....lab.benchmark.sensitivity import Row
    from ....lab.measuring.statistics import Rate

_MAX_RATES = 15  # that are shown one by one
_TITLES = ("format", "valid as written", "right in the end")


@click.command(name="sensitivity")
@click.option(
    "--profile", default="mid", metavar="NAME|FILE", help="The profile whose rates are varied."
)
@formats_option(
    "A format, or a list with commas; may be repeated. Default: v1, v2, v2_1 and plain."
)
@tasks_option
@repetitions_option(4)
@seed_option
@click.option(
    "--each", is_flag=True, help="Also vary each assumed rate alone, omitted and doubled."
)
@json_option
def command(
    profile: str,
    formats: tuple[str, ...],
    tasks: tuple[str, ...],
    repetitions: int,
    seed: int,
    each: bool,
    as_json: bool,
) -> int:
    """Vary the assumed rates of a profile.

    The same replies are simulated with these rates halved, unchanged and doubled, because the rates
    were never measured. The cases stay the same: a reply has other mistakes only if a rate decides
    differently. No model is asked again.
    \f

    Args:
        profile: The profile.
        formats: The formats; none: the usual ones.
        tasks: The tasks; none: all of them.
        repetitions: The number of replies to each task in each format.
        seed: The seed of the simulation.
        each: Whether each rate is also varied alone.
        as_json: Whether the rates are printed as JSON.
    """
    from ....lab.benchmark.faults.profile import load_profile
    from ....lab.benchmark.formats import load_format
    from ....lab.benchmark.sensitivity import ALONE, FACTORS, Memory, scale_all, scale_each
    from ....lab.benchmark.settings import FORMATS
    from ....lab.benchmark.sources.simulated import Simulated
    from ....lab.benchmark.tasks import load_tasks

    rates = load_profile(profile)
    loaded = [load_format(name) for name in split_names(formats) or FORMATS]
    chosen_tasks = load_tasks(tasks)
    # The number of cases is known before the first one, for the progress.
    runs = len(FACTORS)
    if each:
        # One run with the usual rates, to which the others are compared.
        runs += 1 + len(ALONE) * rates.assumed
    total = runs * len(loaded) * len(chosen_tasks) * repetitions
    done = count(1)
    with show_progress("cases", total) as step:
        memory = Memory(loaded, chosen_tasks, repetitions, seed, lambda: step(next(done), total))
        # The memory judges a case again only if it has other mistakes.
        rows = list(scale_all(rates, memory.run))
        groups = scale_each(rates, memory.run) if each else []
    # The provenance of the usual rates: each row names its factor.
    provenance = Simulated(rates, seed).provenance
    if as_json:
        write_json(
            {
                "provenance": provenance,
                "assumed": list(map(_to_dict, rows)),
                "each": [_to_dict(row) for group in groups for row in group],
            }
        )
        return 0
    echo([visible(str(provenance)), ""])
    # All columns are texts: the intervals are not aligned as numbers.
    echo(draw_table(["all assumed", *_TITLES], list(map(_cells, rows)), range(4)))
    if groups:
        # The factor 1 is the profile as it is.
        usual = {row.format: row for row in rows if row.factor == 1}
        cells: list[list[str]] = []
        for group in groups[:_MAX_RATES]:
            cells += _differences(group, usual)
        echo(["", "each rate alone, omitted and doubled, in points; the largest differences first"])
        echo(draw_table(["rate", *_TITLES], cells, range(4)))
        if len(groups) > _MAX_RATES:
            remaining = len(groups) - _MAX_RATES
            echo([f"and {remaining} others that matter less; --json gives all"])
    return 0


def _cells(row: Row) -> list[str]:
    return [f"×{row.factor:g}", row.format, _show(row.valid), _show(row.right)]


def _show(rate: Rate) -> str:
    if rate.interval is None:
        return "no case"
    low, high = rate.interval
    share = f"{100 * rate.k / rate.n:.1f} %"
    return f"{rate.k}/{rate.n} = {share} ({100 * low:.1f} to {100 * high:.1f})"


def _differences(group: Sequence[Row], usual: Mapping[str, Row]) -> Iterator[list[str]]:
    """Yield a row for each format: how much the factors, in their order, change the rates."""
    for name, base in usual.items():
        valid = []
        right = []
        for row in group:
            if row.format == name:
                valid.append(_subtract(row.valid, base.valid))
                right.append(_subtract(row.right, base.right))
        yield [group[0].kind, name, " and ".join(valid), " and ".join(right)]


def _subtract(rate: Rate, base: Rate) -> str:
    """Return a difference in points; a rate without cases counts as 0."""
    return f"{100 * ((rate.value or 0) - (base.value or 0)):+.1f}"


def _to_dict(row: Row) -> dict[str, Any]:
    # Counts and intervals: the rate itself is k / n.
    value = write_object(row, "kind", "factor", "format")
    for name in ("valid", "right"):
        value[name] = write_object(getattr(row, name), "k", "n", "interval")
    return value
