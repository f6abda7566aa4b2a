"""Check: LALR conflicts, where one terminal of look-ahead does not decide what to do."""

from __future__ import annotations

from collections.abc import Iterator

from .report import Finding
from .subject import Subject
from .tables import END, State


def find_reduce_conflicts(subject: Subject) -> Iterator[Finding]:
    """Two rules may end at the same point before the same terminal: Lark refuses the grammar."""
    reported = set()
    for state in _by_prefix(subject):
        for terminal, rules in state.reduces.items():
            # A priority decides, so only equal ones are a conflict.
            ranked = sorted(rules, key=lambda rule: (-rule.priority, rule.text))
            if len(ranked) < 2 or ranked[0].priority > ranked[1].priority:
                continue
            texts = [f"`{rule.text}`" for rule in ranked]
            # The same rules may meet in many states: the shortest example is enough.
            key = frozenset(texts)
            if key in reported:
                continue
            reported.add(key)
            yield subject.error(
                "reduce-reduce",
                f"the text before {_call(terminal)} may be {' or '.join(texts)}",
                ranked[0].name,
                example=_example(subject, state, terminal),
                hint="let the two rules begin or end with different terminals, or make them one "
                "rule",
            )


def find_shift_conflicts(subject: Subject) -> Iterator[Finding]:
    """A rule may end or continue with the same terminal: Lark silently continues it."""
    reported = set()
    for state in _by_prefix(subject):
        for terminal in sorted(state.shifts.keys() & state.reduces.keys()):
            for rule in state.reduces[terminal]:
                key = (rule.text, terminal)
                if key in reported:
                    continue
                reported.add(key)
                yield subject.warn(
                    "shift-reduce",
                    f"`{rule.text}` may end before {_call(terminal)} or continue with it: "
                    "Lark always continues",
                    rule.name,
                    example=_example(subject, state, terminal),
                    hint="mark the end of the rule by a separate terminal, such as a newline",
                )


def _by_prefix(subject: Subject) -> list[State]:
    """Return the states, those with the shortest examples first."""
    return sorted(subject.tables.states, key=lambda state: len(state.prefix))


def _call(terminal: str) -> str:
    return "the end of the text" if terminal == END else terminal


def _example(subject: Subject, state: State, terminal: str) -> str:
    """Return a shortest text with the terminal in the state."""
    terminals = subject.tables.terminals
    # The end of the text is not a terminal.
    if terminal not in terminals:
        return state.prefix
    return state.prefix + subject.spell(terminals[terminal])
