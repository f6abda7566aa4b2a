"""Crashes on purpose: a child that is killed, or a system that fails, at the n-th call of the operating system."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from symops_lark.document import Action
from symops_lark.workspace import exchange
from symops_lark.workspace.changes import Change, Operation
from symops_lark.workspace.filesystem import JOURNAL, Folder

CALLS = ("open", "close", "read", "write", "mkdir", "rmdir", "unlink", "link", "rename", "fsync", "fchmod", "fchown",
         "stat", "fstat", "listdir", "dup")  # fmt: skip
FAILING = ("open", "write", "mkdir", "link", "fsync", "fchmod")  # what a full disk or a missing permission refuses
_DIED = 77
Tree = dict[str, tuple[bytes, int] | int]


class Counter:
    """Wraps the calls that are used; `at` is the number of the call at which `strike` happens, before or after it."""

    def __init__(self, at: int, strike: Callable[[], None], before: bool = True, long_way: bool = False) -> None:
        self.at, self.strike, self.before, self.long_way = at, strike, before, long_way
        self.count = 0

    def wrap(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any, **named: Any) -> Any:
            self.count += 1
            now = self.count == self.at
            if now and self.before:
                self.strike()
            try:
                return call(*arguments, **named)
            finally:
                if now and not self.before:
                    self.strike()

        return counted


@contextmanager
def counted(counter: Counter, names: tuple[str, ...] = CALLS) -> Iterator[None]:
    """Let a counter see the calls of this process."""
    kept = {name: getattr(os, name) for name in names}
    rename, supported = exchange.call_rename, os.supports_dir_fd
    try:
        for name, call in kept.items():
            setattr(os, name, counter.wrap(call))
        os.supports_dir_fd = supported | {getattr(os, name) for name in names}
        exchange.call_rename = (lambda *_: False) if counter.long_way else counter.wrap(rename)
        yield
    finally:
        for name, call in kept.items():
            setattr(os, name, call)
        exchange.call_rename, os.supports_dir_fd = rename, supported


def kill_at(at: int, work: Callable[[], object], *, before: bool = True, long_way: bool = False) -> bool:
    """Do some work in a child that is killed at its n-th call; tell whether it was."""
    child = os.fork()
    if child == 0:
        try:
            with counted(Counter(at, lambda: os.kill(os.getpid(), signal.SIGKILL), before, long_way)):
                work()
        except BaseException:
            import traceback

            traceback.print_exc()
            os._exit(_DIED)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return os.WIFSIGNALED(status)


def read_tree(root: Path, *, journal: bool = False) -> Tree:
    """Give every name below a folder: bytes and mode of files, modes of folders; links as their targets."""
    found: Tree = {}
    for folder, folders, files in os.walk(root):
        if not journal and JOURNAL in folders:
            folders.remove(JOURNAL)
        for name in [*folders, *files]:
            path = Path(folder, name)
            mode = path.lstat().st_mode
            if path.is_symlink():
                found[str(path.relative_to(root))] = (os.fsencode(os.readlink(path)), mode)
            else:
                found[str(path.relative_to(root))] = mode if path.is_dir() else (path.read_bytes(), mode)
    return found


def write_tree(root: Path, files: dict[str, bytes], modes: dict[str, int] | None = None) -> None:
    """Write files, with the folders that they need."""
    for name, data in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        path.chmod((modes or {}).get(name, 0o644))


def change(number: int, path: str, before: bytes | None, after: bytes | None, **more: Any) -> Change:
    """Make a change of a file, by its bytes."""
    operation = Operation.CREATE if before is None else Operation.DELETE if after is None else Operation.REPLACE
    return Change(number, Action(str(operation), path), operation, path, before, after, **more)


def command(number: int, line: str, **more: Any) -> Change:
    """Make a change that runs a command."""
    return Change(number, Action("run", line), Operation.RUN, line, **more)


def list_outside(folder: Path) -> list[str]:
    """Give all names below a folder that nothing may be written to."""
    with Folder(folder, reserved="") as outside:
        return sorted(outside.names(""))
