"""Write the header of exported files: the dialect, the version of symops-lark, and the license."""

from __future__ import annotations

import re

from ..core.grammar.compiling.compiler import WrittenDialect
from ..core.ground.version import __version__

LICENCE = "MIT License. Copyright (c) 2026 the symops-lark authors."
# The license requires this notice in every copy.
_TERMS = (
    "Permission is hereby granted, free of charge, to any person obtaining a copy of this software,"
    " to deal in it",
    "without restriction, provided that this notice is included in all copies or substantial"
    " portions of it. The",
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
    """Return the header as comments.

    Args:
        dialect: The dialect.
        export: The export, with its options.
        comment: The sign that begins a comment.
    """
    lines = [f"{comment}{line}\n" for line in header_lines(dialect, export)]
    return "".join(lines) + "\n"


def markdown_header(dialect: WrittenDialect, export: str) -> str:
    """Return the header as the end of a page."""
    # Two blanks at the end of a line break it in Markdown.
    lines = "  \n".join(header_lines(dialect, export))
    return f"\n---\n\n{lines}\n"


def slug(dialect: WrittenDialect, joint: str = "-") -> str:
    """Return the name of a dialect in the form of names of packages.

    Args:
        dialect: The dialect.
        joint: The text between words of ASCII letters and digits, which are in lower case.
    """
    # A name can have no such letters.
    words = re.findall("[a-z0-9]+", dialect.name.lower())
    return joint.join(words) or dialect.fingerprint
