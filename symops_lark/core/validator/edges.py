"""Find what belongs to the transport of a content: on its first and on its last line.

    last line of app.py     found                why
    </content>              transport-line       nothing in the file opens it
    </content>              -                    the file opens it too
    <|im_end|>              control-token        a token of a chat template
    END = "<|im_end|>"      -                    a string
    x = 1<|im_end|>         control-token        a token that the line ends with
    EOF                     transport-line       no here-document begins in the file
    ]]>                     cdata-content        the end of a section of XML
    This adds the route.    prose-in-code        in Python, the last line is not inside a string

What a language may have itself is never found: tags in markup, sentences in prose, comments. In
the middle of a content nothing is found, so a file may be about such pieces.
"""

from __future__ import annotations

from typing import NamedTuple

from ..discourse.transport_table import our_transport
from ..edits.marks import is_mark
from ..grammar.codes import CDATA_CONTENT, CONTROL_TOKEN, PATH_LINE, PROSE_IN_CODE, TRANSPORT_LINE
from ..ground.file_types import PROSE, language_of
from ..ground.numbers import quoted
from ..patterns.regexes import compile_pattern
from ..text.source import size
from .contents import WITH_ENTITIES, is_placeholder
from .tags import (
    CLOSING,
    MAX_DECORATION,
    MAX_LINE,
    count_tokens,
    is_balanced,
    is_token,
    token_at_end,
)

# Languages in which tags are content. An unknown language may be one of them.
MARKUP = frozenset(("HTML", "XML", "Vue", "Svelte", "PHP", *PROSE, ""))
# Languages whose files may begin with a line that is a path, such as a list of files.
_WITH_PATHS = frozenset(("INI", "CSV", "plain text", ""))
_CLOSINGS = compile_pattern(r"(?:</[^\s<>/]{1,60}[ \t]*>[ \t]*)+")
_OPENING = compile_pattern(r"<(?P<name>[^\s<>/!?]{1,60})(?:[ \t][^<>\n]{0,200})?>")
# Complete elements: `<arg_key>path</arg_key><arg_value>a.py</arg_value>`
_ELEMENTS = compile_pattern(
    r"(?:<(?P<name>[^\s<>/!?]{1,60})(?:[ \t][^<>\n]{0,200})?>[^<>\n]{0,200}"
    r"</(?P<last>[^\s<>/]{1,60})>[ \t]*)+"
)
# `This adds the handler.`, `Here is the file you asked for:`; not `Copyright 2024.`
_SENTENCE = compile_pattern(r"[A-Z][A-Za-z'’,-]*(?: [A-Za-z0-9'’,.`:/()-]+){2,40}[.:!]")
_SENTENCE_JA = compile_pattern(
    r"[^\x00-\x7f]{6,60}(?:です|ます|ました|ください|以下の通り|とおり)[。：:]?"
)
# Signs of code: `x = 1`, `a->b`, `std::move`. A sentence with one may be code.
_CODE_SIGNS = compile_pattern(r"[=(){};<>\[\]\"#$@&|^~+*\\]|:{2}|->|//")
# `File: src/a.py`, `**Path:** src/a.py`; not `// File: src/a.py`, which is a comment.
_PATH_LABEL = compile_pattern(
    r"(?i:(?:\*\*)?(?:file(?:[ _]?name)?|(?:file )?path)(?:\*\*)?[ \t]*[:：][ \t]*(?:\*\*[ \t]*)?)"
    r"(?P<path>[^ \t\n*][^\n]*)"
)
_DECORATION = "*`_: "  # around a path
_CDATA = "<![CDATA["
_CDATA_END = "]" * 2 + ">"


class Finding(NamedTuple):
    """A piece of transport.

    Attributes:
        code: The code of the diagnostic.
        message: What is wrong, as a sentence without a full stop.
        hint: What to do about it.
    """

    code: str
    message: str
    hint: str = "take the line out"


