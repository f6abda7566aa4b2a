"""Languages that tree-sitter parses: their wheels, and the queries that find definitions.

The queries are the files of the folder `queries`.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

EXTRA = "pip install 'symops-lark[code]'"


class _Grammar(NamedTuple):
    wheel: str  # without `tree_sitter_`
    factory: str
    queries: tuple[str, ...]
    suffixes: str


_GRAMMARS = {
    "python": _Grammar("python", "language", ("python",), "py pyi"),
    "javascript": _Grammar(
        "javascript", "language", ("javascript", "javascript_classes"), "js mjs cjs jsx"
    ),
    "typescript": _Grammar(
        "typescript", "language_typescript", ("javascript", "typescript"), "ts mts cts"
    ),
    "tsx": _Grammar("typescript", "language_tsx", ("javascript", "typescript"), "tsx"),
    "go": _Grammar("go", "language", ("go",), "go"),
    "rust": _Grammar("rust", "language", ("rust",), "rs"),
    "java": _Grammar("java", "language", ("java",), "java"),
}
_BY_SUFFIX: dict[str, str] = {}
for _name, _grammar in _GRAMMARS.items():
    _BY_SUFFIX.update(dict.fromkeys(_grammar.suffixes.split(), _name))


class Language(NamedTuple):
    """A language with its parser and its query for definitions."""

    name: str
    parser: Any
    query: Any


def language_named(path: str) -> str:
    """Return the name of the language of a file by its suffix; empty if it is unknown."""
    _, dot, suffix = path.rpartition(".")
    return _BY_SUFFIX.get(suffix.lower(), "") if dot else ""


@cache
def load_language(name: str) -> Language | None:
    """Return a language, or None if its wheel is not installed."""
    grammar = _GRAMMARS[name]
    try:
        import tree_sitter

        module = import_module(f"tree_sitter_{grammar.wheel}")
    except ImportError:
        return None
    language = tree_sitter.Language(getattr(module, grammar.factory)())
    folder = Path(__file__).parent / "queries"
    text = "\n".join((folder / f"{query}.scm").read_text("utf-8") for query in grammar.queries)
    return Language(name, tree_sitter.Parser(language), tree_sitter.Query(language, text))


@cache
def installed_languages() -> tuple[str, ...]:
    """Return the names of the languages whose wheels are installed, without loading them."""
    if find_spec("tree_sitter") is None:
        return ()
    return tuple(
        name
        for name, grammar in _GRAMMARS.items()
        if find_spec(f"tree_sitter_{grammar.wheel}") is not None
    )
