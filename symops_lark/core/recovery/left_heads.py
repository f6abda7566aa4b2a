"""Find action lines in another notation in what a reading leaves out.

`lost_actions` finds those of the dialect that was read. A reply that mixes two notations is read in
one of them, and must not lose the actions of the other without a warning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ..document import Document
from ..grammar.codes import LOST_ACTION, OUTSIDE_LAYOUT, STRAY_TEXT
from ..grammar.dialect import Dialect
from ..patterns.regexes import Pattern, compile_pattern
from ..text.diagnostics import Diagnostic, Severity
from ..text.source import LineEndings, Source
from .doubts.confidence import LOW
from .lines.kinds import Kind, Line, Spelling, kinds_of
from .lines.lexer import LineLexer
from .lines.spelling import LineRepairer
from .section_signs import has_signs

_LEFT_OUT = (STRAY_TEXT, OUTSIDE_LAYOUT)
# Other action lines without marks need a block, which `lost_actions` looks for.
_COMMAND = Kind.BARE_COMMAND
_SPELT = (Spelling.EXACT, Spelling.NEAR)
_MARKED = kinds_of(Kind.ACTION, Kind.COMMAND, spelling=_SPELT)
_HEADS = _MARKED | {_COMMAND}
_FENCES = kinds_of(Kind.FENCE)
# Matches "## Run pytest" and "2. **Run pytest**"; does not match "(run pytest)".
_LOOSE = compile_pattern(
    r"[ \t#*_-]*(?:[0-9]+[.)][ \t#*_-]*)?([A-Za-z](?:[^\n]*[^ \t*_\n])?)[ \t*_]*"
)
# A full stop ends a sentence, but not a word such as `ls.py`.
_WORD_END = compile_pattern(r"(?![\w/-]|\.\w)")
_LAST_WORD = compile_pattern(r"(?![\w/-]|\.\w)\W*\Z")


def find_left_heads(
    document: Document,
    text: str,
    dialects: Sequence[Dialect],
    repairer_of: Callable[[Dialect], LineRepairer],
) -> list[Diagnostic]:
    """Return a warning for each line in text that was left out that may be an action.

    Args:
        document: What was read, with its diagnostics.
        text: The text that it was read from.
        dialects: The dialects to look for.
        repairer_of: Returns the repairer of a dialect.
    """
    source = Source(text)
    reported = {row.span.start for row in document.diagnostics if row.code == LOST_ACTION}
    commands = [action.path for action in document.actions if action.content is None]
    # Where files have no marks, a command is written as people write one.
    is_loose = any(action.confidence < LOW for action in document.actions)
    by_start: dict[int, Diagnostic] = {}
    for finding in document.diagnostics:
        span = finding.span
        excerpt = text[span.start : span.end]
        if finding.code not in _LEFT_OUT:
            continue
        # A label such as "2." may be before a line of a loose reply.
        if not is_loose and not has_signs(excerpt, tuple(dialects)):
            continue
        endings = LineEndings(excerpt)
        plain = endings.plain
        for dialect in dialects:
            lexer = LineLexer(dialect, repairer_of(dialect))
            for line in _find_heads(plain, lexer, is_loose):
                start = span.start + endings.to_text(line.start)
                spelled = plain[line.start : line.stop]
                # A sentence about a command that was read is not another command. An action line
                # with more arguments is one.
                is_marked = line.kind in _MARKED
                after = _LAST_WORD if is_marked else _WORD_END
                if start in reported or _mentions(spelled, commands, after):
                    continue
                place = source.span(start, span.start + endings.to_text(line.stop))
                looks_like = f"an action of {dialect.name}"
                if not is_marked:
                    looks_like = "a command"
                message = f"this line looks like {looks_like}, and is left out"
                warning = Diagnostic(LOST_ACTION, message, place, Severity.WARNING)
                by_start.setdefault(start, warning)
    return list(by_start.values())


def _mentions(line: str, commands: Sequence[str], after: Pattern) -> bool:
    """Return whether a line has one of the commands as whole words: `ls` is not in `tools`.

    Args:
        line: The line.
        commands: The commands.
        after: What must follow the command.
    """
    for command in filter(None, commands):
        start = line.find(command)
        while start >= 0:
            before = line[start - 1 : start]
            is_word = bool(before) and (before.isalnum() or before in "_./-")
            if not is_word and after.match(line, start + len(command)):
                return True
            start = line.find(command, start + 1)
    return False


def _find_heads(text: str, lexer: LineLexer, is_loose: bool) -> Iterator[Line]:
    """Yield the action lines of a text that are not in a fence: they may be samples there."""
    is_fenced = False
    for line in lexer.read(text):
        if line.kind in _FENCES:
            is_fenced = not is_fenced
            continue
        if is_fenced:
            continue
        if line.kind in _HEADS:
            yield line
        match = _LOOSE.fullmatch(text, line.start, line.stop) if is_loose else None
        if match is not None:
            command = match[1][:1].lower() + match[1][1:]
            if lexer.kind_of(command) is _COMMAND:
                yield line
