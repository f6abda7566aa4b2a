"""`symops bench faults`: list the kinds of mistake of the fault model, and their rates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

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
    from ....lab.benchmark.faults.profile import Profile, Rate


@click.command(name="faults")
@click.argument("names", metavar="[KIND]...", nargs=-1)
@click.option(
    "--profile",
    "profile_names",
    multiple=True,
    metavar="NAME|FILE",
    help="Show the rates of this profile; may be repeated. Default: all installed profiles.",
)
@json_option
def command(names: tuple[str, ...], profile_names: tuple[str, ...], as_json: bool) -> int:
    """List the kinds of mistake and their rates.

    The kinds are those of the fault model, the rates those of the profiles. With a KIND all its
    details are shown. A star marks an assumed rate: no count and no paper supports it.
    \f

    Args:
        names: The kinds; none: all of them.
        profile_names: The profiles; none: the installed ones.
        as_json: Whether the kinds are printed as JSON.

    Raises:
        UsageError: There is no such kind.
    """
    from ....lab.benchmark.faults.kinds import load_kinds
    from ....lab.benchmark.faults.profile import load_profile, profiles

    # All names are checked before anything is printed.
    loaded = [load_profile(name) for name in profile_names or profiles()]
    by_name = load_kinds()
    for name in names:
        if name not in by_name:
            near = nearest(name, by_name)
            hint = f"did you mean {near!r}?" if near else "without a name all are listed"
            raise click.UsageError(f"no kind of mistake is called {name!r}; {hint}")
    kinds = [by_name[name] for name in names or by_name]
    if as_json:
        write_json({"kinds": [_to_dict(kind, loaded) for kind in kinds]})
    elif names:
        for kind in kinds:
            echo(_show(kind, loaded))
    else:
        echo(_show_table(kinds, loaded))
    return 0


def _show_table(kinds: Sequence[Kind], profiles: Sequence[Profile]) -> Iterator[str]:
    """Yield a row for each kind, with its rate in each profile."""
    # Counts of real replies are beside the rates that profiles assume.
    titles = ["kind", *(profile.name for profile in profiles), "counted", ""]
    rows = [titles]
    for kind in kinds:
        rates = [_show_rate(profile, kind) for profile in profiles]
        rows.append([kind.name, *rates, _count(kind), kind.summary])
    # All but the first and the last column are numbers.
    head, *lines = align(rows, right=range(1, len(profiles) + 2))
    yield paint(head, bold=True)
    yield from map(visible, lines)
    yield ""
    functions = counted(sum(len(kind.made_by) for kind in kinds), "function")
    total = f"{counted(len(kinds), 'kind')}, made by {functions}"
    yield f"{total}; * assumed; counts are of replies in other formats"


def _find_rate(profile: Profile, kind: Kind) -> Rate | None:
    for rate in profile.rates:
        if rate.kind == kind.name:
            return rate
    return None


def _show_rate(profile: Profile, kind: Kind) -> str:
    rate = _find_rate(profile, kind)
    # A blank in the place of the star, so that the numbers are aligned.
    if rate is None:
        return "never "
    star = "*" if rate.rests == "assumed" else " "
    return f"{100 * rate.value:.3g} %{star}"


def _count(kind: Kind) -> str:
    return f"{kind.measured[0]:,} of {kind.measured[1]:,}" if kind.measured else ""


def _show(kind: Kind, profiles: Sequence[Profile]) -> Iterator[str]:
    """Yield the details of a kind: its functions, its evidence, and its rates with reasons."""
    # The functions are loaded only for the details.
    from ....lab.benchmark.faults.mistakes import REGISTRY

    yield f"{paint(kind.name, bold=True)}: {visible(kind.summary)}"
    yield "  made by"
    for name in kind.made_by:
        yield f"    {name}: {visible(REGISTRY[name].summary)}"
    facts = [kind.rests]
    if kind.measured:
        facts.append(_count(kind))
    yield f"  {', '.join(facts)}: {visible(kind.evidence)}"
    for profile in profiles:
        rate = _find_rate(profile, kind)
        reason = "no rate" if rate is None else f"{rate.rests}: {rate.why}"
        value = _show_rate(profile, kind).rstrip(" *")
        yield f"  {visible(profile.name)}: {value} ({visible(reason)})"


def _to_dict(kind: Kind, profiles: Sequence[Profile]) -> dict[str, Any]:
    # A kind that a profile never makes has no rate, rather than 0.
    rates = {}
    for profile in profiles:
        if rate := _find_rate(profile, kind):
            rates[profile.name] = {"rate": rate.value, "class": rate.rests, "why": rate.why}
    value = write_object(kind, "name", "summary", "made_by") | {"class": kind.rests}
    return value | write_object(kind, "evidence", "measured") | {"rates": rates}
