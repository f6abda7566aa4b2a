"""Make translated code shorter: short names for private names, and no blanks that it can miss."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable

from .scopes import defined_names

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
# A text, and whether another one is added to it; or a private name.
_PRIVATE = re.compile(r'(?P<text>"(?:[^"\\]|\\.)*")(?P<joined>\+)?|(?<![\w$])(?P<name>_(?!_)\w+)')
_HELPER = re.compile(r"\$[A-Za-z]\w*")
_DEFINITION = re.compile(rf"\b(?:const|function\*?|class) ({_HELPER.pattern})")
# A text, or a sign with the blanks around it.
_BLANKS = re.compile(r'("(?:[^"\\]|\\.)*")|(?:(?<![ \n])[ \n]+)?([{}()\[\],;=?:<>&|!+*/])[ \n]*')


def short(number: int) -> str:
    """Return the short name with a number, from 0: a to z, a1 to z1, and so on."""
    turn, index = divmod(number, len(_LETTERS))
    return f"{_LETTERS[index]}{turn or ''}"


def shorten(text: str) -> str:
    """Return translated code with short private names, those that begin with an underscore.

    Private names are defined only in this code. A text that is such a name is the name of a method
    or a field, unless it is a part of a longer text.
    """
    private = [match["name"] for match in _PRIVATE.finditer(text)]
    names = _by_frequency(filter(None, private))
    short_names = {}
    for index, name in enumerate(names):
        short_names[name] = f"_{short(index)}"

    def replace(match: re.Match[str]) -> str:
        if match["name"]:
            return short_names[match["name"]]
        name = match["text"][1:-1]
        before = text[match.start() - 1]
        is_part = match["joined"] or before == "+"
        if is_part or name not in short_names:
            return match[0]
        return f'"{short_names[name]}"'

    return _PRIVATE.sub(replace, text)


def shorten_helpers(text: str) -> str:
    """Return code with short names for its helpers: definitions with a dollar sign in front."""
    helpers = frozenset(_DEFINITION.findall(text))
    used = [name for name in _HELPER.findall(text) if name in helpers]
    names = _by_frequency(used)
    short_names = {}
    for index, name in enumerate(names):
        short_names[name] = f"${short(index).upper()}"

    def replace(match: re.Match[str]) -> str:
        return short_names.get(match[0], match[0])

    return _HELPER.sub(replace, text)


def _by_frequency(names: Iterable[str]) -> list[str]:
    """Return the names, frequent ones first, because the first short names are the shortest."""
    # Names with the same count are sorted, so that an export is the same in every process.
    counts = Counter(names)
    return sorted(counts, key=lambda name: (-counts[name], name))


def shorter_names(statements: list[ast.stmt], kept: Iterable[str]) -> dict[str, str]:
    """Return a short name for each name that statements define.

    Args:
        statements: The statements.
        kept: Names that stay as they are.
    """
    names: list[str] = []
    for node in statements:
        names += defined_names(node)
    short_names: dict[str, str] = {}
    for name in names:
        if name not in kept:
            # Capital letters: local names have small ones.
            short_names[name] = short(len(short_names)).upper()
    return short_names


def squeeze(text: str) -> str:
    """Return translated code without the blanks that it does not need. Texts are not changed."""
    return _BLANKS.sub(lambda match: match[1] or match[2], text)
