"""Compile a grammar and its named mistakes by Lark, within the bounds of work on a grammar."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from lark import Lark, Tree

from ..core.grammar.compiling.bounds import check_closed, read_grammar
from ..core.grammar.compiling.lark_errors import explain_failure
from ..core.grammar.compiling.lark_insides import build_callbacks, find_shift_conflicts, lexer_rank
from ..core.ground.errors import GrammarError
from .indentation import Indentation, guess_indenter, read_indenter, sign_source
from .tables import Tables

Engine = Literal["auto", "lalr", "earley"]
_RULE = re.compile(r"[?!]{0,2}(_?[a-z][a-z0-9_]*)(?:\.-?\d+)?\s*:")
_LEXERS = ("basic", "contextual")


@dataclass
class Written:
    """A grammar as it is written, for messages."""

    path: Path
    text: str

    def place(self, line: int, column: int) -> tuple[Path, int, int, str]:
        """Return the file, line and column of a place, and its line."""
        return self.path, line, column, self.text.split("\n")[line - 1]


@dataclass
class _Joined(Written):
    """A grammar and, below it, its mistakes, which have their own file."""

    grammar: Written

    def place(self, line: int, column: int) -> tuple[Path, int, int, str]:
        line_feeds = self.grammar.text.count("\n")
        above = line_feeds + 1
        if line <= above:
            return self.grammar.place(line, column)
        _, _, _, excerpt = super().place(line, column)
        own_line = line - above
        return self.path, own_line, column, excerpt


class Mistake(NamedTuple):
    """The words of a named mistake."""

    sentence: str
    hint: str


@dataclass(frozen=True)
class Compiled:
    """A grammar, ready for the search.

    Attributes:
        lark: Lark's parser of valid texts.
        reader: The parser whose tables the search uses: `lark`, unless that has a postlexer.
        indentation: The terminals that a postlexer makes of blanks; None: there is no postlexer.
        is_lalr: Whether it has LALR tables.
        lexer: "basic", "contextual" or "dynamic".
        tables: The grammar with its mistakes.
        callbacks: By rule, Lark's function that builds its part of a tree.
        to_lark: By name of a helper rule of the tables, its name in Lark's parser.
        to_tables: The reverse.
        mistakes: The words of mistakes, by code.
        blank: Separates words; empty if the grammar does not ignore blanks.
        notes: Decisions that a user may want to know.
    """

    lark: Lark
    reader: Lark
    indentation: Indentation | None
    is_lalr: bool
    lexer: str
    tables: Tables
    callbacks: Mapping[Any, Any]
    to_lark: Mapping[str, str]
    to_tables: Mapping[str, str]
    mistakes: Mapping[str, Mistake]
    blank: str
    notes: tuple[str, ...]


def read_source(grammar: str | Path, name: str) -> Written:
    """Return a grammar, given as text or as a path.

    Args:
        grammar: The text, or the path of its file.
        name: Stands for the file in messages, if there is none.

    Raises:
        GrammarError: The file cannot be read.
    """
    if isinstance(grammar, str):
        return Written(Path(name), grammar.removeprefix("\ufeff"))
    try:
        return Written(grammar, read_grammar(grammar).removeprefix("\ufeff"))
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        raise GrammarError(f"{grammar}: the grammar cannot be read: {reason}") from error


def compile_grammar(
    grammar: str | Path | Lark,
    start: str,
    mistakes: str | Path | None,
    engine: Engine,
    values: Mapping[str, str],
    options: Mapping[str, Any],
) -> Compiled:
    """Compile a grammar and its mistakes.

    Args:
        grammar: The grammar: text, path, or a parser of Lark.
        start: The start rule.
        mistakes: The recovery grammar: text or path.
        engine: The parser of valid texts.
        values: Texts to insert, by terminal.
        options: Options of Lark.

    Raises:
        GrammarError: The grammar cannot be compiled, or needs a postlexer.
    """
    # A parser of Lark is used as it is: only its options matter for the mistakes.
    notes: list[str] = []
    if isinstance(grammar, Lark):
        lark = grammar
        settings = lark.options
        source = Written(Path("<grammar>"), lark.source_grammar)
        options = {
            "maybe_placeholders": settings.maybe_placeholders,
            "keep_all_tokens": settings.keep_all_tokens,
            "propagate_positions": settings.propagate_positions,
            "g_regex_flags": settings.g_regex_flags,
            "import_paths": settings.import_paths,
            "source_path": lark.source_path,
            **options,
        }
        if start not in settings.start:
            raise GrammarError(f"the parser has no start rule {start!r}")
    else:
        source = read_source(grammar, "<grammar>")
        if isinstance(grammar, Path):
            options = {"source_path": str(grammar), **options}
        lark = compile_by_lark(source, start, engine, options, notes)
    _refuse_unsupported(lark, source, engine)
    reader = lark
    indentation = None
    marks: frozenset[str] = frozenset()
    # The lexer of the search is not Lark's.
    outer = ("lexer", "postlex")
    plain = {key: value for key, value in options.items() if key not in outer}
    if lark.options.postlex is not None:
        indentation = read_indenter(lark.options.postlex)
        marks = indentation.marks
        source = Written(source.path, sign_source(source.text, indentation))
        build_reader = partial(Lark, source.text, start=start, parser="lalr", **plain)
        reader = explain_failure(build_reader, source)
    own = _read_mistakes(mistakes)
    search = reader
    if own.text:
        # The mistakes extend the grammar, so both are one text for Lark.
        joined = _Joined(own.path, f"{source.text}\n{own.text}\n", source)
        build = partial(Lark, joined.text, start=start, parser="earley", **plain)
        search = explain_failure(build, joined)
    # A rule that only the recovery grammar has is a mistake, unless Lark made it.
    own_names = {str(rule.origin.name) for rule in reader.rules}
    added = {str(rule.origin.name) for rule in search.rules} - own_names
    is_mistake = frozenset(name for name in added if not name.startswith("__"))
    notes += _find_unpriced(search, reader, is_mistake)
    order = sorted(search.terminals, key=lexer_rank)
    build_tables = partial(Tables, search, start, values, is_mistake, order, marks)
    tables = explain_failure(build_tables, source)
    lexer = "dynamic"
    if lark.options.lexer in _LEXERS:
        lexer = lark.options.lexer
    to_lark = _match_helpers(search, reader)
    # A blank separates words only if the grammar ignores it.
    ignores_blanks = any(tables.regexes[name].fullmatch(" ") for name in tables.ignored)
    return Compiled(
        lark=lark,
        reader=reader,
        indentation=indentation,
        is_lalr=lark.options.parser == "lalr",
        lexer=lexer,
        tables=tables,
        callbacks={**build_callbacks(search, Tree), **build_callbacks(reader, Tree)},
        to_lark=to_lark,
        to_tables={name: helper for helper, name in to_lark.items()},
        mistakes=_read_words(own.text),
        blank=" " if ignores_blanks else "",
        notes=tuple(notes),
    )


def compile_by_lark(
    source: Written, start: str, engine: Engine, options: Mapping[str, Any], notes: list[str]
) -> Lark:
    """Compile a grammar for LALR if it fits, else for Earley.

    Args:
        source: The grammar.
        start: The start rule.
        engine: The wanted parser.
        options: Options of Lark.
        notes: Receives the decisions that a user may want to know.

    Raises:
        GrammarError: The grammar cannot be compiled.
    """
    if not source.text.strip():
        raise GrammarError(f"{source.path}: the grammar is empty")
    if "postlex" not in options:
        indenter = guess_indenter(source.text)
        if indenter is not None:
            notes.append(f"blocks are read by Lark's Indenter, at {indenter.NL_type}")
            options = {"postlex": indenter, **options}
    if options.get("postlex") is not None:
        engine = "lalr"  # Lark has postlexers for no other parser

    def build(**settings: Any) -> Lark:
        check_closed(source.text)
        return Lark(source.text, start=start, **settings)

    if engine == "earley":
        parser: Lark = explain_failure(partial(build, parser="earley", **options), source)
        return parser
    try:
        parser = explain_failure(partial(build, parser="lalr", **options), source)
    except GrammarError as refusal:
        if engine == "lalr" or "lexer" in options:
            raise
        try:
            parser = explain_failure(partial(build, parser="earley", **options), source)
        except GrammarError:
            # The error of LALR has a place more often than that of Earley.
            raise refusal from None
        notes.append("the grammar is not LALR(1): it is read by Earley's algorithm")
        return parser
    if engine == "auto" and "lexer" not in options:
        # Lark always shifts. Another reading of the text may be the intended one.
        conflicts = find_shift_conflicts(parser.rules, [start])
        if conflicts:
            notes.append(
                f"Lark resolves a conflict at {conflicts[0]} without a message: the grammar is "
                "read by Earley's algorithm"
            )
            parser = explain_failure(partial(build, parser="earley", **options), source)
    return parser


def _refuse_unsupported(lark: Lark, source: Written, engine: str) -> None:
    options = lark.options
    reason = ""
    if options.postlex is not None and options.parser != "lalr":
        reason = "a grammar with a postlexer is supported for the parser 'lalr' alone"
    elif options.use_bytes:
        reason = "use_bytes is not supported: texts are strings"
    elif options.regex:
        reason = "regex=True is not supported: terminals are patterns of Python's re"
    for name in (options.parser, engine):
        if name not in get_args(Engine):
            reason = f"the parser {name!r} is not supported: use 'lalr' or 'earley'"
    if reason:
        raise GrammarError(f"{source.path}: {reason}")


def _read_mistakes(mistakes: str | Path | None) -> Written:
    if mistakes is None:
        return Written(Path("<mistakes>"), "")
    return read_source(mistakes, "<mistakes>")


def _find_unpriced(search: Lark, reader: Lark, is_mistake: frozenset[str]) -> list[str]:
    """Return notes about what the recovery grammar allows without a price.

    It counts as valid text, unless it is a part of a mistake.
    """
    expansions = _list_expansions(search)
    own = _list_expansions(reader)
    priced = set()
    for rule in search.rules:
        name = str(rule.origin.name)
        priority = rule.options.priority or 0
        if name in is_mistake and priority < 0:
            priced.add(name)
    # The rules that are reached without a mistake.
    reached = list(search.options.start)
    for name in reached:
        passed = {*priced, *reached}
        below = chain.from_iterable(expansions.get(name, ()))
        reached += [part for part in dict.fromkeys(below) if part not in passed]
    notes = []
    for name in reached:
        if name in is_mistake:
            notes.append(f"the rule {name} of the recovery grammar has no negative priority")
        elif name in own:
            rows = expansions[name]
            plain = [row for row in rows if not _has_mistake(row, expansions, is_mistake)]
            if len(plain) > len(own[name]):
                notes.append(f"the recovery grammar gives {name} a form without a mistake")
    reason = "its text counts as valid"
    return [f"{note}: {reason}" for note in notes]


def _list_expansions(lark: Lark) -> dict[str, list[list[str]]]:
    """Return the names of the symbols in each expansion, by rule."""
    expansions: dict[str, list[list[str]]] = {}
    for rule in lark.rules:
        name = str(rule.origin.name)
        row = [str(symbol.name) for symbol in rule.expansion]
        expansions.setdefault(name, []).append(row)
    return expansions


def _has_mistake(
    row: list[str], expansions: Mapping[str, list[list[str]]], is_mistake: frozenset[str]
) -> bool:
    """Return whether an expansion, with its helper rules, has a mistake."""
    names = list(row)
    for name in names:
        if name in is_mistake:
            return True
        if name.startswith("__"):
            below = chain.from_iterable(expansions.get(name, ()))
            passed = set(names)
            names += [helper for helper in dict.fromkeys(below) if helper not in passed]
    return False


def _read_words(text: str) -> dict[str, Mistake]:
    """Return the `//!` comments of a recovery grammar, by the code of the rule below them."""
    words = {}
    # The comment above the current line.
    comment = ""
    for line in text.split("\n"):
        if line.startswith("//!"):
            comment = f"{comment} {line[3:].strip()}".strip()
            continue
        rule = _RULE.match(line)
        if rule and comment:
            sentence, _, hint = comment.partition("|")
            code = rule[1].strip("_").replace("_", "-")
            words[code] = Mistake(sentence.strip(), hint.strip())
        if rule or not line.strip():
            comment = ""
    return words


def _match_helpers(search: Lark, lark: Lark) -> dict[str, str]:
    """Match the helper rules of two compilations by the texts that they derive.

    Lark numbers them by their order, so one more rule changes their names.
    """
    by_shape: dict[str, str] = {}
    for name, shape in _shapes(lark).items():
        by_shape.setdefault(shape, name)
    matches = {}
    for name, shape in _shapes(search).items():
        if shape in by_shape:
            matches[name] = by_shape[shape]
    return matches


def _shapes(lark: Lark) -> dict[str, str]:
    """Return a spelling of each rule's name; that of a helper rule is its definition."""
    expansions: dict[str, list[Any]] = {}
    for rule in lark.rules:
        expansions.setdefault(str(rule.origin.name), []).append(rule.expansion)

    def spell(name: str, outer: tuple[str, ...]) -> str:
        if not name.startswith("__"):
            return name
        if name not in expansions:
            return name
        # A helper rule that repeats itself is named by its depth.
        if name in outer:
            return f"@{outer.index(name)}"
        inside = (*outer, name)
        rows = sorted(spell_all(expansion, inside) for expansion in expansions[name])
        return "{" + "|".join(rows) + "}"

    def spell_all(expansion: Any, outer: tuple[str, ...]) -> str:
        return " ".join(spell(str(symbol.name), outer) for symbol in expansion)

    return {name: spell(name, ()) for name in expansions}
