"""Apply the content of an edit to the text of a file, in whichever notation it is.

Purpose
    The content has no field that names its notation. A reader that recognizes one gives hunks,
    which are placed exactly, with a doubt, or not at all. Everything else is the file's whole new
    text, which `whole_texts` compares with the old one.

Invariants
    1. No exception leaves `edit_text`, whatever its texts are.
    2. A content that begins like a notation and breaks its grammar is refused; it is never a whole
       text.
    3. The result is the intended text, a refusal, or has a doubt: a person is asked then.
    4. A line that looks like a mark of a notation, and was not in the file, has a doubt.

Example: for `x = 1` and the content `@@`, `-x = 1`, `+x = 3` the text is `x = 3`, without doubts.

Not here
    Files, bytes and encodings: `acting.files`. What happens after a doubt: `acting.plan.policy`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from ..document import Replacement
from .file_names import is_same_file
from .hunks import Edited, Reading, Refusal, Unreadable, settle
from .left_out import stands_for_code
from .lines import Texts, content_lines, ending_of, split_lines
from .matching import place_hunks
from .reading import WHOLE_TEXT, UnreadableEdit, read_edit
from .replacements import REPLACEMENTS, hunks_of
from .whole_texts import describe_left_out, describe_mark, find_doubts, find_mark

Edit = Callable[[str | None], Edited | Refusal]  # from the old text, None if there is none
_BOM = "\ufeff"


def edit_text(old: str | None, content: str, path: str = "") -> Edited | Refusal:
    """Return the new text of a file, or why there is none.

    Args:
        old: The text of the file; None if there is no such file.
        content: The content of the edit: the whole new text, or an edit in a notation.
        path: The file, whose name and type the notations may mention.

    Returns:
        The new text, with the reasons to ask a person before it is written. A refusal if the
        content does not fit. A byte order mark and the line endings of the file stay.
    """
    return _keep_mark(old, partial(_edit_guarded, content=content, path=path))


def apply_replacements(old: str | None, edits: Sequence[Replacement]) -> Edited | Refusal:
    """Return the new text of a file after replacements, or why there is none.

    Args:
        old: The text of the file; None if there is no such file.
        edits: The replacements, at least one. Each is searched for in the text that those before
            it left. One without an old text, alone, gives the text of a new file.

    Returns:
        As `edit_text`.
    """
    return _keep_mark(old, partial(_replace_all, edits=edits))


def apply_content(old: str | None, content: str, path: str = "") -> Edited | Refusal:
    """Return the new text of a file without comparing a whole text with the old one.

    Args:
        old: The text of the file, without a byte order mark; None if there is no such file.
        content: The content of the edit.
        path: The file.

    Returns:
        As `edit_text`. A whole text has no doubts: the caller compares it, by its own limits.
    """
    try:
        reading = read_edit(content, path, old or "")
    except UnreadableEdit as error:
        return Refusal(error.error.reason, hint=error.error.hint, kind=error.kind)
    if reading is None:
        return Edited(whole_text(content, old), WHOLE_TEXT)
    names = [name for name in reading.names if name]
    other_names = [name for name in names if path and not is_same_file(name, path)]
    if other_names:
        is_several = len(set(names)) > 1
        if is_several:
            reason = f"it changes {other_names[0]} too"
            return Refusal(reason, hint="write one action for each file", kind=reading.kind)
        reading = replace(
            reading, doubts=(*reading.doubts, f"it names another file, {other_names[0]}")
        )
    return _apply(reading, old)


def _edit_guarded(old: str | None, content: str, path: str) -> Edited | Refusal:
    result = apply_content(old, content, path)
    if isinstance(result, Edited) and result.kind == WHOLE_TEXT:
        return replace(result, doubts=find_doubts(old or "", result.text))
    return result


def _replace_all(old: str | None, edits: Sequence[Replacement]) -> Edited | Refusal:
    try:
        reading = settle(REPLACEMENTS, hunks_of(edits), ())
    except Unreadable as error:
        return Refusal(error.reason, hint=error.hint, kind=REPLACEMENTS)
    return _apply(reading, old)


def _keep_mark(old: str | None, edit: Edit) -> Edited | Refusal:
    """Edit a text without its byte order mark, and put the mark before the new text again."""
    if old is None or not old.startswith(_BOM):
        return edit(old)
    result = edit(old.removeprefix(_BOM))
    if isinstance(result, Edited):
        return replace(result, text=_BOM + result.text)
    return result


def _apply(reading: Reading, old: str | None) -> Edited | Refusal:
    """Apply a reading to a text without a byte order mark."""
    if reading.text is not None:
        return _new_file(reading, reading.text, old)
    if old is None:
        hint = "use `create` with the whole text for a new file"
        return Refusal("there is no such file", hint=hint, kind=reading.kind)
    result = place_hunks(reading, old)
    if isinstance(result, Edited):
        return replace(result, doubts=(*result.doubts, *_find_leftovers(old, result.text)))
    return result


def _find_leftovers(old: str, new: str) -> Iterator[str]:
    """Yield sentences on new lines that belong to a notation or stand for left-out code."""
    mark = find_mark(old, new, everywhere=True)
    if mark is not None:
        yield describe_mark(mark)
    old_lines = set(split_lines(old))
    for number, line in enumerate(split_lines(new), 1):
        if line not in old_lines and stands_for_code(line):
            yield describe_left_out((number, line.strip()))
            break  # one is enough to look at the text


def _new_file(reading: Reading, text: str, old: str | None) -> Edited | Refusal:
    """Return the text of a reading that adds a file."""
    if old is not None and old.strip():
        reason = "it searches for nothing, or adds a file, and the file exists"
        return Refusal(reason, hint="quote the lines that change", kind=reading.kind)
    doubts: Texts = reading.doubts
    if old:
        doubts = (*doubts, "the file exists, and has empty lines")
    return Edited(text, reading.kind, tuple(doubts))


def whole_text(content: str, old: str | None) -> str:
    """Return a whole new text, with the line endings of the file.

    Args:
        content: The text. Its last line gets a line ending if it has none.
        old: The text of the file; None: the file is new, and gets the content as it is.
    """
    if old is None:
        is_ended = not content or content.endswith("\n")
        return content if is_ended else content + ending_of(content)
    plain = content.removeprefix(_BOM)
    ending = ending_of(old or plain)
    return "".join(line + ending for line in content_lines(plain))
