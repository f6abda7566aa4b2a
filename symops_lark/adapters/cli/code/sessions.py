"""Find the sessions of code intelligence, and print their answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from ..colours import paint
from ..options import Decorator, together
from ..texts import tell
from ..visibility import visible_line

if TYPE_CHECKING:
    from ....code_intelligence import Session, Workspace

_MAX_ITEMS = 100  # of a list that people are shown; --json has all
# The members of an answer that people are shown, in this order.
_MEMBERS = ("session_id", "phase", "intent", "risk_level", "missing_slots", "would_refuse", "next")

# A folder that does not exist would be a session without files.
_FOLDER = click.Path(exists=True, file_okay=False)
root_option = click.option(
    "--root", type=_FOLDER, default=".", metavar="DIR", help="The folder of the code."
)
level_option = click.option(
    "--level",
    type=click.Choice(["auto", "strict", "off"]),
    default="auto",
    help="The evidence required before a write: by risk (auto), the most (strict) or none (off).",
)

allow_option = click.option(
    "--allow",
    multiple=True,
    metavar="GLOB",
    help="Show the text of these protected files, such as .env; may be repeated.",
)


def session_options(*options: Decorator) -> Decorator:
    """Return the decorator of commands for one session: its id, its folder, and these options."""
    json_option = click.option(
        "--json", "as_json", is_flag=True, help="Print the complete answer as JSON."
    )
    # Not the shared `json_option`: people are shown only some members of the answer.
    session_argument = click.argument("session_id", metavar="SESSION")
    return together(session_argument, *options, root_option, json_option)


def find_session(root: str, session_id: str, allow: tuple[str, ...] = ()) -> Session:
    """Return a session of a folder; raise `SymOpsError` if there is none.

    Args:
        root: The folder.
        session_id: The id that `start_session` returned.
        allow: Globs of protected files whose text is shown.
    """
    from ....code_intelligence import Workspace

    return Workspace(root, allow=allow).session(session_id)


def open_workspace(
    root: str, level: str, settings: Mapping[str, Any], allow: tuple[str, ...] = ()
) -> Workspace:
    """Return the folder to work on, with the model that decomposes requests if one was named.

    Args:
        root: The folder.
        level: The evidence that new sessions require.
        settings: The options of the model.
        allow: Globs of protected files whose text is shown.
    """
    from ....code_intelligence import Workspace
    from ..models.providers import with_limits

    # Models are imported only if one was named: a session alone must start fast.
    if not settings["provider"]:
        return Workspace(root, level=level, allow=allow)
    from ....models import load_model

    return Workspace(root, load_model(**with_limits(settings)), level=level, allow=allow)


def print_answer(answer: Mapping[str, Any], as_json: bool) -> int:
    """Print an answer for people or as JSON; return 0, or 1 for a refusal."""
    tell(answer, _lines(answer), as_json)
    return 0 if answer.get("ok", True) else 1


def _lines(answer: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of an answer: the verdict, its reasons, the status, the notes."""
    causes = [*answer.get("gaps", ()), *(answer.get("refused") or {}).values()]
    if not answer.get("ok", True):
        # The answer has the reason itself only if it has no list of them.
        reason = "" if causes else f" {_cause(answer)}"
        yield paint("refused", "red", bold=True) + reason
    elif answer.get("message"):
        yield visible_line(str(answer["message"]))
    for cause in causes:
        yield f"  {_cause(cause)}"
    for name in _MEMBERS:
        value = answer.get(name)
        if not value:
            continue
        if isinstance(value, list):
            value = ", ".join(map(str, value[:_MAX_ITEMS]))
        yield f"{name.removesuffix('_id')}: {visible_line(str(value))}"
    yield from show_notes(answer)


def show_notes(answer: Mapping[str, Any]) -> Iterator[str]:
    """Yield the notes of an answer, such as a gate that is off."""
    for note in answer.get("notes", ()):
        yield f"note: {visible_line(str(note))}"


def _cause(refusal: Mapping[str, Any]) -> str:
    return f"[{refusal['reason_code']}] {visible_line(str(refusal['message']))}"
