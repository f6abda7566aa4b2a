"""Instruments for people who design dialects: one file an instrument, each behind `symops grammar <its name>`.

They look at grammars and readings from outside; nothing that reads replies imports them.
"""

from ...core.document import Document
from ...core.grammar.dialect import Dialect
from ...core.strict.parser import parse
from ...core.text.diagnostics import Diagnostic, ParseError


def read_strictly(text: str, dialect: Dialect) -> Document | Diagnostic:
    """Return the document that a text is, or the first diagnostic of its refusal."""
    try:
        return parse(text, dialect)
    except ParseError as error:
        return error.diagnostics[0]
