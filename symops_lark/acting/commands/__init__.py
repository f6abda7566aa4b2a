"""Run commands with limits, a clean environment and a sandbox."""

from typing import Any

_FORMER = {"CommandResult": "commands", "Runner": "commands", "find_shell_syntax": "shell_syntax"}


def __getattr__(name: str) -> Any:
    """Return a public name of the former module `commands`, whose path this folder has now."""
    if name not in _FORMER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # Imported here: the folder itself must stay cheap to import.
    from ...core.former_names import give_former

    return give_former(f"{__name__}.{_FORMER[name]}", name)
