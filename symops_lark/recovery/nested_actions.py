"""Signs that an action stands inside the content of the one before it: as a sample, or because that never ended.

A content that holds whole actions ends, for any reader, at the first of their closing delimiters. It is told by what
is left over behind them: the closing delimiter of the content itself, or the end of a Markdown fence that it had open.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..document import Action, Completeness, Document
from ..grammar.dialect import Dialect
from ..regexes import compile_pattern, escape
from .confidence import mark_suspect
from .kinds import FENCE

_BROKEN = (Completeness.UNTERMINATED, Completeness.SUSPECT)  # its end was not where it should be
_HEADS = ("head", "verb_line", "run_line")  # the rules of lines that begin an action


def mark_doubts(document: Document, text: str, dialect: Dialect) -> Document:
    """Return a document whose doubtful actions are suspect, as both functions below say; spans are places of `text`."""
    return mark_nested(mark_doubtful(document, dialect), text, dialect)


def mark_nested(document: Document, text: str, dialect: Dialect) -> Document:
    """Return a document whose actions that may be content of the one before are suspect; spans are places of `text`.

    was           becomes       line
    unterminated  unterminated  ::create @guide.md
    -             -             <<<
    complete      suspect       ::create @a.py
    -             -             <<<
    -             -             1
    -             -             >>>
    -             -             >>>

    was           becomes       line
    unterminated  unterminated  ::create @guide.md
    -             -             <<<
    -             -             1
    complete      complete      ::create @a.py
    -             -             <<<
    -             -             1
    -             -             >>>
    """
    actions = document.actions
    if all(action.completeness not in _BROKEN for action in actions):
        return document
    delimiters = frozenset((*dialect.fences, *dialect.closers))
    ends = [action.span.end for action in actions]
    starts = [*(action.span.start for action in actions[1:]), len(text)]
    left_over = [_is_left_over(text[end:start], delimiters) for end, start in zip(ends, starts, strict=True)]
    nested: set[int] = set()
    in_fence = False  # which one of the actions before has left open
    for index, action in enumerate(actions):
        if in_fence:
            nested.add(action.span.start)
            in_fence = not left_over[index]
        if action.completeness in _BROKEN and action.content is not None:
            if has_open_fence(action.content):
                in_fence = True
            elif left_over[index + 1 : index + 2] == [True]:
                nested.add(actions[index + 1].span.start)
    return mark_suspect(document, nested & _complete(document))


def mark_doubtful(document: Document, dialect: Dialect) -> Document:
    """Return a document whose actions are suspect that lack their content, or whose content seems to hold the next one.

    A closing delimiter that is misspelt is content, and if the next opening one is so too, the text still parses
    strictly. Where both are the same mark, a forgotten closer makes the next opener close the block. Blocks that stand
    before their actions leave a command with a content, and the last action without one.

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
    """
    mark, writing = dialect.marks["action"], dialect.verbs["writing"]
    pattern = compile_pattern(escape(mark))

    def is_doubtful(action: Action) -> bool:
        content = action.content
        if content is None:
            return action.type in writing
        # A character is found fastest by itself, and several of them by `re`.
        found = mark[0] in content and pattern.search(content) is not None
        return found and _has_head(content, mark, dialect) and _swallows(content, dialect)

    actions = document.actions
    doubtful = {action.span.start for action in actions if is_doubtful(action)} | _shifted(actions, writing)
    return mark_suspect(document, doubtful & _complete(document)) if doubtful else document


def _shifted(actions: Sequence[Action], writing: Collection[str]) -> set[int]:
    """Return where the actions begin from a command with a content to an action without, if all between have one."""
    found: set[int] = set()
    between: set[int] = set()
    for action in actions:
        wants = action.type in writing
        if action.content is None:
            found |= between if wants else set()
            between = set()
        elif between or not wants:
            between.add(action.span.start)
    return found


def _complete(document: Document) -> set[int]:
    """Return where the complete actions begin: of others it is known already that something is wrong."""
    return {action.span.start for action in document.actions if action.completeness is Completeness.COMPLETE}


def _has_head(content: str, mark: str, dialect: Dialect) -> bool:
    """Return whether a line of a content is an action line, if need be behind a closer: such lines have its mark."""
    at = content.find(mark)
    while at >= 0:
        end = content.find("\n", at)
        line = content[content.rfind("\n", 0, at) + 1 : end if end >= 0 else len(content)]
        if any(_is_head(line[len(closer) :].strip(), dialect) for closer in ("", *_glued(line, dialect))):
            return True
        at = content.find(mark, end) if end >= 0 else -1
    return False


def _swallows(content: str, dialect: Dialect) -> bool:
    """Return whether an action line stands right behind what is nearly a closer; with one mark for both, at the end."""
    lines = [line for line in content.split("\n") if line.strip()]
    if any(_is_head(line[len(closer) :].strip(), dialect) for line in lines for closer in _glued(line, dialect)):
        return True
    near = [_is_nearly_closer(line, dialect) for line in lines]
    heads = [_is_head(line, dialect) for line in lines]
    if any(before and head for before, head in zip(near, heads[1:], strict=False)):
        return True
    return heads[-1:] == [True] and dialect.marks["open"] == dialect.marks["close"]


def _glued(line: str, dialect: Dialect) -> list[str]:
    """Return the closers that a line begins with, and goes on."""
    return [closer for closer in dialect.closers if line.startswith(closer) and len(line) > len(closer)]


def _is_head(line: str, dialect: Dialect) -> bool:
    """Return whether a line begins an action, or breaks off behind its target mark."""
    shown = line.rstrip()
    path = "x" if shown.endswith(dialect.marks["target"]) else ""
    found = dialect.line_pattern.fullmatch((shown + path if path else line) + "\n")
    return found is not None and found.lastgroup in _HEADS


def _is_nearly_closer(line: str, dialect: Dialect) -> bool:
    shown, closer = line.strip(), dialect.marks["close"]
    if line.rstrip() in dialect.closers:  # content, between longer fences
        return False
    return shown.startswith(closer) or shown.endswith(closer) or (len(shown) > 1 and set(shown) == set(closer))


def has_open_fence(content: str) -> bool:
    """Return whether a content ends inside a Markdown fence."""
    opened = ""
    for line in content.split("\n"):
        found = FENCE.fullmatch(line)
        if found and not opened:
            opened = found["run"]
        elif found and found["run"].startswith(opened) and not found["info"]:
            opened = ""
    return bool(opened)


def _is_left_over(gap: str, delimiters: frozenset[str]) -> bool:
    """Return whether what stands behind an action has a delimiter, or begins with the end of a fence."""
    lines = [line.strip() for line in gap.strip().split("\n")]
    fence = FENCE.fullmatch(lines[0])
    return not delimiters.isdisjoint(lines) or (fence is not None and not fence["info"])
