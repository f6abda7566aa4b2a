"""What is outside the portable subset in a grammar, with the place of each: `subset` says who loses it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from ..core.grammar.compiling.compiler import WrittenDialect
from ..core.grammar.tokens import Statements, Word, split
from ..core.text.source import Source

Found = tuple[str, int]  # the code of a feature, and the offset in the whole grammar

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
_DIRECTIVES = {"%ignore": "ignore", "%declare": "declare", "%import": "import"}
_SIGNS = {"->": "alias", _RANGE: "character-range"}
_SIGNS |= dict(zip("[{~", ("maybe-group", "template", "counted-rule"), strict=True))


def _scan_regexes(statements: Statements) -> Iterator[Found]:
    """Yield what regular expressions have beyond the portable signs; each feature once in each of them."""
    for word in statements.words:
        if word.kind == "regex":
            seen = set()
            for code, start in _scan(word):
                if code not in seen:
                    seen.add(code)
                    yield code, start


def _scan_rules(statements: Statements) -> Iterator[Found]:
    """Yield what rules, terminals and directives have beyond the portable signs."""
    for definition in statements.definitions:
        if definition.modifiers:
            yield "rule-modifier", definition.name.start - len(definition.modifiers)
        for word in definition.head:
            if word.kind == "number":
                yield "priority", word.start
            elif word.text == "{":
                yield "template", word.start
        for word in definition.body:
            code = _SIGNS.get(word.text) if word.kind == "sign" else None
            if code is None and word.kind == "string" and word.text[-1] == "i":
                code = "string-flag"
            if code:
                yield code, word.start
    for line in statements.directives:
        if line[0].text in _DIRECTIVES:
            yield _DIRECTIVES[line[0].text], line[0].start


def find_features(dialect: WrittenDialect) -> list[Found]:
    """Return what a dialect has beyond the portable subset, in the order of the file."""
    statements = split(dialect.text)
    return sorted([*_scan_regexes(statements), *_scan_rules(statements)], key=lambda found: found[1])


def find_definition(dialect: WrittenDialect, name: str) -> int:
    """Return the offset of the definition of a rule or terminal, 0 if there is none."""
    return next((d.name.start for d in split(dialect.text).definitions if d.name.text == name), 0)


def find_nested_rule(dialect: WrittenDialect) -> str:
    """Return a rule that leads back to itself, or nothing."""
    uses = {d.name.text: [word.text for word in d.uses] for d in split(dialect.text).definitions}
    return next((name for name in uses if name in reach(uses, uses[name])), "")


def reach(uses: Mapping[str, Iterable[str]], names: Iterable[str]) -> set[str]:
    """Return some names, and all that their definitions lead to by what they use."""
    found, waiting = set[str](), list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += uses.get(name, ())
    return found


def show_place(dialect: WrittenDialect, start: int) -> str:
    """Return `file:line:column` of an offset in the whole grammar."""
    source = Source(dialect.text, str(dialect.path))
    path, line, column, _ = dialect.place(*source.place(min(start, len(source.text))))
    return f"{path}:{line}:{column}"


def show_statement(dialect: WrittenDialect, name: str) -> str:
    """Return `file:line:column` of a definition in the file that wrote it last, of the grammar if there is none."""
    named = [statement for statement in dialect.statements if statement.name == name]
    return f"{named[-1].path}:{named[-1].line}:1" if named else str(dialect.path)


def _scan(word: Word) -> Iterator[tuple[str, int]]:
    """Yield the codes and offsets of what is not portable in a regular expression."""
    body, _, flags = word.text[1:].rpartition("/")
    begin = word.start + 1
    for match in _MARKUP.finditer(body):
        kind = str(match.lastgroup)
        if kind == "class":
            if _SHORTHAND.search(match[0]):
                yield "class-shorthand", begin + match.start()
            points = [int(m[1] or m[2] or m[3], 16) if not m[4] else ord(m[4]) for m in _POINT.finditer(match[0])]
            if max(points, default=0) > 0xFFFF:
                yield "astral-class", begin + match.start()
            elif max(points, default=0) > 0x7F:
                yield "non-ascii-class", begin + match.start()
        elif kind != "escape":
            yield kind.replace("_", "-"), begin + match.start()
    if flags:
        yield "regex-flag", begin + len(body) + 1
