"""The command line `symops`: one command for each public verb.

An error of the user is one message, `symops: …`, on standard error and never a traceback.
Exit codes: 0 no errors; 1 the text has errors or findings; 2 the arguments, files, grammars or
rules are wrong. Heavy modules are imported in the commands, so that `symops --help` is fast.
"""

from __future__ import annotations

import gc
import os
import sys
import warnings
from collections import ChainMap
from collections.abc import Sequence
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

import click

from ...core.ground.errors import RenderError, SymOpsError, WorkspaceError
from ...core.ground.resources import show_announced
from ...core.ground.version import __version__
from .interrupts import INTERRUPTED, hear_interrupts
from .progress import show_progress
from .texts import complain, echo, open_missing_streams, silence_stdout
from .verbosity import logs_written
from .visibility import visible_line

_BROKEN_PIPE = 141  # exit code, as shells count
_OBJECTS = 50_000  # new ones after which the garbage collector runs
_BUG = 70  # exit code, as sysexits.h counts
# The commands of `--help`, the most frequent tasks first, each with the first line of its help:
# `--help` does not load them.
_GROUPS = {
    "Read replies": {
        "process": "Turn raw replies into actions.",
        "check": "Report format errors in replies; fix them with --fix.",
        "parse": "Parse texts strictly.",
        "repair": "Repair broken texts with the repair rules.",
        "recover": "Parse any text by error recovery.",
        "stream": "Print the events of a reply as it arrives.",
        "convert": "Convert a text to another dialect or format.",
        "render": "Render a document as canonical text.",
    },
    "Act on a folder": {
        "plan": "Show what a reply would change in a folder.",
        "apply": "Apply a reply: change files, then run commands.",
        "undo": "Restore the files to their state before the last apply.",
        "edit": "Apply a diff, blocks or another edit to a file.",
    },
    "Carry out a request": {
        "do": "Carry out a request: explore, ask, verify, write, judge.",
        "why": "Explain a run of `symops do`.",
    },
    "Ask models": {
        "prompt": "Print a prompt for a model, or lint prompts.",
        "ask": "Ask a model and print the validated document.",
        "extract": "Extract the JSON object from a reply.",
        "judge": "Decide which rule holds at the end of a step.",
        "route": "Route requests to competing specialist models.",
    },
    "Design and measure dialects": {
        "grammar": "Show, check, compare and derive grammars.",
        "rules": "Show and test the repair rules.",
        "formats": "List the formats of other agents.",
        "playground": "Serve a web page for trying dialects.",
        "lsp": "Serve editors: diagnostics, completion and more.",
        "export": "Export a parser, grammar or highlighter of a dialect.",
        "schema": "Print a JSON Schema.",
        "bench": "Measure how often models follow a format.",
    },
    "Serve coding agents": {
        "code": "Search a folder of code for definitions, uses and text.",
        "gate": "Run a session that requires reading code before writing.",
        "serve": "Serve the code tools to agents over MCP.",
    },
    "Set up this machine": {
        "doctor": "Check this installation and its machine.",
        "completion": "Print the completion script of a shell.",
    },
}
_COMMANDS = ChainMap(*_GROUPS.values())
# The folder of the module of each command; `undo` is in `apply`. The other commands are folders:
# `bench`, `grammar` and `route` have a module for each of their commands.
_FOLDERS = {
    "apply": "acting",
    "ask": "models",
    "check": "acting",
    "code": "code",
    "completion": "machine",
    "convert": "reading",
    "do": "agent",
    "doctor": "machine",
    "edit": "acting",
    "export": "dialects",
    "extract": "models",
    "formats": "reading",
    "gate": "code",
    "judge": "models",
    "lsp": "dialects",
    "parse": "reading",
    "plan": "acting",
    "playground": "dialects",
    "process": "reading",
    "prompt": "models",
    "recover": "reading",
    "render": "reading",
    "repair": "reading",
    "rules": "reading",
    "schema": "reading",
    "serve": "code",
    "stream": "reading",
    "why": "agent",
}


class CommandFolder(click.Group):
    """A group whose commands are the modules of a package, each with a `command`.

    A module is imported when its command is used. The `OLD_NAMES` of the package, if it has some,
    are still understood, but not listed.
    """

    def __init__(self, name: str, package: ModuleType, help: str) -> None:
        super().__init__(name, help=help)
        self.package = package

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the modules, as they are written on command lines."""
        return sorted(
            module.name.replace("_", "-") for module in iter_modules(self.package.__path__)
        )

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command, or return None if there is none of that name."""
        name = getattr(self.package, "OLD_NAMES", {}).get(cmd_name, cmd_name)
        if name not in self.list_commands(ctx):
            return None
        module = import_module(f"{self.package.__name__}.{name.replace('-', '_')}")
        command: click.Command = module.command
        return command


