"""Options for the models that compete, and for the rules of their contest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from .options import FloatRange, find_given, together
from .tables import draw_table

if TYPE_CHECKING:
    from ...routing import Metric, MixedMetric
    from ...routing.contests.contest import Try

_MAX_REASON = 80  # characters of a reason in a table

licenses_option = click.option(
    "--allow-license",
    "licenses",
    multiple=True,
    metavar="ID",
    help="Accept this license, which is not on the list; may be repeated.",
)
models_option = click.option(
    "-m",
    "--model",
    "models",
    multiple=True,
    metavar="MANIFEST",
    help="Use the model of a manifest, or of a folder with a model.yaml; may be repeated.",
)
# A manifest may come from a stranger, so only the user allows its commands and hosts.
model_trust_options = together(
    licenses_option,
    click.option("--allow-commands", is_flag=True, help="Let manifests run commands as providers."),
    click.option(
        "--allow-host",
        "hosts",
        multiple=True,
        metavar="HOST[:PORT]",
        help=(
            "Send requests with your key to this host, which may be this machine; may be repeated."
        ),
    ),
)
trust_options = together(
    model_trust_options,
    click.option(
        "--run-code", is_flag=True, help="Let verifiers run code of replies, in the sandbox."
    ),
    click.option(
        "--time-limit",
        type=FloatRange(min=0.1),
        default=120.0,
        help="Time limit of a reply, in seconds.",
    ),
)
metric_options = together(
    click.option(
        "--metric",
        metavar="FILE",
        help="Read the metric from a JSON file: name, lambda, pi, beta, … Default: metric_v1.",
    ),
    click.option(
        "--alpha",
        type=FloatRange(0, 1),
        help="Weight of metric_v1 in a mix with --metric. Default: no mix.",
    ),
)
# How the models of a request compete.
contest_options = together(
    click.option(
        "--missing-q1",
        "missing",
        type=click.Choice(["refuse", "zero", "ignore"]),
        default="refuse",
        help=(
            "If only some candidates have a q1: choose no winner (refuse), count it as 0 "
            "(zero), or ignore every q1 (ignore)."
        ),
    ),
    click.option(
        "--verifier",
        metavar="FILE",
        help=(
            "Judge all replies by the verifier of this file: type, pass_condition, config, as in "
            "a manifest."
        ),
    ),
    click.option(
        "--own-verifiers",
        is_flag=True,
        help=(
            "Compare replies that are judged by different verifiers, each by that of its manifest."
        ),
    ),
    click.option(
        "--cascade",
        is_flag=True,
        help="Ask the cheapest candidate first, by its mean cost in the --log and since the start, "
        "and the next one only if its reply does not pass.",
    ),
    click.option(
        "--explore-share",
        type=FloatRange(0, 1),
        default=0.1,
        help="With --cascade: the share of requests that are whole contests.",
    ),
)


def read_contest(options: Mapping[str, Any], run_code: bool) -> dict[str, Any]:
    """Return the members of a `Flow` that the options of a contest name.

    Raises:
        UsageError: Two options exclude each other, or one needs another.
    """
    from ...routing.contests.contest import Judge
    from ...routing.contests.flow import Missing

    path = options["verifier"]
    if path is not None and options["own_verifiers"]:
        raise click.UsageError(
            "--verifier judges all replies, and --own-verifiers lets each have its own: take one"
        )
    if not options["cascade"] and "explore_share" in find_given(click.get_current_context()):
        raise click.UsageError("--explore-share is a share of the requests of --cascade: name both")
    names = ("own_verifiers", "cascade", "explore_share")
    members = {name: options[name] for name in names}
    members["missing"] = Missing(options["missing"])
    members["judge"] = None if path is None else Judge.load(path, run_code)
    return members


def choose_metric(path: str | None, alpha: float | None) -> Metric | MixedMetric:
    """Return the metric of a file, or metric_v1, or a mix of both.

    Args:
        path: The file of the metric.
        alpha: The weight of metric_v1 in the mix; None: no mix.

    Raises:
        UsageError: A mix has no second metric.
    """
    from ...routing import METRIC_V1, MixedMetric
    from ...routing.metrics.metrics import load_metric

    if path is None:
        if alpha is not None:
            raise click.UsageError("--alpha mixes metric_v1 with another one: name that (--metric)")
        return METRIC_V1
    metric = load_metric(path)
    return metric if alpha is None else MixedMetric(METRIC_V1, metric, alpha)


def show_tries(tries: Sequence[Try]) -> Iterator[str]:
    """Yield a table of the replies with their verdicts, the best first."""
    rows = []
    ordered = sorted(
        tries, key=lambda t: (t.role, not t.verdict.passed, -t.reward, t.contestant.model_id)
    )
    for reply in ordered:
        # The fallback did not compete, which is the reason for its place.
        reason = reply.told or ("fallback" if reply.role == "fallback" else "")
        row = (
            reply.contestant.manifest.name,
            reply.contestant.state,
            "PASS" if reply.verdict.passed else "FAIL",
            "-" if reply.q1 is None else f"{reply.q1:.3f}",
            f"{reply.cost:.3f}",
            f"{reply.verdict.refusal_penalty:g}",
            f"{reply.reward:.3f}",
            reason.split("\n")[0][:_MAX_REASON],
        )
        rows.append(row)
    titles = ("model", "state", "verdict", "q1", "cost", "refusal", "reward", "why")
    yield from draw_table(titles, rows, texts=(0, 1, 2, 7))
