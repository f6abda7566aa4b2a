"""The grammar of a JSON Schema, spelt for Lark (which llguidance reads as well) and for llama.cpp."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...core.patterns.regexes import compile_pattern
from .rules import Rules, make_rules
from .scalars import BLANKS

_PIECES = compile_pattern(r"\[[^\]]*\]|\\?(?s:.)")  # a class, or one character, which may be escaped


def schema_to_lark(schema: Mapping[str, Any]) -> str:
    """Return a grammar of all JSON texts that fit a schema, with its members in the schema's order.

    Its rule is `start`. Blanks may stand where JSON allows them. Raises `SchemaError` with a JSON pointer and the
    reason for what a grammar cannot say.
    """
    made = make_rules(schema)
    lines = ["// JSON that fits a schema; members stand in its order.", ""]
    for name, ways in made.rules.items():
        lines += _place(made, name, "//")
        lines.append(f"{name}: " + " | ".join(" ".join(way) for way in ways))
    lines.append("")
    lines += [f"{name}: /{pattern}/" for name, pattern in made.terminals.items()]
    return "\n".join(lines) + "\n"


def schema_to_gbnf(schema: Mapping[str, Any]) -> str:
    """Return the same grammar for llama.cpp, with at most one blank where JSON allows any.

    A model that is held to a grammar may otherwise write blanks without end.
    """
    made = make_rules(schema)
    lines = ["# JSON that fits a schema; members stand in its order."]
    for name, ways in made.rules.items():
        lines += _place(made, name, "#")
        shown = [" ".join(_name_in_gbnf(part) for part in way) or '""' for way in ways]
        lines.append(f"{_name_in_gbnf(name)} ::= " + " | ".join(shown))
    for name, pattern in made.terminals.items():
        lines.append(f"{_name_in_gbnf(name)} ::= {_translate(pattern.replace(f'{BLANKS}*', '[ ]?'))}")
    return "\n".join(lines) + "\n"


def _place(made: Rules, name: str, mark: str) -> list[str]:
    pointer = made.places.get(name)
    return [f"{mark} {pointer}".replace("\n", " ")] if pointer else []


def _name_in_gbnf(name: str) -> str:
    return "root" if name == "start" else name.lower().replace("_", "-").strip("-")


def _translate(pattern: str) -> str:
    """Return a regular expression of the portable subset in GBNF: its literals are quoted there."""
    parts: list[str] = []
    for piece in _PIECES.findall(pattern):
        if piece in tuple("?*+"):
            parts[-1] += piece
        elif piece in tuple("()|"):
            parts.append(piece)
        elif piece[0] == "[":
            parts.append(piece.replace(r"\/", "/").replace("[+]", '"+"'))
        else:
            literal = piece[-1]
            parts.append('"' + {'"': '\\"', "\\": "\\\\"}.get(literal, literal) + '"')
    return " ".join(parts)
