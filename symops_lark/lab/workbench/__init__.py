"""Instruments for the design of dialects: one module for each command of `symops grammar`.

They examine grammars and readings from outside: no module that reads replies imports them.
"""

from ...core.document import Document
from ...core.grammar.dialect import Dialect
from ...core.strict.parser import parse
from ...core.text.diagnostics import Diagnostic, ParseError


def read_strictly(text: str, dialect: Dialect) -> Document | Diagnostic:
    """Return the document of a text, or the first diagnostic of its refusal."""
    try:
        return parse(text, dialect)
    except ParseError as error:
        return error.diagnostics[0]
