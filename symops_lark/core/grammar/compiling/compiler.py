"""Compile a grammar file to a dialect, and keep its tables in the user's cache.

Purpose
    `WrittenDialect` is a dialect that knows its grammar. It looks for its tables in the cache
    first. If they are not there, it joins the files, lets Lark compile them, and makes each table
    from the result (`dialect_tables`). The grammar is compiled once for each content of its files.

Theory of operation
    file ─ gathering ─► all files ─ statements.flatten ─► statements ─ join ─► one text
    one text ─ lark_insides.load_definitions ─► trees of rules and terminals
             ─ parser (Lark, LALR) ──────────► compiled rules, terminals, parse table
    both     ─ dialect_tables.MAKERS ────────► tables of JSON values ─► the user's cache

    Each step is a cached property, so only the tables that are asked for cost anything. Marks and
    forms need only the statements; the tables of `_COMPILED` need Lark.

Invariants
    1. On a warm start neither Lark nor the modules that compile are imported
       (`tests/test_walls.py`): imports of them are inside functions.
    2. Whatever goes wrong is a `GrammarError` with a place in the file that has the mistake
       (`tests/core/grammar/test_derivation.py`), within the bounds of `bounds`.
    3. A terminal with which a text could keep the parser busy is an error (`ambiguity`).

Not here
    Which tables there are and what they contain: `dialect_tables`. Names of dialects: `loading`.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...ground import resources
from ...ground.errors import GrammarError
from ...ground.kept_tables import KeptTables
from ...ground.numbers import grouped
from ..dialect import TABLES, Dialect
from .bounds import MOST_BYTES, MOST_DEFINITIONS, MOST_FILES, check_closed, make_importer
from .gathering import find_base, gather

if TYPE_CHECKING:
    from lark import Lark

    from .lark_insides import Definitions
    from .section_compiler import SectionCompiler
    from .statements import Origin, Statement

# The rules that a text may be, if the grammar has them: a document or one section of it.
STARTS = ("document", "action", "thought", "vitals", "error", "question")

# The tables that need Lark. After any of them was made, all are written to the cache.
_COMPILED = ("own", "verbs", "lines", "sections", "lalr", "served")
# What a copy in another process gets. Everything else is computed again; Lark's objects would be
# slow to copy.
_PICKLED = ("_tables", "_kept", "path", "files")


class WrittenDialect(Dialect):
    """A dialect with its grammar.

    Attributes:
        path: The file of the grammar.
        files: The path and the text of all files that the grammar may be made of, itself first.
    """

    def __init__(self, path: Path, text: str, *, kept: bool = True) -> None:
        """Load the tables from the cache if they are there.

        Args:
            path: The file of the grammar.
            text: Its text.
            kept: Whether to use the cache.

        Raises:
            GrammarError: The statements of a custom grammar are not valid. Other errors of a
                grammar are raised when a table is asked for.
        """
        super().__init__({})
        self.path = path
        self.files = gather(path, text)
        self._kept: KeptTables | None = None
        if kept:
            self._kept = KeptTables("dialect", ("core/grammar",), self.contents())
        if self._remember():
            return
        if path.parent != resources.find_folder("grammars"):
            _ = self.statements  # raises the error early

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, WrittenDialect):
            return False
        return self.path == other.path and self.files == other.files

    def __hash__(self) -> int:
        return hash(self.files[0])

    def __getstate__(self) -> dict[str, Any]:
        attributes = vars(self)
        return {name: attributes[name] for name in _PICKLED}

    def contents(self) -> list[str]:
        """Return the names and texts of all files: the key of what is compiled from them."""
        parts = []
        for path, text in self.files:
            parts.append(path.name)
            parts.append(text)
        return parts

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """The statements of the grammar, with those of the files that it builds on.

        Raises:
            GrammarError: A base is missing, a definition that is changed does not exist, or the
                grammar is too large.
        """
        from .statements import flatten

        path, text = self.files[0]
        file_count = 0
        size = len(text)

        def find_counted(importer: Path, name: str) -> tuple[Path, str]:
            nonlocal file_count, size
            base_path, base_text = find_base(importer, name)
            file_count += 1
            size += len(base_text)
            if file_count >= MOST_FILES or size > MOST_BYTES:
                limits = f"{MOST_FILES} files or {grouped(MOST_BYTES)} bytes"
                raise GrammarError(f"{self.path}: the grammar builds on more than {limits}")
            return base_path, base_text

        statements = flatten(path, text, find_counted)
        definitions = [statement for statement in statements if statement.name]
        if len(definitions) > MOST_DEFINITIONS:
            limit = grouped(MOST_DEFINITIONS)
            raise GrammarError(f"{self.path}: the grammar has more than {limit} definitions")
        return statements

    @cached_property
    def _joined(self) -> tuple[str, tuple[Origin, ...]]:
        from .statements import join

        return join(self.statements)

    @property
    def text(self) -> str:
        """The complete grammar as one text."""
        return self._joined[0]

    @property
    def origins(self) -> tuple[Origin, ...]:
        """Where each line of `text` comes from."""
        return self._joined[1]

    def table(self, name: str) -> Any:
        """Return one of `TABLES`, from the cache or from the grammar.

        Raises:
            GrammarError: The grammar is not valid.
        """
        if name in self._tables:
            return self._tables[name]
        from .dialect_tables import MAKERS

        make = MAKERS[name]
        with resources.announce(f"compiling {self.path.stem}, which is kept"):
            self._tables[name] = self._explain(lambda: make(self))
        if name in _COMPILED and self._kept:
            # First, because `to_data` asks for the other tables.
            kept_tables = self._kept
            self._kept = None
            # A table that this program does not need may be wrong: the others are still valid.
            with suppress(GrammarError):
                kept_tables.write(self.to_data())
        return self._tables[name]

    def _remember(self) -> bool:
        """Load the tables from the user's cache; return whether they are there."""
        tables = self._kept.read() if self._kept else None
        if not isinstance(tables, dict) or tables.keys() != set(TABLES):
            return False
        self._tables = tables
        return True

    def _explain(self, make: Callable[[], Any]) -> Any:
        """Return what a function makes; its errors become those of the grammar's files."""
        from ..agent_formats import is_format, refuse_format
        from .lark_errors import explain_failure

        _, text = self.files[0]
        # Lark's own error would be about an empty terminal, which a format may have.
        if is_format(text):
            raise refuse_format(self.path.stem)
        return explain_failure(make, self)

    def place(self, line: int, column: int) -> tuple[Path, int, int, str]:
        """Convert a place in `text` to one in a file.

        Args:
            line: The line in `text`, 1-based.
            column: The column there, 1-based.

        Returns:
            The file, line and column (1-based), and the line as the file has it.
        """
        from .statements import Origin

        joined = self.text.split("\n")[line - 1]
        origin = Origin(self.path, line, joined)
        if self.origins:
            index = min(line, len(self.origins)) - 1
            origin = self.origins[index]
        source_line = origin.source_line
        if joined != source_line:
            # The lines differ at the beginning, by `%override`: columns count from the end, if the
            # place is in the part that both share.
            from_end = len(joined) - column
            if from_end < _count_shared_end(joined, source_line):
                column = len(source_line) - from_end
            else:
                column = 1
        return origin.path, origin.line, column, source_line

    @cached_property
    def definitions(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The trees that Lark reads from the definitions: of rules and of terminals, by name."""
        from .lark_insides import load_definitions

        loaded: Definitions = self._explain(lambda: load_definitions(self.text, self.path))
        return loaded.rules, loaded.terminals

    @cached_property
    def named_rules(self) -> dict[str, Any]:
        """The trees of the rules, with the terminals that Lark makes of texts in quotes."""
        from .rule_trees import name_texts

        rules, _ = self.definitions
        return name_texts(rules, self.parser.terminals)

    @cached_property
    def starts(self) -> tuple[str, ...]:
        """The rules that a text may be: the document and its sections."""
        from .rule_trees import find_sections

        rules, _ = self.definitions
        starts = [start for start in STARTS if start in rules]
        return (*starts, *find_sections(rules))

    @cached_property
    def parser(self) -> Lark:
        """Lark's own LALR parser, of which the tables are a copy."""
        return self.make_parser(self.text, self.starts)

    def make_parser(self, text: str, starts: tuple[str, ...]) -> Lark:
        """Compile the text of this grammar, or one that extends it.

        Args:
            text: The complete grammar.
            starts: The rules that a text may be.

        Raises:
            GrammarError: The grammar is not valid.
        """
        from lark import Lark

        options: dict[str, Any] = {
            "parser": "lalr",
            "start": list(starts),
            # For tests and tools, which compare Lark's trees with those of `lalr`.
            "propagate_positions": True,
            "edit_terminals": _prepare,
            "import_paths": [make_importer()],
            "source_path": str(self.path),
        }

        def build() -> Lark:
            check_closed(text)
            return Lark(text, **options)

        parser: Lark = self._explain(build)
        return parser

    @cached_property
    def sections(self) -> SectionCompiler:
        """The compiler of the rules to patterns."""
        return self._compile_sections()

    @cached_property
    def marked_sections(self) -> SectionCompiler:
        """The same with groups for marks, for tools that show each part of a line."""
        return self._compile_sections(marked=True)

    def _compile_sections(self, *, marked: bool = False) -> SectionCompiler:
        from .lark_insides import read_parse_table
        from .section_compiler import SectionCompiler

        table = read_parse_table(self.parser)
        states = list(table.states.values())
        # With delimiters, only the first line of a block is matched, and its end is searched for.
        # Marked patterns match whole blocks.
        delimiters = () if marked else (*self.fences, *self.closers)
        return SectionCompiler(
            self.named_rules, self.parser.terminals, states, marked=marked, delimiters=delimiters
        )


def _count_shared_end(text: str, second: str) -> int:
    """Return how many characters at the end of two texts are the same."""
    count = 0
    for character, second_character in zip(reversed(text), reversed(second), strict=False):
        if character != second_character:
            break
        count += 1
    return count


def _prepare(terminal: Any) -> None:
    """Refuse a terminal that is slow on some text, and make the others possessive."""
    from .ambiguity import refuse_attack

    if terminal.pattern.type != "str":
        pattern = terminal.pattern.to_regexp()
        refuse_attack(str(terminal.name), pattern)
    _make_possessive(terminal)


def _make_possessive(terminal: Any) -> None:
    """Let the repetitions of lines keep what they matched.

    The lines exclude what follows them, so nothing is lost. Without this, a block of n lines costs
    n backtracking frames: 1.5 GB for 10 MB of short lines.
    """
    pattern = terminal.pattern
    # Only the repetition of content lines ends with ")*".
    if terminal.name == "BLOCK":
        pattern.value = pattern.value.replace(")*", ")*+")
    elif terminal.name == "_GAP":
        pattern.value += "+"
