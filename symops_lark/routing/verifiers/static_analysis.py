"""Verify that a checker finds nothing in the code of a model: a command in the sandbox."""

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
    """A run of a checker.

    Attributes:
        command: The command.
        filename: The name of the reply's file in its folder.
        files: Further files, with their contents by name.
        finding: A pattern (RE2); each line of the output that it matches is a finding.
        most_findings: The number of findings for which q1 is 0; None: there is no score.
        format: The dialect, if the reply is a document with files; None: it is one program.
    """

    condition: ClassVar[str] = "exit_code == 0 and findings == 0"
    runs_code: ClassVar[bool] = True

    command: str
    filename: str = "solution.py"
    files: Mapping[str, str] = field(default_factory=dict)
    # `file.py:12: message`, as most checkers write it.
    finding: str = r"^[^:\s]+:[0-9]+:"
    most_findings: int | None = None
    format: str | None = None

    def __post_init__(self) -> None:
        check_line("command", self.command)
        check_names(self.filename, self.files)
        # The number of findings is divided by it.
        if self.most_findings is not None and self.most_findings < 1:
            raise FieldError("most_findings: it is 1 or more")
        try:
            compile_linear(self.finding)
        except PatternError as error:
            raise FieldError(f"finding: not a pattern of RE2's: {error}") from None

    @property
    def sample(self) -> Mapping[str, Fact]:
        """The facts about any reply."""
        return {"code_found": False, "exit_code": 0, "findings": 0, "timed_out": False}

    def look(self, reply: Reply, surroundings: Surroundings) -> Findings:
        """Return the exit code and the number of findings."""
        files = find_files(reply, self.filename, self.format)
        # -1 is not the exit code of a program.
        if files is None:
            facts = {**self.sample, "exit_code": -1}
            score = None if self.most_findings is None else 0.0
            return Findings(facts, score, False, "there is no code in the reply")
        # Files of the manifest come last, so that the reply cannot replace them.
        [result] = run_lines({**files, **self.files}, [self.command], surroundings.seconds)
        pattern = compile_linear(self.finding)
        # The pattern is the manifest's, and the output may be long.
        lines = finish_in_time(lambda: list(filter(pattern.search, result.output.splitlines())))
        facts = {
            "code_found": True,
            "exit_code": -1 if result.code is None else result.code,
            "findings": len(lines),
            "timed_out": result.timed_out,
        }
        score = None
        if self.most_findings is not None:
            score = max(0.0, 1 - len(lines) / self.most_findings)
        message = lines[0] if lines else result.reason
        return Findings(facts, score, is_code(reply, self.format), message)


VERIFIERS = {"static_analysis": StaticAnalysis}
