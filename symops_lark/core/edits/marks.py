"""Recognize lines that belong to notations for edits and rarely to files.

This is the only module that knows these notations. It has three degrees of evidence:

- a *certain mark* (`<<<<<<< SEARCH`, `@@ -1,2 +1,2 @@`) is not a line of a file, wherever it is;
- a *mark* (`*** Begin Patch`, `[SEARCH]`) is not one near the beginning or end of a text;
- a *command* (`s/x/y/`, `Replace line 3 with:`) is not one as the first line of a text.

Patterns use only what RE2 has (no backreference, no lookaround), so hostile texts take linear time.
"""

from __future__ import annotations

from ..patterns.regexes import compile_pattern

# Names of tags and keys for the two halves of an edit: `old`, `new_str`, `oldText`, `new-lines`;
# not `older`.
_OLD_NEW = (
    r"(?:[Oo][Ll][Dd]|[Nn][Ee][Ww])(?:[_-]?(?:text|str|string|code|content|lines?)|Text|Str|String|"
    r"Code)?"
)
# The first mark of a merge conflict, and the one between its halves.
CONFLICT_BEGINNING = r"<{7}"
_DIVIDER = "=" * 7
# A search/replace block as it is usually written: its opener, divider and closer.
BLOCK_MARKS = ("<" * 7 + " SEARCH", _DIVIDER, ">" * 7 + " REPLACE")
# A marker of a merge conflict, the head of a hunk with numbers, or a hint for a search/replace
# block: `>>>>>>> main`, `@@ -1,2 +1 @@`, `:start_line: 3`; not `>>>>>> main` (6 signs) or `@@ def
# f(): @@`.
_CERTAIN = compile_pattern(
    rf"(?:{CONFLICT_BEGINNING}|>{{7}})(?: [^\n]*)?|"
    r"@@ -[0-9]+(?:,[0-9]+)? \+[0-9]+(?:,[0-9]+)? @@[^\n]*|:(?:start|"
    r"end)_line: ?[0-9]+"
)
# One notation a row. The order does not matter: a pattern must match the complete line.
_MARK = compile_pattern(
    "|".join(
        (
            # V4A patches: `*** Begin Patch`, `*** Update File: a.py`; not `*** note`
            r"\*{2,} *(?:Begin Patch|End Patch|(?:Update|Add|Delete) File:|Move to:|End of "
            r"File)[^\n]*",
            # heads of hunks without numbers: `@@`, `@@ class A`; not the decorator `@cache`
            r"@@(?:[ @-][^\n]*)?",
            # search/replace blocks, 5 signs or more: `------- SEARCH`, `+++++++ REPLACE`; not `-
            # SEARCH`
            r"[<-]{5,} ?(?:SEARCH|ORIGINAL)(?:[^0-9A-Za-z_][^\n]*)?",
            r"[>+]{5,} ?(?:REPLACE|UPDATED)(?:[^0-9A-Za-z_][^\n]*)?",
            # markers of merge conflicts with a name: `<<<<<<< HEAD`
            r"<{7} [^\n]*|>{7} [^\n]*",
            # the same in brackets or tags: `[SEARCH]`, `<old_text>`, `</new>`; not `[search]`
            r"\[/?(?:SEARCH|REPLACE|OLD|NEW|END)\]",
            rf"</?{_OLD_NEW}>[^\n]*|[^\n]*</{_OLD_NEW}>",
            r"</?(?:SEARCH|REPLACE|search|replace|find|original|updated)>[^\n]*",
            # heads of diffs; the names begin with `a/` and `b/`, as `--- ` alone is a rule or a
            # list
            r"diff --git [^\n]*|\+\+\+ b/[^\n]*|--- a/[^\n]*",
            # SWE-agent, and shell calls of `apply_patch <<`
            r"end_of_edit|apply_patch(?:(?:[^0-9A-Za-z_<]|<[^\n<])(?:[^\n<]|<[^\n<])*)?<<[^\n]*",
        )
    )
)
# Sentences that order an edit: `Replace line 3 with:`, `In a.py, change x to y`; not `Replaced
# the parser`.
_VERBS = r"(?:replace|change|insert|add|delete|remove|update|modify|append|edit|swap|set)"
_WHERE = r"(?:lines?|with|to|after|before|by|from)"
_COMMAND = compile_pattern(
    r"(?i:"
    + "|".join(
        (
            # commands of `diff` and `ed`: `3c3`, `5,7d4`
            r"[0-9]+(?:,[0-9]+)?[acd](?:[0-9]+(?:,[0-9]+)?)?",
            # substitutions of `sed` and `vi`: `s/x/y/g`, `:%s|x|y|`, `sed -i 's/x/y/' a.py`; not
            # `s = 1`
            r"(?:sed (?:(?:-[^ \n]+|'') )*)?['\"]?:?(?:%|[0-9]+(?:,[0-9]*)?)?s"
            r"(?:/(?:[^/\\\n]|\\[^\n])*/(?:[^/\\\n]|\\[^\n])*/"
            r"|\|(?:[^|\\\n]|\\[^\n])*\|(?:[^|\\\n]|\\[^\n])*\|"
            r"|#(?:[^#\\\n]|\\[^\n])*#(?:[^#\\\n]|\\[^\n])*#)"
            r"[gip0-9]*['\"]?(?: [^\n]*)?",
            # sentences, of the verbs and words above
            r"(?:(?:please )?(?:in|on|at) [^\n]{0,40})?"
            rf"{_VERBS}(?:[^0-9A-Za-z_][^\n]{{0,80}})?"
            rf"[^0-9A-Za-z_]{_WHERE}(?:[^0-9A-Za-z_][^\n]*)?",
            # `line 3: x = 1`, `lines 3 to 5`; not `line three`
            r"lines? [0-9]+[^\n]{0,40}",
            # commands with a line number: `edit 3:5`, `set_line 12: x`; not `edit a.py`
            r"(?:edit|replace|set_line|replace_lines|insert_after) +[0-9]+[ :,.-][0-9]*[^\n]*",
            # anchors of a line and its hash: `12:ab3f`, `12#ab..14#cd`; not `12:30:15`
            r"[0-9]{1,7}[:#][a-z0-9]{2,6}(?:\.\.[^\n]*|[-| ][^\n]*)?",
            # any other head with stars: `*** a.py`
            r"\*\*\* [^\n]*",
            # headings of the old half: `**Before:**`, `Old code:`; not `before: 1`
            r"[*_#`]* ?(?:old|before|find|search|original|current)(?: (?:code|text|lines?|"
            r"string|version))?:[*_`]*",
        )
    )
    + ")"
)
# Keys of tool calls for edits, and operations of JSON Patch: `"old_string":`, `"op": "replace"`;
# not `"old":`.
_KEYS = compile_pattern(
    r"(?i:\"(?:old|new)_?(?:str|string|text|code)\"[ \t]*:|"
    r"\"(?:insert_line|replace_all|start_line|end_line|set_line|anchor)\"[ \t]*:|"
    r"\"op\"[ \t]*:[ \t]*\"(?:replace|add|remove|insert|move|test)\")"
)
# `-x`, `+ x`, `> x`, `| x`: the group is the text after one sign or blank.
_AFTER_SIGN = compile_pattern(r"[-+ >|]([^\n]*)")
# `12`, `L12`, `Line 12`, `12:ab3f`, `12#ab`: a line number, with the hash of an anchor.
_NUMBER = r"[ \t]*(?:L(?:ine )?)?([0-9]{1,7})(?:[:#][A-Za-z0-9]{2,8})?"
# A number needs a separator, or two blanks, before the text: `12 | x`, `12: x`, `12  x`; not `12
# x`.
_AFTER_NUMBER = compile_pattern(_NUMBER + r"(?: ?[:|│→.)\t]|  ) ?([^\n]*)")
# Here `.` and two blanks do not separate: `1. x` is an item of a list, and `12  x` a row of a
# table.
_NUMBERED = compile_pattern(_NUMBER + r"((?:[:|│→)\t]| \|)[^\n]*)?")
_FENCE = compile_pattern(r"(?:`{3,}|~~~)[^`\n]*")
# How lines that `_MARK` may match begin: tested first, as almost all lines of files begin
# otherwise.
_MARK_STARTS = ("*", "@", "<", "-", ">", "+", "[", "diff --git ", "end_of_edit", "apply_patch")


