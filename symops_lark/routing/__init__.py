"""Specialist models that compete for a request: manifests, verifiers, rewards, winners, and logs.

    manifest = Manifest.load("models/json-writer/model.yaml")
    a = Candidate("a", True, 1.6, 0.2, False)
    b = Candidate("b", False, 0.0, 0.1, True)
    select_winner([a, b]).winner    # "a"

Invariants:

1. No code of a manifest is run, and no file outside of its folder is read, unless the user asks
   for it.
2. A model that fails its verifier never wins.
3. Every reward in a log can be computed again from its row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.ground import load_lazily

if TYPE_CHECKING:
    from ..answers.conditions import evaluate_condition
    from .audit import AuditSet, audit_tasks, run_audit
    from .contests.contest import Contestant
    from .contests.flow import Answer, Flow
    from .contests.providers import Trust, open_model
    from .errors import ManifestError, MetricError, RoutingError
    from .logs.rows import RowError
    from .logs.run_log import RunLog, explain_run, rescore_log
    from .logs.verification import LogReport, verify_log
    from .manifests.card import write_card
    from .manifests.manifest import Manifest
    from .manifests.supply_chain import check_supply_chain
    from .metrics.metric_registry import MetricRegistry
    from .metrics.metrics import METRIC_V1, Metric, MixedMetric, read_metric, reward
    from .metrics.selection import Candidate, Selection, select_winner
    from .registry.promotion import Evidence, promotion_evidence
    from .registry.registry import Registry

# By module, so that importing this package loads none of them.
_HOMES = {
    ".answers.conditions": ("evaluate_condition",),
    "audit": ("AuditSet", "audit_tasks", "run_audit"),
    "manifests.card": ("write_card",),
    "contests.contest": ("Contestant",),
    "errors": ("ManifestError", "MetricError", "RoutingError"),
    "contests.flow": ("Answer", "Flow"),
    "contests.providers": ("Trust", "open_model"),
    "manifests.manifest": ("Manifest",),
    "metrics.metric_registry": ("MetricRegistry",),
    "metrics.metrics": ("METRIC_V1", "Metric", "MixedMetric", "read_metric", "reward"),
    "registry.promotion": ("Evidence", "promotion_evidence"),
    "registry.registry": ("Registry",),
    "logs.rows": ("RowError",),
    "logs.run_log": ("RunLog", "explain_run", "rescore_log"),
    "metrics.selection": ("Candidate", "Selection", "select_winner"),
    "manifests.supply_chain": ("check_supply_chain",),
    "logs.verification": ("LogReport", "verify_log"),
}
__all__ = [
    "METRIC_V1",
    "Answer",
    "AuditSet",
    "Candidate",
    "Contestant",
    "Evidence",
    "Flow",
    "LogReport",
    "Manifest",
    "ManifestError",
    "Metric",
    "MetricError",
    "MetricRegistry",
    "MixedMetric",
    "Registry",
    "RoutingError",
    "RowError",
    "RunLog",
    "Selection",
    "Trust",
    "audit_tasks",
    "check_supply_chain",
    "evaluate_condition",
    "explain_run",
    "open_model",
    "promotion_evidence",
    "read_metric",
    "rescore_log",
    "reward",
    "run_audit",
    "select_winner",
    "verify_log",
    "write_card",
]
__getattr__ = load_lazily(__name__, _HOMES)


# For `dir` and completion, which would not see names that are loaded later.
def __dir__() -> list[str]:
    return list(__all__)
