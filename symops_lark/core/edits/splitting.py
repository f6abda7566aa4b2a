"""Split an edit whose patch changes several files, or moves or deletes one.

Actions change one file each, so a patch of two files is two actions. A moved file is two as well:

    *** Update File: a.py          create b.py   content: the patch of a.py, attribute from=a.py
    *** Move to: b.py              delete a.py   after b.py
    @@
    -x = 1
    +x = 3

Not here
    The text of a created file with the attribute `from`: the caller, who knows the files, applies
    the content to the text of that file with `edit_text`; an empty content leaves it unchanged.
    The caller also refuses all actions of one patch together, and asks before a file is deleted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from ..document import Action
from .diff_lines import is_head, read_heads, read_hunk
from .file_names import is_one_path, is_same_file
from .hunks import MAX_HUNKS, Unreadable
from .lines import Texts, filled_lines
from .notations.diffs import NO_FILE, file_ends, name_of, names_file, refuse_special, rename_line
from .notations.v4a import file_line, is_begin, is_end, move_line
from .reading import unwrap

FROM = "from"  # the attribute of a created file with the path of the file that was moved


@dataclass
class _Part:
    """The part of a patch for one file.

    Attributes:
        verb: "Update", "Add" or "Delete".
        name: The file.
        new_name: The file that it is moved to, or an empty string.
        lines: The lines of its hunks, or of the added file.
    """

    verb: str
    name: str
    new_name: str = ""
    lines: list[str] = field(default_factory=list)


def split_patch(action: Action) -> tuple[Action, ...]:
    """Split an edit whose content is a patch into one action for each changed file.

    Args:
        action: Any action.

    Returns:
        The actions, in the order of the patch and with the span of the given one. Only that one if
        it changes one file where it is, if it is not an edit, or if its patch cannot be read.
    """
    if action.type not in ("edit", "update") or action.content is None or action.edits:
        return (action,)
    for text, _ in unwrap(action.content, action.path):
        lines = filled_lines(text)
        is_patch = bool(lines) and (is_begin(lines[0]) or file_line(lines[0]) is not None)
        parts = _read_patch(lines) if is_patch else _read_diff(lines)
        is_named = all(part.name for part in parts)
        if parts and is_named and len(parts) <= MAX_HUNKS:
            return _split(action, parts, is_patch=is_patch)
    return (action,)


def _split(action: Action, parts: list[_Part], *, is_patch: bool) -> tuple[Action, ...]:
    _resolve_names(parts, action.path)
    merged_parts = _merge(parts)
    first = merged_parts[0]
    if len(merged_parts) == 1 and not first.new_name and first.verb != "Delete":
        return (action,)
    actions: list[Action] = []
    for part in merged_parts:
        actions += _actions_of(action, part, is_patch=is_patch)
    return tuple(actions)


def _actions_of(action: Action, part: _Part, *, is_patch: bool) -> Iterator[Action]:
    if part.verb == "Delete":
        yield _delete(action, part.name)
    elif part.verb == "Add":
        text = "\n".join(line.removeprefix("+") for line in part.lines)
        yield replace(action, type="create", path=part.name, content=text)
    elif part.new_name:
        content = _write_patch(part, is_patch=is_patch) if any(part.lines) else ""
        yield replace(
            action,
            type="create",
            path=part.new_name,
            content=content,
            attributes=(*action.attributes, (FROM, part.name)),
        )
        yield _delete(action, part.name, part.new_name)
    else:
        yield replace(action, path=part.name, content=_write_patch(part, is_patch=is_patch))


def _delete(action: Action, path: str, *dependencies: str) -> Action:
    return replace(
        action,
        type="delete",
        path=path,
        content=None,
        content_span=None,
        dependencies=(*action.dependencies, *dependencies),
    )


def _write_patch(part: _Part, *, is_patch: bool) -> str:
    """Return the part of a patch as a patch of one file."""
    if is_patch:
        lines = ["*** Begin Patch", f"*** Update File: {part.name}", *part.lines, "*** End Patch"]
    else:
        lines = [f"--- {part.name}", f"+++ {part.name}", *part.lines]
    return "\n".join(lines)


def _resolve_names(parts: Sequence[_Part], path: str) -> None:
    """Replace the name of the edited file by its path: patches often have a part of it."""
    names = {part.name for part in parts if is_same_file(part.name, path)}
    for part in parts:
        spellings = [part.name]
        if names == {part.name}:
            part.name = path
            spellings.append(path)
        if is_one_path(part.new_name, spellings):
            part.new_name = ""


def _merge(parts: Sequence[_Part]) -> list[_Part]:
    """Join the updates of one file: two actions for it would be placed in different texts."""
    merged_parts = []
    updates: dict[str, _Part] = {}
    for part in parts:
        earlier = updates.get(part.name)
        if earlier is None or part.verb != "Update" or earlier.new_name or part.new_name:
            merged_parts.append(part)
            if part.verb == "Update":
                updates[part.name] = part
        else:
            earlier.lines += part.lines
    return merged_parts


def _read_patch(lines: Texts) -> list[_Part]:
    """Return the parts of a V4A patch; none if a line belongs to no file."""
    parts = []
    for line in lines:
        file = file_line(line)
        new_name = move_line(line)
        if is_end(line):
            break
        if file is not None:
            parts.append(_Part(*file))
        elif new_name is not None and parts:
            parts[-1].new_name = new_name
        elif parts:
            parts[-1].lines.append(line)
        elif line.strip() and not is_begin(line):
            return []
    for part in parts:
        while part.lines and not part.lines[-1]:
            part.lines.pop()
    is_complete = all(map(_has_only_added_lines, parts))
    deleted = [part for part in parts if part.verb == "Delete"]
    return parts if is_complete and not any(part.lines for part in deleted) else []


def _read_diff(lines: Texts) -> list[_Part]:
    """Return the parts of a unified diff; none if a line is not understood."""
    parts: list[_Part] = []
    index = 0
    try:
        while index < len(lines):
            index = _read_diff_line(lines, index, parts)
    except Unreadable:
        return []
    # A file without a part, such as an empty one or one whose mode changes, would be lost.
    file_count = sum(1 for line in lines if line.startswith("diff --git "))
    is_complete = all(map(_has_only_added_lines, parts))
    return parts if is_complete and file_count <= len(parts) else []


def _has_only_added_lines(part: _Part) -> bool:
    """Remove the marker of an added file without a last line end; check that `+` lines remain."""
    if part.verb != "Add":
        return True
    part.lines = [line for line in part.lines if not line.startswith("\\")]
    return all(line.startswith("+") for line in part.lines)


def _read_diff_line(lines: Texts, index: int, parts: list[_Part]) -> int:
    """Read a part of a diff from an index on; return the index after it."""
    line = lines[index]
    refuse_special(line)
    rename = rename_line(line)
    if rename is not None and rename[0] == "from":
        parts.append(_Part("Update", rename[1]))
    elif rename is not None and parts:
        parts[-1].new_name = rename[1]
    elif names_file(lines, index):
        part = _part_named(lines[index], lines[index + 1])
        # After the lines on a renaming, git writes the two names again.
        if not (parts and parts[-1].new_name and not parts[-1].lines):
            parts.append(part)
        return index + 2
    elif is_head(line) and parts:
        head, start = read_heads(lines, index)
        _, end = read_hunk(lines, start, head, partial(file_ends, lines))
        is_added = parts[-1].verb == "Add"
        parts[-1].lines += lines[start if is_added else index : end]
        return end
    elif line.strip() and not file_ends(lines, index, True):
        raise Unreadable("the line is not understood")
    return index + 1


def _part_named(old_line: str, new_line: str) -> _Part:
    old, new = (line[4:].partition("\t")[0].strip() for line in (old_line, new_line))
    if old == NO_FILE:
        return _Part("Add", new.removeprefix("b/"))
    if new == NO_FILE:
        return _Part("Delete", old.removeprefix("a/"))
    return _Part("Update", name_of(old, new))
