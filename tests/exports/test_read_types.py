"""The types of a dialect's documents, which stubs and declarations of TypeScript are made of."""

from __future__ import annotations

from pathlib import Path

import pytest
from new_dialects import NEW

from symops_lark.core.grammar.loading import load_grammar
from symops_lark.exports.portable.types import KINDS, DialectTypes, PartType, SectionType, read_types

VITALS = ("confidence", "mood", "focus", "stamina")
TEXT, TITLE, BLOCK = PartType("text"), PartType("title"), PartType("block")


def types_of(folder: Path, grammar: str) -> DialectTypes:
    path = folder / "mine.lark"
    path.write_text(grammar, encoding="utf-8")
    return read_types(load_grammar(path))


@pytest.mark.parametrize(
    ("name", "has_numbers", "has_attributes"),
    [("v2", False, False), ("v2_1", True, True), ("v2_numbered", True, False), ("v2_attributes", False, True)],
)
def test_types_of_installed_dialects(name: str, has_numbers: bool, has_attributes: bool) -> None:
    types = read_types(load_grammar(name))
    assert types.kinds == KINDS == ("thought", "vitals", "action", "question", "error")
    assert types.vitals == VITALS and types.has_other_verbs
    assert {group: words[0] for group, words in types.verbs.items()} == {
        "running": "run",
        "writing": "create",
        "removing": "delete",
    }
    assert (types.has_numbers, types.has_attributes) == (has_numbers, has_attributes)
    assert (types.arguments, types.rules, types.sections) == ((), frozenset(), ())


def test_types_of_what_a_dialect_adds(tmp_path: Path) -> None:
    assert types_of(tmp_path, NEW["vital"].grammar).vitals == (*VITALS, "doubt")
    types = types_of(tmp_path, NEW["verb"].grammar)
    assert types.arguments == ("destination",) and types.verbs["further"] == ("move",)
    types = types_of(tmp_path, NEW["recipe"].grammar)
    assert (types.kinds, types.verbs, types.has_other_verbs) == ((), {}, False)
    assert [section.mark for section in types.sections] == ["#", "-", "*"]


def test_types_of_sections(tmp_path: Path) -> None:
    types = types_of(tmp_path, NEW["blocks"].grammar)
    step = PartType("step", (PartType("number"), TEXT))
    assert types.rules == {"step"} and types.sections == (
        SectionType("note", "##", (TITLE, BLOCK), True),
        SectionType("plan", "==", (TITLE, step), False),
        SectionType("log", "%%", (PartType("word"), BLOCK), True),
    )
    result = types_of(tmp_path, NEW["lines"].grammar).sections[1]
    assert result == SectionType("test_result", "%%", (PartType("status"), PartType("count"), TEXT), False)


def test_a_section_that_refers_to_itself_has_no_end_of_parts(tmp_path: Path) -> None:
    rules = '%override document: (_GAP | thought | tree)*\ntree: "##" nest _NL\nnest: "(" nest? ")"\n'
    types = types_of(tmp_path, f"%import .v2\n{rules}")
    assert types.sections == (SectionType("tree", "##", None, False),)
