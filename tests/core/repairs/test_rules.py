"""Every repair rule proves itself by its own examples; bad rules of users are reported as file:line."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from made_up_rules import RULE, VERB, write_rule

from symops_lark import RuleError, dialects, process, rulesets
from symops_lark.core.grammar.loading import load_grammar
from symops_lark.core.ground.resources import find_folder
from symops_lark.core.repairs import RepairEngine, load_rules
from symops_lark.core.repairs.loader import all_rules
from symops_lark.core.repairs.rule import Rule

RULES = all_rules()


def rules_from(folder: Path) -> dict[str, Rule]:
    return {rule.id: rule for rule in load_rules(load_grammar("v2"), [folder])}


# ---- the installed rules


def test_there_are_rules() -> None:
    assert len(RULES) > 50 and sum(len(rule.examples) for rule in RULES) > 2 * len(RULES) - 1


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_rule_has_both_kinds_of_examples(rule: Rule) -> None:
    assert any(example.before == example.after for example in rule.examples), "no `unchanged`"
    assert rule.summary.endswith(".") and rule.why.endswith(".")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_rule_is_in_the_rule_sets_of_its_dialects(rule: Rule) -> None:
    sets = {name: rule.id in {single_rule.id for single_rule in load_rules(load_grammar(name))} for name in rulesets()}
    for name, listed in sets.items():
        # plain has another layout: its rule set takes of the rules for all dialects those that make sense there.
        expected = rule.serves(load_grammar(name))
        assert listed == expected or (name == "plain" and not rule.dialects), f"rule set {name}"
    assert any(sets.values())


def test_ids_are_unique() -> None:
    files = [path for path in find_folder("repair_rules").glob("*/*.yaml") if path.parent.name != "rulesets"]
    assert {rule.path for rule in RULES} == set(files)
    assert len({rule.id for rule in RULES}) == len(RULES)
    assert [name for name, count in Counter(path.stem for path in files).items() if count > 1] == []


def test_every_rule_set_is_named_after_a_dialect() -> None:
    assert set(rulesets()) <= set(dialects())


def test_every_mistake_has_at_most_one_cure() -> None:
    for name in rulesets():
        cured = Counter(mistake for rule in load_rules(load_grammar(name)) for mistake in rule.mistakes)
        assert [mistake for mistake, count in cured.items() if count > 1] == []


# ---- rules from the user's folders


def test_user_rule_extends_the_set(tmp_path: Path) -> None:
    write_rule(tmp_path / "rules", RULE)
    result = process("%%run @ls\n", format="v2", rules=[tmp_path / "rules"])
    assert [(action.type, action.path) for action in result.document.actions] == [("run", "ls")]
    assert [repair.rule for repair in result.repairs] == ["my-rule"]


def test_user_rule_replaces_the_installed_one_of_its_id(tmp_path: Path) -> None:
    text = RULE.replace("my-rule", "capital-verb").replace("cost: 1", "cost: 7")
    write_rule(tmp_path / "rules", text, "capital-verb.yaml")
    assert rules_from(tmp_path / "rules")["capital-verb"].cost == 7
    assert len(rules_from(tmp_path / "rules")) == len(load_rules(load_grammar("v2")))


def test_user_rule_for_another_dialect_is_left_out(tmp_path: Path) -> None:
    write_rule(tmp_path / "rules", RULE + "dialects: [v1]\n")
    assert "my-rule" not in rules_from(tmp_path / "rules")


def test_a_single_file_is_taken_as_well(tmp_path: Path) -> None:
    assert "my-rule" in rules_from(write_rule(tmp_path / "rules", RULE))


def test_a_changed_rule_is_read_again(tmp_path: Path) -> None:
    write_rule(tmp_path / "rules", RULE)
    assert rules_from(tmp_path / "rules")["my-rule"].cost == 1
    write_rule(tmp_path / "rules", RULE.replace("cost: 1", "cost: 2.5"))
    assert rules_from(tmp_path / "rules")["my-rule"].cost == 2.5


BAD = {
    "unknown key": (RULE + "colour: red\n", 10, "unknown key 'colour'"),
    "no verb": (RULE.replace("replace:", "touches: markup #"), 1, "exactly one verb"),
    "two verbs": (RULE + "dedent: true\n", 7, "exactly one verb"),
    "bad regex": (RULE.replace("^%%", "(%%"), 7, "missing )"),
    "look-around": (RULE.replace("^%%", "(?=%%)"), 7, "RE2"),
    "unknown placeholder": (RULE.replace("^%%", "{no_such}%%"), 7, "{no_such}"),
    "unknown placeholder in with": (RULE.replace("{action}", "{no_such}"), 7, "{no_such}"),
    "unknown group in with": (RULE.replace('"{action}"', '"\\\\3"'), 7, "group"),
    "verb without its arguments": (RULE.replace(', with: "{action}"', ""), 7, "with"),
    "verb with a text for its arguments": (RULE.replace('{pattern: "^%%", with: "{action}"}', "oops"), 7, "pattern"),
    "no examples": (RULE.replace('[{before: "%%run @ls", after: "::run @ls"}]', "[]"), 8, "at least one"),
    "examples missing": (RULE.replace("examples:", "# examples:"), 1, "'examples' is missing"),
    "example without after": (RULE.replace(', after: "::run @ls"', ""), 8, "`before` and `after`"),
    "unchanged missing": (RULE.replace("unchanged:", "# unchanged:"), 1, "'unchanged' is missing"),
    "unknown role": (RULE.replace("[head]", "[haed]"), 6, "roles"),
    "unknown mistake": (
        RULE.replace("lines: [head]", "mistakes: [no-such-mistake]").replace(VERB, "drop_lines: anywhere"),
        7,
        "no-such-mistake",
    ),
    "cost of nothing": (RULE.replace("cost: 1", "cost: 0"), 5, "above 0"),
    "wrong id": (RULE.replace("my-rule", "your-rule"), 1, "not the file's name"),
    "touches": (RULE + "touches: nothing\n", 10, "markup, content, everything"),
    "content verb that claims markup": (RULE.replace(VERB, "dedent: true"), 7, "declare `touches: content`"),
    "not YAML": ("id: my-rule\n  phase: [\n", 2, "not YAML"),
    "not a mapping": ("- my-rule\n", 1, "a rule is a mapping"),
    "key twice": (RULE + "cost: 2\n", 10, "`cost` is set twice"),
    "each without rows": (RULE + "each: []\n", 10, "a mapping for every rule"),
    "rows of one id": (RULE + "each: [{a: b}, {a: c}]\n", 1, "differs in every row"),
}


@pytest.mark.parametrize(("text", "line", "reason"), BAD.values(), ids=BAD.keys())
def test_bad_rule_is_reported_by_file_and_line(tmp_path: Path, text: str, line: int, reason: str) -> None:
    path = write_rule(tmp_path / "rules", text)
    with pytest.raises(RuleError) as caught:
        process("%%run @ls\n", format="v2", rules=[tmp_path / "rules"])
    message = str(caught.value)
    assert re.match(rf"{re.escape(str(path))}:{line}:\d+: error: ", message) and reason in message, message
    assert f"{line:>5} | {text.splitlines()[line - 1][:100]}" in message


def test_rule_that_is_not_utf8(tmp_path: Path) -> None:
    path = write_rule(tmp_path / "rules", RULE)
    path.write_bytes(path.read_bytes().replace(b"made-up", b"made\xffup"))
    with pytest.raises(RuleError) as caught:
        rules_from(tmp_path / "rules")
    assert str(caught.value).startswith(f"{path}:")


def test_folder_without_rules(tmp_path: Path) -> None:
    with pytest.raises(RuleError, match="no rule"):
        rules_from(tmp_path)


@pytest.mark.parametrize("verb", ["replace", "replace_text"])
def test_evil_pattern_returns(tmp_path: Path, verb: str) -> None:
    """An engine that tries one way after another would take 2 to the power of 50 of them."""
    text = RULE.replace("replace:", f"{verb}:").replace("^%%", "(a+)+$") + "touches: everything\n"
    write_rule(tmp_path / "rules", text)
    engine = RepairEngine("v2", folders=[tmp_path / "rules"])
    assert engine.repair(">> hi\n" + "a" * 50 + "b").text.endswith("ab")
