"""Check commands: what a terminal or a tool call left around them, and what no shell runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..document import Action, Document
from ..grammar.codes import (
    BLOCK_FOR_COMMAND,
    DOUBTFUL_COMMAND,
    ESCAPED_COMMAND,
    HERE_DOCUMENT,
    NO_COMMAND,
    TRANSPORT_END,
    TWO_IN_ONE,
)
from ..ground.numbers import quoted
from ..patterns.regexes import compile_pattern
from ..text.diagnostics import Diagnostic
from .check import Verbs, warn
from .signs import ActionSign, check
from .tags import CLOSING, MAX_LINE, is_balanced, token_at_end

if TYPE_CHECKING:
    from ..discourse.transport_table import TransportTable


def _is_more_than_words(action: Action, verbs: Verbs) -> bool:
    """Return whether a command has a block, or signs of more than words, options and paths."""
    if action.type not in verbs["running"]:
        return False
    command = action.path
    if action.content or _PLAIN.fullmatch(command) is None:
        return True
    # Most commands have no quotation mark, or two.
    return command.count('"') % 2 > 0 or command.count("'") % 2 > 0


_NOT_PLAIN = ActionSign(_is_more_than_words)


def _commands(document: Document, verbs: Verbs) -> Iterator[Action]:
    for action in document.actions:
        if action.type in verbs["running"]:
            yield action


@check(sign=_NOT_PLAIN)
def check_commands(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Warn of a command with a control token, or a prompt as in a terminal, and of half a command.

    An action line has the first line of a command. A model may have written more of them below it.
    """
    for action in _commands(document, verbs):
        command = action.path
        token = token_at_end(command)
        prompt = _PROMPT.match(command)
        hint = "take it out unless the shell is to see it"
        if token:
            shown = quoted(token)
            message = (
                f"the command ends with {shown}, which looks like a control token of the model"
            )
        elif prompt:
            message = f"the command begins with {quoted(prompt[0])}, as a terminal shows it"
        elif _needs_another_line(command):
            message = f"the command {quoted(command)} breaks off: a shell waits for another line"
            hint = "write the whole command on one line, or a script that it runs"
        else:
            continue
        yield warn(DOUBTFUL_COMMAND, message, action, hint)


