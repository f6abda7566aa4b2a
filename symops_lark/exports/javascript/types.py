"""Write the TypeScript declarations of a dialect.

`documents.d.ts` declares the documents of all dialects. The main declarations narrow them: unions
of verbs and vitals, and an interface for each custom section.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from ...core.grammar.compiling.compiler import WrittenDialect
from ..headers import header
from ..portable.types import KINDS, DialectTypes, PartType, SectionType, read_types

_HERE = Path(__file__).parent
_NAMES = {
    "thought": "Thought",
    "vitals": "Vitals",
    "action": "Action",
    "question": "Question",
    "error": "ErrorNote",
}
# They are the same in each dialect.
_SHARED = ("CustomSection", "Completeness", "Diagnostic", "ErrorNote", "Part", "Question")
_IMPORTED = (*_SHARED, "Skipped", "Span", "Thought")
# Interfaces of custom sections must not take these names.
_RESERVED = frozenset(("CustomSection",))


def write_types(dialect: WrittenDialect, tolerant: bool) -> dict[str, str]:
    """Return the declarations of a package, by their names.

    Args:
        dialect: The dialect.
        tolerant: Whether the package also repairs and recovers.
    """
    comment = header(dialect, "javascript", "// ")
    types = read_types(dialect)
    lines = [*_declare_dialect(dialect), *_declare_words(types, tolerant)]
    lines += _declare_sections(types, tolerant)
    text = "\n".join(lines) + "\n" + _read("index.d.ts")
    if tolerant:
        text += _read("tolerant.d.ts")
    return {"index.d.ts": comment + text, "documents.d.ts": comment + _read("documents.d.ts")}


def _read(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


def _declare_dialect(dialect: WrittenDialect) -> list[str]:
    names = ", ".join(_IMPORTED)
    wider = f"Action as AnyAction, Vitals as AnyVitals, {names}"
    return [
        f'import type {{ {wider} }} from "./documents.js";',
        f'export type {{ Replacement, {names} }} from "./documents.js";',
        "/** The name of the dialect. */",
        f"export type DialectName = {_quote(dialect.name)};",
        "/** The fingerprint of the grammar that the parser comes from. */",
        f"export const fingerprint: {_quote(dialect.fingerprint)};",
    ]


def _declare_words(types: DialectTypes, tolerant: bool) -> list[str]:
    """Return the declarations of verbs, vitals and actions."""
    lines = []
    groups = []
    for group, verbs in types.verbs.items():
        name = f"{group.title()}Verb"
        groups.append(name)
        lines.append(f"export type {name} = {_unite(map(_quote, verbs))};")
    lines.append(f"export type Verb = {_unite(groups)};")
    vitals = _unite(map(_quote, types.vitals))
    lines.append(f"export type VitalName = {vitals};")
    values = "Partial<Record<VitalName, number>>"
    lines.append(f"export interface Vitals extends AnyVitals {{ values: {values} }}")
    # `string & {}` accepts any verb, but editors still complete the known ones.
    is_open = types.has_other_verbs or tolerant
    verb = "Verb | (string & {})" if is_open else "Verb"
    number = "number | null" if types.has_numbers else "null"
    lines += [
        "export interface Action extends AnyAction {",
        f"  type: {verb};",
        f"  number: {number};",
        f"  attributes: {_show_attributes(types)};",
        "}",
    ]
    return lines


def _show_attributes(types: DialectTypes) -> str:
    if types.has_attributes:
        return "Record<string, string>"
    keys = []
    for name in types.arguments:
        keys.append(_quote(name))
        if name in types.rules:
            # A rule of several parts gives an attribute for each of them.
            keys.append(f"`{name}.${{string}}`")
    return f"Partial<Record<{_unite(keys)}, string>>" if keys else "Record<string, never>"


def _declare_sections(types: DialectTypes, tolerant: bool) -> list[str]:
    """Return the declarations of custom sections, of all sections, and of the document."""
    # Recovery reads what is written in other dialects too.
    kinds = KINDS if tolerant else types.kinds
    names = [_NAMES[kind] for kind in kinds]
    if tolerant:
        names.append("Skipped")
    lines = []
    if any(section.parts is not None for section in types.sections):
        lines.append(
            "/** A part of a custom section, by its name. */\n"
            "export interface NamedPart<Name extends string, Inner extends Part = never>"
            " extends Part { name: Name; parts: Inner[] }"
        )
    with_block = []
    used = set(_RESERVED)
    for section in types.sections:
        name = _name(section.name, used)
        used.add(name)
        names.append(name)
        if section.has_block:
            with_block.append(name)
        lines += _declare_section(section, name)
    if tolerant:
        lines.append(f"type SectionWithBlock = {_unite(with_block)};")
    lines += [
        f"export type Section = {_unite(names)};",
        "export interface SymopsDocument<Dialect extends string = DialectName>"
        " { dialect: Dialect; sections: Section[] }",
    ]
    return lines


def _name(section: str, used: set[str]) -> str:
    words = [word.title() for word in section.split("_")]
    name = "".join(words) + "Section"
    while name in used:
        # `note` and `_note_` would share a name.
        name += "_"
    return name


def _declare_section(section: SectionType, name: str) -> list[str]:
    # The mark must not end the comment around it.
    mark = section.mark.replace("*/", "*\\/")
    parts = "Part" if section.parts is None else _show_parts(section.parts)
    return [
        f"/** `{mark} …`, the section `{section.name}`. */",
        f"export interface {name} extends CustomSection"
        f" {{ name: {_quote(section.name)}; parts: ({parts})[] }}",
    ]


def _show_parts(parts: Iterable[PartType]) -> str:
    members = []
    for part in parts:
        inner = f", {_show_parts(part.parts)}" if part.parts else ""
        members.append(f"NamedPart<{_quote(part.name)}{inner}>")
    return _unite(members)


def _quote(word: str) -> str:
    # JSON strings are TypeScript's.
    return json.dumps(word)


def _unite(members: Iterable[str]) -> str:
    return " | ".join(members) or "never"
