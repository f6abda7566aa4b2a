"""Checks of what a wrapper has left in a content: a model's last token, the name of a language, a CDATA section, `\\"`.

As in `contents`, what is normal in a file's language is never told, nor anything of files whose language nobody knows.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..document import Document
from ..grammar.codes import CDATA_CONTENT, CONTROL_TOKEN, ESCAPED_QUOTES, LANGUAGE_LINE
from ..ground.file_types import LANGUAGES
from ..ground.numbers import quoted
from ..patterns.regexes import compile_pattern, escape
from ..text.diagnostics import Diagnostic
from .check import TOKEN_PATTERN, Verbs, warn
from .contents import PATTERNED, WITH_ENTITIES, code_contents
from .signs import BeginningSign, ContentSign, check

_WITH_BARE_WORDS = frozenset(("CSV", "INI", "TeX", "Batch", "diff", *WITH_ENTITIES))


def _ends_with_token(content: str, bare: str) -> bool:
    return bare.endswith((">", "]")) and TOKEN.fullmatch(bare.rpartition("\n")[2].strip()) is not None


@check(sign=ContentSign(_ends_with_token))
def check_tokens(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """The last line of code is no control token of a model."""
    for action, content, _ in code_contents(document, verbs):
        last = content.rstrip().rpartition("\n")[2].strip()
        if TOKEN.fullmatch(last):
            message = f"{action.path} ends with {quoted(last)}, which looks like a control token of the model"
            yield warn(CONTROL_TOKEN, message, action, "take the line out")


def _begins_with_language(content: str, bare: str) -> bool:
    return bare[:_LONGEST_NAME].partition("\n")[0].strip().lower() in FENCE_NAMES


@check(sign=ContentSign(_begins_with_language))
def check_language_lines(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """The first line of code is not the name of its language, which a fence had behind its delimiter."""
    for action, content, language in code_contents(document, verbs):
        first = content.lstrip().partition("\n")[0].strip()
        name = first.lower()
        is_name = name == language.lower() or language in (_ALIASES.get(name), LANGUAGES.get("." + name))
        if is_name and language not in _WITH_BARE_WORDS:
            message = f"{action.path} begins with a line {quoted(first)}, the name of a language"
            yield warn(LANGUAGE_LINE, message, action, "take the line out")


CDATA = "<![CDATA["


@check(sign=BeginningSign(lambda content, bare: bare.startswith(CDATA), rf"(?!{escape(CDATA)})"))
def check_sections(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Code is no CDATA section."""
    for action, content, language in code_contents(document, verbs):
        shown = content.strip()
        if language not in WITH_ENTITIES and shown.startswith(CDATA) and shown.endswith("]]>"):
            message = f"the whole content of {action.path} is a CDATA section of XML"
            yield warn(CDATA_CONTENT, message, action, "write what stands in it")


def _has_escaped_quotes(content: str, bare: str) -> bool:
    return "'" not in bare and '\\"' in bare


@check(sign=ContentSign(_has_escaped_quotes, ("\\",)))  # one character is found faster than two
def check_escaped_quotes(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """The quotation marks of code are not escaped throughout, as in a string of JSON."""
    for action, content, language in code_contents(document, verbs):
        if language in PATTERNED or "'" in content or "`" in content or not _ESCAPED.search(content):
            continue
        if "\\n" in content and "\n" not in content.strip():
            continue  # its lines are escaped, which is told
        if content.count('"') == content.count('\\"') > 1:
            message = f'{action.path} has \\" wherever a quotation mark should stand'
            yield warn(ESCAPED_QUOTES, message, action, 'write " where a text begins or ends')


_LONGEST_NAME = 40  # characters, with blanks after it
TOKEN = compile_pattern(TOKEN_PATTERN)
_ESCAPED = compile_pattern(r'[=(,:\[{][ \t]*\\"')
_ALIASES = {"golang": "Go", "js": "JavaScript", "python3": "Python", "shell": "Shell", "ts": "TypeScript"}
FENCE_NAMES = frozenset(
    (*_ALIASES, *(suffix[1:] for suffix in LANGUAGES), *(language.lower() for language in LANGUAGES.values()))
)
