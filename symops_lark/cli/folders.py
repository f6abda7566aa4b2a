"""Groups whose commands are the modules of a folder: to add a command is to add a file."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import click


class CommandFolder(click.Group):
    """A group whose commands are the modules of its package, each with a `command`; loaded when asked for.

    `old_names` are still understood, and shown nowhere.
    """

    def __init__(self, *args: Any, package: str, old_names: Mapping[str, str] | None = None, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.package, self.old_names = package, old_names or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the modules, as they are written on command lines."""
        return sorted(module.name.replace("_", "-") for module in iter_modules(import_module(self.package).__path__))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return one of them, loaded, or None if there is none of that name."""
        name = self.old_names.get(cmd_name, cmd_name)
        if name not in self.list_commands(ctx):
            return None
        command: click.Command = import_module(f"{self.package}.{name.replace('-', '_')}").command
        return command