@check(sign=_NOT_PLAIN)
def check_heredocs(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Warn of a command that opens a here-document and does not have its end.

    An action line has no further lines for it. Commands of tool calls have them.
    """
    for action in _commands(document, verbs):
        opener = _find_open_heredoc(action.path)
        if opener:
            opener = quoted(opener)
            message = (
                f"the command opens a here-document with {opener}, whose lines are not part of it"
            )
            hint = (
                "write the file with a separate action, and run the command without the "
                "here-document"
            )
            yield warn(HERE_DOCUMENT, message, action, hint)


@check(sign=_NOT_PLAIN)
def check_calls(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Warn of a command that is a tool call, or ends with a piece of one."""
    for action in _commands(document, verbs):
        piece = _piece_of_call(action.path.strip())
        if piece:
            message = f"the command {piece}"
            yield warn(TRANSPORT_END, message, action, "write the command alone")


@check(sign=_NOT_PLAIN)
def check_entities(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Warn of a command with entities of HTML outside of strings."""
    for action in _commands(document, verbs):
        if "&" in action.path and _ENTITY.search(_IN_QUOTES.sub("", action.path)):
            message = "the command has entities of HTML, such as &amp;, in place of characters"
            yield warn(ESCAPED_COMMAND, message, action, "write the characters themselves")


@check(sign=_NOT_PLAIN)
def check_second_actions(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Warn of a command with the head of a second action in it, in any dialect."""
    valid_verbs: list[str] = []
    for group in verbs.values():
        valid_verbs += group
    for action in _commands(document, verbs):
        for match in _HEAD.finditer(action.path):
            # `$test $file` are variables: the marks of a dialect differ.
            if match["verb"] in valid_verbs and match["mark"] != match["target"]:
                message = f"the command has the head of a second action in it, {quoted(match[0])}"
                yield warn(TWO_IN_ONE, message, action, "write each action on a line of its own")
                break


@check(sign=_NOT_PLAIN)
def check_comments(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Warn of a command that is only a comment for a shell, so that nothing runs."""
    for action in _commands(document, verbs):
        command = action.path.lstrip()
        if not command.startswith("#") or command.startswith("#!"):
            continue
        if all(not line or line.startswith("#") for line in map(str.strip, command.split("\n"))):
            hint = "write the command without `#`, or no action"
            yield warn(NO_COMMAND, "the command is only a comment", action, hint)


@check(sign=_NOT_PLAIN)
def check_blocks(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Warn of an interpreter that is called alone, with a block that it never reads."""
    for action in _commands(document, verbs):
        command = action.path.strip()
        program = command.rpartition("/")[2]
        if action.content and program in _names_of_tools().interpreters:
            message = f"the action has a block, which the command {quoted(command)} never reads"
            hint = "write a file with the text of the block, and run that"
            yield warn(BLOCK_FOR_COMMAND, message, action, hint)


def _find_open_heredoc(command: str) -> str:
    """Return the opener of a here-document whose end is not in the command; empty if none is."""
    openers: list[re.Match[str]] = []  # whose lines follow, in this order
    for line in command.split("\n"):
        if not openers:
            openers += HERE_DOCUMENT_OPENER.finditer(line)
            continue
        opener = openers[0]
        # After `<<-` a shell leaves out tabs.
        text = line.lstrip("\t") if "-" in opener[0] else line
        if text.rstrip("\r") == opener["word"].strip("'\""):
            openers.pop(0)
    return openers[0][0] if openers else ""


def _needs_another_line(command: str) -> bool:
    """Return whether a command goes on after its last line, by its end or an open quotation."""
    if _GOES_ON.search(command):
        return True
    # `check_heredocs` reports these, and their lines may have single apostrophes.
    return HERE_DOCUMENT_OPENER.search(command) is None and has_open_quotation(command)


def has_open_quotation(command: str) -> bool:
    """Return whether a quotation in a command has no end, as a shell reads it."""
    outside = _CLOSED.sub("", command)
    return '"' in outside or "'" in outside


def _names_of_tools() -> TransportTable:
    # Imported here: most replies have no piece of a tool call.
    from ..discourse.transport_table import our_transport

    return our_transport()


def _piece_of_call(command: str) -> str:
    """Return what a command has of a tool call; empty if it has nothing."""
    call = FIRST_KEY.match(command)
    if call is not None and call["key"] in _names_of_tools().arguments:
        return "is the JSON of a tool call"
    # Everything else ends a tag.
    if ">" not in command:
        return ""
    # The last characters only: the search takes quadratic time in the number of tags.
    closings = _CLOSINGS_AT_END.search(command[-MAX_LINE:])
    if closings is not None:
        match = CLOSING.match(closings[0])
        if match is not None and match["name"] != "s" and not is_balanced(command, match["name"]):
            return f"ends with {quoted(closings[0])}, which it does not begin"
    piece = _PIECE.search(command)
    if piece is not None and piece["name"] in _names_of_tools().only_in_calls:
        return f"has a piece of a tool call, {quoted(piece[0])}"
    return ""


# A command without any sign that a check of this module looks for.
_PLAIN = compile_pattern(r"[0-9A-Za-z_ \t./='\",*()+?-]*")
# `<<EOF`, `<<-'END'`; not `<<<word`, `1 << 2`.
HERE_DOCUMENT_OPENER = compile_pattern(
    r"(?<!<)<<-?[ \t]*(?P<word>[A-Za-z_][A-Za-z0-9_]*|'[A-Za-z_][A-Za-z0-9_]*'"
    r"|\"[A-Za-z_][A-Za-z0-9_]*\")(?=[ \t\r\n;|&>]|\Z)"
)
# `$ make`, `PS C:\src> make`, `bash: make`; not `$HOME/run` or `# make`, a comment.
_PROMPT = compile_pattern(
    r"(?:[$%❯➜»]|PS [A-Za-z]:[^>]*>)[ \t]+|"
    r"(?i:bash|sh|shell|zsh|cmd|console|terminal|powershell|command|run):[ \t]+"
)
# The first key of an object: `{"command":`
FIRST_KEY = compile_pattern(r"\{\s*\"(?P<key>[A-Za-z_]{1,30})\"\s*:")
_CLOSINGS_AT_END = compile_pattern(r"(?:</[^\s<>/]{1,60}[ \t]*>[ \t]*)+$")
# What is left of a closing tag: `/function_calls>`; not `</function_calls>` or `src/a>b`.
_PIECE = compile_pattern(r"(?:^|(?<=[ \t]))/(?P<name>[a-z_]{3,30})>")
# The end of `cd app && \`, `make |` and `for f in *; do`; not of `dir C:\`, `make &` or `ls; true`.
_GOES_ON = compile_pattern(r"(?:(?:^|[ \t;&|])\\|&&|[|]|;[ \t]*(?:do|then|else))[ \t]*$")
# What cannot leave a quotation open: an escaped character, a text in quotation marks, a comment.
_CLOSED = compile_pattern(
    r"\\.|\"(?:[^\"\\]|\\(?:.|\n))*\"|\$'(?:[^'\\]|\\.)*'|'[^']*'|(?:^|[ \t\n;])#[^\n]*"
)
_ENTITY = compile_pattern(r"&(?:amp|lt|gt|quot|#39|#x27);")
_IN_QUOTES = compile_pattern(r"\"[^\"]*\"|'[^']*'")
# A mark, a verb and another mark: `::run @`, `$ create @`; not `--test "x"` or `a.py::run @x`.
_MARK = r"[^0-9A-Za-z_\s'\"`()./\\<>|&;,*+=-]{1,3}"
_HEAD = compile_pattern(
    rf"(?<=[ \t])(?P<mark>{_MARK})[ \t]?(?P<verb>[a-z]{{2,20}})[ \t]{{1,3}}(?P<target>{_MARK})"
)
