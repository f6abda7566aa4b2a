"""`symops do`: from a request to a logged, judged change."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event as Signal
from typing import TYPE_CHECKING, Any

import click

from ..acting.asking import make_asker
from ..completing import complete_from, find_dialects, find_providers
from ..contestants import model_trust_options
from ..flows import open_models
from ..interrupts import INTERRUPTED
from ..options import FloatRange, base_url_option, format_option, json_option, root_option, together
from ..texts import complain, echo, write_json
from .show import show_end, show_event
from .task import load_verifier, make_task, read_changes

if TYPE_CHECKING:
    from ....agent import Event, Run
    from ....models import Model
    from ....routing import Contestant

# As `symops ask` has them, but for `-m`, which is a manifest here as in `symops route`.
_models = together(
    click.option(
        "-m",
        "models",
        multiple=True,
        metavar="MANIFEST",
        help="Let the model of a manifest compete; may be repeated.",
    ),
    click.option("--registry", metavar="FILE", help="Let the models of a registry compete."),
    click.option(
        "-p",
        "--provider",
        metavar="NAME",
        shell_complete=complete_from(find_providers),
        help="The provider of a model; see `symops ask --list-providers`.",
    ),
    click.option("--model", metavar="NAME", help="The provider's name of the model."),
    base_url_option,
    click.option(
        "--command",
        metavar="LINE",
        help="With the provider `command`: the shell command that prints the reply.",
    ),
    model_trust_options,
)
# The fields of `Task`, which checks them.
_task = together(
    click.option(
        "--task",
        metavar="FILE",
        help="Read the task from a YAML file; options of the command line win.",
    ),
    root_option,
    format_option("v2", "The dialect that models write.", find_dialects),
    click.option(
        "--frame",
        metavar="FILE",
        help="Read the slots of the request from a JSON file: {slot: {value, quote}}.",
    ),
    click.option(
        "--explore",
        type=click.Choice(["deterministic", "model"]),
        default="deterministic",
        help="How the code is explored: by searches alone, or by the first model.",
    ),
    click.option(
        "--context-tokens",
        type=click.IntRange(min=1),
        default=8_000,
        metavar="N",
        help="Maximum number of tokens of the code that models are shown.",
    ),
    click.option(
        "--test",
        "tests",
        multiple=True,
        metavar="CMD",
        help="Test with this command; may be repeated. Default: no test.",
    ),
    click.option(
        "--needs",
        multiple=True,
        metavar="DIR",
        help="Show the tests this ignored folder, such as node_modules; may be repeated.",
    ),
    click.option(
        "--rules",
        metavar="FILE",
        help="Judge by the rules of a file. Default: all tests must pass.",
    ),
    click.option(
        "--step", metavar="NAME", help="The first step of the rules. Default: their only step."
    ),
    click.option(
        "--verifier", metavar="FILE", help="Verify replies also by a verifier of a JSON file."
    ),
    click.option(
        "--rounds", type=click.IntRange(1, 10), default=3, help="Maximum number of rounds."
    ),
    click.option(
        "--policy",
        metavar="FILE",
        help="Read the policy from a YAML file. Default: a careful policy.",
    ),
    click.option(
        "--level",
        type=click.Choice(["auto", "strict"]),
        default="auto",
        help="How much must be read before writing.",
    ),
)
# The limits hold for this process: a run that is resumed may spend them again.
_spending = together(
    click.option(
        "--time-limit",
        type=FloatRange(min=0.1),
        default=900.0,
        metavar="S",
        help="Maximum time, in seconds; each test has 120 of them at most.",
    ),
    click.option(
        "--token-limit",
        type=click.IntRange(min=1),
        default=200_000,
        metavar="N",
        help="Maximum number of tokens, read and written.",
    ),
)


@dataclass(frozen=True)
class _Models:
    """The models of a run: those that compete, and the one that reads, explores and judges."""

    contestants: Sequence[Contestant | tuple[str, Model]]
    helper: Model | None


@click.command(name="do")
@click.argument("words", nargs=-1, metavar="[REQUEST]")
@_models
@_task
@_spending
@click.option("--write", is_flag=True, help="Write the files. Default: only show the plan.")
@click.option(
    "-y", "--yes", is_flag=True, help="Do not ask: agree to the changes and to your tests."
)
@click.option(
    "--keep-prompts", is_flag=True, help="Keep whole prompts in the log. Default: only hashes."
)
@click.option("--run-code", is_flag=True, help="Run the tests even where there is no sandbox.")
@click.option(
    "--resume",
    "run_id",
    metavar="RUN",
    help="Continue this run, or write this dry run with --write.",
)
@click.option(
    "--log", metavar="DIR", help="The folder of the runs. Default: one in your state folder."
)
@click.option("--events", is_flag=True, help="Print the events of the run as JSON lines.")
@json_option
def command(
    words: tuple[str, ...],
    write: bool,
    yes: bool,
    keep_prompts: bool,
    run_code: bool,
    run_id: str | None,
    log: str | None,
    events: bool,
    as_json: bool,
    **settings: Any,
) -> int:
    """Carry out a request: explore, ask, verify, write, judge.

    The code is explored, the models compete, and each reply is verified: by its form, its plan, the
    files that were read, and your tests. The winner's changes are shown. With --write they are
    written, after a confirmation where the policy asks for one, tested, and judged. Without a
    REQUEST it is read from standard input. Everything is logged: see `symops why`.

    Exit code 0: complete, written or planned; 1: the run ended otherwise (see the output); 2: bad
    arguments or files; 130: interrupted, and --resume continues.
    \f

    Args:
        words: The request.
        write: Whether files are written.
        yes: Whether everything is agreed to.
        keep_prompts: Whether the log has whole prompts.
        run_code: Whether tests run without a sandbox.
        run_id: The run to continue.
        log: The folder of runs.
        events: Whether the events are printed.
        as_json: Whether the run is printed as JSON.
        settings: The other options.

    Raises:
        UsageError: No model is named, or a request is given for a run that has one.
    """
    from ....agent import Status, resume, run_task

    if run_id is not None and words:
        raise click.UsageError("--resume continues a run, which has its request already")
    # All that can be wrong is found before the run begins, and leaves no log.
    models = _load_models(settings, is_needed=run_id is None)
    verifier = load_verifier(settings["verifier"])
    # One yes for both: the tests are the user's, and named on the same command line.
    ask = make_asker(yes, yes or run_code, flags="--yes")
    with _cancelling() as cancel:
        options: dict[str, Any] = {
            "decomposer": models.helper,
            "explorer": models.helper,
            "judge": models.helper,
            "confirm": ask,
            "watch": _make_watch(events, as_json),
            "log": log,
            "cancel": cancel,
        }
        own = {"write": write, "run_code": run_code, "keep_prompts": keep_prompts}
        if run_id is not None:
            run = resume(
                run_id,
                models.contestants,
                root=settings["root"],
                changes=read_changes(run_id, log, settings, own),
                verifier=verifier,
                **options,
            )
        else:
            task = make_task(words, settings, {**own, "verifier": verifier})
            run = run_task(task, models.contestants, **options)
    _report(run, events, as_json)
    # As shells count: a script can distinguish an interrupt from a run that failed.
    if run.status is Status.CANCELLED:
        return INTERRUPTED
    return 0 if run.ok else 1


def _load_models(settings: dict[str, Any], *, is_needed: bool) -> _Models:
    """Return the models that are named, ready to be asked; raise an error before a run begins."""
    from ....models import Limits, load_model

    # One model that does everything; several models need manifests, which name them.
    if settings["provider"] is not None:
        seconds = settings["time_limit"]
        model = load_model(
            settings["provider"],
            settings["model"],
            base_url=settings["base_url"],
            command=settings["command"],
            timeout=min(seconds, 120.0),
            limits=Limits(seconds=seconds),
        )
        return _Models([(model.name, model)], model)
    if not is_needed and not settings["models"] and settings["registry"] is None:
        return _Models([], None)
    if not settings["models"] and settings["registry"] is None:
        raise click.UsageError("no model is named (--provider, -m, or --registry)")
    contestants = open_models(settings)
    return _Models(contestants, contestants[0].model if contestants else None)


def _make_watch(events: bool, as_json: bool) -> Any:
    def watch(event: Event) -> None:
        # The event is in the file already: a reader that goes away loses nothing.
        if events:
            write_json(event, None)
        elif not as_json:
            echo(show_event(event))

    return watch


@contextmanager
def _cancelling() -> Iterator[Signal]:
    """Yield a signal that the first interrupt sets; the second one ends the command at once."""
    # Not an exception, as elsewhere: a step that writes must reach its event.
    cancel = Signal()
    before = signal.getsignal(signal.SIGINT)

    def cancel_first(number: int, frame: Any) -> None:
        # The handler of all commands counts on: it raises, and at last ends the process.
        if cancel.is_set() and callable(before):
            before(number, frame)
        cancel.set()
        complain("interrupted: the run ends after its step; once more ends it at once")

    try:
        signal.signal(signal.SIGINT, cancel_first)
    except ValueError:  # only the main thread may set a handler
        yield cancel
        return
    try:
        yield cancel
    finally:
        signal.signal(signal.SIGINT, before)


def _report(run: Run, events: bool, as_json: bool) -> None:
    if as_json and not events:
        write_json(run)
    else:
        # With --events standard output has the events alone.
        echo(show_end(run), err=events)
