"""Which files a folder has: links are not followed, what `.gitignore` files leave out is left out.

Git itself is not asked: the configuration of a strange repository may name programs that it runs. What a folder was
found to hold is remembered with the ignore files that said so, so that only what is new is compared with patterns; what
they said may be kept for the next process (`Walker.verdicts`), which then need not even load what compiles patterns.
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

_MOST_BYTES = 1_000_000  # of one ignore file
_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_BY_HANDLE = os.open in os.supports_dir_fd and os.scandir in os.supports_fd
_SETTLING = 2_000_000_000  # nanoseconds in which a clock may stand still: two changes may have one time
_NEVER_SOURCE = frozenset(("__pycache__",))


class Found(NamedTuple):
    """A file: its path below the root, when it was changed (in nanoseconds), its size."""

    path: str
    changed: int
    size: int


@dataclass(slots=True, eq=False)
class Walk:
    """What a walk found, and what it left out, by the reason."""

    files: list[Found] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True, eq=False)
class _Folder:
    """What a folder was found to hold, and what would have to be otherwise if that changed."""

    stamp: tuple[int, ...]
    settled: bool  # whether every later change gives it another stamp
    mark: str
    below: _Rules
    ignore: tuple[int, int] | None  # when its ignore file was changed, and its size
    verdicts: dict[str, bool] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    files: list[Found] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)


class Walker:
    """Walks below a root, again and again.

    A folder that was not changed since is not listed again; its files are looked at all the same, since what is
    written into a file does not change its folder.
    """

    def __init__(self, root: str) -> None:
        self.root = root
        self._folders: dict[str, _Folder] = {}
        self._last = Walk()
        self._is_same = False
        self._mark = "" if find_spec("re2") else "simple"  # without RE2 some patterns are left out
        self._recalled: dict[str, tuple[str, dict[str, bool]]] = {}
        self.has_judged = False  # whether patterns were asked since the verdicts were last taken

    def recall(self, verdicts: str) -> None:
        """Take the verdicts of another walker of this root; they count where the ignore files are the same still."""
        with suppress(ValueError, TypeError, AttributeError):  # what is no such text says nothing
            for lead, (mark, kept, ignored) in json.loads(verdicts).items():
                self._recalled[lead] = mark, dict.fromkeys(kept, False) | dict.fromkeys(ignored, True)

    def verdicts(self) -> str:
        """Return what ignore files say, as JSON: `{folder: [their mark, [names kept], [names ignored]]}`."""
        self.has_judged = False
        told: dict[str, tuple[str, list[str], list[str]]] = {}
        for lead, folder in self._folders.items():
            if folder.below.specs:
                kept, ignored = ([k for k, v in folder.verdicts.items() if v is said] for said in (False, True))
                told[lead] = folder.below.mark, kept, ignored
        return json.dumps(told, ensure_ascii=False, separators=(",", ":"))

    def walk(self) -> Walk:
        """Return the files as they are now, in the order of their paths; if nothing changed, what it was before."""
        rules = _Rules(self._mark, ())
        rules = rules.below("", _read_ignore(self.root, ".git/info/exclude"))
        known, self._folders = self._folders, {}
        self._is_same = True
        walk = Walk()
        self._enter(walk, known, rules, "", 0, None, ".")
        for folder in self._folders.values():
            walk.left_out.update(folder.skipped)
        if self._is_same and len(known) == len(self._folders) and walk.left_out == self._last.left_out:
            return self._last
        walk.files = [found for folder in self._folders.values() for found in folder.files]
        walk.files.sort(key=itemgetter(0))
        self._last = walk
        return walk

    def _enter(
        self, walk: Walk, known: dict[str, _Folder], rules: _Rules, lead: str, depth: int, above: int | None, name: str
    ) -> None:
        handle = None
        try:
            if _BY_HANDLE:
                handle = os.open(self.root if above is None else name, os.O_RDONLY | _NO_LINK, dir_fd=above)
            folder = known.get(lead)
            if folder is None or handle is None or not self._holds(folder, rules, handle):
                folder = self._list(folder, rules, lead, depth, handle)
                self._is_same = False
            self._folders[lead] = folder
            for each in folder.folders:
                self._enter(walk, known, folder.below, f"{lead}{each}/", depth + 1, handle, each)
        except OSError:
            walk.left_out["unreadable"] += 1
        finally:
            if handle is not None:
                os.close(handle)

    def _holds(self, folder: _Folder, rules: _Rules, handle: int) -> bool:
        """Return whether a folder holds the same files still; what is known of them is brought up to date."""
        if not folder.settled or folder.mark != rules.mark or folder.stamp != _stamp(os.fstat(handle)):
            return False
        if folder.ignore is not None and folder.ignore != _stat_ignore(handle):
            return False
        files, look = folder.files, os.stat
        try:
            for place, name in enumerate(folder.names):
                now, before = look(name, dir_fd=handle, follow_symlinks=False), files[place]
                if now.st_mtime_ns != before[1] or now.st_size != before[2]:
                    files[place] = Found(before.path, now.st_mtime_ns, now.st_size)
                    self._is_same = False
        except FileNotFoundError:
            return False
        return True

    def _list(self, known: _Folder | None, rules: _Rules, lead: str, depth: int, handle: int | None) -> _Folder:
        begun = time.time_ns()
        place = os.path.join(self.root, lead)
        stamp = _stamp(os.stat(place) if handle is None else os.fstat(handle))
        with os.scandir(place if handle is None else handle) as listed:
            entries = list(listed)
        below, ignore = rules, None
        if any(entry.name == ".gitignore" and entry.is_file(follow_symlinks=False) for entry in entries):
            ignore = None if handle is None else _stat_ignore(handle)
            below = rules.below(lead, _read_ignore(self.root, f"{lead}.gitignore"))
        settled = max(stamp[:2]) < begun - _SETTLING and (ignore is None or ignore[0] < begun - _SETTLING)
        folder = _Folder(stamp, settled, rules.mark, below, ignore)
        if known is not None and known.below.mark == below.mark:
            verdicts = known.verdicts
        else:
            mark, recalled = self._recalled.get(lead, ("", {}))
            verdicts = recalled if mark == below.mark else {}
        for entry in entries:
            self._put(folder, entry, lead, depth, verdicts)
        return folder

    def _put(self, folder: _Folder, entry: os.DirEntry[str], lead: str, depth: int, verdicts: dict[str, bool]) -> None:
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
        ignored = verdicts.get(key)
        if ignored is None:
            ignored = folder.below.leave_out(lead + key)
            self.has_judged = self.has_judged or bool(folder.below.specs)
        folder.verdicts[key] = ignored
        if ignored:
            folder.skipped["ignored"] += 1
        elif not is_folder:
            with suppress(FileNotFoundError):
                _add(folder, name, lead + name, entry.stat(follow_symlinks=False))
        elif depth + 1 >= MAX_PARTS:
            folder.skipped["deep"] += 1
        else:
            folder.folders.append(name)


def _add(folder: _Folder, name: str, path: str, found: os.stat_result) -> None:
    if stat.S_ISREG(found.st_mode):
        folder.names.append(name)
        folder.files.append(Found(path, found.st_mtime_ns, found.st_size))
    else:
        folder.skipped["special"] += 1


def _stamp(found: os.stat_result) -> tuple[int, ...]:
    """Return what another listing gives another of: nobody can set `ctime`."""
    return found.st_mtime_ns, found.st_ctime_ns, found.st_ino, found.st_dev


def _stat_ignore(handle: int) -> tuple[int, int] | None:
    with suppress(OSError):
        found = os.stat(".gitignore", dir_fd=handle, follow_symlinks=False)
        return found.st_mtime_ns, found.st_size
    return None


class _Rules:
    """The ignore files from the root down to a folder; the last pattern that fits decides, of the nearest first."""

    def __init__(self, mark: str, specs: tuple[tuple[str, tuple[str, ...]], ...]) -> None:
        self.mark, self.specs = mark, specs

    def below(self, lead: str, lines: tuple[str, ...]) -> _Rules:
        if not lines:
            return self
        mark = hashlib.sha256("\n".join((self.mark, lead, *lines)).encode("utf-8", "replace")).hexdigest()
        return _Rules(mark, ((lead, lines), *self.specs))

    def leave_out(self, path: str) -> bool:
        for lead, lines in self.specs:
            spec = compile_globs(lines)
            said = spec.check_file(path[len(lead) :]).include if spec else None
            if said is not None:
                return bool(said)
        return False


@lru_cache(256)
def compile_globs(lines: tuple[str, ...]) -> Any:
    """Return globs as `.gitignore` has them; None if none of them is one. Without RE2 those of many stars are left out.

    With RE2 they take linear time.
    """
    from pathspec import GitIgnoreSpec

    kept = [line for line in lines if _is_pattern(line)]
    if not kept:
        return None
    try:
        return GitIgnoreSpec.from_lines(kept, backend="re2")
    except (ImportError, RuntimeError, ValueError):
        return GitIgnoreSpec.from_lines([line for line in kept if line.count("*") <= 3], backend="simple")


def _is_pattern(line: str) -> bool:
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line], backend="simple")
    except ValueError:
        return False
    return True


def _read_ignore(root: str, path: str) -> tuple[str, ...]:
    """Return the patterns of a file below a root; as Git, follow no link to it."""
    data = FolderView(root, _MOST_BYTES).look(path).data or b""
    lines = (line.removesuffix("\r") for line in data.decode("utf-8", "replace").removeprefix("\ufeff").split("\n"))
    return tuple(line for line in lines if line.strip() and not line.startswith("#"))
