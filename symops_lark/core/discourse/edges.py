"""Find what belongs to the transport of a content: on its first and on its last line.

    last line of app.py     found                why
    </content>              transport-line       nothing in the file opens it
    </content>              -                    the file opens it too
    END = "<|im_end|>"      -                    a string
    x = 1<|im_end|>         transport-line       a token that the line ends with
    EOF                     transport-line       no here-document begins in the file
    This adds the route.    prose-in-code        in Python, the last line is not inside a string

What a language may have itself is never found: tags in markup, sentences in prose, comments.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..grammar.codes import PATH_LINE, PROSE_IN_CODE, TRANSPORT_LINE
from ..ground.file_types import PROSE, language_of
from ..ground.numbers import quoted
from ..patterns.regexes import compile_pattern
from ..text.source import cut
from .transport_table import our_transport

MAX_LINE = 400  # characters; longer lines are data, not pieces of transport
# Languages in which tags are content. An unknown language may be one of them.
MARKUP = frozenset(("HTML", "XML", "Vue", "Svelte", "PHP", *PROSE, ""))
# Languages whose files may begin with a line that is a path, such as a list of files.
_WITH_PATHS = frozenset(("INI", "CSV", "plain text", ""))
# A closing tag, maybe with a prefix: `</content>`, `</x:content>`, DeepSeek's `</｜DSML｜content>`.
CLOSING = compile_pattern(r"</(?P<name>[^\s<>/]{1,60})[ \t]*>")
_CLOSINGS = compile_pattern(r"(?:</[^\s<>/]{1,60}[ \t]*>[ \t]*)+")
_OPENING = compile_pattern(r"<(?P<name>[^\s<>/!?]{1,60})(?:[ \t][^<>\n]{0,200})?>")
# Complete elements: `<arg_key>path</arg_key><arg_value>a.py</arg_value>`
_ELEMENTS = compile_pattern(
    r"(?:<(?P<name>[^\s<>/!?]{1,60})(?:[ \t][^<>\n]{0,200})?>[^<>\n]{0,200}"
    r"</(?P<last>[^\s<>/]{1,60})>[ \t]*)+"
)
# `<|im_end|>`, `<｜end▁of▁sentence｜>`, `[|endofturn|]`, `<turn|>`; not `x <|> y` or `a |> b`.
_TOKEN = (
    r"(?:<[|｜]{1,2}[A-Za-z_][^<>|｜\s]{0,40}[|｜]{1,2}>|\[\|[a-z_]{1,30}\|\]|<[a-z_]{2,30}\|>)"
)
_TOKENS = compile_pattern(_TOKEN + "+")
_TOKEN_AT_END = compile_pattern(rf"(?P<before>.?)(?P<token>{_TOKEN})$")
_QUOTES = ("`", "'", '"')
# `This adds the handler.`, `Here is the file you asked for:`; not `Copyright 2024.`
_SENTENCE = compile_pattern(r"[A-Z][A-Za-z'’,-]*(?: [A-Za-z0-9'’,.`:/()-]+){2,40}[.:!]")
_SENTENCE_JA = compile_pattern(
    r"[^\x00-\x7f]{6,60}(?:です|ます|ました|ください|以下の通り|とおり)[。：:]?"
)
# Signs of code: `x = 1`, `a->b`, `std::move`. A sentence with one may be code.
_CODE_SIGNS = compile_pattern(r"[=(){};<>\[\]\"#$@&|^~+*\\]|:{2}|->|//")
# `File: src/a.py`, `**Path:** src/a.py`; not `// File: src/a.py`, which is a comment.
_PATH_LABEL = compile_pattern(
    r"(?i:(?:\*\*)?(?:file(?:[ _]?name)?|(?:file )?path)(?:\*\*)?[ \t]*[:：][ \t]*(?:\*\*)?[ \t]*)"
    r"(?P<path>[^\n]+)"
)
_DECORATION = "*`_: "  # around a path


class Finding(NamedTuple):
    """A piece of transport.

    Attributes:
        code: The code of the diagnostic.
        message: What is wrong, as a sentence without a full stop.
    """

    code: str
    message: str


def token_at_end(line: str) -> str:
    """Return the token of a chat template that a line ends with; empty if it does not.

    A token after a quotation mark is mentioned.

    Args:
        line: The line. Only its last 400 characters count.
    """
    if not line.endswith((">", "]")):
        return ""
    match = _TOKEN_AT_END.search(line[-MAX_LINE:])
    if match is None or match["before"] in _QUOTES:
        return ""
    return str(match["token"])


def is_balanced(content: str, name: str) -> bool:
    """Return whether an element is opened in a text as often as it is closed.

    Args:
        content: The text.
        name: The name of the element, with its prefix.
    """
    opening_count = 0
    for sign in (" ", "\t", "\n", ">", "/"):
        opening_count += content.count(f"<{name}{sign}")
    closing_count = content.count(f"</{name}>")
    return opening_count >= closing_count


class Edges:
    """The first and the last line of a content.

    Args:
        path: The path of the file.
        content: The content, not blank.
    """

    def __init__(self, path: str, content: str) -> None:
        bare = content.strip()
        first, line_feed, following = bare.partition("\n")
        last = first
        if line_feed:
            last = following.rpartition("\n")[2]
        self.path = path
        self.content = content
        self.language = language_of(path)
        self.is_markup = self.language in MARKUP
        self.first = cut(first, 0, MAX_LINE).strip()
        self.last = cut(last, 0, MAX_LINE).strip()

    def find(self) -> Iterator[Finding]:
        """Yield the findings about a content of several lines."""
        message = self._at_end() or self._at_beginning()
        if message:
            yield Finding(TRANSPORT_LINE, f"{self.path} {message}")
        if self.language in our_transport().closed:
            yield from self._prose(self.first, "begins")
            yield from self._prose(self.last, "ends")
        if self._begins_with_path():
            yield Finding(PATH_LINE, f"{self.path} begins with a line that is its own path")

    # ---- the end

    def _at_end(self) -> str:
        """Return what the last line has of the transport; empty if it has nothing."""
        last = self.last
        table = our_transport()
        name = self._closing_name()
        if name:
            return f"ends with `</{name}>`, which does not belong to it"
        if self._ends_with_elements():
            return "ends with a line of a tool call"
        token = last
        if last not in table.tokens and not _TOKENS.fullmatch(last):
            # In markup a token may be part of the text.
            token = "" if self.is_markup else token_at_end(last)
        if token:
            return f"ends with {quoted(token)}, a token of a chat template"
        ends = table.last
        if self.is_markup:
            ends = table.last_in_markup
        if last not in ends:
            return ""
        # `cat <<EOF` in the content: the line ends a here-document.
        if last in table.here_document and self.content.find("<" * 2) >= 0:
            return ""
        return f"ends with the line {quoted(last)}"

    def _closing_name(self) -> str:
        """Return the name of a tag that the last line closes and nothing opens; empty: none."""
        last = self.last
        if not last.startswith("</") or _CLOSINGS.fullmatch(last) is None:
            return ""
        name = ""
        for match in CLOSING.finditer(last):
            name = match["name"]
            if self._may_close(name) and not is_balanced(self.content, name):
                return name
        if self._is_wrapped_in(name):
            return name
        return ""

    def _may_close(self, name: str) -> bool:
        """Return whether an element without a beginning shows transport in this language."""
        if not self.is_markup:
            return True
        table = our_transport()
        bare = name.replace("｜", ":").replace("|", ":")
        bare = bare.rpartition(":")[2].lower()
        return bare in table.only_in_calls

    def _is_wrapped_in(self, name: str) -> bool:
        """Return whether the whole content is inside an element that the language does not have."""
        # Not even HTML has these elements. Other markup may.
        if self.is_markup and self.language not in ("HTML", ""):
            return False
        opening = _OPENING.match(self.first)
        if opening is None or opening["name"] != name:
            return False
        return name.lower() in our_transport().only_in_calls

    def _ends_with_elements(self) -> bool:
        """Return whether the last line consists of elements that only tool calls have."""
        if self.language == "XML" or not self.last.startswith("<"):
            return False
        match = _ELEMENTS.fullmatch(self.last)
        if match is None or match["name"] != match["last"]:
            return False
        return match["name"].lower() in our_transport().only_in_calls

    # ---- the beginning

    def _at_beginning(self) -> str:
        """Return what the first line has of the transport; empty if it has nothing."""
        first = self.first
        table = our_transport()
        if first in table.tokens or _TOKENS.fullmatch(first):
            return f"begins with {quoted(first)}, a token of a chat template"
        if self.is_markup:
            return ""
        is_transport = first in table.first
        opening = _OPENING.fullmatch(first)
        # With a closing tag at the end, the pair is one of JSX, or was found there.
        if opening is not None and not self.last.startswith("</"):
            is_transport = is_transport or opening["name"].lower() in table.elements
        if is_transport:
            return f"begins with the line {quoted(first)}"
        return ""

    def _prose(self, line: str, verb: str) -> Iterator[Finding]:
        """Yield a finding if a line of code is a sentence, or the label of a speaker."""
        table = our_transport()
        name, colon, _ = line.replace("：", ":").partition(":")
        is_label = bool(colon) and name.lower() in table.labels
        # `user: User` is code, `User: thanks` is not.
        if is_label and not name.islower():
            message = f"{self.path} {verb} with the label of a speaker, {quoted(line)}"
            yield Finding(TRANSPORT_LINE, message)
        elif verb == "begins" and line in table.bare_labels:
            message = f"{self.path} begins with the name of a speaker, {quoted(line)}"
            yield Finding(TRANSPORT_LINE, message)
        elif _is_sentence(line):
            yield Finding(PROSE_IN_CODE, f"{self.path} {verb} with a sentence, {quoted(line)}")

    def _begins_with_path(self) -> bool:
        """Return whether the first line is the path of the file, not as a comment."""
        if self.language in _WITH_PATHS:
            return False
        first = self.first
        label = _PATH_LABEL.fullmatch(first)
        if label is not None:
            first = label["path"]
        elif self.language in our_transport().without_hash:
            first = first.lstrip("# ")
        return first.strip(_DECORATION) == self.path


def _is_sentence(line: str) -> bool:
    if _SENTENCE_JA.fullmatch(line):
        return True
    if _CODE_SIGNS.search(line):
        return False
    return _SENTENCE.fullmatch(line) is not None
