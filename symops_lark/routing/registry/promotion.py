"""Promotion: whether a version of a model can be stable, and whether a stable one stays so.

Invariant: a version with fewer rows than its window is never promoted, nor is any version by a log
whose rows do not follow from each other.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from ...core.ground.json_objects import JsonObject
from ...core.ground.numbers import counted
from ...lab.measuring.statistics import Rate
from ..errors import RoutingError
from ..logs.run_log import RunLog
from ..logs.tallies import PASS_WINDOW, WIN_WINDOW, Key, Tally
from ..logs.verification import LogReport, verify_log
from ..manifests.supply_chain import Status, SupplyChain
from ..metrics.metrics import METRIC_V1

PASS_PERCENT = 95
WIN_PERCENT = 20
_REACHABLE = 100 // WIN_PERCENT  # the number of equally good models that can all reach the win rate


@dataclass(frozen=True, slots=True)
class Evidence(JsonObject):
    """The evidence about one version of a model under one metric.

    Attributes:
        model_id: The model.
        version: The version.
        metric: The metric.
        passes: The rate of passes in the newest hundred rows.
        wins: The rate of wins in the newest thousand runs that it shared with another model, and
            that had a winner.
        competitors: The mean number of models in these runs.
        supply_chain: Whether the check of its files succeeded.
        log: The path of the run log.
        head: The hash of the last row of the log.
        row: The number of this row.
        reasons: Why it is not eligible.
        demotions: Why a stable version should be demoted.
        warnings: Doubts about the evidence.
    """

    WRITTEN: ClassVar[tuple[str, ...]] = (
        # In the order of the JSON object.
        "model_id",
        "version",
        "metric",
        "eligible",
        "passes",
        "wins",
        "competitors",
        "supply_chain",
        "log",
        "head",
        "row",
        "reasons",
        "demotions",
        "warnings",
    )

    model_id: str
    version: str
    metric: str
    passes: Rate
    wins: Rate
    competitors: float
    supply_chain: bool
    log: str = ""
    head: str = ""
    row: int | None = None
    reasons: tuple[str, ...] = ()
    demotions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def eligible(self) -> bool:
        """Whether it may be stable."""
        return not self.reasons


def promotion_evidence(
    log: str | os.PathLike[str] | RunLog | LogReport,
    model_id: str,
    version: str | None = None,
    *,
    metric: str = METRIC_V1.name,
    supply_chain: SupplyChain | bool | None = None,
) -> Evidence:
    """Return the evidence of a log for and against a version of a model.

    To notice a log that was cut, pass `verify_log(path, heads=registry.log_heads(path))`.

    Args:
        log: The path of the log, the log, or a report on it.
        model_id: The model.
        version: The version. By default the only one in the log.
        metric: The metric.
        supply_chain: The result of the check of the model's files. None: they were not checked,
            which is not sufficient.

    Raises:
        RoutingError: The log has several versions.
        SymOpsError: The log cannot be read.
    """
    if not isinstance(log, LogReport):
        log = verify_log(log.path if isinstance(log, RunLog) else Path(log))
    if version is None:
        version = _choose_version(log, model_id, metric)
    key = Key(model_id, version, metric)
    tally = log.tallies.by_key.get(key) or Tally(key)
    is_ok = supply_chain.ok if isinstance(supply_chain, SupplyChain) else bool(supply_chain)
    return Evidence(
        model_id,
        version,
        metric,
        tally.newest_passes,
        tally.newest_wins,
        tally.competitors,
        is_ok,
        log.path,
        log.chain.head,
        log.chain.last,
        (*_reasons(log, tally, is_ok, supply_chain), *_doubts(log, tally)),
        tuple(_demotions(log, tally.newest_passes, supply_chain)),
        tuple(_warnings(log, tally)),
    )


def _choose_version(report: LogReport, model_id: str, metric: str) -> str:
    versions = [
        key.version
        for key in report.tallies.by_key
        if (key.model_id, key.metric) == (model_id, metric)
    ]
    if len(versions) > 1:
        names = ", ".join(sorted(versions))
        raise RoutingError(f"{report.path}: {model_id} is there in the versions {names}: name one")
    return versions[0] if versions else ""


def _reasons(
    report: LogReport, tally: Tally, is_ok: bool, supply_chain: SupplyChain | bool | None
) -> Iterator[str]:
    if not report.ok:
        problems = counted(report.wrong, "problem")
        if report.problems:
            problems += f", the first on line {report.problems[0].line}"
        yield f"the log does not follow ({problems}): see `symops route log verify`"
    for verb, rows, rate, window, percent in (
        ("passed", "rows", tally.newest_passes, PASS_WINDOW, PASS_PERCENT),
        ("won", "decided runs against others", tally.newest_wins, WIN_WINDOW, WIN_PERCENT),
    ):
        # A part of a window says too little.
        if rate.n < window:
            yield f"there are {rate.n} of {window} {rows}"
        elif 100 * rate.k < percent * rate.n:
            yield f"it {verb} {rate.k} of the last {rate.n} {rows}; {percent} % are needed"
    if not is_ok:
        yield f"the supply chain is not OK: {_describe(supply_chain)}"


def _doubts(report: LogReport, tally: Tally) -> Iterator[str]:
    """Yield why rows of the windows may be forged: they have no seal, and no known head follows."""
    for noun, window, newest in (
        ("row", tally.passes, tally.unsealed),
        ("decided run", tally.wins, tally.unsealed_run),
    ):
        first = window.first
        if not newest or newest < first:
            continue
        # Rows of older logs have no hashes, so that a head says nothing about them.
        is_chained = report.chain.first is not None and first >= (report.chain.first,)
        if not is_chained or newest > (report.chain.trusted,):
            yield (
                f"a {noun} of the last {len(window.values()):,} has no seal of your key: anybody "
                "may have written it; let the model answer again, or name a head of the log that "
                "you know (--head)"
            )


def _demotions(
    report: LogReport, passes: Rate, supply_chain: SupplyChain | bool | None
) -> Iterator[str]:
    """Yield why a stable version is demoted. Missing evidence is not a reason."""
    if report.ok and passes.n >= PASS_WINDOW and 100 * passes.k < PASS_PERCENT * passes.n:
        rows = counted(passes.n, "row")
        yield f"it passed {passes.k} of the last {rows}; {PASS_PERCENT} % are needed"
    if isinstance(supply_chain, SupplyChain):
        for link in supply_chain.links:
            if link.status in (Status.MISMATCH, Status.MISSING):
                yield f"{link.name}: {link.status}: {link.told}"
    elif supply_chain is False:  # None is not a reason: the files were not checked
        yield "the supply chain is not OK"


def _warnings(report: LogReport, tally: Tally) -> Iterator[str]:
    if tally.competitors > _REACHABLE:
        yield (
            f"{tally.competitors:.1f} models competed in the mean: more than {_REACHABLE} equals "
            f"cannot all win {WIN_PERCENT} % of their runs"
        )
    unnamed = report.tallies.by_key.get(Key(tally.key.model_id, "", tally.key.metric))
    # Rows of older logs may be without a version.
    if tally.key.version and unnamed is not None:
        rows = counted(unnamed.sums.rows, "row")
        yield f"{rows} of {tally.key.model_id} without a version: not counted"


def _describe(supply_chain: SupplyChain | bool | None) -> str:
    if isinstance(supply_chain, SupplyChain):
        links = [link for link in supply_chain.links if link.status is not Status.OK]
        return "; ".join(f"{link.name} {link.status}" for link in links)
    return "it was not checked" if supply_chain is None else "its check failed"
