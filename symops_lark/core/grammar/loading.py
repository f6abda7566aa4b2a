"""Finding dialects by name or path, and making new ones of those that are there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path

from ..ground import resources
from ..ground.errors import GrammarError
from .compiling.bounds import read_grammar
from .compiling.compiler import WrittenDialect
from .compiling.gathering import gather
from .dialect import Dialect

Format = str | Path | Dialect | None
_LOADED: dict[Path, WrittenDialect] = {}


def _load(path: Path, text: str) -> WrittenDialect:
    """Return a dialect that was loaded before, unless the file, or one that it builds on, has changed."""
    known = _LOADED.get(path)
    if known is None or known.files != gather(path, text):
        _LOADED[path] = known = WrittenDialect(path, text)
    return known


@lru_cache(maxsize=1)
def dialects() -> tuple[str, ...]:
    """Return the names of the installed dialects."""
    found = sorted(p.stem for p in resources.find_folder("grammars").glob("*.lark"))
    return tuple(name for name in found if not name.endswith("_recovery"))


@cache
def _installed(name: str) -> WrittenDialect:
    path = resources.find_folder("grammars") / f"{name}.lark"
    return WrittenDialect(path, path.read_text("utf-8"))


def load_dialect(name: str | Path | Dialect) -> Dialect:
    """Return the dialect of a name (`v2`) or of a path to a `.lark` file; raise `GrammarError` if there is none."""
    return name if isinstance(name, Dialect) else load_grammar(name)


def find_verbs(name: str, format: Format = None) -> Mapping[str, tuple[str, ...]]:
    """Return the verbs by group of a dialect: of `format`, else of the installed one of this name, else of v2."""
    return load_dialect(format or (name if name in dialects() else "v2")).verbs


def load_grammar(name: str | Path | Dialect) -> WrittenDialect:
    """Return the same with its grammar; raise `GrammarError` of a dialect that was made of tables alone."""
    if isinstance(name, WrittenDialect):
        return name
    if isinstance(name, Dialect):
        raise GrammarError(
            f"the dialect {name.name} was made of tables: its grammar is not at hand"
        )
    if isinstance(name, str) and name in dialects():
        return _installed(name)
    path = Path(name)
    if path.suffix != ".lark":
        known = ", ".join(dialects())
        raise GrammarError(
            f"no dialect is called {str(name)!r}; installed: {known}; or give a path to a .lark file"
        )
    try:
        text = read_grammar(path)
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise GrammarError(f"{path}: the grammar cannot be read: {error}") from error
    return _load(path, text)


def derive(base: str | Path | Dialect, definitions: Mapping[str, str]) -> str:
    """Return a grammar that stands on its own: a dialect with some definitions exchanged.

    `definitions` gives what follows the colon by the name of the rule or terminal. Terminals that follow from the
    marks, such as the lines of a content, are spelt anew. Raises `GrammarError` if a name is not defined in the base,
    if sections could not be told apart, or if the grammar does not compile.
    """
    import difflib

    from .compiling.statements import join, read_marks, set_marks
    from .marks import find_mark_faults

    dialect = load_grammar(base)
    for name in definitions:
        if name not in dialect.rules:
            close = difflib.get_close_matches(name, dialect.rules, 1)
            hint = f"; did you mean {close[0]}?" if close else ""
            raise GrammarError(
                f"{dialect.path}: nothing called {name} is defined, so it cannot be exchanged{hint}"
            )
    statements = set_marks(dialect.statements, definitions)
    faults = find_mark_faults(read_marks(statements))
    if faults:
        raise GrammarError("the marks collide: " + "; ".join(faults))
    text, _ = join(statements)
    WrittenDialect(Path(f"<derived from {dialect.name}>.lark"), text).parser  # noqa: B018  (compiles it)
    said = ", ".join(f"{name}: {body}" for name, body in definitions.items())
    return f"// Derived from {dialect.name}: {said}\n{text}"


def recovery_text(dialect: Dialect) -> tuple[Path, str]:
    """Return the path and the whole text of the recovery grammar of a dialect."""
    grammar = recovery_grammar(dialect)
    return grammar.path, grammar.text


def recovery_grammar(dialect: Dialect) -> WrittenDialect:
    """Return the recovery grammar of a dialect: the file beside it, or else the one of its closest relative.

    Like a dialect it may build on another one, by `%import`, `%extend` and `%override`.
    """
    if isinstance(dialect, WrittenDialect) and dialect.path.parent != resources.find_folder(
        "grammars"
    ):
        beside = dialect.path.with_name(f"{dialect.name}_recovery.lark")
        if beside.is_file():
            return load_grammar(beside)
    return _installed(_find_recovery(dialect.name, dialect.family))


@lru_cache(maxsize=64)
def _find_recovery(name: str, family: str) -> str:
    folder = resources.find_folder("grammars")
    for stem in (f"{name}_recovery", f"{family}_recovery", "v2_recovery"):
        if (folder / f"{stem}.lark").is_file():
            return stem
    raise GrammarError(f"{folder / name}_recovery.lark: the recovery grammar is missing")
