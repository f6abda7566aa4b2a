"""Check for what a wrapper left in a content: a closing tag, a control token, a language, `\\"`.

A reply that is valid may still carry pieces of what brought it here. Nothing is cut out: each piece
is a finding. As in `contents`, what is normal in the language of a file is not reported.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..document import Action, Document
from ..grammar.codes import (
    CALL_FOR_CONTENT,
    ESCAPED_QUOTES,
    LANGUAGE_LINE,
    SMART_QUOTES,
    TEXT_FOR_BINARY,
)
from ..ground.file_types import BINARY, LANGUAGES, language_of
from ..ground.numbers import quoted
from ..patterns.regexes import compile_pattern
from ..text.diagnostics import Diagnostic
from .check import Verbs, warn
from .commands import FIRST_KEY
from .contents import PATTERNED, WITH_ENTITIES, code_contents, code_lines, contents_of, is_diff
from .signs import ActionSign, ContentSign, check
from .tags import MAX_DECORATION

if TYPE_CHECKING:
    from .edges import Finding


def _has_piece(action: Action, verbs: Verbs) -> bool:
    """Return whether a content has a piece of transport, is one, or is text for another file.

    This runs for each content. It takes less than 1 µs for most, and does not load the table of
    transport for them. All others are examined here: a reply without any sign is read faster.
    """
    content = action.content
    if not content:
        return False
    path = action.path
    suffix = path.rpartition(".")[2].lower()
    bare = content.strip()
    last = bare.rfind("\n") + 1
    # In prose, sentences are content.
    if suffix in _PROSE_SUFFIXES:
        may_be_odd = bool(_EDGE_IN_PROSE.match(bare) or _EDGE_IN_PROSE.match(bare, last))
    elif suffix == "html" and bare[:2] in ("<!", "<h") and bare.endswith("</html>"):
        may_be_odd = False  # an ordinary page
    else:
        # To look at one character takes less time than to search for a pattern.
        end = bare[last : last + _MAX_INDENTATION].lstrip()[:1] or "<"
        may_be_odd = end not in _ORDINARY and _LAST.match(bare, last) is not None
        may_be_odd = may_be_odd or _FIRST.match(bare) is not None
    # The path may be decorated.
    is_named = bare.find(path, 0, len(path) + MAX_DECORATION) >= 0
    may_be_odd = may_be_odd or is_named or bare.endswith(_TOKEN_ENDS)
    if may_be_odd and _find_at_edges(action, content):
        return True
    may_be_call = bare[:1] == "{" and suffix != "json"
    return suffix in BINARY or (may_be_call and _is_call(action, bare))


_PIECE = ActionSign(_has_piece)


@check(sign=_PIECE)
def check_edges(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Warn of a first or last line of a content that belongs to its transport."""
    for action, content, _ in contents_of(document, verbs):
        for finding in _find_at_edges(action, content):
            yield warn(finding.code, finding.message, action, finding.hint)


def _find_at_edges(action: Action, content: str) -> list[Finding]:
    # Imported here: most replies have no such line.
    from .edges import Edges

    is_edit = action.type != "create"
    if content.isspace() or language_of(action.path) == "diff":
        return []
    # A diff may have anything at its edges. `check_diffs` reports it for a new file.
    if not is_edit and is_diff(content):
        return []
    return Edges(action.path, content, is_edit).find()


def _is_call(action: Action, bare: str) -> bool:
    """Return whether a content is an object whose first key is an argument of a tool."""
    key = FIRST_KEY.match(bare)
    if key is None or language_of(action.path) in _WITH_OBJECTS:
        return False
    # An edit may be written as an object with an old and a new text.
    if action.type != "create" and _OLD_TEXT.search(bare):
        return False
    # Imported here: most replies have no such object.
    from ..discourse.transport_table import our_transport

    return bare.endswith("}") and key["key"] in our_transport().arguments


