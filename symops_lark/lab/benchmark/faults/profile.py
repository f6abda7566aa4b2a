"""Profiles: how often a writer makes each kind of mistake, and whether asking again helps."""

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
    """How often a kind of mistake is made.

    Attributes:
        kind: The name of the kind.
        value: The share of replies that have it, from 0 to 1.
        rests: The class of the evidence, one of `CLASSES`.
        why: The evidence in words.
    """

    kind: str
    value: float
    rests: str
    why: str


@dataclass(frozen=True)
class Profile:
    """A writer.

    Attributes:
        name: Its name.
        summary: A sentence about it.
        rates: The rates of the kinds of mistake. A kind without a rate is never made.
        again: The rates of success when asked again for the first, second … time.
        again_rests: The class of the evidence for `again`.
        again_why: The evidence for `again` in words.
    """

    name: str
    summary: str
    rates: tuple[Rate, ...]
    again: tuple[float, ...]
    again_rests: str = "assumed"
    again_why: str = ""

    @cached_property
    def hash(self) -> str:
        """A hash of everything that decides about the writer's replies."""
        kinds = load_kinds()
        # A rate of 0 is the same as none, and the texts of a profile decide nothing.
        rates = [
            (rate.kind, rate.value, kinds[rate.kind].made_by) for rate in self.rates if rate.value
        ]
        return identify(rates=rates, again=self.again, endings=NAMES)

    @cached_property
    def assumed(self) -> int:
        """The number of rates that were estimated, not measured; rates of 0 do not count."""
        return sum(rate.rests == "assumed" and rate.value > 0 for rate in self.rates)

    def scaled(self, assumed: float = 1.0, kind: str = "") -> Profile:
        """Return the profile with other rates, each at most 1.

        Args:
            assumed: The factor.
            kind: The only kind whose rate changes. Empty: all rates that are assumed change.
        """
        if assumed == 1:
            return self
        rates = []
        for rate in self.rates:
            is_chosen = rate.kind == kind if kind else rate.rests == "assumed"
            if is_chosen:
                rate = replace(rate, value=min(1.0, rate.value * assumed))
            rates.append(rate)
        name = f"{self.name}, {kind or 'assumed'} ×{assumed:g}"
        return replace(self, name=name, rates=tuple(rates))


def profiles() -> tuple[str, ...]:
    """Return the names of the installed profiles."""
    paths = find_folder("benchmarks/profiles").glob("*.yaml")
    return tuple(sorted(path.stem for path in paths if path.name != FILE))


def load_profile(name: str | Path) -> Profile:
    """Return an installed profile by its name, or a custom profile by its path.

    Raises:
        SymOpsError: There is no such profile, or it is invalid. Then the message begins with
            `file:line:column`.
    """
    path = Path(name)
    name = str(name)
    if name in profiles():
        path = find_folder("benchmarks/profiles") / f"{name}.yaml"
    elif not path.is_file():
        hint = f"there are {', '.join(profiles())}, and files by their path"
        similar = nearest(name, profiles())
        if similar:
            hint = f"did you mean {similar!r}?"
        raise SymOpsError(f"no profile is called {name!r}; {hint}")
    return _read(YamlFile(path, "profile"))


def _read(table: YamlFile) -> Profile:
    table.check_keys((), _HEAD)
    chances = table.get(("again",))
    if not isinstance(chances, list):
        raise table.fail(
            ("again",), "again is a list: how often the first, second … question helps"
        )
    rates = table.get(("kinds",))
    if not isinstance(rates, dict):
        raise table.fail(
            ("kinds",), "kinds has a line for each kind of mistake, with `rate`, `class` and `why`"
        )
    kinds = load_kinds()
    for name in rates:
        table.check_name(("kinds", str(name)), kinds, "kind of mistake")
    return Profile(
        name=table.name,
        summary=table.text(("summary",)),
        # In the order of the kinds, whatever the order in the file is.
        rates=tuple(_rate(table, kind) for kind in kinds if kind in rates),
        again=tuple(table.share(("again",), value) for value in chances),
        again_rests=table.one_of(("again-class",), CLASSES),
        again_why=table.text(("again-why",)),
    )


def _rate(table: YamlFile, kind: str) -> Rate:
    keys = ("kinds", kind)
    table.check_keys(keys, ("rate", "class", "why"))
    value = table.share((*keys, "rate"), table.get((*keys, "rate")))
    return Rate(kind, value, table.one_of((*keys, "class"), CLASSES), table.text((*keys, "why")))
