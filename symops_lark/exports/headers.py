"""What stands at the top of each exported file: what it was made of, by what, and under which licence."""

from __future__ import annotations

import re

from ..core.grammar.compiling.compiler import WrittenDialect
from ..core.ground.version import __version__

LICENCE = "MIT License. Copyright (c) 2026 the symops-lark authors."
_TERMS = (
    "Permission is hereby granted, free of charge, to any person obtaining a copy of this software, to deal in it",
    "without restriction, provided that this notice is included in all copies or substantial portions of it. The",
    'software is provided "as is", without warranty of any kind.',
)


def header_lines(dialect: WrittenDialect, export: str) -> list[str]:
    """Return the lines of the header, without the signs of a comment."""
    return [
        f"Sym-Ops parser for the dialect {dialect.name} (fingerprint {dialect.fingerprint}).",
        f"Made by symops-lark {__version__}: symops export {export}. Generated: do not edit.",
        LICENCE,
        *_TERMS,
    ]


def header(dialect: WrittenDialect, export: str, comment: str = "# ") -> str:
    """Return the header, each line behind what begins a comment."""
    return "".join(f"{comment}{line}\n" for line in header_lines(dialect, export)) + "\n"


def markdown_header(dialect: WrittenDialect, export: str) -> str:
    """Return the header as the end of a page."""
    return "\n---\n\n" + "  \n".join(header_lines(dialect, export)) + "\n"


def slug(dialect: WrittenDialect, joint: str = "-") -> str:
    """Return the dialect's name as packages may be called: ASCII letters and digits, in lower case, and joints."""
    words = re.findall("[a-z0-9]+", dialect.name.lower())
    return joint.join(words) or dialect.fingerprint
