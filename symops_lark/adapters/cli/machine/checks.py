"""The checks of `symops doctor`: each looks at one thing.

Invariants: a check changes nothing that stays, uses no network, and prints no key.
"""

from __future__ import annotations

import json
import os
import platform
import re
import shlex
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from importlib import metadata
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from ....core.ground import resources
from ....core.ground.errors import SymOpsError
from ....core.ground.json_objects import JsonObject
from ....core.ground.members import coerce_members
from ....core.ground.program_search import find_program
from ....core.ground.version import __version__

_DISTRIBUTION = "symops-lark"
# Extras for developers of this project.
_INTERNAL = {"test", "docs"}
_PROGRAMS = {
    "rg": "symops code searches with it; without it, in Python",
    "node": "runs exported JavaScript parsers",
}
_REPLY = "Sure:\n\n::Create hello.py\n<<<\nprint('Hello!')\n>>>\n"


class State(StrEnum):
    """What a check found."""

    OK = "ok"
    MISSING = "missing"  # something optional
    BROKEN = "broken"  # the package does not work as it should


@dataclass(frozen=True, slots=True)
class Finding(JsonObject):
    """The result of one check.

    Attributes:
        group: The kind of things that it looks at.
        name: The thing.
        state: What was found.
        detail: The version, the path or the time; or what to do.
    """

    group: str
    name: str
    state: State
    detail: str = ""

    def __post_init__(self) -> None:
        coerce_members(self)


def check_machine() -> Iterator[Finding]:
    """Yield the findings of all checks."""
    yield from _check_package()
    yield from _check_extras()
    yield from _check_programs()
    yield from _check_folders()
    yield from _check_keys()
    yield from _check_terminal()
    yield from _check_reading()


def _check_package() -> Iterator[Finding]:
    yield Finding("package", _DISTRIBUTION, State.OK, __version__)
    yield Finding(
        "package", "Python", State.OK, f"{platform.python_version()} on {platform.platform()}"
    )
    for library in ("lark", "google-re2"):
        version = _find_version(library)
        if version:
            yield Finding("package", library, State.OK, version)
        elif library == "lark":
            yield Finding(
                "package", library, State.BROKEN, f"reinstall: pip install {_DISTRIBUTION}"
            )
        else:
            # Alpine has no wheel of it: the package works there, too.
            detail = "patterns are searched in Python, more slowly"
            yield Finding("package", library, State.MISSING, detail)


