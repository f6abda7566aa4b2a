"""Check the contents of files: values that parse, but are almost certainly not what was intended.

An example is a file of code that has `&lt;` in place of each `<`. The checks do not report what is
normal in the language of a file, such as a diff in a `.patch` or entities in HTML. For a file whose
name does not reveal its language, they report only a fence, a placeholder and left-out code.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..document import Action, Document
from ..edits.left_out import LEFT_OUT, find_left_out
from ..edits.marks import CONFLICT_BEGINNING, text_before_conflict
from ..grammar.codes import (
    CONFLICT_MARKS,
    DIFF_AS_CONTENT,
    ESCAPED_HTML,
    ESCAPED_LINES,
    FENCED_CONTENT,
    LEFT_OUT_CODE,
    LINE_NUMBERS,
    PLACEHOLDER_CONTENT,
)
from ..ground.file_types import PROSE, language_of
from ..patterns.regexes import compile_pattern, escape
from ..text.diagnostics import Diagnostic
from ..text.source import cut, size
from .check import Verbs, warn
from .signs import BeginningSign, ContentSign, LineSign, check

# Languages by what is normal in them. Their names are those of `file_types`.
WITH_ENTITIES = frozenset(("HTML", "XML", "Vue", "Svelte", "YAML", "INI", "CSV", "PHP"))
_TAGGED = frozenset(("HTML", "Svelte", "Vue", "XML"))
PATTERNED = frozenset(  # backslashes outside of strings, as in a literal regular expression
    ("Batch", "Groovy", "JavaScript", "Perl", "PowerShell", "Ruby", "Shell", "TypeScript")
)
_ONE_LINE = frozenset(("JSON", "TeX", "CSV", "INI", "XML", "HTML", "YAML"))  # a file of one line
_KEYED = frozenset(("YAML", "INI", "JSON"))  # a number and a colon may be a key


# ---- signs

# Characters of a line that are searched, where only short lines can match.
_MAX_SHORT_LINE = 120
# What may surround a placeholder: `# TODO: [`, `<!-- ...`, and the end of such a comment.
_BEFORE = r"(?:(?:#|//|/\*|--|;|%|<!--)?[ \t]*(?:TODO:?[ \t]*)?(?:[\[<({]+[ \t]*)?(?:\.{3}[ \t]*)?)"
_AFTER = r"[ \t.!\])}>*/-]*"
# A whole line: `# Your code goes here`, `[full content of the file]`, `<file content here>`; not
# `# the code is here`.
_PLACEHOLDER = compile_pattern(
    rf"(?i:{_BEFORE}(?:(?:add|insert|put|write|place|paste)[ \t]*)?"
    r"(?:(?:the )?(?:your|full|complete|entire|actual)(?: own| full| actual| file| new)?[ _-]"
    r"(?:code|contents?|implementation|file contents?|text)[ _-](?:(?:goes|comes)[ _-])?here"
    r"|(?:code|implementation|file contents?) goes here)"
    rf"{_AFTER}|[\[<](?:the )?(?:(?:full|complete|entire|actual|file|new|your)[ _])+"
    r"(?:code|contents?)(?: of (?:the |your |this )?file)?[\]>]"
    r"|[\[<{](?:the )?(?:file )?(?:code|contents?|text)[ _]here[\]>}])"
)
# The beginnings of unified diffs, `git diff`, `svn diff`, patches of OpenAI's agents, and blocks of
# a search and its replacement.
_DIFF_STARTS = (
    "--- ",
    "diff --",
    "Index: ",
    "@@ -",
    "*** Begin Patch",
    "*** Update File",
    "+",
    "<<<<<<",
)
# The beginning of a number of a line: `12`, `L12`, `[12`, `(12`.
_NUMBER = r"(?:[Ll](?:ine)?[ \t]*|\[|\()?[0-9]"
_FENCE_LINE = LineSign(r"[ \t\r]*(?:`{3}|~{3})")
_PLACEHOLDER_LINE = LineSign(rf"[^!-~\n]*{_PLACEHOLDER.pattern}")


def _has_a_long_first_line(content: str, bare: str) -> bool:
    """Return whether a content is one line, or begins with one too long for a placeholder."""
    return "\n" not in bare[: _MAX_SHORT_LINE + 1]


# Excluded: the first line is short, and there is another one.
_LONG_LINE = BeginningSign(
    _has_a_long_first_line, rf"(?=[^\n]{{1,{_MAX_SHORT_LINE}}}\n[^!-~]*[!-~])"
)


def _begins_with_number(content: str, bare: str) -> bool:
    return _NUMBERED_BEGINNING.match(bare) is not None


def _begins_as_diff(content: str, bare: str) -> bool:
    return bare.startswith(_DIFF_STARTS)


_DIFF_BEGINNING = BeginningSign(_begins_as_diff, rf"(?!{'|'.join(map(escape, _DIFF_STARTS))})")


def _has_entity(content: str, bare: str) -> bool:
    return _MAYBE_ENTITY.search(content) is not None


# ---- checks


@check(sign=_FENCE_LINE)
def check_fence(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Warn of a content that is one Markdown fence, or has half of one, except in Markdown."""
    for action, content, language in contents_of(document, verbs):
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


