"""The kinds of lines that a stream asks for, in sets and tables: the only place that spells them here.

A line that is exact has the name of its rule, or is `blank`, `open`, `close`; any other has a kind of `recovery`.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..recovery.lines.kinds import PATHS, RESPELT, RIGHT_OR_NEAR, Kind, Spelling, kinds_of

# The section that a line of the grammar begins, and the lines that may go on with it.
BEGINS: Mapping[str, str] = {
    "thought": "thought",
    "_reason_line": "reasoning",
    "vitals": "vitals",
    "ask": "question",
    "error": "error",
    "head": "action",
    "verb_line": "action",
    "run_line": "action",
}
FOLLOWS: Mapping[str, tuple[str, ...]] = {
    "reasoning": ("thought",),
    "vitals": ("vitals",),
    "question": ("choice",),
    "action": ("path_line", "command_line", "depends_line", "attribute"),
}
HEADS = frozenset(rule for rule, section in BEGINS.items() if section == "action")
PARTS = frozenset(FOLLOWS["action"])

# The role for which a line that is nearly something is respelt, by its kind.
_NO_ROLE = kinds_of(Kind.CLOSE, *PATHS, Kind.DEPENDS_LINE) | {Kind.BARE_ATTRIBUTE}
ROLES: Mapping[str, str] = {kind: kind.role for kind in kinds_of(spelling=RESPELT) - _NO_ROLE}

BARE_HEADS = kinds_of(Kind.ACTION, Kind.COMMAND, spelling=(Spelling.BARE,))  # only if their neighbours support it
LONE = {"action": Kind.SPLIT_ACTION, "target": Kind.PATH_LINE, "depends": Kind.DEPENDS_LINE}  # without its value
FENCES = kinds_of(Kind.FENCE)
NEAR_HEADS = kinds_of(Kind.ACTION, spelling=(Spelling.NEAR, Spelling.BEFORE, Spelling.BEHIND))
GLUED = kinds_of(spelling=(Spelling.BEHIND,))  # an action on the line of a closer
DELIMS = kinds_of(Kind.DELIM, spelling=RESPELT)
CLOSERS = kinds_of(Kind.CLOSE, spelling=RIGHT_OR_NEAR)
NEAR_CLOSERS = CLOSERS | {Kind.NEAR_DELIM, Kind.TEXT_CLOSE, Kind.FENCE}

# The lines that tell a dialect: no other family's grammar reads them so.
_TOLD = (Kind.THOUGHT, Kind.VITALS, Kind.REASONING, Kind.ASK, Kind.ERROR)
_ACTIONS = (Kind.ACTION, Kind.COMMAND, Kind.ODD_ACTION)
TELLING = kinds_of(*_TOLD, *_ACTIONS, spelling=(Spelling.EXACT,)) | kinds_of(
    *_ACTIONS, spelling=(Spelling.EXACT,), split=True
)
