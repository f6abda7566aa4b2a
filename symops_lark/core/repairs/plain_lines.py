"""Lines that the repair rules hit, and of which they make only plain text all the same.

It is told faster than by respelling: most lines of code are hit by rules that serve nearly all roles.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..patterns.regexes import compile_pattern, escape
from ..recovery.lines.kinds import TEXT
from ..recovery.lines.roles import SURE_ROLES
from ..text.source import size

_SURE = frozenset(SURE_ROLES)
_HEAD = frozenset(("head",))
_Hits = dict[str, tuple[int, ...]]  # role → rules
_Step = tuple[int, frozenset[str], bool]
_MEMORY = 20_000  # sets of rules that are remembered
BEGINNING = 100  # characters, within which an action's number stands, and all of an action whose path stands below


def stays_plain(repairer: Any, line: str, hits: _Hits) -> bool:
    """Return whether the rules that hit a line surely make only plain text of it, for whichever role."""
    if repairer._target and size(line) <= BEGINNING and repairer._target not in line.replace(repairer._action, ""):
        lent = line.rstrip(" \t\r") + repairer._lent  # see `_lend_target`
        plan = _plan(repairer, repairer._hits(lent))
        if repairer._kind(lent) is not TEXT or not _ends_plain(repairer, lent, plan, _HEAD, -1):
            return False
    plan = _plan(repairer, hits)
    return plan.is_open and _ends_plain(repairer, line, plan, frozenset(hits), -1)


class _Plan:
    """Of the rules that hit a line: whether they serve no sure role, and which of them come next for some roles."""

    def __init__(self, hits: _Hits) -> None:
        self.hits = hits
        self.is_open = _SURE.isdisjoint(hits)
        self._steps: dict[tuple[frozenset[str], int], Sequence[_Step]] = {}

    def steps(self, roles: frozenset[str], done: int, last: Mapping[str, int]) -> Sequence[_Step]:
        """Return the places of the next rules behind one that was applied, each with the roles that it is next for.

        And whether any rule there is may follow it for these; `last` has the last of each role.
        """
        steps = self._steps.get((roles, done))
        if steps is None:
            served: dict[int, list[str]] = {}
            for role in sorted(roles):
                at = next((at for at in self.hits.get(role, ()) if at > done), -1)
                if at >= 0:
                    served.setdefault(at, []).append(role)
            steps = self._steps[roles, done] = [
                (at, frozenset(some), any(last[role] > at for role in some)) for at, some in served.items()
            ]
        return steps


def _plan(repairer: Any, hits: _Hits) -> _Plan:
    plan: _Plan | None = repairer._plans.get(id(hits))
    if plan is None:
        if len(repairer._plans) >= _MEMORY:
            repairer._plans.clear()
        plan = repairer._plans[id(hits)] = _Plan(hits)  # which holds the hits: no others get their `id`
    return plan


def _ends_plain(repairer: Any, text: str, plan: _Plan, roles: frozenset[str], done: int) -> bool:
    """Return whether the rules behind one that was applied make only plain text of a line, for each of the roles."""
    if repairer._barren is None:
        repairer._barren = _find_barren(repairer)
    barren, sign = repairer._barren
    for step, some, more in plan.steps(roles, done, repairer._last):
        if step == barren and text.count(sign[0]) < sign.count(sign[0]):
            continue
        changed = repairer._change(step, text)
        if changed != text and ("\n" in changed or repairer._kind(changed) is not TEXT):
            return False
        lent = repairer._lent
        if changed.endswith(lent) and repairer._kind(changed.removesuffix(lent).rstrip()) is not TEXT:
            return False
        if more and not _ends_plain(repairer, changed, _plan(repairer, repairer._hits(changed)), some, step):
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
