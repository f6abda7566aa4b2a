"""Formats that the dialects are compared with: JSON, YAML and Markdown, one module each.

Each has an encoder, `Document → text`, and a tolerant decoder by a maintained library, so that the
comparison is fair. A module of this folder with a `BASELINE` is one: to add a baseline, add a file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from ...core.document import Document

EXTRA = "symops-lark[baselines]"


@dataclass(frozen=True)
class Baseline:
    """A format, with functions that write and read it.

    Invariant: `decode(encode(d)) == d` for every document without skipped text that can be encoded.

    Attributes:
        name: The name of the format.
        encode: Writes a document as a model would be taught to write it, without skipped text.
            Raises `RenderError` if the format cannot express a part.
        decode: Reads any text, and returns the sections that it finds. Raises only `SymOpsError`,
            if a library is missing.
        parse: Reads a text that is in the format from the first character to the last one. Returns
            None for any other text.
    """

    name: str
    encode: Callable[[Document], str]
    decode: Callable[[str], Document]
    parse: Callable[[str], Document | None]


BASELINES: Mapping[str, Baseline]  # by name; the modules are imported at the first access


@cache
def __getattr__(name: str) -> Any:
    if name != "BASELINES":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    baselines = {}
    for module in iter_modules(__path__):
        imported = import_module(f"{__name__}.{module.name}")
        baseline = getattr(imported, "BASELINE", None)
        if baseline:
            baselines[baseline.name] = baseline
    return dict(sorted(baselines.items()))