class Edges:
    """The first and the last line of a content.

    Args:
        path: The path of the file.
        content: The content, not blank.
        is_edit: Whether it changes a file, so that it may be in a notation for edits.
    """

    def __init__(self, path: str, content: str, is_edit: bool) -> None:
        bare = content.strip()
        first, line_feed, following = bare.partition("\n")
        last = first
        if line_feed:
            last = following.rpartition("\n")[2]
        self.path = path
        self.content = content
        self.language = language_of(path)
        self.is_markup = self.language in MARKUP
        self.has_lines = bool(line_feed)
        self.last_line = last
        self.first = first.strip() if size(first) <= MAX_LINE else ""
        self.last = last.strip() if size(last) <= MAX_LINE else ""
        # A mark that belongs to the notation of an edit.
        if is_edit and is_mark(self.first):
            self.first = ""
        if is_edit and is_mark(self.last):
            self.last = ""

    def find(self) -> list[Finding]:
        """Return the findings. A content of one line has an end only."""
        # What wraps a content has two ends, and is one finding.
        findings = [self._cdata() or self._token() or self._line()]
        if self.has_lines:
            if self.language in our_transport().closed:
                findings += [self._prose(self.first, "begins"), self._prose(self.last, "ends")]
            findings.append(self._path_line())
        return [finding for finding in findings if finding is not None]

    def _cdata(self) -> Finding | None:
        """Return a finding if the content is a CDATA section of XML, or has one end of it."""
        if self.language in WITH_ENTITIES or self.is_markup:
            return None
        begins = self.content.lstrip().startswith(_CDATA)
        if begins and self.content.rstrip().endswith(_CDATA_END):
            message = f"the whole content of {self.path} is a CDATA section of XML"
            return Finding(CDATA_CONTENT, message, "write only the text inside it")
        if begins:
            message = f"{self.path} begins with {quoted(_CDATA)}, the beginning of a section of XML"
            return Finding(CDATA_CONTENT, message)
        if self.last == _CDATA_END and self.content.find(_CDATA) < 0:
            message = f"{self.path} ends with {quoted(_CDATA_END)}, the end of a section of XML"
            return Finding(CDATA_CONTENT, message)
        return None

    def _token(self) -> Finding | None:
        """Return a finding if a line is a token of a chat template, or the last ends with one."""
        token = ""
        verb = "ends"
        if self._is_token(self.last):
            token = self.last
        elif not self.is_markup:
            # In markup a token may be a part of the text.
            token = token_at_end(self.last_line, is_barred=True)
        if not token and self.has_lines and self._is_token(self.first):
            token = self.first
            verb = "begins"
        if not token:
            return None
        shown = quoted(token)
        message = f"{self.path} {verb} with {shown}, which looks like a control token of the model"
        return Finding(CONTROL_TOKEN, message)

    def _is_token(self, line: str) -> bool:
        # `<s>` is struck text in HTML. In code it may be an element of JSX.
        if line in ("<s>", "</s>") and (self.is_markup or is_balanced(self.content, "s")):
            return False
        if not is_token(line):
            return False
        # A text with several tokens is about them, such as a template of a chat.
        return not self.is_markup or count_tokens(self.content) == count_tokens(line)

    def _line(self) -> Finding | None:
        """Return a finding if the last or the first line belongs to the transport."""
        message = self._at_end()
        if not message and self.has_lines:
            message = self._at_beginning()
        if not message:
            return None
        return Finding(TRANSPORT_LINE, f"{self.path} {message}")

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
        if self.is_markup or is_placeholder(first):
            return ""
        is_transport = first in table.first
        opening = _OPENING.fullmatch(first)
        # With a closing tag at the end, the pair is one of JSX, or was found there.
        if opening is not None and not self.last.startswith("</"):
            is_transport = is_transport or opening["name"].lower() in table.elements
        if is_transport:
            return f"begins with the line {quoted(first)}"
        return ""

    def _prose(self, line: str, verb: str) -> Finding | None:
        """Return a finding if a line of code is a sentence, or the label of a speaker."""
        table = our_transport()
        name, colon, _ = line.replace("：", ":").partition(":")
        is_label = bool(colon) and name.lower() in table.labels
        # `user: User` is code, `User: thanks` is not.
        if is_label and name[:1].isupper():
            message = f"{self.path} {verb} with the label of a speaker, {quoted(line)}"
            return Finding(TRANSPORT_LINE, message)
        if verb == "begins" and line in table.bare_labels:
            message = f"{self.path} begins with the name of a speaker, {quoted(line)}"
            return Finding(TRANSPORT_LINE, message)
        if _is_sentence(line) and not is_placeholder(line):
            return Finding(PROSE_IN_CODE, f"{self.path} {verb} with a sentence, {quoted(line)}")
        return None

    def _path_line(self) -> Finding | None:
        """Return a finding if the first line is the path of the file, not as a comment."""
        start = self.first.find(self.path)
        if start < 0 or start > MAX_DECORATION or self.language in _WITH_PATHS:
            return None
        first = self.first
        label = _PATH_LABEL.fullmatch(first)
        if label is not None:
            first = label["path"]
        elif self.language in our_transport().without_hash:
            first = first.lstrip("# ")
        if first.strip(_DECORATION) != self.path:
            return None
        return Finding(PATH_LINE, f"{self.path} begins with a line that is its own path")


def _is_sentence(line: str) -> bool:
    if _SENTENCE_JA.fullmatch(line):
        return True
    if _CODE_SIGNS.search(line):
        return False
    return _SENTENCE.fullmatch(line) is not None
