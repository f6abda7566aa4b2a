"""Extract files to run from a reply: its fenced code, or the file actions of a Sym-Ops document."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping, Sequence

from ..acting.commands.commands import CommandResult, Runner
from ..acting.commands.scratch import try_commands
from ..acting.files.paths import check_path
from ..core.ground.errors import SymOpsError, WorkspaceError
from ..core.ground.file_types import LANGUAGES, language_of
from ..core.ground.json_objects import FieldError
from ..core.known_processors import known_processor
from ..core.recovery.fenced_files import extract_fences
from ..core.replies.messages import Reply
from ..core.result import ProtocolError
from .errors import RoutingError
from .timely import expect_time, finish_in_time

# Words on fences that are neither names nor extensions of a language.
_TAGS = {
    "py": "Python",
    "js": "JavaScript",
    "ts": "TypeScript",
    "sh": "Shell",
    "bash": "Shell",
    "c++": "C++",
}


def find_files(reply: Reply, filename: str, format: str | None) -> dict[str, str] | None:
    """Return the files of a reply by path; None if there are none.

    In a dialect, these are the actions with contents. Otherwise it is one file: the last closed
    fence in its language, or without a language. A reply without any fence is the file itself.

    Args:
        reply: The reply.
        filename: The name of the only file.
        format: The dialect; None without one.

    Raises:
        RoutingError: The time for judging is over.
    """
    return finish_in_time(lambda: _find_files(reply, filename, format))


def _find_files(reply: Reply, filename: str, format: str | None) -> dict[str, str] | None:
    # Files cannot contain half of a surrogate pair.
    text = reply.text.encode("utf-8", "replace").decode()
    if format is not None:
        try:
            actions = known_processor(format, ()).process(text).document.actions
        except ProtocolError:
            return None
        files = {}
        for action in actions:
            path = action.path
            # A path out of the folder is left out, and the program then misses the file.
            if path and action.content is not None and not check_path(path).refusal:
                files[path] = action.content
        return files or None
    fences = extract_fences(text).actions
    if not fences:
        # With a fence that is not closed, the code may be incomplete.
        return None if "```" in text else {filename: text}
    languages = ("", language_of(filename))
    for fence in reversed(fences):
        if _language(fence.attributes) in languages:
            return {filename: (fence.content or "") + "\n"}
    return None


def _language(attributes: Sequence[tuple[str, str]]) -> str:
    tag = dict(attributes).get("language", "").split(" ")[0].lower()
    # Such as "python", "py" or "pyi".
    names = {name.lower(): name for name in LANGUAGES.values()}
    return names.get(tag) or _TAGS.get(tag) or LANGUAGES.get(f".{tag}", tag)


def run_lines(
    files: Mapping[str, str],
    lines: Sequence[str],
    seconds: float,
    checkout: str = "",
    needs: Sequence[str] = (),
) -> tuple[CommandResult, ...]:
    """Run command lines in the sandbox, each in a new folder.

    Args:
        files: The files in this folder.
        lines: The command lines. `{python}` in a line is this interpreter.
        seconds: The longest time of each line.
        checkout: A folder that is copied first; empty for none.
        needs: Folders of it that are linked instead.

    Raises:
        RoutingError: There is no sandbox, so that nothing is run, or the time for judging is over.
    """
    results: list[CommandResult] = []
    try:
        for line in lines:
            # The time is that of all lines together.
            remaining = expect_time()
            limit = seconds if remaining is None else min(seconds, remaining)
            commands = [_with_python(line)]
            results += try_commands(files, commands, limit, checkout=checkout, needs=needs)
        return tuple(results)
    except RoutingError:
        raise
    except (SymOpsError, OSError) as error:
        reason = getattr(error, "strerror", None) or error
        raise RoutingError(f"the program is not run: {reason}") from None


def check_line(name: str, line: str) -> None:
    """Check that a command line can be run, before any model is asked.

    Raises:
        FieldError: It cannot.
    """
    try:
        Runner().prepare(_with_python(line), os.curdir)
    except WorkspaceError as error:
        raise FieldError(f"{name}: {error}") from None


def _with_python(line: str) -> str:
    # The real path: a link may lead to a folder that the sandbox hides.
    return line.replace("{python}", shlex.quote(os.path.realpath(sys.executable)))
