"""Messages for people: one diagnostic an edit."""

from __future__ import annotations

from collections.abc import Sequence

from ..core.grammar import codes
from ..core.text.diagnostics import Diagnostic
from ..core.text.source import Source
from .edits import DEDENT_SIGN, END, LINE, Edit
from .loading import Compiled
from .samples import is_token

_LONGEST = 20  # characters of the text in a message


def explain_edits(grammar: Compiled, text: str, edits: Sequence[Edit]) -> list[Diagnostic]:
    """Return a diagnostic for each edit that has a price.

    A line that is moved together with the lines before it has none.

    Args:
        grammar: The grammar.
        text: The text.
        edits: The edits.
    """
    source = Source(text)
    return [_explain(grammar, source, edit) for edit in edits if edit.price]


def name_terminal(grammar: Compiled, name: str) -> str:
    """Return a terminal as people call it: its text, or its name in words.

    Args:
        grammar: The grammar.
        name: The terminal.
    """
    if name == END:
        return "the end of the text"
    literal = grammar.tables.literals.get(name)
    if literal is not None:
        return f"`{literal}`"
    return name.strip("_").lower().replace("_", " ")


def _explain(grammar: Compiled, source: Source, edit: Edit) -> Diagnostic:
    text = source.text
    old = text[edit.start : edit.stop]
    # The caret is below the first character that is not blank.
    blanks = len(old) - len(old.lstrip())
    start = min(edit.start + blanks, edit.stop)
    span = source.span(start, edit.stop)
    name = name_terminal(grammar, edit.name)
    tables = grammar.tables
    if edit.name in tables.marks:
        direction = "further"
        if tables.literals[edit.name] == DEDENT_SIGN:
            direction = "less"
        message = f"expected this line to be indented {direction}"
        return Diagnostic(codes.WRONG_INDENTATION, message, span)
    match edit.kind:
        case "insert":
            # A delimiter alone completes a token; all else is a token.
            regex = tables.regexes[edit.name]
            if not is_token(regex, edit.new):
                message = f"this {name} has no {edit.new}"
                return Diagnostic(codes.UNFINISHED_TOKEN, message, span)
            before = _before(text, edit.stop)
            message = f"expected {name}{before}"
            return Diagnostic(codes.MISSING_TOKEN, message, span, expected=(edit.new,))
        case "delete" if edit.name:
            message = f"unexpected {_quote(old)}"
            return Diagnostic(codes.UNEXPECTED_TOKEN, message, span)
        case "delete" if edit.price == LINE:
            message = f"unexpected line {_quote(old)}"
            return Diagnostic(codes.UNEXPECTED_TOKEN, message, span)
        case "delete":
            # A part of the text that the lexer cannot read.
            message = f"no token begins with {_quote(old)}"
            return Diagnostic(codes.NO_TOKEN, message, span)
        case "replace":
            message = f"expected {name} instead of {_quote(old)}"
            return Diagnostic(codes.WRONG_TOKEN, message, span, expected=(edit.new,))
        case "skip":
            message = "the text from here on was not parsed"
            return Diagnostic(codes.SKIPPED_TEXT, message, span)
    mistake = grammar.mistakes.get(edit.name)
    sentence = edit.name.replace("-", " ")
    hint = ""
    if mistake:
        sentence = mistake.sentence
        hint = mistake.hint
    # Messages begin with a small letter and have no full stop.
    first = sentence[:1].lower()
    remainder = sentence[1:].removesuffix(".")
    message = first + remainder
    return Diagnostic(edit.name, message, span, hint=hint)


def _before(text: str, place: int) -> str:
    words = text[place:].split(None, 1)
    if words:
        return f" before {_quote(words[0])}"
    return " at the end"


def _quote(text: str) -> str:
    stripped = text.strip()
    line = stripped.split("\n", 1)[0]
    if len(line) > _LONGEST:
        return f"`{line[:_LONGEST]}…`"
    return f"`{line}`"
