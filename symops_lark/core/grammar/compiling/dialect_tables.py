"""Make the tables of a dialect from its grammar.

`MAKERS` has a function for each name in `dialect.TABLES`. It returns JSON values, so a dialect that
was compiled once can be stored, and read by programs without Lark.

    marks, rules, forms, fences     from the statements of the grammar
    verbs, own, lines, sections     from the rules and terminals that Lark reads
    lalr                            from Lark's parser
    name, file, fingerprint         of the grammar's file and text
    relatives                       the marks of v1 and v2

A maker raises `GrammarError`, or `ValueError` with the name of a rule or terminal in quotes:
`lark_errors` then finds the place.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ...ground import resources
from ...ground.errors import GrammarError
from ..dialect import UNSAID
from ..marks import FENCES
from .gathering import find_base

if TYPE_CHECKING:
    from lark import Lark

    from .own_sections import OwnSections
    from .section_compiler import SectionCompiler
    from .statements import Statement

# The rules of one line. A line of a broken text has the kind of the first that matches it.
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
# By rule, the marks that get a substitute (`UNSAID`) if the dialect does not have the rule.
_MARKS_OF_RULES = {
    "thought": ("thought",),
    "action": ("action", "target", "depends", "comma", "open", "close"),
    "vitals": ("vital",),
    "question": ("question", "dot"),
    "error": ("error",),
}
_VITALS = ("confidence", "mood", "focus", "stamina")
# Rules that an action of several lines may do without, with their marks.
_OPTIONAL_MARKS = {"depends_line": ("depends", "comma"), "BLOCK": ("open", "close")}
_REQUIRED_MARKS = {"thought", "action", "target", "depends", "open", "close"}
_VERB_GROUPS = {"running": "_running", "writing": "_writing", "removing": "_removing"}
_FINGERPRINT_DIGITS = 16  # hexadecimal; 64 bits, enough to distinguish grammars


class Grammar(Protocol):
    """What the makers need of a `WrittenDialect`, which documents it."""

    path: Path

    @property
    def text(self) -> str:
        """The complete grammar as one text."""

    @property
    def statements(self) -> tuple[Statement, ...]:
        """Its statements."""

    @property
    def rules(self) -> frozenset[str]:
        """The names of its rules and terminals."""

    @property
    def marks(self) -> dict[str, str]:
        """Its marks."""

    @property
    def definitions(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The trees of its rules and of its terminals."""

    @property
    def named_rules(self) -> dict[str, Any]:
        """The trees of its rules, with terminals in place of texts in quotes."""

    @property
    def starts(self) -> tuple[str, ...]:
        """The rules that a text may be."""

    @property
    def parser(self) -> Lark:
        """Lark's parser."""

    @property
    def sections(self) -> SectionCompiler:
        """The compiler of its rules to patterns."""

    def table(self, name: str) -> Any:
        """Return another table."""


# ---- from the file and the statements


def _make_name(grammar: Grammar) -> str:
    return grammar.path.stem


def _make_file(grammar: Grammar) -> str:
    return grammar.path.name


def _make_fingerprint(grammar: Grammar) -> str:
    digest = hashlib.sha256(grammar.text.encode())
    return digest.hexdigest()[:_FINGERPRINT_DIGITS]


def _make_rules(grammar: Grammar) -> list[str]:
    return sorted({statement.name for statement in grammar.statements})


def _make_marks(grammar: Grammar) -> dict[str, str]:
    from .statements import find_reached, read_marks

    marks = read_marks(grammar.statements)
    if "document" not in grammar.rules:
        raise GrammarError(
            f"{grammar.path}: no rule `document`: the whole text, such as document: "
            "(_GAP | thought)*"
        )
    rows = dict(_MARKS_OF_RULES)
    absent: set[str] = set()
    # Of an action of one line, they are parts of its rule `head`. Each vital may be missing alone.
    if "action" in grammar.rules and "head" not in grammar.rules:
        rows |= _OPTIONAL_MARKS
        absent.update(_VITALS)
    absent |= {name for rule, names in rows.items() if rule not in grammar.rules for name in names}
    required = {name for rule, names in rows.items() if rule in grammar.rules for name in names}
    missing = sorted((required & _REQUIRED_MARKS) - absent - marks.keys())
    if missing:
        terminals = ", ".join(f"_{name.upper()}" for name in missing)
        raise GrammarError(
            f"{grammar.path}: no mark {terminals}: write each as a terminal that is one string, "
            'such as _ACTION: "::"'
        )
    # A grammar may define blocks that no text of it has.
    if find_reached(grammar.statements, "document").isdisjoint(("_OPEN", "_CLOSE")):
        marks |= {name: UNSAID + name for name in ("open", "close")}
    # A terminal that is not one string, such as `_ERROR: _ACTION`, is no mark.
    absent |= {name for name in required - marks.keys() if f"_{name.upper()}" in grammar.rules}
    return {name: UNSAID + name for name in sorted(absent)} | marks


