"""Write the tables of a dialect, and the properties of characters, as statics of Rust."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import cache
from typing import Any

from ...core.grammar.codes import STRAY_TEXT
from ...core.ground.numbers import is_escaped
from ..portable.characters import find_edges, is_narrow, is_wide
from ..portable.dfa import JsonTable
from ..portable.tracer import unpack

# The makers of rules in the runtime (`Maker` in tables.rs).
_MAKERS = {
    "thought": "Thought",
    "reasoning": "Reasoning",
    "vitals": "Vitals",
    "head": "Head",
    "verb_line": "Head",
    "run_line": "Head",
    "path_line": "Path",
    "command_line": "Path",
    "depends_line": "Dependencies",
    "attribute": "Attribute",
    "action": "Action",
    "ask": "Ask",
    "choice": "Choice",
    "question": "Question",
    "error": "Error",
}
_TREATMENTS = ("Keep", "LeaveOut", "TakeChildrenIn")
_ASCII = 128


class _Code(str):
    """A text that is an expression of Rust already."""


def write_data(tables: JsonTable) -> dict[str, str]:
    """Return the values of crate_data.txt, as expressions of Rust.

    Args:
        tables: The tables of a dialect (`portable_tables`).
    """
    fields = _make_tables(tables)
    return {
        "DIALECT": show_text(tables["dialect"]),
        "FINGERPRINT": show_text(tables["fingerprint"]),
        "TABLES": _show_struct("Tables", fields, ",\n"),
    }


def _make_tables(tables: JsonTable) -> JsonTable:
    lexers = []
    for lexer in tables["lexers"]:
        # Tuples are tuples in Rust, and lists are slices.
        words = [tuple(word) for word in lexer["words"]]
        lexers.append(_struct("Lexer", start=lexer["start"], tries=lexer["tries"], words=words))
    terminals = []
    for terminal in tables["terminals"]:
        # Parts of custom sections have the names of terminals in lower case.
        name = terminal["name"].lower()
        terminals.append(_struct("Terminal", **{**terminal, "name": name}))
    custom = tables["own"] or {"sections": [], "parts": []}
    rules = [_make_rule(rule, custom) for rule in tables["rules"]]
    fences = [(opener, closers[0]) for opener, closers in tables["fences"].items()]
    dfa = {**tables["dfa"], "classes": tables["classes"]}
    return {
        "fences": fences,
        "vitals": list(tables["vitals"].items()),
        "vital_mark": tables["vital_mark"],
        "has_own": tables["own"] is not None,
        "dfa": _make_dfa(dfa),
        "terminals": terminals,
        "lexers": lexers,
        "lexer_of": tables["lexer_of"],
        "ignored": tables["ignored"],
        "symbols": tables["symbols"],
        # The runtime reads rows as they are: it has no start to unpack them in.
        "actions": _show_rows(unpack(tables["actions"])),
        "start": tables["start"],
        "end": tables["end"],
        "end_symbol": tables["end_symbol"],
        "rules": rules,
        "lines": _make_lines(tables["lines"]),
        "errors": _make_errors(tables["errors"]),
    }


def _make_dfa(dfa: JsonTable) -> _Code:
    classes = [tuple(row) for row in dfa["classes"]]
    ascii_classes = []
    # Most characters are ASCII: a table finds their classes without a search.
    for point in range(_ASCII):
        kinds = [kind for begin, kind in classes if begin <= point]
        ascii_classes.append(kinds[-1])
    rows = unpack(dfa["rows"])
    # Only the automaton of terminals has skips.
    texts_of = dict(dfa.get("skips", ()))
    skips = []
    for state in range(len(rows)):
        skip = _Code("None")
        if state in texts_of:
            skip = _Code(f"Some({_show(texts_of[state])})")
        skips.append(skip)
    return _struct(
        "Dfa",
        classes=classes,
        ascii=_Code(repr(ascii_classes)),
        width=len(rows[0]),
        rows=_show_rows(rows),
        matches=dfa["match"],
        skips=skips,
    )


def _make_rule(rule: list[Any], custom: JsonTable) -> _Code:
    origin, name, parts, expands, holes = rule
    # A rule without a maker becomes a list, which the rule above takes.
    maker = _MAKERS.get(name, "Children")
    if name in custom["sections"]:
        maker = f"Section({_show(name)})"
    if name in custom["parts"]:
        maker = f"Part({_show(name)})"
    return _struct(
        "Rule",
        origin=origin,
        maker=_Code(maker),
        parts=[_Code(_TREATMENTS[part]) for part in parts],
        expands=expands == 1,
        holes=holes or [],
        # Lark names the rule of a repetition after the rule that has it.
        repeats_sections=name.startswith("__document"),
    )


def _make_lines(lines: JsonTable | None) -> _Code:
    if lines is None:
        return _Code("None")
    literal = _struct("Lines", dfa=_make_dfa(lines), rules=lines["rules"])
    return _Code(f"Some({literal})")


def _make_errors(errors: JsonTable) -> _Code:
    # An absent mark is an empty text: no line begins with it alone.
    return _struct(
        "Errors",
        dfa=_make_dfa(errors),
        start=errors["start"],
        near=[tuple(row) for row in errors["near"]],
        stray_text=tuple(errors["mistakes"][STRAY_TEXT]),
        path_key=errors["path_key"] or "",
        target=errors["target"],
        behind_block=errors["behind_block"],
    )


def _show_rows(rows: Iterable[list[int]]) -> _Code:
    """Return rows as one slice, with a line for each row, so that a diff shows what changed."""
    lines = "".join(f"{', '.join(map(str, row))},\n" for row in rows)
    return _Code(f"&[\n{lines}]")


def _struct(name: str, /, **fields: Any) -> _Code:
    return _Code(_show_struct(name, fields, ", "))


def _show_struct(name: str, fields: JsonTable, joint: str) -> str:
    members = [f"{field}: {_show(value)}" for field, value in fields.items()]
    return f"{name} {{ {joint.join(members)} }}"


def _show(value: Any) -> str:
    """Return a value as a constant expression of Rust."""
    if isinstance(value, _Code):
        # Structures hold others: their parts are expressions already.
        return value
    # A truth value is a number in Python.
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return show_text(value)
    if isinstance(value, tuple):
        return f"({', '.join(map(_show, value))})"
    if isinstance(value, list):
        joint = ", "
        # A line for each element of a table, so that a diff shows what changed.
        if value and isinstance(value[0], _Code):
            joint = ",\n"
        return f"&[{joint.join(map(_show, value))}]"
    return str(value)


def show_text(text: str) -> str:
    """Return a text as a literal of Rust."""
    signs = []
    for character in text:
        literal = character
        if character in '"\\':
            literal = f"\\{character}"
        elif not (character.isascii() and character.isprintable()):
            literal = f"\\u{{{ord(character):x}}}"
        signs.append(literal)
    return f'"{"".join(signs)}"'


@cache
def write_widths() -> str:
    """Return widths.rs: which characters need no column of a terminal, two, or an escape."""
    version = unicodedata.unidata_version
    return (
        f"//! Characters of Unicode {version}, that of the Python that wrote this.\n"
        "//! The code points where ranges begin and end, in turn.\n\n"
        "/// They need no column of a terminal.\n"
        f"pub(crate) static NARROW: &[u32] = {_show(find_edges(is_narrow))};\n\n"
        "/// They need two columns.\n"
        f"pub(crate) static WIDE: &[u32] = {_show(find_edges(is_wide))};\n\n"
        "/// Messages have their numbers.\n"
        f"pub(crate) static UNPRINTABLE: &[u32] = {_show(find_edges(is_escaped))};\n"
    )
