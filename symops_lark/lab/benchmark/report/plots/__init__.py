"""The plots of the report: one public function of a module of this folder for each plot.

A plot has the name of the measure whose table it is drawn above. Its function is called with the
figures of all measures of a section, by name, and returns a sheet, or None if there is nothing to
draw.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...rooms import find_functions
from ..drawing import Sheet
from ..findings import FiguresByMeasure

Plot = Callable[[FiguresByMeasure], Sheet | None]
PLOTS: Mapping[str, Plot] = find_functions(__name__, __path__)
