"""The tables of the strict parser, read by a runtime of a few lines, say what this package says."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import pytest
from mutated_documents import is_valid, mutated_documents
from new_dialects import NEW

from symops_lark import ParseError, dialects, parse, portable_tables
from symops_lark.core.grammar.loading import load_grammar
from symops_lark.core.patterns.regexes import compile_pattern
from symops_lark.core.strict.explain import line_checks
from symops_lark.exports.portable.dfa import DEAD
from symops_lark.exports.portable.frozen import freeze
from symops_lark.exports.portable.tracer import Tracer, unpack

Rows = list[list[int]]
BLOCK = "::create @a.py\n<<<\nx\n>>>\n"
LINES = [
    *(
        "",
        "words",
        "x: y",
        "<<<",
        ">>>",
        ">>>>",
        "--",
        "---",
        "```",
        "  ~~~ x",
        "  ::run @ls",
        " >> a",
        "::create a.py",
    ),
    *(
        "create @a.py",
        "Create  @ a.py",
        "edit a.py now",
        "run a",
        "::Create @a.py",
        '::create @"a.py"',
        "::create @ `a`",
    ),
    *(
        ">>a",
        ">> a",
        "!a",
        "! a",
        "?a",
        "? a",
        "? a @ b",
        "[] 1. x",
        "::run @ls",
        "::run @",
        "::create @a.py  ",
        "path: a",
    ),
    *("  @key: value", "  @path: a.py", "  @deps: b, c", "::create", "::c0.9 ::n1", "[ACTION_TYPE] create", "run @ls"),
]


def move(rows: Rows, cuts: Rows, state: int, text: str) -> int:
    """Return the state that a text leads to."""
    for character in text:
        if state != DEAD:
            state = rows[state][max(cut for cut in cuts if cut[0] <= ord(character))[1]]
    return state


def match_of(automaton: dict[str, Any], line: str) -> int:
    """Return what an automaton of whole lines says of one."""
    state = move(unpack(automaton["rows"]), automaton["classes"], automaton.get("start", 0), f"{line}\n")
    return -1 if state == DEAD else int(automaton["match"][state])


@pytest.mark.slow
@pytest.mark.parametrize("name", dialects())
def test_the_tables_take_what_the_parser_takes(name: str) -> None:
    tables, dialect = portable_tables(name), load_grammar(name)
    actions, tracer = unpack(tables["actions"]), Tracer(tables)
    for text in mutated_documents(dialect, 40):
        transitions = tracer.trace(text)
        refusals = [row for row in transitions if row[0] == "action" and not actions[row[1]][row[2]]]
        refusals += [row for row in transitions if row[0] == "no terminal"]
        assert (not refusals) == is_valid(text, dialect), text


@pytest.mark.parametrize("name", ["v1", "v2", "v2_1", "plain"])
def test_lines_that_are_nearly_a_section_have_their_mistake(name: str) -> None:
    errors, checks = portable_tables(name)["errors"], line_checks(load_grammar(name))
    codes = set()
    for line in LINES:
        fitting = (number for number, (_, check) in enumerate(checks) if compile_pattern(check).fullmatch(line))
        match = match_of(errors, line)
        assert match == next(fitting, -1), line
        try:
            parse(f"{line}\n", name)
        except ParseError as error:
            [diagnostic] = error.diagnostics
            words = [diagnostic.code, diagnostic.message, diagnostic.hint]
            if match >= 0:
                assert errors["near"][match] == words, line
            elif diagnostic.code in errors["mistakes"]:
                assert errors["mistakes"][diagnostic.code] == words[1:], line
            codes.add(diagnostic.code)
    assert len(codes) > 3 and set(errors["mistakes"]) == {"stray-delimiter", "stray-text"}


@pytest.mark.slow
def test_marks_that_messages_name() -> None:
    for name, marks in (("v2_1", ["path:", "@", "<<<", ">>>"]), ("v1", [None, "@", "--", "--"])):
        errors = portable_tables(name)["errors"]
        assert [errors[key] for key in ("path_key", "target", "open", "close")] == marks


@pytest.mark.slow
def test_lines_have_the_first_kind_that_fits() -> None:
    lines, patterns = portable_tables("v2_1")["lines"], load_grammar("v2_1").line_patterns
    kinds = set()
    for line in LINES:
        fitting = [rule for rule in lines["rules"] if compile_pattern(patterns[rule]).fullmatch(f"{line}\n")]
        expected = lines["rules"].index(fitting[0]) if fitting else -1
        assert match_of(lines, line) == expected, line
        kinds.update(fitting[:1])
    assert kinds >= {"head", "verb_line", "path_line", "depends_line", "attribute", "thought", "ask", "error"}
    assert min(lines["match"]) == -1, "most states are within a line"
    assert portable_tables("v2")["lines"] is None  # no message of it asks for them


def test_states_after_the_block_of_an_action(tmp_path: Path) -> None:
    path = tmp_path / "blocks.lark"
    path.write_text(NEW["blocks"].grammar, encoding="utf-8")
    tables = portable_tables(path)
    assert tables["own"] == {"sections": ["log", "note", "plan"], "parts": ["step"]}
    for text, is_after in ((BLOCK, True), (">> a\n::run @ls\n", False), ("## a\n<<<\nx\n>>>\n", False)):
        states = {row[1] for row in Tracer(tables).trace(text) if row[0] == "action"}
        assert bool(states & set(tables["errors"]["behind_block"])) == is_after


@pytest.mark.slow
def test_each_mark_of_a_vital_has_its_name() -> None:
    letters = {"c": "confidence", "m": "mood", "f": "focus", "s": "stamina"}
    for name in ("v2", "plain"):
        vitals, marks = portable_tables(name)["vitals"], load_grammar(name).marks
        assert vitals.items() >= letters.items() and marks["action"] not in vitals, (
            "a mark of another section is no vital"
        )
    assert [vitals[f"[{word.upper()}]"] for word in letters.values()] == list(letters.values())


def tables_of(folder: Path, change: str) -> dict[str, Any]:
    """Return the tables of v2 with a change."""
    path = folder / "mine.lark"
    path.write_text(f"%import .v2\n{change}AMOUNT: /[0-9]+/\n", encoding="utf-8")
    return portable_tables(path)


def test_what_is_ignored_is_read_anywhere_and_reaches_no_parser(tmp_path: Path) -> None:
    document = "%override document: (_GAP | thought | item)*\n"
    tables = tables_of(tmp_path, f'{document}item: "##" _SP? step _NL\n?step: TEXT | AMOUNT "=" TEXT\n%ignore /;+/\n')
    [ignored] = tables["ignored"]
    assert tables["terminals"][ignored]["symbol"] == -1
    assert not any(ignored in lexer["tries"] for lexer in tables["lexers"])
    tracer = Tracer(tables)
    assert tracer.trace(";;>> a\n;\n;## 3=b\n").isdisjoint({("no terminal", state) for state in range(200)})
    # An only child replaces a step: a runtime makes no node of it.
    assert {row[3] for row in tables["rules"] if row[1] == "step"} == {1}
    assert {row[3] for row in tables["rules"] if row[1] == "item"} == {0}


def test_holes_of_parts_that_are_missing(tmp_path: Path) -> None:
    rules = tables_of(tmp_path, "%override document: [AMOUNT] (_GAP | thought)*\n")["rules"]
    holes = {(len(row[2]), *row[4]) for row in rules if row[4]}
    # Before the sections, or alone, the amount is missing; with it there is no hole.
    assert holes == {(0, 1), (1, 1, 0)}
    assert {row[4] for row in portable_tables("v2")["rules"]} == {0}


def test_a_trace_ends_with_the_document() -> None:
    tables = portable_tables("v2")
    actions, end = unpack(tables["actions"]), tables["end_symbol"]
    transitions = Tracer(tables).trace(">> a\n")
    states = {row[1] for row in transitions if row[0] == "action" and row[2] == end}
    reduced = {tables["rules"][-1 - actions[state][end]][1] for state in states}
    assert {"thought", "document"} <= reduced and tables["end"] not in states
    assert Tracer(tables).trace(">> a") == transitions | {("no line end",)}


def test_lines_that_are_passed_over_lead_back() -> None:
    tables = portable_tables("v2")
    rows, cuts = unpack(tables["dfa"]["rows"]), tables["classes"]
    assert tables["dfa"]["skips"]
    for state, texts in tables["dfa"]["skips"]:
        for line in map("".join, product("> \tx<", repeat=4)):
            if not any(f"{line}\n".startswith(text) for text in texts):
                assert move(rows, cuts, state, f"{line}\n") == state, line
        for text in texts:
            assert move(rows, cuts, state, f"{text}\n") != state, text


def test_a_dialect_is_frozen_with_the_rules_that_are_wanted() -> None:
    tables = freeze("v2", [])
    assert tables["repairs"] == [] and tables["recovery"]
    assert len(freeze("v2")["repairs"]) > 20
