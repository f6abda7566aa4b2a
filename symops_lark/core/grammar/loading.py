"""Find dialects by name or path, and derive new ones from existing ones."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path

from ..ground import resources
from ..ground.errors import GrammarError
from .agent_formats import is_agent_format
from .compiling.bounds import read_grammar
from .compiling.compiler import WrittenDialect
from .compiling.gathering import gather
from .dialect import Dialect

Format = str | Path | Dialect | None
# Custom dialects by path. A program that reads many texts in one dialect compiles it once.
_LOADED: dict[Path, WrittenDialect] = {}
_MOST_LOADED = 64  # files; a server may be given a file for each request


def _load(path: Path, text: str) -> WrittenDialect:
    """Return the dialect of a file, again if neither it nor a file that it imports has changed."""
    dialect = _LOADED.get(path)
    if dialect is None or dialect.files != gather(path, text):
        dialect = WrittenDialect(path, text)
        _LOADED[path] = dialect
        if len(_LOADED) > _MOST_LOADED:
            # A copy, since another thread may load a dialect.
            oldest = next(iter(_LOADED.copy()))
            _LOADED.pop(oldest, None)
    return dialect


@lru_cache(maxsize=1)
def dialects() -> tuple[str, ...]:
    """Return the names of the installed dialects, sorted."""
    folder = resources.find_folder("grammars")
    stems = [path.stem for path in folder.glob("*.lark")]
    names = [stem for stem in stems if not stem.endswith("_recovery")]
    names.sort()
    return tuple(names)


@cache
def _installed(name: str) -> WrittenDialect:
    """Return an installed grammar, a strict or a recovery grammar."""
    path = resources.find_folder("grammars") / f"{name}.lark"
    return WrittenDialect(path, path.read_text("utf-8"))


def load_dialect(name: str | Path | Dialect) -> Dialect:
    """Return a dialect.

    Args:
        name: The name of an installed dialect, the path of a `.lark` file, or a dialect, which is
            returned as it is.

    Raises:
        GrammarError: There is no such dialect, its grammar is not valid, or the parser cannot serve
            it: then it can be a format.
    """
    if isinstance(name, Dialect):
        return name
    dialect = load_grammar(name)
    # The installed ones are served. Tools for grammars explain others without this check.
    if name not in dialects():
        dialect.table("served")
    return dialect


def find_verbs(name: str, format: Format = None) -> Mapping[str, tuple[str, ...]]:
    """Return the verbs of a dialect by group (`Dialect.verbs`).

    Args:
        name: The name that a document gives its dialect. It is used if a dialect of this name is
            installed; otherwise the verbs are those of v2.
        format: The dialect. None: use `name`. Formats of other agents have the verbs of v2.
    """
    if not format or is_agent_format(format):
        format = "v2"
        if name in dialects():
            format = name
    dialect = load_dialect(format)
    return dialect.verbs


def load_grammar(name: str | Path | Dialect) -> WrittenDialect:
    """Return a dialect with its grammar, which tools for grammars need.

    Args:
        name: The name of an installed dialect, the path of a `.lark` file, or a dialect.

    Raises:
        GrammarError: There is no such dialect, its grammar is not valid, or the dialect was loaded
            from tables without a grammar.
    """
    if isinstance(name, WrittenDialect):
        return name
    if isinstance(name, Dialect):
        raise GrammarError(
            f"the dialect {name.name} was loaded from tables, which do not include its grammar"
        )
    if isinstance(name, str) and name in dialects():
        return _installed(name)
    path = Path(name)
    if path.suffix != ".lark":
        names = ", ".join(dialects())
        raise GrammarError(
            f"no dialect is called {str(name)!r}; installed: {names}; "
            "or give a path to a .lark file"
        )
    try:
        text = read_grammar(path)
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise GrammarError(f"{path}: the grammar cannot be read: {error}") from error
    return _load(path, text)


def derive(base: str | Path | Dialect, definitions: Mapping[str, str]) -> str:
    """Return the grammar of a new dialect: that of a base with some definitions replaced.

    The result is complete: it imports no other file. Terminals that depend on the marks, such as
    the lines of a content, are adapted to the new marks if the base writes them exactly as
    `marks.following` does. A terminal that is written in another way stays as it is.

    Args:
        base: The dialect to start from.
        definitions: By the name of a rule or terminal, the text after the colon:
            `{"_ACTION": '"%%"'}`.

    Raises:
        GrammarError: The base does not define a name, a mark is not one string, two sections would
            look alike, or the new grammar does not compile.
    """
    # Only this function needs them, and reading a text must stay quick to start.
    import difflib

    from .compiling.statements import join, read_marks, set_marks
    from .marks import KNOWN, find_mark_faults

    dialect = load_grammar(base)
    for name in definitions:
        if name in dialect.rules:
            continue
        # The name of a rule or terminal that is not in the base is most often misspelled.
        message = f"nothing called {name} is defined, so it cannot be exchanged"
        close = difflib.get_close_matches(name, dialect.rules, 1)
        if close:
            message += f"; did you mean {close[0]}?"
        raise GrammarError(f"{dialect.path}: {message}")
    statements = set_marks(dialect.statements, definitions)
    marks = read_marks(statements)
    faults = find_mark_faults(marks)
    if faults:
        problems = "; ".join(faults)
        raise GrammarError(f"the marks collide: {problems}")
    text, _ = join(statements)
    path = Path(f"<derived from {dialect.name}>.lark")
    derived = WrittenDialect(path, text)
    # Lark compiles it here, so a grammar that does not compile is an error now, not on first use.
    _ = derived.parser
    former = KNOWN & read_marks(dialect.statements).keys()
    no_marks = sorted(former - marks.keys())
    if no_marks:
        # What depends on a mark can be written for one string only.
        name = no_marks[0].upper()
        raise GrammarError(f'_{name} is a mark: write one string, such as _{name}: "::"')
    # On one line, as it is a comment.
    bodies = [f"{name}: {' '.join(body.split())}" for name, body in definitions.items()]
    changes = ", ".join(bodies)
    return f"// Derived from {dialect.name}: {changes}\n{text}"


def recovery_text(dialect: Dialect) -> tuple[Path, str]:
    """Return the path and the complete text of the recovery grammar of a dialect."""
    grammar = recovery_grammar(dialect)
    return grammar.path, grammar.text


def recovery_grammar(dialect: Dialect) -> WrittenDialect:
    """Return the recovery grammar of a dialect.

    It is the file `NAME_recovery.lark` beside a custom grammar, or else the installed one of the
    dialect, of its family, or of v2. It may import another one, as a dialect's grammar may.

    Raises:
        GrammarError: It is not valid.
    """
    installed = resources.find_folder("grammars")
    if isinstance(dialect, WrittenDialect) and dialect.path.parent != installed:
        file_name = f"{dialect.name}_recovery.lark"
        beside = dialect.path.with_name(file_name)
        if beside.is_file():
            return load_grammar(beside)
    name = _find_recovery(dialect.name, dialect.family)
    return _installed(name)


@lru_cache(maxsize=64)
def _find_recovery(name: str, family: str) -> str:
    """Return the name of the installed recovery grammar that fits best."""
    folder = resources.find_folder("grammars")
    for stem in (f"{name}_recovery", f"{family}_recovery", "v2_recovery"):
        if (folder / f"{stem}.lark").is_file():
            return stem
    raise GrammarError(f"{folder / name}_recovery.lark: the recovery grammar is missing")
