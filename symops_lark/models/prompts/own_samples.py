"""Samples of what a dialect says of its own, made from the grammar's templates: the renderer writes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from ...core.document import Action, CustomSection, Document, Part, Section
from ...core.grammar.compiling.regular import Language, Unsupported, find_shortest
from ...core.grammar.dialect import Dialect
from ...core.patterns.regexes import compile_pattern
from ...core.rendering.renderer import can_render

_PHRASES = (
    *("what stands here", "hashing", "src/auth.py", "src/db.py", "1", "12", "0.5", "2026-01-31", "a", "A"),
    *("yes", "high", "x = 1"),
)
_CONTENT = "any text"


def sample_sections(dialect: Dialect) -> Iterator[CustomSection]:
    """Yield one of each section of the dialect's own, as far as it can be said."""
    for name, row in dialect.own_sections.items():
        if row[2] is not None:
            section = CustomSection(name, tuple(_parts(row[2])))
            if can_render(_document(section), dialect):
                yield section


def sample_actions(dialect: Dialect, number: int | None = None) -> Iterator[Action]:
    """Yield an action for each verb of the dialect's own, with the least arguments that it takes."""
    own = dialect.own
    for verb in own.get("verbs", ()):
        texts = {name: _text_of_leaf(own["action"], name) for name in own["arguments"]} if own["action"] else {}
        for count in range(len(texts) + 1):
            chosen = (tuple((name, texts[name]) for name in names) for names in combinations(texts, count))
            actions = (Action(verb, "src/auth.py", number=number, attributes=pairs) for pairs in chosen)
            found = next((action for action in actions if can_render(_document(action), dialect)), None)
            if found is not None:
                yield found
                break


def _document(section: Section) -> Document:
    return Document((section,))


def _parts(node: Sequence[object]) -> Iterator[Part]:
    """Yield the parts of the plainest text of a template: of alternatives the first, of what may repeat one."""
    match node:
        case ["leaf", str(name), str(pattern)]:
            yield Part(name, _CONTENT if name == "block" else _fitting(pattern))
        case ["rule", str(name), list(inner)]:
            parts = tuple(_parts(inner))
            lone = len(parts) == 1 and not parts[0].parts and parts[0].name != "block"
            yield Part(name, parts[0].text) if lone else Part(name, "", parts)
        case ["any", list(first), *_]:
            yield from _parts(first)
        case ["all", *children]:
            for child in children:
                if isinstance(child, list):
                    yield from _parts(child)
        case ["many", list(inner), int(low), _]:
            for _ in range(max(1, low)):
                yield from _parts(inner)


def _fitting(pattern: str) -> str:
    """Return a text that a pattern matches: a phrase, or a shortest one."""
    compiled = compile_pattern(pattern)
    phrase = next((phrase for phrase in _PHRASES if compiled.fullmatch(phrase)), None)
    if phrase is not None:
        return phrase
    try:
        return find_shortest(Language(pattern, literal=False)) or ""
    except Unsupported:
        return ""


def _text_of_leaf(node: Sequence[object], name: str, within: str = "") -> str:
    """Return a text of the first terminal of a name in a template; of a rule, that of its terminal."""
    match node:
        case ["leaf", str(leaf), str(pattern)]:
            return _fitting(pattern) if name in (within or leaf, f"{within}.{leaf}") else ""
        case ["rule", str(rule), list(inner)]:
            known = rule in ("head", "verb_line", "run_line", "path_line", "command_line", "depends_line", "attribute")
            return _text_of_leaf(inner, name, within if known else f"{within}.{rule}".removeprefix("."))
        case [str(_), *children]:
            found = (_text_of_leaf(child, name, within) for child in children if isinstance(child, list))
            return next((text for text in found if text), "")
    return ""
