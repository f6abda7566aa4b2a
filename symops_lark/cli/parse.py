"""`symops parse`: strict parsing."""

from __future__ import annotations

from typing import Any

import click

from .options import dialect_of, files_argument, format_option, json_option, make_processor
from .texts import echo, read_texts, write_json_of
from .view import show_document, show_findings, show_title


@click.command(name="parse")
@files_argument
@format_option
@json_option
def parse_command(files: tuple[str, ...], format: str, as_json: bool) -> int:
    """Parse texts strictly.

    Exit code 0: all are in the dialect; 1: one is not.
    """
    from ..diagnostics import ParseError
    from ..strict.parser import parse

    processor = make_processor(format)
    texts, values, code = read_texts(files), [], 0
    for text in texts:
        value: dict[str, Any]
        try:
            document = parse(text.text, dialect_of(text.text, processor), name=text.name)
        except ParseError as error:
            code = 1
            value = {"error": "the text does not parse", "diagnostics": [d.to_dict() for d in error.diagnostics]}
            if not as_json:
                echo(show_findings(error.diagnostics, error.source), err=True)
        else:
            value = document.to_dict()
            if not as_json:
                echo([show_title(text.name, ["strict", document.dialect]), *show_document(document)])
        values.append(value)
    if as_json:
        write_json_of(texts, values)
    return code
