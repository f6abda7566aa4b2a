"""What the commands about sessions of code intelligence share: where they are found, and how answers are told."""

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

_WORDS = 100  # items of a list that people are shown

_FOLDER = click.Path(exists=True, file_okay=False)
root_option = click.option("--root", type=_FOLDER, default=".", metavar="DIR", help="The folder of the code.")
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
    """Return the decorator of commands about one session: its id, its folder, and these options."""
    json_option = click.option("--json", "as_json", is_flag=True, help="Print the complete answer as JSON.")
    return together(click.argument("session_id", metavar="SESSION"), *options, root_option, json_option)


def find_session(root: str, session_id: str, allow: tuple[str, ...] = ()) -> Session:
    """Return a session of a folder; raise `SymOpsError` if there is none.

    Args:
        root: The folder.
        session_id: The id that `start_session` returned.
        allow: Globs of protected files whose text is shown.
    """
    from ....code_intelligence import Workspace

    return Workspace(root, allow=allow).session(session_id)


def open_workspace(root: str, level: str, settings: Mapping[str, Any], allow: tuple[str, ...] = ()) -> Workspace:
    """Return the folder that is worked on, with the model that decomposes requests if one was named.

    Args:
        root: The folder.
        level: What new sessions ask for.
        settings: The options of the model.
        allow: Globs of protected files whose text is shown.
    """
    from ....code_intelligence import Workspace
    from ..models.providers import with_limits

    if not settings["provider"]:
        return Workspace(root, level=level, allow=allow)
    from ....models import load_model

    return Workspace(root, load_model(**with_limits(settings)), level=level, allow=allow)


def tell_answer(answer: Mapping[str, Any], as_json: bool) -> int:
    """Print an answer for people or as JSON; return 0, or 1 for a refusal."""
    tell(answer, _lines(answer), as_json)
    return 0 if answer.get("ok", True) else 1


def _lines(answer: Mapping[str, Any]) -> Iterator[str]:
    causes = [*answer.get("gaps", ()), *(answer.get("refused") or {}).values()]
    if not answer.get("ok", True):
        yield paint("refused", "red", bold=True) + ("" if causes else f" {_cause(answer)}")
    elif answer.get("message"):
        yield visible_line(str(answer["message"]))
    for cause in causes:
        yield f"  {_cause(cause)}"
    for name in ("session_id", "phase", "intent", "risk_level", "missing_slots", "would_refuse", "next"):
        if answer.get(name):
            yield f"{name.removesuffix('_id')}: {_words(answer[name])}"
    yield from show_notes(answer)


def show_notes(answer: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines for what an answer notes, such as a gate that is off."""
    yield from (f"note: {visible_line(str(note))}" for note in answer.get("notes", ()))


def _cause(refusal: Mapping[str, Any]) -> str:
    return f"[{refusal['reason_code']}] {visible_line(str(refusal['message']))}"


def _words(value: Any) -> str:
    return visible_line(", ".join(map(str, value[:_WORDS])) if isinstance(value, list) else str(value))
