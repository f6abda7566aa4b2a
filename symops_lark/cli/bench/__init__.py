"""`symops bench`: how often models obey, and whether what they meant is recovered. One file per command."""

from __future__ import annotations

import importlib
import pkgutil

import click

_OLD_NAMES = {"sweep": "sensitivity"}  # still understood, and shown nowhere


class CommandFolder(click.Group):
    """A group whose commands are the modules of this folder, each with a `NAME_command`; loaded when asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the modules."""
        return sorted(module.name for module in pkgutil.iter_modules(__path__))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return one of them, loaded, or None if there is none of that name."""
        name = _OLD_NAMES.get(cmd_name, cmd_name)
        if name not in self.list_commands(ctx):
            return None
        module = importlib.import_module(f"{__name__}.{name}")
        command: click.Command = getattr(module, f"{name}_command")
        return command


@click.group(name="bench", cls=CommandFolder)
def bench_group() -> None:
    """Measure how often models obey a format, and whether what they meant is recovered."""
