"""Find what belongs to the transport of an action: in contents, in commands and in paths.

A reply that is valid may still carry pieces of what brought it here: a file whose last line is
`</content>`, a command that ends with `<|im_end|>`, a path that begins like a heading. Nothing is
cut out; each piece is a finding.

Only the edges of a content are examined (`edges`), so a file that is about such pieces is left
alone: in the middle, in strings, in comments, and where a closing tag has its opening one.

Documents that parse need this module alone: it does not load the tables of speech.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..grammar.codes import (
    BLOCK_FOR_COMMAND,
    CALL_FOR_CONTENT,
    CONFLICT_MARKS,
    DOUBTFUL_PATH,
    ESCAPED_COMMAND,
    NO_COMMAND,
    PLACEHOLDER_CONTENT,
    TEXT_FOR_BINARY,
    TRANSPORT_END,
    TWO_IN_ONE,
)
from ..ground.file_types import LANGUAGES, NAMES
from ..ground.numbers import quoted
from ..patterns.regexes import compile_pattern
from ..text.source import cut, size
from .edges import CLOSING, MARKUP, MAX_LINE, Edges, Finding, is_balanced, token_at_end
from .transport_table import our_transport

# A marker of a merge conflict: `<<<<<<< HEAD`, `=======`; not `======== ` (8 signs).
_CONFLICT = compile_pattern(r"(?P<sign><{7}|={7}|>{7})(?: [^\n]*)?")
# One comment that somebody is to replace: `/* INPUT_REQUIRED {the style} */`, `<!-- [logo] -->`;
# not `/* empty */`.
_SLOT = compile_pattern(
    r"(?:/\*|<!-{2})[^\n]{0,80}?(?:\{[^{}\n]{3,}\}|\[[^\[\]\n]{3,}\]|[A-Z]{3,}_[A-Z_]{3,})"
    r"[^\n]*(?:\*/|-{2}>)"
)
# The first key of an object: `{"command":`
_FIRST_KEY = compile_pattern(r"\{\s*\"(?P<key>[A-Za-z_]{1,30})\"\s*:")
_ENTITY = compile_pattern(r"&(?:amp|lt|gt|quot|#39|#x27);")
_IN_QUOTES = compile_pattern(r"\"[^\"]*\"|'[^']*'")
_CLOSINGS_AT_END = compile_pattern(r"(?:</[^\s<>/]{1,60}[ \t]*>[ \t]*)+$")
# What is left of a closing tag: `/function_calls>`; not `</function_calls>` or `src/a>b`.
_PIECE = compile_pattern(r"(?:^|(?<=[ \t]))/(?P<name>[a-z_]{3,30})>")
# A sign of one to three characters, a verb, and a sign before a target, inside a command.
_SECOND_ACTION = compile_pattern(
    r"[:$]{1,3}[ \t]?(?:create|edit|update|delete|remove|run|test|execute)[ \t]?@"
)
# The first row that matches gives the message. Each has an example in test_transport.py.
_DOUBTFUL_PATHS = (
    (compile_pattern(r"^#{1,6}[ \t]"), "begins like a heading"),
    (compile_pattern(r"^%.*%$|^\$\{|^\$[0-9A-Za-z_./-]+\.[0-9A-Za-z_]+$"), "is a variable"),
    (_SECOND_ACTION, "has the head of a second action in it"),
    (compile_pattern(r"[|`*<>\"｜]"), "has a sign that paths do not have"),
    (compile_pattern(r":{2}"), "has the mark of a section"),
    (compile_pattern(r"\\"), "has backslashes"),
    (compile_pattern(r"^[A-Za-z]:"), "begins with a drive"),
    # A path without a dot or slash: `このファイルを作成します`; not `日本語.md`
    (compile_pattern(r"^(?=.*[ぁ-んァ-ヶ一-龥])[^./\\]{7,}$"), "is a sentence"),
    (compile_pattern(r"^(?:[A-Z]?[a-z]+ ){3,}[a-z]+\.?$"), "is a sentence"),
)
# Paths without any of these signs: most, and this one test is all that they cost.
_PLAIN_PATH = compile_pattern(r"[0-9A-Za-z_./-]+")
# Signs that the first and the last line of code begin with, where they are no tag, token, sentence,
# label or object. In prose, sentences are content, and so are capital letters.
_QUIET_IN_CODE = frozenset("abcdefghijklmnopqrstuvwxyz0123456789@$.,;:+!)}\"'#/*-=_(&|%\\~^? \t")
_QUIET_IN_PROSE = _QUIET_IN_CODE | frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_PROSE_SUFFIXES = (".md", ".txt", ".rst")
_CONFLICT_LINE = "\n" + "=" * 7
# Names of languages that are also names of files.
_FILES = ("makefile", "dockerfile", "r", "c", "d", "s", *map(str.lower, NAMES))
_LANGUAGES = frozenset(map(str.lower, LANGUAGES.values()))
_SUFFIXES = frozenset(suffix[1:] for suffix in LANGUAGES)
_LANGUAGE_NAMES = (_LANGUAGES | _SUFFIXES) - frozenset(_FILES)


# ---- contents


def find_in_content(path: str, content: str, is_edit: bool = False) -> Iterator[Finding]:
    """Yield the findings about the content of a file.

    Args:
        path: The path of the file, whose ending gives the language.
        content: The content.
        is_edit: Whether it is an edit, which may have marks of conflicts.
    """
    bare = content.strip()
    if not bare or _is_quiet(path, bare):
        return
    if path.lower().endswith(our_transport().binary):
        yield Finding(TEXT_FOR_BINARY, f"{path} is not a text file, but its content is text")
    edges = Edges(path, content)
    # A diff may have anything at its edges.
    if edges.language == "diff":
        return
    has_lines = bare.find("\n") >= 0
    if has_lines:
        yield from edges.find()
    elif size(bare) <= MAX_LINE and _SLOT.fullmatch(bare):
        yield Finding(PLACEHOLDER_CONTENT, f"the content of {path} is only a comment with a slot")
    if edges.language not in ("", "JSON") and _is_call(bare):
        yield Finding(CALL_FOR_CONTENT, f"the content of {path} is the JSON of a tool call")
    may_conflict = not is_edit and edges.language not in MARKUP
    if may_conflict and _has_conflict(bare):
        yield Finding(CONFLICT_MARKS, f"{path} has the marks of a conflict that is not resolved")


def _is_quiet(path: str, bare: str) -> bool:
    """Return whether a content surely has nothing to find: a test that takes about 1 µs.

    A valid reply is examined as well, and must not become slower by more than 5 %.
    """
    first_end = bare.find("\n")
    if first_end < 0 or bare.endswith((">", "]")):
        return False
    quiet = _QUIET_IN_CODE
    if path.endswith(_PROSE_SUFFIXES):
        quiet = _QUIET_IN_PROSE
    last_start = bare.rfind("\n") + 1
    if bare[0] not in quiet or bare[last_start] not in quiet:
        return False
    table = our_transport()
    # One line may be a path, the name of a speaker, or a line that ends a file in transport.
    first = bare[:first_end].rstrip()
    last = bare[last_start:]
    is_named = first.find(path) >= 0 or first in table.bare_labels
    if is_named or last in table.last:
        return False
    if path.lower().endswith(table.binary):
        return False
    return bare.find(_CONFLICT_LINE) < 0


def _is_call(bare: str) -> bool:
    """Return whether a text is a JSON object whose first key is an argument of a tool."""
    if bare[0] != "{" or bare[-1] != "}":
        return False
    match = _FIRST_KEY.match(bare)
    if match is None:
        return False
    return match["key"] in our_transport().arguments


def _has_conflict(bare: str) -> bool:
    """Return whether a text has the three lines of an unresolved conflict, in order."""
    if bare.find(_CONFLICT_LINE) < 0:
        return False
    signs = ""
    for line in bare.split("\n"):
        if not line.startswith(("<", "=", ">")):
            continue
        match = _CONFLICT.fullmatch(line.rstrip("\r"))
        if match is not None:
            signs += match["sign"][0]
    return signs.find("<" + "=" + ">") >= 0


# ---- commands


def find_in_command(command: str, content: str | None = None) -> Iterator[Finding]:
    """Yield the findings about a command.

    Args:
        command: The command line.
        content: The content of the action, which commands do not have; None without one.
    """
    bare = command.strip()
    table = our_transport()
    piece = _piece_of_call(bare)
    if piece:
        yield Finding(TRANSPORT_END, f"the command {piece}")
    if "&" in bare:
        unquoted = _IN_QUOTES.sub("", bare)
        if _ENTITY.search(unquoted):
            message = "the command has entities of HTML in place of characters"
            yield Finding(ESCAPED_COMMAND, message)
    if "@" in bare and _SECOND_ACTION.search(bare):
        yield Finding(TWO_IN_ONE, "the command has the head of a second action in it")
    if bare.startswith("#") and not bare.startswith("#!"):
        yield Finding(NO_COMMAND, "the command is only a comment")
    program = bare.rpartition("/")[2]
    if content and program in table.interpreters:
        message = f"the action has a block, which the command {quoted(bare)} never reads"
        yield Finding(BLOCK_FOR_COMMAND, message)


def _piece_of_call(bare: str) -> str:
    """Return what a command has of a tool call or a template; empty if it has nothing."""
    table = our_transport()
    call = _FIRST_KEY.match(bare)
    if call is not None and call["key"] in table.arguments:
        return "is the JSON of a tool call"
    # Everything else ends a tag or a token.
    if ">" not in bare and "]" not in bare:
        return ""
    # The last characters only: the search takes quadratic time in the number of tags.
    closings = _CLOSINGS_AT_END.search(bare[-MAX_LINE:])
    if closings is not None:
        match = CLOSING.match(closings[0])
        if match is not None and not is_balanced(bare, match["name"]):
            return f"ends with {quoted(closings[0])}, which it does not begin"
    last = bare.rpartition(" ")[2]
    token = token_at_end(bare)
    if last in table.tokens:
        token = last
    if token:
        return f"ends with {quoted(token)}, a token of a chat template"
    piece = _PIECE.search(bare)
    if piece is not None and piece["name"] in table.only_in_calls:
        return f"has a piece of a tool call, {quoted(piece[0])}"
    return ""


# ---- paths


def find_in_path(path: str) -> Iterator[Finding]:
    """Yield the finding about the path of an action, at most one.

    Args:
        path: The path as it was read.
    """
    beginning = cut(path, 0, MAX_LINE)
    if beginning.lower() in _LANGUAGE_NAMES:
        yield Finding(DOUBTFUL_PATH, f"the path {quoted(beginning)} is the name of a language")
        return
    # Each doubtful form has another sign.
    if _PLAIN_PATH.fullmatch(beginning):
        return
    for pattern, words in _DOUBTFUL_PATHS:
        if pattern.search(beginning):
            yield Finding(DOUBTFUL_PATH, f"the path {quoted(beginning)} {words}")
            return
