"""Lines that belong to notations for edits and hardly to files: the one place that knows them.

Three degrees. A sure mark is none of a file's lines wherever it stands; a mark is none near a text's beginning or end;
a command is none as the first line. Patterns need nothing that RE2 has not.
"""

from __future__ import annotations

from ..patterns.regexes import compile_pattern

_OLD_NEW = r"(?:[Oo][Ll][Dd]|[Nn][Ee][Ww])(?:[_-]?(?:text|str|string|code|content|lines?)|Text|Str|String|Code)?"
_SURE = compile_pattern(
    r"(?:<{7}|>{7})(?: [^\n]*)?|@@ -[0-9]+(?:,[0-9]+)? \+[0-9]+(?:,[0-9]+)? @@[^\n]*|:(?:start|end)_line: ?[0-9]+"
)
_MARK = compile_pattern(
    "|".join(
        (
            r"\*{2,} *(?:Begin Patch|End Patch|(?:Update|Add|Delete) File:|Move to:|End of File)[^\n]*",
            r"@@(?:[ @-][^\n]*)?",
            r"[<-]{5,} ?(?:SEARCH|ORIGINAL)(?:[^0-9A-Za-z_][^\n]*)?",
            r"[>+]{5,} ?(?:REPLACE|UPDATED)(?:[^0-9A-Za-z_][^\n]*)?",
            r"<{7} [^\n]*|>{7} [^\n]*",
            r"\[/?(?:SEARCH|REPLACE|OLD|NEW|END)\]",
            rf"</?{_OLD_NEW}>[^\n]*|[^\n]*</{_OLD_NEW}>",
            r"</?(?:SEARCH|REPLACE|search|replace|find|original|updated)>[^\n]*",
            r"diff --git [^\n]*|\+\+\+ b/[^\n]*|--- a/[^\n]*",
            r"[^\n]*-\]\{\+[^\n]*",
            r"end_of_edit|apply_patch(?:[^0-9A-Za-z_][^\n]*)?<<[^\n]*",
        )
    )
)
_VERBS = r"(?:replace|change|insert|add|delete|remove|update|modify|append|edit|swap|set)"
_WHERE = r"(?:lines?|with|to|after|before|by|from)"
_COMMAND = compile_pattern(
    r"(?i:"
    + "|".join(
        (
            r"[0-9]+(?:,[0-9]+)?[acd](?:[0-9]+(?:,[0-9]+)?)?",
            r"(?:sed [^\n]*)?['\"]?:?(?:%|[0-9]+(?:,[0-9]*)?)?s(?:/[^\n]*/[^\n]*/|\|[^\n]*\|[^\n]*\||#[^\n]*#[^\n]*#)"
            r"[gip0-9]*['\"]?(?: [^\n]*)?",
            r"(?:(?:please )?(?:in|on|at) [^\n]{0,40})?"
            rf"{_VERBS}(?:[^0-9A-Za-z_][^\n]{{0,80}})?[^0-9A-Za-z_]{_WHERE}(?:[^0-9A-Za-z_][^\n]*)?",
            r"lines? [0-9]+[^\n]{0,40}",
            r"(?:edit|replace|set_line|replace_lines|insert_after) +[0-9]+[ :,.-][0-9]*[^\n]*",
            r"[0-9]{1,7}[:#][a-z0-9]{2,6}(?:\.\.[^\n]*|[-| ][^\n]*)?",
            r"\*\*\* [^\n]*",
            r"[*_#`]* ?(?:old|before|find|search|original|current)(?: (?:code|text|lines?|string|version))?:[*_`]*",
        )
    )
    + ")"
)
_KEYS = compile_pattern(
    r"(?i:\"(?:old|new)_?(?:str|string|text|code)\"[ \t]*:|"
    r"\"(?:insert_line|replace_all|start_line|end_line|set_line|anchor)\"[ \t]*:|"
    r"\"op\"[ \t]*:[ \t]*\"(?:replace|add|remove|insert|move|test)\")"
)
_BEHIND_SIGN = compile_pattern(r"[-+ >|]([^\n]*)")
_NUMBER = r"[ \t]*(?:L(?:ine )?)?([0-9]{1,7})(?:[:#][A-Za-z0-9]{2,8})?"
_BEHIND_NUMBER = compile_pattern(_NUMBER + r"(?: ?[:|│→.)\t]|  ) ?([^\n]*)")
_NUMBERED = compile_pattern(_NUMBER + r"((?:[:|│→)\t]| \|)[^\n]*)?")
_FENCE = compile_pattern(r"(?:`{3,}|~{3,})[^`\n]*")


def is_sure_mark(line: str) -> bool:
    """Return whether a line is the mark of a merge conflict, a diff or a search/replace block.

    Args:
        line: The line, without its ending.

    Returns:
        True also where it stands in the midst of a text.
    """
    return line.startswith(("<", ">", "@", ":")) and _SURE.fullmatch(line) is not None


def is_mark(line: str) -> bool:
    """Return whether a line is the mark of a notation for edits.

    Args:
        line: The line, without blanks at its ends.

    Returns:
        True for what files hardly begin or end with.
    """
    may_be = line.startswith(_FIRST) or "</" in line or "-]{+" in line
    return may_be and _MARK.fullmatch(line) is not None


_FIRST = ("*", "@", "<", "-", ">", "+", "[", "diff --git ", "end_of_edit", "apply_patch")


def commands_edit(line: str) -> bool:
    """Return whether a line tells to edit a file: `s/x/y/`, `3c3`, `Replace line 3 with:`.

    Args:
        line: The first line of a text, without blanks at its ends.

    Returns:
        True for what files hardly begin with.
    """
    return _COMMAND.fullmatch(line) is not None


def has_edit_keys(text: str, *, anywhere: bool = False) -> bool:
    """Return whether a text has keys of a tool call for edits, such as `"old_string":`.

    Args:
        text: The text.
        anywhere: Also where it does not begin as JSON does.

    Returns:
        Whether there is such a key.
    """
    bare = text.lstrip("\ufeff \t\r\n")
    return (anywhere or bare.startswith(("{", "[", "```"))) and _KEYS.search(bare) is not None


def rest_behind_mark(line: str) -> tuple[str | None, bool]:
    """Return what stands behind the mark or the number of a line, and whether the mark is a blank.

    Args:
        line: The line, without blanks at its end.

    Returns:
        The rest, or None if the line begins with none.
    """
    numbered = _BEHIND_NUMBER.fullmatch(line)
    if numbered is not None:
        return numbered[2], False
    signed = _BEHIND_SIGN.fullmatch(line)
    return (None, False) if signed is None else (signed[1], line.startswith(" "))


def number_of(line: str) -> tuple[int, bool] | None:
    """Return the number that a line begins with, and whether a mark stands behind it.

    Args:
        line: The line, without blanks at its end.

    Returns:
        None if it begins with none.
    """
    found = _NUMBERED.fullmatch(line)
    return None if found is None else (int(found[1]), found[2] is not None)


def is_fence(line: str) -> bool:
    """Return whether a line opens or closes a Markdown fence.

    Args:
        line: The line, without blanks at its ends.

    Returns:
        Whether it is one.
    """
    return _FENCE.fullmatch(line) is not None
