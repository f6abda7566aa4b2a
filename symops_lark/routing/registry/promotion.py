"""Promotion: whether a version of a model has earned to be stable, and whether a stable one still deserves it.

Law: what has fewer rows than its window is never promoted, and of a log that does not follow nobody is.
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

PASS_PERCENT, WIN_PERCENT = 95, 20
_REACHABLE = 100 // WIN_PERCENT  # so many equals can all reach the win rate


@dataclass(frozen=True, slots=True)
class Evidence(JsonObject):
    """What is known of one version of a model under one metric.

    `passes` is of its newest hundred rows, `wins` of the newest thousand runs in which it competed with another model
    and a winner was decided; `competitors` is how many competed there, in the mean. `supply_chain` tells whether it is
    OK. `head` is the hash of the last row of the log, and `row` its number.

    `reasons` are why it is not `eligible`, `demotions` why a stable one is to be demoted.
    """

    WRITTEN: ClassVar[tuple[str, ...]] = (
        *("model_id", "version", "metric", "eligible", "passes", "wins", "competitors", "supply_chain", "log"),
        *("head", "row"),
        *("reasons", "demotions", "warnings"),
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
    """Return what a log, or the report on one, says for and against a version of a model.

    Without a `version`, the one that the log has; without a `supply_chain`, it is not OK: nobody has looked.

    To notice a log that was cut, pass `verify_log(path, heads=registry.log_heads(path))`.

    Raises `RoutingError` if the log has several versions, and `SymOpsError` if it cannot be read.
    """
    if not isinstance(log, LogReport):
        log = verify_log(log.path if isinstance(log, RunLog) else Path(log))
    report = log
    chosen = _choose_version(report, model_id, metric) if version is None else version
    tally = report.tallies.by_key.get(Key(model_id, chosen, metric)) or Tally(Key(model_id, chosen, metric))
    ok = supply_chain if isinstance(supply_chain, bool) else supply_chain is not None and supply_chain.ok
    passes, wins = tally.newest_passes, tally.newest_wins
    return Evidence(
        model_id,
        chosen,
        metric,
        passes,
        wins,
        tally.competitors,
        ok,
        report.path,
        report.chain.head,
        report.chain.last,
        (*_reasons(report, passes, wins, ok, supply_chain), *_doubts(report, tally)),
        tuple(_demotions(report, passes, supply_chain)),
        tuple(_warnings(report, tally)),
    )


def _choose_version(report: LogReport, model_id: str, metric: str) -> str:
    found = [key.version for key in report.tallies.by_key if (key.model_id, key.metric) == (model_id, metric)]
    if len(found) > 1:
        raise RoutingError(f"{report.path}: {model_id} is there in the versions {', '.join(sorted(found))}: name one")
    return found[0] if found else ""


def _reasons(
    report: LogReport, passes: Rate, wins: Rate, ok: bool, supply_chain: SupplyChain | bool | None
) -> Iterator[str]:
    if not report.ok:
        first = f", the first on line {report.problems[0].line}" if report.problems else ""
        yield f"the log does not follow ({counted(report.wrong, 'problem')}{first}): see `symops route log verify`"
    for what, rate, window, percent in (
        ("passed", passes, PASS_WINDOW, PASS_PERCENT),
        ("won", wins, WIN_WINDOW, WIN_PERCENT),
    ):
        rows = "rows" if what == "passed" else "decided runs against others"
        if rate.n < window:
            yield f"there are {rate.n} of {window} {rows}"
        elif 100 * rate.k < percent * rate.n:
            yield f"it {what} {rate.k} of the last {rate.n} {rows}; {percent} % are needed"
    if not ok:
        yield f"the supply chain is not OK: {_describe(supply_chain)}"


def _doubts(report: LogReport, tally: Tally) -> Iterator[str]:
    """Yield why rows of the windows may be forged: they have no valid seal, and the user does not vouch for them."""
    for what, window, newest in (
        ("row", tally.passes, tally.unsealed),
        ("decided run", tally.wins, tally.unsealed_run),
    ):
        first = window.first
        if not newest or newest < first:
            continue
        chained = report.chain.first is not None and first >= (report.chain.first,)
        if not chained or newest > (report.chain.trusted,):
            yield (
                f"a {what} of the last {len(window.values()):,} has no seal of your key: anybody may have written it; "
                "let the model answer again, or name a head of the log that you know (--head)"
            )


def _demotions(report: LogReport, passes: Rate, supply_chain: SupplyChain | bool | None) -> Iterator[str]:
    """Yield why a stable version falls: what is certainly bad, and not that nobody has looked."""
    if report.ok and passes.n >= PASS_WINDOW and 100 * passes.k < PASS_PERCENT * passes.n:
        yield f"it passed {passes.k} of the last {counted(passes.n, 'row')}; {PASS_PERCENT} % are needed"
    if isinstance(supply_chain, SupplyChain):
        for link in supply_chain.links:
            if link.status in (Status.MISMATCH, Status.MISSING):
                yield f"{link.name}: {link.status}: {link.told}"
    elif supply_chain is False:
        yield "the supply chain is not OK"


def _warnings(report: LogReport, tally: Tally) -> Iterator[str]:
    if tally.competitors > _REACHABLE:
        yield (
            f"{tally.competitors:.1f} models competed in the mean: more than {_REACHABLE} equals cannot all win "
            f"{WIN_PERCENT} % of their runs"
        )
    unnamed = report.tallies.by_key.get(Key(tally.key.model_id, "", tally.key.metric))
    if tally.key.version and unnamed is not None:
        yield f"{counted(unnamed.sums.rows, 'row')} of {tally.key.model_id} without a version: not counted"


def _describe(supply_chain: SupplyChain | bool | None) -> str:
    if isinstance(supply_chain, SupplyChain):
        return "; ".join(f"{link.name} {link.status}" for link in supply_chain.links if link.status is not Status.OK)
    return "nobody has looked" if supply_chain is None else "it was found wanting"
