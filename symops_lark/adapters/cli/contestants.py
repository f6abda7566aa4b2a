"""The options by which commands of `symops route` are told models, and what those may do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from .options import together
from .tables import draw_table

if TYPE_CHECKING:
    from ...routing import Metric, MixedMetric
    from ...routing.contests.contest import Try

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
# Which models may be used, and with what.
model_trust_options = together(
    licenses_option,
    click.option("--allow-commands", is_flag=True, help="Let manifests run commands as providers."),
    click.option(
        "--allow-host",
        "hosts",
        multiple=True,
        metavar="HOST[:PORT]",
        help="Send requests with your key to this host, which may be this machine; may be repeated.",
    ),
)
trust_options = together(
    model_trust_options,
    click.option("--run-code", is_flag=True, help="Let verifiers run code of replies, in the sandbox."),
    click.option(
        "--time-limit", type=click.FloatRange(min=0.1), default=120.0, help="Time limit of a reply, in seconds."
    ),
)
metric_options = together(
    click.option(
        "--metric",
        metavar="FILE",
        help="Read the metric from a JSON file: name, lambda, pi, beta, … Default: metric_v1.",
    ),
    click.option(
        "--alpha", type=click.FloatRange(0, 1), help="Weight of metric_v1 in a mix with --metric. Default: no mix."
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
        help="Judge all replies by the verifier of this file: type, pass_condition, config, as in a manifest.",
    ),
    click.option(
        "--own-verifiers",
        is_flag=True,
        help="Compare replies that are judged by different verifiers, each by that of its manifest.",
    ),
    click.option(
        "--cascade",
        is_flag=True,
        help="Ask the cheapest candidate first, by its mean cost in the --log and since the start, "
        "and the next one only if its reply does not pass.",
    ),
    click.option(
        "--explore-share",
        type=click.FloatRange(0, 1),
        default=0.1,
        help="With --cascade: the share of requests that are whole contests.",
    ),
)


def read_contest(settings: Mapping[str, Any], run_code: bool) -> dict[str, Any]:
    """Return the members of a `Flow` that the options of a contest name."""
    from ...routing.contests.contest import Judge
    from ...routing.contests.flow import Missing

    path = settings["verifier"]
    if path is not None and settings["own_verifiers"]:
        raise click.UsageError("--verifier judges all replies, and --own-verifiers lets each have its own: take one")
    judge = None if path is None else Judge.load(path, run_code)
    names = ("own_verifiers", "cascade", "explore_share")
    return {"missing": Missing(settings["missing"]), "judge": judge} | {name: settings[name] for name in names}


def choose_metric(path: str | None, alpha: float | None) -> Metric | MixedMetric:
    """Return the metric of a file, mixed with metric_v1 if asked for; metric_v1 where none is named."""
    from ...routing import METRIC_V1, MixedMetric
    from ...routing.metrics.metrics import load_metric

    if path is None:
        if alpha is not None:
            raise click.UsageError("--alpha mixes metric_v1 with another one: name that (--metric)")
        return METRIC_V1
    metric = load_metric(path)
    return metric if alpha is None else MixedMetric(METRIC_V1, metric, alpha)


def show_tries(tries: Sequence[Try]) -> Iterator[str]:
    """Yield a table of who was asked and what came of it, the best first."""
    rows = []
    for tried in sorted(tries, key=lambda t: (t.role, not t.verdict.passed, -t.reward, t.contestant.model_id)):
        q1 = "-" if tried.q1 is None else f"{tried.q1:.3f}"
        told = (tried.told or ("fallback" if tried.role == "fallback" else "")).split("\n")[0][:80]
        passed = "PASS" if tried.verdict.passed else "FAIL"
        numbers = (q1, f"{tried.cost:.3f}", f"{tried.verdict.refusal_penalty:g}", f"{tried.reward:.3f}")
        rows.append((tried.contestant.manifest.name, tried.contestant.state, passed, *numbers, told))
    titles = ("model", "state", "verdict", "q1", "cost", "refusal", "reward", "why")
    yield from draw_table(titles, rows, texts=(0, 1, 2, 7))
