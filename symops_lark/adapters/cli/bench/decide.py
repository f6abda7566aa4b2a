"""`symops bench decide`: the rule of the original notes, with all that goes into it."""

from __future__ import annotations

from dataclasses import replace

import click

from ..options import json_option
from ..run_logs import read_side
from ..texts import write_json, write_text


@click.command(name="decide")
@click.argument("run", metavar="RUN.jsonl")
@click.option("--v2", "terse", default="v2", metavar="NAME", help="The terser format.")
@click.option("--plain", "plain", default="plain", metavar="NAME", help="The plainer format.")
@click.option(
    "--threshold",
    type=click.FloatRange(0, 2, min_open=True),
    default=0.95,
    help="Share of the plainer format's compliance that the terser one must reach.",
)
@click.option("--provenance", metavar="PART", help="Use only replies with this part in their provenance.")
@json_option
def command(run: str, terse: str, plain: str, threshold: float, provenance: str | None, as_json: bool) -> int:
    """Decide between two formats by compliance and tokens.

    The terser format is adopted if it is followed nearly as often and takes fewer tokens. Both are
    measured on the same tasks. The output shows the figures that the decision is based on, and how
    often it would be the same if the tasks were resampled.
    """
    from ....lab.benchmark.decision import decide
    from ....lab.benchmark.report.verdicts import write_decision
    from ....lab.benchmark.selection import match

    side = read_side(run, provenance)
    provenances, pairings = match(replace(side, format=terse), replace(side, format=plain))
    pairing = next(iter(pairings.values()))
    found = decide(pairing, threshold)
    if as_json:
        facts = {"v2": terse, "plain": plain, "provenance": provenances[0], "pairs": len(pairing.pairs)}
        write_json(facts | {"decisions": found})
    else:
        write_text(write_decision((terse, plain), provenances[0], pairing, found))
    return 0
