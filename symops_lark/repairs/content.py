"""The two repairs that work on whole blocks: taking off a fence that encloses one, and an indentation it was given."""

from __future__ import annotations

from ..regexes import compile_pattern

_FENCE_LINE = compile_pattern(r"[ \t]*(`{3,}|~{3,})[ \t]*([^`\n]*?)[ \t\r]*")
_MARKDOWN_PATH = compile_pattern(r"\.(?i:md|mdx|markdown|rst|txt|adoc)(?![0-9A-Za-z_])")


def unwrap_fence(content: str, head: str) -> str | None:
    """Take off a Markdown fence that encloses a whole block; None if there is none or it may be the file's own.

    A file that is Markdown itself keeps its fences, unless the fence calls its content Markdown.
    """
    lines = content.split("\n")
    filled = [i for i, line in enumerate(lines) if line.strip()]
    if len(filled) < 2:
        return None
    first, last = (_FENCE_LINE.fullmatch(lines[i]) for i in (filled[0], filled[-1]))
    if not first or not last or last[2] or first[1][0] != last[1][0] or len(last[1]) < len(first[1]):
        return None
    if _MARKDOWN_PATH.search(head) and first[2].lower() not in ("md", "markdown"):
        return None
    inner = lines[filled[0] + 1 : filled[-1]]
    fences = [m for line in inner if (m := _FENCE_LINE.fullmatch(line)) and len(m[1]) >= len(first[1])]
    if len(fences) % 2:
        return None
    return "".join(line + "\n" for line in inner)


def dedent_block(content: str, depth: int) -> str | None:
    """Take `depth` blanks off every line, if both delimiters were indented by it and every line is; else None."""
    if depth <= 0:
        return None
    lines = content.split("\n")
    if any(line.strip() and line[:depth].strip() for line in lines):
        return None
    return "\n".join(line[depth:] for line in lines)
