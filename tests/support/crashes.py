"""Crashes on purpose: a child that is killed, or a system that fails, at the n-th call of the operating system."""

from __future__ import annotations

import os
import signal
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from symops_lark.acting.changes import Change, Decision, Operation
from symops_lark.acting.files import renames
from symops_lark.acting.files.filesystem import JOURNAL, Folder
from symops_lark.acting.journal.journal import carry_out
from symops_lark.core.document import Action

# What changes a tree; to be killed at any other call is to be killed before the next of these.
CHANGING = ("open", "write", "mkdir", "rmdir", "unlink", "link", "rename", "fchmod", "fchown", "fsync")
EVERY = (*CHANGING, "close", "read", "stat", "fstat", "listdir", "dup")
FAILING = ("open", "write", "mkdir", "link", "fsync", "fchmod")  # what a full disk or a missing permission refuses
Tree = dict[str, tuple[bytes, int] | int]


@dataclass
class Counter:
    """Counts calls; at the `at`-th it strikes: before it, or after it, or (`torn`) when half of it is written.

    `long_way` takes the system's own renames away, so that they are done in several steps; `lasts` strikes at so many
    calls, one after another. What it does when it strikes is not counted.
    """

    at: int
    strike: Callable[[], object]
    names: tuple[str, ...] = CHANGING
    after: bool = False
    torn: bool = False
    long_way: bool = False
    lasts: int = 1
    count: int = 0
    striking: bool = False

    def wrap(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        """Give a call that is counted."""

        def counted(*arguments: Any, **named: Any) -> Any:
            if name == "open" and "read" not in self.names and not arguments[1] & os.O_CREAT:
                return call(*arguments, **named)
            if self.striking:
                return call(*arguments, **named)
            self.count += 1
            if not self.at <= self.count < self.at + self.lasts:
                return call(*arguments, **named)
            if name == "write" and self.torn:
                call(arguments[0], bytes(arguments[1])[: len(arguments[1]) // 2])
            elif self.after:
                with suppress(OSError):
                    call(*arguments, **named)
            self.striking = True
            try:
                self.strike()
            finally:
                self.striking = False
            return call(*arguments, **named)

        return counted

    @contextmanager
    def watching(self) -> Iterator[None]:
        """See the calls of this process."""
        table = {name: getattr(os, name) for name in self.names}
        rename, supported = renames.call_rename, os.supports_dir_fd
        try:
            for name, call in table.items():
                setattr(os, name, self.wrap(name, call))
            os.supports_dir_fd = supported | {getattr(os, name) for name in self.names}
            renames.call_rename = (lambda *_: False) if self.long_way else self.wrap("renameat2", rename)
            yield
        finally:
            for name, call in table.items():
                setattr(os, name, call)
            renames.call_rename, os.supports_dir_fd = rename, supported


def kill_at(at: int, work: Callable[[], object], **how: Any) -> bool:
    """Do some work in a child that is killed at its n-th call; tell whether it was."""
    child = os.fork()
    if child == 0:
        try:
            with Counter(at, lambda: os.kill(os.getpid(), signal.SIGKILL), **how).watching():
                work()
        except BaseException:  # noqa: BLE001 - whatever it is, the child must not go on as a second test run
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return os.WIFSIGNALED(status)


def kill_apart(at: int, work: Callable[[], object], **how: Any) -> bool:
    """Do some work that can be pickled in a child of a process with little in its memory; tell whether it was killed.

    A fork of a process that has collected all tests takes longer than the work. Of what a test has changed, only the
    environment is changed there; and `fsync` does nothing: it takes long, and only machines that stop need it.
    """
    process = _small_process()
    process.send((at, work, dict(os.environ), how))
    killed: bool = process.recv()
    return killed


@cache
def _small_process() -> Connection:
    here, there = get_context("spawn").Pipe()
    get_context("spawn").Process(target=_kill_on_demand, args=(there,), daemon=True).start()
    there.close()
    return here


def _kill_on_demand(demands: Connection) -> None:
    os.fsync = lambda fd: None
    with suppress(EOFError):
        while True:
            at, work, environment, how = demands.recv()
            os.environ.update(environment)
            demands.send(kill_at(at, work, **how))


def read_tree(root: Path, *, journal: bool = False) -> Tree:
    """Give every name below a folder: bytes and mode of files, modes of folders; links as their targets."""
    tree: Tree = {}
    for folder, folders, files in os.walk(root):
        if not journal and JOURNAL in folders:
            folders.remove(JOURNAL)
        for name in [*folders, *files]:
            path = Path(folder, name)
            mode = path.lstat().st_mode
            if path.is_symlink():
                tree[str(path.relative_to(root))] = (os.fsencode(os.readlink(path)), mode)
            else:
                tree[str(path.relative_to(root))] = mode if path.is_dir() else (path.read_bytes(), mode)
    return tree


def write_tree(root: Path, files: dict[str, bytes], modes: dict[str, int] | None = None) -> None:
    """Write files, with the folders that they need; `modes` are those of files and folders."""
    for name, data in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        path.chmod(0o644)
    for name, mode in (modes or {}).items():
        (root / name).chmod(mode)


def change(number: int, path: str, before: bytes | None, after: bytes | None, **more: Any) -> Change:
    """Make a change of a file, by its bytes."""
    operation = Operation.CREATE if before is None else Operation.DELETE if after is None else Operation.REPLACE
    return Change(number, Action(str(operation), path), operation, path, before, after, **more)


def command(number: int, line: str, **more: Any) -> Change:
    """Make a change that runs a command, to be asked about unless it says otherwise."""
    return Change(number, Action("run", line), Operation.RUN, line, **{"decision": Decision.ASK, **more})


# ---- the changes that are broken off

FILES = {"a": b"A", "b.sh": b"B" * 9, "sub/c": b"", "gone": b"G", "f/x": b"X", "f/g/y": b"Y"}
MODES = {"b.sh": 0o755, "gone": 0o600, "sub/c": 0o640, "f": 0o750, "f/g": 0o700}
CHANGES = (
    change(1, "a", b"A", None),  # a file gives way to a folder
    change(2, "a/new/d", None, b"D"),
    change(3, "b.sh", b"B" * 9, b"bb"),
    change(4, "sub/c", b"", b"C\0\xff"),
    change(5, "gone", b"G", None),
    change(6, "e", None, b""),
    change(7, "e", b"", b"E"),
    change(8, "f/x", b"X", None),  # a folder gives way to a file
    change(9, "f/g/y", b"Y", None),
    change(10, "f", None, b"F"),
)


def do(root: Path, changes: tuple[Change, ...] = CHANGES) -> None:
    with Folder(root) as folder:
        carry_out(folder, changes)


def ends(tmp_path: Path) -> tuple[object, object]:
    """Give the two trees that there may be at the end."""
    root = tmp_path / "ends"
    write_tree(root, FILES, MODES)
    before = read_tree(root)
    do(root)
    return before, read_tree(root)
