"""Lines that the repair rules hit, and of which they make only plain text all the same.

It is told faster than by respelling: most lines of code are hit by rules that serve nearly all roles.
"""

from __future__ import annotations

from typing import Any

from ..recovery.kinds import TEXT
from ..recovery.lexer import SURE_ROLES
from ..regexes import compile_pattern, escape
from ..source import size

_SURE = frozenset(SURE_ROLES)
_HEAD = frozenset(("head",))
_Hits = dict[str, tuple[int, ...]]  # role → rules
_MEMORY = 20_000  # sets of rules that are remembered
BEGINNING = 100  # characters, within which an action's number stands, and all of an action whose path stands below


def stays_plain(repairer: Any, line: str, hits: _Hits) -> bool:
    """Return whether the rules that hit a line surely make only plain text of it, for whichever role."""
    if repairer._target and size(line) <= BEGINNING and repairer._target not in line.replace(repairer._action, ""):
        lent = line.rstrip(" \t\r") + repairer._lent  # see `_lend_target`
        if repairer._kind(lent) is not TEXT or not _ends_plain(repairer, lent, _HEAD):
            return False
    plan = _plan(repairer, hits)
    return plan.is_open and all(_ends_plain(repairer, line, group) for group in plan.groups)


class _Plan:
    """Of the rules that hit a line: the roles by the rules that serve them, and which rule comes next for some."""

    def __init__(self, hits: _Hits) -> None:
        self.hits = hits
        served: dict[tuple[int, ...], list[str]] = {}
        for role, places in hits.items():
            served.setdefault(places, []).append(role)
        self.groups = tuple(map(frozenset, served.values()))
        self.is_open = _SURE.isdisjoint(hits)
        self._steps: dict[tuple[frozenset[str], int], int] = {}

    def step(self, roles: frozenset[str], done: int) -> int:
        """Return the place of the next rule behind one that was applied; -1 if there is none, -2 if roles differ."""
        step = self._steps.get((roles, done))
        if step is None:
            steps = {next((at for at in self.hits.get(role, ()) if at > done), -1) for role in roles}
            step = self._steps[roles, done] = steps.pop() if len(steps) == 1 else -2
        return step


def _plan(repairer: Any, hits: _Hits) -> _Plan:
    plan: _Plan | None = repairer._plans.get(id(hits))
    if plan is None:
        if len(repairer._plans) >= _MEMORY:
            repairer._plans.clear()
        plan = repairer._plans[id(hits)] = _Plan(hits)  # which holds the hits: no others get their `id`
    return plan


def _ends_plain(repairer: Any, text: str, roles: frozenset[str]) -> bool:
    """Return whether rules make only plain text of a line; False where they are not the same ones for all the roles."""
    if repairer._barren is None:
        repairer._barren = _find_barren(repairer)
    barren, sign = repairer._barren
    step, last = -1, max(repairer._last.get(role, -1) for role in roles)
    while step < last:
        before, step = text, _plan(repairer, repairer._hits(text)).step(roles, step)
        if step < 0:
            return step == -1
        if step == barren and text.count(sign[0]) < sign.count(sign[0]):
            return True
        text = repairer._change(step, text)
        if text != before and ("\n" in text or repairer._kind(text) is not TEXT):
            return False
        if text.endswith(repairer._lent) and repairer._kind(text.removesuffix(repairer._lent).rstrip()) is not TEXT:
            return False
    return True


def _find_barren(repairer: Any) -> tuple[int, str]:
    """Return the last rule for vitals if it writes nothing but blanks, and the mark that all their lines begin with.

    It makes vitals of no line that lacks the signs of the mark. Most lines of code are hit by it.
    """
    dialect, at = repairer._made_of[0], repairer._last.get("vitals", -1)
    rule, mark = repairer._rules[at][0] if at >= 0 else None, dialect.marks.get("vital", "")
    begins = compile_pattern(rf"(?:\(\?[:>])*{escape(escape(mark))}[^)?*+{{|]")
    exact = dialect.line_patterns.get("vitals", "|")
    if rule is None or not mark or "|" in exact or begins.match(exact) is None:
        return -2, mark
    written = _GROUPS.sub("", str(rule.argument.get("with", "?"))).strip(" ")
    return (-2 if written or rule.lines != ("vitals",) else at), mark


_GROUPS = compile_pattern(r"\\[0-9]|\\g<[0-9]+>")
