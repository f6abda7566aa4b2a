"""Checks of contents: values that read rightly and are surely not what was meant, such as `&lt;` for `<` throughout.

What is normal in a file's language is never told: a diff in a `.patch`, entities in HTML. Of files whose language the
name does not tell, only their fence and left-out code are told.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..document import Action, Document
from ..edits.left_out import ELISION, find_left_out
from ..grammar.codes import (
    DIFF_AS_CONTENT,
    ESCAPED_HTML,
    ESCAPED_LINES,
    FENCED_CONTENT,
    LEFT_OUT_CODE,
    LINE_NUMBERS,
    PLACEHOLDER_CONTENT,
    SMART_QUOTES,
)
from ..ground.file_types import PROSE, language_of
from ..patterns.regexes import compile_pattern, escape
from ..text.diagnostics import Diagnostic
from ..text.source import cut, size
from .check import Verbs, warn
from .signs import BeginningSign, ContentSign, LineSign, check

WITH_ENTITIES = frozenset(("HTML", "XML", "Vue", "Svelte", "YAML", "INI", "CSV", "PHP"))
_TAGGED = frozenset(("HTML", "Svelte", "Vue", "XML"))
_TYPOGRAPHY = frozenset((*WITH_ENTITIES, "TeX"))
PATTERNED = frozenset(("Batch", "Groovy", "JavaScript", "Perl", "PowerShell", "Ruby", "Shell", "TypeScript"))
_ONE_LINE = frozenset(("JSON", "TeX", "CSV", "INI", "XML", "HTML", "YAML"))


# ---- signs

_LONGEST = 120  # characters of a line that is looked at, where only short ones can be meant
_OPEN, _CLOSE = (
    r"(?:(?:#|//|/\*|--|;|%|<!--)?[ \t]*(?:TODO:?[ \t]*)?(?:[\[<({]+[ \t]*)?(?:\.{3}[ \t]*)?)",
    r"[ \t.!\])}>*/-]*",
)
_PLACEHOLDER = compile_pattern(
    rf"(?i:{_OPEN}(?:(?:add|insert|put|write|place|paste)[ \t]*)?"
    r"(?:(?:the )?(?:your|full|complete|entire|actual)(?: own| full| actual| file| new)?[ _-]"
    r"(?:code|contents?|implementation|file contents?|text)[ _-](?:(?:goes|comes)[ _-])?here"
    r"|(?:code|implementation|file contents?) goes here)"
    rf"{_CLOSE}|[\[<](?:the )?(?:(?:full|complete|entire|actual|file|new|your)[ _])+(?:code|contents?)"
    r"(?: of (?:the |your |this )?file)?[\]>]|[\[<{](?:the )?(?:file )?(?:code|contents?|text)[ _]here[\]>}])"
)
_DIFF_STARTS = ("--- ", "diff --", "Index: ", "@@ -", "*** Begin Patch", "*** Update File", "+++ ", "<<<<<<")
_NUMBER = r"(?:[Ll](?:ine)?[ \t]*|\[|\()?[0-9]"
_FENCE_LINE = LineSign(r"[ \t\r]*(?:`{3}|~{3})")
_PLACEHOLDER_LINE = LineSign(rf"[^!-~\n]*{_PLACEHOLDER.pattern}")


def _has_a_long_first_line(content: str, bare: str) -> bool:
    """Return whether a content is one line, or begins with one that is longer than what a template has."""
    return "\n" not in bare[: _LONGEST + 1]


# The first line is short, and there is a further one.
_LONG_LINE = BeginningSign(_has_a_long_first_line, rf"(?=[^\n]{{1,{_LONGEST}}}\n[^!-~]*[!-~])")


def _begins_with_number(content: str, bare: str) -> bool:
    return _NUMBERED_BEGINNING.match(bare) is not None


def _begins_as_diff(content: str, bare: str) -> bool:
    return bare.startswith(_DIFF_STARTS)


def _has_entity(content: str, bare: str) -> bool:
    return _MAYBE_ENTITY.search(content) is not None


# ---- checks


@check(sign=_FENCE_LINE)
def check_fence(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """A content that is one Markdown fence, or has half of one, is doubtful, unless the file is Markdown itself."""
    for action, content, language in _contents(document, verbs):
        if language in PROSE or ("```" not in content and "~~~" not in content):
            continue
        if is_fenced(content):
            message = f"the whole content of {action.path} is a Markdown fence"
            hint = "if the fence is not meant, take its two lines out"
        elif language and _has_half_a_fence(content):
            message = f"{action.path} begins or ends with a Markdown fence that has no other end"
            hint = "if the fence is not meant, take its line out"
        else:
            continue
        yield warn(FENCED_CONTENT, message, action, hint)


@check(sign=LineSign(ELISION.pattern))
def check_left_out(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """No line of a content stands for code that was left out."""
    for action, content, language in _contents(document, verbs):
        found = None if language in PROSE else next(find_left_out(content), None)
        if found:
            number, line = found
            message = f"line {number} stands for code that was left out: {cut(line, 0, 80)}"
            yield warn(LEFT_OUT_CODE, message, action, "write the content in full, or edit")


@check(sign=(_LONG_LINE, _PLACEHOLDER_LINE))
def check_placeholders(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """No line of a content is what a template has for it."""
    for action, content, language in _contents(document, verbs):
        shown = _find_placeholder(content, language)
        if shown:
            message = f"{shown} in {action.path} is what a template has in place of a content"
            yield warn(PLACEHOLDER_CONTENT, message, action, "write what the file holds")


@check(sign=BeginningSign(_begins_with_number, rf"(?!{_NUMBER})"))
def check_line_numbers(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """The lines of a content do not begin with their numbers."""
    for action, content, language in _contents(document, verbs):
        if language not in ("", "CSV", *PROSE) and _is_numbered(content, language):
            message = f"each line of {action.path} begins with its number"
            yield warn(LINE_NUMBERS, message, action, "write the lines without numbers")


@check(sign=ContentSign(_has_entity, ("&",)))
def check_html(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Code has no entities of HTML in place of its characters, and HTML some tags that are none of entities."""
    for action, content, language in code_contents(document, verbs):
        has_none = language in _TAGGED and "<" not in content and _TAG.search(content)
        if has_none or (language not in WITH_ENTITIES and _is_escaped_html(content)):
            message = f"{action.path} has entities of HTML, such as &lt;, in place of characters"
            yield warn(ESCAPED_HTML, message, action, "write the characters themselves")


