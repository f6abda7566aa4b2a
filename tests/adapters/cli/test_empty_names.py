"""The empty text, as of an unset variable of a script, where a command takes a name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from command_line import fill, run

# What serves until it is interrupted, or measures for seconds.
LONG = ("lsp", "serve", "route serve", "playground", "bench run", "bench edits", "bench judgments", "bench sensitivity")


def commands(command: click.Command, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    if not isinstance(command, click.Group):
        yield words, command
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        below = command.get_command(context, name)
        assert below is not None
        yield from commands(below, (*words, name))


def word_for(parameter: click.Parameter) -> str:
    """Return a value that a parameter accepts."""
    if isinstance(parameter.type, click.Choice):
        return str(parameter.type.choices[0])
    return "1" if isinstance(parameter.type, click.types.IntParamType) else "good.txt"


def lines_of(words: tuple[str, ...], command: click.Command) -> Iterator[list[str]]:
    """Yield command lines in which one name is empty."""
    arguments = [parameter for parameter in command.params if isinstance(parameter, click.Argument)]
    values = [word_for(argument) for argument in arguments]
    for place, argument in enumerate(arguments):
        if argument.type is click.STRING:
            yield [*words, *values[:place], "", *values[place + 1 :]]
    for option in command.params:
        if isinstance(option, click.Option) and isinstance(option.type, click.types.StringParamType | click.Path):
            yield [*words, *values, option.opts[0], ""]


@pytest.mark.slow
def test_an_empty_name_is_never_a_bug(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stride: int) -> None:
    from symops_lark.adapters.cli import symops

    monkeypatch.chdir(fill(tmp_path))
    lines = [
        line for words, command in commands(symops) if " ".join(words) not in LONG for line in lines_of(words, command)
    ]
    assert len(lines) > 200
    bugs = [line for line in lines[::stride] if run(*line).exit_code == 70]
    assert not bugs


def test_an_empty_grammar_is_refused() -> None:
    result = run("grammar", "recover", "", "x")
    assert result.exit_code == 2 and result.stderr.startswith("symops: Invalid value for 'GRAMMAR': it is empty ")
