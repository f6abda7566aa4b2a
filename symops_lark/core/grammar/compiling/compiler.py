"""From a grammar file to a dialect: what Lark makes of it, kept in the user's cache in its plain form."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cached_property
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...ground import resources
from ...ground.errors import GrammarError
from ...ground.kept_tables import KeptTables
from ...ground.numbers import grouped
from ..dialect import TABLES, UNSAID, Dialect
from ..marks import FENCES
from .bounds import MOST_BYTES, MOST_DEFINITIONS, MOST_FILES, make_importer
from .gathering import find_base, gather

if TYPE_CHECKING:
    from lark import Lark

    from .lark_insides import Definitions
    from .own_sections import OwnSections
    from .section_compiler import SectionCompiler
    from .statements import Origin, Statement

# The marks without which rules cannot be read; a dialect without a rule has instead marks that no text has.
NEEDED = {"thought": ("thought",), "action": ("action", "target", "depends", "open", "close")}
_MARKS_OF = {
    "thought": ("thought",),
    "action": ("action", "target", "depends", "comma", "open", "close"),
    "vitals": ("vital",),
    "question": ("question", "dot"),
    "error": ("error",),
}
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
_COMPILED = ("own", "verbs", "lines", "sections", "lalr")  # by Lark
_MADE_OF = ("_tables", "_kept", "path", "files")


class WrittenDialect(Dialect):
    """A dialect with its grammar at hand: `path` is its file, `text` the whole grammar, with what it builds on.

    It is compiled when a table is first asked for, unless the same grammar was compiled before and was `kept`. `files`
    are all that it is made of, those included that Lark itself may read: path and text.
    """

    def __init__(self, path: Path, text: str, *, kept: bool = True) -> None:
        super().__init__({})
        self.path = path
        self.files = gather(path, text)
        self._kept = KeptTables("dialect", ("core/grammar",), self.contents()) if kept else None
        if not self._remember() and path.parent != resources.find_folder("grammars"):
            _ = self.statements  # which says what is wrong

    def __eq__(self, other: object) -> bool:
        return isinstance(other, WrittenDialect) and (other.path, other.files) == (self.path, self.files)

    def __hash__(self) -> int:
        return hash(self.files[0])

    def __getstate__(self) -> dict[str, Any]:
        return {name: vars(self)[name] for name in _MADE_OF}  # what is worked out again, such as Lark's trees, stays

    def contents(self) -> list[str]:
        """Return the names and texts of all that the grammar is made of: what is compiled of it is named after them."""
        return [part for path, text in self.files for part in (path.name, text)]

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """The definitions, those of the files included that it builds on."""
        from .statements import flatten

        read = 0, 0

        def find_counted(path: Path, name: str) -> tuple[Path, str]:
            nonlocal read
            found = find_base(path, name)
            read = read[0] + 1, read[1] + len(found[1])
            if read[0] >= MOST_FILES or read[1] + len(self.files[0][1]) > MOST_BYTES:
                many = f"{MOST_FILES} files or {grouped(MOST_BYTES)} bytes"
                raise GrammarError(f"{self.path}: the grammar builds on more than {many}")
            return found

        statements = flatten(*self.files[0], find_counted)
        if len(statements) - sum(not statement.name for statement in statements) > MOST_DEFINITIONS:
            raise GrammarError(f"{self.path}: the grammar has more than {grouped(MOST_DEFINITIONS)} definitions")
        return statements

    @cached_property
    def _joined(self) -> tuple[str, tuple[Origin, ...]]:
        from .statements import join

        return join(self.statements)

    @property
    def text(self) -> str:
        """The whole grammar as one text."""
        return self._joined[0]

    @property
    def origins(self) -> tuple[Origin, ...]:
        """Where each line of the text comes from."""
        return self._joined[1]

    def table(self, name: str) -> Any:
        """Return one of `TABLES`, from the cache or from the grammar."""
        if name not in self._tables:
            with resources.announce(f"compiling {self.path.stem}, which is kept"):
                self._tables[name] = _explain(lambda: _MAKERS[name](self), self)
            if name in _COMPILED and self._kept:
                kept, self._kept = self._kept, None
                with suppress(GrammarError):  # of a table that nobody may ever ask for
                    kept.write(self.to_data())
        return self._tables[name]

    def _remember(self) -> bool:
        """Take the tables from the user's cache; return whether they were there."""
        tables = self._kept.read() if self._kept else None
        if not isinstance(tables, dict) or tables.keys() != set(TABLES):
            return False
        self._tables = tables
        return True

    def place(self, line: int, column: int) -> tuple[Path, int, int, str]:
        """Return the file, line and column (1-based) of a place in `text`, and the line as it is written there."""
        from .statements import Origin

        shown = self.text.split("\n")[line - 1]
        origin = self.origins[min(line, len(self.origins)) - 1] if self.origins else Origin(self.path, line, shown)
        pairs = zip(reversed(shown), reversed(origin.written), strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))  # characters that both end with
        if shown != origin.written:
            column = column + len(origin.written) - len(shown) if len(shown) - column < same else 1
        return origin.path, origin.line, column, origin.written

    @cached_property
    def definitions(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The trees that Lark makes of the definitions of rules, and of terminals, by name."""
        from .lark_insides import load_definitions

        loaded: Definitions = _explain(lambda: load_definitions(self.text, self.path), self)
        return loaded.rules, loaded.terminals

    @cached_property
    def named_rules(self) -> dict[str, Any]:
        """The trees of the rules, in which each text in quotes is the terminal that Lark makes of it and leaves out."""
        from .own_sections import name_texts

        return name_texts(self.definitions[0], self.parser.terminals)

    @cached_property
    def starts(self) -> tuple[str, ...]:
        """The rules that are read alone: the document and its sections."""
        from .own_sections import find_sections

        rules = self.definitions[0]
        return *(start for start in STARTS if start in rules), *find_sections(rules)

    @cached_property
    def parser(self) -> Lark:
        """Lark's own LALR parser: what it says of a text is what the frozen tables say."""
        from lark import Lark

        options: dict[str, Any] = {
            "parser": "lalr",
            "start": list(self.starts),
            "propagate_positions": True,
            "edit_terminals": _prepare,
            "import_paths": [make_importer()],
            "source_path": str(self.path),
        }
        built: Lark = _explain(lambda: Lark(self.text, **options), self)
        return built

    @cached_property
    def sections(self) -> SectionCompiler:
        """What makes patterns of the rules."""
        return self._compile_sections()

    @cached_property
    def marked_sections(self) -> SectionCompiler:
        """The same, with slots for marks: what tells each part of a line, not only what is said."""
        return self._compile_sections(marked=True)

    def _compile_sections(self, *, marked: bool = False) -> SectionCompiler:
        from .lark_insides import read_parse_table
        from .section_compiler import SectionCompiler

        states = list(read_parse_table(self.parser).states.values())
        known = () if marked else (*self.fences, *self.closers)
        return SectionCompiler(self.named_rules, self.parser.terminals, states, marked=marked, delimiters=known)


def _explain(make: Callable[[], Any], dialect: WrittenDialect) -> Any:
    """Return what is made; what goes wrong is told of the grammar's files."""
    from .lark_errors import explain_failure

    return explain_failure(make, dialect)


def _make_marks(dialect: WrittenDialect) -> dict[str, str]:
    from .statements import read_marks

    marks = read_marks(dialect.statements)
    if "document" not in dialect.rules:
        raise GrammarError(f"{dialect.path}: no rule `document`: the whole text, such as document: (_GAP | thought)*")
    needed = {f"{name}": names for name, names in NEEDED.items() if name in dialect.rules}
    missing = {mark for names in needed.values() for mark in names} - marks.keys()
    if missing:
        raise GrammarError(
            f"{dialect.path}: no mark {', '.join('_' + m.upper() for m in sorted(missing))}: write "
            'each as a terminal that is one string, such as _ACTION: "::"'
        )
    lacking = (names for rule, names in _MARKS_OF.items() if rule not in dialect.rules)
    unsaid = {mark: f"{UNSAID}{mark}" for names in lacking for mark in names}
    return {**unsaid, **marks}


def _make_forms(dialect: WrittenDialect) -> list[str]:
    mark = next((statement.body for statement in dialect.statements if statement.name == "_mark"), "")
    found = {
        "numbers": "NUMBER" in mark,
        "attributes": "attribute" in dialect.rules,
        "end_marks": "end_close" in dialect.marks,
        "fences": "open_4" in dialect.marks,
        "lines": "action" in dialect.rules and "head" not in dialect.rules,
    }
    return sorted(name for name, there in found.items() if there)


def _make_fences(dialect: WrittenDialect) -> dict[str, list[str]]:
    marks = dialect.marks
    pairs = {marks["open"]: [marks[name] for name in ("close", "end_close") if name in marks]}
    return pairs | {marks[f"open_{n}"]: [marks[f"close_{n}"]] for n in FENCES if f"open_{n}" in marks}


def _make_verbs(dialect: WrittenDialect) -> dict[str, list[str]]:
    rules, terminals = dialect.definitions
    groups: dict[str, list[str]] = {}
    for group, rule in _VERB_GROUPS.items():
        if rule not in rules and "action" not in rules:
            groups[group] = [UNSAID + group]
            continue
        if rule not in rules:
            raise GrammarError(f"{dialect.path}: no rule {rule}: it lists the verbs of that group, such as RUN | TEST")
        names = [str(t.name) for t in rules[rule].scan_values(lambda t: hasattr(t, "name"))]
        wrong = [name for name in names if name not in terminals]
        if wrong:
            raise GrammarError(f"{dialect.path}: the rule {rule} lists terminals, each a verb; {wrong[0]} is none")
        groups[group] = [_read_verb(dialect, name, terminals[name]) for name in names]
    further = dialect.table("own").get("verbs")
    return groups | ({"further": further} if further else {})


def _read_verb(dialect: WrittenDialect, name: str, tree: Any) -> str:
    tokens = [token for token in tree.scan_values(lambda token: True) if token.type in ("STRING", "REGEXP")]
    if len(tokens) != 1 or tokens[0].type != "STRING" or not tokens[0].endswith('"'):
        raise GrammarError(f"{dialect.path}: the verb {name} is no fixed text: write it in double quotes")
    return str(ast.literal_eval(str(tokens[0])))


def _freeze_tables(parser: Lark) -> dict[str, Any]:
    """Return the tables of Lark's parser as `grammar/lalr` runs them.

    Terminals in the order in which Lark tries them: name, pattern, whether it is a fixed string, that string, priority.
    States: for each action (a state to go to, or the rule to reduce by, as -1 and below) the numbers of the symbols
    that ask for it. Rules: name, alias, for each symbol whether its children are taken in and whether it is left out,
    whether an only child stands for it, and how many children that are not there stand before each symbol.
    """
    from .lark_insides import lexer_rank, read_parse_table

    table = read_parse_table(parser)
    ordered = sorted(parser.terminals, key=lexer_rank)
    rules: dict[Any, int] = {}
    symbols = sorted({symbol for state in table.states.values() for symbol in state})
    numbers = {state: number for number, state in enumerate(table.starts.values())}
    waiting, states = list(numbers), []
    for state in waiting:  # as they are met: Lark's own numbers are others in each process
        actions: dict[int, list[int]] = {}
        for symbol, (is_shift, target) in sorted(table.states[state].items()):
            if is_shift and target not in numbers:
                numbers[target] = len(numbers)
                waiting.append(target)
            action = numbers[target] if is_shift else -1 - rules.setdefault(target, len(rules))
            actions.setdefault(action, []).append(symbols.index(symbol))
        states.append([[action, *sorted(asking)] for action, asking in actions.items()])
    return {
        "terminals": [
            [t.name, t.pattern.to_regexp(), t.pattern.type == "str", t.pattern.value, t.priority] for t in ordered
        ],
        "symbols": symbols,
        "states": states,
        "starts": {start: numbers[state] for start, state in table.starts.items()},
        "ends": {start: numbers[table.ends[start]] for start in table.starts},
        "rules": [_freeze_rule(rule) for rule in rules],
        "ignored": list(parser.ignore_tokens),
    }


def _freeze_rule(rule: Any) -> list[Any]:
    options = rule.options
    symbols = [
        [
            not symbol.is_term and symbol.name.startswith("_"),
            symbol.is_term and symbol.filter_out and not options.keep_all_tokens,
        ]
        for symbol in rule.expansion
    ]
    empty = options.empty_indices or (False,) * len(symbols)
    before = [len(run) for run in "".join("1" if there_is_none else "0" for there_is_none in empty).split("0")]
    return [str(rule.origin.name), rule.alias and str(rule.alias), symbols, bool(options.expand1), before]


def _make_relatives(dialect: WrittenDialect) -> list[dict[str, str]]:
    from .statements import flatten, read_marks

    paths = [resources.find_folder("grammars") / f"{name}.lark" for name in ("v1", "v2")]
    return [read_marks(flatten(path, path.read_text("utf-8"), find_base)) for path in paths]


def _own(dialect: WrittenDialect) -> OwnSections:
    from .kept_parts import check_places
    from .own_sections import OwnSections

    check_places(dialect.parser.rules)
    terminals = {terminal.name: terminal.pattern for terminal in dialect.parser.terminals}
    terminals |= {f"_{name}": pattern for name, pattern in terminals.items() if not name.startswith("_")}
    return OwnSections(dialect.named_rules, terminals, dialect.sections)


def _make_lines(dialect: WrittenDialect) -> dict[str, str]:
    from .own_sections import find_sections

    own = _own(dialect)
    lines = {rule: dialect.sections.regex(rule) for rule in LINE_RULES if rule in dialect.named_rules}
    return lines | {rule: own.first_line(rule) for rule in find_sections(dialect.named_rules)}


_MAKERS: Mapping[str, Any] = {
    "name": lambda dialect: dialect.path.stem,
    "file": lambda dialect: dialect.path.name,
    "fingerprint": lambda dialect: hashlib.sha256(dialect.text.encode()).hexdigest()[:16],
    "marks": _make_marks,
    "rules": lambda dialect: sorted({statement.name for statement in dialect.statements}),
    "forms": _make_forms,
    "fences": _make_fences,
    "verbs": _make_verbs,
    "own": lambda dialect: _own(dialect).to_data(),
    "lines": _make_lines,
    "sections": lambda dialect: dialect.sections.to_data(dialect.starts),
    "lalr": lambda dialect: _freeze_tables(dialect.parser),
    "relatives": _make_relatives,
}


def _prepare(terminal: Any) -> None:
    """Refuse a terminal that a text can keep busy; let the others keep what they took."""
    from .ambiguity import refuse_attack

    if terminal.pattern.type != "str":
        refuse_attack(str(terminal.name), terminal.pattern.to_regexp())
    _make_possessive(terminal)


def _make_possessive(terminal: Any) -> None:
    """Let the repetitions of lines keep what they took: the lines exclude what follows, so nothing is lost.

    Without this a block of n lines costs n backtracking frames: 1.5 GB for 10 MB of short lines.
    """
    if terminal.name == "BLOCK":
        terminal.pattern.value = terminal.pattern.value.replace(")*", ")*+")
    elif terminal.name == "_GAP":
        terminal.pattern.value += "+"
