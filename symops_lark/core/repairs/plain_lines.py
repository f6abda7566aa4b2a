"""Find lines that rules match although they only make plain text of them.

Most lines of code are hit by rules that serve nearly all roles. Normalizing such a line once for
each of eleven roles took most of the time of a repair. This module gives the same answer with one
run of each rule for all its roles together: the rules run in order, and if no step and no end
result is an exact line, the line is plain. The test compares both ways on all texts on file.

`repairer` is always a `RuleRepairer`, whose memories are used here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..patterns.regexes import compile_pattern, escape
from ..recovery.lines.kinds import TEXT
from ..recovery.lines.roles import SURE_ROLES

# Roles for which a normalized line needs no exact spelling: a line that has one is never plain.
_CERTAIN = frozenset(SURE_ROLES)
_HEAD = frozenset(("head",))
_Hits = dict[str, tuple[int, ...]]  # role → indexes of its rules
_Roles = frozenset[str]
_Step = tuple[int, _Roles, bool]  # rule, the roles it is next for, whether others may follow
_MEMORY = 20_000  # sets of rules whose plans are remembered
# Characters. The number of an action is within them, and an action whose path is on a line below
# is not longer: prose is, and would be taken for one.
BEGINNING = 100
_NO_RULE = -2  # no index of a rule, and not the -1 that is before the first


def stays_plain(repairer: Any, line: str, hits: _Hits) -> bool:
    """Return whether the rules that hit a line certainly make only plain text of it, in any role.

    Args:
        repairer: The `RuleRepairer`.
        line: The line without its ending.
        hits: By role, the indexes of the rules that hit it.

    Returns:
        False if the line must be normalized to decide; it may still be plain.
    """
    if repairer._lacks_target(line):
        # The head of an action whose path is below: the rules see it with a lent target.
        bare = line.rstrip(" \t\r")
        lent = bare + repairer._lent
        if repairer._kind(lent) is not TEXT:
            return False
        plan = _plan(repairer, repairer._hits(lent))
        if not _ends_plain(repairer, lent, plan, _HEAD, -1):
            return False
    plan = _plan(repairer, hits)
    if not plan.is_open:
        return False
    return _ends_plain(repairer, line, plan, plan.roles, -1)


class _Plan:
    """The order in which some rules run, for several roles together.

    Attributes:
        hits: By role, the indexes of the rules.
        roles: The roles of the hits.
        is_open: Whether no rule serves a role that needs no exact spelling.
    """

    def __init__(self, hits: _Hits) -> None:
        self.hits = hits
        self.roles = frozenset(hits)
        self.is_open = _CERTAIN.isdisjoint(hits)
        self._steps: dict[tuple[_Roles, int], Sequence[_Step]] = {}

    def steps(self, roles: _Roles, done: int, last: Mapping[str, int]) -> Sequence[_Step]:
        """Return what may run next.

        Args:
            roles: The roles that the line is normalized for.
            done: The index of the rule that ran last; -1 at the beginning.
            last: The index of the last rule of each role.

        Returns:
            For each rule that is the next one of some role: its index, those roles, and whether
            any rule may follow it for them.
        """
        steps = self._steps.get((roles, done))
        if steps is None:
            steps = self._find_steps(roles, done, last)
            self._steps[roles, done] = steps
        return steps

    def _find_steps(self, roles: _Roles, done: int, last: Mapping[str, int]) -> Sequence[_Step]:
        served: dict[int, list[str]] = {}
        for role in sorted(roles):
            for index in self.hits.get(role, ()):
                if index > done:
                    some_roles = served.setdefault(index, [])
                    some_roles.append(role)
                    break
        steps = []
        for index, some_roles in served.items():
            has_more = any(last[role] > index for role in some_roles)
            steps.append((index, frozenset(some_roles), has_more))
        return steps


def _plan(repairer: Any, hits: _Hits) -> _Plan:
    """Return the plan for some hits, which are one object for all lines with the same rules."""
    plan: _Plan | None = repairer._plans.get(id(hits))
    if plan is None:
        if len(repairer._plans) >= _MEMORY:
            repairer._plans.clear()
        # The plan holds the hits: so long as it is remembered, no other object gets their id.
        plan = _Plan(hits)
        repairer._plans[id(hits)] = plan
    return plan


def _ends_plain(repairer: Any, text: str, plan: _Plan, roles: _Roles, done: int) -> bool:
    """Return whether all rules after one that ran leave a line plain, for each of the roles."""
    if repairer._barren is None:
        repairer._barren = _find_barren(repairer)
    barren, mark = repairer._barren
    lent = repairer._lent
    for index, some_roles, has_more in plan.steps(roles, done, repairer._last):
        if index == barren and text.count(mark[0]) < mark.count(mark[0]):
            continue
        changed = repairer._change(index, text)
        if changed != text:
            if "\n" in changed:
                return False
            if repairer._kind(changed) is not TEXT:
                return False
        if changed.endswith(lent):
            head = changed.removesuffix(lent).rstrip()
            if repairer._kind(head) is not TEXT:
                return False
        if not has_more:
            continue
        hits = repairer._hits(changed)
        following = _plan(repairer, hits)
        if not _ends_plain(repairer, changed, following, some_roles, index):
            return False
    return True


def _find_barren(repairer: Any) -> tuple[int, str]:
    """Return the last rule for vitals if it writes only blanks, and the mark of vitals.

    Such a rule makes vitals of no line that lacks the signs of the mark, with which each line of
    vitals begins. Most lines of code are hit by it, and by no later one.
    """
    dialect, _ = repairer._made_of
    mark = dialect.marks.get("vital", "")
    index = repairer._last.get("vitals", -1)
    if index < 0 or not mark:
        return _NO_RULE, mark
    # The pattern of vitals must begin with the mark, and have no alternative that does not.
    in_pattern = escape(escape(mark))
    begins = compile_pattern(rf"(?:\(\?[:>])*{in_pattern}[^)?*+{{|]")
    exact = dialect.line_patterns.get("vitals", "|")
    if "|" in exact:
        return _NO_RULE, mark
    if begins.match(exact) is None:
        return _NO_RULE, mark
    rule = repairer._rules[index]
    if rule.lines != ("vitals",):
        return _NO_RULE, mark
    replacement = str(rule.argument.get("with", "?"))
    literal = _GROUPS.sub("", replacement)
    if literal.strip(" "):
        return _NO_RULE, mark
    return index, mark


_GROUPS = compile_pattern(r"\\[0-9]|\\g<[0-9]+>")  # references in a replacement
