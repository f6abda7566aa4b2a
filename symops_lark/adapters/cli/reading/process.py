"""`symops process`: from raw replies to actions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

import click

from ....core.document import KIND_OF, Action, Document, Section
from ....core.ground.json_objects import write_object
from ....core.ground.numbers import counted, grouped
from ....core.result import MOST_READINGS
from ....core.text.source import Source
from ..options import (
    cut_off_option,
    engine_option,
    files_argument,
    json_option,
    processor_options,
    rules_option,
)
from ..texts import InputText, Told, complain, read_texts, tell_each
from ..view import show_document, show_findings, show_repairs, show_sureness, show_title, show_trace
from ..visibility import visible_command, visible_line

if TYPE_CHECKING:
    from ....core.processor import SymOpsProcessor
    from ....core.result import Alternative, Result


@click.command(name="process")
@files_argument
@processor_options(rules_option, cut_off_option, engine_option)
@click.option(
    "--extract",
    is_flag=True,
    help="If everything else fails, treat fenced code as files with invented names.",
)
@click.option(
    "--trace", is_flag=True, help="Show the effect of each strategy and the text after it."
)
@click.option(
    "--readings",
    type=click.IntRange(1, MOST_READINGS),
    default=1,
    metavar="K",
    help=f"Show up to K (at most {MOST_READINGS}) readings of a broken reply, the cheapest first.",
)
@json_option
def command(
    files: tuple[str, ...],
    processor: SymOpsProcessor,
    cut_off: bool | None,
    extract: bool,
    trace: bool,
    readings: int,
    as_json: bool,
) -> int:
    """Turn raw replies into actions.

    Each reply is parsed strictly, else repaired, else recovered.

    Exit code 0: every reply gave a valid document; 1: a reply has errors, or no actions could be
    extracted from it.
    \f

    Args:
        files: The files; none means standard input.
        processor: The pipeline.
        cut_off: Whether the replies were truncated; None if it is to be detected.
        extract: Whether fenced code becomes files if nothing else is found.
        trace: Whether the effect of each strategy is shown.
        readings: Maximum number of readings.
        as_json: Whether the output is JSON.
    """
    from ....core.result import ProtocolError

    # The option is a member of the pipeline, which `processor_options` made without it.
    processor.extract = extract
    gap: list[str] = []  # the lines before the next text: an empty one after the first

    def read(text: InputText) -> Told:
        source = Source(text.text, text.name)
        above = gap.copy()
        gap[:] = [""]
        try:
            result = processor.process(text.text, cut_off=cut_off, readings=readings)
        except ProtocolError as error:
            # Without actions there is no result, but its findings show what was tried.
            complain(f"{text.name}: {error}")
            value = {"error": str(error), **write_object(error, "document", "diagnostics", "trace")}
            steps = show_trace(error.trace if trace else ())
            return False, value, chain(above, show_findings(error.diagnostics, source), steps)
        return result.valid, result, chain(above, _show(result, source, trace))

    return tell_each(read_texts(files), read, as_json)


def _show(result: Result, source: Source, trace: bool) -> Iterator[str]:
    facts = [str(result.phase), result.document.dialect, show_sureness(result.confidence)]
    yield show_title(source.name, facts)
    yield from show_document(result.document)
    yield from show_repairs(result.repairs)
    # Each repair also has a diagnostic, with the name of its rule as the code.
    rules = {repair.rule for repair in result.repairs}
    findings = [finding for finding in result.diagnostics if finding.code not in rules]
    if findings:
        yield ""
    yield from show_findings(findings, source)
    if result.readings:
        yield ""
        yield from _show_readings(result.readings)
    if trace:
        yield ""
        yield from show_trace(result.trace)


def _show_readings(readings: Sequence[Alternative]) -> Iterator[str]:
    """Yield the readings after the first, each with its price and its differences from it."""
    # The first one is the result, which is shown above.
    first, *dearer = readings
    if not dearer:
        yield "there is no other reading"
    for number, reading in enumerate(dearer, 2):
        price = grouped(reading.price)
        yield f"reading {number}, price {price} ({grouped(reading.price - first.price)} more)"
        # Only the differences: a reading may be as long as the reply.
        for place in reading.differs:
            here = _show_sections(place.here)
            instead = _show_sections(place.first)
            yield f"  line {place.span.line}: {here} instead of {instead}"


def _show_sections(document: Document) -> str:
    """Return the sections of a document on one line."""
    return ", ".join(map(_show_section, document.sections)) or "nothing"


def _show_section(section: Section) -> str:
    # Other sections have no path and no content to name.
    if not isinstance(section, Action):
        return KIND_OF[type(section)]
    size = ""
    if section.content is not None:
        line_count = section.content.count("\n") + 1
        size = f" ({counted(line_count, 'line')})"
    return f"{visible_line(section.type)} {visible_command(section.path)}{size}"
