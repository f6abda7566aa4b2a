"""Profiles: how often a writer makes each kind of mistake, what each rate rests on, and whether asking again helps."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from ....core.ground.errors import SymOpsError
from ....core.ground.resources import find_folder
from ....core.text.yaml_file import YamlFile, nearest
from ..records import identify
from .endings import NAMES
from .kinds import CLASSES, FILE, load_kinds

_HEAD = ("summary", "again", "again-class", "again-why", "kinds")


@dataclass(frozen=True, slots=True)
class Rate:
    """How often a kind of mistake is made in a reply, the class of what that rests on, and why."""

    kind: str
    value: float
    rests: str
    why: str


@dataclass(frozen=True)
class Profile:
    """A writer: the rates of the kinds of mistake, and of success when asked again for the first, second … time.

    A kind that has no rate is never made.
    """

    name: str
    summary: str
    rates: tuple[Rate, ...]
    again: tuple[float, ...]
    again_rests: str = "assumed"
    again_why: str = ""

    @cached_property
    def hash(self) -> str:
        """A hash of all that decides what the writer writes."""
        rates = [(rate.kind, rate.value, load_kinds()[rate.kind].made_by) for rate in self.rates if rate.value]
        return identify(rates=rates, again=self.again, endings=NAMES)

    @cached_property
    def assumed(self) -> int:
        """How many of its rates are assumed: nobody has counted them. Kinds that are never made have none."""
        return sum(rate.rests == "assumed" and rate.value > 0 for rate in self.rates)

    def scaled(self, assumed: float = 1.0, kind: str = "") -> Profile:
        """Return the profile with its assumed rates, or that of one kind alone, times a factor (1 at most)."""
        if assumed == 1:
            return self
        chosen = {rate.kind for rate in self.rates if (rate.kind == kind if kind else rate.rests == "assumed")}
        rates = [replace(r, value=min(1.0, r.value * assumed)) if r.kind in chosen else r for r in self.rates]
        return replace(self, name=f"{self.name}, {kind or 'assumed'} ×{assumed:g}", rates=tuple(rates))


def profiles() -> tuple[str, ...]:
    """Return the names of the installed profiles."""
    folder = find_folder("benchmarks") / "profiles"
    return tuple(sorted(path.stem for path in folder.glob("*.yaml") if path.name != FILE))


def load_profile(name: str | Path) -> Profile:
    """Return an installed profile by its name, or one of your own by its path.

    Raises `SymOpsError` as `file:line:column` with the line for what is wrong in it.
    """
    path = Path(name)
    if str(name) in profiles():
        path = find_folder("benchmarks") / "profiles" / f"{name}.yaml"
    elif not path.is_file():
        near = nearest(str(name), profiles())
        hint = f"did you mean {near!r}?" if near else f"there are {', '.join(profiles())}, and files by their path"
        raise SymOpsError(f"no profile is called {str(name)!r}; {hint}")
    return _read(YamlFile(path, "profile"))


def _read(table: YamlFile) -> Profile:
    table.check_keys((), _HEAD)
    again = table.get(("again",))
    if not isinstance(again, list):
        raise table.fail(("again",), "again is a list: how often the first, second … question helps")
    if not isinstance(table.get(("kinds",)), dict):
        raise table.fail(("kinds",), "kinds has a line for each kind of mistake, with `rate`, `class` and `why`")
    for name in table.get(("kinds",)):
        table.check_name(("kinds", str(name)), load_kinds(), "kind of mistake")
    return Profile(
        name=table.name,
        summary=table.text(("summary",)),
        rates=tuple(_rate(table, kind) for kind in load_kinds() if kind in table.get(("kinds",))),
        again=tuple(table.share(("again",), value) for value in again),
        again_rests=table.one_of(("again-class",), CLASSES),
        again_why=table.text(("again-why",)),
    )


def _rate(table: YamlFile, kind: str) -> Rate:
    keys = ("kinds", kind)
    table.check_keys(keys, ("rate", "class", "why"))
    value = table.share((*keys, "rate"), table.get((*keys, "rate")))
    return Rate(kind, value, table.one_of((*keys, "class"), CLASSES), table.text((*keys, "why")))
