"""`symops gate check-write`: whether files may be written."""

from __future__ import annotations

import click

from ..colours import paint
from ..sessions import find_session, session_options
from ..texts import echo, write_json
from ..visibility import visible_line


@click.command(name="check-write", short_help="Say whether files may be written.")
@session_options(
    click.argument("paths", nargs=-1, required=True, metavar="PATH..."),
    click.option("--reason", help="For a new file in a folder where nothing was looked at: why there."),
)
def command(session_id: str, paths: tuple[str, ...], reason: str | None, root: str, as_json: bool) -> int:
    """Say of each PATH whether the session may create, edit or delete it now, and if not, what to do.

    Exit code 0: all may be written; 1: some may not; 2: bad arguments, or no such session.
    """
    session = find_session(root, session_id)
    answers = [session.check_write_target(path, reason) for path in paths]
    if as_json:
        write_json(answers)
    else:
        for path, answer in zip(paths, answers, strict=True):
            said = paint("allowed", "green") if answer["allowed"] else paint("refused", "red", bold=True)
            echo([f"{said} {visible_line(path)} [{answer['reason_code']}] {visible_line(answer['message'])}"])
            if answer.get("recovery"):
                echo([f"  next: {', '.join(answer['recovery'])}"])
    return 0 if all(answer["allowed"] for answer in answers) else 1
