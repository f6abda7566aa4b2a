"""Fewer bytes for the same code: short names where nobody sees them, and no blanks that are not needed."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable

from .names import short
from .scopes import defined_names

_PRIVATE = re.compile(r'(?P<text>"(?:[^"\\]|\\.)*")(?P<joined>\+)?|(?<![\w$])(?P<name>_(?!_)\w+)')
_HELPER = re.compile(r"\$[A-Za-z]\w*")
_DEFINED = re.compile(rf"\b(?:const|function\*?|class) ({_HELPER.pattern})")
_SPACES = re.compile(r'("(?:[^"\\]|\\.)*")|[ \n]*([{}()\[\],;=?:<>&|!+*/])[ \n]*')


def shorten(text: str) -> str:
    """Return translated code whose private names are short: no name outside of it begins with an underscore.

    Texts that are such a name are the name of a method or a field, unless they are a part of a longer text.
    """
    order = _often_first(found["name"] for found in _PRIVATE.finditer(text) if found["name"])
    chosen = {name: f"_{short(at)}" for at, name in enumerate(order)}

    def replaced(found: re.Match[str]) -> str:
        if found["name"]:
            return chosen[found["name"]]
        name = found["text"][1:-1]
        part = found["joined"] or text[found.start() - 1] == "+"
        return f'"{chosen[name]}"' if name in chosen and not part else found[0]

    return _PRIVATE.sub(replaced, text)


def shorten_helpers(text: str) -> str:
    """Return code whose helpers, the names that it defines with a dollar sign in front, are short."""
    defined = frozenset(_DEFINED.findall(text))
    order = _often_first(name for name in _HELPER.findall(text) if name in defined)
    chosen = {name: f"${short(at).upper()}" for at, name in enumerate(order)}
    return _HELPER.sub(lambda found: chosen.get(found[0], found[0]), text)


def _often_first(names: Iterable[str]) -> list[str]:
    counts = Counter(names)
    return sorted(counts, key=lambda name: (-counts[name], name))


def shorter_names(statements: list[ast.stmt], kept: Iterable[str]) -> dict[str, str]:
    """Return a short name for each name that statements define, but for those that are kept."""
    names = [name for node in statements for name in defined_names(node) if name not in kept]
    return {name: short(at).upper() for at, name in enumerate(names)}


def squeeze(text: str) -> str:
    """Return translated code without the blanks that it does not need; what stands in quotes is kept."""
    return _SPACES.sub(lambda found: found[1] or found[2], text)
