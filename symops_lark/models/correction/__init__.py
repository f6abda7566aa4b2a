"""Self-correction: ask the model again for the parts of its reply that could not be read.

Invariants, which tests/models/correction holds:

1. Only the format is asked for. Actions that were read with confidence must be the same in the
   next reply, or that reply does not count.
2. The loop ends when the same failure occurs twice.
3. A truncated reply is kept, and the model continues it.
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
