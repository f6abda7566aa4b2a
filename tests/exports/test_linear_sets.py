"""The searches of exported parsers for many patterns find what RE2 finds."""

from __future__ import annotations

import json
import random
import re
import subprocess
from importlib.resources import files as files_of
from typing import Any

import pytest
from mutated_documents import mutated_documents
from repository import ROOT

from benchmarks.exports._parsers import node
from symops_lark.core.grammar.loading import load_grammar
from symops_lark.core.patterns import regexes
from symops_lark.core.patterns.pattern_syntax import spell_as_re
from symops_lark.core.repairs.engine import RepairEngine
from symops_lark.core.repairs.rule import fill_pattern
from symops_lark.exports import javascript
from symops_lark.exports.bundle.patterns import PATTERNS, begin_with_runs, spell_out
from symops_lark.exports.standalone.regexes import LinearSet, Sieve, is_anchored

# Characters that engines treat differently: white space, lines, and letters whose case is not ASCII.
ODD = ["\v", "\x85", "\u017f", "\u212a", "\u3000", "\u2028", "\f", "\U0001f642"]
FIND = """
const [sets, lines] = JSON.parse(require("fs").readFileSync(0, "utf8"));
const rows = sets.map($LinearSet).map((set) => lines.map((line) => set.find(line)));
console.log(JSON.stringify(rows));
"""


@pytest.fixture(scope="module")
def pattern_sets() -> list[list[str]]:
    """The sets of patterns that a broken reply needs."""
    sets: list[list[str]] = []
    with pytest.MonkeyPatch.context() as patch:
        begin = regexes.LinearSet.__init__

        def note(self: Any, patterns: list[str]) -> None:
            sets.append(list(patterns))
            begin(self, patterns)

        patch.setattr(regexes.LinearSet, "__init__", note)
        RepairEngine("v2").repair((ROOT / "examples" / "broken_reply.txt").read_text(encoding="utf-8"))
    assert any(len(patterns) > 50 for patterns in sets)
    return sets


def make_lines() -> list[str]:
    """Return lines of valid and damaged texts, some with odd characters in them."""
    draw = random.Random(5)
    lines = {line for text in mutated_documents(load_grammar("v2"), 60) for line in text.split("\n")}
    lines |= {line[:at] + draw.choice(ODD) + line[at:] for line in sorted(lines) for at in (draw.randrange(9),)}
    return sorted(lines)


def test_python_finds_what_re2_finds(pattern_sets: list[list[str]]) -> None:
    lines = make_lines()
    for patterns in pattern_sets:
        ours = regexes.LinearSet(patterns)
        theirs = LinearSet([spell_out(spell_as_re(pattern)) for pattern in patterns])
        for line in lines:
            assert theirs.find(line) == ours.find(line), repr(line)


@pytest.mark.slow
def test_node_finds_what_re2_finds(pattern_sets: list[list[str]]) -> None:
    lines = make_lines()
    spelled = [[spell_out(spell_as_re(pattern)) for pattern in patterns] for patterns in pattern_sets]
    names = ("runtime.js", "methods.js", "regex.js")
    code = "\n".join(files_of(javascript).joinpath(name).read_text(encoding="utf-8") for name in names)
    encoded = json.dumps([spelled, lines])
    done = subprocess.run([node(), "-e", code + FIND], input=encoded, capture_output=True, check=True, encoding="utf-8")
    expected = []
    for patterns in pattern_sets:
        ours = regexes.LinearSet(patterns)
        expected.append([list(ours.find(line)) for line in lines])
    assert json.loads(done.stdout) == expected


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [("^a", True), ("^(?:a|b)c", True), (r"^[|(]\|x", True), ("^a|b", False), ("(^a|b)", False), ("a^", False)],
)
def test_anchored_patterns_begin_with_the_text(pattern: str, expected: bool) -> None:
    assert is_anchored(pattern) is expected


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (r"[ \t]*,", r"(?<![ \t])[ \t]*,"),
        (r"x|[ \t]+\Z", r"x|(?<![ \t])[ \t]+\Z"),
        (r"(?i)(?:(a|[ \t]*)|b)[ \t]*c", r"(?i)(?:(a|(?<![ \t])[ \t]*)|b)[ \t]*c"),
        (r"(?:[ \t]*a[ \t])+", r"(?:[ \t]*a[ \t])+"),
        (r"\([ \t]*|^[ \t]*|[|[ \t]*", r"\([ \t]*|^[ \t]*|[|[ \t]*"),
    ],
)
def test_blanks_at_the_beginning_are_tried_once_in_a_run(pattern: str, expected: str) -> None:
    assert begin_with_runs(pattern) == expected


def test_patterns_of_rules_find_the_same_at_the_beginning_of_runs() -> None:
    changed = set()
    lines = [*make_lines(), "::c1 , ::m1 ,\t, ::s1 ", "{ } ( )  ", "::create @a.py  ->  b.py", " \t and ::c1"]
    for dialect in map(load_grammar, ("v2", "plain")):
        for rule in RepairEngine(dialect).rules:
            argument = rule.argument if isinstance(rule.argument, dict) else {}
            for key in PATTERNS:
                pattern = spell_out(spell_as_re(fill_pattern(str(argument.get(key, "")), dialect)))
                tied = begin_with_runs(pattern)
                if tied == pattern:
                    continue
                changed.add(rule.id)
                for line in lines:
                    spans = [match.regs for match in re.finditer(tied, line)]
                    assert spans == [match.regs for match in re.finditer(pattern, line)], (rule.id, line)
    assert {"vitals-separators", "arrow-for-dependency"} <= changed


def test_a_sieve_names_each_line_once() -> None:
    sieve = Sieve("x|yy")
    assert list(sieve.lines("x x\nno\nayy\n\nx")) == ["x x", "ayy", "x"]
    assert sieve.may_occur("ax") and not sieve.may_occur("y")
