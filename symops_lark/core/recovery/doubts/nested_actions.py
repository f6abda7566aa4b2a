"""Mark actions that may be inside the content of another action, and contents that end too early.

A content that holds complete actions ends, for every reader, at the first of their closing
delimiters. A model writes such a content as a sample; or it misspells the closer of a content, so
that the content includes the next action. Both show in the lines around the closers:

    find_nested       sections of which the closer of an outer content is left over
    find_text_behind  a line after a closer that looks like another closer
    mark_doubtful     a content with an action line after a line that is nearly a closer

`mark_doubtful` works on valid texts too, so it looks for a mark before anything that takes time.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from ...discourse.nesting import find_nests_of, line_start
from ...document import Action, Completeness, CustomSection, Document
from ...grammar.codes import NESTED_SECTION, TEXT_BEHIND_CLOSER
from ...grammar.dialect import Dialect
from ...patterns.regexes import compile_pattern, escape
from ...text.diagnostics import Diagnostic, Severity
from ...text.source import Span
from .confidence import mark_suspect

_LONGER_FENCES = (
    "write a content with such lines between longer delimiters, in a dialect that has them (v2_1)"
)
_HEADS = ("head", "verb_line", "run_line")  # the rules of lines that begin an action


def find_doubts(
    document: Document, text: str, dialect: Dialect
) -> tuple[Document, tuple[Diagnostic, ...]]:
    """Mark the doubtful actions of a document, and report those that no check of it reports.

    Args:
        document: What was read; its spans are positions in `text`.
        text: The text that was read.
        dialect: The dialect that it was read in.

    Returns:
        The document with these actions suspect, and the diagnostics.
    """
    document = mark_doubtful(document, dialect)
    nested, outer = find_nested(document, text, dialect)
    behind_closers = find_text_behind(document, text, dialect)
    # Imported here: the rest of this module is used for valid texts, which need no discourse.
    from .unasked import find_unasked

    findings = (*nested, *behind_closers, *find_unasked(document, text))
    starts = outer | {finding.span.start for finding in findings}
    return mark_suspect(document, starts), findings


def find_nested(
    document: Document, text: str, dialect: Dialect
) -> tuple[list[Diagnostic], set[int]]:
    """Return the sections that may be part of the content of another section.

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

    Args:
        document: What was read; its spans are positions in `text`.
        text: The text that was read.
        dialect: The dialect that it was read in.

    Returns:
        A diagnostic for each such section, and the offsets at which the outer sections begin.
    """
    by_line: dict[int, Action | CustomSection] = {}
    for section in document.sections:
        if isinstance(section, Action | CustomSection):
            start = line_start(text, section.span.start)
            by_line[start] = section
    findings: list[Diagnostic] = []
    outer_starts: set[int] = set()
    for nest in find_nests_of(document, text, dialect):
        outer = by_line[nest.outer]
        outer_starts.add(outer.span.start)
        name = outer.path if isinstance(outer, Action) else outer.name
        place = f"{name} (line {outer.span.line})"
        message = f"this may be part of the content of {place}, which shows sections"
        for start in nest.inner:
            span = by_line[start].span
            findings.append(_warn(NESTED_SECTION, message, span))
    return findings, outer_starts


def find_text_behind(document: Document, text: str, dialect: Dialect) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each action whose closer may be a line of its content.

    The line after such a closer looks like a line of the content, too.

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

    Args:
        document: What was read; its spans are positions in `text`.
        text: The text that was read.
        dialect: The dialect that it was read in.
    """
    mark = dialect.marks["close"]
    # Of a mark of one character, such as `>>>`, two are a mark of contents, such as `>> f(1)`.
    sign = mark[:2] if len(set(mark)) == 1 else mark
    for action in document.actions:
        if action.content is None or action.completeness is not Completeness.COMPLETE:
            continue
        following = _line_after(text, action.span.end)
        if not following.startswith(mark):
            continue
        if following in dialect.closers:
            # A closer that is written twice is harmless, unless contents have such lines.
            is_doubtful = _has_line_like_closer(action.content, sign, dialect)
        elif _has_head_after_closer(following, dialect):
            is_doubtful = False
        else:
            # Further signs are a misspelled closer, words are content.
            is_doubtful = any(map(str.isalnum, following[len(mark) :]))
        if is_doubtful:
            place = f"the closing delimiter of {action.path}"
            message = f"lines right after {place} may be part of its content"
            yield _warn(TEXT_BEHIND_CLOSER, message, action.span)


def _warn(code: str, message: str, span: Span) -> Diagnostic:
    return Diagnostic(code, message, span, Severity.WARNING, hint=_LONGER_FENCES)


def _line_after(text: str, at: int) -> str:
    """Return the line after an offset, without blanks around it.

    It is empty if there is no such line, or if text follows on the line of the offset.
    """
    start = text.find("\n", at) + 1
    is_last = start == 0
    if is_last or text[at:start].strip():
        return ""
    end = text.find("\n", start)
    if end < 0:
        end = len(text)
    return text[start:end].strip()


def _has_line_like_closer(content: str, sign: str, dialect: Dialect) -> bool:
    """Return whether a line of a content begins like a closer, and is not one."""
    if sign not in content:
        return False
    for line in content.split("\n"):
        bare = line.strip()
        if bare.startswith(sign) and bare not in dialect.closers:
            return True
    return False


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
    pattern = compile_pattern(escape(mark))
    actions = document.actions
    doubtful = _find_shifted(actions, writing)
    for action in actions:
        content = action.content
        if content is None:
            is_doubtful = action.type in writing
        # Most contents have no mark. `in` finds one character fastest, `re` finds several.
        elif mark[0] in content and pattern.search(content) is not None:
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


def _find_shifted(actions: Sequence[Action], writing: Collection[str]) -> set[int]:
    """Return the offsets of actions that may have the block of the action after them.

    These are the actions from a command with a content to the next action without a content, if
    that one needs a content.
    """
    shifted: set[int] = set()
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
        start = line_start(content, at)
        end = content.find("\n", at)
        if end < 0:
            end = len(content)
        line = content[start:end]
        if _is_head(line.strip(), dialect):
            return True
        if _has_head_after_closer(line, dialect):
            return True
        at = content.find(mark, end)
    return False


def _includes_next(content: str, dialect: Dialect) -> bool:
    """Return whether a content seems to include the next action.

    An action line is directly after what is nearly a closer; or it is the last line, if one mark is
    both the opener and the closer.
    """
    lines = [line for line in content.split("\n") if line.strip()]
    if any(_has_head_after_closer(line, dialect) for line in lines):
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


def _has_head_after_closer(line: str, dialect: Dialect) -> bool:
    """Return whether a line begins with a closer, and an action line follows on the same line."""
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
