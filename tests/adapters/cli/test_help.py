"""The help of every command: a short imperative sentence first, and plain English in all of it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click
import prose
import pytest
from command_line import run

from symops_lark.adapters.cli import symops

MAX_FIRST_LINE = 60  # characters: a list of commands is not cut at 80 columns
_VERBS = prose.VERBS | {"Apply", "Audit", "Choose", "Convert", "Decide", "Derive", "Guess", "Promote", "Recover"}
_VERBS |= {"Register", "Repair", "Restore", "Route", "Score", "Search", "Serve", "Submit", "Turn", "Vary", "Verify"}


def _walk(command: click.Command = symops, words: tuple[str, ...] = ("symops",)) -> Iterator[tuple[str, click.Command]]:
    """Yield every command and group with its words on the command line."""
    yield " ".join(words), command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None, name
            yield from _walk(child, (*words, name))


COMMANDS = dict(_walk())
GROUPS = [words for words, command in COMMANDS.items() if isinstance(command, click.Group)]


def _texts(command: click.Command) -> Iterator[str]:
    """Yield the texts of a command's help: its own, and those of its options."""
    yield from filter(None, (command.help, command.short_help, command.epilog))
    options = (parameter for parameter in command.params if isinstance(parameter, click.Option))
    yield from (option.help for option in options if option.help)


@pytest.mark.parametrize("words", COMMANDS)
def test_the_first_line_is_a_short_imperative_sentence(words: str) -> None:
    command = COMMANDS[words]
    lines = (command.help or "").split("\n")
    assert lines[0].endswith(".") and len(lines[0]) <= MAX_FIRST_LINE, lines[0]
    assert lines[1:2] in ([], [""]), "an empty line follows the first line"
    assert lines[0].split()[0].rstrip(",") in _VERBS, lines[0]
    assert command.get_short_help_str(MAX_FIRST_LINE) == lines[0]


@pytest.mark.parametrize("words", COMMANDS)
def test_help_is_plain_english(words: str) -> None:
    hits = [hit for text in _texts(COMMANDS[words]) for hit in prose.habits_in(text, 1)]
    assert hits == []


@pytest.mark.parametrize("words", COMMANDS)
def test_every_option_has_a_help_that_is_a_sentence(words: str) -> None:
    for option in COMMANDS[words].params:
        if isinstance(option, click.Option) and not option.hidden:
            assert option.help and option.help[0].isupper() and option.help[-1] in ".…", option.name


@pytest.mark.parametrize("words", GROUPS)
def test_no_line_of_a_list_of_commands_is_cut(words: str) -> None:
    text = run(*words.split()[1:], "--help").stdout.partition("Commands:\n")[2]
    children = [name.rpartition(" ")[2] for name in COMMANDS if name.rpartition(" ")[0] == words]
    if words == "symops":
        # Groups, each with a title; an epilog follows them.
        groups = re.findall(r"^  [A-Z][^\n]*:\n((?:    .+\n)+)", text.partition("  Texts are")[0], re.MULTILINE)
        assert len(groups) == 7
        parts = "".join(groups).rstrip().split("\n")
        assert sorted(row.split()[0] for row in parts) == children
    else:
        parts = text.partition("\n\n")[0].rstrip().split("\n")
        assert [row.split()[0] for row in parts] == children
    assert not any(row.endswith("...") or len(row) > 80 for row in parts), parts


def test_no_option_takes_nan() -> None:
    """It is in no range, and a time limit that is NaN would never be reached."""
    options = [parameter for command in COMMANDS.values() for parameter in command.params]
    ranges = [option for option in options if isinstance(option.type, click.types.FloatParamType)]
    assert len(ranges) >= 14
    for option in ranges:
        with pytest.raises(click.BadParameter, match="is not a number"):
            option.type.convert("nan", option, None)
