"""Colours, on a terminal only."""

from __future__ import annotations

import os
import sys

import click


def is_coloured() -> bool:
    """Return whether standard output is a terminal whose user has not asked for no colour (NO_COLOR)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def paint(text: str, colour: str | None = None, *, bold: bool = False) -> str:
    """Colour a text, on a terminal only."""
    return click.style(text, fg=colour, bold=bold or None) if is_coloured() else text
