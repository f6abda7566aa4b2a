"""Whether what a grammar reads has a place in the document: a node holds one content, one path, one verb.

Law: a dialect that is loaded loses nothing. A rule that reads two of what its node holds once is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

_MANY = 3
_VERBS = "a verb"
_PLACES: Mapping[str, Mapping[str, int]] = {  # how often a node holds what its rule may read
    "action": {"head": 1, "BLOCK": 1},
    "head": {_VERBS: 1, "NUMBER": 1, "PATH": 1, "COMMAND": 1},
    "path_line": {"PATH": 1},
    "command_line": {"COMMAND": 1},
    "thought": {"TEXT": 1},
    "question": {"ask": 1},
    "ask": {"TEXT": 1},
    "choice": {"NUMBER": 1, "TEXT": 1},
    "error": {"WORD": 2, "MESSAGE": 1},
}
_VERB_RULES = frozenset({"_running", "_writing", "_removing"})


def check_places(rules: Iterable[Any]) -> None:
    """Raise `ValueError` for a rule that reads more of something than its node holds.

    Args:
        rules: The rules as Lark compiled them: without templates, repetitions and options.
    """
    alternatives: dict[str, list[list[Any]]] = {}
    for rule in rules:
        alternatives.setdefault(str(rule.origin.name), []).append(list(rule.expansion))
    for name, places in _PLACES.items():
        for part, most in places.items():
            if name in alternatives and _count(alternatives, name, part) > most:
                raise ValueError(
                    f"the rule '{name}' may read {part} more than {'once' if most == 1 else f'{most} times'}, but only "
                    f"{'one is' if most == 1 else f'{most} are'} kept: make a section or an argument with a name of "
                    "its own of what is more"
                )


def _count(alternatives: Mapping[str, list[list[Any]]], rule: str, part: str) -> int:
    """Return how often a rule may read a part at most, `_MANY` for more than that; helper rules are part of it."""
    counts = dict.fromkeys(alternatives, 0)
    changed = True
    while changed:  # each count grows a few times at most
        changed = False
        for name, ways in alternatives.items():
            if name != rule and not name.startswith("_"):
                continue
            count = max(min(_MANY, sum(_weigh(symbol, part, rule, counts) for symbol in way)) for way in ways)
            if count > counts[name]:
                counts[name], changed = count, True
    return counts[rule]


def _weigh(symbol: Any, part: str, rule: str, counts: Mapping[str, int]) -> int:
    name = str(symbol.name)
    if name == part or (part == _VERBS and (name == "VERB" or name in _VERB_RULES)):
        return 1
    return counts.get(name, 0) if name.startswith("_") and not symbol.is_term else 0
