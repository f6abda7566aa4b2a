"""List the passes over the groups of an outline, in order: which actions become suspect, and why.

Each pass looks at the neighbors of a section, because each line alone is read correctly
(`suspects`). The docstring of each function shows in a table which diagnostic it gives to which
action, and the tests run these tables. `trace_passes` shows what the passes do to a text
(`symops grammar trace --passes`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ...grammar.codes import DRAFT_ACTION, EARLY_CLOSE
from .groups import Group, Outlined
from .suspects import mark_lacking, mark_orphans, mark_shifted, mark_unlike


class GroupPass(NamedTuple):
    """One pass.

    Attributes:
        name: The name, which tests and `symops grammar trace` use.
        code: The code of the diagnostic that reports the doubt.
        run: Takes all groups of an outline in order, and the outline. It sets `suspect` of groups,
            and `doubt` to the code.
    """

    name: str
    code: str
    run: Callable[[Sequence[Group], Outlined], None]


# `orphans` is first: it reads the marks that the grouping set, and no others. Where two passes mark
# an action, a draft is the stronger doubt, so no later pass takes its code away.
PASSES: tuple[GroupPass, ...] = (
    GroupPass("orphans", EARLY_CLOSE, mark_orphans),
    GroupPass("unlike", DRAFT_ACTION, mark_unlike),
    GroupPass("shifted", EARLY_CLOSE, mark_shifted),
    GroupPass("lacking", DRAFT_ACTION, mark_lacking),
)


def run_passes(groups: Sequence[Group], outline: Outlined) -> None:
    """Mark the groups that are probably not what the model meant.

    Args:
        groups: The groups of an outline in order, as `outline.gather_parts` returns them.
        outline: The outline.
    """
    for group_pass in PASSES:
        group_pass.run(groups, outline)


def trace_passes(
    groups: Sequence[Group], outline: Outlined
) -> Iterator[tuple[GroupPass, Group, str]]:
    """Mark groups as `run_passes` does, and report each mark.

    Args:
        groups: As for `run_passes`.
        outline: As for `run_passes`.

    Yields:
        The pass, a group that it changed, and the code of the doubt before; empty if there was
        none.
    """
    for group_pass in PASSES:
        before = [_doubt_of(group) for group in groups]
        group_pass.run(groups, outline)
        for group, code in zip(groups, before, strict=True):
            if _doubt_of(group) != code:
                yield group_pass, group, code


def _doubt_of(group: Group) -> str:
    """Return the code of the doubt about a group; empty if there is none."""
    return group.doubt if group.suspect else ""
