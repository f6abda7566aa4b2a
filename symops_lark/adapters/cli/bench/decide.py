"""`symops bench decide`: apply the decision rule of the original notes."""

from __future__ import annotations

from dataclasses import replace

import click

from ..options import FloatRange, json_option
from ..run_logs import read_side
from ..texts import write_json, write_text


@click.command(name="decide")
@click.argument("run", metavar="RUN.jsonl")
@click.option("--v2", "terse", default="v2", metavar="NAME", help="The terser format.")
@click.option("--plain", default="plain", metavar="NAME", help="The plainer format.")
@click.option(
    "--threshold",
    type=FloatRange(0, 2, min_open=True),
    default=0.95,  # of the original notes
    help="Share of the plainer format's compliance that the terser one must reach.",
)
@click.option(
    "--provenance", metavar="PART", help="Use only replies with this part in their provenance."
)
@json_option
def command(
    run: str, terse: str, plain: str, threshold: float, provenance: str | None, as_json: bool
) -> int:
    """Decide between two formats by compliance and tokens.

    The terser format is adopted if it is followed nearly as often and takes fewer tokens. Both are
    measured on the same tasks. The output shows the figures that the decision is based on, and how
    often it would be the same if the tasks were resampled.
    \f

    Args:
        run: The run log.
        terse: The terser format.
        plain: The plainer format.
        threshold: The share of compliance that is required.
        provenance: A part of the provenance of the replies.
        as_json: Whether the decision is printed as JSON.
    """
    from ....lab.benchmark.decision import decide
    from ....lab.benchmark.report.verdicts import write_decision
    from ....lab.benchmark.selection import match

    side = read_side(run, provenance)
    provenances, pairings = match(replace(side, format=terse), replace(side, format=plain))
    # Two formats of one provenance make one pairing.
    pairing = next(iter(pairings.values()))
    decisions = decide(pairing, threshold)
    if as_json:
        write_json(
            {
                "v2": terse,
                "plain": plain,
                "provenance": provenances[0],
                "pairs": len(pairing.pairs),
                "decisions": decisions,
            }
        )
    else:
        write_text(write_decision((terse, plain), provenances[0], pairing, decisions))
    return 0
