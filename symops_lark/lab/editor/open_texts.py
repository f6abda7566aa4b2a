"""The texts that are open in an editor, kept equal to the editor's by its edits.

pygls has such a store, but it splits lines as Python does: an edit in a line after a form feed or a
line separator of Unicode would change the wrong place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lsprotocol import types
from pygls import uris

from ...core.grammar.compiling.gathering import gather
from .edited_file import EditedFile, Kind
from .positions import Position, change_text


@dataclass(frozen=True, slots=True)
class OpenText:
    """A text that is open in an editor.

    Attributes:
        file: The file with the text.
        version: The editor's number of the text, which grows with each edit.
    """

    file: EditedFile
    version: int


class OpenTexts:
    """The open texts by address."""

    def __init__(self) -> None:
        self._texts: dict[str, OpenText] = {}

    def open(self, document: types.TextDocumentItem) -> None:
        """Add a text, or replace the one at its address."""
        # A text that was never saved has no path, such as `untitled:1`.
        path = uris.to_fs_path(document.uri) or document.uri
        file = EditedFile(Path(path), document.text)
        self._texts[document.uri] = OpenText(file, document.version)

    def change(
        self,
        document: types.VersionedTextDocumentIdentifier,
        changes: Sequence[types.TextDocumentContentChangeEvent],
        encoding: str,
    ) -> None:
        """Apply edits to a text, each to the result of the one before it.

        Edits of a text that is not open are ignored.

        Args:
            document: The address and the new version.
            changes: The edits. One without a range replaces the whole text.
            encoding: The encoding whose code units positions count.
        """
        open_text = self._texts.get(document.uri)
        if open_text is None:
            return
        file = open_text.file
        text = file.text
        for change in changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                start = to_place(change.range.start)
                end = to_place(change.range.end)
                text = change_text(text, start, end, change.text, encoding)
            else:
                text = change.text
        self._texts[document.uri] = OpenText(EditedFile(file.path, text), document.version)

    def close(self, uri: str) -> None:
        """Forget a text."""
        self._texts.pop(uri, None)

    def find_importers(self, uri: str) -> list[str]:
        """Return the addresses of the open grammars that import a file, and of the file itself."""
        open_text = self._texts.get(uri)
        if open_text is None:
            return []
        importers = []
        for address, candidate in self._texts.items():
            file = candidate.file
            if file.kind is not Kind.GRAMMAR:
                continue
            if any(path == open_text.file.path for path, _ in gather(file.path, file.text)):
                importers.append(address)
        return list(dict.fromkeys((uri, *importers)))

    def get(self, uri: str) -> OpenText | None:
        """Return the text at an address; None if it is not open."""
        return self._texts.get(uri)


def to_place(position: types.Position) -> Position:
    """Return a position of the protocol as one of `positions`."""
    return Position(position.line, position.character)
