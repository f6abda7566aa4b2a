"""Mark actions without their content, and contents that swallowed the next action.

A misspelled closer is content, so the next action is content, too. This also happens in valid
texts: so `mark_doubtful` looks for a mark before anything that takes time, and this module loads
nothing that only broken texts need.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache

from ...document import Action, Completeness, Document
from ...grammar.dialect import Dialect
from ...patterns.regexes import Sieve, escape
from .confidence import mark_suspect

_HEADS = ("head", "verb_line", "run_line")  # the rules of lines that begin an action


def mark_doubtful(document: Document, dialect: Dialect) -> Document:
    """Return a document whose actions are suspect if their content is missing, or too long.

    A content is too long if it seems to hold the next action. A malformed closer is content; if the
    next opener is malformed too, the text is valid anyway. If both are the same mark and a closer
    is forgotten, the next opener closes the block. If the blocks are before their actions, a
    command gets a content, and the last action has none.

        was       becomes   line
        complete  suspect   ::create @a.py
        -         -         <<<
        -         -         1
        -         -         >>
        -         -         ::create @b.py
        -         -         >>>

        was       becomes   line
        complete  complete  ::create @guide.md
        -         -         <<<
        -         -         Begin with
        -         -         ::create @b.py
        -         -         >>>

    Args:
        document: What was read.
        dialect: The dialect that it was read in.
    """
    mark = dialect.marks["action"]
    writing = dialect.verbs["writing"]
    may_have_mark = _sieve(mark).may_occur
    actions = document.actions
    doubtful = _find_shifted(actions, writing)
    for action in actions:
        content = action.content
        if content is None:
            is_doubtful = action.type in writing
        # Most contents have no mark. RE2 finds one in a tenth of the time of `in`.
        elif may_have_mark(content) and mark in content:
            has_head = _has_head(content, mark, dialect)
            is_doubtful = has_head and _includes_next(content, dialect)
        else:
            is_doubtful = False
        if is_doubtful:
            doubtful.add(action.span.start)
    if not doubtful:
        return document
    # A defect of the other actions is known already.
    complete = {
        action.span.start for action in actions if action.completeness is Completeness.COMPLETE
    }
    return mark_suspect(document, doubtful & complete)


@cache
def _sieve(mark: str) -> Sieve:
    return Sieve(escape(mark))


def _find_shifted(actions: Sequence[Action], writing: Collection[str]) -> set[int]:
    """Return the offsets of actions that may have the block of the action after them.

    These are the actions from a command with a content to the next action without a content, if
    that one needs a content.
    """
    shifted = set()
    between: set[int] = set()
    for action in actions:
        needs_content = action.type in writing
        if action.content is None:
            if needs_content:
                shifted |= between
            between = set()
        elif between or not needs_content:
            between.add(action.span.start)
    return shifted


def _has_head(content: str, mark: str, dialect: Dialect) -> bool:
    """Return whether a line of a content is an action line, or one after a closer.

    Only the lines with an action mark are looked at.
    """
    at = content.find(mark)
    while at >= 0:
        start = content.rfind("\n", 0, at) + 1
        end = content.find("\n", at)
        if end < 0:
            end = len(content)
        line = content[start:end]
        if _is_head(line.strip(), dialect):
            return True
        if has_head_after_closer(line, dialect):
            return True
        at = content.find(mark, end)
    return False


def _includes_next(content: str, dialect: Dialect) -> bool:
    """Return whether a content seems to include the next action.

    An action line is directly after what is nearly a closer; or it is the last line, if one mark is
    both the opener and the closer.
    """
    lines = [line for line in content.split("\n") if line.strip()]
    if any(has_head_after_closer(line, dialect) for line in lines):
        return True
    is_after_closer = False
    is_head = False
    for line in lines:
        is_head = _is_head(line, dialect)
        if is_head and is_after_closer:
            return True
        is_after_closer = _is_nearly_closer(line, dialect)
    # The opener of the last action closes the block.
    return is_head and dialect.marks["open"] == dialect.marks["close"]


def has_head_after_closer(line: str, dialect: Dialect) -> bool:
    """Return whether a line begins with a closer, and an action line follows on the same line.

    Args:
        line: The line, without its ending.
        dialect: The dialect.
    """
    for closer in dialect.closers:
        following = line[len(closer) :] if line.startswith(closer) else ""
        if following and _is_head(following.strip(), dialect):
            return True
    return False


def _is_head(line: str, dialect: Dialect) -> bool:
    """Return whether a line begins an action, or breaks off after its target mark."""
    bare = line.rstrip()
    target = dialect.marks["target"]
    if bare.endswith(target):
        line = bare + "x"  # any path
    match = dialect.line_pattern.fullmatch(line + "\n")
    if match is None:
        return False
    return match.lastgroup in _HEADS


def _is_nearly_closer(line: str, dialect: Dialect) -> bool:
    """Return whether a line looks like a closer, and is not one."""
    # An exact closer in a content is between longer delimiters.
    if line.rstrip() in dialect.closers:
        return False
    bare = line.strip()
    closer = dialect.marks["close"]
    if bare.startswith(closer) or bare.endswith(closer):
        return True
    return len(bare) > 1 and set(bare) == set(closer)
