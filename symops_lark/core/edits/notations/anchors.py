"""Read edits at anchors: the number of a line and its hash, as `show_anchors` prints them.

    @@ 11:a3f..14:9fc          replaces lines 11 to 14
    return total
    @@ 20:c2k+                 inserts after line 20; `@@ 0+` at the top
    # a comment
    @@ 30:b7e-                 removes line 30

All anchors are those of the file that the model was shown, also if an edit before moves lines.
"""

from __future__ import annotations

from ...patterns.regexes import Match, compile_pattern
from ..hunks import MAX_HUNKS, Hunk, Reading, Unreadable
from ..lines import Texts, content_lines

KIND = "anchors"
RANK = 10

# `11:a3f` or `11#a3f`: the number and the hash of a line.
_ANCHOR = r"([0-9]{1,7})[:#]([a-z0-9]{3})"
# `@@ 11:a3f`, `@@ 11:a3f..14:9fc`, `@@ 11:a3f+`, `@@ 11:a3f-`; models add `@@` at the end, too.
_PLACE = compile_pattern(rf"@@ ?{_ANCHOR}(?:(?:\.\.|-| ) ?{_ANCHOR})?( ?[+-])?(?:[ \t]*@@)?[ \t]*")
_TOP = compile_pattern(r"@@ ?0 ?\+(?:[ \t]*@@)?[ \t]*")
# `11:a3f|    return x`, as `show_anchors` prints a line.
_COPIED = compile_pattern(r"[0-9]{1,7}[:#][a-z0-9]{3}\|([^\n]*)")


def read(content: str, path: str = "") -> Reading | None:
    """Read edits at anchors.

    Args:
        content: The content of an edit.
        path: The edited file.

    Returns:
        The reading; None if the content does not begin with an anchor.

    Raises:
        Unreadable: A range is reversed, or an edit has no lines.
    """
    lines = content_lines(content.removeprefix("\ufeff"))
    start = 0
    while start < len(lines) and not lines[start].strip():
        start += 1
    if start == len(lines) or not _is_place(lines[start]):
        return None
    starts = [index for index, line in enumerate(lines) if _is_place(line)]
    if len(starts) > MAX_HUNKS:
        raise Unreadable(f"there are more than {MAX_HUNKS} anchors", "write the whole text")
    # Empty lines at the end belong to the last edit: a notation by lines must be able to add them.
    ends = [*starts[1:], len(lines)]
    hunks = []
    for index, end in zip(starts, ends, strict=True):
        new_lines = lines[index + 1 : end]
        hunks.append(_hunk(lines[index], new_lines))
    return Reading(KIND, tuple(hunks))


def _is_place(line: str) -> bool:
    if not line.startswith("@@"):
        return False
    return _PLACE.fullmatch(line) is not None or _TOP.fullmatch(line) is not None


def _hunk(head: str, lines: Texts) -> Hunk:
    new = tuple(_without_anchors(lines))
    place = _PLACE.fullmatch(head)
    if place is None:
        # The top of the file has no line to hash.
        return Hunk(new=new, line=1, count=0, hashes=("", ""))
    number, line_hash, last, last_hash, suffix = place.groups()
    sign = (suffix or "").strip()
    if sign == "+":
        if last is not None:
            raise Unreadable(
                f"`{head}` inserts after a range of lines",
                f"write `@@ {last}:{last_hash}+` to insert after its last line",
            )
        # A range without lines, which begins after the named one.
        return Hunk(new=new, line=int(number) + 1, count=0, hashes=(line_hash, line_hash))
    return _range(place, head, new, is_removed=sign == "-")


def _range(place: Match, head: str, new: tuple[str, ...], *, is_removed: bool) -> Hunk:
    first = int(place[1])
    last = int(place[3] or place[1])
    if not 0 < first <= last:
        raise Unreadable(f"`{head}` is not a range of lines", "write the lower number first")
    if is_removed and any(map(str.strip, new)):
        raise Unreadable(
            f"`{head}` removes lines, but lines follow it", "leave the `-` out to replace them"
        )
    # To remove lines is written on purpose: an edit without lines may have been cut off.
    if not is_removed and not new:
        raise Unreadable(f"no lines follow `{head}`", "add `-` to remove the lines")
    first_hash = place[2]
    last_hash = place[4] or first_hash
    return Hunk(
        new=() if is_removed else new,
        line=first,
        count=last - first + 1,
        hashes=(first_hash, last_hash),
    )


def _without_anchors(lines: Texts) -> list[str]:
    """Remove the anchors that a model copied with the lines, if each line has one."""
    copied = [_COPIED.fullmatch(line) for line in lines]
    if all(copied):
        return [match[1] for match in copied if match is not None]
    return list(lines)
