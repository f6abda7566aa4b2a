"""Formats: how each is taught, how it is written, how a reply in it is read. One file each; to add one is to add one.

A module of this folder, or a file of `benchmarks/baselines/`, that has `FORMATS` (a mapping from names to functions
without arguments that make them) has some. Dialects are formats by their names, derived ones by the path of their file.
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
    """A format of replies with its reader. `fingerprint` changes with all that decides how it is taught or read."""

    @property
    def name(self) -> str:
        """The name by which a user asks for it."""

    @property
    def fingerprint(self) -> str:
        """What the records of a run are compared by."""

    @property
    def rules(self) -> str:
        """A hash of the repair rules that it is read by; empty if it is read by none."""

    @property
    def phases(self) -> tuple[str, ...]:
        """Those of `PHASES` that it has, in order."""

    def __hash__(self) -> int:
        """Tell formats apart: each is itself, so that what was found out about it is remembered."""

    def teach(self, request: str) -> tuple[Message, ...]:
        """Return the conversation that asks a model for a request in this format."""

    def refuse(self, document: Document) -> str:
        """Return why the format cannot carry a document; empty if it can."""

    def write(self, document: Document) -> str:
        """Return the text that a faultless model would write."""

    def draft(self, document: Document) -> Draft:
        """Return the same text as lines that can be damaged, with what is expected to come out."""

    def read(self, reply: Reply, messages: tuple[Message, ...] = (), model: Model | None = None) -> Iterator[Attempt]:
        """Read a reply phase by phase, up to the first that gives a document; never raises for any text.

        The last phase asks `model`, if there is one, again where that document is invalid, unsure or cut off;
        `messages` are what it had been asked.
        """

    def harms(self, text: str) -> str:
        """Return which phase changes a faultless text or what it says; empty if none does."""

    def collides(self, content: str) -> bool:
        """Return whether a content holds a line that the format reads as a delimiter."""


def load_format(name: str, rules: Sequence[str | Path] = (), attempts: int = 2) -> Format:
    """Return a format of its name; a dialect is read by the user's own rules from the folders `rules` as well.

    `attempts` says how often a model is asked again about its format, if there is one. Raises `SymOpsError` if there is
    no such format, or if a library that reads it is not installed.
    """
    from .sym_ops import SymOps

    if name.endswith(".lark"):
        from .agent_formats import find_agent_format

        # The file of a user may be a dialect or a format; its rules decide.
        agent_format = find_agent_format(name)
        if agent_format is not None:
            return agent_format
    if name in dialects() or name.endswith(".lark"):
        return SymOps(name, rules, attempts)
    if name in _makers():
        return _makers()[name]()
    near = difflib.get_close_matches(name, [*dialects(), *_makers()], 3)
    hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join((*dialects(), *_makers()))}"
    raise SymOpsError(f"no format is called {name!r}; {hint} (a dialect of your own: the path of its .lark file)")


def known_formats() -> dict[str, str]:
    """Return every format by name, dialects first, and why it cannot be used; empty if it can."""
    return dict.fromkeys(dialects(), "") | {name: tell_refusal(name) for name in _makers()}


def tell_refusal(name: str) -> str:
    """Return why a format cannot be used; empty if it can."""
    try:
        load_format(name)
    except SymOpsError as error:
        return str(error)
    return ""


@cache
def _makers() -> Mapping[str, Callable[[], Format]]:
    """The functions that make the formats that are no dialects, by name."""
    found = find_named(__name__, __path__, "FORMATS")
    for path in sorted((find_folder("benchmarks") / "baselines").glob("[!_]*.py")):
        found |= getattr(_load(path), "FORMATS", {})
    return found


def _load(path: Path) -> ModuleType:
    """Import a file that is in no package: data of the benchmark, in a checkout or inside the installed package."""
    name = f"{__name__}._baselines.{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
