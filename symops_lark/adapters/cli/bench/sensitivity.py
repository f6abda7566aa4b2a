"""`symops bench sensitivity`: how much the assumed rates of a profile matter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING

import click

from ....core.ground.json_objects import write_object
from ..options import formats_option, json_option, repetitions_option, seed_option, tasks_option
from ..progress import show_progress
from ..tables import draw_table
from ..texts import echo, write_json
from ..visibility import visible

if TYPE_CHECKING:
    from ....lab.benchmark.sensitivity import Row
    from ....lab.measuring.statistics import Rate

_SHOWN = 15
_HEADS = ("format", "valid as written", "right in the end")


@click.command(name="sensitivity")
@click.option("--profile", default="mid", metavar="NAME|FILE", help="The profile whose rates are varied.")
@formats_option("A format, or a list with commas; may be repeated. Default: v1, v2, v2_1 and plain.")
@tasks_option
@repetitions_option(4)
@seed_option
@click.option("--each", is_flag=True, help="Also vary each assumed rate alone, omitted and doubled.")
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
    """
    from ....lab.benchmark.faults.profile import load_profile
    from ....lab.benchmark.formats import load_format
    from ....lab.benchmark.sensitivity import ALONE, FACTORS, Memory, scale_all, scale_each
    from ....lab.benchmark.settings import FORMATS
    from ....lab.benchmark.sources.simulated import Simulated
    from ....lab.benchmark.tasks import load_tasks

    chosen = load_profile(profile)
    names = [name for value in formats for name in value.split(",") if name] or FORMATS
    loaded, asked = [load_format(name) for name in dict.fromkeys(names)], load_tasks(tasks)
    runs = len(FACTORS) + (1 + len(ALONE) * chosen.assumed if each else 0)
    total, done = runs * len(loaded) * len(asked) * repetitions, count(1)
    with show_progress("cases", total) as step:
        memory = Memory(loaded, asked, repetitions, seed, lambda: step(next(done), total))
        rows = list(scale_all(chosen, memory.run))
        groups = scale_each(chosen, memory.run) if each else []
    provenance = Simulated(chosen, seed).provenance
    if as_json:
        each_alone = [_to_dict(row) for group in groups for row in group]
        write_json({"provenance": provenance, "assumed": list(map(_to_dict, rows)), "each": each_alone})
        return 0
    echo([visible(str(provenance)), ""])
    echo(draw_table(["all assumed", *_HEADS], list(map(_cells, rows)), range(4)))
    if groups:
        usual = {row.format: row for row in rows if row.factor == 1}
        shown = [cells for group in groups[:_SHOWN] for cells in _moves(group, usual)]
        echo(["", "one alone, left out and doubled, in points; those first that matter most"])
        echo(draw_table(["rate", *_HEADS], shown, range(4)))
        if len(groups) > _SHOWN:
            echo([f"and {len(groups) - _SHOWN} others that matter less; --json gives all"])
    return 0


def _cells(row: Row) -> list[str]:
    return [f"×{row.factor:g}", row.format, _show(row.valid), _show(row.right)]


def _show(rate: Rate) -> str:
    if rate.interval is None:
        return "no case"
    low, high = rate.interval
    return f"{rate.k}/{rate.n} = {100 * rate.k / rate.n:.1f} % ({100 * low:.1f} to {100 * high:.1f})"


def _moves(group: Sequence[Row], usual: Mapping[str, Row]) -> Iterator[list[str]]:
    """Return a line for each format: what the factors, in their order, add to the rates of a kind."""
    for name, base in usual.items():
        own = [row for row in group if row.format == name]
        valid = [f"{100 * ((row.valid.value or 0) - (base.valid.value or 0)):+.1f}" for row in own]
        right = [f"{100 * ((row.right.value or 0) - (base.right.value or 0)):+.1f}" for row in own]
        yield [own[0].kind, name, " and ".join(valid), " and ".join(right)]


def _to_dict(row: Row) -> dict[str, object]:
    rates = {name: write_object(getattr(row, name), "k", "n", "interval") for name in ("valid", "right")}
    return write_object(row, "kind", "factor", "format") | rates
