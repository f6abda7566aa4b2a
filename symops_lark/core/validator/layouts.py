"""Checks of how contents stand: all lines shifted to the right, or apart; in two versions."""

from __future__ import annotations

from collections.abc import Iterator

from ..document import Action, Document
from ..grammar.codes import ODD_LAYOUT, WRITTEN_TWICE
from ..ground.file_types import PROSE, language_of
from ..patterns.regexes import compile_pattern
from ..text.diagnostics import Diagnostic
from .check import Verbs, warn
from .signs import BeginningSign, DocumentSign, check


def _stands_apart(content: str, bare: str) -> bool:
    """Return whether a content may have all of its lines indented, or a blank line between all of them."""
    return content[:1] in (" ", "\t", "\n", "\r") or (_APART.match(bare) is not None and JOINED.search(bare) is None)


# Among the first lines two have no blank line between them.
_ARE_JOINED = r"(?=(?:[^\n]*\n){0,9}?[ \t]*[^ \t\r\n][^\n]*\n[ \t]*[^ \t\r\n])"


@check(sign=BeginningSign(_stands_apart, _ARE_JOINED))
def check_layout(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """The lines of a new file of code are not all indented, and have not all a blank line between them."""
    for action in document.actions:
        content = (action.content or "").strip("\r\n")
        if action.type != "create" or language_of(action.path) in _FREE or "\n" not in content:
            continue
        shifted = not _FLUSH.search(content)
        if shifted or (not JOINED.search(content) and content.count("\n") >= _MANY and _DEEPER.search(content)):
            message = f"all lines of {action.path} are {'indented' if shifted else 'double-spaced'}"
            yield warn(ODD_LAYOUT, message, action, "write them as they are")


def _names_a_path_twice(document: Document, verbs: Verbs) -> bool:
    actions = document.actions
    return len({action.path for action in actions}) < len(actions)


@check(sign=DocumentSign(_names_a_path_twice))
def check_versions(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """A file is not written twice with different contents: one of them is a draft."""
    first: dict[str, Action] = {}
    for action in document.actions:
        if action.type == "create" and action.content is not None:
            other = first.setdefault(action.path, action)
            if other.content != action.content:
                message = f"{action.path} is written twice, with different contents"
                for each in (other, action):
                    yield warn(WRITTEN_TWICE, message, each, "write each file once")


_FREE = frozenset(("", "Assembler", "CSV", "diff", "YAML", *PROSE))  # where lines may stand so, or nobody knows
_FLUSH = compile_pattern(r"(?:^|\n)(?:[^ \t\r\n]|[ \t]+[0-9])")  # numbers of lines may stand to the right
_DEEPER = compile_pattern(r"\n[ \t]+[^ \t\r\n]")
_APART = compile_pattern(r"[^\n]*\n[ \t\r]*\n")
JOINED = compile_pattern(r"[^ \t\r\n][ \t\r]*\n[ \t]*[^ \t\r\n]")
_MANY = 6  # line ends of what hardly stands apart as a whole
