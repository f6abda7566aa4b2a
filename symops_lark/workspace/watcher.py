"""A command must not outlive us, even if we are killed: somebody who is told so by the end of a pipe kills it then.

Linux could kill a child with its parent (`PR_SET_PDEATHSIG`), but not the children of the child, and the request would
have to be made between fork and exec, where a process with threads must not run Python.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from ..errors import WorkspaceError

# The pipe ends when its only writer, this process, does; if all goes well the watcher is killed before that.
_SCRIPT = 'read -r group && { read -r end; kill -s KILL -- "-$group"; }'


@contextmanager
def watch() -> Iterator[Callable[[int], None]]:
    """Return a function that has a process group killed if this process dies before the end of the context.

    Raise `WorkspaceError` if nobody can watch.
    """
    if os.name != "posix":
        yield lambda group: None
        return
    try:
        watcher = subprocess.Popen(
            ["/bin/sh", "-c", _SCRIPT],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env={},
            start_new_session=True,
        )
    except OSError as error:
        reason = error.strerror or error
        raise WorkspaceError(f"/bin/sh: cannot be started, to end commands if symops is killed: {reason}") from None
    assert watcher.stdin is not None
    pipe = watcher.stdin.fileno()
    try:
        yield lambda group: _tell(pipe, group)
    finally:
        watcher.kill()
        watcher.wait()
        watcher.stdin.close()


def _tell(pipe: int, group: int) -> None:
    with suppress(BrokenPipeError):  # somebody has killed the watcher: then nobody watches
        os.write(pipe, b"%d\n" % group)
