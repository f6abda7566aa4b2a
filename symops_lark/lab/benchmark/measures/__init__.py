"""The measures of the benchmark: every public function of a module of this folder is one.

A measure is called with the records of one provenance, all of which have a reply, and yields
figures. Plots and findings refer to it by the name of the function. The first line of its docstring
is its title in reports; the rest is printed below its table and defines how it is computed. To add
a measure, add a function.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping

from ..figures import Measure
from ..rooms import find_functions

# In the order of the modules, and of the functions in them.
MEASURES: Mapping[str, Measure] = find_functions(__name__, __path__)


def describe(measure: Measure) -> tuple[str, str]:
    """Return the title of a measure, and the text that defines how it is computed."""
    title, _, text = (inspect.getdoc(measure) or "").partition("\n")
    return title.removesuffix("."), " ".join(text.split())
