"""`symops bench faults`: the kinds of mistake, what makes them, and what is known of how often they are made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from ....core.ground.json_objects import write_object
from ....core.ground.numbers import counted
from ....core.text.yaml_file import nearest
from ..colours import paint
from ..options import json_option
from ..tables import align
from ..texts import echo, write_json
from ..visibility import visible

if TYPE_CHECKING:
    from ....lab.benchmark.faults.kinds import Kind
    from ....lab.benchmark.faults.profile import Profile


@click.command(name="faults")
@click.argument("names", metavar="[KIND]...", nargs=-1)
@click.option(
    "--profile",
    "chosen",
    multiple=True,
    metavar="NAME|FILE",
    help="Show the rates of this profile; may be repeated. Default: all installed profiles.",
)
@json_option
def command(names: tuple[str, ...], chosen: tuple[str, ...], as_json: bool) -> int:
    """List the kinds of mistake and their rates.

    The kinds are those of the fault model, the rates those of the profiles. With a KIND all its
    details are shown. A star marks an assumed rate: no count and no paper supports it.
    """
    from ....lab.benchmark.faults.kinds import load_kinds
    from ....lab.benchmark.faults.profile import load_profile, profiles

    loaded = [load_profile(name) for name in chosen or profiles()]
    kinds = load_kinds()
    for name in names:
        if name not in kinds:
            near = nearest(name, kinds)
            hint = f"did you mean {near!r}?" if near else "without a name all are listed"
            raise click.UsageError(f"no kind of mistake is called {name!r}; {hint}")
    wanted = [kinds[name] for name in names or kinds]
    if as_json:
        write_json({"kinds": [_to_dict(kind, loaded) for kind in wanted]})
        return 0
    if names:
        echo(line for kind in wanted for line in _tell(kind, loaded))
        return 0
    rows = [["kind", *(profile.name for profile in loaded), "counted", ""]]
    rows += [[kind.name, *(_rate(profile, kind) for profile in loaded), _count(kind), kind.summary] for kind in wanted]
    head, *lines = align(rows, right=range(1, len(loaded) + 2))
    echo([paint(head, bold=True), *map(visible, lines)])
    functions = sum(len(kind.made_by) for kind in wanted)
    made = f"{counted(len(wanted), 'kind')}, made by {counted(functions, 'function')}"
    echo(["", f"{made}; * assumed; counts are of replies in other formats"])
    return 0


def _rate(profile: Profile, kind: Kind) -> str:
    for rate in profile.rates:
        if rate.kind == kind.name:
            return f"{100 * rate.value:.3g} %{'*' if rate.rests == 'assumed' else ' '}"
    return "never "


def _count(kind: Kind) -> str:
    return f"{kind.measured[0]:,} of {kind.measured[1]:,}" if kind.measured else ""


def _tell(kind: Kind, loaded: Sequence[Profile]) -> Iterator[str]:
    from ....lab.benchmark.faults.mistakes import REGISTRY

    yield paint(kind.name, bold=True) + ": " + visible(kind.summary)
    yield "  made by"
    for name in kind.made_by:
        yield f"    {name}: {visible(REGISTRY[name].summary)}"
    yield f"  {kind.rests}" + (f", {_count(kind)}" if kind.measured else "") + f": {visible(kind.evidence)}"
    for profile in loaded:
        why = next((f"{rate.rests}: {rate.why}" for rate in profile.rates if rate.kind == kind.name), "no rate")
        yield f"  {visible(profile.name)}: {_rate(profile, kind).rstrip(' *')} ({visible(why)})"


def _to_dict(kind: Kind, loaded: Sequence[Profile]) -> dict[str, object]:
    told = write_object(kind, "name", "summary", "made_by") | {"class": kind.rests}
    rates = {
        profile.name: {"rate": rate.value, "class": rate.rests, "why": rate.why}
        for profile in loaded
        for rate in profile.rates
        if rate.kind == kind.name
    }
    return told | write_object(kind, "evidence", "measured") | {"rates": rates}
