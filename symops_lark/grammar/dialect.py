"""Grammar files: finding, compiling and caching them, and reading marks, verbs and lines out of them.

The grammar is the only place that spells a language. Everything else asks a `Dialect` for its marks
(`dialect.marks["action"]` is `::` in v2), for its verbs, or for the regular expression of one kind of line.
This module must not know documents.
"""

from __future__ import annotations

import difflib
import hashlib
import logging
import re
from collections.abc import Mapping
from functools import cache, cached_property, lru_cache
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import resources
from ..errors import GrammarError
from .marks import FENCES, find_mark_faults
from .section_patterns import SectionPatterns
from .statements import Origin, flatten, join, read_marks, set_marks

if TYPE_CHECKING:
    from lark import Lark
from .lark_errors import explain, explain_failure

STARTS = ("document", "action", "thought", "vitals", "error", "question")


LINE_RULES = (
    "vitals",
    "head",
    "verb_line",
    "run_line",
    "path_line",
    "command_line",
    "depends_line",
    "attribute",
    "_reason_line",
    "thought",
    "ask",
    "choice",
    "error",
)


_VERB_GROUPS = {"running": "_running", "writing": "_writing", "removing": "_removing"}


_CACHE_VERSION = "3"


class Dialect:
    """One language: a `.lark` file, compiled on first use. `name` is the file's stem.

    `text` is the whole grammar, with the files that it builds on.
    """

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.name = path.stem
        self.files = [(path, text)]  # that it is made of
        self.statements = flatten(path, text, self._find_base)
        self.text, self.origins = join(self.statements)

    def _find_base(self, path: Path, name: str) -> tuple[Path, str]:
        """Read the grammar that a file builds on: the one beside it, or the installed one."""
        beside = path.with_name(f"{name}.lark")
        found = beside if beside.is_file() else resources.find_folder("grammars") / f"{name}.lark"
        self.files.append((found, found.read_text(encoding="utf-8")))
        return self.files[-1]

    def __repr__(self) -> str:
        return f"Dialect({self.name!r})"

    def place(self, line: int, column: int) -> tuple[Path, int, int, str]:
        """Give the file, line and column (1-based) of a place in `text`, and the line as it is written in that file."""
        shown = self.text.split("\n")[line - 1]
        origin = self.origins[min(line, len(self.origins)) - 1] if self.origins else Origin(self.path, line, shown)
        pairs = zip(reversed(shown), reversed(origin.written), strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))  # characters that both end with
        if shown != origin.written:
            column = column + len(origin.written) - len(shown) if len(shown) - column < same else 1
        return origin.path, origin.line, column, origin.written

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the grammar's text; caches and records are keyed by it."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:16]

    @cached_property
    def _definitions(self) -> tuple[dict[str, Any], dict[str, Any]]:
        from lark.load_grammar import load_grammar

        grammar: Any = explain_failure(lambda: load_grammar(self.text, str(self.path), [], False), self)[0]
        rules = {str(name): tree for name, _params, tree, _options in grammar.rule_defs}
        terminals = {str(name): tree for name, (tree, _priority) in grammar.term_defs}
        return rules, terminals

    @cached_property
    def marks(self) -> dict[str, str]:
        """The marks by lower-case name without underscore: `thought`, `action`, `open`, …

        A mark is a terminal with a leading underscore that is defined as one string.
        """
        marks = read_marks(self.statements)
        if "document" not in self.rules:
            raise GrammarError(f"{self.path}: no rule `document`: the whole text, such as document: (_GAP | thought)*")
        missing = {"thought", "action", "target", "depends", "open", "close"} - marks.keys()
        if missing:
            raise GrammarError(
                f"{self.path}: no mark {', '.join('_' + m.upper() for m in sorted(missing))}: write "
                'each as a terminal that is one string, such as _ACTION: "::"'
            )
        return marks

    @cached_property
    def rules(self) -> frozenset[str]:
        """The names of all rules and terminals."""
        return frozenset(statement.name for statement in self.statements)

    @cached_property
    def forms(self) -> frozenset[str]:
        """What the dialect can say beyond v1 and v2: `numbers`, `attributes`, `end_marks`, `fences`.

        And `lines` if every part of an action has a line of its own.
        """
        mark = next((statement.body for statement in self.statements if statement.name == "_mark"), "")
        found = {
            "numbers": "NUMBER" in mark,
            "attributes": "attribute" in self.rules,
            "end_marks": "end_close" in self.marks,
            "fences": "open_4" in self.marks,
            "lines": "head" not in self.rules,
        }
        return frozenset(name for name, there in found.items() if there)

    @cached_property
    def fences(self) -> dict[str, tuple[str, ...]]:
        """The closing delimiters that each opening one may have, the usual one first."""
        marks = self.marks
        pairs = {marks["open"]: tuple(marks[name] for name in ("close", "end_close") if name in marks)}
        return pairs | {marks[f"open_{n}"]: (marks[f"close_{n}"],) for n in FENCES if f"open_{n}" in marks}

    @cached_property
    def closers(self) -> frozenset[str]:
        """All closing delimiters."""
        return frozenset(mark for closers in self.fences.values() for mark in closers)

    @cached_property
    def family(self) -> str:
        """The dialect whose recovery grammar and rules serve this one: `v1` if opener and closer are the same mark."""
        if "lines" in self.forms:
            return "plain"
        return "v1" if self.marks["open"] == self.marks["close"] else "v2"

    @cached_property
    def verbs(self) -> dict[str, tuple[str, ...]]:
        """The known verbs by group: `running` take a command, `writing` want a content block, `removing` neither."""
        rules, terminals = self._definitions
        groups = {}
        for group, rule in _VERB_GROUPS.items():
            if rule not in rules:
                raise GrammarError(f"{self.path}: no rule {rule}: it lists the verbs of that group, such as RUN | TEST")
            names = [str(t.name) for t in rules[rule].scan_values(lambda t: hasattr(t, "name"))]
            wrong = [name for name in names if name not in terminals]
            if wrong:
                raise GrammarError(f"{self.path}: the rule {rule} lists terminals, each a verb; {wrong[0]} is none")
            tokens = [next(terminals[name].scan_values(lambda token: True)) for name in names]
            groups[group] = tuple(_unquote(token) for token in tokens)
        return groups

    @cached_property
    def line_pattern(self) -> re.Pattern[str]:
        """A regular expression that tells a line (with its ending) by the name of the group that matched."""
        rules = [rule for rule in LINE_RULES if rule in self._definitions[0]]
        if "lines" in self.forms:
            rules.remove("thought")  # any line of reasoning: no line tells it by itself
        return re.compile("|".join(f"(?P<{rule}>{self.compiled.regex(rule)})" for rule in rules))

    @cached_property
    def compiled(self) -> SectionPatterns:
        """The rules as patterns, which read a valid text faster than the LALR parser."""
        table: Any = self.parser.parser.parser._parse_table
        return SectionPatterns(self._definitions[0], self.parser.terminals, list(table.states.values()))

    @cached_property
    def parser(self) -> Lark:
        """The LALR parser, from the user's cache where the same grammar was compiled before."""
        from lark import Lark

        logging.getLogger("lark").setLevel(logging.CRITICAL)  # a cache that cannot be written is no news
        options: dict[str, Any] = {
            "parser": "lalr",
            "start": [start for start in STARTS if start in self._definitions[0]],
            "propagate_positions": True,
            "edit_terminals": _make_possessive,
            "source_path": str(self.path),
        }
        folder = resources.cache_folder()
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            cached = str(folder / f"{self.name}-{self.fingerprint}-{_CACHE_VERSION}.pickle")
            return Lark(self.text, cache=cached, **options)
        except (OSError, EOFError):
            built: Lark = explain_failure(lambda: Lark(self.text, **options), self)
            return built
        except Exception as error:
            raise explain(error, self) from error


