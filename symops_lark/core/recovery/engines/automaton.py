"""Run a recovery grammar as a weighted automaton: the minimum-cost parse of line kinds.

Purpose
    A recovery grammar gives every sequence of kinds of lines at least one reading and puts a price
    on each mistake that the reading assumes. This module finds the reading with the lowest sum of
    prices, at a few microseconds a line, in time linear in the number of lines.

Theory of operation
    A recovery grammar is *left-linear*: an alternative is empty, one line, or a rule of several
    lines (a *mode*, by convention with a leading underscore) followed by at most one line.

        _closed: _open close | _in close        a mode, then a line
        _open:   _head open                     (Lark writes prices as `rule.-N`)
        missing_closer.-7000: _open | _in       a mode alone, at a price

    Such a grammar *is* a finite automaton whose arcs have weights: modes are its states, kinds of
    lines its letters, prices its weights over the semiring (min, +). An alternative `_open: _head
    open` is an arc from `_head` to `_open` for each kind of line that the rule `open` accepts. An
    alternative that is a mode alone adds no state: `automaton_compiler` passes the arcs through it
    and adds its price. The installed grammar of v2 has 34 states, 51 letters and 2,675 arcs.

    `Automaton.read` is the Viterbi algorithm. It keeps, for each state, the lowest price of any way
    to be in this state after the lines so far, and the last move of this way:

        kind       the cheapest ways, as (price, state)
        (start)    0 _top
        ACTION     0 _head        2500 _lost
        TEXT       2500 _lost     4000 _imp (missing-opener)      6500 _hprose     8000 _prose
        CLOSE      3500 _lost     4000 _closed                    9000 _open       …
        (end)      4000 _closed: head · body (missing-opener) · close

    No way is dropped because it is expensive: `_lost` is cheaper than `_imp` after two lines and
    loses, because a text cannot end in it. After the last line, the price of ending in a state is
    added, and the moves are followed backward from the best state.

    Of ways with equal prices the one wins that Lark would choose: from the end of the text
    backward, at each rule the alternative that the file writes first. `rank` numbers the arcs in
    that order. So the order of alternatives in the file is the author's tie-break in both engines.

Invariants
    1. The price is that of an exhaustive search over all derivations, and of equal prices the
       mistakes are those that Lark's Earley parser chooses (`test_it_chooses_what_lark_chooses`).
    2. Work grows linearly with the text (`test_the_work_grows_linearly`): one step costs at most
       the number of arcs of one kind.
    3. The installed grammars are total: each sequence has a reading (`test_it_is_total`).
    4. `to_data` and `from_data` keep the automaton exactly
       (`test_it_is_the_same_after_it_was_kept`).

Not here
    Which rules make which arcs: `automaton_compiler`. Grammars that nest, which no automaton can
    run: `earley`. What the roles and mistakes mean: `outline`.

References
    A. J. Viterbi, Error bounds for convolutional codes and an asymptotically optimum decoding
    algorithm, IEEE Transactions on Information Theory 13 (1967),
    https://doi.org/10.1109/TIT.1967.1054010
    M. Mohri, Semiring frameworks and algorithms for shortest-distance problems, Journal of
    Automata, Languages and Combinatorics 7 (2002)
    A. V. Aho and T. G. Peterson, A minimum distance error-correcting parser for context-free
    languages, SIAM Journal on Computing 1 (1972), https://doi.org/10.1137/0201022
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...ground.errors import GrammarError
from .priced_rules import Codes, Step, ViterbiPath

# By mode: the price of starting in it.
Start = dict[int, int]
# By mode: the price of ending in it, and the mistakes that the end adds. Of modes with equal prices
# the first wins.
End = dict[int, tuple[int, Codes]]
# The mode after a line, the step, and the rank.
Arc = tuple[int, Step, int]
# By kind of line, then by mode before the line. Of arcs to one mode with equal prices, the one of
# the lowest rank wins.
ArcsByMode = dict[int, tuple[Arc, ...]]
Arcs = dict[str, ArcsByMode]
Tables = tuple[Start, End, Arcs]

# An arc with what `read` needs in one tuple: mode after the line, price, rank, mode before, step.
_Move = tuple[int, int, int, int, Step]
_Moves = tuple[_Move, ...]
# A price, the mode that the text ends in, and the mistakes that the end adds.
_Ending = tuple[int, int, Codes]


class Automaton:
    """The automaton of one recovery grammar.

    Attributes:
        name: The path of the grammar, for messages.
        mistakes: The price of each mistake by its diagnostic code.
        kinds: The kinds of lines that the grammar names.
        modes: The rule of each mode; empty for an automaton that was loaded from data.
    """

    def __init__(
        self, name: str, tables: Tables, mistakes: dict[str, int], modes: tuple[str, ...] = ()
    ) -> None:
        self.name = name
        self.mistakes = mistakes
        self._start, self._end, self._arcs = tables
        self._moves: dict[str, dict[int, _Moves]] = {}  # by kind and mode
        self.kinds = tuple(self._arcs)
        self.modes = modes

    def to_data(self) -> dict[str, Any]:
        """Return the automaton as a JSON object."""
        step_numbers: dict[Step, int] = {}
        kinds = list(self._arcs)
        rows = []
        for number, by_mode in enumerate(self._arcs.values()):
            for mode, arcs in by_mode.items():
                for target, step, rank in arcs:
                    # Many arcs share a step: each is written once.
                    step_number = step_numbers.setdefault(step, len(step_numbers))
                    rows.append((rank, number, mode, target, step_number))
        rows.sort()
        end: list[list[Any]] = []
        for mode, (price, missing) in self._end.items():
            end.append([mode, price, list(missing)])
        start = [list(row) for row in self._start.items()]
        return {
            "name": self.name,
            "start": start,
            "end": end,
            "steps": [_step_to_data(step) for step in step_numbers],
            "kinds": kinds,
            # By column, in the order of ranks: so the rank is the index, and columns compress well.
            "arcs": [[row[at] for row in rows] for at in range(1, 5)],
            "mistakes": self.mistakes,
        }

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Automaton:
        """Return the automaton that `to_data` wrote."""
        steps = []
        for role, mistakes, before, price in data["steps"]:
            step = Step(role, tuple(mistakes), tuple(before), price)
            steps.append(step)
        start: Start = dict(data["start"])
        end: End = {}
        for mode, price, missing in data["end"]:
            end[mode] = (price, tuple(missing))
        kinds = data["kinds"]
        rows: dict[str, dict[int, list[Arc]]] = {}
        for kind in kinds:
            rows[kind] = {}
        columns = zip(*data["arcs"], strict=True)
        for rank, (kind_number, mode, target, number) in enumerate(columns):
            arc = (target, steps[number], rank)
            by_mode = rows[kinds[kind_number]]
            by_mode.setdefault(mode, []).append(arc)
        arcs: Arcs = {}
        for kind, by_mode in rows.items():
            arcs[kind] = {}
            for mode, row in by_mode.items():
                arcs[kind][mode] = tuple(row)
        tables = (start, end, arcs)
        return Automaton(data["name"], tables, data["mistakes"])

    @property
    def tables(self) -> Tables:
        """The prices of starting in a mode and of ending in one, and the arcs of each kind.

        The mode -1 is the state before the first line.
        """
        return self._start, self._end, self._arcs

    def _make_moves(self, kind: str, mode: int) -> _Moves:
        """Return the moves of a kind from a mode, and remember them.

        A trail of many thousand lines then holds references to the same few tuples.
        """
        by_mode = self._arcs.get(kind, {})
        arcs = by_mode.get(mode, ())
        moves = []
        for target, step, rank in arcs:
            move = (target, step.price, rank, mode, step)
            moves.append(move)
        self._moves[kind][mode] = tuple(moves)
        return self._moves[kind][mode]

    def read(self, kinds: Sequence[str]) -> ViterbiPath:
        """Return the minimum-cost reading of a sequence of line kinds.

        Raises:
            GrammarError: The grammar is not total: the sequence has no reading.
        """
        costs = dict(self._start)
        trail = []  # for each line: the cheapest move to each mode
        for kind in kinds:
            new: dict[int, int] = {}
            came = {}
            moves = self._moves.setdefault(kind, {})
            # The hot loop of recovery: plain dicts and tuples, no calls but the first look-up.
            for mode, cost in costs.items():
                row = moves.get(mode)
                if row is None:
                    row = self._make_moves(kind, mode)
                for move in row:
                    target = move[0]
                    total = cost + move[1]
                    best = new.get(target)
                    if best is None or total < best:
                        new[target] = total
                        came[target] = move
                    elif total == best and move[2] < came[target][2]:  # the lower rank
                        came[target] = move
            if not new:
                raise GrammarError(
                    f"{self.name}: no rule gives a line of kind {kind} a role here; "
                    "the grammar is not total"
                )
            costs = new
            trail.append(tuple(came.values()))
        price, mode, at_end = self._find_end(costs, kinds)
        return ViterbiPath(_follow_back(trail, mode), at_end, price)

    def _find_end(self, costs: dict[int, int], kinds: Sequence[str]) -> _Ending:
        """Return the lowest price of ending, its mode, and the mistakes that the end adds."""
        endings = []
        for mode, (price, missing) in self._end.items():
            if mode in costs:
                total = costs[mode] + price
                endings.append((total, mode, missing))
        if not endings:
            raise GrammarError(
                f"{self.name}: a text must not end after a line of kind {kinds[-1]}; "
                "the grammar is not total"
            )
        return min(endings, key=lambda ending: ending[0])  # of equal prices, the first


def _step_to_data(step: Step) -> list[Any]:
    mistakes = list(step.mistakes)
    before = list(step.before)
    return [step.role, mistakes, before, step.price]


def _follow_back(trail: Sequence[_Moves], mode: int) -> tuple[Step, ...]:
    """Return the steps of the moves that lead to a mode, from the first line to the last."""
    steps = []
    for moves in reversed(trail):
        for move in moves:
            if move[0] == mode:  # exactly one move of each line leads to a mode
                mode = move[3]
                steps.append(move[4])
                break
    return tuple(reversed(steps))
