"""`symops bench collisions`: how often a line of real files is a delimiter."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
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


@click.command(name="collisions")
@click.argument("folders", metavar="DIR...", nargs=-1, required=True)
@formats_option("Count for this dialect; may be repeated. Default: v1, v2 and plain.")
@click.option(
    "--examples", type=click.IntRange(0), default=3, help="Number of files to list for each dialect and language."
)
@json_option
def command(folders: tuple[str, ...], formats: tuple[str, ...], examples: int, as_json: bool) -> int:
    """Count the files that have a delimiter alone on a line.

    The counts are by dialect and language. Such a file cannot be the content of a block, or needs a
    longer fence. Hidden files, links, binary files and very large files are skipped and counted.
    """
    from ....lab.benchmark.collisions import CARRIER, CAUTION, CLAIMS, find_collisions

    with show_progress("counting files"):
        found = find_collisions([Path(folder) for folder in folders], formats, examples)
    value = {**found.to_dict(), "carrier": CARRIER, "claims": CLAIMS, "note": CAUTION}
    tell(value, chain(_show(found, CARRIER, CLAIMS), ["", CAUTION]), as_json)
    return 0


def _show(found: Survey, carrier: str, claims: dict[str, str]) -> Iterator[str]:
    for name in dict.fromkeys(row.dialect for row in found.rows):
        rows = [row for row in found.rows if row.dialect == name]
        claim = f" (the original notes predict {claims[name]} of tasks)" if name in claims else ""
        yield f"{paint(visible(name), bold=True)}: files with a line that is only a delimiter{claim}"
        titles = ("language", "files", "with one", "share", "95 % interval", "not to be said", f"held by {carrier}")
        yield from draw_table(titles, [_cells(row) for row in rows if row.either or row.language == "all"])
        if none := [f"{row.language} {row.files}" for row in rows if not row.either and row.language != "all"]:
            yield "none in: " + ", ".join(none)
        yield ""
    if found.examples:
        yield paint("examples", bold=True)
        for item in found.examples:
            fence = f"a fence of {item.fence} in {carrier}" if item.fence else f"not to be said in {carrier}"
            yield visible(f"  {item.path}:{item.line}: {item.delimiter} ({item.dialect}, {item.language}; {fence})")
    if found.skipped:
        yield "not read: " + ", ".join(f"{count} {reason}" for reason, count in found.skipped.items())
    yield from (f"  too large: {visible(path)}" for path in found.large[:10])
    if len(found.large) > 10:
        yield f"  and {len(found.large) - 10} more (all with --json)"


def _cells(row: Row) -> list[str]:
    held = ", ".join(f"{n} with {length}" for length, n in row.carried) or "-"
    interval = f"{row.low:.3%} to {row.high:.3%}"
    return [row.language, str(row.files), str(row.either), f"{row.share:.3%}", interval, str(row.refused), held]
