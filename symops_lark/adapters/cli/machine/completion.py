"""`symops completion`: the script that completes commands and options in a shell."""

from __future__ import annotations

import click

from ..texts import echo


@click.command(name="completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> int:
    """Print the completion script of a shell.

    Commands, options, and names of dialects, formats, providers and tasks are completed. For bash
    add this line to ~/.bashrc:

    \b
        eval "$(symops completion bash)"

    For zsh add the same with zsh to ~/.zshrc. For fish write the output to
    ~/.config/fish/completions/symops.fish.
    """
    from click.shell_completion import get_completion_class

    from .. import symops

    # Click has a script for each shell, which calls `symops` for the words.
    kind = get_completion_class(shell)
    assert kind is not None, "click knows these three"
    echo(kind(symops, {}, "symops", "_SYMOPS_COMPLETE").source().splitlines())
    return 0
