"""Find where a grammar and the files that it imports define their rules, terminals and mistakes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ...core.grammar.compiling.bounds import read_grammar
from ...core.grammar.compiling.gathering import find_base, gather
from ...core.grammar.mistakes import mistake_name
from ...core.grammar.tokens import split
from ...core.ground.resources import find_folder

_CHANGES = ("%override", "%extend")
_COMMENT = re.compile(r"//!?[ \t]?")
_NAMED_MISTAKE = re.compile(r"(?m)^//![ \t]*([a-z][a-z0-9-]*) = [^\n]*")
_IMPORTED = re.compile(r"%import[ \t]+(\.?)((\w+)[\w.]*)")
_MAX_LINES = 12  # of a definition in a hover


@dataclass(frozen=True, slots=True)
class NamedPlace:
    """A definition of a name.

    Attributes:
        name: The name.
        path: The file.
        text: The text of the file.
        start: The offset of the name.
    """

    name: str
    path: Path
    text: str
    start: int

    @property
    def end(self) -> int:
        """The offset after the name."""
        return self.start + len(self.name)

    @property
    def excerpt(self) -> str:
        """The lines of the definition."""
        begin = self.text.rfind("\n", 0, self.start) + 1
        first, *following = self.text[begin:].split("\n")
        lines = [first]
        for line in following[: _MAX_LINES - 1]:
            # An indented line continues a definition.
            if not line.strip() or line[0] not in " \t|":
                break
            lines.append(line)
        return "\n".join(line.rstrip("\r") for line in lines)

    @property
    def comment(self) -> str:
        """The comment right above the definition, without its marks."""
        begin = self.text.rfind("\n", 0, self.start) + 1
        lines = []
        for line in reversed(self.text[:begin].split("\n")[:-1]):
            if not line.startswith("//"):
                break
            lines.append(_COMMENT.sub("", line, count=1).strip())
        return " ".join(reversed(lines))


def find_names(path: Path, text: str) -> dict[str, list[NamedPlace]]:
    """Return the definitions of a grammar and of the files that it imports, by name.

    Args:
        path: The file of the grammar.
        text: Its text. It may be broken: what can be read counts.

    Returns:
        The definitions in the order of the files, the grammar first.
    """
    names: dict[str, list[NamedPlace]] = {}
    # Imports inside of imports count as well, because an override may change what they define.
    for file, file_text in gather(path, text):
        for place in _find_places(file, file_text):
            names.setdefault(place.name, []).append(place)
    return names


# Completion asks at every key; only the edited file is new each time.
@lru_cache(maxsize=64)
def _find_places(path: Path, text: str) -> tuple[NamedPlace, ...]:
    statements = split(text)
    words = [definition.name for definition in statements.definitions]
    for line in statements.directives:
        # `%override name: …` replaces a definition.
        if line[0].text in _CHANGES:
            words += [word for word in line if word.kind == "name"][:1]
    return tuple(NamedPlace(word.text, path, text, word.start) for word in words)


def find_mistakes() -> dict[str, list[NamedPlace]]:
    """Return where the installed recovery grammars define their mistakes, by their codes."""
    mistakes: dict[str, list[NamedPlace]] = {}
    for file in sorted(find_folder("grammars").glob("*_recovery.lark")):
        file_text = read_grammar(file)
        for place in _find_places(file, file_text):
            mistakes.setdefault(mistake_name(place.name), []).append(place)
        # A mistake that only the strict parser finds has a comment, and no rule.
        for match in _NAMED_MISTAKE.finditer(file_text):
            place = NamedPlace(match[1], file, file_text, match.start(1))
            mistakes.setdefault(match[1], []).append(place)
    return mistakes


def find_imported(path: Path, text: str, offset: int) -> Iterator[tuple[Path, str]]:
    """Yield the file that the `%import` at an offset includes, and its text.

    Args:
        path: The file of the grammar.
        text: Its text.
        offset: The offset.
    """
    line_start = text.rfind("\n", 0, offset) + 1
    match = _IMPORTED.match(text, line_start)
    if match is None or not match.start(1) <= offset <= match.end(2):
        return
    # `.a.b` is the rule b of the file a.lark.
    for name in (match[2], match[3]):
        try:
            yield find_base(path, name)
        except (OSError, UnicodeDecodeError, ValueError):
            continue
        return


def read_text(path: Path) -> str:
    """Return the text of a file; empty if it cannot be read."""
    # The file may have changed or gone since the error about it was found.
    try:
        return read_grammar(path)
    except (OSError, UnicodeDecodeError, ValueError):
        return ""
