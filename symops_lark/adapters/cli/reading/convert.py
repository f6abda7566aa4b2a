"""`symops convert`: a strict text of one dialect in another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ....core.ground.json_objects import write_object
from ..options import file_argument, format_of, forms_options, json_option, processor_options
from ..texts import complain, read_text, write_json, write_text
from ..view import warn_unfinished

if TYPE_CHECKING:
    from ....core.processor import SymOpsProcessor


@click.command(name="convert")
# `--from` is what people look for beside `--to`.
@file_argument
@processor_options(names=("-f", "--format", "--from"))
@click.option(
    "-t",
    "--to",
    "target",
    default="v2",
    metavar="NAME|FILE",
    help="The dialect or format of the output.",
)
@forms_options
@json_option
def command(file: str, processor: SymOpsProcessor, target: str, as_json: bool, **forms: Any) -> int:
    """Convert a text to another dialect or format.

    A text that the other dialect or format cannot express is rejected. What the conversion loses is
    reported.

    Exit code 1: the text does not parse (`symops repair` may help), the dialect cannot express it,
    or an action is incomplete (an error section marks it).
    \f

    Args:
        file: The file, or `-`.
        processor: The pipeline; its format is that of the text.
        target: The dialect or format of the output.
        as_json: Whether the output is JSON.
        forms: The members of `RenderOptions`.
    """
    from ....core.functions import convert, parse
    from ....core.grammar.loading import load_dialect
    from ....core.other_formats import find_other
    from ....core.rendering.writer import RenderOptions

    # A wrong target is reported before the text is read.
    output_format = find_other(target)
    dialect = output_format or load_dialect(target)
    text = read_text(file)
    source = format_of(text.text, processor)
    document = parse(text.text, source, name=text.name)
    converted = convert(document, target=target, forms=RenderOptions(**forms))
    # Losses go to standard error: the output may be read by a program.
    for loss in converted.losses:
        complain(f"{text.name}:{loss.span.line}: {loss.severity}: {loss.message} [{loss.code}]")
    if as_json:
        value = write_object(converted, "text", "document", "losses")
        write_json({"source": document.dialect, "target": dialect.name, **value})
    else:
        write_text(converted.text)
    # Formats of other agents have no error sections: only the document that was read has them.
    marked = document if output_format else converted.document
    return int(warn_unfinished(text.name, marked))
