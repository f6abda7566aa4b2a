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
@click.option("--events-only", is_flag=True, help="Keep no text and give no result, so that no length is too long.")
def command(processor: SymOpsProcessor, cut_off: bool | None, events_only: bool) -> int:
    """Read a reply from standard input as it arrives and print each event at once, as one line of JSON.

    The last line is the result: what the whole text says, and what was announced otherwise. Exit codes as of `symops
    process`. With `--format auto` nothing is printed before a line tells the dialect.

    With `--events-only` the text is not kept, memory does not grow, and there is no limit of its length; so there is no
    result either. Exit code 1 then: no section was announced.
    """
    from ....core.streaming import Noticed, StreamParser

    parser, announced = StreamParser(processor, keep=not events_only), False
    for event in parser.events(read_pieces(limited=not events_only), cut_off=cut_off):
        write_json(event, indent=None)
        announced = announced or not isinstance(event, Noticed)
    if events_only:
        return int(not announced)
    closed = parser.close()
    result, document = closed.result, closed.document
    told: dict[str, Any] = {"event": "result", "phase": None, "dialect": document.dialect if document else None}
    error = str(closed.error) if closed.error is not None else None
    told |= {"confidence": None, "diagnostics": [], "differences": closed.differences, "error": error}
    write_json(told | (write_object(result, "phase", "confidence", "diagnostics") if result else {}), indent=None)
    if result is None:
        complain(f"<stdin>: {closed.error}")
        return 1
    return int(not result.valid)
