"""`symops recover`: the cheapest reading of any text."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import click

from ..options import (
    cut_off_option,
    engine_option,
    files_argument,
    json_option,
    processor_options,
    rules_option,
)
from ..texts import InputText, Told, read_texts, tell_each
from ..view import show_document, show_findings, show_title

if TYPE_CHECKING:
    from ....core.processor import SymOpsProcessor


@click.command(name="recover")
@files_argument
@processor_options(rules_option, cut_off_option, engine_option)
@json_option
def command(
    files: tuple[str, ...], processor: SymOpsProcessor, cut_off: bool | None, as_json: bool
) -> int:
    """Parse any text by error recovery.

    The result is the minimum-cost parse of each text, however broken the text is.

    Exit code 0: every text has a section; 1: a text has none.
    \f

    Args:
        files: The files; none means standard input.
        processor: The pipeline.
        cut_off: Whether the texts were truncated; None if it is to be detected.
        as_json: Whether the output is JSON.
    """
    from ....core.text.source import Source
    from ....core.validator import is_acceptable

    def read(text: InputText) -> Told:
        # A text that nothing can be read from has a document without sections, not an error.
        document = processor.recover(text.text, cut_off=cut_off)
        title = show_title(text.name, ["recovered", document.dialect, f"price {document.price}"])
        findings = show_findings(document.diagnostics, Source(text.text, text.name))
        value = {"document": document, "diagnostics": document.diagnostics, "price": document.price}
        return is_acceptable(document), value, chain([title], show_document(document), findings)

    return tell_each(read_texts(files), read, as_json)
