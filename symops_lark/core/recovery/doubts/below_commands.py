"""Doubt an action without a block, if text that was left out is right below it.

An action line has one command. A model may have written the next command below it, the rest of a
long one, or the script that it runs. Sentences there are for people, and fences may only end.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...discourse.nesting import line_start
from ...discourse.transport_table import our_transport
from ...document import Action, Document, Skipped
from ...grammar.codes import LOST_ACTION
from ...grammar.dialect import Dialect
from ...ground.numbers import quoted
from ...patterns.regexes import Match, compile_pattern
from ...text.diagnostics import Diagnostic, Severity
from ...text.shell_words import calls_program, has_only_words
from ..lines.prose import looks_like_prose

_MAX_SHOWN = 80  # characters of a line in a message
_HINT = "write each command in a separate action, and a script in a file"
_HINT_FOR_FILE = "write the next action with its own mark, and a sentence below a blank line"
# The line below, without its indentation; and the fence below, after any blank lines.
_BELOW = compile_pattern(r"[ \t\r]*\n[ \t]*(?P<line>[^\s][^\n]*)")
# A line below blank lines is a command only if it calls a program.
_PARAGRAPH_BELOW = compile_pattern(r"[ \t\r]*\n\s*(?P<line>[^\s][^\n]*)")
_FENCE_BELOW = compile_pattern(r"[ \t\r]*\n\s*(?P<line>(?:`{3}|~{3})[^\n]*)")
_FENCE = compile_pattern(r"(?:`{3,}|~{3,})[ \t]*(?P<info>[^\s`]*)")
# The labels of fences with what a command printed.
_PRINTED = ("text", "txt", "output", "console", "log")
_FENCES = compile_pattern(r"(?m)^[ \t]*(?:`{3}|~{3})")
# The signs of lists and quotations: `- make test`, `2. make test`, `> make test`.
_BULLETS = compile_pattern(r"(?:(?:[-*+>]|[0-9]{1,3}[.)])[ \t]+)*")
# `</action>`, `[END]`, `(it takes a minute)`, `# a comment`, `-> runs it`, `| a | table |`, and
# "`make test` runs it"; not `(cd web && npm ci)`.
_NO_COMMAND = compile_pattern(
    r"<.*>|\[(?:[^][;&|]|&(?!&)|\|(?!\|))*\]|\((?:[^();&|]|&(?!&)|\|(?!\|))*\)|(?:#|//|->).*"
    r"|\|.*\||`[^`]+`[,:]?(?:[ \t]+(?:[\w',;()-]+|`[^`]+`[,;]?))+[.:!?]*"
)
# An interpreter reads its script below these, too: `python3 -`, `bash -s`, `bash -ex`.
_OPTION = compile_pattern(r"-[seuxl]*")
_BEFORE_PROGRAM = ("env", "sudo")
# "Then run the tests" and "but no." have only words; `Rscript a.R` and `Get-Item x` do not.
_WORDS = compile_pattern(
    r"[*_]*[A-Z][A-Za-z']*[,:]?(?:[ \t]+[\w',;()]+)*[.:!?*]*"
    r"|[a-z']+[,:]?(?:[ \t]+[\w',;()]+)*[.:!?]+"
)


def find_text_below(document: Document, text: str, dialect: Dialect) -> Iterator[Diagnostic]:
    """Yield a doubt about each action without a block that text follows without a blank line.

    Blank lines may be between an interpreter that is called alone and the fence with its script,
    and between a command and a line that calls a program.

    was       becomes   line
    complete  suspect   ::run @npm ci
    -         -         npm test

    was       becomes   line
    complete  complete  ::run @npm ci
    -         -         This installs the packages.

    Args:
        document: What was read; its spans are positions in `text`.
        text: The text that was read.
        dialect: The dialect that it was read in.
    """
    mark = dialect.marks["action"]
    begun: set[int] = set()
    for section in document.sections:
        if not isinstance(section, Skipped):
            begun.add(line_start(text, section.span.start))
    done = 0
    fence_count = 0  # before the action, outside of other actions
    for action in document.actions:
        span = action.span
        fence_count += len(_FENCES.findall(text[done : span.start]))
        done = max(done, span.end)
        if action.content is not None or action.type in dialect.verbs["writing"]:
            continue
        is_command = action.type in dialect.verbs["running"]
        below = _BELOW.match(text, span.end)
        if below is None and _waits_for_script(action):
            below = _FENCE_BELOW.match(text, span.end)
        if below is None and is_command:
            below = _find_command(text, span.end)
        if below is None or line_start(text, below.start("line")) in begun:
            continue
        line = below["line"].rstrip()
        # `find_lost` reports these. In v1 the mark is the prompt of a shell, too.
        if mark != "$" and line.startswith(mark):
            continue
        if _may_belong(line, is_fenced=fence_count % 2 > 0, is_command=is_command):
            excerpt = quoted(line[:_MAX_SHOWN])
            message = f"the line below is left out, and may belong to this action: {excerpt}"
            hint = _HINT if is_command else _HINT_FOR_FILE
            yield Diagnostic(LOST_ACTION, message, span, Severity.WARNING, hint=hint)


def _waits_for_script(action: Action) -> bool:
    """Return whether an action calls an interpreter alone, which waits for input then."""
    words = action.path.split()
    while words and words[0].rpartition("/")[2] in _BEFORE_PROGRAM:
        words = words[1:]
    if not words or not all(map(_OPTION.fullmatch, words[1:])):
        return False
    program = words[0].rpartition("/")[2]
    # `python3.12`
    return program.rstrip("0123456789.") in our_transport().interpreters


def _find_command(text: str, place: int) -> Match | None:
    """Return the next line below blank ones if it calls a program."""
    below = _PARAGRAPH_BELOW.match(text, place)
    if below is None:
        return None
    line = below["line"].rstrip()
    return below if calls_program(line) else None


def _may_belong(line: str, *, is_fenced: bool, is_command: bool) -> bool:
    """Return whether a line may be a command or the begin of a script.

    Args:
        line: The line, without blanks around it.
        is_fenced: Whether the line is in a fence, so that a bare fence ends it.
        is_command: Whether the action above it is a command.
    """
    fence = _FENCE.match(line)
    if fence is not None:
        info = fence["info"].lower()
        return info not in _PRINTED and (bool(info) or not is_fenced)
    bullets = _BULLETS.match(line)
    bare = line[bullets.end() :] if bullets else line
    if _NO_COMMAND.fullmatch(bare) or _WORDS.fullmatch(bare) or looks_like_prose(bare):
        return False
    # `- installs the packages`, but not `- make test`; "nothing imports it" below a deletion.
    if (bare != line or not is_command) and has_only_words(bare):
        return False
    # In scripts without capital letters, such as Japanese, the first character shows prose. A
    # number begins what a command printed.
    first = bare.lstrip("*_`\"'")[:1]
    return first.isascii() and not first.isdigit() and any(map(str.isalnum, bare))
