"""`symops grammar`: the languages, exactly, and the workbench of those who design them. One file per command."""

from __future__ import annotations

import importlib
import pkgutil

import click


class CommandFolder(click.Group):
    """A group whose commands are the modules of this folder, each with a `command`; loaded when asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the modules."""
        return sorted(module.name for module in pkgutil.iter_modules(__path__))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load one of them, or give None if there is none of that name."""
        if cmd_name not in self.list_commands(ctx):
            return None
        command: click.Command = importlib.import_module(f"{__name__}.{cmd_name}").command
        return command


@click.group(name="grammar", cls=CommandFolder)
def grammar_group() -> None:
    """Show, check, compare and derive grammars: the languages, exactly."""
