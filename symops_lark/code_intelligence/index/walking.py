"""Find the files of a folder, without links and without files that `.gitignore` excludes.

Git itself is not run: the configuration of an untrusted repository may name programs to run.

A walker remembers the content of each folder and the ignore files that applied to it, so that only
new names are compared with patterns. The verdicts can be kept for the next process
(`Walker.verdicts`), which then does not even load the package that compiles patterns.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.util import find_spec
from operator import itemgetter
from typing import Any, NamedTuple

from ...acting.files.paths import MAX_PARTS, is_internal
from ...acting.files.view import FolderView
from ...core.patterns.regexes import is_encodable

_MAX_BYTES = 1_000_000  # of one ignore file
_MAX_STARS = 3  # in a pattern without RE2: the time grows with a power of them
# Some flags do not exist on Windows, which opens no folders either.
_FOLDER = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_DIRECTORY", 0)
    | getattr(os, "O_CLOEXEC", 0)
)
_BY_HANDLE = os.open in os.supports_dir_fd and os.scandir in os.supports_fd
_SETTLING = 2_000_000_000  # nanoseconds in which two changes may get the same time
_NEVER_SOURCE = frozenset(("__pycache__",))


class Found(NamedTuple):
    """A file: its path below the root, the time of its last change (in nanoseconds), its size."""

    path: str
    changed: int
    size: int


@dataclass(slots=True, eq=False)
class Walk:
    """The files of a walk, and the number of entries left out by the reason."""

    files: list[Found] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True, eq=False)
class _Folder:
    """The content of a folder, and what would be different if that changed."""

    stamp: tuple[int, ...]
    is_settled: bool  # whether every later change gives it another stamp
    mark: str  # of the rules above it
    rules: _Rules
    ignore: tuple[int, int] | None  # the time and size of its ignore file
    verdicts: dict[str, bool] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    files: list[Found] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)


class Walker:
    """Walks below a root, again and again.

    A folder that has not changed is not listed again. Its files are still inspected, since
    writing to a file does not change its folder.

    Attributes:
        has_judged: Whether patterns were applied since the last call of `verdicts`.
    """

    def __init__(self, root: str) -> None:
        self.root = root
        self.has_judged = False
        self._folders: dict[str, _Folder] = {}  # by the path, with a slash at its end
        self._previous: dict[str, _Folder] = {}
        self._last = Walk()
        self._is_same = False
        # Without RE2 some patterns are left out, so its verdicts do not count.
        self._mark = "" if find_spec("re2") else "simple"
        self._recalled: dict[str, tuple[str, dict[str, bool]]] = {}

    def recall(self, verdicts: str) -> None:
        """Use the verdicts of another walker of this root where the ignore files are the same."""
        # A damaged text has no verdicts: they are judged again.
        with suppress(ValueError, TypeError, AttributeError):
            for prefix, (mark, included, ignored) in json.loads(verdicts).items():
                by_name = dict.fromkeys(included, False) | dict.fromkeys(ignored, True)
                self._recalled[prefix] = mark, by_name

    def verdicts(self) -> str:
        """Return the verdicts of ignore files as JSON.

        They have the form `{folder: [mark of the files, [included names], [ignored names]]}`.
        """
        self.has_judged = False
        verdicts = {}
        for prefix, folder in self._folders.items():
            if folder.rules.specs:
                names: tuple[list[str], list[str]] = ([], [])
                for name, is_ignored in folder.verdicts.items():
                    names[is_ignored].append(name)
                verdicts[prefix] = (folder.rules.mark, *names)
        return json.dumps(verdicts, ensure_ascii=False, separators=(",", ":"))

    def walk(self) -> Walk:
        """Return the current files by path; the same object if nothing has changed."""
        rules = _Rules(self._mark, ()).below("", _read_ignore(self.root, ".git/info/exclude"))
        self._previous, self._folders = self._folders, {}
        self._is_same = True
        walk = Walk()
        self._enter(walk, rules, "", None, self.root)
        for folder in self._folders.values():
            walk.left_out.update(folder.skipped)
        is_complete = len(self._previous) == len(self._folders)
        if self._is_same and is_complete and walk.left_out == self._last.left_out:
            return self._last
        for folder in self._folders.values():
            walk.files += folder.files
        walk.files.sort(key=itemgetter(0))
        self._last = walk
        return walk

    def _enter(self, walk: Walk, rules: _Rules, prefix: str, above: int | None, name: str) -> None:
        """Look at the folder `name` in an open folder, and at the folders in it."""
        handle = None
        try:
            if _BY_HANDLE:
                handle = os.open(name, _FOLDER, dir_fd=above)
            folder = self._previous.get(prefix)
            if folder is None or handle is None or not self._is_unchanged(folder, rules, handle):
                folder = self._list(folder, rules, prefix, handle)
                self._is_same = False
            self._folders[prefix] = folder
            for name in folder.folders:
                self._enter(walk, folder.rules, f"{prefix}{name}/", handle, name)
        except OSError:
            walk.left_out["unreadable"] += 1
        finally:
            if handle is not None:
                os.close(handle)

    def _is_unchanged(self, folder: _Folder, rules: _Rules, handle: int) -> bool:
        """Return whether a folder has the same entries; update the times and sizes of its files."""
        if not folder.is_settled or folder.mark != rules.mark:
            return False
        if folder.stamp != _stamp(os.fstat(handle)):
            return False
        if folder.ignore is not None and folder.ignore != _stat_ignore(handle):
            return False
        # Local names: this loop runs once for each file of the root.
        files, look = folder.files, os.stat
        try:
            for index, name in enumerate(folder.names):
                now, before = look(name, dir_fd=handle, follow_symlinks=False), files[index]
                if _changed(now) != before[1] or now.st_size != before[2]:
                    files[index] = Found(before.path, _changed(now), now.st_size)
                    self._is_same = False
        except FileNotFoundError:
            return False
        return True

    def _list(
        self, previous: _Folder | None, rules: _Rules, prefix: str, handle: int | None
    ) -> _Folder:
        start = time.time_ns()
        place = os.path.join(self.root, prefix) if handle is None else handle
        stamp = _stamp(os.stat(place))
        with os.scandir(place) as iterator:
            entries = list(iterator)
        below = rules
        ignore = None
        for entry in entries:
            if entry.name == ".gitignore" and entry.is_file(follow_symlinks=False):
                ignore = None if handle is None else _stat_ignore(handle)
                below = rules.below(prefix, _read_ignore(self.root, f"{prefix}.gitignore"))
        times = stamp[:2] if ignore is None else (*stamp[:2], ignore[0])
        folder = _Folder(stamp, max(times) < start - _SETTLING, rules.mark, below, ignore)
        mark, verdicts = self._recalled.get(prefix, ("", {}))
        if previous is not None and previous.rules.mark == below.mark:
            verdicts = previous.verdicts
        elif mark != below.mark:
            verdicts = {}
        for entry in entries:
            self._put(folder, entry, prefix, verdicts)
        return folder

    def _put(
        self, folder: _Folder, entry: os.DirEntry[str], prefix: str, verdicts: dict[str, bool]
    ) -> None:
        """Put an entry into its folder, or count the reason why it is left out."""
        name = entry.name
        if not is_encodable(name):
            folder.skipped["name"] += 1
            return
        if entry.is_symlink():
            folder.skipped["link"] += 1
            return
        is_folder = entry.is_dir(follow_symlinks=False)
        if (name[0] == "." and is_internal(name)) or name in _NEVER_SOURCE:
            return
        key = name + "/" if is_folder else name
        is_ignored = verdicts.get(key)
        if is_ignored is None:
            is_ignored = folder.rules.is_ignored(prefix + key)
            self.has_judged = self.has_judged or bool(folder.rules.specs)
        folder.verdicts[key] = is_ignored
        if is_ignored:
            folder.skipped["ignored"] += 1
        elif not is_folder:
            # The file may be removed after the folder was listed.
            with suppress(FileNotFoundError):
                status = entry.stat(follow_symlinks=False)
                if not stat.S_ISREG(status.st_mode):
                    folder.skipped["special"] += 1
                    return
                folder.names.append(name)
                folder.files.append(Found(prefix + name, _changed(status), status.st_size))
        elif prefix.count("/") + 1 >= MAX_PARTS:
            folder.skipped["deep"] += 1
        else:
            folder.folders.append(name)


def _changed(status: os.stat_result) -> int:
    """Return when a file was changed or put there: `cp -p` keeps the former time."""
    # A time in the future would hide all changes until then.
    if status.st_mtime_ns > time.time_ns():
        return status.st_ctime_ns
    return max(status.st_mtime_ns, status.st_ctime_ns)


def _stamp(status: os.stat_result) -> tuple[int, ...]:
    """Return values that change with the entries of a folder. No program can set `ctime`."""
    return status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_dev


def _stat_ignore(handle: int) -> tuple[int, int] | None:
    with suppress(OSError):
        status = os.stat(".gitignore", dir_fd=handle, follow_symlinks=False)
        return _changed(status), status.st_size
    return None


class _Rules:
    """The ignore files from a folder up to the root.

    The nearest file with a pattern that matches decides; in a file, the last such pattern.
    """

    def __init__(self, mark: str, specs: tuple[tuple[str, tuple[str, ...]], ...]) -> None:
        self.mark = mark
        self.specs = specs

    def below(self, prefix: str, lines: tuple[str, ...]) -> _Rules:
        """Return the rules of a folder that has an ignore file with these lines."""
        if not lines:
            return self
        content = "\n".join((self.mark, prefix, *lines))
        mark = hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()
        return _Rules(mark, ((prefix, lines), *self.specs))

    def is_ignored(self, path: str) -> bool:
        for prefix, lines in self.specs:
            spec = compile_globs(lines)
            verdict = spec.check_file(path[len(prefix) :]).include if spec else None
            if verdict is not None:
                return bool(verdict)
        return False


@lru_cache(256)
def compile_globs(lines: tuple[str, ...]) -> Any:
    """Return globs with the syntax of `.gitignore`; None if none of them is valid.

    With RE2 they take linear time. Without it those of many stars are left out.
    """
    from pathspec import GitIgnoreSpec

    patterns = [line for line in lines if _is_pattern(line)]
    if not patterns:
        return None
    try:
        return GitIgnoreSpec.from_lines(patterns, backend="re2")
    except (ImportError, RuntimeError, ValueError):
        simple = [pattern for pattern in patterns if pattern.count("*") <= _MAX_STARS]
        return GitIgnoreSpec.from_lines(simple, backend="simple")


def _is_pattern(line: str) -> bool:
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line], backend="simple")
    except ValueError:
        return False
    return True


def _read_ignore(root: str, path: str) -> tuple[str, ...]:
    """Return the patterns of a file below a root; as Git, follow no link to it."""
    data = FolderView(root, _MAX_BYTES).look(path).data or b""
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    lines = (line.removesuffix("\r") for line in text.split("\n"))
    return tuple(line for line in lines if line.strip() and not line.startswith("#"))
