"""The limits within which lines are respelt and remembered: just inside a rule works, just outside it does not."""

from __future__ import annotations

import pickle
from functools import cache
from typing import Any

import pytest

from symops_lark.core.grammar.loading import load_dialect
from symops_lark.core.repairs import RepairEngine, Rule, line_repairer
from symops_lark.core.repairs.line_repairer import RuleRepairer


@cache
def repairer(name: str) -> RuleRepairer:
    return RepairEngine(load_dialect(name)).repairer


@pytest.mark.parametrize(("length", "respelt"), [(20_000, True), (20_001, False)])
def test_a_very_long_line_is_no_markup(length: int, respelt: bool) -> None:
    line = "::Create @".ljust(length, "a")
    candidate = repairer("v2").candidate(line, "head")
    assert (candidate is not None) is respelt
    assert repairer("v2").touches(line) is respelt


@pytest.mark.parametrize(("blanks", "respelt"), [(95, True), (96, False)])
def test_the_number_of_an_action_stands_at_its_beginning(blanks: int, respelt: bool) -> None:
    line = " " * blanks + "::7 Create @a.py"  # the blank behind the number is the hundredth character
    assert repairer("v2_numbered").touches("::7 create @a.py")
    candidate = repairer("v2_numbered").candidate(line, "head")
    assert (candidate is not None and candidate.text == "::7 create @a.py") is respelt


@pytest.mark.parametrize(("length", "respelt"), [(100, True), (101, False)])
def test_a_long_line_is_no_action_whose_path_stands_below(length: int, respelt: bool) -> None:
    candidate = repairer("v2_attributes").candidate("**create**".ljust(length), "head")
    assert (candidate is not None and candidate.text == "::create") is respelt


def test_of_many_lines_only_some_are_remembered() -> None:
    """Of so many that a text is read at one go, and not so many that a process that reads texts for days grows."""
    reader = repairer("v2")
    reader._hits_by_line, reader._spellings = {}, {}
    for number in range(20_000):
        reader.candidate(f"line {number}", "thought")
    assert len(reader._hits_by_line) == len(reader._spellings) == 20_000
    reader.candidate("one more", "thought")
    assert len(reader._hits_by_line) == len(reader._spellings) == 1


def test_each_memory_is_emptied_when_it_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_repairer, "_MEMORY", 3)
    reader = RuleRepairer(V2, [rule("lowercase", {"pattern": "([A-Z]+)"})])
    visited = []
    for number in range(9):
        reader.candidate(f"::Run @{number}", "head")
        visited.append(
            [len(memory) for memory in (reader._hits_by_line, reader._spellings, reader._changes, reader._kinds)]
        )
    assert max(map(max, visited)) == 3
    assert all([row[at] for row in visited].count(3) > 1 for at in range(4))


def rule(verb: str, argument: Any, lines: tuple[str, ...] = ("head",), **said: Any) -> Rule:
    data = {"id": verb, "summary": "", "cost": 2.0, "verb": verb, "argument": argument, "lines": lines}
    return Rule.from_data({**data, **said})


V2 = load_dialect("v2")


@pytest.mark.parametrize(
    ("verb", "argument", "line", "respelt"),
    [
        ("replace", {"pattern": "%", "with": "{action}"}, "%run @a%", "::run @a%"),
        ("replace", {"pattern": "%", "with": "{action}"}, "run @a", None),
        ("replace_all", {"pattern": "%", "with": ":"}, "%%run @%", "::run @:"),
        ("replace", {"pattern": "^%(.)", "with": r"{action}\1 @"}, "%x", "::x @"),
        ("lowercase", {"pattern": "::([A-Z]+) @A"}, "::RUN @A", "::run @A"),
        ("lowercase", {"pattern": "::([A-Z]+) @B"}, "::RUN @A", None),
        ("translate_words", {"pattern": "::([A-Z-]+)", "words": {"go": "run"}}, "::GO @GO", "::run @GO"),
        ("translate_words", {"pattern": "::([A-Z-]+)", "words": {"go": "run"}}, "::G-O @a", None),
        ("translate_words", {"pattern": "::([A-Z-]+)", "words": {"g-o": "run"}, "loose": True}, "::GO- @a", "::run @a"),
        ("translate_words", {"pattern": "::([A-Z-]+)", "words": {"go": "run"}}, "::GONE @a", None),
        ("translate_characters", {"characters": {"%": ":", "a": "{target}"}}, "%%run ab%", "::run @b:"),
        ("translate_characters", {"characters": {":": "%"}}, "::x @a", None),  # what marks are made of is no mistake
        ("translate_characters", {"characters": {"]": "(", "^": "", "-": ":", "\\": "@"}}, "--run \\^]", "::run @("),
        ("translate_characters", {"characters": {"^": ":"}}, "ab-]", None),
        ("translate_characters", {"characters": {"%": ":"}, "leading": True}, " % %run @a%", " : :run @a%"),
        ("translate_characters", {"characters": {"%": ":"}, "leading": True}, "a %run @a%", None),
        ("translate_characters", {"characters": {"%": ":"}, "leading": True}, "% ", ": "),
    ],
)
def test_a_verb_changes_a_line(verb: str, argument: dict[str, Any], line: str, respelt: str | None) -> None:
    candidate = RuleRepairer(V2, [rule(verb, argument)]).candidate(line, "head")
    assert (candidate and candidate.text) == respelt
    if candidate:
        assert (candidate.rules, candidate.cost) == ((verb,), 2.0)


