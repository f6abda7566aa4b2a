"""Check that the document has a place for everything that a grammar reads.

Invariant: a dialect that loads loses nothing. A node of the document holds one content, one path
and one verb, so a rule that could read two of them is an error. Attributes may repeat: a text that
does so gets a diagnostic. `tests/core/grammar/test_kept_parts.py` and `test_each_part_is_kept.py`
hold this.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ...ground.numbers import counted
from .regular import Language, Unsupported, find_common
from .rule_trees import is_tree, kind_of

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

WAY_OUT = "write it as a format"
# The rules of formats, which would be sections of a dialect.
FORMAT_RULES = frozenset(("write", "edit", "delete", "command", "call", "sample"))
_SAME = "SAME_"
_NOT_A_LINE = Language(r"(.|\n)*[^\n]")  # texts that do not end a line
_NOT_TWO_LINES = Language(r"[^\n]*(\n[^\n]*)?|(.|\n)*[^\n]")
_NOT_BLANK = Language(r"(.|\n)*[^ \t\r\n](.|\n)*")


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
        "read the others as a custom section, or as an argument with another name, or "
        f"{WAY_OUT}"
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


def refuse_unservable(
    sections: Iterable[str],
    rules: Sequence[Any],
    patterns: Mapping[str, Any],
    terminals: Mapping[str, Any],
) -> None:
    """Check that a dialect can be served.

    Args:
        sections: The names of its custom sections.
        rules: The compiled rules of Lark.
        patterns: The patterns of its terminals by name.
        terminals: The trees of its terminals by name.

    Raises:
        ValueError: It cannot; the message names the rule or terminal, the reason and the way out.
    """
    check_places(rules)
    for name in sections:
        if name in FORMAT_RULES:
            raise ValueError(
                f"the rule '{name}' is a section with a name that only formats have: "
                f"give it another name, or {WAY_OUT}"
            )
    for name in map(str, terminals):
        if name.startswith(_SAME):
            raise _closer_error(name)
    _refuse_inline_opener(rules, patterns)
    if "BLOCK" in terminals:
        _refuse_chosen_closer(terminals["BLOCK"], terminals)
    if "BLOCK" in patterns:
        _refuse_block_without_lines(patterns["BLOCK"].to_regexp())


def _refuse_block_without_lines(regex: str) -> None:
    """Refuse a block whose opener or closer has no line: the content is between these lines."""
    if _can_be(regex, _NOT_TWO_LINES):
        raise ValueError(
            "the terminal 'BLOCK' may match a text without a line for its opener and one for its "
            f"closer: end both with _NL, as in `_OPEN _NL _CONTENT_LINE* _CLOSE _NL`, or {WAY_OUT}"
        )


def _refuse_inline_opener(rules: Iterable[Any], patterns: Mapping[str, Any]) -> None:
    """Refuse a block, or lines of a content, that may begin in the middle of a line."""
    before = find_neighbors([(rule.origin.name, _names_of(rule)) for rule in rules])
    for name in sorted(before.get("BLOCK", ())):
        pattern = patterns.get(name)
        if pattern is not None and _can_be(pattern.to_regexp(), _NOT_A_LINE):
            raise ValueError(
                f"the terminal 'BLOCK' may begin behind {name}, in the middle of a line: an opener "
                f"has a line of its own in a dialect; end the line before it, or {WAY_OUT}"
            )
    if "_CONTENT_LINE" in before:
        raise ValueError(
            "the terminal '_CONTENT_LINE' is used outside of BLOCK: a dialect has contents in "
            f"blocks, whose opener has a line of its own; use BLOCK, or {WAY_OUT}"
        )


def _refuse_chosen_closer(block: Any, terminals: Mapping[str, Any]) -> None:
    """Refuse a block with a part that varies and must be the same at both ends."""
    for row in block.iter_subtrees():
        if kind_of(row) != "expansion":
            continue
        # In the tree of a terminal, the trees of others take the place of their names.
        for number, part in enumerate(row.children):
            if part not in row.children[:number] or not is_tree(part):
                continue
            regex = _regex_of(part)
            if regex and _can_be(regex, _NOT_BLANK):
                inner = part.children[0]
                names = [name for name, tree in terminals.items() if inner == tree]
                raise _closer_error(min(map(str, names), default="BLOCK"))


def _regex_of(tree: Any) -> str:
    """Return the pattern of a terminal that is one regular expression; "" for others."""
    tokens = list(tree.scan_values(lambda node: getattr(node, "type", "") in ("REGEXP", "STRING")))
    if len(tokens) != 1 or tokens[0].type != "REGEXP":
        return ""
    return str(tokens[0]).rpartition("/")[0][1:]


def _closer_error(name: str) -> ValueError:
    return ValueError(
        f"the terminal '{name}' is a closer that the opener chooses: a dialect reads any closer "
        f"there, not the same one; give blocks fixed marks, or {WAY_OUT}"
    )


def _can_be(regex: str, other: Language) -> bool:
    try:
        return find_common(Language(regex), other) is not None
    except Unsupported:
        return False


def _names_of(rule: Any) -> list[str]:
    return [str(symbol.name) for symbol in rule.expansion]


def find_neighbors(productions: Iterable[tuple[str, list[str]]]) -> dict[str, set[str]]:
    """Return the terminals that may be right before each symbol of a grammar.

    Args:
        productions: Names of rules with the symbols of one alternative each. A symbol that is not
            the name of a rule is a terminal.
    """
    productions = [(str(name), symbols) for name, symbols in productions]
    names = {name for name, _ in productions}
    lasts: dict[str, set[str]] = defaultdict(set)  # the terminals that a rule may end with
    before: dict[str, set[str]] = defaultdict(set)
    empty: set[str] = set()
    size = -1
    while size != (size := sum(map(len, (empty, *lasts.values(), *before.values())))):
        for name, symbols in productions:
            if all(symbol in empty for symbol in symbols):
                empty.add(name)
            near = before[name]  # what may be before the symbol that is next
            ends: set[str] = set()
            for symbol in symbols:
                before[symbol] |= near
                new = lasts[symbol] if symbol in names else {symbol}
                near = near | new if symbol in empty else new
                ends = ends | new if symbol in empty else set(new)
            lasts[name] |= ends
    return before
