"""Formats that the dialects are compared with: JSON, YAML and Markdown, one file each.

Each has an encoder, `Document → text`, and a tolerant decoder by a well-kept library: they compete on equal terms.
A module of this folder that has a `BASELINE` is one, so that to add a baseline is to add a file.
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
    """A format: how a document is written in it, and how a reply in it is read.

    `encode` writes what a model would be taught to write, and leaves out skipped text; it raises `RenderError` for what
    the format cannot say. `decode` takes any text, gives what it finds, and never raises but for a missing library
    (`SymOpsError`). The law: `decode(encode(d)) == d` for every document without skipped text that can be encoded.
    `parse` takes only a text that is the format from its first character to its last, and gives None for any other.
    """

    name: str
    encode: Callable[[Document], str]
    decode: Callable[[str], Document]
    parse: Callable[[str], Document | None]


BASELINES: Mapping[str, Baseline]  # by name; the modules of this folder are imported when somebody asks for it


@cache
def __getattr__(name: str) -> Any:
    if name != "BASELINES":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    found = [module.BASELINE for module in modules if hasattr(module, "BASELINE")]
    return {baseline.name: baseline for baseline in sorted(found, key=lambda baseline: baseline.name)}
