"""Whether a checker of code finds anything in what a model has written: a command in the sandbox."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from ...core.ground.json_objects import FieldError
from ...core.patterns.regexes import PatternError, compile_linear
from ...core.replies.messages import Reply
from ..programs import check_line, find_files, run_lines
from ..timely import finish_in_time
from . import Fact, Findings, Surroundings
from .unit_test import check_names, is_code


@dataclass(frozen=True, slots=True)
class StaticAnalysis:
    """By a `command`, in a folder with the reply's file and `files`; lines that `finding` (RE2) matches are findings.

    With `most_findings`, q1 falls from 1 to 0 as so many are found.
    """

    condition: ClassVar[str] = "exit_code == 0 and findings == 0"
    runs_code: ClassVar[bool] = True

    command: str
    filename: str = "solution.py"
    files: Mapping[str, str] = field(default_factory=dict)
    finding: str = r"^[^:\s]+:[0-9]+:"
    most_findings: int | None = None
    format: str | None = None

    def __post_init__(self) -> None:
        check_line("command", self.command)
        check_names(self.filename, self.files)
        if self.most_findings is not None and self.most_findings < 1:
            raise FieldError("most_findings: it is 1 or more")
        try:
            compile_linear(self.finding)
        except PatternError as error:
            raise FieldError(f"finding: not a pattern of RE2's: {error}") from None

    @property
    def sample(self) -> Mapping[str, Fact]:
        """What is found of any reply."""
        return {"code_found": False, "exit_code": 0, "findings": 0, "timed_out": False}

    def look(self, reply: Reply, surroundings: Surroundings) -> Findings:
        """Return the exit code and the number of findings."""
        written = find_files(reply, self.filename, self.format)
        if written is None:
            facts: dict[str, Fact] = {**self.sample, "exit_code": -1}
            return Findings(facts, None if self.most_findings is None else 0.0, False, "there is no code in the reply")
        [result] = run_lines({**written, **self.files}, [self.command], surroundings.seconds)
        pattern = compile_linear(self.finding)
        lines = finish_in_time(lambda: [line for line in result.output.splitlines() if pattern.search(line)])
        code = -1 if result.code is None else result.code
        facts = {"code_found": True, "exit_code": code, "findings": len(lines), "timed_out": result.timed_out}
        score = None if self.most_findings is None else 1 - min(1.0, len(lines) / self.most_findings)
        told = lines[0] if lines else result.reason
        return Findings(facts, score, is_code(reply, self.format), told)


VERIFIERS = {"static_analysis": StaticAnalysis}
