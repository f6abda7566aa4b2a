"""Files of rules and the reports beside them: what is read, and where what is wrong is shown."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from benchmarks.fuzz.mutations import mutate
from symops_lark import SymOpsError
from symops_lark.answers.judgment import End, Rule, RulesError, RulesFile, join_reports, load_rules, read_source

GOOD = """\
language: ja
aliases: [PHASE]
steps:
  ai review:
    reports: [review.md, tests.md]
    facts: errors
    rules:
      - approved
      - condition: needs a fix
        next: fix
      - when: errors > 0 and
          errors < 99
        next: fix
      - condition: who decides?
        interactive_only: true
      - condition: it is dangerous
        ai: true
      - ai: it is slow
      - all: approved
      - any: [needs a fix, blocked]
        condition: some part failed
      - condition: all("a", "b")
"""


def load(tmp_path: Path, text: str) -> RulesFile:
    path = tmp_path / "rules.yaml"
    path.write_text(text, encoding="utf-8")
    return load_rules(path)


def test_reads_all_that_a_file_can_say(tmp_path: Path) -> None:
    file = load(tmp_path, GOOD)
    assert (file.language, file.aliases) == ("ja", ("PHASE",))
    step = file.find()
    assert (step.name, step.reports, step.facts) == ("ai review", ("review.md", "tests.md"), ("errors",))
    assert step is file.find("ai review")
    assert step.rules == (
        Rule("approved"),
        Rule("needs a fix", "fix"),
        Rule("errors > 0 and errors < 99", "fix", when="errors > 0 and errors < 99"),
        Rule("who decides?", interactive_only=True),
        Rule("it is dangerous", ai="it is dangerous"),
        Rule("it is slow", ai="it is slow"),
        Rule("approved", all_of=("approved",)),
        Rule("some part failed", any_of=("needs a fix", "blocked")),
        Rule('all("a", "b")', all_of=("a", "b")),
    )


def rules(*lines: str, facts: str = "errors") -> str:
    listed = "".join(f"      {line}\n" for line in lines)
    return f"steps:\n  review:\n    facts: [{facts}]\n    rules:\n{listed}"


WRONG: dict[str, tuple[str, str]] = {
    "": ("1:1", "keys with values are expected: steps"),
    "- a\n": ("1:1", "a rules file is a mapping"),
    "steps: 3\n": ("1:8", "a mapping from names to steps"),
    "steps: {}\n": ("1:8", "a mapping from names to steps"),
    "step: {}\n": ("1:1", "did you mean 'steps'?"),
    "language: fr\nsteps: {a: {rules: [b]}}\n": ("1:11", "it is one of en, ja"),
    "steps:\n  '': {rules: [a]}\n": ("2:3", "1 to 100 characters"),
    "steps:\n  7: {rules: [a]}\n": ("2:3", "the name of a step is a text"),
    "steps:\n  review: {}\n": ("2:11", "keys with values are expected: rules"),
    "steps:\n  review: {rules: []}\n": ("2:19", "at least one rule is needed"),
    "steps:\n  review: {rules: a}\n": ("2:19", "at least one rule is needed"),
    "steps:\n  review: {rules: [a], report: x}\n": ("2:24", "did you mean 'reports'?"),
    "steps:\n  review: {rules: [a], reports: 3}\n": ("2:33", "reports is a list of texts"),
    rules("- 3"): ("5:9", "a rule is a mapping, or a condition in words"),
    rules("- {}"): ("5:9", "a rule is a mapping, or a condition in words"),
    rules("- next: fix"): ("5:9", "a rule has no condition"),
    rules("- condition: yes"): ("5:20", "condition is a text, with quotes"),
    rules("- conditoin: a"): ("5:9", "did you mean 'condition'?"),
    rules("- condition: a", "  interactive_only: 1"): ("6:27", "interactive_only is true or false"),
    rules("- condition: a", "  ai: false"): ("6:13", "ai is true, or a text"),
    rules("- condition: a", "  ai: b", "  when: errors > 0"): ("5:9", "more than one of ai, when, all and any"),
    rules("- a", "- condition: A"): ("6:20", "two rules have one condition"),
    rules("- when: eror > 0"): ("5:15", "no fact is called eror"),
    rules("- condition: a", "  when: 'errors > 0 and'"): ("6:30", "ends too early"),
    rules("- condition: when(eror > 0)"): ("5:25", "no fact is called eror"),
    rules("- when: errors > 0", facts="error"): ("5:15", "did you mean one of error?"),
    rules("- condition: a", "  condition: b"): ("6:9", "set twice"),
    "steps: [\n": ("2:1", "not YAML"),
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_is_told_with_its_place(tmp_path: Path, text: str) -> None:
    place, answer = WRONG[text]
    with pytest.raises(RulesError) as caught:
        load(tmp_path, text)
    message = str(caught.value)
    assert f"rules.yaml:{place}: error: " in message and answer in message, message
    if text and "YAML" not in answer:
        assert f"{place.partition(':')[0]} | " in message, "the line is shown"


def test_a_missing_file_and_a_missing_step(tmp_path: Path) -> None:
    with pytest.raises(RulesError, match="cannot be read"):
        load_rules(tmp_path / "none.yaml")
    file = load(tmp_path, "steps: {a: {rules: [b]}, c: {rules: [d]}}")
    assert file.find("c").rules == (Rule("d"),)
    with pytest.raises(RulesError, match="there are several steps: name one of them; there are a, c"):
        file.find()
    with pytest.raises(RulesError, match="no step is called 'x'; there are a, c"):
        file.find("x")


SCHEMA = json.loads((files("symops_lark.answers.judgment") / "rules.schema.json").read_text("utf-8"))
ALSO_BY_SCHEMA = [
    text
    for text, (_, key) in WRONG.items()
    if not any(
        word in key
        for word in (
            "fact",
            "one of error",
            "ends too early",
            "one condition",
            "twice",
            "YAML",
            "1 to 100",
            "name of a step",
        )
    )
]


def test_the_schema_knows_what_the_reader_knows(tmp_path: Path) -> None:
    Draft202012Validator.check_schema(SCHEMA)
    validator: Any = Draft202012Validator(SCHEMA)
    assert list(validator.iter_errors(yaml.safe_load(GOOD))) == []
    assert len(ALSO_BY_SCHEMA) > 15
    for text in ALSO_BY_SCHEMA:
        assert not validator.is_valid(yaml.safe_load(text)), text


@pytest.mark.slow
def test_what_strangers_write_is_read_or_told_with_its_place(tmp_path: Path) -> None:
    draws, path = Random(1), tmp_path / "rules.yaml"
    words = [
        b"rules:",
        b"when:",
        b"ai: true",
        b"- ",
        b"{",
        b"]",
        b"steps:",
        b"errors >",
        b"&a",
        b"*a",
        b"all:",
        b"any: []",
    ]
    count = 0
    for _ in range(300):
        path.write_bytes(mutate(draws, [GOOD.encode(), rules("- when: errors > 0", "- b").encode()], words))
        try:
            count += bool(load_rules(path).steps)
        except RulesError as error:
            assert str(error).startswith(f"{path}:")
    assert 10 < count < 290


# ---- reports


def test_reports_are_joined_and_missing_ones_passed_over(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("\ufeffFirst.\n", encoding="utf-8")
    (tmp_path / "b.md").write_text("Second.", encoding="utf-8")
    paths = [tmp_path / name for name in ("a.md", "none.md", "b.md")]
    assert read_source(paths, "the response") == "# a.md\n\nFirst.\n\n\n---\n\n# b.md\n\nSecond."
    assert read_source([tmp_path / "none.md"], "the response") == "the response"
    assert read_source((), "the response") == "the response"
    assert join_reports({"a": "1", "b": "2"}) == join_reports([("a", "1"), ("b", "2")]) == "# a\n\n1\n\n---\n\n# b\n\n2"
    for last in (None, "", " \n"):
        with pytest.raises(SymOpsError, match=r"none of the reports exists .*none\.md"):
            read_source([tmp_path / "none.md"], last)
    # A heading with blanks below it would be judged like a report.
    (tmp_path / "blank.md").write_text(" \n", encoding="utf-8")
    assert read_source([tmp_path / "blank.md"], "the response") == "the response"
    with pytest.raises(SymOpsError, match=r"the reports have no text .*blank\.md"):
        read_source([tmp_path / "blank.md"])
    with pytest.raises(SymOpsError, match="there is no report, and no last response"):
        read_source()


def test_reports_that_are_no_texts_are_told(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"ok \xff")
    with pytest.raises(SymOpsError, match="not UTF-8: byte 0xff at offset 3"):
        read_source([tmp_path / "a.md"])
    with pytest.raises(SymOpsError, match="cannot be read"):
        read_source([tmp_path])


# ---- following rules


FLOW = """\
steps:
  fix:
    rules:
      - when: failed == 0 and total > 0
        condition: all tests pass
        next: COMPLETE
      - condition: a test fails
        next: fix
      - condition: the request cannot be met
        next: ABORT
      - condition: it is unclear
        next: ask
      - condition: another try
  ask:
    rules: [answered]
"""


def test_a_rule_leads_to_a_step_or_to_an_end(tmp_path: Path) -> None:
    file = tmp_path / "rules.yaml"
    file.write_text(FLOW)
    rules = load_rules(file, closed=True)
    ways = [rules.follow("fix", rule.next) for rule in rules.find("fix").rules]
    assert ways == [End.COMPLETE, rules.steps[0], End.ABORT, rules.steps[1], rules.steps[0]]
    with pytest.raises(RulesError, match="no step is called 'review'"):
        rules.follow("fix", "review")


def test_a_rule_that_leads_nowhere_is_refused_where_it_is_followed(tmp_path: Path) -> None:
    file = tmp_path / "rules.yaml"
    file.write_text(FLOW.replace("next: ask", "next: complete"))
    assert load_rules(file).find("fix").rules[3].next == "complete", "another program may have further steps"
    with pytest.raises(RulesError, match=r"rules.yaml:12:15: .*next: no step is called 'complete'") as caught:
        load_rules(file, closed=True)
    assert "there are fix, ask, COMPLETE, ABORT" in str(caught.value)
