"""Check: LALR conflicts, where one character of look-ahead in terminals does not tell what to do."""

from __future__ import annotations

from collections.abc import Iterator

from .report import Finding
from .subject import Subject
from .tables import END, State


def find_reduce_conflicts(subject: Subject) -> Iterator[Finding]:
    """Two rules may end at the same point before the same terminal: Lark refuses the grammar."""
    seen = set()
    for state in _by_prefix(subject):
        for terminal, rules in state.reduces.items():
            ranked = sorted(rules, key=lambda rule: (-rule.priority, rule.shown))
            if len(ranked) < 2 or ranked[0].priority > ranked[1].priority:
                continue
            key = frozenset(rule.shown for rule in ranked)
            if key in seen:
                continue
            seen.add(key)
            listed = " or ".join(f"`{rule.shown}`" for rule in ranked)
            yield subject.error(
                "reduce-reduce",
                f"what stands before {_call(terminal)} may be {listed}",
                ranked[0].name,
                example=_example(subject, state, terminal),
                hint="let the two rules begin or end with different terminals, or make them one rule",
            )


def find_shift_conflicts(subject: Subject) -> Iterator[Finding]:
    """A rule may end or go on with the same terminal: Lark lets it go on, without a word."""
    seen = set()
    for state in _by_prefix(subject):
        for terminal in sorted(state.shifts.keys() & state.reduces.keys()):
            for rule in state.reduces[terminal]:
                key = (rule.shown, terminal)
                if key in seen:
                    continue
                seen.add(key)
                yield subject.warn(
                    "shift-reduce",
                    f"`{rule.shown}` may end before {_call(terminal)} or go on with it: Lark always goes on",
                    rule.name,
                    example=_example(subject, state, terminal),
                    hint="mark the end of the rule by a terminal of its own, such as a newline",
                )


def _by_prefix(subject: Subject) -> list[State]:
    return sorted(subject.tables.states, key=lambda state: len(state.prefix))


def _call(terminal: str) -> str:
    return "the end of the text" if terminal == END else terminal


def _example(subject: Subject, state: State, terminal: str) -> str:
    found = subject.tables.terminals.get(terminal)
    return state.prefix + (subject.spell(found) if found else "")
