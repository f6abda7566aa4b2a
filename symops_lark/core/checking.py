"""Check a reply: the diagnostics of the strict parser and of the phase that read it."""

from __future__ import annotations

from .grammar.dialect import Dialect
from .processor import SymOpsProcessor
from .result import Phase, ProtocolError
from .strict.parser import parse
from .text.diagnostics import Diagnostic, ParseError


def check_text(text: str, processor: SymOpsProcessor, dialect: Dialect) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of a text, as `symops check` prints them.

    Args:
        text: The text.
        processor: The pipeline that reads it.
        dialect: The dialect of the text, for the strict parser.

    Returns:
        First why the text is not valid, then what the repairs or the recovery assumed, and what
        the validator reports.
    """
    diagnostics: tuple[Diagnostic, ...]
    try:
        result = processor.process(text)
        diagnostics = result.diagnostics
        if result.phase is Phase.STRICT:
            return diagnostics
    except ProtocolError as error:
        diagnostics = error.diagnostics
    try:
        parse(text, dialect)
    except ParseError as error:
        diagnostics = (*error.diagnostics, *diagnostics)
    return diagnostics
