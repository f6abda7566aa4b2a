"""List the roles for which a line is rewritten, and the kind of each rule of one line."""

from __future__ import annotations

from .kinds import ACTION_BASES, HEAD_BASES, TEXT, Kind, Spelling, kinds_of

_EXACT = (Spelling.EXACT,)
SPLIT_HEADS = kinds_of(*ACTION_BASES, spelling=_EXACT, split=True)
_WHOLE_HEADS = kinds_of(*HEAD_BASES, spelling=_EXACT)
HEADS = _WHOLE_HEADS | kinds_of(spelling=_EXACT, split=True)

# No rule of the grammar matches these lines: that a repair rule accepts one is enough.
SURE_ROLES = ("think", "think-end", "tag")

# The order decides where several roles fit. Tags come before heads, because a tag in brackets is
# also nearly an action; heads come before vitals and thoughts, because losing an action is worse.
# `tag` must be first: dialects whose own marks are tags try it last (`LineClassifier._near`).
NEAR_ROLES = (
    ("tag", Kind.TAG),
    ("think", Kind.THINK_OPEN),
    ("think-end", Kind.THINK_CLOSE),
    ("head", Kind.NEAR_ACTION),
    ("vitals", Kind.NEAR_VITALS),
    ("ask", Kind.NEAR_ASK),
    ("error", Kind.NEAR_ERROR),
    ("thought", Kind.NEAR_THOUGHT),
    ("choice", Kind.NEAR_CHOICE),
    ("attribute", Kind.NEAR_ATTRIBUTE),
    ("path", Kind.NEAR_ATTRIBUTE),
    ("reason", Kind.NEAR_REASONING),
)
# The forms of dialects (`Dialect.forms`) in which a role exists; the other roles exist in all.
FORMS_OF_ROLE = {"reason": {"lines"}, "attribute": {"lines", "attributes"}, "path": {"lines"}}
# By the third column of `Dialect.own_sections`: whether a block follows the custom section.
KIND_OF_OWN = {"": Kind.SECTION, "needed": Kind.SECTION_HEAD, "optional": Kind.SECTION_LEAD}
OWN_ROLES = tuple([("section", kind.spelt(Spelling.NEAR)) for kind in KIND_OF_OWN.values()])

# In dialects where each line of an action has its own tag (`lines`), these rules have own kinds.
KIND_OF_PART = {
    "path_line": Kind.PATH_LINE,
    "command_line": Kind.COMMAND_LINE,
    "depends_line": Kind.DEPENDS_LINE,
}
KIND_OF_RULE = {
    "thought": Kind.THOUGHT,
    "_reason_line": Kind.REASONING,
    "vitals": Kind.VITALS,
    "ask": Kind.ASK,
    "choice": Kind.CHOICE,
    "error": Kind.ERROR,
    "attribute": Kind.ATTRIBUTE,
    **dict.fromkeys(KIND_OF_PART, Kind.ATTRIBUTE),
}

# By how surely a line opens and closes (2: it is only the delimiter; 1: there is other text on the
# line, or it is a guess; 0: not at all). A line that surely does one and perhaps the other does the
# sure one.
DELIMITER_KINDS = {
    (0, 0): TEXT,
    (0, 1): Kind.TEXT_CLOSE,
    (0, 2): Kind.NEAR_CLOSE,
    (1, 0): Kind.TEXT_OPEN,
    (1, 1): Kind.TEXT_DELIM,
    (1, 2): Kind.NEAR_CLOSE,
    (2, 0): Kind.NEAR_OPEN,
    (2, 1): Kind.NEAR_OPEN,
    (2, 2): Kind.NEAR_DELIM,
}
# Lines that rarely end with a closing delimiter, unless they are the last line of a content.
TALK = kinds_of(Kind.THOUGHT, Kind.ASK, Kind.ERROR) | {
    Kind.COMMAND,
    Kind.NEAR_COMMAND,
    Kind.BARE_COMMAND,
    Kind.NEAR_VITALS,
}
COMMANDS = frozenset((Kind.COMMAND, Kind.SPLIT_COMMAND))
ODD_HEADS = frozenset((Kind.ODD_ACTION, Kind.SPLIT_ODD_ACTION))