@check(sign=LineSign(LEFT_OUT))
def check_left_out(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Warn of the first line that stands for code that was left out."""
    for action, content, language in contents_of(document, verbs):
        if language in PROSE:
            continue
        for number, line in find_left_out(content):
            excerpt = cut(line, 0, 80)
            message = f"line {number} stands for code that was left out: {excerpt}"
            hint = "write the content in full, or edit"
            yield warn(LEFT_OUT_CODE, message, action, hint)
            break


@check(sign=(_LONG_LINE, _PLACEHOLDER_LINE))
def check_placeholders(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Warn of a placeholder that a template has in place of a content."""
    for action, content, language in contents_of(document, verbs):
        placeholder = _find_placeholder(content, language)
        if placeholder:
            message = f"{placeholder} in {action.path} is what a template has in place of a content"
            yield warn(PLACEHOLDER_CONTENT, message, action, "write what the file holds")


@check(sign=BeginningSign(_begins_with_number, rf"(?!{_NUMBER})"))
def check_line_numbers(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Warn of lines that all begin with their numbers."""
    for action, content, language in contents_of(document, verbs):
        if language not in ("", "CSV", *PROSE) and _is_numbered(content, language):
            message = f"each line of {action.path} begins with its number"
            yield warn(LINE_NUMBERS, message, action, "write the lines without numbers")


@check(sign=ContentSign(_has_entity, ("&",)))
def check_html(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Warn of code with entities in place of characters, and of HTML whose tags are all escaped."""
    for action, content, language in code_contents(document, verbs):
        if language in WITH_ENTITIES:
            is_tagged = language in _TAGGED
            is_escaped = is_tagged and "<" not in content and _TAG.search(content) is not None
        else:
            is_escaped = _is_escaped_html(content)
        if is_escaped:
            message = f"{action.path} has entities of HTML, such as &lt;, in place of characters"
            yield warn(ESCAPED_HTML, message, action, "write the characters themselves")


@check(sign=_LONG_LINE)
def check_escapes(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Warn of a content whose lines are joined by escapes, as in a string of JSON."""
    for action, content, language in code_contents(document, verbs):
        if language not in _ONE_LINE and _is_escaped_text(content, language):
            message = f"{action.path} is one line, with \\n where its lines should end"
            yield warn(ESCAPED_LINES, message, action, "begin a new line at each \\n")


@check(sign=(_DIFF_BEGINNING, LineSign(CONFLICT_BEGINNING)))
def check_diffs(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Warn of a new file whose content is a diff or its lines, or has an unresolved conflict."""
    for action, content, language in code_contents(document, verbs):
        if action.type != "create" or language == "diff":
            continue
        if is_diff(content):
            message = f"the content of {action.path} is a diff, which would be the text of the file"
            yield warn(DIFF_AS_CONTENT, message, action, "use `edit` for a diff")
        elif language != "CSV" and _is_all_added(content):
            message = f"each line of {action.path} begins with `+`, as in a diff"
            yield warn(DIFF_AS_CONTENT, message, action, "write the lines without `+`")
        elif _has_conflict(content):
            message = f"{action.path} has the marks of a conflict that is not resolved"
            yield warn(CONFLICT_MARKS, message, action, "write the lines that are to be kept")


def is_fenced(content: str) -> bool:
    """Return whether a complete content is one Markdown fence."""
    # The pattern alone would search a long content that does not begin with a fence.
    return content.lstrip().startswith(("```", "~~~")) and _FENCED.fullmatch(content) is not None


def _has_half_a_fence(content: str) -> bool:
    """Return whether the first or last line is a fence, and one fence has no partner."""
    lines = [line for line in content.split("\n") if line.strip()]
    fences = [_FENCE.fullmatch(line) is not None for line in lines]
    is_at_end = fences[0] or fences[-1]
    return is_at_end and sum(fences) % 2 == 1


def contents_of(document: Document, verbs: Verbs) -> Iterator[tuple[Action, str, str]]:
    """Yield the actions that write something, with the content and the language of the file."""
    for action in document.actions:
        content = action.content
        if content and action.type not in verbs["running"] and not content.isspace():
            yield action, content, language_of(action.path)


def code_contents(document: Document, verbs: Verbs) -> Iterator[tuple[Action, str, str]]:
    """Yield the actions that write a file of code, with the content and the language.

    Actions whose path does not reveal a language, or is one of prose, are left out.
    """
    for action, content, language in contents_of(document, verbs):
        if language and language not in PROSE:
            yield action, content, language


def _find_placeholder(content: str, language: str) -> str:
    """Return a content that is a placeholder, or its first line that is one; "" if none is."""
    bare = cut(content.strip(), 0, _MAX_SHORT_LINE + 1)
    # `...` is a complete module of Python, for example in a stub.
    is_ellipsis = bare == "..." and language == "Python"
    if _ONLY_PLACEHOLDER.fullmatch(bare) and not is_ellipsis:
        return bare
    if language in PROSE:
        return ""
    for line in dict.fromkeys(content.split("\n")):
        # A quick test that most lines fail. It misses rare forms, such as `[full code]` in a line.
        may_match = "here" in line or "HERE" in line or "ontent" in line
        if may_match and size(line) <= _MAX_SHORT_LINE:
            bare = line.strip()
            # Few lines are one: to search the content for every line takes quadratic time.
            if not is_placeholder(bare):
                continue
            # An element around the content is a piece of transport: `edges` reports it.
            if not bare.startswith("<") or content.find(f"</{bare[1:]}") < 0:
                return bare
    return ""


def is_placeholder(line: str) -> bool:
    """Return whether a line, without blanks at its ends, is one of a template."""
    return _PLACEHOLDER.fullmatch(line) is not None


def _is_numbered(content: str, language: str) -> bool:
    """Return whether all lines begin with consecutive numbers, and two of them have more text."""
    expected = 0  # 0 before the first number, which may be any
    numbered_count = 0
    for line in content.split("\n"):
        if not line.strip():
            continue
        match = _NUMBERED.fullmatch(cut(line, 0, _MAX_SHORT_LINE))
        if match is None:
            return False
        number = int(match[1])
        may_be_key = match[2] == ":" and language in _KEYED
        if may_be_key or (expected and number != expected):
            return False
        expected = number + 1
        if match[3].strip():
            numbered_count += 1
    return numbered_count > 1


def _is_escaped_html(content: str) -> bool:
    """Return whether a line has an entity outside of strings, and no character is also raw."""
    if "&" not in content:
        return False
    for raw, entities in _RAW:
        if raw in content and any(entity in content for entity in entities):
            return False
    for line in code_lines(content):
        # A string may hold an entity on purpose. Without strings, one may appear that was not there
        # before; `_MAYBE_ENTITY` accounts for that.
        if "&" in line and _ENTITY.search(_STRING.sub("", line)):
            return True
    return False


def _is_escaped_text(content: str, language: str) -> bool:
    r"""Return whether a content is one line with `\n` outside of strings and patterns."""
    line = content.strip()
    if "\\n" not in line or "\n" in line:
        return False
    if len(line) > 1 and line[0] == line[-1] == '"':
        return True
    outside = _TOKEN.sub(lambda match: match[0] if match[0] == "\\n" else "", line)
    in_pattern_count = len(_IN_PATTERN.findall(outside))
    end_count = outside.count("\\n") - in_pattern_count
    # A single one may belong to a regular expression, in languages that have them as literals.
    return end_count > 1 or (end_count == 1 and language not in PATTERNED)


def is_diff(content: str) -> bool:
    """Return whether a complete content is a diff, or blocks of a search and its replacement."""
    begins_so = content.lstrip("\n\r").startswith(_DIFF_STARTS)
    return begins_so and _HUNK.search(content) is not None


def _is_all_added(content: str) -> bool:
    """Return whether all lines, and two at least, have the sign of an added line."""
    if not content.lstrip().startswith("+"):
        return False
    lines = [line for line in content.split("\n") if line.strip()]
    return len(lines) > 1 and all(line.startswith("+") for line in lines)


def _has_conflict(content: str) -> bool:
    """Return whether a content has a merge conflict that is not inside a long string."""
    before = text_before_conflict(content)
    if before is None:
        return False
    return all(before.count(quote) % 2 == 0 for quote in _LONG_QUOTES)


def code_lines(content: str) -> list[str]:
    """Return the lines that are not comments, or the beginnings of docstrings."""
    lines = content.split("\n")
    return [
        line
        for line in lines
        if not line.lstrip().startswith(_COMMENTS) or line.startswith("#include")
    ]


# ---- patterns

_LONG_QUOTES = ('"""', "'''", "`")  # of strings with several lines

_COMMENTS = ("#", "//", "/*", "*", "--", ";", "%", "<!--", '"""', "'''")
_FENCE = compile_pattern(r"[ ]{0,3}(?:`{3,}|~~~)[^`\n]*")
# A complete content: a fence, one line or more, and the same fence.
_FENCED = compile_pattern(r"[ \t\r\n]*(```+|~~~+)(?!~)[^\n`]*\n(?:[^\n]*\n)+\1[`~]*[ \t\r\n]*")
# What somebody is to fill in: `{the style}`, `[logo]`.
_SLOT = r"(?:\{[^{}\n]{3,}\}|\[[^\[\]\n]{3,}\])"
# A complete content: `...`, `# your code here`, `[the complete file content]`, `(unchanged)`; not
# `x = ...`.
_ONLY_PLACEHOLDER = compile_pattern(
    rf"\.{{3}}|…|(?i:{_BEFORE}"
    r"(?:(?:add|insert|put|write|place|the|your|full|complete|entire|new|actual|file|this)[ _])*"
    r"(?:code|contents?|text|implementation)(?:[ _](?:(?:goes|comes)[ _])?here|"
    rf" of (?:the |your |this )?file[\]>)}}]?|[\]>)}}]){_AFTER}|[\[(<](?:\.{{3}}|…)[\])>]"
    r"|[\[(<]?(?:unchanged|no changes?|same as above|see above|as (?:before|above))[\])>]?[.]?)"
    # a comment with a slot: `/* INPUT_REQUIRED {the style} */`, `<!-- [logo] -->`
    rf"|(?:/\*|<!-{{2}})[ \t]*(?:[A-Z]{{3,}}_[A-Z_]{{3,}}[ \t:]*)?{_SLOT}[ \t]*(?:\*/|-{{2}}>)"
)
# The number of a line, its separator, the text: `12: x`, `L3 | x`, `[4] x`; not `12 34`, `3.14`.
_NUMBERED = compile_pattern(
    r"[ \t]*(?:[Ll](?:ine)?[ \t]*|\[|\()?([0-9]{1,7})[\])]?[ \t]*"
    r"([|│:→)\t]|\.(?=[ \t]|$)|[ \t]{2}|[ \t](?=[A-Za-z_@#\"'<{}/*])|$)([^\n]*)"
)
# Characters, each with its entities. A content with both is not escaped throughout.
_RAW = (
    ("<", ("&lt;", "&#60;")),
    (">", ("&gt;", "&#62;")),
    ('"', ("&quot;", "&#34;")),
    ("'", ("&#39;", "&#x27;", "&apos;")),
)
# The sign of an entity. Strings are removed from a line before an entity is searched for, so a
# string may be inside of what is then one: `&l"…"t;`.
_MAYBE_ENTITY = compile_pattern(
    r"&(?:(?:lt|gt|quot|#34|#39|#x27|apos|amp|#60|#62|#x3[CcEe]|nbsp);"
    r"|[a-z0-9#]{0,4}[\"'\\][^\n]*;)"
)
_NUMBERED_BEGINNING = compile_pattern(_NUMBER)
_ENTITY = compile_pattern(r"&(?:lt|gt|quot|#34|#39|#x27|apos|#60|#62|#x3[CcEe]|nbsp);|&amp;&amp;")
_TAG = compile_pattern(r"&lt;/?[A-Za-z!][^\n]*&gt;")
# An escape, or a string that may be unclosed.
_STRING = compile_pattern(r"\\.|\"(?:[^\"\\]|\\.)*\"?|'(?:[^'\\]|\\.)*'?")
# The same with the prefixes of Python's strings, and with template strings.
_TOKEN = compile_pattern(
    r"\\.|\"(?:[^\"\\]|\\.)*\"?|"
    r"(?<![0-9A-Za-z_])[bBrRfFuU]{0,2}'(?:[^'\\]|\\.)*'?|`(?:[^`\\]|\\.)*`?"
)
_IN_PATTERN = compile_pattern(r"[\[^|/(]\\n|\\n[\]|/)*+?]")
_HUNK = compile_pattern(r"(?:^|\n)(?:@@|\+\+\+ |<{6,9} ?(?:SEARCH|ORIGINAL))")
