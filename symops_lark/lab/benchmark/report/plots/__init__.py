"""The plots: every public function of a module of this folder is one, drawn above the table of the measure of its name.

It takes the figures of every measure of a section, by name, and gives a sheet, or None if there is nothing to see.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ...figures import Figure
from ...rooms import find_functions
from ..drawing import Sheet

PLOTS: Mapping[str, Callable[[Mapping[str, Sequence[Figure]]], Sheet | None]] = find_functions(__name__, __path__)
