"""A disk that loses its power: what was written and not synced may be there, or not, or torn.

The model: `fsync` of a file keeps its bytes and its mode, `fsync` of a folder the names in it. What happened in a
folder since then is kept up to some moment, another one for each folder; bytes of a file may be missing, cut or zero.
"""

from __future__ import annotations

import os
import shutil
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from symops_lark.acting.files import renames

Names = dict[str, int]


@dataclass
class Node:
    """What a file or a folder was when the recording began."""

    is_folder: bool
    data: bytes = b""
    mode: int = 0o700
    names: Names = field(default_factory=dict)


@dataclass(frozen=True)
class Event:
    """A change of one node: of its names, if it is a folder, else of its bytes or its mode."""

    node: int
    change: Callable[[Any], object] | None  # None: it is synced
    data: bytes | None = None
    mode: int | None = None


class Disk:
    """Records what this process does below some folders, and makes of it what is left after a loss of power."""

    def __init__(self, *tops: Path) -> None:
        self.nodes: dict[int, Node] = {}
        self.events: list[Event] = []
        self._known: dict[tuple[int, int], int] = {}
        self.tops = {top: self._add(top) for top in tops}

    def _add(self, path: Path) -> int:
        lstat = path.lstat()
        node = Node(path.is_dir(), b"" if path.is_dir() else path.read_bytes(), lstat.st_mode & 0o7777)
        number = self._new(node, lstat)
        node.names = {child.name: self._add(child) for child in path.iterdir()} if node.is_folder else {}
        return number

    def _new(self, node: Node, found: os.stat_result) -> int:
        number = len(self.nodes)
        self.nodes[number] = node
        self._known[found.st_dev, found.st_ino] = number
        return number

    # ---- recording

    @contextmanager
    def recording(self, *, long_way: bool = False) -> Iterator[None]:
        """See what this process changes; `long_way` takes the system's own renames away."""
        names = ("open", "write", "mkdir", "rmdir", "unlink", "link", "rename", "fchmod", "fsync")
        table = {name: getattr(os, name) for name in names}
        rename, supported = renames.call_rename, os.supports_dir_fd
        try:
            for name, call in table.items():
                setattr(os, name, self._wrap(call, getattr(self, f"_{name}")))
            os.supports_dir_fd = supported | {getattr(os, name) for name in names}
            renames.call_rename = (lambda *_: False) if long_way else self._wrap(rename, self._call)
            yield
        finally:
            for name, call in table.items():
                setattr(os, name, call)
            renames.call_rename, os.supports_dir_fd = rename, supported

    def _wrap(self, call: Callable[..., Any], note: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*arguments: Any, **named: Any) -> Any:
            steps = note(*arguments, **named)
            next(steps)
            result = call(*arguments, **named)
            with suppress(StopIteration):
                steps.send(result)
            return result

        return noted

    def _at(self, path: Any, folder: int | None) -> tuple[int | None, str]:
        """Return the node of the folder that a name is in, and the name."""
        text = os.fspath(path)
        fstat = os.fstat(folder) if folder is not None else os.stat(os.path.dirname(text) or ".")
        return self._known.get((fstat.st_dev, fstat.st_ino)), os.path.basename(text)

    def _name(self, parent: int | None, change: Callable[[Names], object]) -> None:
        if parent is not None:
            self.events.append(Event(parent, change))

    def _open(
        self, path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None
    ) -> Generator[None, Any, None]:
        new = False
        if flags & os.O_CREAT:
            parent, name = self._at(path, dir_fd)
            try:
                os.stat(path, dir_fd=dir_fd, follow_symlinks=False)
            except FileNotFoundError:
                new = True
        file = yield
        if new and parent is not None:
            fstat = os.fstat(file)
            number = self._new(Node(False, b"", fstat.st_mode & 0o7777), fstat)
            self._name(parent, lambda names: names.update({name: number}))

    def _write(self, file: int, data: Any) -> Generator[None, Any, None]:
        size = yield
        number = self._of(file)
        if number is not None:
            self.events.append(Event(number, lambda _: None, data=bytes(data[:size])))

    def _fchmod(self, file: int, mode: int) -> Generator[None, Any, None]:
        yield
        number = self._of(file)
        if number is not None:
            self.events.append(Event(number, lambda _: None, mode=mode))

    def _fsync(self, file: int) -> Generator[None, Any, None]:
        yield
        number = self._of(file)
        if number is not None:
            self.events.append(Event(number, None))

    def _of(self, file: int) -> int | None:
        fstat = os.fstat(file)
        return self._known.get((fstat.st_dev, fstat.st_ino))

    def _mkdir(self, path: Any, mode: int = 0o777, *, dir_fd: int | None = None) -> Generator[None, Any, None]:
        parent, name = self._at(path, dir_fd)
        yield
        stat = os.stat(path, dir_fd=dir_fd)
        if parent is not None:
            number = self._new(Node(True, mode=stat.st_mode & 0o7777), stat)
            self._name(parent, lambda names: names.update({name: number}))

    def _unlink(self, path: Any, *, dir_fd: int | None = None) -> Generator[None, Any, None]:
        parent, name = self._at(path, dir_fd)
        yield
        self._name(parent, lambda names: names.pop(name, None))

    _rmdir = _unlink

    def _link(
        self, source: Any, target: Any, *, src_dir_fd: int, dst_dir_fd: int, follow_symlinks: bool
    ) -> Generator[None, Any, None]:
        parent, name = self._at(target, dst_dir_fd)
        stat = os.stat(source, dir_fd=src_dir_fd, follow_symlinks=False)
        number = self._known.get((stat.st_dev, stat.st_ino))
        yield
        if number is not None:
            linked = number
            self._name(parent, lambda names: names.update({name: linked}))

    def _rename(self, source: Any, target: Any, *, src_dir_fd: int, dst_dir_fd: int) -> Generator[None, Any, None]:
        parent, _ = self._at(source, src_dir_fd)
        yield
        self._name(parent, lambda names: _move(names, source, target))

    def _call(self, folder: int, source: str, target: str, flag: int) -> Generator[None, Any, None]:
        parent, _ = self._at(source, folder)
        done = yield
        if done and flag == renames._SWAP:
            self._name(parent, lambda names: _swap(names, source, target))
        elif done:
            self._name(parent, lambda names: _move(names, source, target))

    # ---- the loss of power

    def lose(self, at: int, random: Random) -> None:
        """Put the folders into a state that they may have if the power fails before the `at`-th event."""
        synced = {event.node: index for index, event in enumerate(self.events[:at]) if event.change is None}
        pending: dict[int, int] = defaultdict(int)
        for index, event in enumerate(self.events[:at]):
            pending[event.node] += index > synced.get(event.node, -1)
        table = {
            node: random.choice((0, number, random.randint(0, number))) for node, number in sorted(pending.items())
        }
        names = {number: dict(node.names) for number, node in self.nodes.items()}
        data = {number: bytearray(node.data) for number, node in self.nodes.items()}
        modes = {number: node.mode for number, node in self.nodes.items()}
        for index, event in enumerate(self.events[:at]):
            is_sure = index < synced.get(event.node, -1)
            if not is_sure:
                table[event.node] -= 1
            if event.change is None or not (is_sure or table[event.node] >= 0):
                continue
            event.change(names[event.node])
            if event.data is not None:
                data[event.node] += event.data if is_sure else _tear(event.data, random)
            if event.mode is not None:
                modes[event.node] = event.mode
        for top, number in self.tops.items():
            shutil.rmtree(top)
            _write(top, number, self.nodes, names, data, modes)


def _swap(names: Names, one: str, other: str) -> None:
    if one in names and other in names:
        names[one], names[other] = names[other], names[one]


def _move(names: Names, source: str, target: str) -> None:
    if source in names:
        names[target] = names.pop(source)


def _tear(data: bytes, random: Random) -> bytes:
    cut = random.choice((0, len(data), random.randint(0, len(data))))
    return data[:cut] + bytes(len(data) - cut) * random.randint(0, 1)


def _write(path: Path, number: int, nodes: dict[int, Node], names: Any, data: Any, modes: Any) -> None:
    if nodes[number].is_folder:
        path.mkdir()
        for name, child in names[number].items():
            _write(path / name, child, nodes, names, data, modes)
    else:
        path.write_bytes(data[number])
    path.chmod(modes[number])
