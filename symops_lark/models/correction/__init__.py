"""Asking the model again: what to say to it, what to make of its answer, when to stop.

Laws: a model is asked for format only; what was read with confidence must come back unchanged, or the answer does not
count; the same failure twice ends the loop; what had arrived of a reply that was cut off is kept and continued.
Nothing here talks to a network: the loop is a generator that gives messages and takes replies.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...core.replies.conversation import adrive, drive
    from .corrector import Mode, SelfCorrector
    from .failure import find_failure

__all__ = ["Mode", "SelfCorrector", "adrive", "drive", "find_failure"]
_HOMES = {"adrive": "..core.replies.conversation", "drive": "..core.replies.conversation", "find_failure": "failure"}


def __getattr__(name: str) -> Any:
    """Return one of `__all__`, which is loaded only then: who has no model needs none of them."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_HOMES.get(name, 'corrector')}", __name__), name)
