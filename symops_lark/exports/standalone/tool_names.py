"""Load the names of tools in exports, and quote words without the standard library of Python."""

from __future__ import annotations

from functools import cache

from ...core.formats.tools import ToolTable, make_tool_table
from ...core.patterns.regexes import compile_pattern
from .tables import read_data

_SIGNS = compile_pattern("[^a-z0-9]")
# The first member of an object, if its value is a name: `{"tool": "edit_file"`.
_NAMED = compile_pattern(
    r'(?m)^[ \[]*(?P<object>\{)[ \t\n]*"(?P<key>[0-9A-Za-z_]+)"[ \t\n]*:'
    r'[ \t\n]*"(?P<name>[0-9A-Za-z_.-]+)"'
)
# As in `shlex`: a word with one of these characters is quoted.
_UNSAFE = compile_pattern(r"[^0-9A-Za-z_@%+=:,./-]")


@cache
def load_tools() -> ToolTable:
    """Return the table of names: it is in the export."""
    return make_tool_table(read_data("formats")["tools"])


def _join_words(words: list[str]) -> str:
    """Return words as a line for a shell, quoted as `shlex.join` does it."""
    quoted: list[str] = []
    for word in words:
        if word and _UNSAFE.search(word) is None:
            quoted.append(word)
        else:
            # A quotation mark ends the quoted text, and is quoted alone.
            inner = word.replace("'", "'\"'\"'")
            quoted.append(f"'{inner}'")
    return " ".join(quoted)
