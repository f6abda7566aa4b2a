"""Write the grammar of a JSON Schema for Lark (llguidance reads it as well) and for llama.cpp."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...core.patterns.regexes import compile_pattern
from .rules import Rules, make_rules
from .scalars import BLANKS

# A class, or one character, which may be escaped.
_PIECES = compile_pattern(r"\[[^\]]*\]|\\?(?s:.)")
_OPERATORS = frozenset("?*+")
_GROUPS = frozenset("()|")
_GBNF_ESCAPES = {'"': '\\"', "\\": "\\\\"}


def schema_to_lark(schema: Mapping[str, Any]) -> str:
    """Return a grammar of all JSON texts that fit a schema.

    Members have the order of the schema, and blanks are allowed where JSON allows them. Its rule is
    `start`.

    Raises:
        SchemaError: No grammar can express a part of the schema; the message has the JSON pointer
            to it.
    """
    grammar = make_rules(schema)
    lines = ["// JSON that fits a schema; its members are in order.", ""]
    for name, ways in grammar.rules.items():
        lines += _place(grammar, name, "//")
        alternatives = [" ".join(way) for way in ways]
        choice = " | ".join(alternatives)
        lines.append(f"{name}: {choice}")
    lines.append("")
    for name, pattern in grammar.terminals.items():
        lines.append(f"{name}: /{pattern}/")
    return "\n".join(lines) + "\n"


def schema_to_gbnf(schema: Mapping[str, Any]) -> str:
    """Return the same grammar for llama.cpp, with at most one blank where JSON allows any number.

    Without this limit, a model that is held to a grammar may write blanks forever.

    Raises:
        SchemaError: No grammar can express a part of the schema; the message has the JSON pointer
            to it.
    """
    grammar = make_rules(schema)
    lines = ["# JSON that fits a schema; its members are in order."]
    for name, ways in grammar.rules.items():
        lines += _place(grammar, name, "#")
        alternatives = [" ".join(map(_name_in_gbnf, way)) or '""' for way in ways]
        choice = " | ".join(alternatives)
        lines.append(f"{_name_in_gbnf(name)} ::= {choice}")
    for name, pattern in grammar.terminals.items():
        bounded = pattern.replace(f"{BLANKS}*", "[ ]?")
        lines.append(f"{_name_in_gbnf(name)} ::= {_translate(bounded)}")
    return "\n".join(lines) + "\n"


def _place(grammar: Rules, name: str, mark: str) -> list[str]:
    pointer = grammar.places.get(name)
    if not pointer:
        return []
    # A name of the schema may have a line feed, which would end the comment.
    comment = f"{mark} {pointer}"
    return [comment.replace("\n", " ")]


def _name_in_gbnf(name: str) -> str:
    return "root" if name == "start" else name.lower().replace("_", "-").strip("-")


def _translate(pattern: str) -> str:
    """Return a regular expression of the portable subset in GBNF, where literals are quoted."""
    parts: list[str] = []
    for piece in _PIECES.findall(pattern):
        if piece in _OPERATORS:
            parts[-1] += piece
        elif piece in _GROUPS:
            parts.append(piece)
        elif piece.startswith("["):
            # GBNF has no escaped slash, and its engines differ in reading a plus in a class.
            parts.append(piece.replace(r"\/", "/").replace("[+]", '"+"'))
        else:
            literal = piece[-1]
            escaped = _GBNF_ESCAPES.get(literal, literal)
            parts.append(f'"{escaped}"')
    return " ".join(parts)
