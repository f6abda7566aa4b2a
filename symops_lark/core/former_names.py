"""Find modules and names by their former names, until the version that removes them.

`import symops_lark.structured` still works, warns, and gives the module that has another name now.
The package looks here after everything else; for folders that are gone, before everything else.
All deprecation warnings of the package come from here (tests/test_releases.py).
"""

from __future__ import annotations

import json
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from warnings import warn

_PACKAGE = __name__.partition(".")[0]

# Two minor versions after the one that renamed them, 0.9: see RELEASING.md. The version that has
# this number must have none of these names, so a test fails until they are removed.
REMOVED_IN = "0.11"

# The former name of a module or a folder, and its name now, both within the package. A folder's row
# is for all modules below it; of several rows that fit, the longest counts.
FORMER: dict[str, str] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))


def find_former(name: str) -> ModuleSpec | None:
    """Return the specification of a module by its former name.

    Args:
        name: The full name, such as `symops_lark.structured`.

    Returns:
        The specification, whose loader warns and gives the module under its name now. None if no
        module had this name.
    """
    inner = name.removeprefix(f"{_PACKAGE}.")
    # The longest first: "cli.apply" has a row beside that of "cli".
    matches = [head for head in _heads(inner) if head in FORMER]
    if not matches:
        return None
    former = matches[0]
    now = f"{_PACKAGE}.{FORMER[former]}{inner.removeprefix(former)}"
    real = find_spec(now)
    if real is None:
        return None
    # Typed as Any: the protocol of loaders is a class, and this one has only its two methods.
    loader: Any = _FormerLoader(now)
    return ModuleSpec(name, loader, is_package=real.submodule_search_locations is not None)


def give_former(module: str, name: str, former: str = "") -> Any:
    """Return a member of a module whose former name is a folder now, and warn.

    Args:
        module: The full name of the module now, such as `symops_lark.acting.journal.journal`.
        name: The name of the member.
        former: The full name of its former module; empty for the folder of `module`.
    """
    former = former or module.rpartition(".")[0]
    # One frame more: a folder's `__getattr__` calls this.
    warn_former(f"{former}.{name}", f"{module}.{name}", level=4)
    return getattr(import_module(module), name)


def warn_former(former: str, now: str, level: int = 3) -> None:
    """Warn of a former name.

    Args:
        former: The full name that is used.
        now: The full name that replaces it.
        level: The number of frames from this function to the user's line.
    """
    message = f"{former} is now {now}; version {REMOVED_IN} removes the former name"
    warn(message, DeprecationWarning, stacklevel=level)


class _FormerLoader:
    """Gives the existing module, not a second copy of it: its classes must be the same."""

    def __init__(self, name: str) -> None:
        self.name = name

    def create_module(self, spec: ModuleSpec) -> Any:
        """Return the module under its name now, loaded."""
        warn_former(spec.name, self.name)
        module = import_module(self.name)
        self._spec = module.__spec__
        return module

    def exec_module(self, module: Any) -> None:
        """Restore the specification of the module."""
        # The import system has replaced it by that of the former name.
        module.__spec__ = self._spec


def _heads(name: str) -> list[str]:
    """Return a dotted name and all names that it begins with, the longest first."""
    parts = name.split(".")
    return [".".join(parts[:size]) for size in range(len(parts), 0, -1)]
