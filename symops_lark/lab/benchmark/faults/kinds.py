"""Kinds of mistake: which functions make each, and what is known of how often models make it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from ....core.ground.resources import find_folder
from ....core.text.yaml_file import YamlFile
from .mistakes import REGISTRY

CLASSES = ("measured", "literature", "source", "assumed")  # of evidence; a source is the document that we started from
FILE = "kinds.yaml"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of mistake: any of the functions `made_by` makes it.

    `measured` are k of n replies in which it was counted, all in other edit formats; `evidence` says more, and `rests`
    is its class.
    """

    name: str
    summary: str
    made_by: tuple[str, ...]
    rests: str
    evidence: str
    measured: tuple[int, int] | None = None


@cache
def load_kinds() -> Mapping[str, Kind]:
    """Return all kinds by name, in the order in which a reply is given them."""
    table = YamlFile(find_folder("benchmarks") / "profiles" / FILE)
    table.check_keys((), ("kinds", "in-no-kind"))
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
        measured = int(table.get((*keys, "measured", "k"))), int(table.get((*keys, "measured", "n")))
    rests = table.one_of((*keys, "class"), CLASSES)
    return Kind(name, table.text((*keys, "summary")), made_by, rests, table.text((*keys, "evidence")), measured)
