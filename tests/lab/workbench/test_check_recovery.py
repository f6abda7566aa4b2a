"""`symops grammar check` judges recovery grammars: each fault is found, and ours have none."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import run

from symops_lark.core.grammar.loading import dialects, load_dialect, recovery_text
from symops_lark.core.recovery.engines.automaton_compiler import load_automaton
from symops_lark.core.recovery.engines.choice import load_engine
from symops_lark.core.recovery.engines.earley import load_earley
from symops_lark.core.recovery.engines.priced_rules import load_rules
from symops_lark.core.text.diagnostics import Severity
from symops_lark.lab.workbench.check import check_grammar
from symops_lark.lab.workbench.check.recovery import find_gap, find_traps, take_left_linear

KINDS = frozenset(load_automaton(*recovery_text(load_dialect("v2"))).kinds)
ALL = f"drop_all: {' | '.join(sorted(KINDS))}\n%declare {' '.join(sorted(KINDS))}\n"
FLAT = "document: _a\n_a: | _a stray\n//! Nobody knows what it is.\nstray.-900: drop_all\n" + ALL


def codes(folder: Path, text: str) -> list[str]:
    path = folder / "own_recovery.lark"
    path.write_text(text)
    return [finding.code for finding in check_grammar(path).findings]


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({recovery_text(load_dialect(name))[0].stem for name in dialects()}))
def test_ours_have_no_faults(name: str) -> None:
    path = recovery_text(load_dialect("v2"))[0].with_name(f"{name}.lark")
    assert check_grammar(path).findings == ()


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({recovery_text(load_dialect(name))[0].stem for name in dialects()}))
def test_a_recovery_grammar_can_build_on_each_of_ours(tmp_path: Path, name: str) -> None:
    base = name.removesuffix("_recovery")
    (tmp_path / "own.lark").write_text(f"%import .{base}\n")
    path = tmp_path / "own_recovery.lark"
    path.write_text(f"%import .{name}\n")
    rules = load_rules(*recovery_text(load_dialect(tmp_path / "own.lark")))
    assert rules.prices == load_rules(*recovery_text(load_dialect(base))).prices
    assert check_grammar(path).findings == ()


def test_a_broken_recovery_grammar_is_not_asked_for_marks(tmp_path: Path) -> None:
    assert codes(tmp_path, "%import .nothing.document\n") == ["grammar-error"]
    [finding] = check_grammar(tmp_path / "own_recovery.lark").findings
    assert "build on an installed grammar by `%import .NAME` alone" in finding.message


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (("", ""), []),
        (("//! Nobody knows what it is.\n", ""), ["no-sentence"]),
        (("stray", "_stray"), ["unnamed-price"]),
        (("_a stray", "_a OPEN | _a stray"), ["no-role"]),
        (("%declare", "body: TEXT\n%declare"), ["unused-rule"]),
        ((" VITALS", " VITAL"), ["unknown-kind", "not-total"]),
        (("| VITALS", ""), ["not-total"]),
        (("document: _a\n", "document: _a | _lost\n_lost: _a drop_lost | _lost drop_all\ndrop_lost: TAG\n"), ["trap"]),
        (("_a stray", "_a stray | _a _block"), ["undefined-rule"]),
        (("stray.-900", "stray.900"), ["broken"]),
        (("| _a stray", "| _a stray | _b\n_b: _a"), ["broken"]),
    ],
)
def test_each_fault_is_found(tmp_path: Path, change: tuple[str, str], found: list[str]) -> None:
    text = FLAT.replace(*change)
    assert text != FLAT or not found
    assert codes(tmp_path, text) == found


def test_what_has_no_reading_is_shown(tmp_path: Path) -> None:
    """The example is a shortest one: every proper part of it at its beginning has a reading."""
    text = FLAT.replace("| _a stray", "| _b stray\n_b: _a drop_think\ndrop_think: THINK_OPEN").replace(
        ": _a\n", ": _a | _b\n"
    )
    gap = find_gap(load_automaton(tmp_path / "own_recovery.lark", text), KINDS)
    assert gap is not None
    [finding] = [f for f in check_grammar(write(tmp_path, text)).findings if f.code == "not-total"]
    assert finding.example == " ".join(gap)
    earley = load_earley(tmp_path / "own_recovery.lark", text)
    for length in range(1, len(gap)):
        earley.read(gap[:length])


def write(folder: Path, text: str) -> Path:
    (folder / "own_recovery.lark").write_text(text)
    return folder / "own_recovery.lark"


@pytest.mark.slow
def test_a_grammar_that_nests_is_total_where_its_left_linear_part_is(tmp_path: Path) -> None:
    nested = "%import .v2_recovery\n%extend _line: _nested\n_nested: body_inner _line* body_outer\n"
    nested += "body_inner: OPEN\nbody_outer: CLOSE\n"
    findings = check_grammar(write(tmp_path, nested)).findings
    assert [(f.code, f.severity, f.line) for f in findings] == [("nesting", Severity.NOTE, 3)]
    rules = load_rules(*recovery_text(load_dialect("v2")))
    assert take_left_linear(rules).alternatives == rules.alternatives


@pytest.mark.slow
def test_of_other_grammars_that_nest_totality_is_not_proven(tmp_path: Path) -> None:
    pairs = FLAT.replace("| _a stray", "| _a pair | _a one\npair: drop_all drop_all\none: stray")
    assert codes(tmp_path, pairs) == ["nesting"]
    odd = FLAT.replace("| _a stray", "| one | one _pair\n_pair: stray stray | stray _pair stray\none: stray")
    assert "not-total" in codes(tmp_path, odd)
    even = FLAT.replace("| _a stray", "| one | _pair | one _pair\n_pair: stray stray | stray _pair stray\none: stray")
    assert codes(tmp_path, even) == ["nesting", "nesting", "not-proven-total"]


@pytest.mark.slow
def test_a_mode_that_can_be_left_is_no_trap() -> None:
    automaton = load_automaton(*recovery_text(load_dialect("v2")))
    assert find_traps(automaton) == []
    assert find_gap(automaton, KINDS) is None
    assert find_gap(automaton, KINDS | {"SONG"}) == ("SONG",)


@pytest.mark.slow
def test_the_command_judges_the_file_beside_a_dialect_too(tmp_path: Path) -> None:
    (tmp_path / "own.lark").write_text("%import .v2\n")
    write(tmp_path, FLAT.replace("//! Nobody knows what it is.\n", ""))
    for name in ("own", "own_recovery"):
        done = run("grammar", "check", str(tmp_path / f"{name}.lark"))
        assert "warning: the mistake stray has no sentence" in done.stdout
        assert done.exit_code == 1
    assert load_engine(load_dialect(tmp_path / "own.lark")).mistakes == {"stray": 900}
    write(tmp_path, "document: _a")
    assert run("grammar", "check", str(tmp_path / "own.lark")).exit_code == 2
