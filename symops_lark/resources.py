"""Where folders are: data inside the installed package or beside it in a checkout, and what is kept for the user."""

from __future__ import annotations

import os
from pathlib import Path

from .errors import SymOpsError

_PACKAGE = Path(__file__).resolve().parent


def find_folder(name: str) -> Path:
    """Return the folder `grammars` or `repair_rules` of a wheel, an editable install or a bare checkout."""
    for base in (_PACKAGE / "_data", _PACKAGE.parent):
        folder = base / name
        if folder.is_dir():
            return folder
    raise SymOpsError(f"the data folder {name!r} is missing from the installation of symops-lark; reinstall it")


def cache_folder() -> Path | None:
    """Return the user's cache folder for compiled grammars (it may not exist yet); None where there is no home."""
    return _user_folder("XDG_CACHE_HOME", ".cache")


def state_folder() -> Path | None:
    """Return the folder for what must outlast caches (it may not exist yet); None where there is no home."""
    return _user_folder("XDG_STATE_HOME", ".local", "state")


def _user_folder(variable: str, *usual: str) -> Path | None:
    """Return our part of a folder of the user's; a relative one would be another in each folder that is worked in."""
    named = os.environ.get(variable, "")
    base = named if os.path.isabs(named) else os.path.join(os.path.expanduser("~"), *usual)
    return Path(base) / "symops-lark" if os.path.isabs(base) else None
