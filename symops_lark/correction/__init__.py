"""Asking the model again: what to say to it, what to make of its answer, when to stop.

Laws: a model is asked for format only; what was read with confidence must come back unchanged, or the answer does not
count; the same failure twice ends the loop; what had arrived of a reply that was cut off is kept and continued.
Nothing here talks to a network: the loop is a generator that gives messages and takes replies.
"""

from .corrector import Mode, SelfCorrector, adrive, drive
from .failure import find_failure

__all__ = ["Mode", "SelfCorrector", "adrive", "drive", "find_failure"]
