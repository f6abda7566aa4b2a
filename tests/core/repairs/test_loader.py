"""Rules that users write: what each key may hold, and where it is told that it holds something else."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_up_rules import EXAMPLES, RULE, UNCHANGED, VERB, write_rule

from symops_lark import RuleError
from symops_lark.core.grammar.loading import load_dialect
from symops_lark.core.repairs.loader import load_rules, read_rules

WRONG = [  # what stands there, what is put there, and what is told
    ("id: my-rule", "id: 3", "1:5: id: expected a text"),
    ("phase: symbols", "phase: 3", "2:8: phase: expected a text"),
    ("summary: A made-up mistake.", "summary: 3", "3:10: summary: expected a text"),
    ("why: For the tests.", "why: [a]", "4:6: why: expected a text"),
    ("cost: 1", "cost: cheap", "5:7: cost: expected a number"),
    ("cost: 1", "cost: true", "5:7: cost: expected a number"),
    ("cost: 1", "cost: .inf", "5:7: cost: expected a number"),
    ("cost: 1", "cost: -1", "5:7: cost: expected a number above 0"),
    ("lines: [head]", "lines: head", "6:8: lines: expected `all` or a list of texts"),
    ("lines: [head]", "lines: [head, 3]", "6:8: lines: expected `all` or a list of texts"),
    ("lines: [head]", "lines: {head: 1}", "6:8: lines: expected `all` or a list of texts"),
    ("lines: [head]", "lines: []", "6:8: replace needs `lines` (the roles of its lines): `all`, or"),
    ("lines: [head]\n", "", "1:1: replace needs `lines` (the roles of its lines): `all`, or"),
    ("lines: [head]", "lines: [head, nose]", "6:8: replace needs `lines` (the roles of its lines): `all`, or"),
    (VERB, "touches: 3\n" + VERB, "7:10: touches: expected a text"),
    (VERB, "dialects: v2\n" + VERB, "7:11: dialects: expected a list; each entry is a text"),
    (VERB, "dialects: [2]\n" + VERB, "7:12: 0: expected a text"),
    (VERB, "mistakes: [x, 1]\n" + VERB, "7:15: 1: expected a text"),
    (VERB, "without: numbers\n" + VERB, "7:10: without: expected a list; each entry is a text"),
    (VERB, "weak: perhaps\n" + VERB, "7:7: weak: expected true or false"),
    (VERB, "replace: {pattern: [a], with: b}", "7:20: pattern: expected a text or a number"),
    (VERB, "replace: {pattern: a, with: b, 3: c}", "7:10: replace has '3' for a key: put quotes around it"),
    (VERB, "replace: text", "7:10: replace: expected a mapping with pattern, with, unless"),
    (VERB, "lowercase: {pattern: [a]}", "7:22: pattern: expected a text or a number"),
    (VERB, "lowercase: {}", "7:12: lowercase needs `pattern`"),
    (VERB, "replace_all: {pattern: a}", "7:14: replace_all needs `pattern` and `with`"),
    (VERB, "replace_all: {with: a}", "7:14: replace_all needs `pattern` and `with`"),
    (VERB, "replace_text: {with: a}\ntouches: content", "7:15: replace_text needs `pattern` and `with`"),
    (VERB, "replace_text: {pattern: a, with: b}", "7:15: replace_text changes more than markup: declare `touches:"),
    (VERB, "replace_text: {pattern: a, with: b, unless: (}\ntouches: content", "7:1: the pattern cannot be used"),
    (VERB, "translate_words: {pattern: (a)}", "7:18: translate_words needs `pattern` and `words`"),
    (VERB, "translate_words: {words: {a: b}}", "7:18: translate_words needs `pattern` and `words`"),
    (VERB, "translate_words: {pattern: (a), words: [a]}", "7:40: words: expected a mapping"),
    (VERB, "translate_words: {pattern: (a), words: {a: [b]}}", "7:44: a: expected a text or a number"),
    (VERB, "translate_words: {pattern: (a), words: {a: b}, loose: 1}", "7:55: loose: expected true or false"),
    (VERB, "translate_characters: {characters: {ab: c}}", "7:23: expected one character, got 'ab'"),
    (VERB, "translate_characters: {characters: {a: [c]}}", "7:40: a: expected a text or a number"),
    (VERB, "translate_characters: {characters: {1: c}}", "7:36: characters has '1' for a key: put quotes around it"),
    (VERB, "translate_characters: {leading: true}", "7:23: translate_characters needs `characters`"),
    (VERB, "unwrap_text: paper\ntouches: content", "7:14: unwrap_text: expected one of blockquote, byte-level,"),
    (VERB, "unwrap_text: html", "7:14: unwrap_text changes more than markup: declare `touches:"),
    (VERB, "unwrap_text: 3\ntouches: everything", "7:14: unwrap_text: expected a text"),
    (VERB, "dedent: true", "7:9: dedent changes more than markup: declare `touches:"),
    (VERB, "drop_lines: anywhere", "7:13: drop_lines needs `mistakes` (mistakes of a recovery grammar)"),
    (VERB, "mistakes: [prose, nonsense]\ndrop_lines: anywhere", "8:1: no recovery grammar has a mistake 'nonsense'"),
    (VERB, 'replace: {pattern: "(%%)", with: "\\\\g<2>"}', "7:1: the pattern has no group 2, it has 1"),
    (VERB, 'replace: {pattern: "%%", with: "\\\\1"}', "7:1: the pattern has no group 1, it has 0"),
    (VERB, 'mistakes: [prose]\nwrite_line: "{nothing}"', "8:1: no mark is called {nothing}"),
    (VERB, 'translate_words: {pattern: (a), words: {a: "{nothing}"}}', "7:1: no mark is called {nothing}"),
    (VERB, 'translate_words: {pattern: (a), words: {"{nothing}": a}}', "7:1: no mark is called {nothing}"),
    (VERB, 'translate_characters: {characters: {a: "{nothing}"}}', "7:1: no mark is called {nothing}"),
    (VERB, 'mistakes: [prose]\nwrite_line: "\\\\1"', "8:1: the pattern has no group 1, it has 0"),
    (VERB, "each: 3\n" + VERB, "7:7: each: expected a list; each entry is a mapping"),
    (VERB, "each: [3]\n" + VERB, "7:8: 0: expected a mapping"),
    (VERB, "each: [{a: b}, 3]\n" + VERB, "7:16: 1: expected a mapping"),
    (VERB, "each: [{a: [b]}]\n" + VERB, "7:12: a: expected a text or a number"),
    (EXAMPLES, "examples: {}", "8:11: examples: expected a list; each entry is a mapping with"),
    (EXAMPLES, "examples: [text]", "8:12: 0: expected a mapping with before, after, dialect"),
    (EXAMPLES, 'examples: [{after: "::run @ls"}]', "8:12: expected `before` and `after`"),
    (EXAMPLES, "examples: [{before: a, after: 3}]", "8:31: after: expected a text"),
    (UNCHANGED, "unchanged: []", "9:12: unchanged: expected a list with at least one entry"),
    (UNCHANGED, "unchanged: text", "9:12: unchanged: expected a list with at least one entry"),
    (UNCHANGED, "unchanged: [3]", "9:13: 0: expected a text"),
    (UNCHANGED, "unchanged: [{dialect: v1}]", "9:13: expected a text, or a mapping with `text`"),
    (UNCHANGED, "unchanged: [{text: a, dialect: 1}]", "9:32: dialect: expected a text"),
    ("summary: A made-up mistake.\n", "", "1:5: the key 'summary' is missing, and no mistake of the"),
    ("phase: symbols\n", "", "1:1: the key 'phase' is missing"),
    ("why: For the tests.\n", "", "1:1: the key 'why' is missing"),
    ("cost: 1\n", "", "1:1: the key 'cost' is missing"),
    ("id: my-rule\n", "", "1:1: the key 'id' is missing"),
    (VERB, "colour: red\nzebra: no\n" + VERB, "7:1: unknown key 'colour'; known: cost, dedent, dialects,"),
    (VERB, VERB + "\ndedent: true\nreplace_all: {pattern: a, with: b}", "9:1: a rule has exactly one verb"),
]
RIGHT = [
    ("cost: 1", "cost: 0.5"),
    ("lines: [head]", "lines: all"),
    ("lines: [head]", "lines: [head, vitals, thought, ask, choice, error, open, close]"),
    ("lines: [head]", "lines: [tag, think, think-end, attribute, path, reason, odd-head, section]"),
    (VERB, "replace: {pattern: 3, with: 1.5}"),
    (VERB, "replace: {pattern: a, with: b, more: [c]}"),
    (VERB, "lowercase: {pattern: (a)}"),
    (VERB, "replace_text: {pattern: a, with: b, unless: c}\ntouches: content"),
    (VERB, "translate_words: {pattern: (a), words: {a: 2}, loose: true}"),
    (VERB, "translate_characters: {characters: {a: c}, leading: true}"),
    (VERB, "unwrap_text: html\ntouches: everything"),
    (VERB, "dedent: true\ntouches: content"),
    (VERB, "mistakes: [prose]\ndrop_lines: anywhere"),
    (VERB, 'replace: {pattern: "(%%)", with: "\\\\1"}'),
    (VERB, 'mistakes: [prose]\nwrite_line: "{open}"'),
    (VERB, "each: [{a: b}]\n" + VERB),
    (UNCHANGED, "unchanged: [{text: a, dialect: v1}]"),
]


def read_all(path: Path) -> None:
    """Read a rule, then see what depends on the dialect."""
    read_rules(path)
    load_rules(load_dialect("v2"), [path])


@pytest.mark.parametrize(("old", "new", "told"), WRONG)
def test_what_a_key_must_not_hold_is_told_with_its_place(old: str, new: str, told: str, tmp_path: Path) -> None:
    assert old in RULE
    path = write_rule(tmp_path, RULE.replace(old, new))
    place, _, message = told.partition(": ")
    with pytest.raises(RuleError) as caught:
        read_all(path)
    assert str(caught.value).startswith(f"{path}:{place}: error: {message}")


@pytest.mark.parametrize(("old", "new"), RIGHT)
def test_what_a_key_may_hold(old: str, new: str, tmp_path: Path) -> None:
    assert old in RULE
    [rule] = read_rules(write_rule(tmp_path, RULE.replace(old, new)))
    assert rule.id == "my-rule"


@pytest.mark.parametrize(("old", "new"), RIGHT)
def test_what_is_right_is_right_for_a_dialect(old: str, new: str, tmp_path: Path) -> None:
    path = write_rule(tmp_path, RULE.replace(old, new))
    assert load_rules(load_dialect("v2"), [path])[-1:] == read_rules(path)


def test_a_rule_answers_mistakes(tmp_path: Path) -> None:
    [rule] = read_rules(write_rule(tmp_path, RULE.replace(VERB, "mistakes: [prose]\ndrop_lines: anywhere")))
    assert (rule.verb, rule.argument, rule.mistakes) == ("drop_lines", "anywhere", ("prose",))


def test_what_a_key_does_not_say_is_as_usual(tmp_path: Path) -> None:
    [rule] = read_rules(write_rule(tmp_path, RULE))
    assert (rule.touches, rule.weak, rule.dialects, rule.mistakes, rule.without) == ("markup", False, (), (), ())
    assert [(example.dialect, example.before, example.after) for example in rule.examples] == [
        ("v2", "%%run @ls", "::run @ls"),
        ("v2", "::run @ls", "::run @ls"),
    ]


def test_examples_are_of_the_first_dialect_of_the_rule_unless_they_say_another(tmp_path: Path) -> None:
    other_text = 'unchanged: ["a", {text: b}, {text: c, dialect: v2}]'
    text = RULE.replace(UNCHANGED, f"{other_text}\ndialects: [v1, v2_1]\nweak: true\nwithout: [numbers]")
    [rule] = read_rules(write_rule(tmp_path, text))
    assert [example.dialect for example in rule.examples] == ["v1", "v1", "v1", "v2"]
    assert [example.before for example in rule.examples[1:]] == ["a", "b", "c"]
    assert rule.weak and rule.without == ("numbers",)


def test_each_row_makes_a_rule(tmp_path: Path) -> None:
    rows = "each: [{name: one, sign: '%%'}, {name: two, sign: 5}]"
    text = RULE.replace("id: my-rule", f"id: my-<name>\n{rows}").replace('"^%%"', '"^<sign><else>"')
    first, second = read_rules(write_rule(tmp_path, text, "my-name.yaml"))
    assert (first.id, second.id) == ("my-one", "my-two")
    assert (first.argument["pattern"], second.argument["pattern"]) == ("^%%<else>", "^5<else>")
    assert first.examples == second.examples and first.lines == second.lines == ("head",)


def test_a_rule_is_named_after_a_mistake_or_says_what_it_is(tmp_path: Path) -> None:
    text = RULE.replace("id: my-rule", "id: missing-closer").replace("summary: A made-up mistake.\n", "")
    [rule] = read_rules(write_rule(tmp_path, text, "missing-closer.yaml"))
    assert rule.summary.endswith(".")


def test_rules_lie_in_folders_below_and_end_either_way(tmp_path: Path) -> None:
    write_rule(tmp_path / "below", RULE)
    write_rule(tmp_path, RULE.replace("my-rule", "your-rule"), "your-rule.yml")
    write_rule(tmp_path, "no rule", "README.md")
    assert {"my-rule", "your-rule"} <= {rule.id for rule in load_rules(load_dialect("v2"), [tmp_path])}
    with pytest.raises(RuleError, match="no such folder"):
        load_rules(load_dialect("v2"), [tmp_path / "gone"])


def test_a_file_has_its_limit(tmp_path: Path) -> None:
    path = write_rule(tmp_path, RULE + "#" * (1_000_001 - len(RULE.encode())))
    with pytest.raises(RuleError, match="1,000,000"):
        read_rules(path)
