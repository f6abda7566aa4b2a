"""Split a command line without a shell, and notice what only a shell would act on.

The measure is bash, which models write for: what bash would do with a character that is not quoted
is never left out silently. Aliases and the history are parts of interactive shells alone.
"""

from __future__ import annotations

import re
import shlex

from ...core.ground.errors import UnsafeActionError

_OPERATORS = "|&;<>()\n`$*?["  # special to a shell wherever they are not quoted
_ASSIGNMENT = re.compile(r"\s*[A-Za-z_]\w*\+?=")  # matches "X=1 make", not "make X=1"
# "A=~/x" and "A=/x:~/y", not "--prefix=~/x". The blanks are those of bash.
_HOME = re.compile(r"(?<![^ \t\n])[A-Za-z_]\w*\+?=(?:[^ \t\n]*:)?~", re.ASCII)
# "{1..3}", "{a..e..2}", not "{abc..def}" or "@{1}..@{0}".
_SEQUENCE = re.compile(
    r"\{(?:[+-]?\d+\.\.[+-]?\d+|[A-Za-z]\.\.[A-Za-z])(?:\.\.[+-]?\d+)?\}", re.ASCII
)
# What bash does, and the `/bin/sh` of many systems (dash) does not.
_BASH_ONLY = frozenset(("{…}", "=~"))


def find_shell_syntax(line: str) -> tuple[str, ...]:
    """Return the characters of a command line that only a shell would act on.

    Args:
        line: The command line.

    Returns:
        Operators, variables and patterns, each once, in order of appearance. Empty: no shell is
        needed. `"="` represents an assignment before the command. At the end come `"=~"`, a home
        folder in a word such as `PREFIX=~/x`, and `"{…}"`, braces that bash expands.
    """
    characters: dict[str, None] = {}  # a dict as an ordered set
    if _ASSIGNMENT.match(line):
        characters["="] = None
    quote = ""  # the quotation mark that is open
    previous = " "
    bare = []  # with a quotation mark for each quoted part
    index = 0
    while index < len(line):
        character = line[index]
        bare.append("'" if quote or character in "'\"\\" else character)
        if character == "\\" and quote != "'":
            index += 1  # the next character is literal; within '…' a backslash is literal itself
            escaped = line[index : index + 1]
            # `shlex` keeps these backslashes, and a shell removes them.
            if escaped == "\n" or (quote and escaped and escaped in "`$"):
                characters[escaped] = None
        elif character == quote:
            quote = ""
        elif not quote and character in "'\"":
            quote = character
        elif quote:
            if quote == '"' and character in "`$":  # these act within "…" too
                characters[character] = None
        elif character in _OPERATORS or (character in "~#" and previous.isspace()):
            # "~" and "#" are special only at the start of a word: `git show HEAD~1` needs no shell.
            characters[character] = None
        previous = character
        index += 1
    unquoted = "".join(bare)
    if _HOME.search(unquoted):
        characters["=~"] = None
    if _expands_braces(unquoted):
        characters["{…}"] = None
    return tuple(characters)


def _expands_braces(unquoted: str) -> bool:
    """Return whether bash would make several words of one that has braces."""
    for word in unquoted.split():
        # From the first brace to the first comma after it: linear, and any later pair is in it.
        after_comma = word.partition("{")[2].partition(",")[2]
        if "}" in after_comma:
            return True
    return _SEQUENCE.search(unquoted) is not None


def split_words(line: str) -> list[str]:
    """Split a command line into the words that a shell would see.

    Args:
        line: The command line.

    Returns:
        The program and its arguments.

    Raises:
        UnsafeActionError: The line is not a command, or only a shell can run it.
    """
    characters = find_shell_syntax(line)
    # In a message a line feed would begin a line that looks like another message.
    text = line.replace("\n", "\u240a")
    if characters:
        names = ", ".join("a new line" if part == "\n" else f"`{part}`" for part in characters)
        message = f"{text}: {names} would need a shell"
        message += ", which is not allowed (--shell, Runner(shell=True))"
        if not _BASH_ONLY.isdisjoint(characters):
            message += "; /bin/sh may not do what bash does there: write it out, or quote it"
        raise UnsafeActionError(message)
    try:
        return shlex.split(line)
    except ValueError as error:
        raise UnsafeActionError(f"{text}: not a command: {str(error).lower()}") from None
