"""Write the data files of this package for exports: those that are the same in every dialect."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

from ...core.discourse.tables import our_data
from ...core.discourse.transport_table import load_transport
from ...core.patterns.pattern_syntax import spell_as_re
from .patterns import spell_out

# Groups of sentences for readers of JSON answers and tags, which no export has.
_OF_ANSWERS = (
    "verdict_lead",
    "other_verdict",
    "reports",
    "verdict_line",
    "negations",
    "dismissals",
    "retractions",
    "verdict_tail",
    "possibilities",
    "verdict_person",
    "reasons",
    "closings",
    "announcing",
)


def _discourse() -> dict[str, Any]:
    """Return the speakers and stances, with patterns for every runtime."""
    data = our_data()
    stances = {}
    for group, rows in data["stances"].items():
        if group not in _OF_ANSWERS:
            stances[group] = [[stance, *map(_spell, patterns)] for stance, *patterns in rows]
    return {**data, "stances": stances}


def _spell(pattern: str) -> str:
    return spell_out(spell_as_re(pattern))


# The keys are the names that the replacements in `standalone` pass to `read_data`.
DATA_FILES: dict[str, Callable[[], dict[str, Any]]] = {
    "discourse": _discourse,
    "transport": load_transport,
}


@cache
def write_data(name: str) -> str:
    """Return a data file as JSON on one line."""
    return json.dumps(DATA_FILES[name](), ensure_ascii=True, separators=(",", ":"))
