"""Which files a folder has: links are not followed, what `.gitignore` files leave out is left out.

Git itself is not asked: the configuration of a strange repository may name programs that it runs. What a folder was
found to hold is remembered with the ignore files that said so, so that only what is new is compared with patterns.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, NamedTuple

from ...resources import read_bounded
from ...workspace.paths import MAX_PARTS, is_internal

_MOST_BYTES = 1_000_000  # of one ignore file
_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_BY_HANDLE = os.open in os.supports_dir_fd and os.scandir in os.supports_fd
_NEVER_SOURCE = frozenset(("__pycache__",))


class Found(NamedTuple):
    """A file: its path below the root, when it was changed (in nanoseconds), its size."""

    path: str
    changed: int
    size: int


@dataclass(slots=True)
class Walk:
    """What a walk found, and what it left out, by the reason."""

    files: list[Found] = field(default_factory=list)
    left_out: dict[str, int] = field(default_factory=dict)

    def skip(self, reason: str) -> None:
        """Count something that was left out."""
        self.left_out[reason] = self.left_out.get(reason, 0) + 1


class Walker:
    """Walks below a root, again and again."""

    def __init__(self, root: str) -> None:
        self.root = root
        self._verdicts: dict[str, tuple[str, dict[str, bool]]] = {}  # folder -> ignore files above, names left out

    def walk(self) -> Walk:
        """Return the files as they are now, in the order of their paths."""
        walk = Walk()
        rules = _Rules("", ())
        exclude = os.path.join(self.root, ".git", "info", "exclude")
        if not os.path.islink(exclude) and not os.path.islink(os.path.join(self.root, ".git")):
            rules = rules.below("", _read_ignore(exclude))
        self._enter(walk, rules, "", 0, None, ".")
        walk.files.sort(key=itemgetter(0))
        return walk

    def _enter(self, walk: Walk, rules: _Rules, lead: str, depth: int, above: int | None, name: str) -> None:
        handle = None
        try:
            if _BY_HANDLE:
                handle = os.open(self.root if above is None else name, os.O_RDONLY | _NO_LINK, dir_fd=above)
            with os.scandir(os.path.join(self.root, lead) if handle is None else handle) as entries:
                self._list(walk, rules, lead, depth, handle, list(entries))
        except OSError:
            walk.skip("unreadable")
        finally:
            if handle is not None:
                os.close(handle)

    def _list(
        self, walk: Walk, rules: _Rules, lead: str, depth: int, handle: int | None, entries: list[os.DirEntry[str]]
    ) -> None:
        for entry in entries:
            if entry.name == ".gitignore" and entry.is_file(follow_symlinks=False):
                rules = rules.below(lead, _read_ignore(os.path.join(self.root, lead, entry.name)))
        mark, verdicts = self._verdicts.get(lead, ("", {}))
        known = verdicts if mark == rules.mark else {}
        verdicts = {}
        self._verdicts[lead] = (rules.mark, verdicts)
        for entry in entries:
            name = entry.name
            if not name.isascii() and not _is_text(name):
                walk.skip("name")
                continue
            if entry.is_symlink():
                walk.skip("link")
                continue
            is_folder = entry.is_dir(follow_symlinks=False)
            if (name[0] == "." and is_internal(name)) or name in _NEVER_SOURCE:
                continue
            key = name + "/" if is_folder else name
            ignored = known.get(key)
            verdicts[key] = ignored = rules.leave_out(lead + key) if ignored is None else ignored
            if ignored:
                walk.skip("ignored")
            elif not is_folder:
                with suppress(FileNotFoundError):
                    _add(walk, lead + name, entry.stat(follow_symlinks=False))
            elif depth + 1 >= MAX_PARTS:
                walk.skip("deep")
            else:
                self._enter(walk, rules, f"{lead}{name}/", depth + 1, handle, name)


def _add(walk: Walk, path: str, found: os.stat_result) -> None:
    if stat.S_ISREG(found.st_mode):
        walk.files.append(Found(path, found.st_mtime_ns, found.st_size))
    else:
        walk.skip("special")


class _Rules:
    """The ignore files from the root down to a folder; the last pattern that fits decides, of the nearest first."""

    def __init__(self, mark: str, specs: tuple[tuple[str, Any], ...]) -> None:
        self.mark, self.specs = mark, specs

    def below(self, lead: str, lines: tuple[str, ...]) -> _Rules:
        if not lines:
            return self
        mark = hashlib.sha256("\n".join((self.mark, lead, *lines)).encode("utf-8", "replace")).hexdigest()
        return _Rules(mark, ((lead, compile_globs(lines)), *self.specs))

    def leave_out(self, path: str) -> bool:
        for lead, spec in self.specs:
            said = spec.check_file(path[len(lead) :]).include if spec else None
            if said is not None:
                return bool(said)
        return False


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


def _read_ignore(path: str) -> tuple[str, ...]:
    try:
        data = read_bounded(path, _MOST_BYTES)
    except OSError:
        return ()
    return tuple(_lines(data.decode("utf-8", "replace")))


def _lines(text: str) -> Iterator[str]:
    for line in text.removeprefix("\ufeff").split("\n"):
        line = line.removesuffix("\r")
        if line.strip() and not line.startswith("#"):
            yield line


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
