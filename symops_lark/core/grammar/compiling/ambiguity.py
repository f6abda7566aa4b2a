r"""Refuse terminals on which a text can keep Python's `re` busy (ReDoS), and name such a text.

Purpose
    Terminals run in `re`, which backtracks: where a pattern can take a text in two ways, it tries
    the first one, and after a failure the second one. A pattern that a stranger writes can thus
    need exponential time on a text that a model writes. `refuse_attack` finds such a text before
    the terminal is ever used. It runs in about a millisecond for an ordinary terminal.

Theory of operation
    The number of attempts is the number of ways in which the automaton of the pattern reads a text
    that fails in the end. The module `positions` builds this automaton (Glushkov's construction)
    and counts its ways; `attack_search` looks for the structures that multiply them. The conditions
    are those of Weber and Seidl for the degree of ambiguity of an automaton:

    1. *Exponential*: a text leads from a position p to p in two ways. The search runs through
       the product of the automaton with itself, from (p, p) over some (q, r) with q != r back to
       (p, p). Each repetition of the text doubles the attempts.
    2. *Quadratic*: one text leads from p to p, from p to q, and from q to q. The search runs
       through the product of three copies, from (p, p, q) to (p, q, q). With n repetitions, there
       are n places at which a way may change from the loop of p to the loop of q.
    3. *Many ways without a loop*: optional parts after each other, as in `a?a?a?…`. The pattern
       bounds their number, but 15 of 30 parts can be chosen in 155 million ways. A beam search
       extends the most ambiguous texts until one has more than 20,000 ways.

    The text of an attack is `before` + `pump` repeated + `after`: a way from the start to the loop,
    the repeated text, and a character with which every way fails.

        pattern               attack                  why
        (a+)+b                'a' + 'a' * 30 + 'c'    1: the next `a` continues the inner loop or
                                                      begins a new turn of the outer one
        [a-z]+[a-z0-9]+!      'a' + 'a' * 30 + 'A'    2: `a` leads from each loop to itself, and
                                                      from the first loop to the second
        a?…a? a…a (30 each)   'aaaa' + 'b'            3: any 4 of 30 options may take 4 letters
        (a+)+                 none                    the first attempt succeeds
        (?>a+)+b              none                    an atomic group keeps its match

    Positions with which the pattern may end are left out, because a terminal takes the first match:
    after it there is nothing to try. An atomic group and a possessive repetition are analyzed as
    separate patterns, and are one position for the pattern around them.

Invariants
    1. An attack multiplies the attempts as its `growth` states, counted by an independent program
       (`test_what_is_found_multiplies_and_what_is_not_found_does_not`).
    2. Where no attack is found, none of some short texts has more than 2,000 ways (same test).
    3. No installed terminal can be attacked (`test_no_installed_terminal_can_be_attacked`).
    4. The analysis itself is bounded (`positions.Budget`). A pattern that exceeds the limits, or
       has a backreference, is `Undecided` and refused.

Not here
    Rules of repair run in RE2, which needs no such check; `exports/own_rules` runs it for exported
    parsers, which use `re`. The limits on whole grammars: `bounds`.

Known weaknesses
    A pattern with assertions is not searched for two loops. The beam search follows 6 texts of at
    most 200 characters, so it can miss an attack of the third kind. Growth with the cube of the
    length or more is reported as quadratic.

References
    A. Weber and H. Seidl, On the degree of ambiguity of finite automata, Theoretical Computer
    Science 88 (1991), https://doi.org/10.1016/0304-3975(91)90381-B
    C. Allauzen, M. Mohri and A. Rastogi, General algorithms for testing the ambiguity of finite
    automata (2008), https://arxiv.org/abs/0802.3254
    N. Weideman, B. van der Merwe, M. Berglund and B. Watson, Analyzing matching time behavior of
    backtracking regular expression matchers by using ambiguity of NFA, CIAA 2016
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ...patterns.re_syntax import UnreadablePatternError, parse_pattern
from .attack_search import DOUBLES as DOUBLES
from .attack_search import MANY as MANY
from .attack_search import SQUARE as SQUARE
from .attack_search import Attack as Attack
from .attack_search import AttackSearch
from .positions import Budget, Positions, Undecided, Unreadable


def refuse_attack(name: str, pattern: str) -> None:
    """Check a terminal.

    A pattern that `re` cannot read is accepted here: Lark reports it with its place.

    Args:
        name: The name of the terminal, for the message.
        pattern: Its pattern, in the syntax of `re`.

    Raises:
        ValueError: A text keeps the pattern busy, or the analysis cannot decide whether one does.
    """
    try:
        attack = find_attack(pattern)
    except Unreadable:
        return
    except Undecided as error:
        raise ValueError(
            f"the terminal '{name}' may take endless time, because {error}: "
            "write it with classes, | ? * and + only"
        ) from None
    if attack is not None:
        raise ValueError(
            f"the terminal '{name}' may take endless time: on the text {attack}, {attack.growth}; "
            "write it so that each text can be read in one way only"
        )


@lru_cache(maxsize=1024)
def find_attack(pattern: str, flags: int = 0) -> Attack | None:
    """Find a text on which the attempts of a pattern multiply.

    Args:
        pattern: The pattern, in the syntax of `re`. It is matched from the beginning of a text, and
            what follows the match may be anything.
        flags: Flags of `re`.

    Returns:
        None if there is no such text.

    Raises:
        Undecided: The pattern has a backreference, or is too large.
        Unreadable: `re` cannot read the pattern.
    """
    try:
        tree = parse_pattern(pattern, flags)
    except UnreadablePatternError as error:
        raise Unreadable(str(error)) from None
    items = list(tree.items)
    # `^` before everything else prevents no attempt in what follows.
    while items and str(items[0][0]) == "AT":
        del items[0]
    # The pattern, and the parts of it that are matched separately.
    waiting: list[tuple[Any, int]] = [(items, tree.flags)]
    budget = Budget()
    while waiting:
        items, item_flags = waiting.pop()
        positions = Positions(waiting.append, budget)
        try:
            part = positions.read(items, item_flags)
        except RecursionError:
            raise Undecided("its groups are nested too deeply") from None
        attack = AttackSearch(positions, part, budget).find()
        if attack is not None:
            return attack
    return None
