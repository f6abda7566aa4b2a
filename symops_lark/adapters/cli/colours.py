"""Colours, on a terminal only."""

from __future__ import annotations

import os
import sys

import click


def is_coloured() -> bool:
    """Return whether standard output is a terminal that shows colours.

    NO_COLOR turns them off, whatever its value, if it is not empty (https://no-color.org).
    """
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return sys.stdout.isatty()


def paint(text: str, colour: str | None = None, *, bold: bool = False) -> str:
    """Colour a text, on a terminal only.

    Args:
        text: The text.
        colour: The name of a colour of Click; None: the usual one.
        bold: Whether the text is bold.
    """
    if not is_coloured():
        return text
    # None: Click would write a code that ends bold text, too.
    return click.style(text, fg=colour, bold=bold or None)
