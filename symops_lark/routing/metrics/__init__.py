"""Compute rewards, and select the winner of a contest."""

from typing import Any

_FORMER = (
    "METRIC_V1",
    "MIXED",
    "Metric",
    "MixedMetric",
    "check_number",
    "load_metric",
    "read_metric",
    "reward",
)


def __getattr__(name: str) -> Any:
    """Return a name of the module `metrics`, which this folder replaced."""
    if name not in _FORMER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # Loaded here, because most programs use the new names.
    from ...core.former_names import give_former

    return give_former(f"{__name__}.metrics", name)