def test_rules_follow_each_other_until_the_line_is_exact() -> None:
    first = rule("replace", {"pattern": "a", "with": "b"}, id="one", phase="encoding")
    second = rule("replace", {"pattern": "b", "with": "::"}, id="two", weak=True)
    third = rule("replace", {"pattern": "run", "with": "test"}, id="three")
    candidate = RuleRepairer(V2, [first, second, third]).candidate("arun @x", "head")
    assert candidate is not None and (candidate.text, candidate.rules, candidate.cost) == (
        "::run @x",
        ("one", "two"),
        4.0,
    )
    assert candidate.weak and not candidate.carried
    candidate = RuleRepairer(V2, [second, first, third]).candidate("arun @x", "head")
    assert candidate is not None and (candidate.text, candidate.rules) == ("btest @x", ("one", "three"))
    assert not candidate.weak and not candidate.carried
    candidate = RuleRepairer(V2, [first]).candidate("a", "head")
    assert candidate is not None and candidate.carried and not candidate.weak
    assert RuleRepairer(V2, [first]).candidate("a", "thought") is None


def test_a_rule_for_attributes_is_one_for_paths() -> None:
    change = {"pattern": "%", "with": "@"}
    for lines, roles in (
        (("attribute",), ("attribute", "path")),
        (("path",), ("path",)),
        (("attribute", "path"), ("attribute", "path")),
        (("ask",), ("ask",)),
    ):
        reader = RuleRepairer(load_dialect("v2_attributes"), [rule("replace", change, lines)])
        assert [role for role in ("attribute", "path", "ask") if reader.candidate("%x", role)] == list(roles)
        assert {role: len(places) for role, places in reader._hits("%x").items()} == dict.fromkeys(roles, 1)


def test_rules_are_those_that_serve_the_dialect() -> None:
    change = {"pattern": "%", "with": ":"}
    other_rule = rule("replace", change, dialects=("v1",))
    assert RuleRepairer(V2, [other_rule]).candidate("%", "head") is None
    assert RuleRepairer(load_dialect("v1"), [other_rule]).candidate("%", "head") is not None
    assert not RuleRepairer(V2, [other_rule]).touches("%")


def test_a_repairer_of_rules_of_ones_own_travels_with_them() -> None:
    own = rule("replace", {"pattern": "%", "with": "::"})
    engine = RepairEngine("v2", rules=[own])
    assert RepairEngine("v2").repairer.usual and not engine.repairer.usual
    assert not RuleRepairer(V2, [own]).usual
    for item in (pickle.loads(pickle.dumps(engine)).repairer, pickle.loads(pickle.dumps(engine.repairer))):
        candidate = item.candidate("%run @x", "head")
        assert candidate.text == "::run @x" and not item.usual
    assert len(pickle.dumps(RepairEngine("v2"))) < len(pickle.dumps(RepairEngine("v2", rules=RepairEngine("v2").rules)))


@pytest.mark.parametrize(
    ("dialect", "role", "line", "respelt"),
    [
        ("v2_long_fence", "close", "return x >>>>>", "return x\n>>>>>"),
        ("v2_long_fence", "close", "x >>>", "x\n>>>"),
        ("v2_long_fence", "close", ">>>>>>> UPDATED >>>", ">>>>>>> UPDATED\n>>>"),
        ("v2_long_fence", "close", ">>>>> x", None),
        ("v2_long_fence", "close", "`>>>>>`", ">>>>>"),
        ("v2_long_fence", "close", " > > > > >", ">>>>>"),
        ("v2_long_fence", "open", "< < < <", "<<<<"),
        ("v2_long_fence", "open", "<<<<< x", "<<<<<\nx"),
        ("v2_long_fence", "head", "::Create @a.py <<<<<", "::create @a.py\n<<<<<"),
        ("v2_long_fence", "head", ">>>>> ::create @a.py", ">>>>>\n::create @a.py"),
        ("v2_attributes", "head", "**create**", "::create"),
        ("v2_attributes", "head", ">>> ::create", ">>>\n::create"),
        ("v2_attributes", "head", "Create it", None),
        ("v2_attributes", "head", "::create a.py", "::create @a.py"),
        ("v2_numbered", "head", "1. ::7 create @a.py", "::7 create @a.py"),
        ("v2_numbered", "head", "**::007 run @ls**", "::007 run @ls"),
        ("v2_numbered", "head", ":: 7 run ls", "::7 run @ls"),
        ("v2", "head", "::create @a.py (new)", "::create @a.py"),
        ("v2", "head", "::run @ls (new)", None),  # a command may say that
        ("v2", "head", "::create @a.py", None),
        ("v2", "head", "::create the file @a.py", "::create @a.py"),
    ],
)
def test_the_installed_rules_respell_a_line(dialect: str, role: str, line: str, respelt: str | None) -> None:
    candidate = repairer(dialect).candidate(line, role)
    assert (candidate and candidate.text) == respelt
    assert candidate is None or (candidate.cost > 0 and candidate.rules)
