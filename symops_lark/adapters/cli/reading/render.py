"""`symops render`: canonical text, from a JSON document or from a text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..documents import read_document
from ..options import dialect_of, file_argument, forms_options, json_option, processor_options
from ..texts import complain, read_text, write_json, write_text
from ..view import warn_unfinished

if TYPE_CHECKING:
    from ....core.processor import SymOpsProcessor


@click.command(name="render")
@file_argument
@processor_options()
@click.option(
    "-t",
    "--to",
    "target",
    metavar="NAME|FILE",
    help="The dialect of the output. Default: the document's dialect.",
)
@forms_options
@json_option
def command(
    file: str, processor: SymOpsProcessor, target: str | None, as_json: bool, **forms: Any
) -> int:
    """Render a document as canonical text.

    The document is the JSON that `parse`, `recover` or `process` print, or a text that parses
    strictly.

    Exit code 1: the text does not parse, the dialect cannot express the document, or an action is
    incomplete (an error section marks it).
    \f

    Args:
        file: The file, or `-`.
        processor: The pipeline; its format is that of the text.
        target: The dialect of the output; None for the dialect of the document.
        as_json: Whether the output is JSON.
        forms: The members of `RenderOptions`.
    """
    from ....core.grammar.loading import load_dialect
    from ....core.rendering.converter import convert_document
    from ....core.rendering.writer import RenderOptions
    from ....core.strict.parser import parse

    text = read_text(file)
    # None: the text is not JSON.
    document = read_document(text)
    if document is None:
        document = parse(text.text, dialect_of(text.text, processor), name=text.name)
    # A document that was read with a .lark file of the user's names a dialect that is not
    # installed: --format has the file then.
    own = processor.format if processor.format != "auto" else document.dialect or "v2"
    converted = convert_document(document, load_dialect(target or own), RenderOptions(**forms))
    # Losses go to standard error: the output may be read by a program.
    for loss in converted.losses:
        complain(f"{text.name}: {loss.severity}: {loss.message} [{loss.code}]")
    if as_json:
        dialect = converted.document.dialect
        write_json({"dialect": dialect, "text": converted.text, "losses": converted.losses})
    else:
        write_text(converted.text)
    return int(warn_unfinished(text.name, converted.document))
