"""Write the tables of a dialect's strict parser as one JSON object, for runtimes of any language.

Everything follows from `freeze_strict`, so a new dialect needs no code here. The format is
documented in docs/embedding.md and in `tables.schema.json`, beside this module. Rows are
texts of numbers in which `value*count` is a run: short, and legible in a diff.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...core.document import VITAL_NAMES
from ...core.grammar.compiling.compiler import WrittenDialect
from ...core.grammar.lalr import END, read_states
from ...core.grammar.loading import load_grammar
from ...core.ground.errors import ExportError
from ...core.patterns.regexes import compile_pattern
from ...core.strict.explain import describe_terminals
from ..automata.terminals import NotRegular
from ..features import find_definition, show_place
from .dfa import DEAD, Dfa, JsonTable, Rows, find_skips, minimize, squeeze
from .errors import ATTRIBUTE_LINES, freeze_errors
from .frozen import freeze_strict
from .lines import compile_lines

VERSION = 1


def portable_tables(format: str | Path | WrittenDialect = "v2") -> JsonTable:
    """Return the tables of a dialect's strict parser, as `symops export tables` writes them.

    Args:
        format: The dialect: its name, the path of a .lark file, or a loaded grammar.

    Returns:
        A JSON object of the schema `symops_lark.schema("tables")`.

    Raises:
        ExportError: A terminal of the dialect is not a regular language.
        GrammarError: There is no such dialect, or its grammar is not valid.
    """
    dialect = load_grammar(format)
    try:
        return _freeze(dialect)
    except NotRegular as error:
        name = error.terminal or "document"
        definition = find_definition(dialect, name)
        place = show_place(dialect, definition)
        raise ExportError(f"{place}: the export tables cannot keep {name}: {error}") from None


def _freeze(dialect: WrittenDialect) -> JsonTable:
    frozen = freeze_strict(dialect)
    lalr = frozen["lalr"]
    symbols = lalr["symbols"]
    marks = dialect.marks
    lexers = _freeze_lexers(lalr)
    vitals = dict(VITAL_NAMES)
    vitals.update({marks[name]: name for name in VITAL_NAMES.values() if name in marks})
    terminals = []
    for name, *_ in lalr["terminals"]:
        symbol = -1
        if name in symbols:
            symbol = symbols.index(name)
        described = list(describe_terminals([name], marks))
        terminals.append({"name": name, "symbol": symbol, "said": described})
    lines = None
    # Only the message for a missing path asks for the kinds of lines.
    if ATTRIBUTE_LINES in marks:
        lines = compile_lines(dialect)
        lines["rows"] = pack(lines["rows"])
    return {
        "symops_tables": VERSION,
        "dialect": dialect.name,
        "fingerprint": dialect.fingerprint,
        "marks": dialect.said_marks,
        "fences": frozen["fences"],
        "verbs": frozen["verbs"],
        "vitals": vitals,
        "vital_mark": marks.get("vital", ""),
        "own": _freeze_own(frozen["own"]),
        "classes": lexers.pop("classes"),
        "dfa": lexers.pop("dfa"),
        "terminals": terminals,
        **lexers,
        "symbols": len(symbols),
        "actions": pack(_freeze_actions(lalr)),
        "start": lalr["starts"]["document"],
        "end": lalr["ends"]["document"],
        "end_symbol": symbols.index(END),
        "rules": [_freeze_rule(rule, symbols) for rule in lalr["rules"]],
        "lines": lines,
        "errors": freeze_errors(dialect, frozen, pack),
    }


def _freeze_own(own: JsonTable) -> JsonTable | None:
    """Return the names of the rules that only this dialect has; None if there are none."""
    if not own:
        return None
    sections = sorted(own.get("sections", ()))
    parts = sorted(own.get("parts", ()))
    return {"sections": sections, "parts": parts}


def _freeze_lexers(lalr: JsonTable) -> JsonTable:
    """Return the automaton of all lexers, and which lexer each state of the parser has."""
    terminals = lalr["terminals"]
    ignored = lalr["ignored"]
    numbers = {}
    for index, terminal in enumerate(terminals):
        numbers[terminal[0]] = index
    dfa = Dfa(terminals)
    starts: list[int] = []
    lexers: list[JsonTable] = []
    lexer_numbers: dict[tuple[str, ...], int] = {}
    lexer_of = []
    for accepted in read_states(lalr):
        # The contextual lexer of Lark tries what the parser can take, and what is ignored anywhere.
        tried = [t for t in terminals if t[0] in accepted or t[0] in ignored]
        key = tuple(terminal[0] for terminal in tried)
        if key not in lexer_numbers:
            lexer_numbers[key] = len(lexers)
            words = _find_words(tried)
            embedded = {word for _, _, word in words}
            # Words are recognized after the scan, so that the automaton stays small.
            names = [name for name in key if name not in embedded]
            start = DEAD
            if names:
                start = dfa.start(names)
            starts.append(start)
            tries = [numbers[name] for name in names if name not in ignored]
            numbered = []
            for name, text, word in words:
                numbered.append([numbers[name], text, numbers[word]])
            lexers.append({"tries": tries, "words": numbered})
        lexer_of.append(lexer_numbers[key])
    dfa.close()
    rows, match, starts = minimize(dfa.rows, dfa.match, starts)
    rows, cuts = squeeze(rows, dfa.alphabet)
    skips = list(map(list, find_skips(rows, cuts)))
    for lexer, start in zip(lexers, starts, strict=True):
        lexer["start"] = start
    return {
        "classes": cuts,
        "dfa": {"rows": pack(rows), "match": match, "skips": skips},
        "lexers": lexers,
        "lexer_of": lexer_of,
        "ignored": [numbers[name] for name in ignored],
    }


def _find_words(terminals: list[Any]) -> list[tuple[str, str, str]]:
    """Return the fixed terminals that a pattern matches as a whole: pattern, text and terminal."""
    words = []
    for name, pattern, is_fixed, _, priority in terminals:
        if is_fixed:
            continue
        compiled = compile_pattern(pattern)
        for word, _, is_word, text, word_priority in terminals:
            # Lark recognizes a word inside another terminal only at the same priority.
            if not is_word or word_priority != priority:
                continue
            match = compiled.match(text)
            if match is None:
                continue
            if match[0] == text:
                words.append((name, text, word))
    return words


def _freeze_actions(lalr: JsonTable) -> Rows:
    """Return for each state the action by symbol: a state + 1, -1 - a rule, or 0 for an error."""
    symbols: list[str] = lalr["symbols"]
    numbers = {name: number for number, name in enumerate(symbols)}
    rows = []
    for accepted in read_states(lalr):
        row = [0] * len(symbols)
        for name, (is_shift, target) in accepted.items():
            # 0 is left for errors: states count from 1, and rules from -1 downwards.
            action = target + 1
            if not is_shift:
                action = -action
            row[numbers[name]] = action
        rows.append(row)
    return rows


def _freeze_rule(rule: list[Any], symbols: list[str]) -> list[Any]:
    """Return a rule: origin, name, how each part is kept, whether one child replaces it, holes."""
    origin, alias, parts, expands, holes = rule
    parts_kept = []
    for is_inlined, is_left_out in parts:
        treatment = int(is_left_out)
        if is_inlined:
            treatment = 2
        parts_kept.append(treatment)
    # A rule with a name of its own keeps its node.
    is_replaced = int(bool(expands) and not alias)
    if not any(holes):
        holes = 0
    name = alias or origin
    symbol = symbols.index(origin)
    return [symbol, name, parts_kept, is_replaced, holes]


def pack(rows: Rows) -> list[str]:
    """Write rows of numbers as texts; `value*count` is a run of the same number."""
    return list(map(_pack_row, rows))


def _pack_row(row: list[int]) -> str:
    runs: list[list[int]] = []
    last = None
    for value in row:
        if value != last:
            runs.append([value, 0])
            last = value
        run = runs[-1]
        run[1] += 1
    words = []
    for value, count in runs:
        word = str(value)
        if count > 1:
            word = f"{value}*{count}"
        words.append(word)
    return " ".join(words)
