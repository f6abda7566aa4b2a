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
from itertools import pairwise
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
# `-m` of Python, alone or with other flags or its value: `-Im`, `-mpytest`.
_MODULE_OPTION = re.compile(r"-[bBdEiIOPqsSuvx]*m(.*)")
_UNITTEST_OPTIONS = ("-k", "-s", "-t")  # those whose value names no module
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
        Those that a word of a line names as a path, those that are read for a module that a line
        runs, and those of tests and of their runners by their names, such as `test_*` and
        `conftest.py`.
    """
    if not lines:
        return []
    top = os.path.realpath(root)
    names = set()
    modules = set()
    for line in lines:
        words = _NOT_IN_PATHS.split(line)
        for word in words:
            path = os.path.relpath(os.path.join(top, word), top)
            names.add(fold(path.replace(os.sep, "/")))
        for module in _find_modules(words):
            modules |= _find_files_of(module)
    found = []
    for path in paths:
        folded = fold(path)
        # `cd sub && python -m checks`: a folder that a line names may be where it runs.
        is_module = folded in modules or any(
            folded.removeprefix(f"{name}/") in modules for name in names
        )
        # A line such as `make -C sub` or `sh -c 'cd sub && …'` may name it from another folder.
        while folded and folded not in names:
            folded = folded.partition("/")[2]
        if folded or is_module or matches(path, _TEST_FILES):
            found.append(path)
    return found


def _find_modules(words: Sequence[str]) -> list[str]:
    """Return the modules that a line runs: that of `-m`, and those that it gives to `unittest`.

    Other words, such as a filter or a piece of a program, are no modules: they may name the code
    that is tested.
    """
    modules: list[str] = []
    for before, word in pairwise(["", *words]):
        option = _MODULE_OPTION.fullmatch(word)
        if option:
            modules.append(option[1])  # empty: the next word is the module
        elif modules and (
            not modules[-1] or ("unittest" in modules and before not in _UNITTEST_OPTIONS)
        ):
            modules.append(word)
    return [module for module in modules if module]


def _find_files_of(module: str) -> set[str]:
    """Return the files that Python reads to run a module, with those of its packages.

    `python -m pytest` runs those of the folder before the installed ones.
    """
    files = set()
    path = ""
    for part in fold(module).split("."):
        path += part
        files |= {f"{path}.py", f"{path}/__init__.py", f"{path}/__main__.py"}
        path += "/"
    return files


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
