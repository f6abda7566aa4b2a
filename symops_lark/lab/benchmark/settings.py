"""What a run is asked to do: everything that decides which records come out of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...core.ground.errors import SymOpsError
from ...core.ground.json_objects import JsonObject, write_object
from ...models.redaction import redact

FORMATS = ("v1", "v2", "v2_1", "plain")  # where nobody says which, and the source has none of its own


@dataclass(frozen=True, slots=True)
class RunSettings(JsonObject):
    """A run. `tasks` are names or globs, none means all; `formats` none means those of the source, or `FORMATS`.

    `source` is the name of a source, `options` are what that source alone knows (such as `profile`, `model`, `path`).
    `rules` are folders with repair rules of the user's own. `attempts` says how often a model is asked again. `date` is
    that of the day on which the run began; it decides nothing.
    """

    formats: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    source: str = "faults"
    options: tuple[tuple[str, str], ...] = ()
    rules: tuple[str, ...] = ()
    repetitions: int = 1
    seed: int = 0
    attempts: int = 0
    max_tokens: int | None = None
    temperature: float | None = None
    date: str = ""

    def __post_init__(self) -> None:
        for name, bound in (("repetitions", 1), ("attempts", 0), ("max_tokens", 1)):
            value = getattr(self, name)
            if value is not None and value < bound:
                raise SymOpsError(f"{name} is {value}; it must be at least {bound}")

    def option(self, name: str) -> str | None:
        """Return an option of the source, None if it is not set."""
        return dict(self.options).get(name)

    def check_options(self, *known: str) -> None:
        """Raise `SymOpsError` for an option that the source does not know."""
        unknown = [name for name, _ in self.options if name not in known]
        if unknown:
            told = f"it has {', '.join(known)}" if known else "it has none"
            raise SymOpsError(f"the source {self.source!r} has no option {unknown[0]!r}; {told}")

    def to_dict(self) -> dict[str, Any]:
        """Return them as a JSON object; of secrets, which a command may hold, only the names of their variables."""
        return write_object(self) | {"options": {name: redact(value) for name, value in self.options}}
