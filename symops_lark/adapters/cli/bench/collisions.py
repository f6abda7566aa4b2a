"""`symops bench collisions`: count how often a line of real files is a delimiter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, groupby
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..colours import paint
from ..options import formats_option, json_option
from ..progress import show_progress
from ..tables import draw_table
from ..texts import tell
from ..visibility import visible

if TYPE_CHECKING:
    from ....lab.workbench.check import Row, Survey

_MAX_PATHS = 10  # of files that are too large


@click.command(name="collisions")
@click.argument("folders", metavar="DIR...", nargs=-1, required=True)
@formats_option("Count for this dialect; may be repeated. Default: v1, v2 and plain.")
@click.option(
    "--examples",
    type=click.IntRange(0),
    default=3,
    help="Number of files to list for each dialect and language.",
)
@json_option
def command(
    folders: tuple[str, ...], formats: tuple[str, ...], examples: int, as_json: bool
) -> int:
    """Count the files that have a delimiter alone on a line.

    The counts are by dialect and language. Such a file cannot be the content of a block, or needs a
    longer fence. Hidden files, links, binary files and very large files are skipped and counted.
    \f

    Args:
        folders: The folders of the files.
        formats: The dialects; none: the usual ones.
        examples: The number of files to list.
        as_json: Whether the counts are printed as JSON.
    """
    from ....lab.benchmark.collisions import CARRIER, CAUTION, CLAIMS, find_collisions

    # A folder can have thousands of files.
    with show_progress("counting files"):
        survey = find_collisions([Path(folder) for folder in folders], formats, examples)
    value = {**survey.to_dict(), "carrier": CARRIER, "claims": CLAIMS, "note": CAUTION}
    tell(value, chain(_show(survey, CARRIER, CLAIMS), ["", CAUTION]), as_json)
    return 0


def _show(survey: Survey, carrier: str, claims: dict[str, str]) -> Iterator[str]:
    """Yield the lines of a survey: a table for each dialect, examples, and files left out."""
    # The rows of a dialect follow each other.
    for name, rows in groupby(survey.rows, attrgetter("dialect")):
        title = f"{paint(visible(name), bold=True)}: files with a line that is only a delimiter"
        if name in claims:
            title += f" (the original notes predict {claims[name]} of tasks)"
        yield title
        yield from _show_rows(rows, carrier)
        yield ""
    if survey.examples:
        yield paint("examples", bold=True)
        for item in survey.examples:
            # No fence of the carrier is longer than the lines of such a file.
            fence = f"a fence of {item.fence}" if item.fence else "not to be said"
            place = f"{item.path}:{item.line}"
            kind = f"{item.dialect}, {item.language}"
            yield visible(f"  {place}: {item.delimiter} ({kind}; {fence} in {carrier})")
    if survey.skipped:
        counts = [f"{count} {reason}" for reason, count in survey.skipped.items()]
        yield f"not read: {', '.join(counts)}"
    # Named, because such a file may be the one that the user looks for.
    for path in survey.large[:_MAX_PATHS]:
        yield f"  too large: {visible(path)}"
    if len(survey.large) > _MAX_PATHS:
        yield f"  and {len(survey.large) - _MAX_PATHS} more (all with --json)"


def _show_rows(rows: Iterable[Row], carrier: str) -> Iterator[str]:
    """Yield the table of a dialect; languages without a hit share one line after it."""
    titles = (
        "language",
        "files",
        "with one",
        "share",
        "95 % interval",
        "not to be said",
        f"held by {carrier}",
    )
    cells = []
    clean = []
    for row in rows:
        if not row.either and row.language != "all":
            clean.append(f"{row.language} {row.files}")
            continue
        # The longer fences of the carrier that hold these files.
        fences = [f"{count} with {length}" for length, count in row.carried]
        line = [
            row.language,
            row.files,
            row.either,
            f"{row.share:.3%}",
            f"{row.low:.3%} to {row.high:.3%}",
            row.refused,
            ", ".join(fences) or "-",
        ]
        cells.append(line)
    yield from draw_table(titles, cells)
    if clean:
        yield f"none in: {', '.join(clean)}"