def _make_possessive(terminal: Any) -> None:
    """Let the repetitions of lines keep what they took: the lines exclude what follows, so nothing is lost.

    Without this a block of n lines costs n backtracking frames: 1.5 GB for 10 MB of short lines.
    """
    if terminal.name == "BLOCK":
        terminal.pattern.value = terminal.pattern.value.replace(")*", ")*+")
    elif terminal.name == "_GAP":
        terminal.pattern.value += "+"


def _unquote(literal: Any) -> str:
    import ast

    return str(ast.literal_eval(str(literal)))


_LOADED: dict[Path, Dialect] = {}


def _load(path: Path, text: str) -> Dialect:
    """Give a dialect that was loaded before, unless the file, or one that it builds on, has changed."""
    known = _LOADED.get(path)
    if known is None or known.files[0][1] != text or any(_has_changed(*file) for file in known.files[1:]):
        _LOADED[path] = known = Dialect(path, text)
    return known


def _has_changed(path: Path, text: str) -> bool:
    try:
        return path.read_text(encoding="utf-8") != text
    except (OSError, UnicodeDecodeError):
        return True


@lru_cache(maxsize=1)
def dialects() -> tuple[str, ...]:
    """Give the names of the installed dialects."""
    found = sorted(p.stem for p in resources.find_folder("grammars").glob("*.lark"))
    return tuple(name for name in found if not name.endswith("_recovery"))


