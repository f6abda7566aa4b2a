"""`symops recover`: the cheapest reading of any text."""

from __future__ import annotations

import click

from .options import dialect_of, engine_option, files_argument, json_option, make_processor, reading_options
from .texts import echo, read_texts, write_json_of
from .view import show_document, show_findings, show_title


@click.command(name="recover", short_help="Read any text at the lowest price.")
@files_argument
@reading_options
@engine_option
@json_option
def recover_command(
    files: tuple[str, ...], format: str, rules: tuple[str, ...], cut_off: bool | None, engine: str | None, as_json: bool
) -> int:
    """Read texts at the lowest price, whatever is wrong with them.

    Exit code 0: every text has a section; 1: one has none.
    """
    from ..recovery.recovery import recover
    from ..source import Source
    from ..validator import is_acceptable

    processor = make_processor(format, rules, engine)
    texts, values, code = read_texts(files), [], 0
    for text in texts:
        dialect = dialect_of(text.text, processor)
        repairer = processor.engine(dialect).repairer
        document = recover(text.text, dialect, repairer=repairer, cut_off=cut_off, engine=engine)
        if not is_acceptable(document):
            code = 1
        if as_json:
            findings = [d.to_dict() for d in document.diagnostics]
            values.append({"document": document.to_dict(), "diagnostics": findings, "price": document.price})
        else:
            echo([show_title(text.name, ["recovered", document.dialect, f"price {document.price}"])])
            echo(show_document(document))
            echo(show_findings(document.diagnostics, Source(text.text, text.name)))
    if as_json:
        write_json_of(texts, values)
    return code
