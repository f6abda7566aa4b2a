"""Name the kinds of lines that matter for a stream, in sets and tables.

There are two alphabets. A line that is exact has the name of its rule in the grammar, or is
`blank`, `open` or `close`: a string. Any other line has a `Kind` of `recovery`. No other module of
this package lists members of `Kind` by their spelling.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..recovery.lines.kinds import PATHS, RESPELT, RIGHT_OR_NEAR, Kind, Spelling, kinds_of

# The section that begins with a line, by the rule of the line.
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
# The rules of the lines that may continue a section. A blank line ends it, except an action's head.
FOLLOWS: Mapping[str, tuple[str, ...]] = {
    "reasoning": ("thought",),
    "vitals": ("vitals",),
    "question": ("choice",),
    "action": ("path_line", "command_line", "depends_line", "attribute"),
}
# The first lines of an action, and its further lines above the block.
HEADS = frozenset(rule for rule, section in BEGINS.items() if section == "action")
PARTS = frozenset(FOLLOWS["action"])

# The role for which the repair rules rewrite a line that is nearly exact, by its kind. Lines
# without a role need other lines to be understood: a closer its opener, a path its verb.
_NO_ROLE = kinds_of(Kind.CLOSE, *PATHS, Kind.DEPENDS_LINE) | {Kind.BARE_ATTRIBUTE}
ROLES: Mapping[str, str] = {kind: kind.role for kind in kinds_of(spelling=RESPELT) - _NO_ROLE}

# Heads without the mark of an action, such as "create a.py" in v2. They may be words of a sentence,
# so they are actions only if the lines around them support it.
BARE_HEADS = kinds_of(Kind.ACTION, Kind.COMMAND, spelling=(Spelling.BARE,))
# Tags without a value, which is on the next line: the mark, and the kind of the line.
LONE = {"action": Kind.SPLIT_ACTION, "target": Kind.PATH_LINE, "depends": Kind.DEPENDS_LINE}
FENCES = kinds_of(Kind.FENCE)
_NEAR_HEAD = (Spelling.NEAR, Spelling.BEFORE, Spelling.BEHIND)
NEAR_HEADS = kinds_of(Kind.ACTION, spelling=_NEAR_HEAD)
GLUED = kinds_of(spelling=(Spelling.BEHIND,))  # a closer, and an action after it on the line
DELIMS = kinds_of(Kind.DELIM, spelling=RESPELT)
CLOSERS = kinds_of(Kind.CLOSE, spelling=RIGHT_OR_NEAR)
NEAR_CLOSERS = CLOSERS | {Kind.NEAR_DELIM, Kind.TEXT_CLOSE, Kind.FENCE}

# The lines that identify a dialect: no other family's grammar reads them so.
_SECTIONS = (Kind.THOUGHT, Kind.VITALS, Kind.REASONING, Kind.ASK, Kind.ERROR)
_ACTIONS = (Kind.ACTION, Kind.COMMAND, Kind.ODD_ACTION)
_EXACT = (Spelling.EXACT,)
_WHOLE_LINES = kinds_of(*_SECTIONS, *_ACTIONS, spelling=_EXACT)
_SPLIT_HEADS = kinds_of(*_ACTIONS, spelling=_EXACT, split=True)
TELLING = _WHOLE_LINES | _SPLIT_HEADS
