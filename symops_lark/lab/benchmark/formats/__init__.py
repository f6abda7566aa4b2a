"""Formats: how each is taught and written, and how a reply in it is read. One module each.

A module of this folder, or a file of `benchmarks/baselines/`, defines formats by a mapping
`FORMATS`, from names to functions without arguments. Dialects are formats by their names, derived
dialects by the path of their file.
"""

from __future__ import annotations

import difflib
import importlib.util
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Protocol

from ....core.document import Document
from ....core.grammar.loading import dialects
from ....core.ground.errors import SymOpsError
from ....core.ground.resources import find_folder
from ....core.replies.messages import Message, Reply
from ....models.protocol import Model
from ..faults.mistakes import Draft
from ..records import Attempt
from ..rooms import find_named


class Format(Protocol):
    """A format of replies with its reader."""

    @property
    def name(self) -> str:
        """The name by which a user asks for it."""

    @property
    def fingerprint(self) -> str:
        """A hash of everything that decides how the format is taught or read.

        Records of a run are compared by it.
        """

    @property
    def rules(self) -> str:
        """A hash of the repair rules that read it; empty if it has none."""

    @property
    def phases(self) -> tuple[str, ...]:
        """The phases of `PHASES` that it has, in order."""

    def __hash__(self) -> int:
        """Return the identity: caches hold results for one object."""

    def teach(self, request: str) -> tuple[Message, ...]:
        """Return the conversation that asks a model for a request in this format."""

    def refuse(self, document: Document) -> str:
        """Return why the format cannot carry a document; empty if it can."""

    def write(self, document: Document) -> str:
        """Return the text that a faultless model would write."""

    def draft(self, document: Document) -> Draft:
        """Return the same text as lines that can be damaged, with the expected actions."""

    def read(
        self, reply: Reply, messages: tuple[Message, ...] = (), model: Model | None = None
    ) -> Iterator[Attempt]:
        """Read a reply phase by phase, up to the first that gives a document.

        No text raises an error.

        Args:
            reply: The reply.
            messages: The request to the model.
            model: The model that the last phase asks again if the document is invalid, uncertain
                or truncated.
        """

    def harms(self, text: str) -> str:
        """Return the phase that changes a faultless text or its meaning; empty if none does."""

    def collides(self, content: str) -> bool:
        """Return whether a content has a line that the format reads as a delimiter."""


def load_format(name: str, rules: Sequence[str | Path] = (), attempts: int = 2) -> Format:
    """Return a format by its name.

    Args:
        name: The name of a format or a dialect, or the path of a `.lark` file.
        rules: Folders with custom repair rules, for dialects.
        attempts: How often a model is asked again about a dialect.

    Raises:
        SymOpsError: There is no such format, or a library that reads it is not installed.
    """
    # Imported here, since it loads the complete pipeline.
    from .sym_ops import SymOps

    if name.endswith(".lark"):
        from .agent_formats import find_agent_format

        # The file of a user may be a dialect or a format; its rules decide.
        agent_format = find_agent_format(name)
        if agent_format is not None:
            return agent_format
    if name in dialects() or name.endswith(".lark"):
        return SymOps(name, rules, attempts)
    makers = _makers()
    if name in makers:
        return makers[name]()
    names = [*dialects(), *makers]
    similar = difflib.get_close_matches(name, names, 3)
    hint = f"did you mean {' or '.join(similar)}?" if similar else f"there are {', '.join(names)}"
    raise SymOpsError(
        f"no format is called {name!r}; {hint} (a custom dialect: the path of its .lark file)"
    )


def known_formats() -> dict[str, str]:
    """Return every format by name, dialects first, and why it cannot be used; empty if it can."""
    return dict.fromkeys(dialects(), "") | {name: tell_refusal(name) for name in _makers()}


def tell_refusal(name: str) -> str:
    """Return why a format cannot be used; empty if it can."""
    try:
        load_format(name)
    except SymOpsError as error:
        # Some library is missing: the other formats can be used without it.
        return str(error)
    return ""


@cache
def _makers() -> Mapping[str, Callable[[], Format]]:
    """Return the functions that make the formats other than dialects, by name."""
    makers = find_named(__name__, __path__, "FORMATS")
    for path in sorted((find_folder("benchmarks") / "baselines").glob("[!_]*.py")):
        makers |= getattr(_load(path), "FORMATS", {})
    return makers


def _load(path: Path) -> ModuleType:
    """Import a file that is data of the benchmark, not a part of a package."""
    name = f"{__name__}._baselines.{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    # Registered first: dataclasses look up their module by its name.
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