class SymOpsGroup(click.Group):
    """A group whose commands return their exit code, and whose errors are messages for people.

    A module is imported when its command is used.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands and groups."""
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command, or return None if there is none of that name."""
        if cmd_name not in _COMMANDS:
            return None
        name = "apply" if cmd_name == "undo" else cmd_name
        place = f"{_FOLDERS[name]}.{name}" if name in _FOLDERS else name
        module = import_module(f".{place}", __name__)
        if hasattr(module, "__path__"):
            return CommandFolder(cmd_name, module, _COMMANDS[cmd_name])
        # A module with several commands names them.
        members = vars(module)
        name = f"{cmd_name}_group" if f"{cmd_name}_group" in members else f"{cmd_name}_command"
        command: click.Command = members.get(name) or members["command"]
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands in groups, each with the first line of its help."""
        with formatter.section("Commands"):
            for title, summaries in _GROUPS.items():
                with formatter.section(title):
                    formatter.write_dl(list(summaries.items()))

    def main(
        self, args: Sequence[str] | None = None, prog_name: str | None = None, *_: Any, **extra: Any
    ) -> Any:
        """Run the command line; exit with its code unless `standalone_mode` is off."""
        open_missing_streams()
        if not extra.pop("standalone_mode", True):
            return super().main(args, prog_name, standalone_mode=False, **extra)
        sys.exit(self._run(args, prog_name or "symops", **extra))

    def _run(self, args: Sequence[str] | None, prog_name: str, **extra: Any) -> int:
        show_announced(show_progress)
        try:
            return int(super().main(args, prog_name, standalone_mode=False, **extra) or 0)
        except click.UsageError as error:
            # Since Click 8.2; its message is the help.
            if type(error).__name__ == "NoArgsIsHelpError":
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
            return INTERRUPTED
        except SymOpsError as error:
            complain(str(error))
            return 1 if _is_about_the_text(error) else 2
        except OSError as error:
            silence_stdout()
            complain(f"{_name_place(error)}: {error.strerror or error}")
            return 2
        except (MemoryError, RecursionError) as error:
            complain(f"the input is too large for this machine ({type(error).__name__})")
            return 2
        except Exception as error:  # noqa: BLE001  (no user sees a traceback)
            complain(f"this is a bug, please report it: {type(error).__name__}: {error}")
            return _BUG

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; it ends quietly if the reader of its output closes the pipe."""
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
    epilog="""Texts are read from files or, without one or for `-`, from standard input, as UTF-8.

\b
Examples:
  symops process reply.txt
  symops plan reply.txt --root project && symops apply reply.txt --root project
""",
)
@click.version_option(__version__, "-V", "--version", prog_name="symops")
@click.option(
    "-v",
    "--verbose",
    count=True,
    show_default=False,
    help="Write a log to standard error; -vv writes all details.",
)
def symops(verbose: int) -> None:
    """Read, repair and convert Sym-Ops replies of coding agents."""
    click.get_current_context().with_resource(logs_written(verbose))


def _is_about_the_text(error: SymOpsError) -> bool:
    from ...code_intelligence.gate.sealed_lines import BadLogError
    from ...core.result import ProtocolError
    from ...core.text.diagnostics import ParseError

    return isinstance(
        error, ParseError | ProtocolError | RenderError | WorkspaceError | BadLogError
    )


def _name_place(error: OSError) -> str:
    """Return the file of an error; it has no name where the output cannot be written."""
    if error.filename:
        return visible_line(str(error.filename))
    # Nor has it one if the working folder was deleted.
    try:
        os.getcwd()
    except OSError:
        return "the working folder"
    return "output"


def symops_below(name: str) -> click.Command:
    """Return the complete command line as one command of another program.

    Args:
        name: The words by which it is called there.
    """

    @click.command(
        name="symops",
        add_help_option=False,
        context_settings={"ignore_unknown_options": True},
        help=symops.help,
    )
    @click.argument("words", nargs=-1, type=click.UNPROCESSED)
    def command(words: tuple[str, ...]) -> None:
        symops.main(list(words), prog_name=name)

    return command


def main() -> None:
    """Run the command line and exit."""
    # Modules and tables are not garbage; the collector would walk through them again and again.
    gc.set_threshold(_OBJECTS)
    # `symops grammar check` reports such patterns, with their place.
    warnings.filterwarnings("ignore", "Possible (nested )?set", FutureWarning)
    hear_interrupts()
    symops.main(prog_name="symops")
