"""Signs that an action stands inside the content of the one before it: as a sample, or because that never ended.

A content that holds whole actions ends, for any reader, at the first of their closing delimiters. It is told by what
is left over behind them: the closing delimiter of the content itself, or the end of a Markdown fence that it had open.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from ...discourse.nesting import find_nests_of, line_start
from ...document import Action, Completeness, CustomSection, Document
from ...grammar.codes import NESTED_SECTION, TEXT_BEHIND_CLOSER
from ...grammar.dialect import Dialect
from ...patterns.regexes import compile_pattern, escape
from ...text.diagnostics import Diagnostic, Severity
from .confidence import mark_suspect

_LONGER_FENCES = "write a content with such lines between longer delimiters, in a dialect that has them (v2_1)"
_HEADS = ("head", "verb_line", "run_line")  # the rules of lines that begin an action


def find_doubts(document: Document, text: str, dialect: Dialect) -> tuple[Document, tuple[Diagnostic, ...]]:
    """Return a document whose doubtful actions are suspect, and the diagnostics that no check of a document gives.

    Args:
        document: What was read; its spans are places of `text`.
        text: The text that was read.
        dialect: The dialect that it was read in.
    """
    document = mark_doubtful(document, dialect)
    nested, outer = find_nested(document, text, dialect)
    behind = find_text_behind(document, text, dialect)
    # Imported here: the rest of this module is used for valid texts, which need no discourse.
    from .unasked import find_unasked

    findings = (*nested, *behind, *find_unasked(document, text))
    return mark_suspect(document, outer | {finding.span.start for finding in findings}), findings


def find_nested(document: Document, text: str, dialect: Dialect) -> tuple[list[Diagnostic], set[int]]:
    """Return a diagnostic for each section that may be content of an action, and where these actions begin.

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
    judged = [section for section in document.sections if isinstance(section, Action | CustomSection)]
    by_line = {line_start(text, section.span.start): section for section in judged}
    findings: list[Diagnostic] = []
    outer: set[int] = set()
    for nest in find_nests_of(document, text, dialect):
        holder = by_line[nest.outer]
        outer.add(holder.span.start)
        name = holder.path if isinstance(holder, Action) else holder.name
        message = f"this may be part of the content of {name} (line {holder.span.line}), which shows sections"
        for at in nest.inner:
            span = by_line[at].span
            findings.append(Diagnostic(NESTED_SECTION, message, span, Severity.WARNING, hint=_LONGER_FENCES))
    return findings, outer


def find_text_behind(document: Document, text: str, dialect: Dialect) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each action whose closer may be a line of its content, since the line after it is one too.

    was       becomes   line
    complete  suspect   ::create @session.txt
    -         -         <<<
    -         -         >>> f(1)
    -         -         >>>
    -         -         >>>

    was       becomes   line
    complete  complete  ::create @session.txt
    -         -         <<<
    -         -         f(1)
    -         -         >>>
    -         -         >>>
    """
    mark = dialect.marks["close"]
    sign = mark[:2] if len(set(mark)) == 1 else mark
    for action in document.actions:
        if action.content is None or action.completeness is not Completeness.COMPLETE:
            continue
        start = text.find("\n", action.span.end) + 1
        if not start or text[action.span.end : start].strip():
            continue
        end = text.find("\n", start)
        following = text[start : end if end >= 0 else len(text)].strip()
        if not following.startswith(mark):
            continue
        is_closer = following in dialect.closers
        if _has_lines_like(action.content, sign, dialect) if is_closer else _goes_on(following, mark, dialect):
            message = f"lines right after the closing delimiter of {action.path} may be part of its content"
            yield Diagnostic(TEXT_BEHIND_CLOSER, message, action.span, Severity.WARNING, hint=_LONGER_FENCES)


def _has_lines_like(content: str, sign: str, dialect: Dialect) -> bool:
    """Return whether a line of a content begins as a closer does, and is none."""
    if sign not in content:
        return False
    lines = (line.strip() for line in content.split("\n"))
    return any(line.startswith(sign) and line not in dialect.closers for line in lines)


def _goes_on(line: str, mark: str, dialect: Dialect) -> bool:
    """Return whether a line that begins with a closer goes on with words that are no action."""
    return any(map(str.isalnum, line[len(mark) :])) and not any(
        _is_head(line[len(closer) :].strip(), dialect) for closer in _glued(line, dialect)
    )


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
