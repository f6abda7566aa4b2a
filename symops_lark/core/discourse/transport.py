"""Find what belongs to the transport of an action: at the edges of contents, in commands, in paths.

A reply that is valid may still carry pieces of what brought it here: a file whose last line is
`</content>`, a command that ends with `<|im_end|>`, a path that begins like a heading. Nothing is
cut out; each piece is a finding.

Only the edges of a content are examined, so a file that is about such pieces is left alone: in
the middle, in strings, in comments, and where a closing tag has its opening one.

Documents that parse need this module alone: it does not load the tables of speech.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..grammar.codes import (
    BLOCK_FOR_COMMAND,
    CALL_FOR_CONTENT,
    CONFLICT_MARKS,
    DOUBTFUL_PATH,
    ESCAPED_COMMAND,
    NO_COMMAND,
    PATH_LINE,
    PLACEHOLDER_CONTENT,
    PROSE_IN_CODE,
    TEXT_FOR_BINARY,
    TRANSPORT_END,
    TRANSPORT_LINE,
    TWO_IN_ONE,
)
from ..ground.file_types import LANGUAGES, NAMES, PROSE, language_of
from ..ground.numbers import quoted
from ..patterns.regexes import compile_pattern
from ..text.source import cut
from .transport_table import our_transport

MAX_LINE = 400  # characters; longer lines are data, not pieces of transport


class Finding(NamedTuple):
    """A piece of transport.

    Attributes:
        code: The code of the diagnostic.
        message: What is wrong, as a sentence without a full stop.
    """

    code: str
    message: str


# Languages in which tags are content.
_MARKUP = frozenset(("HTML", "XML", "Vue", "Svelte", "PHP", *PROSE, ""))
_WITHOUT_PATH_LINES = frozenset(("INI", "CSV", "plain text", ""))
# A closing tag, maybe with a prefix such as `antml:` or DeepSeek's: `</content>`, `</x:content>`.
_CLOSING = compile_pattern(r"</(?P<name>[^\s<>/]{1,60})[ \t]*>")
_CLOSINGS = compile_pattern(r"(?:</[^\s<>/]{1,60}[ \t]*>[ \t]*)+")
_CLOSINGS_AT_END = compile_pattern(r"(?:</[^\s<>/]{1,60}[ \t]*>[ \t]*)+$")
_OPENING = compile_pattern(r"<(?P<name>[^\s<>/!?]{1,60})(?:[ \t][^<>\n]{0,200})?>")
_ELEMENTS = compile_pattern(
    r"(?:<(?P<name>[^\s<>/!?]{1,60})(?:[ \t][^<>\n]{0,200})?>[^<>\n]{0,200}"
    r"</(?P<last>[^\s<>/]{1,60})>[ \t]*)+"
)
# `<|im_end|>`, `<｜end▁of▁sentence｜>`, `[|endofturn|]`, `<turn|>`; not `x <|> y` or `a |> b`.
_TOKEN = (
    r"(?:<[|｜]{1,2}[A-Za-z_][^<>|｜\s]{0,40}[|｜]{1,2}>|\[\|[a-z_]{1,30}\|\]|<[a-z_]{2,30}\|>)"
)
_WHOLE_TOKEN = compile_pattern(_TOKEN + "+")
_TOKEN_AT_END = compile_pattern(rf"(?P<before>.?)(?P<token>{_TOKEN})$")
# A sentence: `Here is the file you asked for:`, `This adds the handler.`; not `Copyright 2024.`
_SENTENCE = compile_pattern(r"[A-Z][A-Za-z'’,-]*(?: [A-Za-z0-9'’,.`:/()-]+){2,40}[.:!]")
_SENTENCE_JA = compile_pattern(
    r"[^\x00-\x7f]{6,60}(?:です|ます|ました|ください|以下の通り|とおり)[。：:]?"
)
_CODE_SIGNS = compile_pattern(r"[=(){};<>\[\]\"#$@&|^~+*\\]|:{2}|->|//")
_CONFLICT = compile_pattern(r"(?P<sign><{7}|={7}|>{7})(?: [^\n]*)?")
# `File: src/a.py`, `**Path:** src/a.py`; not `// File: src/a.py`, which is a comment
_PATH_LABEL = compile_pattern(
    r"(?i:(?:\*\*)?(?:file(?:[ _]?name)?|(?:file )?path)(?:\*\*)?[ \t]*[:：][ \t]*(?:\*\*)?[ \t]*)"
    r"(?P<path>[^\n]+)"
)
_FIRST_KEY = compile_pattern(r"\{\s*\"(?P<key>[A-Za-z_]{1,30})\"\s*:")
# One comment that somebody is to replace: `/* INPUT_REQUIRED {the style} */`, `<!-- [logo] -->`
_SLOT = compile_pattern(
    r"(?:/\*|<!-{2})[^\n]{0,80}?(?:\{[^{}\n]{3,}\}|\[[^\[\]\n]{3,}\]|[A-Z]{3,}_[A-Z_]{3,})[^\n]*(?:\*/|-{2}>)"
)
_ENTITY = compile_pattern(r"&(?:amp|lt|gt|quot|#39|#x27);")
# What is left of a closing tag: `/function_calls>`; not `</function_calls>` or `src/a>b`.
_PIECE = compile_pattern(r"(?:^|(?<=[ \t]))/(?P<name>[a-z_]{3,30})>")
_IN_QUOTES = compile_pattern(r"\"[^\"]*\"|'[^']*'")
# A sign of one to three characters, a verb, and a sign before a target, inside a command.
_SECOND_ACTION = compile_pattern(
    r"[:$]{1,3}[ \t]?(?:create|edit|update|delete|remove|run|test|execute)[ \t]?@"
)
_PATHS_AND_WORDS = (
    (compile_pattern(r"^#{1,6}[ \t]"), "begins like a heading"),
    (compile_pattern(r"^%.*%$|^\$\{|^\$[\w./-]+\.[0-9A-Za-z_]+$"), "is written as a variable"),
    (compile_pattern(r"[|`*<>\"｜]"), "has a sign that paths do not have"),
    (compile_pattern(r":{2}"), "has the mark of a section"),
    (_SECOND_ACTION, "has the head of a second action in it"),
    (compile_pattern(r"\\"), "has backslashes"),
    (compile_pattern(r"^[A-Za-z]:"), "begins with a drive"),
    (compile_pattern(r"^(?=.*[ぁ-んァ-ヶ一-龥])[^./\\]{7,}$"), "is a sentence"),
    (compile_pattern(r"^(?:[A-Z]?[a-z]+ ){3,}[a-z]+\.?$"), "is a sentence"),
)
# Names of languages that are also names of files.
_FILES = frozenset(("makefile", "dockerfile", "r", "c", "d", "s"))
_LANGUAGE_NAMES = frozenset(
    (*(suffix[1:] for suffix in LANGUAGES), *(name.lower() for name in LANGUAGES.values()))
) - {*_FILES, *(name.lower() for name in NAMES)}


# ---- contents


def find_in_content(path: str, content: str, is_edit: bool = False) -> Iterator[Finding]:
    """Yield the findings about the content of a file.

    Args:
        path: The path of the file, whose ending gives the language.
        content: The content.
        is_edit: Whether it is an edit, which may have marks of conflicts.
    """
    bare = content.strip("\r\n \t")
    if not bare:
        return
    table = our_transport()
    if path.rpartition("/")[2].lower().endswith(table.binary):
        yield Finding(TEXT_FOR_BINARY, f"{path} is not a text file, but its content is text")
    language = language_of(path)
    if language == "diff":
        return
    first, _, others = bare.partition("\n")
    last = others.rpartition("\n")[2] if others else first
    edges = _Edges(
        path, content, language, cut(first.strip(), 0, MAX_LINE), cut(last.strip(), 0, MAX_LINE)
    )
    finding = edges.find_end() or edges.find_beginning()
    if finding is not None:
        yield finding
    if others:
        yield from edges.find_prose()
        yield from edges.find_path()
    if not others and _SLOT.fullmatch(bare):
        yield Finding(PLACEHOLDER_CONTENT, f"the content of {path} is only a comment with a slot")
    if language != "JSON" and language and bare[0] == "{" and _is_call(bare):
        yield Finding(CALL_FOR_CONTENT, f"the content of {path} is the JSON of a tool call")
    if not is_edit and language not in _MARKUP and _has_conflict(bare):
        yield Finding(CONFLICT_MARKS, f"{path} has the marks of a conflict that is not resolved")


class _Edges:
    """The first and the last line of a content."""

    def __init__(self, path: str, content: str, language: str, first: str, last: str) -> None:
        self.path = path
        self.content = content
        self.language = language
        self.first = first
        self.last = last
        self.is_markup = language in _MARKUP
        self.is_one_line = first == last and content.strip("\r\n \t").find("\n") < 0

    def find_end(self) -> Finding | None:
        """Return what the last line has of the transport."""
        last = self.last
        table = our_transport()
        if not self.is_one_line and last.endswith(">") and last[0] == "<":
            name = self._closing_name()
            if name:
                message = f"{self.path} ends with `</{name}>`, which does not belong to it"
                return Finding(TRANSPORT_LINE, message)
            if self._ends_with_elements():
                return Finding(TRANSPORT_LINE, f"{self.path} ends with a line of a tool call")
        token = self._token_at_end()
        if token:
            message = f"{self.path} ends with {quoted(token)}, a token of a chat template"
            return Finding(TRANSPORT_LINE, message)
        ends = table.last_in_markup if self.is_markup else table.last
        has_beginning = last in table.here_document and self.content.find("<" * 2) >= 0
        if last in ends and not has_beginning and not self.is_one_line:
            return Finding(TRANSPORT_LINE, f"{self.path} ends with the line {quoted(last)}")
        return None

    def _closing_name(self) -> str:
        """Return the name of a closing tag on the last line that nothing opens; empty: none."""
        if _CLOSINGS.fullmatch(self.last) is None:
            return ""
        table = our_transport()
        names = [match["name"] for match in _CLOSING.finditer(self.last)]
        for name in names:
            short = name.rpartition(":")[2].rpartition("｜")[2].rpartition("|")[2].lower()
            if self.is_markup and (short not in table.elements or short in table.in_markup):
                continue
            if not _is_balanced(self.content, name):
                return name
        opening = _OPENING.match(self.first)
        is_around = opening is not None and opening["name"] == names[-1]
        if not is_around or (self.language not in ("HTML", "") and self.is_markup):
            return ""
        # Not even HTML has these elements, so one around everything is a wrapper.
        return names[-1] if names[-1].lower() in table.only_in_calls else ""

    def _ends_with_elements(self) -> bool:
        match = _ELEMENTS.fullmatch(self.last)
        if match is None or self.language == "XML":
            return False
        table = our_transport()
        return match["name"] == match["last"] and match["name"].lower() in table.only_in_calls

    def _token_at_end(self) -> str:
        last = self.last
        if last in our_transport().tokens and not self.is_one_line:
            return last
        if not last.endswith((">", "]")):
            return ""
        if _WHOLE_TOKEN.fullmatch(last):
            return last
        match = None if self.is_markup else _TOKEN_AT_END.search(last)
        if match is None or match["before"] in ("`", "'", '"'):
            return ""
        return str(match["token"])

    def find_beginning(self) -> Finding | None:
        """Return what the first line has of the transport."""
        first = self.first
        table = our_transport()
        if self.is_one_line:
            return None
        if _WHOLE_TOKEN.fullmatch(first) or first in table.tokens:
            message = f"{self.path} begins with {quoted(first)}, a token of a chat template"
            return Finding(TRANSPORT_LINE, message)
        if self.is_markup:
            return None
        opening = _OPENING.fullmatch(first)
        is_element = opening is not None and opening["name"].lower() in table.elements
        if first in table.first or (is_element and not self.last.startswith("</")):
            return Finding(TRANSPORT_LINE, f"{self.path} begins with the line {quoted(first)}")
        return None

    def find_prose(self) -> Iterator[Finding]:
        """Yield the sentences and labels that are the first or the last line of code."""
        table = our_transport()
        if self.language not in table.closed:
            return
        for line, verb in ((self.first, "begins"), (self.last, "ends")):
            name, colon, _ = line.replace("：", ":").partition(":")
            is_label = bool(colon) and name[:1].isupper() and name.lower() in table.labels
            if is_label or (verb == "begins" and line in table.bare_labels):
                message = f"{self.path} {verb} with the label of a speaker, {quoted(line)}"
                yield Finding(TRANSPORT_LINE, message)
            elif _is_sentence(line):
                yield Finding(PROSE_IN_CODE, f"{self.path} {verb} with a sentence, {quoted(line)}")

    def find_path(self) -> Iterator[Finding]:
        """Yield a finding if the first line of a file is its own path."""
        if self.language in _WITHOUT_PATH_LINES:
            return
        first = self.first
        table = our_transport()
        is_path = first.strip("*`_: ") == self.path
        label = _PATH_LABEL.fullmatch(first)
        if label is not None:
            is_path = is_path or label["path"].strip("*`_: ") == self.path
        if first.startswith("#") and self.language in table.without_hash:
            is_path = is_path or first.lstrip("# ").strip("*`: ") == self.path
        if is_path:
            yield Finding(PATH_LINE, f"{self.path} begins with a line that is its own path")


def _is_balanced(content: str, name: str) -> bool:
    """Return whether an element is opened as often as it is closed."""
    opening_count = 0
    for sign in (" ", "\t", "\n", ">", "/"):
        opening_count += content.count(f"<{name}{sign}")
    return opening_count >= content.count(f"</{name}>")


def _is_sentence(line: str) -> bool:
    if _SENTENCE_JA.fullmatch(line):
        return True
    return _SENTENCE.fullmatch(line) is not None and _CODE_SIGNS.search(line) is None


def _is_call(bare: str) -> bool:
    """Return whether a text is a JSON object whose first key is an argument of a tool."""
    match = _FIRST_KEY.match(bare)
    is_argument = match is not None and match["key"] in our_transport().arguments
    return is_argument and bare[-1] == "}"


def _has_conflict(bare: str) -> bool:
    """Return whether a text has the three lines of an unresolved conflict, in order."""
    if "=======" not in bare:
        return False
    signs = ""
    for line in bare.split("\n"):
        match = _CONFLICT.fullmatch(line.rstrip("\r")) if line[:1] in ("<", "=", ">") else None
        if match is not None:
            signs += match["sign"][0]
    return "<=>" in signs


# ---- commands


def find_in_command(command: str, content: str | None = None) -> Iterator[Finding]:
    """Yield the findings about a command.

    Args:
        command: The command line.
        content: The content of the action, which commands do not have; None without one.
    """
    bare = command.strip()
    table = our_transport()
    if bare.endswith((">", "]")):
        closing = _CLOSINGS_AT_END.search(bare)
        token = _TOKEN_AT_END.search(bare)
        if closing is not None and not _is_balanced(bare, _first_name(closing[0])):
            message = f"the command ends with {quoted(closing[0])}, which it does not begin"
            yield Finding(TRANSPORT_END, message)
        elif token is not None and token["before"] not in ("`", "'", '"'):
            message = f"the command ends with {quoted(token['token'])}, a token of a chat template"
            yield Finding(TRANSPORT_END, message)
        elif bare.rpartition(" ")[2] in table.tokens:
            message = f"the command ends with {quoted(bare.rpartition(' ')[2])}, a token of a model"
            yield Finding(TRANSPORT_END, message)
    if "&" in bare and _ENTITY.search(_IN_QUOTES.sub("", bare)):
        yield Finding(ESCAPED_COMMAND, "the command has entities of HTML in place of characters")
    call = _FIRST_KEY.match(bare)
    if call is not None and call["key"] in table.arguments:
        yield Finding(TRANSPORT_END, "the command is the JSON of a tool call")
    piece = _PIECE.search(bare)
    if piece is not None and piece["name"] in table.only_in_calls:
        yield Finding(TRANSPORT_END, f"the command has a piece of a tool call, {quoted(piece[0])}")
    if "@" in bare and _SECOND_ACTION.search(bare):
        yield Finding(TWO_IN_ONE, "the command has the head of a second action in it")
    if bare.startswith("#") and not bare.startswith("#!"):
        yield Finding(NO_COMMAND, "the command is only a comment")
    program = bare.rpartition("/")[2]
    if content and program in table.interpreters:
        message = f"the action has a block, which the command {quoted(bare)} never reads"
        yield Finding(BLOCK_FOR_COMMAND, message)


def _first_name(closings: str) -> str:
    match = _CLOSING.match(closings)
    return str(match["name"]) if match is not None else ""


# ---- paths


def find_in_path(path: str) -> Iterator[Finding]:
    """Yield the finding about the path of an action, at most one.

    Args:
        path: The path as it was read.
    """
    shown = cut(path, 0, MAX_LINE)
    if shown.lower() in _LANGUAGE_NAMES:
        yield Finding(DOUBTFUL_PATH, f"the path {quoted(shown)} is the name of a language")
        return
    for pattern, words in _PATHS_AND_WORDS:
        if pattern.search(shown):
            yield Finding(DOUBTFUL_PATH, f"the path {quoted(shown)} {words}")
            return
