"""A file in an editor: its text, which may not be saved, and what kind of file it is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path

from ...core.formats.tools import FILE_NAME
from ...core.grammar.agent_formats import is_format

RECOVERY = "_recovery"  # ends the name of a recovery grammar, before `.lark`
_WORD = re.compile(r"[\w-]+")
# A key of a repair rule that no other YAML file of an editor is likely to have at its margin.
_RULE = re.compile(r"(?m)^(?:phase|touches|unchanged)[ \t]*:")


class Kind(StrEnum):
    """What a file is."""

    REPLY = "reply"
    GRAMMAR = "grammar"  # of a dialect, its recovery, or any other grammar of Lark
    FORMAT = "format"
    RULE = "rule"
    RULE_SET = "rule set"
    TOOLS = "tools"
    FOREIGN = "foreign"  # a YAML file of something else


@dataclass(frozen=True)
class EditedFile:
    """A file in an editor.

    Attributes:
        path: Its path; of a text without a file, its name.
        text: Its text.
    """

    path: Path
    text: str

    @cached_property
    def kind(self) -> Kind:
        """What the file is. Everything that is not a grammar or YAML is a reply."""
        suffix = self.path.suffix.lower()
        if suffix == ".lark":
            return Kind.FORMAT if is_format(self.text) else Kind.GRAMMAR
        if suffix not in (".yaml", ".yml"):
            return Kind.REPLY
        if self.path.name == FILE_NAME:
            return Kind.TOOLS
        if self.path.parent.name == "rulesets":
            return Kind.RULE_SET
        return Kind.RULE if _RULE.search(self.text) else Kind.FOREIGN

    @property
    def is_saved(self) -> bool:
        """Whether the disk has the same text."""
        try:
            return self.path.read_bytes() == self.data
        except (OSError, ValueError):  # an address may have a NUL, which no path has
            return False

    @property
    def data(self) -> bytes:
        """The text in UTF-8. Half a surrogate pair gives bytes that are not UTF-8."""
        return self.text.encode("utf-8", "surrogatepass")

    def word_at(self, offset: int) -> tuple[str, int, int]:
        """Return the word at an offset with its start and end; an empty one if there is none."""
        line_start = self.text.rfind("\n", 0, offset) + 1
        for match in _WORD.finditer(self.text, line_start):
            if match.start() > offset:
                break
            if match.end() >= offset:
                return match[0], match.start(), match.end()
        return "", offset, offset

    def line_before(self, offset: int) -> str:
        """Return the part of the line that is before an offset."""
        return self.text[self.text.rfind("\n", 0, offset) + 1 : offset]
