"""Run the tests of a task: the caller's command lines, unchanged, one after another.

`find_test_files` says which files the result of these tests rests on.
"""

from __future__ import annotations

import math
import os
import re
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event as Signal
from typing import Any

from ..acting.commands.commands import Runner
from ..acting.commands.sandbox import check_sandbox
from ..acting.commands.shell_syntax import find_shell_syntax
from ..acting.files.paths import fold
from ..acting.files.protected import matches
from ..core.ground.errors import WorkspaceError
from ..core.ground.resources import read_words

# How tests are run; any other word is NOT_RUN with the reason.
SANDBOX, AGREED = "sandbox", "agreed"  # agreed: as they are, where there is no sandbox
NOT_RUN = "no: "
SECONDS = 120.0  # the most of one line: a suite of unit tests takes less
_TEST_FILES = read_words(Path(__file__).with_suffix(".txt"))  # globs, without those of a line
_NOT_IN_PATHS = re.compile(r"[\s'\"=:;,&|<>()$`]+")  # between the paths of a command line
_MAX_REPORT = 8_000  # characters of all outputs, which a model reads: the end says what failed


@dataclass(frozen=True, slots=True)
class Tested:
    """How tests went.

    Attributes:
        total: The number of command lines.
        failed: The number of those that did not end with exit code 0.
        timed_out: The number of those that were killed after their time.
        report: The command lines with their outputs; the beginning is cut if it is long.
    """

    total: int = 0
    failed: int = 0
    timed_out: int = 0
    report: str = ""

    def facts(self) -> dict[str, Any]:
        """Return the facts that rules decide by."""
        passed = self.total - self.failed
        return {
            "failed": self.failed,
            "passed": passed,
            "total": self.total,
            "timed_out": self.timed_out,
        }


def find_test_files(lines: Sequence[str], paths: Iterable[str], root: str = ".") -> list[str]:
    """Return the files that the result of tests rests on: who changes one may change the result.

    Args:
        lines: The command lines of the tests. Without any there are no such files.
        paths: The files to look at, relative to the root.
        root: The folder, which a line may name by its whole path.

    Returns:
        Those that a word of a line names, as a path or as a module, and those of tests and of
        their runners by their names, such as `test_*` and `conftest.py`.
    """
    if not lines:
        return []
    top = os.path.realpath(root)
    names = set()
    modules = set()
    for word in _NOT_IN_PATHS.split(" ".join(lines)):
        path = os.path.relpath(os.path.join(top, word), top)
        names.add(fold(path.replace(os.sep, "/")))
        module = fold(word.replace(".", "/"))
        # `python -m pytest` runs a `pytest.py` of the folder before the installed one.
        modules.add(f"{module}.py")
        modules.add(f"{module}/__main__.py")
    found = []
    for path in paths:
        folded = fold(path)
        # A line such as `make -C sub` or `sh -c 'cd sub && …'` may name it from another folder.
        while folded and folded not in names:
            folded = folded.partition("/")[2]
        if folded or fold(path) in modules or matches(path, _TEST_FILES):
            found.append(path)
    return found


def find_missing_sandbox(root: str) -> str:
    """Return why commands cannot run in a sandbox here; empty: they can."""
    try:
        # A sandbox binds paths, which must not depend on the current folder.
        check_sandbox(os.path.realpath(root))
    except WorkspaceError as error:
        return str(error)
    return ""


def run_tests(
    lines: Sequence[str],
    folder: str,
    *,
    sandbox: bool,
    seconds: float = math.inf,
    cancel: Signal | None = None,
    readable: tuple[str, ...] = (),
) -> Tested:
    """Run command lines in a folder.

    Args:
        lines: The command lines.
        folder: The folder.
        sandbox: Whether they run in the sandbox. If not, the caller has agreed to that.
        seconds: What is left for all together; each line has at most `SECONDS` of that.
        cancel: Ends them early. None: nothing does.
        readable: Folders that they may read even below `/tmp`, which the sandbox shows empty.

    Returns:
        How they went. A line that cannot be run has failed.
    """
    failed = timed_out = 0
    report = []
    # All in one folder and in order: `make build` may come before `make test`.
    end = time.monotonic() + seconds
    for line in lines:
        # A line begins even where no time is left: then it fails as one that took too long.
        timeout = max(0.1, min(SECONDS, end - time.monotonic()))
        runner = Runner(sandbox=sandbox, timeout=timeout, readable=readable)
        try:
            result = runner.run(line, folder, cancel)
        except WorkspaceError as error:
            failed += 1
            reason = str(error)
            if find_shell_syntax(line):
                # The reason of the runner names options that tests do not have.
                reason = "a test is not given to a shell: write `sh -c '…'`"
            report.append(f"$ {line}\n{reason}")
            continue
        failed += not result.ok
        timed_out += result.timed_out
        reason = "" if result.ok else f"[{result.reason}]\n"
        report.append(f"$ {line}\n{result.output}{reason}")
    return Tested(len(lines), failed, timed_out, "\n".join(report)[-_MAX_REPORT:])