@check(sign=_LONG_LINE)
def check_escapes(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """The lines of a content are not held together by escapes, as in a string of JSON."""
    for action, content, language in code_contents(document, verbs):
        if language not in _ONE_LINE and _is_escaped_text(content, language):
            message = f"{action.path} is one line, with \\n where its lines should end"
            yield warn(ESCAPED_LINES, message, action, "write each line as a line of its own")


@check(sign=BeginningSign(_begins_as_diff, rf"(?!{'|'.join(map(escape, _DIFF_STARTS))})"))
def check_diffs(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """A file is not created from a diff."""
    for action, content, language in code_contents(document, verbs):
        if action.type == "create" and language != "diff" and _is_diff(content):
            message = f"the content of {action.path} is a diff, which would be the text of the file"
            yield warn(DIFF_AS_CONTENT, message, action, "use `edit` for a diff")


@check(sign=ContentSign(texts=("”", "‘")))
def check_quotes(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Code has straight quotation marks."""
    for action, content, language in code_contents(document, verbs):
        if language not in _TYPOGRAPHY and _has_smart_quotes(content):
            message = f"{action.path} has typographic quotation marks in place of straight ones"
            yield warn(SMART_QUOTES, message, action, "write straight quotation marks")


def is_fenced(content: str) -> bool:
    """Return whether a content as a whole is a Markdown fence."""
    return content.lstrip().startswith(("```", "~~~")) and _FENCED.fullmatch(content) is not None


def _has_half_a_fence(content: str) -> bool:
    """Return whether the first or the last line is a fence, and some fence of the content has no partner."""
    filled = [line for line in content.split("\n") if line.strip()]
    fences = [_FENCE.fullmatch(line) is not None for line in filled]
    return (fences[0] or fences[-1]) and sum(fences) % 2 == 1


def _contents(document: Document, verbs: Verbs) -> Iterator[tuple[Action, str, str]]:
    """Yield the actions that write something, with what and the language of the file."""
    for action in document.actions:
        if action.content and action.type not in verbs["running"] and not action.content.isspace():
            yield action, action.content, language_of(action.path)


def code_contents(document: Document, verbs: Verbs) -> Iterator[tuple[Action, str, str]]:
    """Yield those actions that write a file in a known language that is no prose."""
    return (
        (action, content, language)
        for action, content, language in _contents(document, verbs)
        if language and language not in PROSE
    )


def _find_placeholder(content: str, language: str) -> str:
    whole = cut(content.strip(), 0, _LONGEST + 1)
    if _WHOLE_PLACEHOLDER.fullmatch(whole) and not (whole == "..." and language == "Python"):
        return whole
    for line in content.split("\n") if language not in PROSE else ():
        if ("here" in line or "HERE" in line or "ontent" in line) and size(line) <= _LONGEST:
            shown = line.strip()
            if _PLACEHOLDER.fullmatch(shown):
                return shown
    return ""


def _is_numbered(content: str, language: str) -> bool:
    wanted = numbered = 0
    for line in content.split("\n"):
        if not line.strip():
            continue
        found = _NUMBERED.fullmatch(cut(line, 0, _LONGEST))
        if found is None or (wanted and int(found[1]) != wanted) or (found[2] == ":" and language in _KEYED):
            return False
        wanted = int(found[1]) + 1
        numbered += bool(found[3].strip())
    return numbered > 1


def _is_escaped_html(content: str) -> bool:
    if "&" not in content:
        return False
    for raw, entities in _RAW:
        if raw in content and any(entity in content for entity in entities):
            return False
    return any("&" in line and _ENTITY.search(_STRING.sub("", line)) for line in _code_lines(content))


def _is_escaped_text(content: str, language: str) -> bool:
    line = content.strip()
    if "\\n" not in line or "\n" in line:
        return False
    if len(line) > 1 and line[0] == line[-1] == '"':
        return True
    outside = _TOKEN.sub(lambda found: found[0] if found[0] == "\\n" else "", line)
    ends = outside.count("\\n") - len(_IN_PATTERN.findall(outside))
    return ends > 1 or (ends == 1 and language not in PATTERNED)


def _is_diff(content: str) -> bool:
    return content.lstrip("\n\r").startswith(_DIFF_STARTS) and _HUNK.search(content) is not None


def _has_smart_quotes(content: str) -> bool:
    if "”" not in content and "‘" not in content:
        return False
    lines = _code_lines(content)
    return any(_SMART.search(line) for line in lines) and not any(_STRAIGHT.search(line) for line in lines)


def _code_lines(content: str) -> list[str]:
    lines = content.split("\n")
    return [line for line in lines if not line.lstrip().startswith(_COMMENTS) or line.startswith("#include")]


_KEYED = frozenset(("YAML", "INI", "JSON"))
_COMMENTS = ("#", "//", "/*", "*", "--", ";", "%", "<!--", '"""', "'''")
_FENCE = compile_pattern(r"[ ]{0,3}(?:`{3,}|~{3,})[^`\n]*")
_FENCED = compile_pattern(r"[ \t\r\n]*(```+|~~~+)(?!~)[^\n`]*\n(?:[^\n]*\n)+\1[`~]*[ \t\r\n]*")
_WHOLE_PLACEHOLDER = compile_pattern(
    rf"\.{{3}}|…|(?i:{_OPEN}(?:(?:add|insert|put|write|place|the|your|full|complete|entire|new|actual|file|this)[ _])*"
    rf"(?:code|contents?|text|implementation)(?:[ _](?:(?:goes|comes)[ _])?here|"
    rf" of (?:the |your |this )?file[\]>)}}]?|[\]>)}}]){_CLOSE}|[\[(<](?:\.{{3}}|…)[\])>]"
    r"|[\[(<]?(?:unchanged|no changes?|same as above|see above|as (?:before|above))[\])>]?[.]?)"
)
_NUMBERED = compile_pattern(
    r"[ \t]*(?:[Ll](?:ine)?[ \t]*|\[|\()?([0-9]{1,7})[\])]?[ \t]*"
    r"([|│:→)\t]|\.(?=[ \t]|$)|[ \t]{2}|[ \t](?=[A-Za-z_@#\"'<{}/*])|$)([^\n]*)"
)
_RAW = (
    ("<", ("&lt;", "&#60;")),
    (">", ("&gt;", "&#62;")),
    ('"', ("&quot;", "&#34;")),
    ("'", ("&#39;", "&#x27;", "&apos;")),
)
# Strings are taken out of a line before an entity is looked for: one may stand inside of what is one then.
_MAYBE_ENTITY = compile_pattern(
    r"&(?:(?:lt|gt|quot|#34|#39|#x27|apos|amp|#60|#62|#x3[CcEe]|nbsp);|[a-z0-9#]{0,4}[\"'\\][^\n]*;)"
)
_NUMBERED_BEGINNING = compile_pattern(_NUMBER)
_ENTITY = compile_pattern(r"&(?:lt|gt|quot|#34|#39|#x27|apos|#60|#62|#x3[CcEe]|nbsp);|&amp;&amp;")
_TAG = compile_pattern(r"&lt;/?[A-Za-z!][^\n]*&gt;")
_STRING = compile_pattern(r"\\.|\"(?:[^\"\\]|\\.)*\"?|'(?:[^'\\]|\\.)*'?")
_TOKEN = compile_pattern(
    r"\\.|\"(?:[^\"\\]|\\.)*\"?|(?<![0-9A-Za-z_])[bBrRfFuU]{0,2}'(?:[^'\\]|\\.)*'?|`(?:[^`\\]|\\.)*`?"
)
_IN_PATTERN = compile_pattern(r"[\[^|/(]\\n|\\n[\]|/)*+?]")
_HUNK = compile_pattern(r"(?:^|\n)(?:@@|\+\+\+ |<{6,9} ?(?:SEARCH|ORIGINAL))")
_SMART = compile_pattern(r"[“”][^“”\n]*”|‘[^‘’\n]*’")
_STRAIGHT = compile_pattern(r"\"|(?<![A-Za-z])'|'(?![A-Za-z])")
