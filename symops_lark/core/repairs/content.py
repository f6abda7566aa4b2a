"""Repair contents: take off an enclosing Markdown fence, or an indentation that the reply added.

These are the only repairs that change a content. Both can destroy one, so each is made only where
the other lines of the block, or the other blocks of the reply, show that it was not meant so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..ground.file_types import WITH_FENCES, language_of
from ..patterns.regexes import compile_pattern

# Groups: the fence, the info string. Matches "```python", "  ~~~"; not "``x``", "text ```".
_FENCE_LINE = compile_pattern(r"[ \t]*(`{3,}|~{3,}+)[ \t]*+((?:[^`\n]*[^` \t\r\n])?)[ \t\r]*")


def unwrap_fence(content: str, path: str) -> str | None:
    """Take off a Markdown fence that encloses a complete content.

    A file type that may hold fences (Markdown, and languages with Markdown in comments) keeps
    them, unless it is Markdown and the info string of the fence is Markdown as well. A fence of
    four or more characters is kept in every file: it is written around other fences.

    Args:
        content: The content of a block.
        path: The path of the action, which gives the file type.

    Returns:
        The lines between both fences, each with a line feed; None if no fence encloses the
        content, or if it may belong to the file.
    """
    lines = content.split("\n")
    filled = [index for index, line in enumerate(lines) if line.strip()]
    if len(filled) < 2:
        return None
    first = filled[0]
    last = filled[-1]
    opener = _FENCE_LINE.fullmatch(lines[first])
    closer = _FENCE_LINE.fullmatch(lines[last])
    if not opener or not closer:
        return None
    fence = opener[1]
    info = opener[2]
    # Only an opening fence has an info string.
    if closer[2] or closer[1] != fence:
        return None
    # A longer fence is written around other fences, so it belongs to the file.
    if len(fence) > 3:
        return None
    # `markdown` as the info string shows that the fence was put around the file, not written in it.
    language = language_of(path)
    is_labelled = language == "Markdown" and info.lower() in ("md", "markdown")
    if language in WITH_FENCES and not is_labelled:
        return None
    inner = lines[first + 1 : last]
    # An odd number of fences inside: the first or the last line is a partner of one of them.
    fence_count = 0
    for line in inner:
        match = _FENCE_LINE.fullmatch(line)
        if match and len(match[1]) >= len(fence):
            fence_count += 1
    if fence_count % 2:
        return None
    return "".join(line + "\n" for line in inner)


class Indented(NamedTuple):
    """A block whose delimiters are both indented.

    Attributes:
        depth: Number of characters before the less indented delimiter.
        content: Number of blanks that every line of the content begins with.
        fragment: Whether the content is part of a file (an edit), whose lines may be indented.
    """

    depth: int
    content: int
    fragment: bool


def judge_indentation(blocks: Sequence[Indented]) -> list[tuple[bool, bool]]:
    """Judge for each block whether its content was indented together with its delimiters.

    If one content of the reply is less indented than its delimiters, only the marks of this reply
    were indented, and no content loses anything. Otherwise, if one content begins exactly below
    its delimiters, all contents were indented.

    Returns:
        For each block: whether the content was indented as well, and whether this is certain.
    """
    only_marks = any(block.content < block.depth for block in blocks)
    flush_count = 0
    for block in blocks:
        if block.content == block.depth:
            flush_count += 1
    judgments = []
    for block in blocks:
        if only_marks:
            judgments.append((False, True))
            continue
        witness_count = flush_count
        is_flush = block.content == block.depth
        # A fragment of a file may begin indented itself, so it needs another block as a witness.
        if is_flush and block.fragment:
            witness_count -= 1
        is_certain = witness_count > 0
        judgments.append((flush_count > 0, is_certain))
    return judgments


def indentation(content: str) -> int:
    """Return the number of blanks that every filled line of a content begins with."""
    depths = []
    for line in content.split("\n"):
        if line.strip():
            bare = line.lstrip(" \t")
            depth = len(line) - len(bare)
            depths.append(depth)
    return min(depths, default=0)


def dedent_block(content: str, depth: int) -> str | None:
    """Remove `depth` blanks from every line; None if `depth` is 0 or a line has fewer of them."""
    if depth <= 0:
        return None
    lines = content.split("\n")
    # A line with less indentation shows that the content was not indented with its delimiters.
    if any(line[:depth].strip() for line in lines):
        return None
    dedented = [line[depth:] for line in lines]
    return "\n".join(dedented)
