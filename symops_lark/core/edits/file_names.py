"""Recognize names of files above and inside of edits, and compare them with the edited file."""

from __future__ import annotations

from collections.abc import Iterable

from ..patterns.regexes import compile_pattern
from .lines import Texts

# A fence of Markdown, with or without words after it.
_FENCE = compile_pattern(r"[`~]{3,}([^`~\n]*)")
# Decorations of a name: `## a.py`, `**a.py**`, `File: a.py`, `// a.py`, `<!-- a.py -->`.
_BEFORE_NAME = compile_pattern(
    r"(?:#+ *|\*\*|[Ff][Ii][Ll][Ee](?:[Nn][Aa][Mm][Ee]|[Pp][Aa][Tt][Hh])?: *|[Pp][Aa][Tt][Hh]: *|"
    r"// *|<!-- *)*"
)
_NAME = compile_pattern(r"[0-9A-Za-z_.@+-]+(?:/[0-9A-Za-z_.@+-]+)*")


def is_same_file(name: str, path: str) -> bool:
    """Return whether a name can mean a file: it is the end of its path, or an absolute path.

    A longer name, such as `lib/src/main.py`, may be another file.

    Args:
        name: The name in a content.
        path: The file, such as `src/main.py`.

    Returns:
        Whether it does; False if one of them is empty.
    """
    bare_name = name.strip().removeprefix("./")
    bare_path = "/" + path.removeprefix("./")
    if bare_name.startswith("/"):
        return bare_name.endswith(bare_path) or bare_path.endswith(bare_name)
    return bare_path.endswith("/" + bare_name)


def is_one_path(new_name: str, names: Iterable[str]) -> bool:
    """Return whether the name that a patch moves a file to is one that the file has already.

    A name in another folder, such as `lib/a.py` for `a.py`, is a move, not another spelling.

    Args:
        new_name: The name.
        names: The names of the file in the patch and in the action.
    """
    return new_name.removeprefix("./") in [name.removeprefix("./") for name in names]


def names_in(lines: Texts, path: str) -> list[str] | None:
    """Return the names of files in lines that have nothing else; fences are allowed around them.

    Args:
        lines: The lines.
        path: The edited file, whose name may have any characters.

    Returns:
        The names; None if a line has other text.
    """
    names = []
    for line in lines:
        text = line.strip()
        if not text:
            continue
        fence = _FENCE.fullmatch(text)
        if fence is not None:
            # The first word after a fence is often a language.
            text = fence[1].rpartition(" ")[2].strip()
            if not _looks_like_path(text):
                continue
        name = _without_decoration(text)
        is_edited_file = bool(path) and bool(name) and is_same_file(name, path)
        if not is_edited_file and not _looks_like_path(name):
            return None
        names.append(name)
    return names


def _looks_like_path(text: str) -> bool:
    return ("." in text or "/" in text) and _NAME.fullmatch(text) is not None


def _without_decoration(text: str) -> str:
    before = _BEFORE_NAME.match(text)
    start = before.end() if before is not None else 0
    return text[start:].removesuffix("-->").strip("`*: ")
