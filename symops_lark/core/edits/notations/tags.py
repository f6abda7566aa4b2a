"""Read old and new texts in tags: `<old_text>` and `<new_text>`, and their many variants.

    <old_text line="3">
    x = 1
    </old_text>
    <new_text>
    x = 3
    </new_text>

A text on the same line as its tags is a text inside of lines. A text on lines between its tags is
complete lines: one line end is removed at each end, so that `<new_text>`, an empty line and
`</new_text>` are one empty line, and without the empty line they are nothing.
"""

from __future__ import annotations

from dataclasses import replace

from ...patterns.regexes import compile_pattern
from ..hunks import Hunk, Reading, Unreadable, settle
from ..nearest import quote_line

KIND = "old and new text in tags"
RANK = 50

_OLD_NAME = (
    r"(?:old|old_text|old_str|old_string|old_code|oldText|oldString|search|SEARCH|find|original|"
    r"before)"
)
_NEW_NAME = (
    r"(?:new|new_text|new_str|new_string|new_code|newText|newString|replace|REPLACE|replacement|"
    r"replace_with|updated|after)"
)
_OLD = compile_pattern(rf"<({_OLD_NAME})(?: line=\"?([0-9]{{1,7}})\"?)?>")
_NEW = compile_pattern(rf"<({_NEW_NAME})>")
# Tags around the edits, which say nothing.
_AROUND = compile_pattern(
    r"</?(?:edits?|edit_file|str_replace|diff|changes?|replace_in_file|patch|file|block)"
    r"(?: [^<>\n]*)?>"
)
_FILE_NAME = compile_pattern(
    r"<(path|file_path|filename|file)>([^<>\n]*)</(path|file_path|filename|file)>"
)
_EVERY = compile_pattern(r"<(?:replace_all|replaceAll)>(true|false)</(?:replace_all|replaceAll)>")
_BLANKS = compile_pattern(r"[ \t\n]*")
# Files in which such tags may be the text itself.
_TAGGED_FILES = (".xml", ".html", ".htm", ".xhtml", ".svg", ".vue", ".svelte", ".xsd", ".xsl")
_CUT_OFF = "the reply may have been cut off"


def read(content: str, path: str = "") -> Reading | None:
    """Read old and new texts in tags.

    Args:
        content: The content of an edit.
        path: The edited file.

    Returns:
        The reading; None if the content does not begin with such tags.

    Raises:
        Unreadable: A tag has no end, or other text is between the edits.
    """
    text = content.removeprefix("\ufeff").replace("\r\n", "\n")
    if not text.lstrip(" \t\n").startswith("<"):
        return None
    reader = _Tags(text)
    if not reader.read():
        return None
    reading = settle(KIND, tuple(reader.hunks), tuple(reader.names))
    if path.lower().endswith(_TAGGED_FILES):
        doubt = "the tags may be the text of the file, and not an edit"
        return replace(reading, doubts=(doubt,))
    return reading


class _Tags:
    """Reads the tags of a text from its beginning to its end."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0
        self.names: list[str] = []
        self.hunks: list[Hunk] = []
        self._flags: list[bool] = []

    def read(self) -> bool:
        """Read all tags; return whether there is an edit, and nothing before the first one.

        Raises:
            Unreadable: A tag has no end, or there is other text.
        """
        while True:
            blanks = _BLANKS.match(self._text, self._position)
            self._position = blanks.end() if blanks is not None else self._position
            if self._position == len(self._text):
                break
            if self._read_label():
                continue
            # Everything else must be an edit.
            old = _OLD.match(self._text, self._position)
            if old is not None and self._read_pair(old[1], old[2], old.end()):
                continue
            if not self.hunks:
                return False
            line = self._text[self._position :].partition("\n")[0]
            raise Unreadable(
                f"there is other text after edit {len(self.hunks)}: {quote_line(line)}",
                "write nothing but the edits",
            )
        self._set_flags()
        return bool(self.hunks)

    def _set_flags(self) -> None:
        """Give each edit its flag, which may be written before or after its texts.

        Raises:
            Unreadable: It is not clear which edit a flag belongs to.
        """
        if not self.hunks or not any(self._flags):
            return
        if len(self._flags) != len(self.hunks):
            raise Unreadable(
                "`replace_all` is not written for each edit, so it is unclear which one it is for",
                "write the flag for each edit",
            )
        pairs = zip(self.hunks, self._flags, strict=True)
        self.hunks = [replace(hunk, every=flag) for hunk, flag in pairs]

    def _read_label(self) -> bool:
        """Read a tag that is not a text: the name of the file, a flag, or one around edits."""
        name = _FILE_NAME.match(self._text, self._position)
        if name is not None and name[1] == name[3]:
            self.names.append(name[2].strip())
            self._position = name.end()
            return True
        every = _EVERY.match(self._text, self._position)
        if every is not None:
            self._flags.append(every[1] == "true")
            self._position = every.end()
            return True
        around = _AROUND.match(self._text, self._position)
        if around is not None:
            self._position = around.end()
        return around is not None

    def _read_pair(self, tag: str, line: str | None, start: int) -> bool:
        """Read an old text and the new one after it; return whether these tags are an edit."""
        # Other tags of these names are common in files, so they need to be complete.
        is_certain = tag.startswith("old") or tag == "SEARCH" or bool(self.hunks)
        end = self._text.find(f"</{tag}>", start)
        after = end + len(tag) + 3
        if end < 0:
            # Models forget to close the old text where the new one begins.
            opener = _NEW.search(self._text, start)
            end = after = opener.start() if opener is not None else len(self._text)
        blanks = _BLANKS.match(self._text, after)
        new = _NEW.match(self._text, blanks.end() if blanks is not None else after)
        new_end = self._text.find(f"</{new[1]}>", new.end()) if new is not None else -1
        if new is None or new_end < 0:
            if is_certain or new is not None:
                name = tag if new is None else new[1]
                raise Unreadable(
                    f"edit {len(self.hunks) + 1}: the tag `{name}` has no end, or no new text "
                    "follows it",
                    _CUT_OFF,
                )
            return False
        hunk = _hunk(self._text[start:end], self._text[new.end() : new_end], line)
        self.hunks.append(hunk)
        self._position = new_end + len(new[1]) + 3
        return True


def _hunk(old: str, new: str, line: str | None) -> Hunk:
    number = None if line is None else int(line)
    # The form of the old text decides; models are less careful with the new one.
    old_lines = _complete_lines(old)
    new_lines = _complete_lines(new)
    if old_lines is None:
        # An empty text has no form: the new one may be complete lines then.
        if not old and new_lines is not None:
            new = "\n".join(new_lines)
        return Hunk(within=(old, new), line=number)
    if new_lines is None:
        new_lines = new.split("\n") if new else []
    if not any(old_lines):
        return Hunk(tuple(old_lines), tuple(new_lines), number)  # empty lines have no text
    within = ("\n".join(old_lines), "\n".join(new_lines))
    return Hunk(tuple(old_lines), tuple(new_lines), number, within=within)


def _complete_lines(text: str) -> list[str] | None:
    """Return the lines of a text whose tags are on other lines; None if one is on its own."""
    if not text.startswith("\n"):
        return None
    # The closing tag may be indented.
    body, separator, indentation = text[1:].rpartition("\n")
    if not separator:
        return [] if not text.strip() else None
    return None if indentation.strip() else body.split("\n")
