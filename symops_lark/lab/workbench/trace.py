"""The steps of error recovery for a text: the chosen reading, other readings, and the passes.

This module decides nothing: the chosen reading is that of `read_outline`. It only collects the
intermediate results.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...core.grammar.compiling.compiler import WrittenDialect
from ...core.grammar.loading import load_dialect, recovery_text
from ...core.ground.json_objects import write_object
from ...core.recovery.engines.automaton_compiler import load_automaton
from ...core.recovery.engines.choice import choose_engine, load_engine, read_kinds
from ...core.recovery.engines.nbest import label_of, n_best, price_by_role
from ...core.recovery.engines.priced_rules import Step, ViterbiPath
from ...core.recovery.lines.carried_lines import intended_kinds
from ...core.recovery.lines.kinds import Kind
from ...core.recovery.lines.lexer import LineLexer
from ...core.recovery.lines.passes import trace_passes
from ...core.recovery.lines.spelling import Candidate, LineRepairer, NoRepairer
from ...core.recovery.outline.group_passes import trace_passes as trace_group_passes
from ...core.recovery.outline.groups import Part
from ...core.recovery.outline.outline import Outline, gather_parts
from ...core.recovery.reading import read_outline
from ...core.text.source import LineEndings, Source

# The fields of a step that reports show.
_STEP = ("role", "price", "mistakes", "before")


@dataclass(frozen=True, slots=True)
class TracedPart:
    """A line or some lines in the chosen reading, with its reasons.

    Attributes:
        first: The number of the first line, from 1.
        last: The number of the last line.
        part: The part of the outline.
        text: The lines.
        by_role: By how much the price of the reading would be higher if the part had another role;
            0 for the chosen role.
        respelt: The line after repair rules, if it is nearly markup.
        alone: The lines that would have another kind if they were alone, with that kind.
    """

    first: int
    last: int
    part: Part
    text: str
    by_role: dict[str, int]
    respelt: Candidate | None
    alone: tuple[tuple[int, str], ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the part as a JSON object."""
        return {
            **write_object(self, "first", "last"),
            "kind": str(self.part.line.kind),
            **write_object(self.part.step, *_STEP),
            **write_object(self, "text", "by_role"),
            "respelt": self.respelt and write_object(self.respelt, "text", "rules"),
            "alone": [{"line": line, "kind": kind} for line, kind in self.alone],
        }


@dataclass(frozen=True, slots=True)
class Difference:
    """A part that another reading reads differently: its lines, and the steps of both readings."""

    first: int
    last: int
    chosen: Step
    other: Step

    def to_dict(self) -> dict[str, Any]:
        """Return the difference as a JSON object."""
        steps = {
            "chosen": write_object(self.chosen, *_STEP),
            "other": write_object(self.other, *_STEP),
        }
        return write_object(self, "first", "last") | steps


@dataclass(frozen=True, slots=True)
class OtherReading:
    """A reading that was not chosen: its price, how much higher that is, and its differences."""

    price: int
    dearer: int
    at_end: tuple[str, ...]
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True)
class RecoveryTrace:
    """The chosen reading, and other readings with a slightly higher price.

    Attributes:
        outline: The chosen reading.
        parts: Its parts.
        mistakes: The prices of the mistakes by name.
        others: The readings that were not chosen.
        engine: The engine of the recovery grammar.
        all_known: Whether the engine can list other readings.
    """

    outline: Outline
    parts: tuple[TracedPart, ...]
    mistakes: dict[str, int]
    others: tuple[OtherReading, ...]
    engine: str
    all_known: bool

    def to_dict(self) -> dict[str, Any]:
        """Return the trace as a JSON object."""
        steps = [traced.part.step for traced in self.parts]
        names = set(self.outline.at_end)
        for reading in self.others:
            names.update(reading.at_end)
            steps += [difference.other for difference in reading.differences]
        # Only the prices that occur: a grammar may have a hundred mistakes.
        for step in steps:
            names.update(step.before, step.mistakes)
        return {
            "price": self.outline.price,
            "engine": self.engine,
            "at_end": list(self.outline.at_end),
            **write_object(self, "parts", "others"),
            "mistakes": {name: self.mistakes[name] for name in sorted(names)},
        }


def trace_recovery(
    text: str,
    dialect: WrittenDialect,
    repairer: LineRepairer | None = None,
    *,
    others: int = 3,
    within: int = 3000,
    engine: str | None = None,
) -> RecoveryTrace:
    """Read a text as `read_outline` does, and explain the reading.

    Prices are those of the recovery grammar: thousandths of a mistake. If two readings differ only
    in the name of a mistake, only the one with the lower price is listed. Raises `GrammarError` for
    an invalid grammar, or one that the engine cannot run.

    Args:
        text: The text, with any line endings.
        dialect: The dialect.
        repairer: Rewrites misspelled lines; None: they stay plain text.
        others: The greatest number of other readings. There are none if the recovery grammar is
            not left-linear.
        within: By how much their price may be higher.
        engine: "automaton" or "earley"; None for the one that fits the recovery grammar.
    """
    repairer = repairer or NoRepairer()
    text = LineEndings(text).plain
    outline = read_outline(text, dialect, repairer, engine=engine)
    source = Source(text)
    # The kinds of lines that the engine read, after the passes.
    kinds = intended_kinds(text, [part.line for part in outline.parts], dialect, repairer)
    best, _ = read_kinds(dialect, kinds, engine)
    # Only the automaton has the prices of what was not chosen.
    automaton = None
    prices: list[dict[str, int]] = [{}] * len(kinds)
    readings: Iterator[ViterbiPath] = iter(())
    if choose_engine(dialect) == "automaton":
        automaton = load_automaton(*recovery_text(dialect))
        prices = price_by_role(automaton, kinds, max(within, _ROLES_WITHIN))
        if others:
            readings = n_best(automaton, kinds, within)
    lexer = LineLexer(dialect, repairer)
    parts = []
    for part, by_role in zip(outline.parts, prices, strict=True):
        first, _ = source.place(part.line.start)
        lines = text[part.line.start : part.line.stop]
        surcharges = {}
        for role in sorted(by_role, key=by_role.__getitem__):
            surcharges[role] = by_role[role] - outline.price
        traced = TracedPart(
            first,
            first + lines.count("\n"),
            part,
            lines,
            surcharges,
            _respell(part, lines, repairer),
            tuple(_overruled(part, first, lines, lexer)),
        )
        parts.append(traced)
    alternatives = tuple(_other_readings(best, parts, readings, others))
    # Names of mistakes that the dialect inherits have the prices of its family.
    mistakes = load_engine(load_dialect(dialect.family)).mistakes | load_engine(dialect).mistakes
    name = choose_engine(dialect, engine)
    return RecoveryTrace(outline, tuple(parts), mistakes, alternatives, name, automaton is not None)


