"""`symops bench compare`: decide which of two formats or runs is better, and by how much."""

from __future__ import annotations

import click

from ....core.ground.json_objects import write_object
from ..options import json_option
from ..run_logs import read_side
from ..texts import write_json, write_text


@click.command(name="compare")
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.option(
    "--first",
    "first_provenance",
    metavar="PART",
    help="A part of the provenance of A, such as the name of a profile or model.",
)
@click.option(
    "--second", "second_provenance", metavar="PART", help="A part of the provenance of B."
)
@json_option
def command(
    first: str,
    second: str,
    first_provenance: str | None,
    second_provenance: str | None,
    as_json: bool,
) -> int:
    """Compare two runs, or two formats of a run.

    A and B are run logs, or formats of run logs (LOG:FORMAT). Cases are paired by task and
    repetition; those without a partner are skipped and counted. Each outcome shows the difference
    with the interval that decides (bootstrapped by task, corrected for the number of outcomes), and
    the smallest difference that can be detected with this number of tasks. Runs of different
    provenance are compared only if you name both.
    \f

    Args:
        first: The first run log or format.
        second: The second one.
        first_provenance: A part of the provenance of the first one.
        second_provenance: A part of the provenance of the second one.
        as_json: Whether the comparison is printed as JSON.
    """
    from ....lab.benchmark.comparison import compare
    from ....lab.benchmark.report.verdicts import write_comparison
    from ....lab.benchmark.selection import match

    # The same log may be given twice, for two of its formats.
    sides = read_side(first, first_provenance), read_side(second, second_provenance)
    provenances, pairings = match(*sides)
    outcomes = compare(pairings)
    if not as_json:
        write_text(write_comparison((first, second), provenances, pairings, outcomes))
        return 0
    # One comparison for each format that both runs have.
    comparisons = []
    for title, pairing in pairings.items():
        value = {"formats": title, "pairs": len(pairing.pairs)}
        # Cases without a partner are not in the figures.
        value |= write_object(pairing, "first_alone", "second_alone")
        value |= {"tasks": pairing.tasks, "outcomes": outcomes[title]}
        comparisons.append(value)
    write_json(
        {
            "first": {"name": first, "provenance": provenances[0]},
            "second": {"name": second, "provenance": provenances[1]},
            "comparisons": comparisons,
        }
    )
    return 0
