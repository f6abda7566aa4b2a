"""`symops grammar trace`: why a text was read as it was."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

import click

from ....core.ground.json_objects import write_object
from ....core.ground.numbers import counted, grouped
from ..colours import paint
from ..options import engine_option, json_option, make_processor, rules_option
from ..tables import align
from ..texts import read_text, tell
from ..view import show_title
from ..visibility import visible

if TYPE_CHECKING:
    from ....core.grammar.compiling.compiler import WrittenDialect
    from ....core.recovery.engines.priced_rules import Step
    from ....error_correcting import CorrectedParse, Edit, ErrorCorrectingParser
    from ....lab.workbench.trace import OtherReading, PassedLine, RecoveryTrace, TracedPart
    from ....lab.workbench.trace_plain import ParseTrace
    from ....lab.workbench.trace_strict import StrictTrace, TracedNode

_LONG = 60
_PICTURES = {9: 0x2409, 10: 0x240A}  # tab and line feed, which `visible` leaves alone


@click.command(name="trace")
@click.argument("name", metavar="NAME|FILE")
@click.argument("file", default="-", metavar="[TEXT]")
@click.option("--recovery", is_flag=True, help="Show the minimum-cost parse of a valid text, too.")
@click.option(
    "--others", type=click.IntRange(min=0), default=3, metavar="N", help="Number of more expensive parses to show."
)
@click.option(
    "--within",
    type=click.IntRange(min=0),
    default=3000,
    metavar="PRICE",
    help="Maximum additional cost of these parses; a mistake costs some thousands.",
)
@click.option("--passes", is_flag=True, help="Show instead which pass changed a line or marked it as suspect.")
@click.option("--start", default="", metavar="RULE", help="Start rule of a grammar that is not a dialect.")
@rules_option
@engine_option
@json_option
def command(
    name: str,
    file: str,
    start: str,
    recovery: bool,
    passes: bool,
    others: int,
    within: int,
    rules: tuple[str, ...],
    engine: str | None,
    as_json: bool,
) -> int:
    """Show why a text was parsed the way it was.

    First the result of the strict grammar: tokens and tree, or the position of the error and the
    expected tokens. If the text is not valid, the minimum-cost parse follows: the kind of each
    line, its role and cost with the assumed mistakes, and the nearest other role with the
    additional cost of that parse; then the other parses with nearly the same cost. With `--passes`:
    the changes of each pass over the lines before that parse, such as a path joined to the verb
    above it; `+` is a line that was joined to one above. After these, the passes over the groups of
    lines that marked an action as suspect, with the code of the diagnostic; `-` is an action
    without doubt.

    Of a grammar that is not a dialect: the steps of the parse, which are the tokens and the rules
    that end before each, and the tree of the text. If the text is not valid, the place where the
    parser stops and the terminals that it expects, the tree of the cheapest repair, its edits with
    their prices, the steps of the search, and the other repairs.

    Exit code 0: the text is valid; 1: it is not.
    """
    from ....core.grammar.loading import load_grammar
    from ....lab.workbench.plain import find_start
    from ....lab.workbench.trace import trace_groups, trace_lines, trace_recovery
    from ....lab.workbench.trace_strict import trace_strict

    dialect = load_grammar(name)
    start = find_start(dialect, start)
    if start:
        return _trace_plain(dialect, start, file, as_json)
    processor = make_processor(name, rules, engine)
    text = read_text(file)
    strict = trace_strict(text.text, dialect)
    read, repairer = None, processor.engine(dialect).repairer
    if passes:
        changed = list(trace_lines(text.text, dialect, repairer))
        changed += trace_groups(text.text, dialect, repairer, engine=engine)
        state = "valid" if strict.tree else "not valid"
        title = show_title(text.name, [state, dialect.name, counted(len(changed), "change")])
        told = {"file": text.name, "dialect": dialect.name, "passes": changed}
        tell(told, chain([title], _show_passes(changed)), as_json)
        return 0 if strict.tree else 1
    if recovery or strict.stop:
        read = trace_recovery(text.text, dialect, repairer, others=others, within=within, engine=engine)
    title = show_title(
        text.name, ["valid" if strict.tree else "not valid", dialect.name, counted(len(strict.tokens), "token")]
    )
    lines = chain([title], _show_strict(strict, dialect), _show_recovery(read) if read else ())
    tell({"file": text.name, "dialect": dialect.name, "strict": strict, "recovery": read}, lines, as_json)
    return 0 if strict.tree else 1


def _trace_plain(dialect: WrittenDialect, start: str, file: str, as_json: bool) -> int:
    from ....error_correcting import ErrorCorrectingParser
    from ....error_correcting.languages import find_mistakes
    from ....lab.workbench.trace_plain import trace_steps

    parser = ErrorCorrectingParser(dialect.path, start, find_mistakes(dialect.path))
    text = read_text(file)
    parsed = trace_steps(parser, start, text.text)
    parse = parser.parse(text.text)
    repairs = [parse.edits, *parse.alternatives] if parse.edits else []
    told = {
        "file": text.name,
        "grammar": dialect.name,
        "parse": write_object(parsed, "steps", "line", "column", "expected") if parsed else None,
        "tree": str(parse.tree),
        "steps": parse.steps,
        "why": parse.why,
        "repairs": [[edit._asdict() for edit in edits] for edits in repairs],
    }
    lines = _show_plain(parser, text.text, text.name, parse, repairs, _show_steps(parser, parsed))
    tell(told, lines, as_json)
    return 1 if parse.edits or parse.tree is None else 0


def _show_plain(
    parser: ErrorCorrectingParser,
    text: str,
    name: str,
    parse: CorrectedParse,
    repairs: Sequence[tuple[Edit, ...]],
    steps: Iterator[str],
) -> Iterator[str]:
    from ....error_correcting.messages import explain_edits

    engine = parser.lark.options.parser
    unit = "step" if parse.steps == 1 else "steps"
    effort = f"{grouped(parse.steps)} {unit} of search"
    yield show_title(name, ["not valid" if repairs else "valid", engine, effort])
    yield from (f"note: {visible(note)}" for note in parser.notes)
    if parse.why:
        yield f"bound: {visible(parse.why)}"
    yield from steps
    if parse.tree is not None:
        yield paint("tree", bold=True)
        shown = parse.tree.pretty() if hasattr(parse.tree, "pretty") else str(parse.tree)
        yield from ("  " + visible(line) for line in shown.rstrip().split("\n"))
    for number, edits in enumerate(repairs, 1):
        yield paint(f"repair {number}", bold=True) + f": price {sum(edit.price for edit in edits)}"
        rows = [
            (str(edit.price), f"{said.span.line}:{said.span.column}", visible(said.message), said.code)
            for edit, said in zip(filter(_has_price, edits), explain_edits(parser.compiled, text, edits), strict=True)
        ]
        yield from ("  " + row for row in align(rows, right=(0,)))


def _show_steps(parser: ErrorCorrectingParser, trace: ParseTrace | None) -> Iterator[str]:
    from ....error_correcting.messages import name_terminal

    if trace is None:
        return
    yield paint("tokens", bold=True) + ", and the rules that end before each"
    rows = [
        (f"{step.line}:{step.column}", step.terminal or "end", _draw(step.text), " ".join(step.reduced))
        for step in trace.steps
    ]
    yield from ("  " + visible(row) for row in align(rows))
    if trace.line:
        expected = ", ".join(name_terminal(parser.compiled, name) for name in trace.expected)
        yield paint("stopped", "red", bold=True) + f" at {trace.line}:{trace.column}; expected {visible(expected)}"


def _has_price(edit: Edit) -> bool:
    """Return whether an edit has a message: lines that are moved with others have no price."""
    return edit.price > 0


def _show_passes(changed: Sequence[PassedLine]) -> Iterator[str]:
    if not changed:
        return
    rows = [(one.name, str(one.line), one.was, one.becomes, _draw(one.text)) for one in changed]
    header, *lines = align([("pass", "line", "was", "becomes", "text"), *rows], right=(1,))
    yield paint(header, bold=True)
    yield from lines


def _show_strict(trace: StrictTrace, dialect: WrittenDialect) -> Iterator[str]:
    yield paint("tokens", bold=True)
    rows = [(f"{token.span.line}:{token.span.column}", token.terminal, _draw(token.value)) for token in trace.tokens]
    yield from ("  " + row for row in align(rows))
    if trace.tree:
        yield paint("tree", bold=True)
        yield from _show_node(trace.tree, "  ")
    if trace.stop:
        yield paint("stopped", "red", bold=True) + f" at {trace.stop.span.line}:{trace.stop.span.column}"
        yield "  found     " + (_draw(trace.stop.found) if trace.stop.found.strip() else "the end of the line")
        literals = {t.name: t.pattern.value for t in dialect.parser.terminals if t.pattern.type == "str"}
        expected = (f"{name} {literals[name]}" if name in literals else name for name in trace.stop.expected)
        yield "  expected  " + visible(", ".join(expected))
        if said := trace.stop.diagnostic:
            hint = f"; {said.hint}" if said.hint else ""
            yield f"  meaning   line {said.span.line}: " + visible(said.message + hint)


def _show_node(node: TracedNode, indent: str) -> Iterator[str]:
    from ....lab.workbench.trace_strict import TracedNode

    yield indent + paint(node.rule, "cyan")
    for child in node.children:
        if isinstance(child, TracedNode):
            yield from _show_node(child, indent + "  ")
        else:
            yield f"{indent}  {child.terminal}  {_draw(child.value)}"


def _show_recovery(trace: RecoveryTrace) -> Iterator[str]:
    by = "" if trace.engine == "automaton" else f", by {trace.engine.capitalize()}"
    yield paint("cheapest reading", bold=True) + f"{by}: price {trace.outline.price}"
    if trace.outline.note:
        yield _note(trace.outline.note)
    titles = ("line", "kind", "role", "price", "nearest other", "text")
    header, *lines = align([titles, *map(_row, trace.parts)], right=(0, 3))
    if trace.parts:
        yield "  " + paint(header, bold=True)
    for part, line in zip(trace.parts, lines, strict=True):
        yield from _show_mistakes("before: ", part.part.step.before, trace.mistakes)
        yield "  " + line
        yield from _show_mistakes("", part.part.step.mistakes, trace.mistakes)
        if part.respelt:
            spelt = _draw(part.respelt.text)
            yield _note(f"{part.part.line.kind}: the rules {', '.join(part.respelt.rules)} would make it {spelt}")
        for number, kind in part.alone[:5]:
            yield _note(f"line {number} by itself is {kind}; where it stands it counts as plain text")
        if len(part.alone) > 5:
            yield _note(f"and {counted(len(part.alone) - 5, 'more such line')}")
    yield from _show_mistakes("at the end: ", trace.outline.at_end, trace.mistakes)
    none = ": none within this margin" if trace.all_known else ": not known where rules nest"
    yield paint("readings that lost", bold=True) + ("" if trace.others else none)
    for number, other in enumerate(trace.others, 1):
        yield from _show_other(number, other, trace)


def _row(part: TracedPart) -> tuple[str, ...]:
    step = part.part.step
    near = next(((role, more) for role, more in part.by_role.items() if role != step.role), None)
    nearest = f"{near[0]} +{near[1]}" if near else ""
    return (_lines(part.first, part.last), part.part.line.kind, step.role, str(step.price), nearest, _draw(part.text))


def _show_mistakes(place: str, names: Iterable[str], prices: dict[str, int]) -> Iterator[str]:
    for name in names:
        yield _note(f"{place}{paint(name, 'yellow')} {prices[name]}")


def _show_other(number: int, other: OtherReading, trace: RecoveryTrace) -> Iterator[str]:
    yield f"  {number}. price {other.price}, {paint(f'+{other.dearer}', 'cyan')}"
    rows = [(_lines(d.first, d.last), _named(d.chosen, trace), "→", _named(d.other, trace)) for d in other.differences]
    if other.at_end != trace.outline.at_end:
        rows.append(("end", _listed(trace.outline.at_end, trace), "→", _listed(other.at_end, trace)))
    yield from ("     line " + row for row in align(rows, right=(0,)))


def _named(step: Step, trace: RecoveryTrace) -> str:
    found = step.role
    if step.mistakes:
        found += f" ({_listed(step.mistakes, trace)})"
    return f"{_listed(step.before, trace)}, then {found}" if step.before else found


def _listed(names: Sequence[str], trace: RecoveryTrace) -> str:
    return " + ".join(f"{name} {trace.mistakes[name]}" for name in names) or "nothing missing"


def _note(text: str) -> str:
    return " " * 8 + text


def _lines(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"


def _draw(text: str) -> str:
    """Draw a text on one line: control characters as pictures, blanks at its ends as ␣, of a long one both ends."""
    inner = text.strip(" ")
    before = len(text) - len(text.lstrip(" "))
    shown = visible(("␣" * before + inner + "␣" * (len(text) - before - len(inner))).translate(_PICTURES))
    return shown if len(shown) <= _LONG else f"{shown[: _LONG - 15]}…{shown[-14:]}"
