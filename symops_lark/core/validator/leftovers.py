"""Check for text that a wrapper left in a content: the name of a language, or `\\"`.

As in `contents`, what is normal in the language of a file is not reported. Files whose name does
not reveal a language are not checked.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..document import Document
from ..grammar.codes import ESCAPED_QUOTES, LANGUAGE_LINE
from ..ground.file_types import LANGUAGES
from ..ground.numbers import quoted
from ..patterns.regexes import compile_pattern
from ..text.diagnostics import Diagnostic
from .check import Verbs, warn
from .contents import PATTERNED, WITH_ENTITIES, code_contents
from .signs import ContentSign, check

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
