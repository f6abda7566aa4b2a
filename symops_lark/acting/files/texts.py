"""Edit the bytes of a file: decode them, apply the content of an edit, and encode the new text.

Which notation a content is in, and where it applies, is defined in `core.edits`. Here is what
files add to texts: UTF-8, byte order marks, binary files.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...core.document import Replacement
from ...core.edits import Edited, Refusal, apply_replacements
from ...core.edits.editing import apply_content, whole_text
from ...core.ground.errors import SymOpsError

BOM = b"\xef\xbb\xbf"


class EditError(SymOpsError):
    """An edit does not fit its file; the message says where and why.

    Attributes:
        hint: What to do, or an empty string.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        self.hint = hint
        super().__init__(message)


class EditedFile(NamedTuple):
    """The new bytes of a file.

    Attributes:
        data: The bytes, UTF-8, with the byte order mark of the file if it has one.
        edited: How the content was read, where it was placed, and the reasons to ask.
    """

    data: bytes
    edited: Edited


def edit_file(
    content: str, before: bytes | None, path: str = "", edits: Sequence[Replacement] = ()
) -> EditedFile:
    """Return the bytes of a file after an edit.

    Args:
        content: The content of the edit.
        before: The bytes of the file; None if there is no such file.
        path: The path of the file, for its name and type.
        edits: The replacements of the edit. If there are any, the content is not read.

    Returns:
        The new bytes.

    Raises:
        EditError: The edit does not fit, or the file or the content is not UTF-8 text.
    """
    # Also for a whole text: a binary file is never overwritten by text. The policy compares a whole
    # text with the old one, by its own limits.
    text = None if before is None else read_text(before)
    result = apply_replacements(text, edits) if edits else apply_content(text, content, path)
    if isinstance(result, Refusal):
        raise EditError(result.reason, result.hint)
    return EditedFile(_byte_order_mark(before) + encode(result.text), result)


def write_whole(content: str, before: bytes | None = None) -> bytes:
    """Return the bytes of a file whose whole text is the content.

    Args:
        content: The text. Its last line gets a line ending if it has none.
        before: The bytes of the file, which keeps its line endings and its byte order mark. None:
            the file is new, and is written exactly as the content is.

    Returns:
        The new bytes.

    Raises:
        EditError: The file or the content is not UTF-8 text.
    """
    old = None if before is None else read_text(before)
    return _byte_order_mark(before) + encode(whole_text(content, old))


def read_text(data: bytes) -> str:
    """Decode the bytes of a file, without its byte order mark.

    Args:
        data: The bytes.

    Returns:
        The text.

    Raises:
        EditError: It is not UTF-8 text, or has NUL characters.
    """
    plain = data.removeprefix(BOM)
    try:
        text = plain.decode("utf-8")
    except UnicodeDecodeError as error:
        place = f"byte 0x{plain[error.start]:02x} at {error.start}"
        raise EditError(
            f"the file is not UTF-8 text ({place})",
            "files of another encoding, and binary ones, are not edited",
        ) from None
    if "\0" in text:
        raise EditError("the file has NUL characters: it is binary", "binary files are not edited")
    return text


def encode(text: str) -> bytes:
    """Encode a text as UTF-8.

    Args:
        text: The text.

    Returns:
        The bytes.

    Raises:
        EditError: It has half of a surrogate pair, as JSON can carry with `\\ud800`.
    """
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        character = f"U+{ord(text[error.start]):04X}"
        raise EditError(
            f"the content has a character that UTF-8 cannot carry ({character})"
        ) from None


def _byte_order_mark(data: bytes | None) -> bytes:
    return BOM if data is not None and data.startswith(BOM) else b""
