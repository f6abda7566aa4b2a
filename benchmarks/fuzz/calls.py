"""What fuzzing a kind of text takes: examples of it, words that it knows, and how a command is run on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random

_CODES = (0, 1, 2)  # all is well, the text has faults, the arguments have
_HERE = Path(__file__).resolve().parents[2]

Run = Callable[[bytes, Path, Random], tuple[str, str]]


@dataclass(frozen=True)
class Target:
    """A kind of text: its examples, words to put into it, and what gives an input to a command.

    `run` returns the command, and what is wrong with what came of it, or nothing.
    """

    seeds: Callable[[], Sequence[bytes]]
    run: Run
    words: Sequence[bytes] = field(default=())


def call(arguments: Sequence[str], stdin: bytes = b"", codes: Sequence[int] = _CODES) -> tuple[str, str]:
    """Run the command line in this process; return it, and what it said where it ended as it must not."""
    from click.testing import CliRunner

    from symops_lark.adapters.cli import symops

    result = CliRunner().invoke(symops, list(arguments), input=stdin)
    text = " ".join(arguments)
    if isinstance(result.exception, SystemExit | None) and result.exit_code in codes:
        return text, ""
    return text, f"exit code {result.exit_code}: {result.stderr[-600:] or result.exception!r}"


def run_commands(*commands: Sequence[str], name: str = "", stdin: bytes | None = None) -> Run:
    """Run one of some commands: the input is a file of a name, which `{file}` stands for, or standard input."""

    def run(data: bytes, place: Path, draws: Random) -> tuple[str, str]:
        chosen = draws.choice(commands)
        if name:
            path = place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        spelled = [part.format(file=place / name, here=place) for part in chosen]
        return call(spelled, (stdin or b"") if name else data)

    return run


@cache
def read_files(*patterns: str) -> tuple[bytes, ...]:
    """Return the files that globs below the repository name."""
    return tuple(path.read_bytes() for pattern in patterns for path in sorted(_HERE.glob(pattern)))
