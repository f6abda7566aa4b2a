"""Run patterns of RE2 as an automaton: for systems that google-re2 has no wheel for.

The time is linear in the text, as with RE2, and the matches are the same: the leftmost one, and of
those the first in the order of the pattern. RE2 is about ten times faster. Most patterns that
RE2 rejects are rejected.

A pattern becomes a graph of nodes (Thompson's construction, of which K. Thompson, "Regular
Expression Search Algorithm", 1968, is the source). Two runs over the text follow:

1. `Machine.matches` simulates all threads at once. A set of nodes that wait for a character is a
   state; states and their moves are built on demand and remembered, as in a lazy DFA.
2. Only where there is a match, `Machine.locate` keeps the threads apart, in the order of their
   priority, each with the offsets of its groups (R. Pike's virtual machine;
   https://swtch.com/~rsc/regexp/regexp2.html).

Example: `a|b+` begins at a SPLIT node with the successors (a, b). The node of `b` leads to another
SPLIT with the successors (b, MATCH): the repetition comes first because it is greedy.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from typing import Any

from .pattern_syntax import BEGIN, END, SyntaxProblem, beside, check_flags, one_of, parse, which
from .re_syntax import ENDLESS

_CHARACTER, _SPLIT, _SAVE, _ASSERT, _MATCH = range(5)  # kinds of nodes
_MAX_NODES = 20_000  # of all patterns together, a bound on memory as RE2 has one
_MAX_REPEATS = 1_000  # the bound of RE2 on the numbers in {n,m}
_MAX_MOVES = 50_000  # that are remembered; texts with many different characters have many
# Groups: a number, a name, plain text. Matches `\1` (number), `\g<name>` (name), `a\n` and the
# octal escape `\101` (plain text).
_TEMPLATE = re.compile(
    r"\\(?![0-7]{3})([1-9][0-9]?)|\\g<(\w+)>|((?:\\[0-7]{3}|\\(?![1-9]|g<).|[^\\])+)", re.DOTALL
)
_Caps = tuple[int, ...]  # start and end of each group, -1 without one; group 0 is the match


class _State:
    """A set of nodes that wait for a character, and the kind of the character before."""

    __slots__ = ("before", "moves", "nodes")

    def __init__(self, nodes: frozenset[int], before: int) -> None:
        self.nodes = nodes
        self.before = before
        # By the next character (None: the end), the next state and the patterns that end here.
        self.moves: dict[str | None, tuple[_State, frozenset[int]]] = {}


class Machine:
    """Some patterns as one automaton.

    Attributes:
        names: The numbers of the named groups of the last pattern.
        groups: The number of its groups.
    """

    def __init__(self, patterns: list[str]) -> None:
        self._kinds: list[int] = []
        self._arguments: list[Any] = []
        self._after: list[Any] = []  # one node, or several in the order of their priority
        self._starts: list[int] = []
        self.names: dict[str, int] = {}
        self.groups = 0
        for number, pattern in enumerate(patterns):
            tree = parse(pattern)
            self.names, self.groups = tree.names, tree.groups
            end = self._node(_SAVE, 1, self._node(_MATCH, number, None))
            self._starts.append(self._node(_SAVE, 0, self._build(tree.items, tree.flags, end)))
        self._forget()

    @property
    def size(self) -> int:
        """The number of nodes."""
        return len(self._kinds)

    # ---- from patterns to nodes

    def _node(self, kind: int, argument: Any, after: Any) -> int:
        """Add a node and return its number."""
        if len(self._kinds) >= _MAX_NODES:
            raise SyntaxProblem("the pattern is too large")
        self._kinds.append(kind)
        self._arguments.append(argument)
        self._after.append(after)
        return len(self._kinds) - 1

    def _build(self, items: Any, flags: int, after: int) -> int:
        """Add the nodes of some items that come before a node; return the first one."""
        # From the end, so that the node after each item exists when the item is built.
        for op, value in reversed(list(items)):
            after = self._build_item(str(op), value, flags, after)
        return after

    def _build_item(self, op: str, value: Any, flags: int, after: int) -> int:
        match op:
            case "LITERAL" | "NOT_LITERAL" | "ANY" | "IN":
                matches = one_of(op, value, flags & (re.IGNORECASE | re.DOTALL))
                return self._node(_CHARACTER, matches, after)
            case "AT":
                holds = which(str(value), bool(flags & re.MULTILINE))
                return self._node(_ASSERT, holds, after)
            case "BRANCH":
                branches = [self._build(branch, flags, after) for branch in value[1]]
                return self._node(_SPLIT, None, branches)
            case "SUBPATTERN":
                return self._build_group(value, flags, after)
            case "MAX_REPEAT" | "MIN_REPEAT":
                return self._repeat(value, flags, after, op == "MIN_REPEAT")
        raise SyntaxProblem(f"no part of RE2's syntax: {op.lower().replace('_', ' ')}")

    def _build_group(self, value: Any, flags: int, after: int) -> int:
        group, add, remove, items = value
        check_flags(add)
        flags = (flags | add) & ~remove
        if group is None:  # a group for flags or alternatives only
            return self._build(items, flags, after)
        end = self._node(_SAVE, 2 * group + 1, after)
        start = self._build(items, flags, end)
        return self._node(_SAVE, 2 * group, start)

    def _repeat(self, value: Any, flags: int, after: int, lazy: bool) -> int:
        low, high, items = int(value[0]), value[1], value[2]
        is_endless = high is ENDLESS
        if low > _MAX_REPEATS or (not is_endless and int(high) > _MAX_REPEATS):
            raise SyntaxProblem(f"a part is repeated more than {_MAX_REPEATS} times")
        end = after
        if is_endless:
            # The node comes first: the repeated part leads back to it.
            after = self._node(_SPLIT, None, [])
            part = self._build(items, flags, after)
            self._after[after] = _in_order(part, end, lazy)
        else:
            for _ in range(int(high) - low):
                part = self._build(items, flags, after)
                after = self._node(_SPLIT, None, _in_order(part, end, lazy))
        for _ in range(low):
            after = self._build(items, flags, after)
        return after

    # ---- whether there is a match

    def find(self, text: str) -> set[int]:
        """Return the numbers of the patterns that match anywhere in a text."""
        return set().union(*self._find(text))

    def matches(self, text: str) -> bool:
        """Return whether any of the patterns matches anywhere in a text."""
        return any(self._find(text))

    def _find(self, text: str) -> Iterator[frozenset[int]]:
        """Yield the numbers of the patterns that match, where a match ends."""
        state = self._begin
        for character in text:
            state, hits = state.moves.get(character) or self._move(state, character)
            if hits:
                yield hits
        yield self._move(state, None)[1]

    def _forget(self) -> None:
        """Give up all states but the first one."""
        self._states: dict[tuple[frozenset[int], int], _State] = {}
        self._moves = 0
        self._begin = _State(frozenset(self._starts), BEGIN)

    def _move(self, state: _State, character: str | None) -> tuple[_State, frozenset[int]]:
        """Return the state after a character, and the patterns that match before it."""
        self._moves += 1
        if self._moves > _MAX_MOVES:  # states that are needed again are built again
            self._forget()
        before = state.before
        following = beside(character)
        # A match may begin at each offset: the first nodes are added to those that wait.
        waiting = [*state.nodes, *self._starts]
        visited = set()
        hits = set()
        targets = set()
        while waiting:
            node = waiting.pop()
            if node in visited:
                continue
            visited.add(node)
            kind = self._kinds[node]
            if kind == _CHARACTER:
                if character is not None and self._arguments[node](character):
                    targets.add(self._after[node])
            elif kind == _MATCH:
                hits.add(self._arguments[node])
            elif kind == _SPLIT:
                waiting += self._after[node]
            elif kind == _SAVE or self._arguments[node](before, following):
                waiting.append(self._after[node])
        key = (frozenset(targets), following)
        target = self._states.setdefault(key, _State(*key))
        move = (target, frozenset(hits))
        state.moves[character] = move
        return move

    # ---- where it is

    def locate(self, text: str, start: int) -> _Caps | None:
        """Find the first match of the only pattern from an offset.

        Returns:
            Start and end of the match, then of each group; -1 for a group without a part in the
            match. None if there is no match.
        """
        no_groups = (-1,) * (2 * self.groups + 2)
        threads: list[tuple[int, _Caps]] = []
        visited: set[int] = set()
        best: _Caps | None = None
        for at in range(start, len(text) + 1):
            if best is None:
                # A match that begins here has a lower priority than all that began before.
                self._follow(self._starts[0], no_groups, text, at, threads, visited)
            elif not threads:
                break
            following: list[tuple[int, _Caps]] = []
            visited = set()
            for node, caps in threads:
                if self._kinds[node] == _MATCH:
                    best = caps
                    break  # all later threads have a lower priority
                if at < len(text) and self._arguments[node](text[at]):
                    self._follow(self._after[node], caps, text, at + 1, following, visited)
            threads = following
        return best

    def _follow(
        self,
        node: int,
        caps: _Caps,
        text: str,
        at: int,
        threads: list[tuple[int, _Caps]],
        visited: set[int],
    ) -> None:
        """Add the threads that a node leads to at an offset, in the order of their priority."""
        before = beside(text[at - 1]) if at else BEGIN
        following = beside(text[at]) if at < len(text) else END
        waiting = [(node, caps)]
        while waiting:
            node, caps = waiting.pop()
            if node in visited:
                continue
            visited.add(node)
            kind = self._kinds[node]
            after = self._after[node]
            if kind in (_CHARACTER, _MATCH):
                threads.append((node, caps))
            elif kind == _SPLIT:
                # Reversed: the last one is taken first.
                waiting += [(successor, caps) for successor in reversed(after)]
            elif kind == _SAVE:
                slot = self._arguments[node]
                saved = (*caps[:slot], at, *caps[slot + 1 :])
                waiting.append((after, saved))
            elif self._arguments[node](before, following):
                waiting.append((after, caps))


def _in_order(part: int, end: int, lazy: bool) -> list[int]:
    """Return the successors of a repetition, the preferred one first."""
    return [end, part] if lazy else [part, end]


class MachinePattern:
    """A pattern with the methods of `re.Pattern` that this project uses.

    Attributes:
        pattern: The pattern.
        groups: The number of groups.
        groupindex: The numbers of the named groups.
        size: The number of nodes of the automaton.
    """

    def __init__(self, pattern: str) -> None:
        """Compile a pattern.

        Raises:
            SyntaxProblem: RE2 would reject the pattern.
        """
        self.pattern = pattern
        self._machine = Machine([pattern])
        self.groups = self._machine.groups
        self.groupindex = self._machine.names
        self.size = self._machine.size

    def search(self, text: str) -> MachineMatch | None:
        """Return the first match in a text."""
        return next(self.finditer(text), None)

    def finditer(self, text: str) -> Iterator[MachineMatch]:
        """Yield the matches in a text that do not overlap."""
        if not self._machine.matches(text):
            return
        at = 0
        caps = self._machine.locate(text, at)
        while caps is not None:
            yield MachineMatch(text, caps, self.groupindex)
            if at == len(text):
                return
            # An empty match would be found again: continue one character later.
            at = at + 1 if caps[1] == at else caps[1]
            caps = self._machine.locate(text, at)

    def sub(self, with_: str | Callable[[MachineMatch], str], text: str, count: int = 0) -> str:
        """Replace matches.

        Args:
            with_: A template, or a function that returns the replacement of a match.
            text: The text.
            count: The maximum number of replacements; 0: all matches.
        """
        pieces = []
        end = 0
        for number, match in enumerate(self.finditer(text), 1):
            pieces.append(text[end : match.start()])
            pieces.append(match.expand(with_) if isinstance(with_, str) else with_(match))
            end = match.end()
            if number == count:
                break
        pieces.append(text[end:])
        return "".join(pieces)


class MachineMatch:
    """A match, with the methods of `re.Match` that this project uses.

    Attributes:
        string: The text that was searched.
    """

    def __init__(self, text: str, caps: _Caps, names: dict[str, int]) -> None:
        self.string = text
        self._caps = caps
        self._names = names

    def span(self, group: int | str = 0) -> tuple[int, int]:
        """Return start and end of a group; (-1, -1) if it has no part in the match."""
        number = self._names[group] if isinstance(group, str) else group
        return self._caps[2 * number], self._caps[2 * number + 1]

    def start(self, group: int | str = 0) -> int:
        """Return the start of a group; -1 if it has no part in the match."""
        return self.span(group)[0]

    def end(self, group: int | str = 0) -> int:
        """Return the end of a group; -1 if it has no part in the match."""
        return self.span(group)[1]

    def __getitem__(self, group: int | str) -> str | None:
        start, end = self.span(group)
        return None if start < 0 else self.string[start:end]

    def expand(self, template: str) -> str:
        """Return a template with its groups filled in, by the rules of RE2's Python wrapper."""
        pieces = []
        for piece in _TEMPLATE.finditer(template):
            number, name, plain = piece.groups()
            if plain is not None:
                pieces.append(codecs.unicode_escape_decode(plain)[0])
                continue
            group = number or name
            pieces.append(self[int(group) if group.isdigit() else name] or "")
        return "".join(pieces)
