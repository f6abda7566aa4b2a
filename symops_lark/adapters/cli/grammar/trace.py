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
from ..texts import InputText, print_result, read_text
from ..view import show_title
from ..visibility import visible
from .recover import draw_tree

if TYPE_CHECKING:
    from ....core.grammar.compiling.compiler import WrittenDialect
    from ....core.recovery.engines.priced_rules import Step
    from ....error_correcting import CorrectedParse, Edit, ErrorCorrectingParser
    from ....lab.workbench.strict_trace import StrictTrace, TracedNode
    from ....lab.workbench.trace import OtherReading, PassedLine, RecoveryTrace, TracedPart
    from ....lab.workbench.trace_plain import ParseTrace

_MAX_SHOWN = 60  # characters of a text in a row
_MAX_LINES = 5  # lines of a part that are explained one by one
_PICTURES = {9: 0x2409, 10: 0x240A}  # tab and line feed, which `visible` leaves alone


@click.command(name="trace")
@click.argument("name", metavar="NAME|FILE")
@click.argument("file", default="-", metavar="[TEXT]")
@click.option("--recovery", is_flag=True, help="Show the minimum-cost parse of a valid text, too.")
@click.option(
    "--others",
    type=click.IntRange(min=0),
    default=3,
    metavar="N",
    help="Number of more expensive parses to show.",
)
@click.option(
    "--within",
    type=click.IntRange(min=0),
    default=3000,
    metavar="PRICE",
    help="Maximum additional cost of these parses; a mistake costs some thousands.",
)
@click.option(
    "--passes", is_flag=True, help="Show instead which pass changed a line or marked it as suspect."
)
@click.option(
    "--start", default="", metavar="RULE", help="Start rule of a grammar that is not a dialect."
)
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
    \f

    Args:
        name: The dialect, or the file of a grammar.
        file: The file of the text, or `-`.
        start: The start rule of a grammar that is not a dialect.
        recovery: Whether the minimum-cost parse of a valid text is shown.
        passes: Whether the passes are shown instead.
        others: Number of more expensive parses.
        within: Maximum additional cost of these parses, in thousandths of a mistake.
        rules: Folders with custom repair rules.
        engine: The engine that runs the recovery grammar.
        as_json: Whether the output is JSON.
    """
    from ....core.grammar.loading import load_grammar
    from ....lab.workbench.plain import find_start
    from ....lab.workbench.strict_trace import trace_strict
    from ....lab.workbench.trace import trace_groups, trace_lines, trace_recovery

    dialect = load_grammar(name)
    start = find_start(dialect, start)
    # Other grammars have no lines of kinds: their parser repairs tokens.
    if start:
        return _trace_plain(dialect, start, file, as_json)
    processor = make_processor(name, rules, engine)
    text = read_text(file)
    strict = trace_strict(text.text, dialect)
    repairer = processor.engine(dialect).repairer
    facts = ["valid" if strict.tree else "not valid", dialect.name]
    value = {"file": text.name, "dialect": dialect.name}
    if passes:
        changed = list(trace_lines(text.text, dialect, repairer))
        # After the lines, since the groups are made of changed lines.
        changed += trace_groups(text.text, dialect, repairer, engine=engine)
        title = show_title(text.name, [*facts, counted(len(changed), "change")])
        print_result({**value, "passes": changed}, chain([title], _show_passes(changed)), as_json)
        return int(not strict.tree)
    # A valid text costs nothing, so its parse is shown only on request.
    parse = None
    if recovery or strict.stop:
        limits = {"others": others, "within": within}
        parse = trace_recovery(text.text, dialect, repairer, engine=engine, **limits)
    title = show_title(text.name, [*facts, counted(len(strict.tokens), "token")])
    lines = chain([title], _show_strict(strict, dialect), _show_recovery(parse) if parse else ())
    print_result({**value, "strict": strict, "recovery": parse}, lines, as_json)
    return int(not strict.tree)


def _trace_plain(dialect: WrittenDialect, start: str, file: str, as_json: bool) -> int:
    """Trace a text of a grammar that is not a dialect."""
    from ....error_correcting import ErrorCorrectingParser
    from ....error_correcting.languages import find_mistakes
    from ....lab.workbench.trace_plain import trace_steps

    parser = ErrorCorrectingParser(dialect.path, start, find_mistakes(dialect.path))
    text = read_text(file)
    trace = trace_steps(parser, start, text.text)
    parse = parser.parse(text.text)
    repairs = [parse.edits, *parse.alternatives] if parse.edits else []
    members = ("steps", "line", "column", "expected")
    value = {
        "file": text.name,
        "grammar": dialect.name,
        "parse": write_object(trace, *members) if trace else None,
        "tree": str(parse.tree),
        "steps": parse.steps,
        "why": parse.why,
        "repairs": [[edit._asdict() for edit in edits] for edits in repairs],
    }
    print_result(value, _show_plain(parser, text, trace, parse, repairs), as_json)
    return int(bool(parse.edits) or not parse.accepted)


def _show_plain(
    parser: ErrorCorrectingParser,
    text: InputText,
    trace: ParseTrace | None,
    parse: CorrectedParse,
    repairs: Sequence[tuple[Edit, ...]],
) -> Iterator[str]:
    from ....error_correcting.messages import explain_edits

    engine = parser.lark.options.parser
    unit = "step" if parse.steps == 1 else "steps"
    effort = f"{grouped(parse.steps)} {unit} of search"
    # A text for which no repair was found has no edits either.
    is_valid = not repairs and parse.accepted
    yield show_title(text.name, ["valid" if is_valid else "not valid", engine, effort])
    for note in parser.notes:
        yield f"note: {visible(note)}"
    if parse.why:
        yield f"bound: {visible(parse.why)}"
    # Some parsers of Lark have no steps that could be shown.
    if trace is not None:
        yield from _show_steps(parser, trace)
    tree = draw_tree(parse)
    if tree is not None:
        yield paint("tree", bold=True)
        for line in tree.rstrip().split("\n"):
            yield "  " + visible(line)
    for number, edits in enumerate(repairs, 1):
        yield paint(f"repair {number}", bold=True) + f": price {sum(edit.price for edit in edits)}"
        # Lines that are moved with others have no price, and no message.
        prices = [edit.price for edit in edits if edit.price > 0]
        rows = []
        for price, reason in zip(
            prices, explain_edits(parser.compiled, text.text, edits), strict=True
        ):
            place = f"{reason.span.line}:{reason.span.column}"
            rows.append((str(price), place, visible(reason.message), reason.code))
        for row in align(rows, right=(0,)):
            yield "  " + row


def _show_steps(parser: ErrorCorrectingParser, trace: ParseTrace) -> Iterator[str]:
    from ....error_correcting.messages import name_terminal

    yield paint("tokens", bold=True) + ", and the rules that end before each"
    rows = []
    for step in trace.steps:
        place = f"{step.line}:{step.column}"
        rows.append((place, step.terminal or "end", _draw(step.text), " ".join(step.reduced)))
    for row in align(rows):
        yield "  " + visible(row)
    if trace.line:
        expected = ", ".join(name_terminal(parser.compiled, name) for name in trace.expected)
        place = f"{trace.line}:{trace.column}"
        yield f"{paint('stopped', 'red', bold=True)} at {place}; expected {visible(expected)}"


def _show_passes(changed: Sequence[PassedLine]) -> Iterator[str]:
    # Without a change the line above has all that there is: "0 changes".
    if not changed:
        return
    titles = ("pass", "line", "was", "becomes", "text")
    rows = [(row.name, str(row.line), row.was, row.becomes, _draw(row.text)) for row in changed]
    header, *lines = align([titles, *rows], right=(1,))
    yield paint(header, bold=True)
    yield from lines


def _show_strict(trace: StrictTrace, dialect: WrittenDialect) -> Iterator[str]:
    yield paint("tokens", bold=True)
    rows = []
    for token in trace.tokens:
        place = f"{token.span.line}:{token.span.column}"
        rows.append((place, token.terminal, _draw(token.value)))
    for row in align(rows):
        yield "  " + row
    if trace.tree:
        yield paint("tree", bold=True)
        yield from _show_node(trace.tree, "  ")
    stop = trace.stop
    if not stop:
        return
    place = f"{stop.span.line}:{stop.span.column}"
    yield f"{paint('stopped', 'red', bold=True)} at {place}"
    yield "  found     " + (_draw(stop.found) if stop.found.strip() else "the end of the line")
    # A mark is shown with its text: its name alone would have to be looked up.
    names = {name: name for name in stop.expected}
    for terminal in dialect.parser.terminals:
        if terminal.name in names and terminal.pattern.type == "str":
            names[terminal.name] += f" {terminal.pattern.value}"
    yield "  expected  " + visible(", ".join(names.values()))
    reason = stop.diagnostic
    if reason:
        hint = f"; {reason.hint}" if reason.hint else ""
        yield f"  meaning   line {reason.span.line}: " + visible(reason.message + hint)


def _show_node(node: TracedNode, indent: str) -> Iterator[str]:
    from ....lab.workbench.strict_trace import TracedNode

    yield indent + paint(node.rule, "cyan")
    for child in node.children:
        if isinstance(child, TracedNode):
            yield from _show_node(child, indent + "  ")
        else:
            yield f"{indent}  {child.terminal}  {_draw(child.value)}"


def _show_recovery(trace: RecoveryTrace) -> Iterator[str]:
    # The automaton is the rule; Earley is slower, and used where a grammar nests.
    engine = "" if trace.engine == "automaton" else f", by {trace.engine.capitalize()}"
    price = trace.outline.price
    yield f"{paint('cheapest reading', bold=True)}{engine}: price {price}"
    if trace.outline.note:
        yield _note(trace.outline.note)
    titles = ("line", "kind", "role", "price", "nearest other", "text")
    header, *lines = align([titles, *map(_row, trace.parts)], right=(0, 3))
    if trace.parts:
        yield "  " + paint(header, bold=True)
    for part, line in zip(trace.parts, lines, strict=True):
        yield from _show_mistakes("before: ", part.part.step.before, trace.mistakes)
        # Mistakes before a line are parts that it lacks, such as an opener above a content.
        yield "  " + line
        yield from _show_mistakes("", part.part.step.mistakes, trace.mistakes)
        if part.respelt:
            rules = ", ".join(part.respelt.rules)
            text = _draw(part.respelt.text)
            yield _note(f"{part.part.line.kind}: the rules {rules} would make it {text}")
        for number, kind in part.alone[:_MAX_LINES]:
            yield _note(f"line {number} alone is {kind}; in its place it counts as plain text")
        if len(part.alone) > _MAX_LINES:
            yield _note(f"and {counted(len(part.alone) - _MAX_LINES, 'more such line')}")
    yield from _show_mistakes("at the end: ", trace.outline.at_end, trace.mistakes)
    title = paint("readings that lost", bold=True)
    if not trace.others:
        # Earley cannot list them where rules nest.
        title += ": none within this margin" if trace.all_known else ": not known where rules nest"
    yield title
    for number, reading in enumerate(trace.others, 1):
        yield from _show_other(number, reading, trace)


def _row(part: TracedPart) -> tuple[str, ...]:
    step = part.part.step
    # The roles are in the order of their prices.
    roles = [f"{role} +{price}" for role, price in part.by_role.items() if role != step.role]
    nearest = roles[0] if roles else ""
    lines = _lines(part.first, part.last)
    return lines, part.part.line.kind, step.role, str(step.price), nearest, _draw(part.text)


def _show_mistakes(place: str, names: Iterable[str], prices: dict[str, int]) -> Iterator[str]:
    for name in names:
        yield _note(f"{place}{paint(name, 'yellow')} {prices[name]}")


def _show_other(number: int, reading: OtherReading, trace: RecoveryTrace) -> Iterator[str]:
    yield f"  {number}. price {reading.price}, {paint(f'+{reading.dearer}', 'cyan')}"
    rows = []
    for part in reading.differences:
        steps = (_show_step(part.chosen, trace), "→", _show_step(part.other, trace))
        rows.append((_lines(part.first, part.last), *steps))
    # Parts that are missing after the last line.
    if reading.at_end != trace.outline.at_end:
        ends = (_listed(trace.outline.at_end, trace), "→", _listed(reading.at_end, trace))
        rows.append(("end", *ends))
    for row in align(rows, right=(0,)):
        yield "     line " + row


def _show_step(step: Step, trace: RecoveryTrace) -> str:
    role = step.role
    if step.mistakes:
        role += f" ({_listed(step.mistakes, trace)})"
    return f"{_listed(step.before, trace)}, then {role}" if step.before else role


def _listed(names: Sequence[str], trace: RecoveryTrace) -> str:
    return " + ".join(f"{name} {trace.mistakes[name]}" for name in names) or "nothing missing"


def _note(text: str) -> str:
    return " " * 8 + text


def _lines(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"


def _draw(text: str) -> str:
    """Draw a text on one line, with pictures of control characters and of blanks at its ends."""
    size = len(text)
    marked = text.lstrip(" ").rjust(size, "␣").rstrip(" ").ljust(size, "␣")
    row = visible(marked.translate(_PICTURES))
    # Of a long text both ends are shown: closers and quotes are there.
    return row if len(row) <= _MAX_SHOWN else f"{row[: _MAX_SHOWN - 15]}…{row[-14:]}"
