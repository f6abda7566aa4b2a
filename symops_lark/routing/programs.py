"""What a model has written, as files to run: the fenced code of a reply, or the file actions of a Sym-Ops document."""

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

_TAGS = {"py": "Python", "js": "JavaScript", "ts": "TypeScript", "sh": "Shell", "bash": "Shell", "c++": "C++"}


def find_files(reply: Reply, filename: str, format: str | None) -> dict[str, str] | None:
    """Return the files that a reply says, by path; None if it says none.

    In a dialect (`format`) they are its actions with contents. Otherwise there is one, called `filename`: the last
    closed fence that is in its language, or in none that is named; a reply without any fence is the file itself.
    """
    return finish_in_time(lambda: _find_files(reply, filename, format))


def _find_files(reply: Reply, filename: str, format: str | None) -> dict[str, str] | None:
    text = reply.text.encode("utf-8", "replace").decode()
    if format is not None:
        try:
            actions = known_processor(format, ()).process(text).document.actions
        except ProtocolError:
            return None
        files = {action.path: action.content for action in actions if action.path and action.content is not None}
        return {path: content for path, content in files.items() if not check_path(path).refusal} or None
    fences = extract_fences(text).actions
    if not fences:
        return {filename: text} if "```" not in text else None
    wanted = language_of(filename)
    fitting = [fence for fence in fences if _language(fence.attributes) in ("", wanted)]
    return {filename: (fitting[-1].content or "") + "\n"} if fitting else None


def _language(attributes: Sequence[tuple[str, str]]) -> str:
    tag = dict(attributes).get("language", "").split(" ")[0].lower()
    known = {name.lower(): name for name in LANGUAGES.values()}
    return known.get(tag) or _TAGS.get(tag) or LANGUAGES.get(f".{tag}", tag)


def run_lines(
    files: Mapping[str, str], lines: Sequence[str], seconds: float, checkout: str = "", needs: Sequence[str] = ()
) -> tuple[CommandResult, ...]:
    """Return how command lines go in the sandbox, each in its time; `{python}` in one is this interpreter.

    Each runs in a new folder, a copy of the `checkout` if there is one, with links to the folders that it `needs`.
    Raises `RoutingError` where there is no sandbox: then nothing is run; and where the time for judging is over.
    """
    results: list[CommandResult] = []
    try:
        for line in lines:
            left = expect_time()
            most = seconds if left is None else min(seconds, left)
            results += try_commands(files, [_with_python(line)], most, checkout=checkout, needs=needs)
        return tuple(results)
    except RoutingError:
        raise
    except (SymOpsError, OSError) as error:
        raise RoutingError(f"the program is not run: {getattr(error, 'strerror', None) or error}") from None


def check_line(name: str, line: str) -> None:
    """Raise `FieldError` for a command line that could not be run, before anybody is asked."""
    try:
        Runner().prepare(_with_python(line), os.curdir)
    except WorkspaceError as error:
        raise FieldError(f"{name}: {error}") from None


def _with_python(line: str) -> str:
    return line.replace("{python}", shlex.quote(os.path.realpath(sys.executable)))
