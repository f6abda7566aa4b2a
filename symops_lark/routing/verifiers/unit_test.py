"""Verify that the code of a model passes tests, each a command in the sandbox."""

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
    """A run of commands, each in a new folder; exit code 0 is a pass, q1 is the share of passes.

    A command is one test, so that a reply cannot hide a failed test with another one.

    Attributes:
        commands: The commands.
        filename: The name of the reply's file in the folder.
        files: Further files, with their contents by name.
        format: The dialect, if the reply is a document with files; None: it is one program.
        checkout: Whether the folder is a copy of the caller's checkout.
    """

    condition: ClassVar[str] = "failed == 0"
    runs_code: ClassVar[bool] = True

    commands: tuple[str, ...]
    filename: str = "solution.py"
    files: Mapping[str, str] = field(default_factory=dict)
    format: str | None = None
    checkout: bool = False

    def __post_init__(self) -> None:
        # Without a command every reply would pass.
        if not self.commands:
            raise FieldError("commands: there are none")
        for line in self.commands:
            check_line("commands", line)
        check_names(self.filename, self.files)

    @property
    def sample(self) -> Mapping[str, Fact]:
        """The facts about any reply."""
        return {"code_found": False, "passed": 0, "failed": 0, "total": 0, "timed_out": 0}

    def look(self, reply: Reply, surroundings: Surroundings) -> Findings:
        """Return the number of commands that pass.

        Raises:
            RoutingError: A checkout is needed, and there is none.
        """
        total = len(self.commands)
        files = find_files(reply, self.filename, self.format)
        # Commands that need no code of the reply would pass.
        if files is None:
            facts = {**self.sample, "failed": total, "total": total}
            return Findings(facts, 0.0, False, "there is no code in the reply")
        checkout = surroundings.checkout if self.checkout else ""
        if self.checkout and not checkout:
            raise RoutingError(
                "unit_test with a checkout needs one, which the caller gives (Flow(checkout=…))"
            )
        needs = surroundings.needs if checkout else ()
        # Files of the manifest come last, so that the reply cannot replace them.
        results = run_lines(
            {**files, **self.files}, self.commands, surroundings.seconds, checkout, needs
        )
        failed = [result for result in results if not result.ok]
        facts = {
            "code_found": True,
            "passed": total - len(failed),
            "failed": len(failed),
            "total": total,
            "timed_out": sum(result.timed_out for result in results),
        }
        message = f"{failed[0].line}: {failed[0].reason}" if failed else ""
        score = 1 - len(failed) / total
        return Findings(facts, score, is_code(reply, self.format), message)


def check_names(filename: str, files: Mapping[str, str]) -> None:
    """Check the names of files in a folder.

    Raises:
        FieldError: A path leads out of the folder, or is that of the reply's file.
    """
    # Reported when the manifest is read, not at the first reply.
    for name in (filename, *files):
        refusal = check_path(name).refusal
        if refusal:
            raise FieldError(f"files: {name!r}: {refusal}")
    if filename in files:
        raise FieldError(f"files: {filename} is the file of the reply")


def is_code(reply: Reply, format: str | None) -> bool | None:
    """Return True if the reply certainly has code; None if it may be code without a fence."""
    # Without a fence, the whole reply is taken for the program.
    if format is not None or "```" in reply.text or "~~~" in reply.text:
        return True
    return None


VERIFIERS = {"unit_test": UnitTest}
