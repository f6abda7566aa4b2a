"""`symops bench compare`: which of two is better, by how much, how sure."""

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
@click.option("--second", "second_provenance", metavar="PART", help="A part of the provenance of B.")
@json_option
def command(first: str, second: str, first_provenance: str | None, second_provenance: str | None, as_json: bool) -> int:
    """Compare two runs, or two formats of a run.

    A and B are run logs, or formats of run logs (LOG:FORMAT). Cases are paired by task and
    repetition; those without a partner are skipped and counted. Each outcome shows the difference
    with the interval that decides (bootstrapped by task, corrected for the number of outcomes), and
    the smallest difference that can be detected with this number of tasks. Runs of different
    provenance are compared only if you name both.
    """
    from ....lab.benchmark.comparison import compare
    from ....lab.benchmark.report.verdicts import write_comparison
    from ....lab.benchmark.selection import match

    provenances, pairings = match(read_side(first, first_provenance), read_side(second, second_provenance))
    found = compare(pairings)
    if not as_json:
        write_text(write_comparison((first, second), provenances, pairings, found))
        return 0
    told = []
    for title, pairing in pairings.items():
        alone = write_object(pairing, "first_alone", "second_alone") | {"tasks": pairing.tasks}
        told.append({"formats": title, "pairs": len(pairing.pairs), **alone, "outcomes": found[title]})
    sides = zip(("first", "second"), (first, second), provenances, strict=True)
    values = {side: {"name": name, "provenance": provenance} for side, name, provenance in sides}
    write_json({**values, "comparisons": told})
    return 0