@cache
def _installed(name: str) -> Dialect:
    path = resources.find_folder("grammars") / f"{name}.lark"
    return Dialect(path, path.read_text("utf-8"))


def load_dialect(name: str | Path | Dialect) -> Dialect:
    """Give the dialect of a name (`v2`) or of a path to a `.lark` file; raise `GrammarError` if there is none."""
    if isinstance(name, Dialect):
        return name
    if isinstance(name, str) and name in dialects():
        return _installed(name)
    path = Path(name)
    if path.suffix != ".lark":
        known = ", ".join(dialects())
        raise GrammarError(f"no dialect is called {str(name)!r}; installed: {known}; or give a path to a .lark file")
    try:
        return _load(path, path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise GrammarError(f"{path}: the grammar cannot be read: {error}") from error


def derive(base: str | Path | Dialect, definitions: Mapping[str, str]) -> str:
    """Give a grammar that stands on its own: a dialect with some definitions exchanged.

    `definitions` gives what follows the colon by the name of the rule or terminal. Terminals that follow from the
    marks, such as the lines of a content, are spelt anew. Raises `GrammarError` if a name is not defined in the base,
    if sections could not be told apart, or if the grammar does not compile.
    """
    dialect = load_dialect(base)
    for name in definitions:
        if name not in dialect.rules:
            close = difflib.get_close_matches(name, dialect.rules, 1)
            hint = f"; did you mean {close[0]}?" if close else ""
            raise GrammarError(f"{dialect.path}: nothing called {name} is defined, so it cannot be exchanged{hint}")
    statements = set_marks(dialect.statements, definitions)
    faults = find_mark_faults(read_marks(statements))
    if faults:
        raise GrammarError("the marks collide: " + "; ".join(faults))
    text, _ = join(statements)
    Dialect(Path(f"<derived from {dialect.name}>.lark"), text).parser  # noqa: B018  (compiles it)
    said = ", ".join(f"{name}: {body}" for name, body in definitions.items())
    return f"// Derived from {dialect.name}: {said}\n{text}"


def recovery_text(dialect: Dialect) -> tuple[Path, str]:
    """Return the path and the whole text of the recovery grammar of a dialect."""
    grammar = recovery_grammar(dialect)
    return grammar.path, grammar.text


def recovery_grammar(dialect: Dialect) -> Dialect:
    """Return the recovery grammar of a dialect: the file beside it, or else the one of its closest relative.

    Like a dialect it may build on another one, by `%import`, `%extend` and `%override`.
    """
    beside = dialect.path.with_name(f"{dialect.name}_recovery.lark")
    folder = resources.find_folder("grammars")
    if beside.is_file():
        return _installed(beside.stem) if beside.parent == folder else load_dialect(beside)
    for name in (f"{dialect.family}_recovery", "v2_recovery"):
        if (folder / f"{name}.lark").is_file():
            return _installed(name)
    raise GrammarError(f"{beside}: the recovery grammar is missing")
