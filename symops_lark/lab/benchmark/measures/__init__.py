"""The measures: every public function of a module of this folder is one; to add one is to write one more.

A measure takes records of one provenance, all of which have a reply, and gives figures. Its name is what plots and
findings know it by; the first line of its docstring is its title, the rest says exactly how it is computed.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping

from ..figures import Measure
from ..rooms import find_functions

MEASURES: Mapping[str, Measure] = find_functions(__name__, __path__)  # in the order of modules and of places there


def describe(measure: Measure) -> tuple[str, str]:
    """Return the title of a measure and the text that says how it is computed."""
    title, _, text = (inspect.getdoc(measure) or "").partition("\n")
    return title.removesuffix("."), " ".join(text.split())
