"""A dialect that the parser cannot serve is refused when it is loaded, with its place and the way out."""

from __future__ import annotations

from pathlib import Path

import pytest

from symops_lark import GrammarError, SymOpsProcessor, dialects, parse
from symops_lark.core.grammar.compiling.kept_parts import FORMAT_RULES, find_neighbors
from symops_lark.core.ground.resources import find_folder

TWO = "%override action: head BLOCK BLOCK?"
REFUSED = {
    "an opener behind a head": (
        "%override action: head BLOCK | _mark _change _SP BLOCK",
        "'BLOCK' may begin behind _SP",
    ),
    "an opener behind a path": ("%override action: head BLOCK? | _ACTION PATH BLOCK", "'BLOCK' may begin behind PATH"),
    "lines without a block": (
        '%override action: head BLOCK? | _mark "file " PATH _NL _CONTENT_LINE* "</file>" _NL',
        "'_CONTENT_LINE' is used outside of BLOCK",
    ),
    "a closer that repeats a name": (
        "%override BLOCK: _OPEN TAG _NL _CONTENT_LINE* _CLOSE TAG _NL\nTAG: /[a-z]+/",
        "'TAG' is a closer that the opener chooses",
    ),
    "a closer of a format": (
        "%override BLOCK: _OPEN TAG _NL _CONTENT_LINE* _CLOSE SAME_TAG _NL\nTAG: /[a-z]+/\nSAME_TAG: TAG",
        "'SAME_TAG' is a closer that the opener chooses",
    ),
    "an opener without a line feed": (
        "%override BLOCK: _OPEN _CONTENT_LINE* _CLOSE _NL",
        "'BLOCK' may match a text without a line",
    ),
    "an opener alone": ("%override BLOCK: _OPEN", "'BLOCK' may match a text without a line"),
    "an opener with its line alone": ("%override BLOCK: _OPEN _NL", "'BLOCK' may match a text without a line"),
    "a closer without a line feed": (
        "%override BLOCK: _OPEN _NL _CONTENT_LINE* _CLOSE",
        "'BLOCK' may match a text without a line",
    ),
    "two contents": (TWO, "'action' may read BLOCK more than once"),
}


def write(folder: Path, *lines: str) -> Path:
    path = folder / "mine.lark"
    path.write_text("\n".join(("%import .v2", *lines, "")), encoding="utf-8")
    return path


@pytest.mark.parametrize("case", REFUSED)
def test_the_reason_and_the_way_out_are_said(tmp_path: Path, case: str) -> None:
    lines, reason = REFUSED[case]
    path = write(tmp_path, lines)
    with pytest.raises(GrammarError) as caught:
        SymOpsProcessor(path)
    place, _, message = str(caught.value).partition(": ")
    assert place.rpartition("/")[2].count(":") == 2 and reason in message
    assert "write it as a format" in message and " | " in message


@pytest.mark.slow
def test_one_of_many_collisions_is_shown() -> None:
    """The grammar of a repair is no dialect: Lark lists each pair of its rules, in 300 kB."""
    path = find_folder("grammars") / "v2_recovery.lark"
    with pytest.raises(GrammarError, match=r"Reduce/Reduce collision in .*, and [0-9,]+ more collisions") as caught:
        parse("::run @ls\n", path)
    assert len(str(caught.value)) < 1_000


@pytest.mark.parametrize("name", sorted(FORMAT_RULES))
def test_names_of_formats_are_no_sections(tmp_path: Path, name: str) -> None:
    document = f"%override document: (_GAP | thought | vitals | action | question | error | {name})*"
    path = write(tmp_path, document, f'{name}: "%%" _SP TEXT _NL')
    with pytest.raises(GrammarError, match=f"the rule '{name}' is a section with a name that only formats have"):
        parse("%% x\n", path)
    other_reply = write(tmp_path, document.replace(f"| {name})", "| remark)"), 'remark: "%%" _SP TEXT _NL')
    assert parse("%% x\n", other_reply).sections[0]


def test_fixed_families_of_marks_stay(tmp_path: Path) -> None:
    block = '%override BLOCK: _OPEN _NL _CONTENT_LINE* _CLOSE _NL | "<<a" _NL _CONTENT_LINE* "a>>" _NL'
    assert SymOpsProcessor(write(tmp_path, block))
    for name in dialects():
        assert SymOpsProcessor(name)


def test_neighbors_are_found_through_empty_rules() -> None:
    neighbors = find_neighbors([("s", ["A", "e", "x", "B"]), ("e", []), ("e", ["E"]), ("x", ["x", "X"]), ("x", ["e"])])
    assert neighbors["B"] == {"A", "E", "X"} and neighbors["x"] == {"A", "E"} and neighbors["A"] == set()


@pytest.mark.slow
def test_an_alias_of_a_section_or_of_its_part_is_refused(tmp_path: Path) -> None:
    document, item = "%override document: (_GAP | thought | item)*", 'item: "##" _SP? step _NL'
    for step, rule in (('"=" TEXT -> said | TEXT', "step"), ("TEXT", "item")):
        path = write(tmp_path, document, f"{item} -> said" if rule == "item" else item, f"step: {step}")
        with pytest.raises(GrammarError, match=f"mine.lark:[34]:.*the rule '{rule}' has an alias, .*: leave it out"):
            parse("## x\n", path)
