"""The command line `symops`: one command for each public verb.

What a person did wrong ends with one message, `symops: …`, on standard error and never with a traceback.
Exit codes: 0 all is well, 1 the text has errors or findings, 2 the arguments, files, grammars or rules are wrong.
Whatever is heavy is imported in the commands, so that `symops --help` is fast.
"""

from __future__ import annotations

import sys
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
from .texts import complain, echo, silence_stdout
from .verbosity import logs_written
from .visibility import visible_line

_BROKEN_PIPE, _BUG = 141, 70  # as shells and sysexits.h count
_COMMANDS = {  # what they say of themselves in short: `--help` loads none of them
    "apply": "Apply a reply: change files, then run commands.",
    "ask": "Ask a model and print the validated document.",
    "bench": "Measure how often models follow a format.",
    "check": "Report format errors in replies; fix them with --fix.",
    "code": "Search a folder of code for definitions, uses and text.",
    "completion": "Print the completion script of a shell.",
    "convert": "Convert a text to another dialect or format.",
    "doctor": "Check this installation and its machine.",
    "do": "Carry out a request: explore, ask, verify, write, judge.",
    "edit": "Apply a diff, blocks or another edit to a file.",
    "export": "Export a parser, grammar or highlighter of a dialect.",
    "extract": "Extract the JSON object from a reply.",
    "formats": "List the formats of other agents.",
    "gate": "Run a session that requires reading code before writing.",
    "grammar": "Show, check, compare and derive grammars.",
    "judge": "Decide which rule holds at the end of a step.",
    "lsp": "Serve editors: diagnostics, completion and more.",
    "parse": "Parse texts strictly.",
    "plan": "Show what a reply would change in a folder.",
    "playground": "Serve a web page for trying dialects.",
    "process": "Turn raw replies into actions.",
    "prompt": "Print a prompt for a model, or lint prompts.",
    "recover": "Parse any text by error recovery.",
    "render": "Render a document as canonical text.",
    "repair": "Repair broken texts with the repair rules.",
    "route": "Route requests to competing specialist models.",
    "rules": "Show and test the repair rules.",
    "schema": "Print a JSON Schema.",
    "serve": "Serve the code tools to agents over MCP.",
    "stream": "Print the events of a reply as it arrives.",
    "undo": "Restore the files to their state before the last apply.",
    "why": "Explain a run of `symops do`.",
}

_GROUPS = {  # how `--help` shows them: what somebody wants first comes first
    "Read replies": ("process", "check", "parse", "repair", "recover", "stream", "convert", "render"),
    "Act on a folder": ("plan", "apply", "undo", "edit"),
    "Carry out a request": ("do", "why"),
    "Ask models": ("prompt", "ask", "extract", "judge", "route"),
    "Design and measure dialects": ("grammar", "rules", "formats", "playground", "lsp", "export", "schema", "bench"),
    "Serve coding agents": ("code", "gate", "serve"),
    "Set up this machine": ("doctor", "completion"),
}

_PLACES = {  # by wing: which module has a command; the folders `bench`, `grammar` and `route` have one for each module
    **dict.fromkeys(
        ("convert", "formats", "parse", "process", "recover", "render", "repair", "rules", "schema", "stream"),
        "reading",
    ),
    **dict.fromkeys(("apply", "check", "edit", "plan"), "acting"),
    **dict.fromkeys(("do", "why"), "agent"),
    **dict.fromkeys(("ask", "extract", "judge", "prompt"), "models"),
    **dict.fromkeys(("code", "gate", "serve"), "code"),
    **dict.fromkeys(("export", "lsp", "playground"), "dialects"),
    **dict.fromkeys(("doctor", "completion"), "machine"),
}


class CommandFolder(click.Group):
    """A group whose commands are the modules of its package, each with a `command`; loaded when asked for.

    The package's `OLD_NAMES`, if it has some, are still understood, and shown nowhere.
    """

    def __init__(self, name: str, package: ModuleType, help: str) -> None:
        super().__init__(name, help=help)
        self.package = package

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the modules, as they are written on command lines."""
        return sorted(module.name.replace("_", "-") for module in iter_modules(self.package.__path__))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return one of them, loaded, or None if there is none of that name."""
        name = getattr(self.package, "OLD_NAMES", {}).get(cmd_name, cmd_name)
        if name not in self.list_commands(ctx):
            return None
        command: click.Command = import_module(f"{self.package.__name__}.{name.replace('-', '_')}").command
        return command


class SymOpsGroup(click.Group):
    """A group whose commands return their exit code, and whose errors are messages for people.

    A command is loaded when it is asked for.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands and groups."""
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return one of them, loaded, or None if there is none of that name."""
        if cmd_name not in _COMMANDS:
            return None
        name = "apply" if cmd_name == "undo" else cmd_name
        room = import_module(f".{_PLACES[name]}.{name}" if name in _PLACES else f".{name}", __name__)
        if hasattr(room, "__path__"):
            return CommandFolder(cmd_name, room, _COMMANDS[cmd_name])
        found = vars(room)
        command: click.Command = found.get(f"{cmd_name}_group") or found.get(f"{cmd_name}_command") or found["command"]
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the names of the commands in groups, and what each does in short."""
        with formatter.section("Commands"):
            for title, names in _GROUPS.items():
                with formatter.section(title):
                    formatter.write_dl([(name, _COMMANDS[name]) for name in names])

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, *_: Any, **extra: Any) -> Any:
        """Run the command line; exit with its code unless `standalone_mode` is off."""
        if not extra.pop("standalone_mode", True):
            return super().main(args, prog_name, standalone_mode=False, **extra)
        sys.exit(self._run(args, prog_name or "symops", **extra))

    def _run(self, args: Sequence[str] | None, prog_name: str, **extra: Any) -> int:
        show_announced(show_progress)
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
            return INTERRUPTED
        except SymOpsError as error:
            complain(str(error))
            return 1 if _is_about_the_text(error) else 2
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
    epilog="""Texts are read from files or, without one or for `-`, from standard input, as UTF-8.

\b
Examples:
  symops process reply.txt
  symops plan reply.txt --root project && symops apply reply.txt --root project
""",
)
@click.version_option(__version__, "-V", "--version", prog_name="symops")
@click.option(
    "-v", "--verbose", count=True, show_default=False, help="Write a log to standard error; -vv writes all details."
)
def symops(verbose: int) -> None:
    """Read, repair and convert Sym-Ops replies of coding agents."""
    click.get_current_context().with_resource(logs_written(verbose))


def _is_about_the_text(error: SymOpsError) -> bool:
    from ...code_intelligence.gate.sealed_lines import BadLogError
    from ...core.result import ProtocolError
    from ...core.text.diagnostics import ParseError

    return isinstance(error, ParseError | ProtocolError | RenderError | WorkspaceError | BadLogError)


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
    hear_interrupts()
    symops.main(prog_name="symops")
