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


def cache_folder() -> Path:
    """Return the user's cache folder for compiled grammars (it may not exist yet)."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "symops-lark"


def state_folder() -> Path | None:
    """Return the folder for what must outlast caches (it may not exist yet); None where the user has no home folder."""
    named = os.environ.get("XDG_STATE_HOME", "")
    base = named if os.path.isabs(named) else os.path.join(os.path.expanduser("~"), ".local", "state")
    return Path(base) / "symops-lark" if os.path.isabs(base) else None
