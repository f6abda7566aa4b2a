"""The proof of a check of `symops grammar check`: it reports the grammar that was broken for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from broken_grammars import BROKEN, two_readings
from grammar_changes import FEATURE_CHANGES, V2, Change
from registries import Registry

from symops_lark.core.grammar.loading import load_grammar
from symops_lark.lab.workbench.check import CHECKS, Check, Finding
from symops_lark.lab.workbench.check.subject import Subject


def _unchanged(text: str) -> str:
    return text


# By the check: the code of its finding, the grammar that has it, and a part of what is said.
EXAMPLES: dict[str, tuple[str, Change, str]] = {
    "find_reduce_conflicts": ("reduce-reduce", two_readings, "may be `other: _THOUGHT"),
    "find_shared_beginnings": ("look-ahead", _unchanged, ":"),
    "find_unportable_features": ("look-around", FEATURE_CHANGES["look-around"], "is outside the portable subset"),
    "find_start_rule": ("start-rule", _unchanged, "an exporter must rename document"),
    "find_other_obstacles": ("no-automaton", BROKEN["recursive-rule"][0], "refuses the dialect"),
    **{
        name: (code, *BROKEN[code][:2])
        for name, code in {
            "find_shift_conflicts": "shift-reduce",
            "find_collisions": "terminal-collision",
            "find_swallowed_words": "swallowed-string",
            "find_hidden_readings": "hidden-reading",
            "find_opaque_terminals": "undecided",
            "find_unwrapped_alternation": "unwrapped-alternation",
            "find_nested_sets": "nested-set",
            "find_unused": "unused-rule",
            "find_recursion": "recursive-rule",
            "find_similar_marks": "equal-marks",
            "find_divided_blocks": "divided-block",
            "find_word_marks": "word-mark",
        }.items()
    },
}


def _prove(name: str, check: Check, folder: Path) -> None:
    assert name in EXAMPLES, "give the check an example in tests/support/proofs_of_grammar_checks.py"
    code, change, message = EXAMPLES[name]
    path = folder / "mine.lark"
    path.write_text(change(V2), encoding="utf-8")
    findings = [finding for finding in check(Subject(load_grammar(path))) if finding.code == code]
    assert any(message in finding.message for finding in findings), findings
    assert all(finding.path == path and finding.line > 0 for finding in findings)


def _idle(check: Check) -> Check:
    def find_nothing(subject: Subject) -> Iterator[Finding]:
        yield from ()

    return find_nothing


GRAMMAR_CHECKS = Registry(
    "checks of grammars", {single_check.__name__: single_check for single_check in CHECKS}, _idle, _prove
)
