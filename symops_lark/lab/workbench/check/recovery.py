"""Checks of a recovery grammar: it reads every text, and each mistake has a name and a sentence."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Iterator, Sequence
from difflib import get_close_matches
from itertools import chain

from ....core.grammar.compiling.compiler import WrittenDialect
from ....core.grammar.loading import load_dialect, recovery_text
from ....core.grammar.mistakes import MISTAKE, mistake_name, read_mistakes
from ....core.ground.errors import GrammarError
from ....core.recovery.engines.automaton import Automaton
from ....core.recovery.engines.automaton_compiler import compile_automaton, load_automaton
from ....core.recovery.engines.choice import MOST_LINES
from ....core.recovery.engines.earley import Earley
from ....core.recovery.engines.nesting import find_causes, find_lines, is_linear
from ....core.recovery.engines.priced_rules import PricedRules, Symbol, load_rules
from ....core.text.diagnostics import Severity
from ....exports import list_tolerant_exports
from .report import Finding


def find_recovery_faults(grammar: WrittenDialect) -> Iterator[Finding]:
    """Yield the faults of a recovery grammar; raises `GrammarError` if it cannot be compiled."""
    rules = load_rules(grammar.path, grammar.text)
    kinds = frozenset(load_automaton(*recovery_text(load_dialect("v2"))).kinds)
    yield from _find_unused(grammar, rules)
    yield from _find_unknown_kinds(grammar, rules, kinds)
    yield from _find_unnamed(grammar, rules)
    yield from _find_roleless(grammar, rules)
    yield from _find_wordless(grammar, rules)
    linear = rules
    if not rules.is_left_linear:
        yield from _find_nesting(grammar, rules)
        linear = take_left_linear(rules)
    automaton = compile_automaton(linear)
    gap = find_gap(automaton, kinds)
    if gap is not None and not rules.is_left_linear:
        # The part that an automaton can run may leave out texts that the complete grammar reads.
        gap = _search_gap(Earley(grammar.path, grammar.text), sorted(kinds))
        if gap is None:
            message = (
                "whether every text has a reading is not proven: the rules that do not nest leave "
                "some out"
            )
            yield _find(grammar, "not-proven-total", Severity.NOTE, message, "document")
    if gap is not None:
        lines = " ".join(gap)
        message = f"not every text has a reading: none for lines of the kinds {lines}"
        hint = (
            "give every kind a role in every mode; text that belongs to nothing is a mistake, too"
        )
        yield _find(grammar, "not-total", Severity.ERROR, message, "document", hint, lines)
    for name in find_traps(automaton):
        message = f"the mode {name} can never be left: all the rest of a text is read in it"
        yield _find(grammar, "trap", Severity.WARNING, message, name)


def _find_nesting(grammar: WrittenDialect, rules: PricedRules) -> Iterator[Finding]:
    exports = ", ".join(list_tolerant_exports())
    for name in find_causes(rules):
        message = (
            f"in {name} a rule of several lines is not the first one: no automaton can run this; "
            f"symops export refuses it for tolerant parsers ({exports})"
        )
        hint = (
            f"Lark's Earley parser reads texts of up to {MOST_LINES} lines, runs of plain text "
            "counted as one"
        )
        yield _find(grammar, "nesting", Severity.NOTE, message, name, hint=hint)


def find_gap(automaton: Automaton, kinds: frozenset[str]) -> tuple[str, ...] | None:
    """Return a shortest sequence of kinds that has no reading; None if every sequence has one.

    The automaton is made deterministic: a set of modes is an integer with a bit for each mode.
    """
    start, end, arcs = automaton.tables
    # Kinds with the same moves are alike, so one of them is enough.
    moves: dict[tuple[tuple[int, int], ...], str] = {}
    for kind in sorted(kinds | arcs.keys(), reverse=True):
        pairs: list[tuple[int, int]] = []
        for mode, slots in arcs.get(kind, {}).items():
            pairs.append((_bits([mode]), _bits(target for target, *_ in slots)))
        moves[tuple(sorted(pairs))] = kind
    final = _bits(end)
    first = _bits(start)
    reached: dict[int, tuple[str, ...]] = {first: ()}
    # Breadth first, so that the first gap is a shortest one; sets are appended while it runs.
    queue = [first]
    for modes in queue:
        for pairs_of_kind, kind in moves.items():
            after = 0
            for mode, targets in pairs_of_kind:
                if mode & modes:
                    after |= targets
            if not after & final:
                return (*reached[modes], kind)
            # If a subset of these modes reads every continuation, so do these modes.
            if not any(smaller & after == smaller for smaller in queue):
                reached[after] = (*reached[modes], kind)
                queue.append(after)
    return None


def _bits(modes: Iterable[int]) -> int:
    # The mode before the first line is -1. A mode may occur several times.
    return sum({1 << mode + 1 for mode in modes})


def _search_gap(earley: Earley, kinds: Sequence[str]) -> tuple[str, ...] | None:
    """Return a sequence without a reading among the single kinds and some short random ones."""
    rng = random.Random(0)
    sequences: list[tuple[str, ...]] = [(kind,) for kind in kinds]
    for _ in range(100):
        length = rng.randint(2, 5)
        sequences.append(tuple(rng.choices(kinds, k=length)))
    for sequence in sequences:
        try:
            earley.read(sequence)
        except GrammarError:
            return sequence
    return None


def find_traps(automaton: Automaton) -> list[str]:
    """Return the modes from which every line leads back to them, if there are other modes."""
    targets: dict[int, set[int]] = {mode: set() for mode in range(len(automaton.modes))}
    for by_mode in automaton.tables[2].values():
        for mode, slots in by_mode.items():
            targets.setdefault(mode, set()).update(target for target, *_ in slots)
    entered = set().union(*targets.values())
    if len(entered) < 2:
        return []
    traps = []
    for mode, after in targets.items():
        # A mode that no line leads to cannot hold a text.
        if mode in entered and after <= {mode}:
            traps.append(automaton.modes[mode])
    return traps


def take_left_linear(rules: PricedRules) -> PricedRules:
    """Return the rules that an automaton can run; the complete grammar reads all their texts.

    A rule that follows another symbol anywhere keeps only its alternatives of one line.
    """
    lines = find_lines(rules)
    alternatives = dict(rules.alternatives)
    while True:
        # An alternative may lose a rule that it uses, so this is repeated.
        smaller = {}
        for name in alternatives:
            remaining = []
            for symbols in alternatives[name]:
                is_usable = all(
                    symbol.terminal or symbol.name in alternatives for symbol in symbols
                )
                if not is_usable or not is_linear(symbols, lines):
                    continue
                if name not in lines or _is_one_line(symbols, lines):
                    remaining.append(symbols)
            if remaining:
                smaller[name] = tuple(remaining)
        if smaller == alternatives:
            # Without any rule, only the empty text is read.
            prices = {**rules.prices, "document": 0}
            return PricedRules(rules.path, alternatives or {"document": ((),)}, prices)
        alternatives = smaller


def _is_one_line(symbols: Sequence[Symbol], lines: Collection[str]) -> bool:
    return len(symbols) == 1 and (symbols[0].terminal or symbols[0].name in lines)


def _find_unused(grammar: WrittenDialect, rules: PricedRules) -> Iterator[Finding]:
    used = set(map(mistake_name, rules.alternatives))
    for statement in grammar.statements:
        name = statement.name
        # An empty rule has the sentence of a mistake that no reading shows.
        if name.islower() and statement.body and mistake_name(name) not in used:
            yield _find(grammar, "unused-rule", Severity.WARNING, f"no reading uses {name}", name)


def _find_unknown_kinds(
    grammar: WrittenDialect, rules: PricedRules, kinds: frozenset[str]
) -> Iterator[Finding]:
    for name, alternatives in rules.alternatives.items():
        symbols = chain.from_iterable(alternatives)
        unknown = {symbol.name for symbol in symbols if symbol.terminal} - kinds
        for kind in sorted(unknown):
            similar = get_close_matches(kind, kinds, 1)
            hint = f"the nearest: {similar[0]}" if similar else ""
            message = f"no line is ever of kind {kind}"
            yield _find(grammar, "unknown-kind", Severity.WARNING, message, name, hint=hint)


def _find_unnamed(grammar: WrittenDialect, rules: PricedRules) -> Iterator[Finding]:
    for name, price in rules.prices.items():
        # Lark puts the names of templates before that of the rule.
        if price >= MISTAKE and name.rsplit("__", 1)[-1].startswith("_"):
            message = (
                f"the rule {name} has a price of {price} and no name for people: no diagnostic "
                "names it"
            )
            hint = "begin its name with a letter"
            yield _find(grammar, "unnamed-price", Severity.WARNING, message, name, hint=hint)


def _find_roleless(grammar: WrittenDialect, rules: PricedRules) -> Iterator[Finding]:
    hint = "name a rule without a price above it after its role: body_…, drop_…, head_…"
    for name in rules.structural:
        symbols = chain.from_iterable(rules.alternatives[name])
        for symbol in sorted(set(filter(rules.is_line, symbols))):
            readings = rules.line_readings(symbol)
            kinds = sorted({line.kind for line in readings if not line.role})
            if kinds:
                message = (
                    f"a line of kind {', '.join(kinds)} has no role in {name}; it is left out of "
                    "the document"
                )
                yield _find(grammar, "no-role", Severity.WARNING, message, name, hint=hint)


def _find_wordless(grammar: WrittenDialect, rules: PricedRules) -> Iterator[Finding]:
    mistakes = read_mistakes(*grammar.files[0])
    for name, price in rules.prices.items():
        code = mistake_name(name)
        if price >= MISTAKE and not (code in mistakes and mistakes[code].sentence):
            message = f"the mistake {code} has no sentence: people read its name"
            hint = f"write `//! What is wrong. | how to write it right` on the line above {name}"
            yield _find(grammar, "no-sentence", Severity.WARNING, message, name, hint=hint)


def _find(
    grammar: WrittenDialect,
    code: str,
    severity: Severity,
    message: str,
    rule: str,
    hint: str = "",
    example: str = "",
) -> Finding:
    """Return a finding at the place where a rule was last changed."""
    name = rule
    if rule.startswith("__"):
        # Lark generated it for a repetition of this rule.
        name = rule.lstrip("_").split("_star_")[0].split("_plus_")[0]
    statement = grammar.statements[0]
    for candidate in grammar.statements:
        if candidate.name.strip("_") == name.strip("_"):
            statement = candidate
    path = statement.path
    line = statement.line
    source = statement.source_line or statement.lines[0]
    if statement.added:
        # `%extend` adds alternatives in another place.
        path, line, _, source = statement.added[-1]
    return Finding(code, severity, message, path, line, 1, example, hint, source)
