"""Check the layout of contents: all lines indented or double-spaced, or two versions of a file."""

from __future__ import annotations

from collections.abc import Iterator

from ..document import Action, Document
from ..grammar.codes import ODD_LAYOUT, WRITTEN_TWICE
from ..ground.file_types import PROSE, language_of
from ..patterns.regexes import compile_pattern
from ..text.diagnostics import Diagnostic
from .check import Verbs, warn
from .signs import BeginningSign, DocumentSign, check


def _may_be_shifted_or_spaced(content: str, bare: str) -> bool:
    """Return whether all lines of a content may be indented, or have blank lines between them."""
    if content[:1] in (" ", "\t", "\n", "\r"):
        return True
    return _BLANK_SECOND_LINE.match(bare) is not None and JOINED.search(bare) is None


# Excluded: two of the first lines have no blank line between them.
_JOINED_BEGINNING = r"(?=(?:[^\n]*\n){0,9}?[ \t]*[^ \t\r\n][^\n]*\n[ \t]*[^ \t\r\n])"


@check(sign=BeginningSign(_may_be_shifted_or_spaced, _JOINED_BEGINNING))
def check_layout(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Warn of a new file of code whose lines are all indented, or all double-spaced."""
    for action in document.actions:
        if action.type != "create" or language_of(action.path) in _FREE:
            continue
        content = (action.content or "").strip("\r\n")
        if "\n" not in content:
            continue
        layout = ""
        if not _FLUSH.search(content):
            layout = "indented"
        elif _is_double_spaced(content):
            layout = "double-spaced"
        if layout:
            message = f"all lines of {action.path} are {layout}"
            yield warn(ODD_LAYOUT, message, action, "write them as they are")


def _is_double_spaced(content: str) -> bool:
    """Return whether no two lines are joined, in a long content with an indented line."""
    # A list of unindented definitions may have blank lines between all of them.
    is_long = content.count("\n") >= _MIN_LINE_ENDS
    return is_long and not JOINED.search(content) and _INDENTED.search(content) is not None


def _repeats_path(document: Document, verbs: Verbs) -> bool:
    actions = document.actions
    return len({action.path for action in actions}) < len(actions)


@check(sign=DocumentSign(_repeats_path))
def check_versions(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Warn of a file that is created twice with different contents: one of them is a draft."""
    by_path: dict[str, Action] = {}
    for action in document.actions:
        if action.type == "create" and action.content is not None:
            first = by_path.setdefault(action.path, action)
            if first.content != action.content:
                message = f"{action.path} is written twice, with different contents"
                for version in (first, action):
                    yield warn(WRITTEN_TWICE, message, version, "write each file once")


# Languages in which such a layout is normal; "" is an unknown language.
_FREE = frozenset(("", "Assembler", "CSV", "diff", "YAML", *PROSE))
# A line that is not indented. An indented number does not count as indented: columns of numbers are
# aligned to the right.
_FLUSH = compile_pattern(r"(?:^|\n)(?:[^ \t\r\n]|[ \t]+[0-9])")
_INDENTED = compile_pattern(r"\n[ \t]+[^ \t\r\n]")
_BLANK_SECOND_LINE = compile_pattern(r"[^\n]*\n[ \t\r]*\n")
JOINED = compile_pattern(r"[^ \t\r\n][ \t\r]*\n[ \t]*[^ \t\r\n]")  # no blank line in between
_MIN_LINE_ENDS = 6  # a shorter content may have blank lines between all lines by chance
