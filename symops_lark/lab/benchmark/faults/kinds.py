"""Kinds of mistake: the functions that make each, and the evidence for how often models make it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from ....core.ground.resources import find_folder
from ....core.text.yaml_file import YamlFile
from .mistakes import REGISTRY

# Classes of evidence. A source is the document with which the project started.
CLASSES = ("measured", "literature", "source", "assumed")
FILE = "kinds.yaml"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of mistake.

    Attributes:
        name: Its name.
        summary: A sentence about it.
        made_by: The functions of which any makes it.
        rests: The class of the evidence, one of `CLASSES`.
        evidence: The evidence in words.
        measured: In how many of how many replies it was counted, all in other edit formats.
    """

    name: str
    summary: str
    made_by: tuple[str, ...]
    rests: str
    evidence: str
    measured: tuple[int, int] | None = None


@cache
def load_kinds() -> Mapping[str, Kind]:
    """Return all kinds by name, in the order in which they are applied to a reply."""
    table = YamlFile(find_folder("benchmarks/profiles") / FILE)
    table.check_keys((), ("kinds", "in-no-kind"))
    # Read-only, since all callers share it.
    return MappingProxyType({name: _read(table, name) for name in table.get(("kinds",))})


def _read(table: YamlFile, name: str) -> Kind:
    keys = ("kinds", name)
    table.check_keys(keys, ("summary", "made-by", "class", "evidence"), ("measured",))
    made_by = tuple(table.get((*keys, "made-by")))
    for function in made_by:
        if function not in REGISTRY:
            raise table.fail((*keys, "made-by"), f"no mistake is called {function!r}")
    measured = None
    if "measured" in table.get(keys):
        table.check_keys((*keys, "measured"), ("k", "n"))
        count = int(table.get((*keys, "measured", "k")))
        measured = count, int(table.get((*keys, "measured", "n")))
    return Kind(
        name,
        summary=table.text((*keys, "summary")),
        made_by=made_by,
        rests=table.one_of((*keys, "class"), CLASSES),
        evidence=table.text((*keys, "evidence")),
        measured=measured,
    )
