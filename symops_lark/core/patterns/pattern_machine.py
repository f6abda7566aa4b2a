"""Patterns in the syntax of RE2 run by an automaton of our own: for systems that google-re2 has no wheel for.

The time is linear in the text, as with RE2, and the matches are the same (leftmost, then in the order of the pattern);
it only takes longer. A text is first read by subsets of states, made on demand, which tell whether there is a match;
where there is one, threads in the order of their priority find the groups. What RE2 refuses is refused.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from typing import Any

from .pattern_syntax import BEGIN, END, SyntaxProblem, beside, check_flags, one_of, parse, which
from .re_syntax import ENDLESS

_CHARACTER, _SPLIT, _SAVE, _ASSERT, _MATCH = range(5)  # kinds of nodes
_MOST_NODES, _MOST_REPEATS, _MOST_MOVES = 20_000, 1_000, 50_000
_TEMPLATE = re.compile(r"\\(?![0-7]{3})([1-9][0-9]?)|\\g<(\w+)>|((?:\\[0-7]{3}|\\(?![1-9]|g<).|[^\\])+)", re.DOTALL)
_Caps = tuple[int, ...]


class _State:
    """A set of nodes that wait for a character, and what stands before the place."""

    __slots__ = ("before", "moves", "nodes")

    def __init__(self, nodes: frozenset[int], before: int) -> None:
        self.nodes, self.before = nodes, before
        self.moves: dict[str | None, tuple[_State, frozenset[int]]] = {}


class Machine:
    """Some patterns as one automaton; raises `SyntaxProblem` for a pattern that RE2 would refuse as well."""

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
        if len(self._kinds) >= _MOST_NODES:
            raise SyntaxProblem("the pattern is too large")
        self._kinds.append(kind)
        self._arguments.append(argument)
        self._after.append(after)
        return len(self._kinds) - 1

    def _build(self, items: Any, flags: int, after: int) -> int:
        """Return the node that some items of a pattern begin with; behind them comes another one."""
        for op, value in reversed(list(items)):
            after = self._build_item(str(op), value, flags, after)
        return after

    def _build_item(self, op: str, value: Any, flags: int, after: int) -> int:
        match op:
            case "LITERAL" | "NOT_LITERAL" | "ANY" | "IN":
                return self._node(_CHARACTER, one_of(op, value, flags & (re.IGNORECASE | re.DOTALL)), after)
            case "AT":
                return self._node(_ASSERT, which(str(value), bool(flags & re.MULTILINE)), after)
            case "BRANCH":
                return self._node(_SPLIT, None, [self._build(branch, flags, after) for branch in value[1]])
            case "SUBPATTERN":
                group, add, remove, items = value
                check_flags(add)
                flags = (flags | add) & ~remove
                if group is None:
                    return self._build(items, flags, after)
                end = self._node(_SAVE, 2 * group + 1, after)
                return self._node(_SAVE, 2 * group, self._build(items, flags, end))
            case "MAX_REPEAT" | "MIN_REPEAT":
                return self._repeat(value, flags, after, op == "MIN_REPEAT")
        raise SyntaxProblem(f"no part of RE2's syntax: {op.lower().replace('_', ' ')}")

    def _repeat(self, value: Any, flags: int, after: int, lazy: bool) -> int:
        low, high, items = int(value[0]), value[1], value[2]
        endless = high is ENDLESS
        if low > _MOST_REPEATS or (not endless and int(high) > _MOST_REPEATS):
            raise SyntaxProblem(f"a part is repeated more than {_MOST_REPEATS} times")
        order: Callable[[int, int], list[int]] = lambda part, rest: [rest, part] if lazy else [part, rest]  # noqa: E731
        rest = after
        if endless:
            after = self._node(_SPLIT, None, [])
            self._after[after] = order(self._build(items, flags, after), rest)
        else:
            for _ in range(int(high) - low):
                after = self._node(_SPLIT, None, order(self._build(items, flags, after), rest))
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
        self._states: dict[tuple[frozenset[int], int], _State] = {}
        self._moves = 0
        self._begin = _State(frozenset(self._starts), BEGIN)

    def _move(self, state: _State, character: str | None) -> tuple[_State, frozenset[int]]:
        self._moves += 1
        if self._moves > _MOST_MOVES:  # memory has an end: what is needed again is made again
            self._forget()
        before, behind = state.before, beside(character)
        waiting, seen, hits, after = [*state.nodes, *self._starts], set[int](), set[int](), set[int]()
        while waiting:
            node = waiting.pop()
            if node in seen:
                continue
            seen.add(node)
            kind = self._kinds[node]
            if kind == _CHARACTER:
                if character is not None and self._arguments[node](character):
                    after.add(self._after[node])
            elif kind == _MATCH:
                hits.add(self._arguments[node])
            elif kind == _SPLIT:
                waiting += self._after[node]
            elif kind == _SAVE or self._arguments[node](before, behind):
                waiting.append(self._after[node])
        key = (frozenset(after), behind)
        target = self._states.setdefault(key, _State(*key))
        state.moves[character] = result = (target, frozenset(hits))
        return result

    # ---- where it is

    def locate(self, text: str, start: int) -> _Caps | None:
        """Return the places of the first match of the only pattern from a place on, and of its groups; -1: none."""
        nothing = (-1,) * (2 * self.groups + 2)
        threads: list[tuple[int, _Caps]] = []
        seen: set[int] = set()
        best: _Caps | None = None
        for at in range(start, len(text) + 1):
            if best is None:
                self._follow(self._starts[0], nothing, text, at, threads, seen)
            elif not threads:
                break
            following: list[tuple[int, _Caps]] = []
            seen = set()
            for node, caps in threads:
                if self._kinds[node] == _MATCH:
                    best = caps
                    break
                if at < len(text) and self._arguments[node](text[at]):
                    self._follow(self._after[node], caps, text, at + 1, following, seen)
            threads = following
        return best

    def _follow(
        self, node: int, caps: _Caps, text: str, at: int, threads: list[tuple[int, _Caps]], seen: set[int]
    ) -> None:
        """Add the threads that a node leads to at a place, in the order of their priority."""
        before = beside(text[at - 1]) if at else BEGIN
        behind = beside(text[at]) if at < len(text) else END
        waiting = [(node, caps)]
        while waiting:
            node, caps = waiting.pop()
            if node in seen:
                continue
            seen.add(node)
            kind, after = self._kinds[node], self._after[node]
            if kind in (_CHARACTER, _MATCH):
                threads.append((node, caps))
            elif kind == _SPLIT:
                waiting += [(other, caps) for other in reversed(after)]
            elif kind == _SAVE:
                slot = self._arguments[node]
                waiting.append((after, (*caps[:slot], at, *caps[slot + 1 :])))
            elif self._arguments[node](before, behind):
                waiting.append((after, caps))


class MachinePattern:
    """A pattern with the methods of those of `re` that this project uses."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self._machine = Machine([pattern])
        self.groups, self.groupindex = self._machine.groups, self._machine.names
        self.size = self._machine.size

    def search(self, text: str) -> MachineMatch | None:
        """Return the first match in a text."""
        return next(self.finditer(text), None)

    def finditer(self, text: str) -> Iterator[MachineMatch]:
        """Yield the matches in a text that do not overlap."""
        at = 0
        if not self._machine.matches(text):
            return
        while (caps := self._machine.locate(text, at)) is not None:
            yield MachineMatch(text, caps, self.groupindex)
            if at == len(text):
                return
            at = at + 1 if caps[1] == at else caps[1]

    def sub(self, with_: str | Callable[[MachineMatch], str], text: str, count: int = 0) -> str:
        """Replace matches, all or so many, by a template or by what a function gives."""
        pieces, end = [], 0
        for number, match in enumerate(self.finditer(text), 1):
            pieces += [text[end : match.start()], match.expand(with_) if isinstance(with_, str) else with_(match)]
            end = match.end()
            if number == count:
                break
        return "".join([*pieces, text[end:]])


class MachineMatch:
    """Where a pattern matched."""

    def __init__(self, text: str, caps: _Caps, names: dict[str, int]) -> None:
        self.string, self._caps, self._names = text, caps, names

    def span(self, group: int | str = 0) -> tuple[int, int]:
        """Return where a group begins and ends; (-1, -1) if it has no part in the match."""
        number = self._names[group] if isinstance(group, str) else group
        return self._caps[2 * number], self._caps[2 * number + 1]

    def start(self, group: int | str = 0) -> int:
        """Return where a group begins."""
        return self.span(group)[0]

    def end(self, group: int | str = 0) -> int:
        """Return where a group ends."""
        return self.span(group)[1]

    def __getitem__(self, group: int | str) -> str | None:
        start, end = self.span(group)
        return None if start < 0 else self.string[start:end]

    def expand(self, template: str) -> str:
        """Return a template with the groups in it, as RE2's package understands one."""
        pieces = []
        for number, name, plain in (found.groups() for found in _TEMPLATE.finditer(template)):
            if plain is not None:
                pieces.append(codecs.unicode_escape_decode(plain)[0])
            else:
                pieces.append(self[int(number or name) if (number or name).isdigit() else name] or "")
        return "".join(pieces)