def _make_forms(grammar: Grammar) -> list[str]:
    # Actions have numbers if their mark may be followed by one.
    mark_bodies = [s.body for s in grammar.statements if s.name == "_mark"]
    has_form = {
        "numbers": bool(mark_bodies) and "NUMBER" in mark_bodies[0],
        "attributes": "attribute" in grammar.rules,
        "end_marks": "end_close" in grammar.marks,
        "fences": "open_4" in grammar.marks,
        "lines": "action" in grammar.rules and "head" not in grammar.rules,
    }
    return sorted(name for name, is_there in has_form.items() if is_there)


def _make_fences(grammar: Grammar) -> dict[str, list[str]]:
    marks = grammar.marks
    closers = [marks[name] for name in ("close", "end_close") if name in marks]
    fences = {marks["open"]: closers}
    for length in FENCES:
        opener = marks.get(f"open_{length}")
        if opener is not None:
            fences[opener] = [marks[f"close_{length}"]]
    return fences


def _make_relatives(grammar: Grammar) -> list[dict[str, str]]:
    from .statements import flatten, read_marks

    folder = resources.find_folder("grammars")
    relatives = []
    for name in ("v1", "v2"):
        path = folder / f"{name}.lark"
        text = path.read_text("utf-8")
        statements = flatten(path, text, find_base)
        relatives.append(read_marks(statements))
    return relatives


# ---- from the rules and terminals


def _make_verbs(grammar: Grammar) -> dict[str, list[str]]:
    rules, _ = grammar.definitions
    groups = {}
    for group, rule in _VERB_GROUPS.items():
        if rule in rules:
            groups[group] = _read_verbs(grammar, rule)
        elif "action" in rules:
            raise GrammarError(
                f"{grammar.path}: no rule {rule}: it lists the verbs of that group, such as "
                "RUN | TEST"
            )
        else:  # a dialect without actions: a word that no text has
            groups[group] = [UNSAID + group]
    custom = grammar.table("own").get("verbs")
    if custom:
        groups["further"] = custom
    return groups


def _read_verbs(grammar: Grammar, rule: str) -> list[str]:
    """Return the verbs that the rule of a group lists."""
    rules, terminals = grammar.definitions
    symbols = rules[rule].scan_values(lambda node: hasattr(node, "name"))
    names = [str(symbol.name) for symbol in symbols]
    for name in names:
        if name not in terminals:
            raise GrammarError(
                f"{grammar.path}: the rule {rule} lists terminals, each a verb: expected a "
                f"terminal, got {name}"
            )
    return [_read_verb(grammar, name, terminals[name]) for name in names]


def _read_verb(grammar: Grammar, name: str, tree: Any) -> str:
    """Return the text of the terminal of a verb."""
    tokens = list(tree.scan_values(lambda token: token.type in ("STRING", "REGEXP")))
    # A string with a flag, such as "run"i, has many texts.
    is_fixed = len(tokens) == 1 and tokens[0].type == "STRING" and tokens[0].endswith('"')
    if not is_fixed:
        raise GrammarError(
            f"{grammar.path}: the verb {name} is not a fixed text: write it in double quotes"
        )
    return str(ast.literal_eval(str(tokens[0])))


def _patterns_of(grammar: Grammar) -> dict[str, Any]:
    return {terminal.name: terminal.pattern for terminal in grammar.parser.terminals}


def read_own(grammar: Grammar) -> OwnSections:
    """Return the reader of the custom sections of a grammar."""
    from .kept_parts import check_places
    from .own_sections import OwnSections

    # Also for tools, which load a grammar that cannot be served.
    check_places(grammar.parser.rules)
    terminals = _patterns_of(grammar)
    # Lark leaves out a text in quotes; `own_sections` looks its terminal up with an underscore.
    for name, pattern in list(terminals.items()):
        if not name.startswith("_"):
            terminals[f"_{name}"] = pattern
    return OwnSections(grammar.named_rules, terminals, grammar.sections)


def _make_own(grammar: Grammar) -> dict[str, Any]:
    return read_own(grammar).to_data()


def _make_lines(grammar: Grammar) -> dict[str, str]:
    from .rule_trees import find_sections

    own = read_own(grammar)
    rules = grammar.named_rules
    lines = {rule: grammar.sections.regex(rule) for rule in LINE_RULES if rule in rules}
    for rule in find_sections(rules):
        lines[rule] = own.first_line(rule)
    return lines