def _check_extras() -> Iterator[Finding]:
    try:
        requirements = metadata.requires(_DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        detail = "a checkout that is not installed: its extras are unknown"
        yield Finding("extras", _DISTRIBUTION, State.MISSING, detail)
        return
    extras: dict[str, list[str]] = {}
    # The syntax of requirements is larger, but these are ours.
    for requirement in requirements:
        name = re.match(r"[\w.-]+", requirement)
        extra = re.search(r"extra == ['\"]([\w-]+)['\"]", requirement)
        if name and extra and extra[1] not in _INTERNAL:
            extras.setdefault(extra[1], []).append(name[0])
    for title, libraries in sorted(extras.items()):
        versions = {library: _find_version(library) for library in libraries}
        if all(versions.values()):
            detail = ", ".join(f"{library} {version}" for library, version in versions.items())
            yield Finding("extras", title, State.OK, detail)
        else:
            yield Finding("extras", title, State.MISSING, f"pip install {_written_extra(title)}")


def _written_extra(extra: str) -> str:
    """Return the requirement of an extra, from the folder of the package if pip knows it."""
    origin = metadata.distribution(_DISTRIBUTION).read_text("direct_url.json")
    try:
        record = json.loads(origin or "{}")
        url = urlsplit(record["url"])
        is_editable = bool(record["dir_info"].get("editable"))
    except (ValueError, LookupError, AttributeError, TypeError):
        return f"'{_DISTRIBUTION}[{extra}]'"  # from an index
    folder = Path(url2pathname(url.path))
    if url.scheme != "file" or not folder.is_dir():
        return f"'{_DISTRIBUTION}[{extra}]'"
    return f"{'-e ' * is_editable}{shlex.quote(f'{folder}[{extra}]')}"


def _check_programs() -> Iterator[Finding]:
    for name, use in _PROGRAMS.items():
        path = find_program(name)
        state = State.OK if path else State.MISSING
        yield Finding("programs", name, state, path or use)
    # Imported here, as in all checks: a broken part must not keep the others from being checked.
    from ....acting.commands.sandbox import check_sandbox

    # It may write to one folder, so the check needs one.
    with tempfile.TemporaryDirectory() as folder:
        try:
            check_sandbox(os.path.realpath(folder))
        except SymOpsError as error:
            yield Finding("programs", "sandbox", State.MISSING, str(error))
        else:
            yield Finding("programs", "sandbox", State.OK, find_program("bwrap") or "")


def _check_folders() -> Iterator[Finding]:
    for name, folder in (("cache", resources.cache_folder()), ("state", resources.state_folder())):
        if folder is None:
            yield Finding(
                "folders", name, State.MISSING, "this user has no home folder: nothing is kept"
            )
        elif _may_write(folder):
            yield Finding("folders", name, State.OK, str(folder))
        else:
            hint = f"make it writable, or set XDG_{name.upper()}_HOME"
            yield Finding("folders", name, State.BROKEN, f"{folder} is not writable: {hint}")


def _may_write(folder: Path) -> bool:
    """Return whether a folder, or the nearest one above it that exists, can be written to."""
    # Nothing is created: the folder appears when something is first kept.
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)


def _check_keys() -> Iterator[Finding]:
    from ....models.providers import PROVIDERS

    for name, provider in PROVIDERS.items():
        variable = provider.key_variable
        if variable is not None:
            # Only whether it is set: a key is never printed.
            is_set = bool(os.environ.get(variable, "").strip())
            state = State.OK if is_set else State.MISSING
            yield Finding("keys", name, state, variable)


def _check_terminal() -> Iterator[Finding]:
    from ..colours import is_coloured

    detail = "not a terminal"
    if sys.stdout.isatty():
        colours = "with colours" if is_coloured() else "without colours"
        detail = f"{os.get_terminal_size().columns} columns, {colours}"
    yield Finding("terminal", "standard output", State.OK, f"{detail}, {sys.stdout.encoding}")


def _check_reading() -> Iterator[Finding]:
    """Compile v2 as on a first start, load it as on any other one, and read a broken reply."""
    from ....core.functions import process
    from ....core.grammar.compiling.compiler import WrittenDialect

    path = resources.find_folder("grammars") / "v2.lark"
    text = path.read_text(encoding="utf-8")
    begun = time.perf_counter()
    # Without the cache, so that it is really compiled.
    _ = WrittenDialect(path, text, kept=False).table("lalr")
    yield Finding("reading", "compile v2", State.OK, _show(begun))
    begun = time.perf_counter()
    _ = WrittenDialect(path, text).table("lalr")
    yield Finding("reading", "load v2 from the cache", State.OK, _show(begun))
    begun = time.perf_counter()
    try:
        document = process(_REPLY, "v2").document
    except SymOpsError as error:
        yield Finding("reading", "a broken reply", State.BROKEN, f"please report it: {error}")
        return
    contents = [(action.path, action.content) for action in document.actions]
    if contents != [("hello.py", "print('Hello!')")]:
        # Damaged rules or grammars: the installation was changed.
        yield Finding("reading", "a broken reply", State.BROKEN, "it was read wrongly: reinstall")
    else:
        yield Finding("reading", "a broken reply", State.OK, _show(begun))


def _show(begun: float) -> str:
    return f"{1000 * (time.perf_counter() - begun):,.0f} ms"


def _find_version(library: str) -> str:
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return ""
