"""The command line `symops`: one command for each public verb.

What a person did wrong ends with one message, `symops: …`, on standard error and never with a traceback.
Exit codes: 0 all is well, 1 the text has errors or findings, 2 the arguments, files, grammars or rules are wrong.
Whatever is heavy is imported in the commands, so that `symops --help` is fast.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import click

from .. import __version__
from ..diagnostics import ParseError
from ..errors import RenderError, SymOpsError, WorkspaceError
from ..resources import show_announced
from ..result import ProtocolError
from . import (
    apply,
    ask,
    check,
    convert,
    export,
    extract,
    judge,
    parse,
    plan,
    playground,
    process,
    prompt,
    recover,
    render,
    repair,
    schema,
    serve,
    stream,
)
from .bench import bench_group
from .code import code_group
from .gate import gate_group
from .grammar import grammar_group
from .progress import show_work
from .route import route_group
from .rules import rules_group
from .texts import complain, echo, silence_stdout
from .visibility import visible_line

_INTERRUPTED, _BROKEN_PIPE, _BUG = 130, 141, 70  # as shells and sysexits.h count
_ABOUT_THE_TEXT = (ParseError, ProtocolError, RenderError, WorkspaceError)


class SymOpsGroup(click.Group):
    """A group whose commands return their exit code, and whose errors are messages for people."""

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, *_: Any, **extra: Any) -> Any:
        """Run the command line; exit with its code unless `standalone_mode` is off."""
        if not extra.pop("standalone_mode", True):
            return super().main(args, prog_name, standalone_mode=False, **extra)
        sys.exit(self._run(args, prog_name or "symops", **extra))

    def _run(self, args: Sequence[str] | None, prog_name: str, **extra: Any) -> int:
        show_announced(show_work)
        try:
            return int(super().main(args, prog_name, standalone_mode=False, **extra) or 0)
        except click.UsageError as error:
            if type(error).__name__ == "NoArgsIsHelpError":  # since Click 8.2: the message is the help
                echo([error.format_message()], err=True)
                return 2
            path = error.ctx.command_path if error.ctx else "symops"
            complain(f"{error.format_message()} (see `{path} --help`)")
            return 2
        except click.ClickException as error:
            complain(error.format_message())
            return error.exit_code
        except click.Abort:
            complain("interrupted")
            return _INTERRUPTED
        except SymOpsError as error:
            complain(str(error))
            return 1 if isinstance(error, _ABOUT_THE_TEXT) else 2
        except OSError as error:
            silence_stdout()
            complain(f"{visible_line(str(error.filename or 'output'))}: {error.strerror or error}")
            return 2
        except (MemoryError, RecursionError) as error:
            complain(f"the input is too large for this machine ({type(error).__name__})")
            return 2
        except Exception as error:  # noqa: BLE001  (nobody is shown a traceback)
            complain(f"this is a bug, please report it: {type(error).__name__}: {error}")
            return _BUG

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a reader of the output who has had enough ends it quietly."""
        try:
            code = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            silence_stdout()
            return _BROKEN_PIPE
        return code


@click.group(
    name="symops",
    cls=SymOpsGroup,
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
    epilog="Texts are read from files or, without one or for `-`, from standard input, as UTF-8.",
)
@click.version_option(__version__, "-V", "--version", prog_name="symops")
def symops() -> None:
    """Read, repair and convert Sym-Ops: the replies of a coding agent's model."""


for _module in (
    apply,
    ask,
    check,
    convert,
    export,
    extract,
    judge,
    parse,
    plan,
    playground,
    process,
    prompt,
    recover,
    render,
    repair,
    schema,
    serve,
    stream,
):
    symops.add_command(_module.command)
for _command in (apply.undo_command, rules_group, grammar_group, code_group, gate_group, bench_group, route_group):
    symops.add_command(_command)


def symops_below(name: str) -> click.Command:
    """Return the whole command line as one command of another program, where it is called by this name."""

    @click.command(
        name="symops", add_help_option=False, context_settings={"ignore_unknown_options": True}, help=symops.help
    )
    @click.argument("words", nargs=-1, type=click.UNPROCESSED)
    def command(words: tuple[str, ...]) -> None:
        symops.main(list(words), prog_name=name)

    return command


def main() -> None:
    """Run the command line and exit."""
    symops.main(prog_name="symops")
