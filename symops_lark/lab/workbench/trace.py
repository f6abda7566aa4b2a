"""How a text is read, step by step: by the strict grammar, and at the lowest price, with the readings that lost.

Nothing is decided here: the tokens and the tree are those of the dialect's LALR parser, the chosen reading is that of
`read_outline`; this module only keeps what they throw away.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...core.grammar.compiling.compiler import WrittenDialect
from ...core.grammar.compiling.lark_insides import read_tokens
from ...core.grammar.loading import load_dialect, recovery_text
from ...core.ground.errors import GrammarError
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
from ...core.text.diagnostics import Diagnostic
from ...core.text.source import BOM, LineEndings, Source, Span
from . import read_strictly

# ---- strict


@dataclass(frozen=True, slots=True)
class TracedToken:
    """One token: the terminal, what it matched and where."""

    terminal: str
    value: str
    span: Span


@dataclass(frozen=True, slots=True)
class TracedNode:
    """One rule of the parse tree, with the rules and tokens below it; rules and terminals with `_` do not show."""

    rule: str
    children: tuple[TracedNode | TracedToken, ...]


@dataclass(frozen=True, slots=True)
class Stop:
    """Where the strict parser stopped: the rest of the line, and the terminals that it would have gone on with.

    `diagnostic` is what `parse` says of the same text, in terms of its marks.
    """

    span: Span
    found: str
    expected: tuple[str, ...]
    diagnostic: Diagnostic | None


@dataclass(frozen=True, slots=True)
class StrictTrace:
    """The tokens read, and either the tree or the place where reading stopped."""

    tokens: tuple[TracedToken, ...]
    tree: TracedNode | None
    stop: Stop | None

    def to_dict(self) -> dict[str, Any]:
        """Return the trace as a JSON object."""
        return {"parsed": self.tree is not None, **write_object(self)}


def trace_strict(text: str, dialect: WrittenDialect) -> StrictTrace:
    """Read a text with the LALR parser, token by token; raises `GrammarError` if the grammar cannot be compiled."""
    from lark import UnexpectedInput

    if "document" not in dialect.starts:
        raise GrammarError(f"{dialect.path}: no rule is called `document`: define what a text is read as")
    source = Source(text)
    shift = 1 if text.startswith(BOM) else 0  # as `parse` does: no byte order mark, a newline at the end
    body = text[shift:] if text.endswith("\n") else text[shift:] + "\n"
    parser = dialect.parser.parse_interactive(body, start="document")
    read: list[Any] = []
    tree = stop = None
    try:
        for token in read_tokens(parser):
            parser.feed_token(token)
            read.append(token)
        tree = _node(parser.feed_eof(read[-1] if read else None), source, shift)
    except UnexpectedInput:
        at = read[-1].end_pos if read else 0
        rest = body[at:].split("\n")[0]
        place = source.span(at + shift, at + shift + len(rest))
        said = read_strictly(text, dialect)
        told = said if isinstance(said, Diagnostic) else None
        stop = Stop(place, rest, _accepted(dialect, body, read), told)
    return StrictTrace(tuple(_token(token, source, shift) for token in read), tree, stop)


def _accepted(dialect: WrittenDialect, body: str, read: list[Any]) -> tuple[str, ...]:
    """Return what the parser accepts behind some tokens: read again, as a failed token leaves it half reduced."""
    parser = dialect.parser.parse_interactive(body, start="document")
    for token in read:
        parser.feed_token(token)
    return tuple(sorted("the end" if name == "$END" else name for name in parser.accepts()))


def _token(token: Any, source: Source, shift: int) -> TracedToken:
    end = min(token.end_pos + shift, len(source.text))  # without the newline that we may have added
    return TracedToken(token.type, str(token), source.span(token.start_pos + shift, end))


def _node(tree: Any, source: Source, shift: int) -> TracedNode:
    children = (_node(c, source, shift) if hasattr(c, "data") else _token(c, source, shift) for c in tree.children)
    return TracedNode(str(tree.data), tuple(children))


# ---- recovery

_STEP = ("role", "price", "mistakes", "before")


@dataclass(frozen=True, slots=True)
class TracedPart:
    """A line or run of lines in the chosen reading, with what explains it.

    `first` and `last` are line numbers; `by_role` gives by how much the whole reading would be dearer if the part had
    another role (0 for its own); `respelt` is what rules made of the line, if its kind is a near miss; `alone` names
    the lines whose kind by themselves is another one, which their surroundings overruled.
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
    """A part that another reading takes otherwise: its lines, the step of the chosen reading and the other's."""

    first: int
    last: int
    chosen: Step
    other: Step

    def to_dict(self) -> dict[str, Any]:
        """Return the difference as a JSON object."""
        steps = {"chosen": write_object(self.chosen, *_STEP), "other": write_object(self.other, *_STEP)}
        return write_object(self, "first", "last") | steps


