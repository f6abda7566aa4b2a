"""Whether what a grammar reads has a place in the document: a node holds one content, one path, one verb.

Law: a dialect that is loaded loses nothing. A rule that reads two of what its node holds once is refused. What may be
given twice and is told when a text does so (attributes with a name) is not refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

Weigh = Callable[[Any], int]  # how much of a part a symbol of a rule is
_MANY = 3
_HEADS = ("head", "verb_line", "run_line")
_VERBS = frozenset({"VERB", "_running", "_writing", "_removing"})
_PATHS = frozenset({"PATH", "COMMAND"})
_ANYTHING = "something"
_PLACES: Mapping[str, Mapping[str, int]] = {  # how often a node holds what its rule may read
    "action": {"BLOCK": 1},
    **{key: {"NUMBER": 1, "PATH": 1, "COMMAND": 1} for key in _HEADS},
    "path_line": {"PATH": 1, _ANYTHING: 1},
    "command_line": {"COMMAND": 1, _ANYTHING: 1},
    "attribute": {"KEY": 1, "TEXT": 1, _ANYTHING: 2},
    "thought": {"TEXT": 1, _ANYTHING: 1},
    "question": {"ask": 1},
    "ask": {"TEXT": 1, _ANYTHING: 1},
    "choice": {"NUMBER": 1, "TEXT": 1, _ANYTHING: 2},
    "error": {"WORD": 2, "MESSAGE": 1},
}


def check_places(rules: Iterable[Any]) -> None:
    """Raise `ValueError` for a rule that reads more of something than its node holds.

    Args:
        rules: The rules as Lark compiled them: without templates, repetitions and options.
    """
    ways: dict[str, list[list[Any]]] = {}
    for rule in rules:
        ways.setdefault(str(rule.origin.name), []).append(list(rule.expansion))
    for name, places in _PLACES.items():
        for part, most in places.items():
            _refuse_more(ways, name, part, most, _is_kept if part == _ANYTHING else _named({part}))
    paths = {name: _count(ways, name, _named(_PATHS)) for name in _HEADS if name in ways}
    for name in paths:
        _refuse_more(ways, name, "a verb", 1, _named(_VERBS))
        _refuse_more(ways, name, "a path", 1, _named(_PATHS))
    lines = {**paths, "path_line": 1, "command_line": 1}
    _refuse_more(ways, "action", "a head", 1, _named(_HEADS))
    _refuse_more(ways, "action", "a path", 1, lambda symbol: lines.get(str(symbol.name), 0))
    _check_rests(ways)


def _refuse_more(ways: Mapping[str, list[list[Any]]], name: str, part: str, most: int, weigh: Weigh) -> None:
    if name in ways and _count(ways, name, weigh) > most:
        raise ValueError(
            f"the rule '{name}' may read {part} more than {'once' if most == 1 else f'{most} times'}, but only "
            f"{'one is' if most == 1 else f'{most} are'} kept: make a section or an argument with a name of "
            "its own of what is more"
        )


def _check_rests(ways: Mapping[str, list[list[Any]]]) -> None:
    """Raise `ValueError` for what stands where a node has no place for it at all."""
    if "choice" in ways and _count(ways, "choice", _is_kept) > _count(ways, "choice", _named({"NUMBER"})) == 0:
        raise ValueError("the rule 'choice' reads no NUMBER, so its text is not kept: let it begin with NUMBER")
    for way in ways.get("error", ()):
        _check_error(ways, way)


def _check_error(ways: Mapping[str, list[list[Any]]], way: Sequence[Any]) -> None:
    """Raise `ValueError` unless what is neither WORD nor MESSAGE is the first that an error says: its type."""
    wanted = frozenset({"WORD", "MESSAGE"})

    def strange(symbol: Any) -> int:
        return int(_is_kept(symbol) and str(symbol.name).upper() not in wanted)  # rules are taken by their names, too

    def of(symbol: Any, weigh: Weigh) -> int:
        return _count(ways, str(symbol.name), weigh) if not symbol.is_term and _is_inlined(symbol) else weigh(symbol)

    said = [symbol for symbol in way if of(symbol, _is_kept)]
    if not said:
        raise ValueError("the rule 'error' may read no word, but an error has a type: let it begin with WORD")
    first, rest = said[:1], said[1:]
    if any(of(s, strange) for s in rest) or any(of(s, strange) and of(s, _is_kept) > 1 for s in first):
        raise ValueError("the rule 'error' may read what is neither WORD nor MESSAGE behind its type: it is not kept")
    for name, most in (("WORD", 1), ("MESSAGE", 1)):
        if sum(of(s, lambda symbol, name=name: int(str(symbol.name).upper() == name)) for s in rest) > most:  # type: ignore[misc]
            raise ValueError(f"the rule 'error' may read {name} more than once behind its type: only one is kept")


def _named(names: Iterable[str]) -> Weigh:
    wanted = frozenset(names)
    return lambda symbol: int(str(symbol.name) in wanted)


def _is_kept(symbol: Any) -> int:
    """Return 1 for a symbol that Lark hands on to the node, but for marks, which `!` before a rule keeps as well."""
    return int(not _is_inlined(symbol) and not (symbol.is_term and symbol.filter_out))


def _is_inlined(symbol: Any) -> bool:
    return str(symbol.name).startswith("_")


def _count(ways: Mapping[str, Sequence[Sequence[Any]]], rule: str, weigh: Weigh) -> int:
    """Return how much of a part a rule may read, `_MANY` for more than that; helper rules are part of it."""
    counts = dict.fromkeys(ways, 0)

    def total(way: Sequence[Any]) -> int:
        return min(_MANY, sum(weigh(s) or (0 if s.is_term else counts.get(str(s.name), 0)) for s in way))

    helpers = [name for name in ways if name.startswith("_")]
    changed = True
    while changed:  # each count grows a few times at most
        changed = False
        for name in helpers:
            count = max(map(total, ways[name]))
            if count > counts[name]:
                counts[name], changed = count, True
    return max(map(total, ways[rule]))
