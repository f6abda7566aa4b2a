"""Whether what a model has written passes tests, each a command in the sandbox."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from ...acting.files.paths import check_path
from ...core.ground.json_objects import FieldError
from ...core.replies.messages import Reply
from ..errors import RoutingError
from ..programs import check_line, find_files, run_lines
from . import Fact, Findings, Surroundings


@dataclass(frozen=True, slots=True)
class UnitTest:
    """By `commands`, each in a new folder with the reply's file (`filename`) and `files`; exit code 0 is a pass.

    q1 is the share of commands that pass. A command is one test: so a reply cannot hide one behind another. `format` is
    a dialect, where the reply is a document with files of its own. With `checkout` the folder is a copy of the one that
    the caller gives.
    """

    condition: ClassVar[str] = "failed == 0"
    runs_code: ClassVar[bool] = True

    commands: tuple[str, ...]
    filename: str = "solution.py"
    files: Mapping[str, str] = field(default_factory=dict)
    format: str | None = None
    checkout: bool = False

    def __post_init__(self) -> None:
        if not self.commands:
            raise FieldError("commands: there are none")
        for line in self.commands:
            check_line("commands", line)
        check_names(self.filename, self.files)

    @property
    def sample(self) -> Mapping[str, Fact]:
        """What is found of any reply."""
        return {"code_found": False, "passed": 0, "failed": 0, "total": 0, "timed_out": 0}

    def look(self, reply: Reply, surroundings: Surroundings) -> Findings:
        """Return how many commands pass."""
        total = len(self.commands)
        written = find_files(reply, self.filename, self.format)
        if written is None:
            facts: dict[str, Fact] = {**self.sample, "failed": total, "total": total}
            return Findings(facts, 0.0, False, "there is no code in the reply")
        if self.checkout and not surroundings.checkout:
            raise RoutingError("unit_test with a checkout needs one, which the caller gives (Flow(checkout=…))")
        place, needs = (surroundings.checkout, surroundings.needs) if self.checkout else ("", ())
        results = run_lines({**written, **self.files}, self.commands, surroundings.seconds, place, needs)
        failed = [result for result in results if not result.ok]
        facts = {
            "code_found": True,
            "passed": total - len(failed),
            "failed": len(failed),
            "total": total,
            "timed_out": sum(result.timed_out for result in results),
        }
        told = f"{failed[0].line}: {failed[0].reason}" if failed else ""
        return Findings(facts, (total - len(failed)) / total, is_code(reply, self.format), told)


def check_names(filename: str, files: Mapping[str, str]) -> None:
    """Raise `FieldError` for a path that leads out of the folder, and for a file that the reply writes."""
    for name in (filename, *files):
        if refusal := check_path(name).refusal:
            raise FieldError(f"files: {name!r}: {refusal}")
    if filename in files:
        raise FieldError(f"files: {filename} is what the reply writes")


def is_code(reply: Reply, format: str | None) -> bool | None:
    """Return True where there is code for sure, None where a reply without a fence was taken for it."""
    return True if format is not None or "```" in reply.text or "~~~" in reply.text else None


VERIFIERS = {"unit_test": UnitTest}
