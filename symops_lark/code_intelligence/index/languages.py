"""Languages that are read by tree-sitter: their wheels, and the questions in `queries/` that find definitions."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

EXTRA = "pip install 'symops-lark[code]'"


class _Grammar(NamedTuple):
    module: str
    factory: str
    queries: tuple[str, ...]


_GRAMMARS = {
    "python": _Grammar("tree_sitter_python", "language", ("python",)),
    "javascript": _Grammar("tree_sitter_javascript", "language", ("javascript", "javascript_classes")),
    "typescript": _Grammar("tree_sitter_typescript", "language_typescript", ("javascript", "typescript")),
    "tsx": _Grammar("tree_sitter_typescript", "language_tsx", ("javascript", "typescript")),
    "go": _Grammar("tree_sitter_go", "language", ("go",)),
    "rust": _Grammar("tree_sitter_rust", "language", ("rust",)),
    "java": _Grammar("tree_sitter_java", "language", ("java",)),
}
_SUFFIXES = {
    "python": (".py", ".pyi"),
    "javascript": (".js", ".mjs", ".cjs", ".jsx"),
    "typescript": (".ts", ".mts", ".cts"),
    "tsx": (".tsx",),
    "go": (".go",),
    "rust": (".rs",),
    "java": (".java",),
}
_BY_SUFFIX = {suffix: name for name, suffixes in _SUFFIXES.items() for suffix in suffixes}


class Language(NamedTuple):
    """A language with its parser and its question for definitions."""

    name: str
    parser: Any
    query: Any


def language_named(path: str) -> str:
    """Return the name of the language that a path is read as; empty if it is read as text alone."""
    dot = path.rfind(".")
    return _BY_SUFFIX.get(path[dot:].lower(), "") if dot >= 0 else ""


@cache
def load_language(name: str) -> Language | None:
    """Return a language, or None if its wheel is not installed."""
    grammar = _GRAMMARS[name]
    try:
        import tree_sitter

        module = import_module(grammar.module)
    except ImportError:
        return None
    language = tree_sitter.Language(getattr(module, grammar.factory)())
    folder = Path(__file__).parent / "queries"
    text = "\n".join((folder / f"{query}.scm").read_text("utf-8") for query in grammar.queries)
    return Language(name, tree_sitter.Parser(language), tree_sitter.Query(language, text))


@cache
def installed_languages() -> tuple[str, ...]:
    """Return the names of the languages whose wheels are installed; none is loaded for that."""
    from importlib.util import find_spec

    if find_spec("tree_sitter") is None:
        return ()
    return tuple(name for name, grammar in _GRAMMARS.items() if find_spec(grammar.module) is not None)
