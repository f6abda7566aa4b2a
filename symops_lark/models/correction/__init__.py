"""Self-correction: ask the model again for the parts of its reply that could not be read.

Invariants, which tests/models/correction holds:

1. Only the format is asked for. Actions that were read with confidence must be the same in the
   next reply, in the same order, or that reply does not count (`guard`). If it drops, adds or
   changes other actions, or drops questions, there is a warning (`changes`).
2. The loop ends when the same failure occurs twice.
3. A truncated reply is kept, and the model continues it. What may be lost or doubled at the seam
   is suspect (`continuation`).
4. Nothing here uses a network: the loop is a generator that yields messages and receives replies.
"""

from typing import TYPE_CHECKING

from ...core.ground import load_lazily

if TYPE_CHECKING:
    from ...core.replies.conversation import adrive, drive
    from .corrector import Mode, SelfCorrector
    from .failure import find_failure

__all__ = ["Mode", "SelfCorrector", "adrive", "drive", "find_failure"]
# Loaded when they are used: programs without a model need none.
_HOMES = {
    "..core.replies.conversation": ("adrive", "drive"),
    "corrector": ("Mode", "SelfCorrector"),
    "failure": ("find_failure",),
}
__getattr__ = load_lazily(__name__, _HOMES)
