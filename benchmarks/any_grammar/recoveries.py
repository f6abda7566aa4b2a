"""The recoveries that are compared: each returns trees of a text, the first one first; None is no tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lark.exceptions import UnexpectedInput

from symops_lark.error_correcting import ErrorCorrectingParser

from .cpct import Cpct

_MOST_SKIPS = 60
Recovery = Callable[[str], list[Any]]


def parse_or_none(parser: ErrorCorrectingParser, text: str | None) -> Any:
    """Return Lark's tree of a text, or None."""
    try:
        return None if text is None else parser.lark.parse(text)
    except UnexpectedInput:
        return None


def skip_errors(parser: ErrorCorrectingParser, text: str) -> Any:
    """Return the tree that Lark makes if `on_error` skips what it refuses."""
    skips = 0

    def on_error(error: UnexpectedInput) -> bool:
        nonlocal skips
        skips += 1
        return skips < _MOST_SKIPS

    try:
        return parser.lark.parse(text, on_error=on_error)
    except UnexpectedInput:
        return None


def make_recoveries(parser: ErrorCorrectingParser) -> dict[str, Recovery]:
    """Return the recoveries of a grammar for LALR, by title."""
    cpct = Cpct(parser)

    def correct(text: str) -> list[Any]:
        parse = parser.parse(text)
        or_nones = [parse_or_none(parser, parser.apply(text, edits)) for edits in parse.alternatives]
        return [parse.tree if parse.complete else None, *or_nones]

    def run_cpct(text: str) -> list[Any]:
        return [parse_or_none(parser, cpct.recover(text).text)]

    def skip(text: str) -> list[Any]:
        return [skip_errors(parser, text)]

    return {"error-correcting": correct, "CPCT+": run_cpct, "on_error": skip}