@dataclass(frozen=True, slots=True)
class OtherReading:
    """A reading that lost: its price, how much dearer it is than the chosen one, and where the two differ."""

    price: int
    dearer: int
    at_end: tuple[str, ...]
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True)
class RecoveryTrace:
    """The chosen reading, the prices of the mistakes by name, the readings that lost by little, and the engine.

    `all_known` tells whether readings that lost can be known.
    """

    outline: Outline
    parts: tuple[TracedPart, ...]
    mistakes: dict[str, int]
    others: tuple[OtherReading, ...]
    engine: str
    all_known: bool

    def to_dict(self) -> dict[str, Any]:
        """Return the trace as a JSON object."""
        named = {name for p in self.parts for name in (*p.part.step.before, *p.part.step.mistakes)}
        for other in self.others:
            named |= {name for d in other.differences for name in (*d.other.before, *d.other.mistakes)}
            named |= set(other.at_end)
        return {
            "price": self.outline.price,
            "engine": self.engine,
            "at_end": list(self.outline.at_end),
            **write_object(self, "parts", "others"),
            "mistakes": {name: self.mistakes[name] for name in sorted(named | set(self.outline.at_end))},
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
    """Read a text as `read_outline` does and explain it; `others` readings at most that are at most `within` dearer.

    Prices are those of the recovery grammar: mistakes in thousands. Of two readings with the same prices, roles and
    modes that name a mistake differently only the cheaper is known. Where the recovery grammar is not left-linear, what
    lost is not known. Raises `GrammarError` for a grammar that is none, or that the engine cannot run.
    """
    repairer, text = repairer or NoRepairer(), LineEndings(text).plain
    outline, source = read_outline(text, dialect, repairer, engine=engine), Source(text)
    automaton = load_automaton(*recovery_text(dialect)) if choose_engine(dialect) == "automaton" else None
    kinds = intended_kinds(text, [part.line for part in outline.parts], dialect, repairer)
    unknown: list[dict[str, int]] = [{}] * len(kinds)
    prices = price_by_role(automaton, kinds, max(within, _ROLES_WITHIN)) if automaton else unknown
    reader = LineLexer(dialect, repairer)
    parts = []
    for part, by_role in zip(outline.parts, prices, strict=True):
        first = source.place(part.line.start)[0]
        shown = text[part.line.start : part.line.stop]
        dearer = {role: price - outline.price for role, price in sorted(by_role.items(), key=lambda item: item[1])}
        respelt, alone = _respell(part, shown, repairer), tuple(_overruled(part, first, shown, reader))
        parts.append(TracedPart(first, first + shown.count("\n"), part, shown, dearer, respelt, alone))
    readings = n_best(automaton, kinds, within) if automaton and others else iter(())
    best, _ = read_kinds(dialect, kinds, engine)
    found = tuple(_lost(best, parts, readings, others))
    mistakes = load_engine(load_dialect(dialect.family)).mistakes | load_engine(dialect).mistakes
    used = choose_engine(dialect, engine)
    return RecoveryTrace(outline, tuple(parts), mistakes, found, used, automaton is not None)


@dataclass(frozen=True, slots=True)
class PassedLine:
    """A line that a pass changed.

    Attributes:
        name: The pass.
        line: The line's number, from 1.
        was: Its kind before a pass over lines. Before a pass over groups, the code of the doubt about the action that
            it begins; `-` if there is none.
        becomes: The same after the pass; `+` where a pass over lines joined it to a line above.
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


def trace_lines(text: str, dialect: WrittenDialect, repairer: LineRepairer | None = None) -> Iterator[PassedLine]:
    """Yield what the passes over the lines of a text change, pass by pass (`core/recovery/lines/passes`)."""
    text = LineEndings(text).plain
    source, lexer = Source(text), LineLexer(dialect, repairer or NoRepairer())
    for name, before, after in trace_passes(text, lexer.read_each(text), lexer):
        kinds = {line.start: line.kind for line in after}
        for line in before:
            becomes = str(kinds.get(line.start, "+"))
            if becomes != line.kind:
                yield PassedLine(
                    name, source.place(line.start)[0], str(line.kind), becomes, text[line.start : line.stop]
                )


def trace_groups(
    text: str, dialect: WrittenDialect, repairer: LineRepairer | None = None, *, engine: str | None = None
) -> Iterator[PassedLine]:
    """Yield which actions of a text become suspect, pass by pass (`core/recovery/outline/group_passes`).

    Args:
        text: The text, with any line endings.
        dialect: The dialect.
        repairer: Rewrites misspelled lines; None: they stay plain text.
        engine: "automaton" or "earley"; None for the one that fits the recovery grammar.
    """
    text = LineEndings(text).plain
    source = Source(text)
    outline = read_outline(text, dialect, repairer, engine=engine)
    for group_pass, group, before in trace_group_passes(gather_parts(outline), outline):
        line = group.first.line
        number = source.place(line.start)[0]
        # Attributes below an action line belong to its line: the first one names the action.
        shown = text[line.start : line.stop].partition("\n")[0]
        yield PassedLine(group_pass.name, number, before or "-", group.doubt, shown)


_ROLES_WITHIN = 20_000  # how much dearer a role may be and still be worth naming


def _lost(
    best: ViterbiPath, parts: list[TracedPart], readings: Iterator[ViterbiPath], most: int
) -> Iterator[OtherReading]:
    """Yield the readings that are not the chosen one, each with its differences."""
    chosen = [label_of(step) for step in best.steps]
    for reading in readings:
        labels = [label_of(step) for step in reading.steps]
        if labels == chosen and reading.at_end == best.at_end:
            continue
        differences = tuple(
            Difference(traced.first, traced.last, traced.part.step, step)
            for traced, step, own, label in zip(parts, reading.steps, chosen, labels, strict=True)
            if own != label
        )
        yield OtherReading(reading.price, reading.price - best.price, reading.at_end, differences)
        most -= 1
        if not most:
            return


def _respell(part: Part, shown: str, repairer: LineRepairer) -> Candidate | None:
    """Return the spelling that made a line a near miss."""
    kind, role = part.line.kind, part.line.kind.role
    if kind.base is Kind.DELIM:
        role = part.step.role if part.step.role in ("open", "close") else "close"
    return repairer.candidate(shown.removesuffix("\r"), role) if kind.is_respelt else None


def _overruled(part: Part, first: int, shown: str, reader: LineLexer) -> Iterator[tuple[int, str]]:
    """Yield the lines of plain text that would be something else by themselves."""
    if part.line.kind not in (Kind.TEXT, Kind.PROSE):
        return
    for number, line in enumerate(shown.split("\n"), first):
        kind = reader.kind_of(line)
        if kind not in (Kind.TEXT, Kind.BLANK):
            yield number, kind
