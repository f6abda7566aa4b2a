"""`symops parse`: strict parsing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..options import files_argument, format_of, json_option, processor_options
from ..texts import InputText, Told, echo, read_texts, tell_each
from ..view import show_document, show_findings, show_title

if TYPE_CHECKING:
    from ....core.processor import SymOpsProcessor


@click.command(name="parse")
@files_argument
@processor_options()
@json_option
def command(files: tuple[str, ...], processor: SymOpsProcessor, as_json: bool) -> int:
    """Parse texts strictly.

    Exit code 0: every text is valid in its dialect; 1: a text is not.
    \f

    Args:
        files: The files; none means standard input.
        processor: The pipeline; its format is that of the texts.
        as_json: Whether the output is JSON.
    """
    from ....core.functions import parse
    from ....core.text.diagnostics import ParseError

    def read(text: InputText) -> Told:
        try:
            document = parse(text.text, format_of(text.text, processor), name=text.name)
        except ParseError as error:
            # On standard error, so that the documents of the other texts can be piped.
            if not as_json:
                echo(show_findings(error.diagnostics, error.source), err=True)
            return False, {"error": "the text does not parse", "diagnostics": error.diagnostics}, ()
        title = show_title(text.name, ["strict", document.dialect])
        return True, document, [title, *show_document(document)]

    return tell_each(read_texts(files), read, as_json)
