"""`symops process`: from raw replies to actions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from .options import engine_option, files_argument, json_option, make_processor, reading_options
from .texts import complain, echo, read_texts, write_json_of
from .view import show_document, show_findings, show_repairs, show_sureness, show_title, show_trace

if TYPE_CHECKING:
    from ..result import Result
    from ..source import Source


@click.command(name="process", short_help="Turn raw replies into actions.")
@files_argument
@reading_options
@engine_option
@click.option(
    "--extract", is_flag=True, help="Where nothing else helps: take fenced code for files, with invented names."
)
@click.option("--trace", is_flag=True, help="Show what each strategy did and the text after it.")
@json_option
def process_command(
    files: tuple[str, ...],
    format: str,
    rules: tuple[str, ...],
    cut_off: bool | None,
    engine: str | None,
    extract: bool,
    trace: bool,
    as_json: bool,
) -> int:
    """Turn raw replies into actions: strict, else repaired, else recovered.

    Exit code 0: a valid document came out; 1: nothing could be made of a reply, or it has errors.
    """
    from ..result import ProtocolError
    from ..source import Source

    processor = make_processor(format, rules, engine)
    processor.extract = extract
    texts, values, code = read_texts(files), [], 0
    for index, text in enumerate(texts):
        source = Source(text.text, text.name)
        value: dict[str, Any]
        try:
            result = processor.process(text.text, cut_off=cut_off)
        except ProtocolError as error:
            code = 1
            value = {
                "error": str(error),
                "document": error.document.to_dict(),
                "diagnostics": [d.to_dict() for d in error.diagnostics],
                "trace": [step.to_dict() for step in error.trace],
            }
            steps = error.trace if trace else ()
            lines: Iterator[str] = chain(show_findings(error.diagnostics, source), show_trace(steps))
            complain(f"{text.name}: {error}")
        else:
            value = result.to_dict()
            lines = _show(result, source, trace)
            code = code if result.valid else 1
        if as_json:
            values.append(value)
        else:
            echo([""] if index else [])
            echo(lines)
    if as_json:
        write_json_of(texts, values)
    return code


def _show(result: Result, source: Source, trace: bool) -> Iterator[str]:
    facts = [str(result.phase), result.document.dialect, show_sureness(result.confidence)]
    yield show_title(source.name, facts)
    yield from show_document(result.document)
    yield from show_repairs(result.repairs)
    notes = {repair.rule for repair in result.repairs}
    others = [d for d in result.diagnostics if d.code not in notes]
    if others:
        yield ""
    yield from show_findings(others, source)
    if trace:
        yield ""
        yield from show_trace(result.trace)
