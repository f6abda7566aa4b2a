"""`symops doctor`: check that everything is there, and works."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from ..colours import paint
from ..options import json_option
from ..tables import draw_table
from ..texts import print_result
from .checks import Finding, State, check_machine

_COLOURS = {State.OK: "green", State.MISSING: "yellow", State.BROKEN: "red"}


@click.command(name="doctor")
@json_option
def command(as_json: bool) -> int:
    """Check this installation and its machine.

    It looks at the libraries of the extras, the sandbox and other programs, the folders for caches,
    keys (only whether they are set) and the terminal, compiles a grammar, and reads a broken reply.
    It changes nothing, and uses no network. What is missing is optional. Paste the output into a
    report of a bug.

    Exit code 0: nothing is broken; 1: something is.
    """
    findings = list(check_machine())
    # What is missing is optional: only what is broken is an error.
    broken = [finding for finding in findings if finding.state is State.BROKEN]
    print_result({"ok": not broken, "findings": findings}, _show(findings, len(broken)), as_json)
    return int(bool(broken))


def _show(findings: Sequence[Finding], broken: int) -> Iterator[str]:
    rows = [(row.group, row.name, row.state, row.detail) for row in findings]
    yield from draw_table(("group", "what", "state", "detail"), rows, texts=range(4))
    yield ""
    if broken:
        yield paint(f"{broken} broken: see above", _COLOURS[State.BROKEN], bold=True)
    else:
        yield paint("nothing is broken", _COLOURS[State.OK], bold=True)