@check(sign=_PIECE)
def check_objects(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Warn of a file that is a JSON object with an argument of a tool as its first key."""
    for action, content, _ in contents_of(document, verbs):
        if _is_call(action, content.strip()):
            message = f"the content of {action.path} is the JSON of a tool call"
            yield warn(CALL_FOR_CONTENT, message, action, "write only the text of the file")


@check(sign=_PIECE)
def check_binaries(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Warn of text as the content of a file that is not text."""
    for action, _, _ in contents_of(document, verbs):
        if action.path.rpartition(".")[2].lower() in BINARY:
            message = f"{action.path} is not a text file, but its content is text"
            yield warn(TEXT_FOR_BINARY, message, action, "make the file by a command")


# Languages in which a line may be a single word.
_WITH_BARE_WORDS = frozenset(("CSV", "INI", "TeX", "Batch", "diff", *WITH_ENTITIES))


def _begins_with_language(content: str, bare: str) -> bool:
    first_line = bare[:_MAX_LANGUAGE].partition("\n")[0]
    return first_line.strip().lower() in FENCE_NAMES


@check(sign=ContentSign(_begins_with_language))
def check_language_lines(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Warn of code whose first line is the name of its language, as after an opening fence."""
    for action, content, language in code_contents(document, verbs):
        first_line = content.lstrip().partition("\n")[0].strip()
        name = first_line.lower()
        by_name = (_ALIASES.get(name), LANGUAGES.get("." + name))
        is_name = name == language.lower() or language in by_name
        if is_name and language not in _WITH_BARE_WORDS:
            message = (
                f"{action.path} begins with a line {quoted(first_line)}, the name of a language"
            )
            yield warn(LANGUAGE_LINE, message, action, "take the line out")


def _has_escaped_quotes(content: str, bare: str) -> bool:
    return "'" not in bare and '\\"' in bare


# The sign is one character: `in` finds it faster than two.
@check(sign=ContentSign(_has_escaped_quotes, ("\\",)))
def check_escaped_quotes(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Warn of code whose quotation marks are all escaped, as in a string of JSON."""
    for action, content, language in code_contents(document, verbs):
        if language in PATTERNED or "'" in content or "`" in content:
            continue
        if not _ESCAPED.search(content):
            continue
        if "\\n" in content and "\n" not in content.strip():
            continue  # `check_escapes` reports that its lines are escaped, too
        quote_count = content.count('"')
        if quote_count > 1 and quote_count == content.count('\\"'):
            message = f'{action.path} has \\" in place of each quotation mark'
            yield warn(ESCAPED_QUOTES, message, action, 'write " where a text begins or ends')


@check(sign=ContentSign(texts=("”", "‘")))
def check_quotes(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Warn of code with typographic quotation marks only."""
    for action, content, language in code_contents(document, verbs):
        if language not in _TYPOGRAPHY and _has_smart_quotes(content):
            message = f"{action.path} has typographic quotation marks in place of straight ones"
            yield warn(SMART_QUOTES, message, action, "write straight quotation marks")


def _has_smart_quotes(content: str) -> bool:
    """Return whether lines of code have a typographic pair, and no straight quotation mark."""
    if "”" not in content and "‘" not in content:
        return False
    lines = code_lines(content)
    has_smart = any(_SMART.search(line) for line in lines)
    return has_smart and not any(_STRAIGHT.search(line) for line in lines)


# ---- patterns and tables

_TYPOGRAPHY = frozenset((*WITH_ENTITIES, "TeX"))  # typographic quotation marks
# Characters of a content in which the name of a language ends: no name has more than 10, and blanks
# may follow it.
_MAX_LANGUAGE = 40
# Escaped where a string begins: `print(\"`, `x = \"`; not `"say \"yes\""`.
_ESCAPED = compile_pattern(r'[=(,:\[{][ \t]*\\"')
_ALIASES = {
    "golang": "Go",
    "js": "JavaScript",
    "python3": "Python",
    "shell": "Shell",
    "ts": "TypeScript",
}
# In lower case: names of languages, suffixes without the point, and other names that follow fences.
FENCE_NAMES = frozenset(
    (
        *_ALIASES,
        *(suffix[1:] for suffix in LANGUAGES),
        *(language.lower() for language in LANGUAGES.values()),
    )
)
_OLD_TEXT = compile_pattern(r'"(?:old|search|original|find|insert)_?[A-Za-z]*"[ \t]*:')
# Languages in which a content may be a JSON object. A log may have one on each line.
_WITH_OBJECTS = ("", "JSON", "YAML", "plain text")
# Ends of tokens with bars.
_TOKEN_ENDS = ("|>", "｜>", "|]")
_PROSE_SUFFIXES = ("md", "txt", "rst")
# How a line begins that `edges` may report, in any file: tags, tokens, and lines at the end.
_EDGE = r"<|\[[/|A-Ze]|\*{3} |END_|EOF"
_EDGE_IN_PROSE = compile_pattern(rf"\s*(?:{_EDGE})")
# In code also a sentence, a label, the name of a speaker, or a line that ends a file.
_WORDS = r"[A-Z][^\n]*[.:!：]|[^\x00-\x7f]"
_FIRST = compile_pattern(rf"{_EDGE}|{_WORDS}|[a-z]+[ \t\r]*\n")
# Characters that begin no such last line.
_ORDINARY = "abcdefghijklmnopqrstuvwxyz0123456789_\"'`/(){}@$%&+.,;:~"
_MAX_INDENTATION = 100
_LAST = compile_pattern(rf"\s*(?:{_EDGE}|{_WORDS}|\]\]>|-{{3}} |={{3}} |# END)")
_SMART = compile_pattern(r"[“”][^“”\n]*”|‘[^‘’\n]*’")
# Not an apostrophe inside of a word.
_STRAIGHT = compile_pattern(r"\"|(?<![A-Za-z])'|'(?![A-Za-z])")
