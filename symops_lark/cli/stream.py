"""`symops stream`: events of a reply while it arrives."""

from __future__ import annotations

import click

from .options import make_processor, reading_options
from .texts import complain, read_pieces, write_json_line


@click.command(name="stream")
@reading_options
@click.option("--events-only", is_flag=True, help="Keep no text and give no result, so that no length is too long.")
def stream_command(format: str, rules: tuple[str, ...], cut_off: bool | None, events_only: bool) -> int:
    """Read a reply from standard input as it arrives and print each event at once, as one line of JSON.

    The last line is the result: what the whole text says, and what was announced otherwise. Exit codes as of `symops
    process`. With `--format auto` nothing is printed before a line tells the dialect.

    With `--events-only` the text is not kept, memory does not grow, and there is no limit of its length; so there is no
    result either. Exit code 1 then: no section was announced.
    """
    from ..streaming import Noticed, StreamParser

    parser, announced = StreamParser(make_processor(format, rules), keep=not events_only), False
    for event in parser.events(read_pieces(limited=not events_only), cut_off=cut_off):
        write_json_line(event.to_dict())
        announced = announced or not isinstance(event, Noticed)
    if events_only:
        return int(not announced)
    closed = parser.close()
    result, document = closed.result, closed.document
    write_json_line(
        {
            "event": "result",
            "phase": str(result.phase) if result is not None else None,
            "dialect": document.dialect if document is not None else None,
            "confidence": result.confidence if result is not None else None,
            "diagnostics": [finding.to_dict() for finding in result.diagnostics] if result is not None else [],
            "differences": [difference.to_dict() for difference in closed.differences],
            "error": str(closed.error) if closed.error is not None else None,
        }
    )
    if result is None:
        complain(f"<stdin>: {closed.error}")
        return 1
    return int(not result.valid)
