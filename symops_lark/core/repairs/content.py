"""The two repairs that work on whole blocks: taking off a fence that encloses one, and an indentation it was given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..ground.file_types import WITH_FENCES, language_of
from ..patterns.regexes import compile_pattern

_FENCE_LINE = compile_pattern(r"[ \t]*(`{3,}|~{3,})[ \t]*([^`\n]*?)[ \t\r]*")


def unwrap_fence(content: str, path: str) -> str | None:
    """Take off a Markdown fence that encloses a whole block; None if there is none or it may be the file's own.

    A file that may hold fences keeps them, unless it is Markdown and the fence calls its content so; so does any file a
    fence of more than three signs, which is written around other fences.
    """
    lines = content.split("\n")
    filled = [i for i, line in enumerate(lines) if line.strip()]
    if len(filled) < 2:
        return None
    first, last = (_FENCE_LINE.fullmatch(lines[i]) for i in (filled[0], filled[-1]))
    if not first or not last or last[2] or first[1] != last[1] or len(first[1]) > 3:
        return None
    language = language_of(path)
    if language in WITH_FENCES and not (language == "Markdown" and first[2].lower() in ("md", "markdown")):
        return None
    inner = lines[filled[0] + 1 : filled[-1]]
    fences = [m for line in inner if (m := _FENCE_LINE.fullmatch(line)) and len(m[1]) >= len(first[1])]
    if len(fences) % 2:
        return None
    return "".join(line + "\n" for line in inner)


class Indented(NamedTuple):
    """A block whose delimiters are both indented: by how much, by how much its content is, whether it is a fragment."""

    depth: int
    content: int
    fragment: bool


def judge_indentation(blocks: Sequence[Indented]) -> list[tuple[bool, bool]]:
    """Return of each block whether the indentation was given to its content as well, and whether that is sure.

    A content that is less indented than its delimiters has none of theirs, and then none in the reply has: the marks
    alone were indented. Else each has, if one of them begins exactly below its delimiters.
    """
    marks_alone = any(block.content < block.depth for block in blocks)
    flush = [block.content == block.depth for block in blocks]
    judged = []
    for block, is_flush in zip(blocks, flush, strict=True):
        if marks_alone:
            judged.append((False, True))
        else:
            judged.append((any(flush), (is_flush and not block.fragment) or sum(flush) > is_flush))
    return judged


def indentation(content: str) -> int:
    """Return the number of blanks that every line of a content begins with, empty ones aside."""
    return min((len(line) - len(line.lstrip(" \t")) for line in content.split("\n") if line.strip()), default=0)


def dedent_block(content: str, depth: int) -> str | None:
    """Take `depth` blanks off every line, if both delimiters were indented by it and every line is; else None."""
    if depth <= 0:
        return None
    lines = content.split("\n")
    if any(line[:depth].strip() for line in lines):
        return None
    return "\n".join(line[depth:] for line in lines)
