"""Compute the new bytes of files, and compare them with what the model saw of them."""

from __future__ import annotations

from collections.abc import Mapping

from ...core.edits import Edited, apply_replacements, edit_text
from ...core.edits.reading import WHOLE_TEXT
from ..changes import Operation
from ..files.entries import Entry
from ..files.paths import check_path
from ..files.texts import BOM, EditedFile, EditError, edit_file, encode, read_text, write_whole
from .places import Obstacle
from .policy import Policy
from .steps import PLAIN_PATH, UNSAFE_PATH, Step, describe_unsafe

Shown = Mapping[str, str | bytes]


def checked_source(source: str, policy: Policy) -> str:
    """Return the path of a moved file.

    Args:
        source: The path in the patch.
        policy: The policy, which limits paths.

    Raises:
        Obstacle: It is not used as a path.
    """
    checked = check_path(source, policy.max_path_bytes)
    if checked.refusal:
        raise Obstacle(UNSAFE_PATH, describe_unsafe(source, checked.refusal), PLAIN_PATH)
    return checked.path


def move_file(
    source: str, data: bytes | None, content: str, target: str, before: bytes | None
) -> EditedFile:
    """Return the bytes of a moved file at its new place, with the edit of its patch.

    Args:
        source: The path of the file.
        data: Its bytes; None if there is no such file.
        content: The edit; empty if the file is only moved.
        target: The new path.
        before: The bytes at the new path; None if there is no file.

    Raises:
        Obstacle: There is nothing to move, or another file at the new path.
        EditError: The edit does not fit.
    """
    if data is None:
        message = f"{source} does not exist, so there is nothing to move"
        raise Obstacle("missing-file", message, "move only what exists")
    moved = EditedFile(data, Edited(text_of(data) or "", WHOLE_TEXT))
    if content:
        moved = edit_file(content, data, source)
    if before not in (None, moved.data):
        message = f"{target} exists already, with another text"
        raise Obstacle("existing-file", message, "choose another path")
    return moved


def create_again(path: str, content: str, before: bytes) -> bytes:
    """Return the bytes of an existing file if a creation would not change it.

    So a document that was applied can be planned again.

    Args:
        path: The path of the file.
        content: The content of the creation.
        before: The bytes of the file.

    Raises:
        Obstacle: The file has another text.
    """
    exact = encode(content)
    try:
        converted = write_whole(content, before)  # to the line endings of the file
    except EditError:
        converted = exact
    if before not in (converted, exact):
        raise Obstacle(
            "existing-file",
            f"{path} exists already, with another text",
            "use `edit` to change it, or choose another path",
        )
    return before


def adds_file(step: Step) -> bool:
    """Return whether the content of an edit is a patch that makes the file."""
    if step.operation is not Operation.REPLACE:
        return False
    # A replacement without an old text is the text of a new file.
    if step.action.edits:
        return isinstance(apply_replacements(None, step.action.edits), Edited)
    result = edit_text(None, step.action.content or "", step.path)
    return isinstance(result, Edited) and result.kind != WHOLE_TEXT


def has_changed(shown: Shown, path: str, entry: Entry) -> bool:
    """Return whether a file differs from what the model saw of it.

    Args:
        shown: The texts of files that the model saw, by path.
        path: The path of the file.
        entry: The file in the tree.
    """
    if path not in shown or entry.data is None:
        return False
    text = shown[path]
    data = text.encode(errors="surrogatepass") if isinstance(text, str) else text
    return _plain(data) != _plain(entry.data)


def _plain(data: bytes) -> bytes:
    """Return the bytes of a text without what an editor or a prompt may change of it."""
    return data.removeprefix(BOM).replace(b"\r\n", b"\n").rstrip(b"\n")


def text_of(data: bytes | None) -> str | None:
    """Return the text of a file; None if there is no file, or it is not text."""
    if data is None:
        return None
    try:
        return read_text(data)
    except EditError:
        return None


def decode(data: bytes | None) -> str | None:
    """Return the text of new bytes; None if the file is deleted, or if a moved one is binary."""
    if data is None:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None
