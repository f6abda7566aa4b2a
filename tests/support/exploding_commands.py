"""Run every command that reads a grammar on one, in a process that may take 1 GiB: a script, and what starts it.

Started with the path of a grammar, it writes one JSON object a line: the command, its exit code, the processor time
it took and what it said.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MOST_BYTES = 1 << 30
TEXT = ">> a\n%%aaa\naaaa\n::run @make\nnot said\n"


def list_commands(grammar: str, folder: str) -> Iterator[tuple[str, ...]]:
    """Yield the arguments of every command, none of which writes outside of the folder."""
    from symops_lark.exports import list_tolerant_exports, load_exports

    yield "grammar", "check", grammar
    yield "grammar", "derive", grammar, "--set", 'document="b"'
    yield "grammar", "diagram", grammar, "-o", f"{folder}/drawn.svg"
    yield "grammar", "diagram", grammar, "-o", f"{folder}/drawn.html"
    yield "grammar", "cost", grammar
    yield "grammar", "show", grammar
    yield "grammar", "sample", grammar
    yield "grammar", "diff", grammar, "v2", "-n", "10"
    yield "grammar", "diff", "v2", grammar, "-n", "10"
    yield "grammar", "trace", grammar
    yield "grammar", "trace", grammar, "--recovery"
    yield "prompt", "-f", grammar, "do it"
    yield "prompt", "--system", "-f", grammar
    for name in load_exports():
        yield "export", name, "--format", grammar, "-o", f"{folder}/{name}"
    for name in list_tolerant_exports():
        yield "export", name, "--tolerant", "--format", grammar, "-o", f"{folder}/tolerant-{name}"
    yield "process", "--format", grammar
    yield "convert", "--to", grammar
    yield "playground", grammar


def _answer(path: Path) -> int:
    """Ask the playground's questions of a grammar that is edited in the page; 1 where the answer is an error."""
    from symops_lark.lab.playground.answers import Answers

    answers, fields = Answers(), {"dialect": "v2", "grammar": path.read_text("utf-8")}
    table: dict[str, dict[str, Any]] = {
        "open": {},
        "read": {"text": TEXT, "step": 8},
        "derive": {"marks": {"_EXTRA": "&&"}},
        "write": {"text": TEXT, "kinds": [], "seed": 1},
    }
    result = [answers.answer(name, {**fields, **of}) for name, of in table.items()]
    return int(any("error" in answer for answer in result))


def _run(arguments: tuple[str, ...]) -> tuple[int, str]:
    from click.testing import CliRunner

    from symops_lark.adapters.cli import symops

    if arguments[0] == "playground":
        return _answer(Path(arguments[1])), "answers"
    result = CliRunner().invoke(symops, list(arguments), input=TEXT)
    return result.exit_code, result.output[:2000]


def main(grammar: str, folder: str, seconds: str) -> None:
    """Run the commands one after another, without more memory or processor time than they may take."""
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    for arguments in list_commands(grammar, folder):
        now = int(time.process_time())
        resource.setrlimit(resource.RLIMIT_CPU, (now + int(seconds) + 1, resource.RLIM_INFINITY))
        begin = time.process_time()
        print(json.dumps({"begins": arguments}), flush=True)
        code, text = _run(arguments)
        row = {"command": arguments, "code": code, "seconds": time.process_time() - begin, "said": text}
        print(json.dumps(row), flush=True)


def run_commands(grammar: Path, folder: Path, seconds: int) -> list[dict[str, Any]]:
    """Return what each command gave; the last row says `died` with the return code where the process did not end well.

    Args:
        grammar: The file.
        folder: Where the commands may write.
        seconds: How much processor time each command may take before the process is ended.
    """
    from symops_lark.core.ground.python_processes import python_start

    start = python_start(str(Path(__file__).resolve()), str(grammar), str(folder), str(seconds))
    done = subprocess.run(
        start.command, env=start.environment, cwd=folder, capture_output=True, text=True, timeout=1800
    )
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    matching_rows = [row for row in rows if "command" in row]
    if done.returncode:
        matching_rows.append(
            {"command": rows[-1]["begins"] if rows else (), "died": done.returncode, "said": done.stderr[-2000:]}
        )
    return matching_rows


if __name__ == "__main__":
    main(*sys.argv[1:])
