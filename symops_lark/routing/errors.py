"""The errors of this package.

RoutingError
├── ManifestError   a manifest is wrong; the message has `file:line:column:` for each mistake
└── MetricError     a number cannot be used for a reward, or a metric is wrong
"""

from __future__ import annotations

from ..core.ground.errors import SymOpsError


class RoutingError(SymOpsError):
    """A request cannot be routed, or a file or setting for routing is wrong."""


class ManifestError(RoutingError):
    """A manifest is wrong; the message has the place, the reason, and a hint."""


class MetricError(RoutingError, ValueError):
    """A number cannot be used for a reward, or a metric is wrong."""
