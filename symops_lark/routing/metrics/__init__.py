"""Rewards and how the winner is selected."""

from typing import Any

_FORMER = ("METRIC_V1", "MIXED", "Metric", "MixedMetric", "check_number", "load_metric", "read_metric", "reward")


def __getattr__(name: str) -> Any:
    """Return what the module `metrics` gave when it stood in the place of this folder."""
    if name not in _FORMER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from ...core.former_names import give_former

    return give_former(f"{__name__}.metrics", name)