def is_sure_mark(line: str) -> bool:
    """Return whether a line is the mark of a merge conflict, a diff or a search/replace block.

    Args:
        line: The line, without its ending.

    Returns:
        True also in the middle of a text, where `is_mark` is not enough.
    """
    return _CERTAIN.fullmatch(line) is not None


def text_before_conflict(text: str) -> str | None:
    """Return the text before the first unresolved merge conflict; None without one.

    Args:
        text: The text; its lines may end with CRLF.

    Returns:
        The text before a line `<<<<<<<` that is followed by `=======`, and this by `>>>>>>>`.
    """
    if _DIVIDER not in text:
        return None
    beginning: int | None = None
    is_divided = False
    lines = text.split("\n")
    for index, line in enumerate(lines):
        mark = line.rstrip("\r")
        if mark == _DIVIDER:
            is_divided = beginning is not None
        elif line.startswith("<") and is_sure_mark(mark):
            beginning = index
            is_divided = False
        elif line.startswith(">") and is_divided and is_sure_mark(mark):
            return "\n".join(lines[:beginning])
    return None


def is_mark(line: str) -> bool:
    """Return whether a line is the mark of a notation for edits.

    Args:
        line: The line, without blanks at its ends.

    Returns:
        True for lines that files rarely begin or end with.
    """
    # Word diffs: `x = [-1-]{+2+}`
    if "-]{+" in line:
        return True
    # Closing tags may end any text.
    may_match = line.startswith(_MARK_STARTS) or "</" in line
    return may_match and _MARK.fullmatch(line) is not None


