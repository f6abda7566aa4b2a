"""Formats that the dialects are compared with: JSON, YAML and Markdown, one file each.

Each has an encoder, `Document → text`, and a tolerant decoder by a well-kept library: they compete on equal terms.
A module of this folder that has a `BASELINE` is one, so that to add a baseline is to add a file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pkgutil import iter_modules

from ..document import Document
from ..errors import SymOpsError

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


def missing_library(error: ImportError) -> SymOpsError:
    """Return the error that says what to install, of the one that an import raised."""
    return SymOpsError(f"this needs the library {error.name}: pip install '{EXTRA}'")


class _Registry(Mapping[str, Baseline]):
    """The baselines by name; the modules of this folder are imported when somebody looks."""

    @cached_property
    def _found(self) -> dict[str, Baseline]:
        modules = (import_module(f"..baselines.{module.name}", __name__) for module in iter_modules(__path__))
        baselines = [module.BASELINE for module in modules if hasattr(module, "BASELINE")]
        return {baseline.name: baseline for baseline in sorted(baselines, key=lambda baseline: baseline.name)}

    def __getitem__(self, name: str) -> Baseline:
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


BASELINES: Mapping[str, Baseline] = _Registry()
