"""Find the features of a grammar that are outside of the portable subset.

`subset` lists the features, and the programs that do not support them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..core.grammar.compiling.compiler import WrittenDialect
from ..core.grammar.compiling.statements import reach
from ..core.grammar.tokens import Statements, Word, split
from ..core.text.source import Source

Place = tuple[str, int]  # the code of a feature, and its offset in the complete grammar

# The names of the groups are the codes of features, but for "class" and "escape".
_MARKUP = re.compile(
    r"""(?P<class>\[\^?\]?(?:\\.|[^\]\\])*\])
    |(?P<look_around>\(\?<?[=!])
    |(?P<named_group>\(\?P[<>])
    |(?P<backreference>\(\?P=|\\[1-9])
    |(?P<group_extension>\(\?)
    |(?P<lazy_repetition>(?:[*+?]|\{\d*,?\d*\})\?)
    |(?P<possessive_repetition>(?:[*+?]|\{\d*,?\d*\})\+)
    |(?P<counted_repetition>\{(?!\})\d*,?\d*\})
    |(?P<class_shorthand>\\[dDwWsS])
    |(?P<anchor>[$^]|\\[bBAZ])
    |(?P<any_character>\.)
    |(?P<escape>\\.)""",
    re.VERBOSE | re.DOTALL,
)
_SHORTHAND = re.compile(r"\\[dDwWsS]")
_POINT = re.compile(r"\\u([0-9a-fA-F]{4})|\\U([0-9a-fA-F]{8})|\\x([0-9a-fA-F]{2})|([^\x00-\x7f])")
_RANGE = ".."
# The codes of directives and of signs.
_DIRECTIVES = {"%ignore": "ignore", "%declare": "declare", "%import": "import"}
_SIGNS = {
    "->": "alias",
    _RANGE: "character-range",
    "[": "maybe-group",
    "{": "template",
    "~": "counted-rule",
}


def _scan_regexes(statements: Statements) -> Iterator[Place]:
    """Yield the features of regular expressions, each once in an expression."""
    for word in statements.words:
        if word.kind != "regex":
            continue
        # One finding for each feature of an expression is enough.
        codes = set()
        for code, start in _scan(word):
            if code not in codes:
                codes.add(code)
                yield code, start


def _scan_rules(statements: Statements) -> Iterator[Place]:
    """Yield the features of rules, terminals and directives."""
    for definition in statements.definitions:
        if definition.modifiers:
            yield "rule-modifier", definition.name.start - len(definition.modifiers)
        # `name.2{parameter}`
        for word in definition.head:
            if word.kind == "number":
                yield "priority", word.start
            elif word.text == "{":
                yield "template", word.start
        for word in definition.body:
            code = ""
            if word.kind == "sign":
                code = _SIGNS.get(word.text, "")
            # `"text"i`
            elif word.kind == "string" and word.text[-1] == "i":
                code = "string-flag"
            if code:
                yield code, word.start
    for first, *_ in statements.directives:
        if first.text in _DIRECTIVES:
            yield _DIRECTIVES[first.text], first.start


def find_features(dialect: WrittenDialect) -> list[Place]:
    """Return the features of a dialect outside of the portable subset, in the order of the file."""
    statements = split(dialect.text)
    places = [*_scan_regexes(statements), *_scan_rules(statements)]
    return sorted(places, key=lambda place: place[1])


def find_definition(dialect: WrittenDialect, name: str) -> int:
    """Return the offset of the definition of a rule or terminal; 0 if there is none."""
    for definition in split(dialect.text).definitions:
        if definition.name.text == name:
            return definition.name.start
    return 0


def find_nested_rule(dialect: WrittenDialect) -> str:
    """Return a rule that leads back to itself; empty if there is none."""
    uses = {}
    for definition in split(dialect.text).definitions:
        uses[definition.name.text] = [word.text for word in definition.uses]
    for name, used in uses.items():
        if name in reach(uses, used):
            return name
    return ""


def show_place(dialect: WrittenDialect, start: int) -> str:
    """Return `file:line:column` of an offset in the complete grammar."""
    source = Source(dialect.text, str(dialect.path))
    # The offset may be that of the end.
    position = source.place(min(start, len(source.text)))
    path, line, column, _ = dialect.place(*position)
    return f"{path}:{line}:{column}"


def show_statement(dialect: WrittenDialect, name: str) -> str:
    """Return `file:line:column` of a definition; the path of the grammar if there is none.

    A grammar can replace definitions of the one that it extends: the last one counts.
    """
    for statement in reversed(dialect.statements):
        if statement.name == name:
            return f"{statement.path}:{statement.line}:1"
    return str(dialect.path)


def _scan(word: Word) -> Iterator[Place]:
    """Yield the features of a regular expression."""
    body, _, flags = word.text[1:].rpartition("/")
    start = word.start + 1
    for match in _MARKUP.finditer(body):
        kind = str(match.lastgroup)
        if kind == "class":
            for code in _scan_class(match[0]):
                yield code, start + match.start()
        elif kind != "escape":
            yield kind.replace("_", "-"), start + match.start()
    if flags:
        # The flags follow the second slash.
        yield "regex-flag", start + len(body) + 1


def _scan_class(text: str) -> Iterator[str]:
    """Yield the codes of the features of a class of characters."""
    if _SHORTHAND.search(text):
        yield "class-shorthand"
    highest = 0
    for match in _POINT.finditer(text):
        *numbers, character = match.groups()
        digits = "".join(filter(None, numbers))
        point = int(digits, 16) if digits else ord(character)
        highest = max(highest, point)
    if highest > 0xFFFF:
        yield "astral-class"
    elif highest > 0x7F:
        yield "non-ascii-class"
