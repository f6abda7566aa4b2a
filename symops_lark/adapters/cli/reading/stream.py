"""`symops stream`: events of a reply while it arrives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ....core.ground.json_objects import write_object
from ..options import reading_options
from ..texts import complain, read_pieces, write_json

if TYPE_CHECKING:
    from ....core.processor import SymOpsProcessor


@click.command(name="stream")
@reading_options
@click.option(
    "--events-only",
    is_flag=True,
    help="Keep no text and print no result, so that a reply can have any length.",
)
def command(processor: SymOpsProcessor, cut_off: bool | None, events_only: bool) -> int:
    """Print the events of a reply as it arrives.

    The reply is read from standard input. Each event is one line of JSON and is printed at once.
    The last line is the result: the document of the complete text, and its differences from the
    announced events. The exit codes are those of `symops process`. With `--format auto` nothing is
    printed before the dialect is detected.

    With `--events-only` the text is not kept: memory use is constant, the length is not limited,
    and no result is printed. Exit code 1 then means that no section was announced.
    \f

    Args:
        processor: The pipeline.
        cut_off: Whether the reply was truncated; None if it is to be detected.
        events_only: Whether no text is kept, and no result printed.
    """
    from ....core.streaming import Noticed, StreamParser

    parser = StreamParser(processor, keep=not events_only)
    announced = False
    for event in parser.events(read_pieces(limited=not events_only), cut_off=cut_off):
        # One line for each event, as readers of JSON Lines expect.
        write_json(event, indent=None)
        announced = announced or not isinstance(event, Noticed)
    if events_only:
        return int(not announced)
    # A text that is not valid is read once more: later lines may change what earlier ones mean.
    closed = parser.close()
    result = closed.result
    # A reply without a section has no result: its members are there, most with empty values.
    summary: dict[str, Any] = {
        "event": "result",
        "phase": None,
        "dialect": closed.document.dialect if closed.document else None,
        "confidence": None,
        "diagnostics": [],
        "document": closed.document,
        "differences": closed.differences,
        "error": str(closed.error) if closed.error else None,
    }
    if result is not None:
        summary |= write_object(result, "phase", "confidence", "diagnostics")
    write_json(summary, indent=None)
    if result is None:
        complain(f"<stdin>: {closed.error}")
        return 1
    return int(not result.valid)