def commands_edit(line: str) -> bool:
    """Return whether a line is a command to edit, such as `s/x/y/` or `Replace line 3 with:`.

    Args:
        line: The first line of a text, without blanks at its ends.

    Returns:
        True for lines that files rarely begin with.
    """
    return _COMMAND.fullmatch(line) is not None


def has_edit_keys(text: str, *, anywhere: bool = False) -> bool:
    """Return whether a text has keys of a tool call for edits, such as `"old_string":`.

    Args:
        text: The text.
        anywhere: Whether the text need not begin as JSON does.

    Returns:
        Whether there is such a key.
    """
    bare = text.lstrip("\ufeff \t\r\n")
    return (anywhere or bare.startswith(("{", "[", "```"))) and _KEYS.search(bare) is not None


def rest_after_mark(line: str) -> tuple[str | None, bool]:
    """Return the text after the mark or the number of a line, and whether the mark is a blank.

    Args:
        line: The line, without blanks at its end.

    Returns:
        The text and the flag. None and False if the line does not begin with a mark or a number.
    """
    numbered = _AFTER_NUMBER.fullmatch(line)
    if numbered is not None:
        return numbered[2], False
    signed = _AFTER_SIGN.fullmatch(line)
    if signed is None:
        return None, False
    return signed[1], line.startswith(" ")


def number_of(line: str) -> tuple[int, bool] | None:
    """Return the number that a line begins with, and whether a separator follows it.

    Args:
        line: The line, without blanks at its end.

    Returns:
        The number and the flag, or None if the line does not begin with a number.
    """
    numbered = _NUMBERED.fullmatch(line)
    if numbered is None:
        return None
    return int(numbered[1]), numbered[2] is not None


def is_fence(line: str) -> bool:
    """Return whether a line opens or closes a Markdown fence.

    Args:
        line: The line, without blanks at its ends.

    Returns:
        Whether it does.
    """
    return _FENCE.fullmatch(line) is not None
