"""The kinds of lines that a stream asks for, in sets and tables: the only place that spells them here.

A line that is exact has the name of its rule, or is `blank`, `open`, `close`; any other has a kind of `recovery`.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..recovery.kinds import SPLIT

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
ROLES: Mapping[str, str] = {
    **{f"NEAR_{role.upper()}": role for role in ("thought", "vitals", "ask", "error", "choice", "attribute")},
    "NEAR_REASONING": "reason",
    **dict.fromkeys(("NEAR_ACTION", "NEAR_COMMAND", "ACTION_OPEN", "CLOSE_ACTION", "CLOSE_COMMAND"), "head"),
    **dict.fromkeys(("BARE_ACTION", "BARE_COMMAND"), "head"),
    **dict.fromkeys(("NEAR_OPEN", "TEXT_OPEN", "NEAR_DELIM", "TEXT_DELIM"), "open"),
}

# Kinds one by one.
ACTION, OPEN, DELIM, FENCE, TEXT = "ACTION", "OPEN", "DELIM", "FENCE", "TEXT"
BLANK, TAG, THINK_OPEN, THINK_CLOSE, ATTRIBUTE = "BLANK", "TAG", "THINK_OPEN", "THINK_CLOSE", "ATTRIBUTE"
NEAR_DELIM = "NEAR_DELIM"  # opens or closes
LAST_TEXT, TEXT_CLOSE = "LAST_TEXT", "TEXT_CLOSE"  # content and a closer, a closer and a remark
BARE_COMMAND = "BARE_COMMAND"

# Kinds together.
BARE_HEADS = frozenset(("BARE_ACTION", BARE_COMMAND))  # an action only if its neighbours support it
ATTRIBUTES = frozenset((ATTRIBUTE, "BARE_ATTRIBUTE"))  # where attributes are no tags
LONE = {"action": "SPLIT_ACTION", "target": "PATH_LINE", "depends": "DEPENDS_LINE"}  # of a mark without its value
FENCES = frozenset((FENCE, "FENCE_INFO"))
NEAR_HEADS = frozenset(("NEAR_ACTION", "ACTION_OPEN", "CLOSE_ACTION"))
GLUED = frozenset(("CLOSE_ACTION", "CLOSE_COMMAND"))  # an action on the line of a closer
DELIMS = frozenset((NEAR_DELIM, "TEXT_DELIM"))
CLOSERS = frozenset(("NEAR_CLOSE", "CLOSE"))
NEAR_CLOSERS = CLOSERS | {NEAR_DELIM, TEXT_CLOSE, FENCE}

# The lines that tell a dialect: no other family's grammar reads them so.
_ACTIONS = ("ACTION", "COMMAND", "ODD_ACTION")
TELLING = frozenset(("THOUGHT", "VITALS", "REASONING", "ASK", "ERROR", *_ACTIONS, *(SPLIT + it for it in _ACTIONS)))


def base(kind: str) -> str:
    """Return the kind that a line nearly has, or that it has."""
    return kind.removeprefix("NEAR_")