@dataclass(frozen=True, slots=True)
class PassedLine:
    """A line that a pass changed.

    Attributes:
        name: The pass.
        line: The line's number, from 1.
        was: Its kind before a pass over lines. Before a pass over groups, the code of the doubt
            about the action that it begins; `-` if there is none.
        becomes: The same after the pass; `+` if a pass over lines joined it to a line above.
        text: The line.
    """

    name: str
    line: int
    was: str
    becomes: str
    text: str

    def to_dict(self) -> dict[str, Any]:
        """Return the line as a JSON object."""
        return {"pass": self.name, **write_object(self, "line", "was", "becomes", "text")}


def trace_lines(
    text: str, dialect: WrittenDialect, repairer: LineRepairer | None = None
) -> Iterator[PassedLine]:
    """Yield the changes of the passes over the lines of a text (`core/recovery/lines/passes`).

    Args:
        text: The text, with any line endings.
        dialect: The dialect.
        repairer: Rewrites misspelled lines; None: they stay plain text.
    """
    text = LineEndings(text).plain
    source = Source(text)
    lexer = LineLexer(dialect, repairer or NoRepairer())
    for name, before, after in trace_passes(text, lexer.read_each(text), lexer):
        # A pass may join lines, so they are identified by their first characters.
        kinds = {line.start: line.kind for line in after}
        for line in before:
            becomes = str(kinds.get(line.start, "+"))
            if becomes != line.kind:
                number, _ = source.place(line.start)
                content = text[line.start : line.stop]
                yield PassedLine(name, number, str(line.kind), becomes, content)


def trace_groups(
    text: str,
    dialect: WrittenDialect,
    repairer: LineRepairer | None = None,
    *,
    engine: str | None = None,
) -> Iterator[PassedLine]:
    """Yield the actions of a text that become suspect (`core/recovery/outline/group_passes`).

    Args:
        text: The text, with any line endings.
        dialect: The dialect.
        repairer: Rewrites misspelled lines; None: they stay plain text.
        engine: "automaton" or "earley"; None for the one that fits the recovery grammar.
    """
    text = LineEndings(text).plain
    source = Source(text)
    # Groups exist only in the chosen reading.
    outline = read_outline(text, dialect, repairer, engine=engine)
    for group_pass, group, before in trace_group_passes(gather_parts(outline), outline):
        line = group.first.line
        number, _ = source.place(line.start)
        # Attributes below an action line belong to its line: the first one names the action.
        content = text[line.start : line.stop].partition("\n")[0]
        yield PassedLine(group_pass.name, number, before or "-", group.doubt, content)


_ROLES_WITHIN = 20_000  # thousandths of a mistake: a more expensive role is not worth naming


def _other_readings(
    best: ViterbiPath, parts: list[TracedPart], readings: Iterator[ViterbiPath], limit: int
) -> Iterator[OtherReading]:
    """Yield the readings that are not the chosen one, each with its differences."""
    chosen = list(map(label_of, best.steps))
    count = 0
    for reading in readings:
        labels = list(map(label_of, reading.steps))
        if labels == chosen and reading.at_end == best.at_end:
            continue
        differences = []
        for traced, step, own, label in zip(parts, reading.steps, chosen, labels, strict=True):
            if own != label:
                differences.append(Difference(traced.first, traced.last, traced.part.step, step))
        yield OtherReading(
            reading.price, reading.price - best.price, reading.at_end, tuple(differences)
        )
        count += 1
        # Checked here, so that no further reading is searched for.
        if count == limit:
            return


def _respell(part: Part, line: str, repairer: LineRepairer) -> Candidate | None:
    """Return the spelling that made a line nearly markup."""
    kind = part.line.kind
    if not kind.is_respelt:
        return None
    role = kind.role
    if kind.base is Kind.DELIM:
        # A delimiter opens or closes; only the reading knows which.
        role = part.step.role if part.step.role in ("open", "close") else "close"
    return repairer.candidate(line.removesuffix("\r"), role)


def _overruled(part: Part, first: int, lines: str, lexer: LineLexer) -> Iterator[tuple[int, str]]:
    """Yield the lines of plain text that would have another kind if they were alone."""
    if part.line.kind not in (Kind.TEXT, Kind.PROSE):
        return
    for number, line in enumerate(lines.split("\n"), first):
        kind = lexer.kind_of(line)
        if kind not in (Kind.TEXT, Kind.BLANK):
            yield number, kind
