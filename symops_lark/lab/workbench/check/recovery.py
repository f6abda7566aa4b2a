"""Whether a recovery grammar is fit for use: it reads every text, and each mistake has a name and a sentence."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from difflib import get_close_matches

from ....core.grammar.compiling.compiler import WrittenDialect
from ....core.grammar.loading import load_dialect, recovery_text
from ....core.grammar.mistakes import MISTAKE, mistake_name, read_mistakes
from ....core.ground.errors import GrammarError
from ....core.recovery.engines.automaton import Automaton
from ....core.recovery.engines.automaton_compiler import compile_automaton, load_automaton
from ....core.recovery.engines.choice import MOST_LINES
from ....core.recovery.engines.earley import Earley
from ....core.recovery.engines.nesting import find_causes, find_lines, is_linear
from ....core.recovery.engines.priced_rules import PricedRules, load_rules
from ....core.text.diagnostics import Severity
from ....exports import list_tolerant_exports
from .report import Finding


def find_recovery_faults(grammar: WrittenDialect) -> Iterator[Finding]:
    """Return what is wrong with a recovery grammar; raise `GrammarError` if it cannot be compiled."""
    rules = load_rules(grammar.path, grammar.text)
    kinds = frozenset(load_automaton(*recovery_text(load_dialect("v2"))).kinds)
    yield from _find_unused(grammar, rules)
    yield from _find_unknown_kinds(grammar, rules, kinds)
    yield from _find_unnamed(grammar, rules)
    yield from _find_roleless(grammar, rules)
    yield from _find_wordless(grammar, rules)
    for name in () if rules.is_left_linear else find_causes(rules):
        message = f"in {name} a rule of several lines stands elsewhere than first: no automaton can run this"
        message += f"; symops export refuses it for tolerant parsers ({', '.join(list_tolerant_exports())})"
        hint = f"Lark's Earley parser reads texts of up to {MOST_LINES} lines, runs of plain text counted as one"
        yield _find(grammar, "nesting", Severity.NOTE, message, name, hint=hint)
    linear = compile_automaton(rules if rules.is_left_linear else take_left_linear(rules))
    gap = find_gap(linear, kinds)
    if gap is not None and not rules.is_left_linear:
        gap = _search_gap(Earley(grammar.path, grammar.text), sorted(kinds))
        if gap is None:
            message = "whether every text has a reading is not proven: the rules that do not nest leave some out"
            yield _find(grammar, "not-proven-total", Severity.NOTE, message, "document")
    if gap is not None:
        message = f"not every text has a reading: none for lines of the kinds {' '.join(gap)}"
        hint = "give every kind a role in every mode; text that belongs to nothing is a mistake, too"
        yield _find(grammar, "not-total", Severity.ERROR, message, "document", hint, " ".join(gap))
    for name in find_traps(linear):
        message = f"the mode {name} can never be left: all the rest of a text is read in it"
        yield _find(grammar, "trap", Severity.WARNING, message, name)


def find_gap(automaton: Automaton, kinds: frozenset[str]) -> tuple[str, ...] | None:
    """Return a shortest sequence of kinds that has no reading, or None: then every sequence has one."""
    start, end, arcs = automaton.tables
    moves: dict[tuple[tuple[int, int], ...], str] = {}  # modes as bits (bit 0: before the first line); a kind for each
    for kind in sorted(kinds | arcs.keys(), reverse=True):
        by_mode = arcs.get(kind, {})
        moving = ((1 << mode + 1, sum(1 << target + 1 for target, *_ in slots)) for mode, slots in by_mode.items())
        moves[tuple(sorted(moving))] = kind
    final = sum(1 << mode + 1 for mode in end)
    first = sum(1 << mode + 1 for mode in start)
    reached = {first: tuple[str, ...]()}
    fresh = [first]
    for modes in fresh:  # breadth first; what is found is examined in turn
        for pairs, kind in moves.items():
            after = 0
            for mode, targets in pairs:
                if mode & modes:
                    after |= targets
            if not after & final:
                return (*reached[modes], kind)
            if not any(known & after == known for known in fresh):  # what fewer modes read, more modes read as well
                reached[after] = (*reached[modes], kind)
                fresh.append(after)
    return None


def _search_gap(earley: Earley, kinds: Sequence[str]) -> tuple[str, ...] | None:
    """Return a sequence without a reading among the single kinds and some short sequences at random."""
    rng = random.Random(0)
    tried = [(kind,) for kind in kinds] + [tuple(rng.choices(kinds, k=rng.randint(2, 5))) for _ in range(100)]
    for sequence in tried:
        try:
            earley.read(sequence)
        except GrammarError:
            return sequence
    return None


def find_traps(automaton: Automaton) -> list[str]:
    """Return the modes from which every line leads back to them alone, where there are others."""
    targets: dict[int, set[int]] = {mode: set() for mode in range(len(automaton.modes))}
    for by_mode in automaton.tables[2].values():
        for mode, slots in by_mode.items():
            targets.setdefault(mode, set()).update(target for target, *_ in slots)
    entered = set().union(*targets.values())
    traps = [mode for mode, after in targets.items() if mode in entered and after <= {mode}]
    return [automaton.modes[mode] for mode in traps if len(entered) > 1]


def take_left_linear(rules: PricedRules) -> PricedRules:
    """Return the part of a grammar's rules that an automaton can run: what it reads, the whole grammar reads.

    A rule that stands behind another symbol anywhere keeps its alternatives of one line only.
    """
    lines = find_lines(rules)
    kept = dict(rules.alternatives)
    while True:
        less = {
            name: tuple(
                symbols
                for symbols in each
                if all(s.terminal or s.name in kept for s in symbols)
                and is_linear(symbols, lines)
                and (name not in lines or [s.terminal or s.name in lines for s in symbols] == [True])
            )
            for name, each in kept.items()
        }
        less = {name: each for name, each in less.items() if each}
        if less == kept:
            return PricedRules(rules.path, kept or {"document": ((),)}, {**rules.prices, "document": 0})
        kept = less


def _find_unused(grammar: WrittenDialect, rules: PricedRules) -> Iterator[Finding]:
    used = {mistake_name(name) for name in rules.alternatives}
    for statement in grammar.statements:  # an empty one has words for what no reading tells
        if statement.name.islower() and statement.body and mistake_name(statement.name) not in used:
            yield _find(grammar, "unused-rule", Severity.WARNING, f"no reading uses {statement.name}", statement.name)


def _find_unknown_kinds(grammar: WrittenDialect, rules: PricedRules, kinds: frozenset[str]) -> Iterator[Finding]:
    for name, alternatives in rules.alternatives.items():
        for unknown in sorted({s.name for a in alternatives for s in a if s.terminal} - kinds):
            close = get_close_matches(unknown, kinds, 1)
            hint, message = (f"the nearest: {close[0]}" if close else "", f"no line is ever of kind {unknown}")
            yield _find(grammar, "unknown-kind", Severity.WARNING, message, name, hint=hint)


def _find_unnamed(grammar: WrittenDialect, rules: PricedRules) -> Iterator[Finding]:
    for name, price in rules.prices.items():
        if price >= MISTAKE and name.rsplit("__", 1)[-1].startswith("_"):
            message = f"the rule {name} has a price of {price} and no name for people: no diagnostic says what it is"
            yield _find(grammar, "unnamed-price", Severity.WARNING, message, name, hint="begin its name with a letter")


def _find_roleless(grammar: WrittenDialect, rules: PricedRules) -> Iterator[Finding]:
    for name in rules.structural:
        lines = {s for a in rules.alternatives[name] for s in a if rules.is_line(s)}
        for symbol in sorted(lines):
            kinds = sorted({line.kind for line in rules.line_readings(symbol) if not line.role})
            if kinds:
                message = f"a line of kind {', '.join(kinds)} has no role in {name}; it is left out of the document"
                hint = "name a rule without a price above it after its role: body_…, drop_…, head_…"
                yield _find(grammar, "no-role", Severity.WARNING, message, name, hint=hint)


def _find_wordless(grammar: WrittenDialect, rules: PricedRules) -> Iterator[Finding]:
    known = read_mistakes(*grammar.files[0])
    for name, price in rules.prices.items():
        code = mistake_name(name)
        if price >= MISTAKE and not (code in known and known[code].sentence):
            message = f"the mistake {code} has no sentence: people read its name"
            hint = f"write `//! What is wrong. | how to write it right` on the line above {name}"
            yield _find(grammar, "no-sentence", Severity.WARNING, message, name, hint=hint)


def _find(
    grammar: WrittenDialect, code: str, severity: Severity, message: str, rule: str, hint: str = "", example: str = ""
) -> Finding:
    """Make a finding at a rule: where it was last changed."""
    plain = rule.lstrip("_").split("_star_")[0].split("_plus_")[0] if rule.startswith("__") else rule
    named = [s for s in grammar.statements if s.name.strip("_") == plain.strip("_")] or list(grammar.statements[:1])
    path, line, shown = named[-1].path, named[-1].line, named[-1].source_line or named[-1].lines[0]
    if named[-1].added:
        path, line, _, shown = named[-1].added[-1]
    return Finding(code, severity, message, path, line, 1, example, hint, shown)
