"""The settings of a run: everything that decides about its records."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from ...core.ground.errors import SymOpsError
from ...core.ground.json_objects import JsonObject, write_object
from ...models.redaction import redact

FORMATS = ("v1", "v2", "v2_1", "plain")  # by default, unless the source has formats
# The smallest values of the numbers.
_LEAST = {"repetitions": 1, "attempts": 0, "max_tokens": 1}


@dataclass(frozen=True, slots=True)
class RunSettings(JsonObject):
    """The settings of a run.

    Attributes:
        formats: The formats. Empty: those of the source, or `FORMATS`.
        tasks: Names or globs of tasks. Empty: all tasks.
        source: The name of the source of replies.
        options: Options of this source, such as `profile`, `model` or `path`.
        rules: Folders with custom repair rules.
        repetitions: How often each task is asked.
        seed: The seed.
        attempts: How often a model is asked again.
        max_tokens: The longest reply.
        temperature: The sampling temperature.
        date: The day on which the run began. It decides nothing.
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
        for name, bound in _LEAST.items():
            value = getattr(self, name)
            if value is not None and value < bound:
                raise SymOpsError(f"{name} is {value}; it must be at least {bound}")

    def dated(self) -> RunSettings:
        """Return the settings with a date: the day decides which version of a model replies."""
        return replace(self, date=self.date or datetime.now(UTC).date().isoformat())

    def option(self, name: str) -> str | None:
        """Return an option of the source; None if it is not set."""
        return dict(self.options).get(name)

    def check_options(self, *known: str) -> None:
        """Check that the source knows all options.

        Raises:
            SymOpsError: It does not know one of them.
        """
        for name, _ in self.options:
            if name not in known:
                options = ", ".join(known) or "none"
                raise SymOpsError(
                    f"the source {self.source!r} has no option {name!r}; it has {options}"
                )

    def check_unused(self, *names: str) -> None:
        """Check that settings have their defaults, because the source does not use them.

        Args:
            names: The names of the settings.

        Raises:
            SymOpsError: One has another value.
        """
        defaults = RunSettings()
        for name in names:
            value = getattr(self, name)
            if value != getattr(defaults, name):
                raise SymOpsError(f"the source {self.source!r} does not use {name} ({value})")

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as a JSON object, without secrets.

        A command may contain secrets; only the names of their variables are written.
        """
        options = {name: redact(value) for name, value in self.options}
        return write_object(self) | {"options": options}
