"""Check that the document has a place for everything that a grammar reads.

Invariant: a dialect that loads loses nothing. A node of the document holds one content, one path
and one verb, so a rule that could read two of them is an error. Attributes may repeat: a text that
does so gets a diagnostic. `tests/core/grammar/test_kept_parts.py` and `test_each_part_is_kept.py`
hold this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ...ground.numbers import counted

# How many of some part a symbol of a rule is: 0 or 1, or the count of a line that it reads.
Weigh = Callable[[Any], int]
# By rule, its alternatives, each as its symbols: as Lark compiles rules, without repetitions.
_Rules = Mapping[str, Sequence[Sequence[Any]]]

_MAX_COUNT = 3  # counts end here: no place holds more than two
_HEADS = ("head", "verb_line", "run_line")  # the rules that have the verb of an action
_VERBS = frozenset({"VERB", "_running", "_writing", "_removing"})
_PATHS = frozenset({"PATH", "COMMAND"})
_ERROR_WORDS = frozenset({"WORD", "MESSAGE"})
_ANYTHING = "something"
_HEAD_PLACES = {"NUMBER": 1, "PATH": 1, "COMMAND": 1}
# By rule, how many of each part its node holds.
_PLACES: Mapping[str, Mapping[str, int]] = {
    "action": {"BLOCK": 1},
    "head": _HEAD_PLACES,
    "verb_line": _HEAD_PLACES,
    "run_line": _HEAD_PLACES,
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
    """Check that no rule reads more than its node holds.

    Args:
        rules: The rules as Lark compiled them: without templates, repetitions and options.

    Raises:
        ValueError: A rule may read more.
    """
    by_name: dict[str, list[list[Any]]] = {}
    for rule in rules:
        alternatives = by_name.setdefault(str(rule.origin.name), [])
        alternatives.append(list(rule.expansion))
    for name, places in _PLACES.items():
        for part, places_count in places.items():
            weigh = _named({part})
            if part == _ANYTHING:
                weigh = _is_kept
            _refuse_more(by_name, name, part, places_count, weigh)
    _check_actions(by_name)
    _check_choices(by_name)
    for alternative in by_name.get("error", ()):
        _check_error(by_name, alternative)


def _check_actions(rules: _Rules) -> None:
    """Raise `ValueError` for an action with two verbs or two paths, on one line or on several."""
    # By rule of a line, how many paths the line has.
    lines = {"path_line": 1, "command_line": 1}
    for name in _HEADS:
        if name in rules:
            lines[name] = _count(rules, name, _named(_PATHS))
            _refuse_more(rules, name, "a verb", 1, _named(_VERBS))
            _refuse_more(rules, name, "a path", 1, _named(_PATHS))

    def weigh_line(symbol: Any) -> int:
        return lines.get(str(symbol.name), 0)

    _refuse_more(rules, "action", "a head", 1, _named(_HEADS))
    _refuse_more(rules, "action", "a path", 1, weigh_line)


def _check_choices(rules: _Rules) -> None:
    """Raise `ValueError` for choices whose text would be lost."""
    if "choice" not in rules:
        return
    # The builder takes the first child of a choice as its number and the second one as its text.
    kept_count = _count(rules, "choice", _is_kept)
    number_count = _count(rules, "choice", _named({"NUMBER"}))
    if kept_count > number_count == 0:
        raise ValueError(
            "the rule 'choice' reads no NUMBER, so its text is not kept: let it begin with NUMBER"
        )


def _refuse_more(rules: _Rules, name: str, part: str, places_count: int, weigh: Weigh) -> None:
    """Raise `ValueError` if a rule may read more of a part than its node has places for."""
    if name not in rules or _count(rules, name, weigh) <= places_count:
        return
    times = "once"
    places = "one is"
    if places_count != 1:
        times = counted(places_count, "time")
        places = f"{places_count} are"
    raise ValueError(
        f"the rule '{name}' may read {part} more than {times}, but only {places} kept: "
        "read the others as a custom section, or as an argument with another name, or write the "
        "notation as a format"
    )


def _check_error(rules: _Rules, alternative: Sequence[Any]) -> None:
    """Raise `ValueError` for an error line with words that its node has no place for.

    The first word is the type of the error, whatever its terminal is. After it may come one WORD,
    the path, and one MESSAGE.
    """

    def is_other(symbol: Any) -> int:
        # Rules count by their names, too: a rule `word` is read as the terminal WORD is.
        return int(_is_kept(symbol) and str(symbol.name).upper() not in _ERROR_WORDS)

    def weigh_symbol(symbol: Any, weigh: Weigh) -> int:
        if not symbol.is_term and _is_inlined(symbol):
            return _count(rules, str(symbol.name), weigh)
        return weigh(symbol)

    words = [symbol for symbol in alternative if weigh_symbol(symbol, _is_kept)]
    if not words:
        raise ValueError(
            "the rule 'error' may read no word, but an error has a type: let it begin with WORD"
        )
    first = words[0]
    following = words[1:]
    is_too_long = weigh_symbol(first, is_other) and weigh_symbol(first, _is_kept) > 1
    if is_too_long or any(weigh_symbol(symbol, is_other) for symbol in following):
        raise ValueError(
            "the rule 'error' may read something other than WORD and MESSAGE after its type: "
            "it is not kept"
        )
    for name in ("WORD", "MESSAGE"):
        is_name = _named_in_any_case(name)
        count = sum(weigh_symbol(symbol, is_name) for symbol in following)
        if count > 1:
            raise ValueError(
                f"the rule 'error' may read {name} more than once after its type: only one is kept"
            )


def _named(names: Iterable[str]) -> Weigh:
    """Return a function that counts the symbols of some names."""
    expected = frozenset(names)

    def weigh(symbol: Any) -> int:
        return int(str(symbol.name) in expected)

    return weigh


def _named_in_any_case(name: str) -> Weigh:
    def weigh(symbol: Any) -> int:
        return int(str(symbol.name).upper() == name)

    return weigh


def _is_kept(symbol: Any) -> int:
    """Return 1 for a symbol that becomes a child of the node.

    Marks never do, although `!` before a rule makes Lark keep them.
    """
    is_left_out = symbol.is_term and symbol.filter_out
    return int(not _is_inlined(symbol) and not is_left_out)


def _is_inlined(symbol: Any) -> bool:
    return str(symbol.name).startswith("_")


def _count(rules: _Rules, rule: str, weigh: Weigh) -> int:
    """Return how much of a part a rule may read, its helper rules included; at most `_MAX_COUNT`.

    Helper rules refer to each other and to themselves (`x*` is `_s: _s x | x`), so their counts
    grow until nothing changes: a least fixed point.
    """
    counts = dict.fromkeys(rules, 0)

    def weigh_alternative(alternative: Sequence[Any]) -> int:
        total = 0
        for symbol in alternative:
            weight = weigh(symbol)
            if not weight and not symbol.is_term:
                weight = counts.get(str(symbol.name), 0)
            total += weight
        return min(_MAX_COUNT, total)

    helpers = [name for name in rules if name.startswith("_")]
    has_changed = True
    while has_changed:  # ends, because each count grows at most `_MAX_COUNT` times
        has_changed = False
        for name in helpers:
            count = max(map(weigh_alternative, rules[name]))
            if count > counts[name]:
                counts[name] = count
                has_changed = True
    return max(map(weigh_alternative, rules[rule]))
