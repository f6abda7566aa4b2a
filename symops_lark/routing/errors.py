"""What goes wrong in this room.

RoutingError
├── ManifestError   a manifest is wrong; the message begins with `file:line:column:`, once for each mistake
└── MetricError     a number is none that a reward can be made of, or a metric is wrong
"""

from __future__ import annotations

from ..core.ground.errors import SymOpsError


class RoutingError(SymOpsError):
    """A request cannot be routed, or what routes it is wrong."""


class ManifestError(RoutingError):
    """A manifest is wrong; the message says where, why, and what to do."""


class MetricError(RoutingError, ValueError):
    """A number is none that a reward can be made of, or a metric is wrong."""