def _make_sections(grammar: Grammar) -> dict[str, Any]:
    return grammar.sections.to_data(grammar.starts)


def _make_served(grammar: Grammar) -> bool:
    """Refuse a grammar whose texts the parser would read with a loss, or not at all."""
    from .kept_parts import refuse_unservable
    from .rule_trees import find_sections

    sections = find_sections(grammar.named_rules)
    _, terminals = grammar.definitions
    refuse_unservable(sections, grammar.parser.rules, _patterns_of(grammar), terminals)
    return True


# ---- from Lark's parser


def _make_lalr(grammar: Grammar) -> dict[str, Any]:
    return freeze_parser(grammar.parser)


def freeze_parser(parser: Lark) -> dict[str, Any]:
    """Return the tables of Lark's parser as `lalr.LalrParser` runs them.

    Args:
        parser: A parser with `parser="lalr"`.

    Returns:
        `terminals`: in the order in which Lark tries them, each as its name, pattern, whether it is
        a fixed string, that string, and priority. `symbols`: the names of all terminals and rules.
        `states`: for each state a list of actions, each with the numbers of the symbols that ask
        for it. An action is the state to go to, or -1 minus the number of a rule to reduce by.
        `starts` and `ends`: the first and the accepting state of each start rule. `rules`: see
        `_freeze_rule`. `ignored`: the terminals that `%ignore` names.
    """
    from .lark_insides import lexer_rank, read_parse_table

    table = read_parse_table(parser)
    symbols = sorted({symbol for state in table.states.values() for symbol in state})
    rules: dict[Any, int] = {}
    numbers: dict[Any, int] = {}
    for state in table.starts.values():  # not by Lark's numbers, which are others in each process
        numbers.setdefault(state, len(numbers))
    waiting = list(numbers)
    states = []
    for state in waiting:  # grows while it is read
        actions: dict[int, list[int]] = {}
        for symbol, (is_shift, target) in sorted(table.states[state].items()):
            if is_shift:
                if target not in numbers:
                    numbers[target] = len(numbers)
                    waiting.append(target)
                action = numbers[target]
            else:
                action = -1 - rules.setdefault(target, len(rules))
            actions.setdefault(action, []).append(symbols.index(symbol))
        states.append([[action, *sorted(asking)] for action, asking in actions.items()])
    terminals = sorted(parser.terminals, key=lexer_rank)
    return {
        "terminals": [_freeze_terminal(terminal) for terminal in terminals],
        "symbols": symbols,
        "states": states,
        "starts": {start: numbers[state] for start, state in table.starts.items()},
        "ends": {start: numbers[table.ends[start]] for start in table.starts},
        "rules": [_freeze_rule(rule) for rule in rules],
        "ignored": list(parser.ignore_tokens),
    }


def _freeze_terminal(terminal: Any) -> list[Any]:
    pattern = terminal.pattern
    is_fixed = pattern.type == "str"
    return [terminal.name, pattern.to_regexp(), is_fixed, pattern.value, terminal.priority]


def _freeze_rule(rule: Any) -> list[Any]:
    """Return a rule as its name, alias, symbols, whether an only child replaces it, placeholders.

    A symbol is whether its children become those of the rule, and whether it is left out.
    Placeholders are the numbers of missing optional parts before each symbol and after the last.
    """
    options = rule.options
    symbols = []
    for symbol in rule.expansion:
        is_inlined = not symbol.is_term and symbol.name.startswith("_")
        is_left_out = symbol.is_term and symbol.filter_out and not options.keep_all_tokens
        symbols.append([is_inlined, is_left_out])
    # Lark has one flag for each symbol and each missing part, True for a missing one.
    flags = options.empty_indices or (False,) * len(symbols)
    placeholders = [0]
    for is_missing in flags:
        if is_missing:
            placeholders[-1] += 1
        else:
            placeholders.append(0)
    alias = rule.alias and str(rule.alias)
    return [str(rule.origin.name), alias, symbols, bool(options.expand1), placeholders]


MAKERS: Mapping[str, Callable[[Grammar], Any]] = {
    "name": _make_name,
    "file": _make_file,
    "fingerprint": _make_fingerprint,
    "marks": _make_marks,
    "rules": _make_rules,
    "forms": _make_forms,
    "fences": _make_fences,
    "verbs": _make_verbs,
    "own": _make_own,
    "lines": _make_lines,
    "sections": _make_sections,
    "lalr": _make_lalr,
    "relatives": _make_relatives,
    "served": _make_served,
}
