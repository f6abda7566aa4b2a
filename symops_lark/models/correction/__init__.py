"""Self-correction: ask the model again for the parts of its reply that could not be read.

Invariants, which tests/models/correction holds:

1. Only the format is asked for. Actions that were read with confidence must be the same in the
   next reply, or that reply does not count.
2. The loop ends when the same failure occurs twice.
3. A truncated reply is kept, and the model continues it.
4. Nothing here uses a network: the loop is a generator that yields messages and receives replies.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...core.replies.conversation import adrive, drive
    from .corrector import Mode, SelfCorrector
    from .failure import find_failure

__all__ = ["Mode", "SelfCorrector", "adrive", "drive", "find_failure"]
_HOMES = {
    "adrive": "..core.replies.conversation",
    "drive": "..core.replies.conversation",
    "find_failure": "failure",
}


def __getattr__(name: str) -> Any:
    """Return one of `__all__`. It is loaded only now: programs without a model need none."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_HOMES.get(name, 'corrector')}", __name__), name)
