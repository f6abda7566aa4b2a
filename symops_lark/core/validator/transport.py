"""Check contents for what belongs to their transport, such as a last line `</content>`.

A reply that is valid may still carry pieces of what brought it here. Nothing is cut out: each piece
is a finding. `edges` says what a piece is.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..document import Action, Document
from ..grammar.codes import CALL_FOR_CONTENT, TEXT_FOR_BINARY
from ..ground.file_types import BINARY
from ..patterns.regexes import compile_pattern
from ..text.diagnostics import Diagnostic
from .check import Verbs, warn
from .commands import FIRST_KEY
from .contents import contents_of, is_diff
from .signs import ActionSign, BeginningSign, check


def _has_odd_edge(action: Action) -> bool:
    """Return whether the first or the last line of a content may be a piece of transport.

    This runs for each content: it takes about 1 µs, and does not load the table of transport.
    """
    if not action.content:
        return False
    bare = action.content.strip()
    path = action.path
    first_end = bare.find("\n")
    first = bare
    if first_end >= 0:
        first = bare[:first_end]
    last = bare[bare.rfind("\n") + 1 :].lstrip()
    if bare.endswith(_TOKEN_ENDS) or first.find(path) >= 0:
        return True
    # In prose, sentences are content.
    if path.endswith(_PROSE_SUFFIXES):
        return _EDGE_IN_PROSE.match(first) is not None or _EDGE_IN_PROSE.match(last) is not None
    return _FIRST.match(first) is not None or _LAST.match(last) is not None


@check(sign=ActionSign(_has_odd_edge))
def check_edges(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Warn of a first or last line of a content that belongs to its transport."""
    # Imported here: most replies have no such line.
    from .edges import Edges

    for action, content, language in contents_of(document, verbs):
        is_edit = action.type != "create"
        # A diff may have anything at its edges. `check_diffs` reports it for a new file.
        if language == "diff" or (not is_edit and is_diff(content)):
            continue
        for finding in Edges(action.path, content, is_edit).find():
            yield warn(finding.code, finding.message, action, finding.hint)


def _begins_as_call(content: str, bare: str) -> bool:
    return bare.endswith("}") and FIRST_KEY.match(bare) is not None


@check(sign=BeginningSign(_begins_as_call, r"(?!\{)"))
def check_objects(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Warn of a file that is a JSON object with an argument of a tool as its first key."""
    # Imported here: most replies have no such object.
    from ..discourse.transport_table import our_transport

    for action, content, language in contents_of(document, verbs):
        bare = content.strip()
        key = FIRST_KEY.match(bare)
        if language in _WITH_OBJECTS or key is None or not bare.endswith("}"):
            continue
        if key["key"] in our_transport().arguments:
            message = f"the content of {action.path} is the JSON of a tool call"
            yield warn(CALL_FOR_CONTENT, message, action, "write only the text of the file")


def _is_binary(action: Action) -> bool:
    return bool(action.content) and action.path.rpartition(".")[2].lower() in BINARY


@check(sign=ActionSign(_is_binary))
def check_binaries(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Warn of text as the content of a file that is not text."""
    for action, _, _ in contents_of(document, verbs):
        if _is_binary(action):
            message = f"{action.path} is not a text file, but its content is text"
            yield warn(TEXT_FOR_BINARY, message, action, "make the file by a command")


# Languages in which a content may be a JSON object. A log may have one on each line.
_WITH_OBJECTS = ("", "JSON", "YAML", "plain text")
# Ends of tokens with bars.
_TOKEN_ENDS = ("|>", "｜>", "|]")
_PROSE_SUFFIXES = (".md", ".txt", ".rst")
# How a line begins that `edges` may report, in any file: tags, tokens, and lines at the end.
_EDGE = r"<|\[[/|A-Ze]|\*{3} |END_|EOF"
_EDGE_IN_PROSE = compile_pattern(_EDGE)
# In code also a sentence, a label, the name of a speaker, or a line that ends a file.
_WORDS = r"[A-Z][^\n]*[.:!：]|[^\x00-\x7f]"
_FIRST = compile_pattern(rf"{_EDGE}|{_WORDS}|[a-z]+[ \t\r]*$")
_LAST = compile_pattern(rf"{_EDGE}|{_WORDS}|\]\]>|-{{3}} |={{3}} |# END")
