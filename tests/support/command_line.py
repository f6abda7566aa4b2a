"""The command line under test: texts to give it, and ways to run it, in this process or in a separate one.

It is imported when it is run. Where a wing is tested without the command line (`tests/test_walls.py`), the tests that
run it are skipped, and the others of their file run.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import made_up_rules
from click.testing import CliRunner, Result
from made_up_rules import EXAMPLES, RULE
from wings import need_wing

import symops_lark

GOOD = """\
>> go

::c0.9 ::m0.5

::create @src/a.py
<<<
x = 1
y = 2
>>>

::create @b.py >src/a.py, c.py
<<<
>>>

::run @pytest -q
"""
BROKEN = 'Sure! Here:\n\n```\n>> go\n::Create "a.py"\n<<<\nx = 1\n>>>\n```\n'
REPAIRED = "\n>> go\n::create @a.py\n<<<\nx = 1\n>>>\n"
HALF = "::create @a.py\n<<<\nx = 1\nand then it"
CRLF = GOOD.replace("\n", "\r\n")
VERBS = ("process", "parse", "recover", "repair", "check", "render", "convert")


def run(*arguments: str, stdin: str | bytes = "") -> Result:
    need_wing("adapters")
    from symops_lark.adapters.cli import symops

    return CliRunner().invoke(symops, list(arguments), input=stdin)


def environment(**more: str) -> dict[str, str]:
    """Return the environment of a process that runs the command line."""
    need_wing("adapters")
    home = Path(symops_lark.__file__).parent.parent  # also where the package is not installed
    return {**os.environ, "PYTHONPATH": f"{home}{os.pathsep}{Path(__file__).parent / 'as_installed'}", **more}


def run_python(*arguments: str, stdin: bytes = b"", **more: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "symops_lark", *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, timeout=60, env=environment(**more))


def arguments_for(verb: str) -> tuple[str, ...]:
    return (verb, "--to", "v2") if verb == "convert" else (verb,)


def fill(folder: Path) -> Path:
    """Write the texts that the tests read."""
    for name, text in {"good.txt": GOOD, "broken.txt": BROKEN, "half.txt": HALF, "prose.txt": "Hello there.\n"}.items():
        (folder / name).write_bytes(text.encode())
    return folder


def write_rule(folder: Path, after: str = "::run @ls\\n", **more: str) -> Path:
    examples = f'examples: [{{before: "%%run @ls\\n", after: "{after}"}}]'
    return made_up_rules.write_rule(
        folder, RULE.replace(EXAMPLES, examples) + "".join(f"{key}: {value}\n" for key, value in more.items())
    )
