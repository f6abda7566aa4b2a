"""Tasks from files: what they say is what `Task` would take, and each error has its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from agent_shop import GOOD, REQUEST, TEST, make_shop, model

from symops_lark import SymOpsError
from symops_lark.agent import Kind, Limits, load_task, run_task
from symops_lark.models import Message

WHOLE = f"""\
request: {REQUEST}
root: shop
frame:
  target_feature: {{value: checkout of Cart, quote: checkout of Cart}}
  observed_issue: {{value: "raises 'the cart is empty'", quote: "raises 'the cart is empty'"}}
tests: ["{TEST}"]
rounds: 2
rules: rules.yaml
step: fix
policy: policy.yaml
limits: {{calls: 5, tokens: 9000}}
"""
RULES = """\
steps:
  fix:
    rules:
      - {condition: passed, when: failed == 0, next: COMPLETE}
      - {condition: failed, when: failed > 0, next: fix}
"""


@pytest.fixture(name="folder")
def make_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    make_shop(tmp_path / "shop")
    (tmp_path / "rules.yaml").write_text(RULES)
    (tmp_path / "policy.yaml").write_text("max_actions: 3\n")
    (tmp_path / "TASK.yaml").write_text(WHOLE)
    return tmp_path


def test_a_file_has_the_fields_of_a_task(folder: Path) -> None:
    task = load_task(folder / "TASK.yaml")
    assert (task.request, task.root, task.tests, task.rounds) == (REQUEST, str(folder / "shop"), (TEST,), 2)
    assert task.limits == Limits(calls=5, tokens=9000) and task.policy.max_actions == 3
    assert [rule.condition for rule in task.rules_file.find("fix").rules] == ["passed", "failed"]
    assert not task.write and load_task(folder / "TASK.yaml", write=True, rounds=1).rounds == 1


def test_a_run_of_a_file_is_that_of_its_task(folder: Path) -> None:
    run = run_task(load_task(folder / "TASK.yaml", write=True), [model("good", GOOD)])
    assert run.ok and run.why == "rule 1 of fix: passed"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('request: x\nroot: "a\\0b"\n', "TASK.yaml:2:7: error: root: it cannot be the name of a folder"),
        ("request: x\nwrite: true\n", "TASK.yaml:2:1: error: no key is called 'write'"),
        ("request: x\nrounds: many\n", "TASK.yaml:2:9: error: rounds: expected an integer, got 'many'"),
        ("request: x\nrounds: 99\n", "TASK.yaml:2:9: error: rounds: expected 1 to 10, got 99"),
        ("request: x\ntests: [ok, 3]\n", "TASK.yaml:2:13: error: tests[1]: expected a string"),
        ("request: x\nlimits:\n  calls: 0\n", "TASK.yaml:2:1: error: limits: seconds"),
        ("request: x\nlimits: {seconds: .inf}\n", "TASK.yaml:2:9: error: limits: seconds"),
        ("request: x\nframe: {goal: x}\n", "TASK.yaml:2:8: error: frame: unknown slot 'goal'"),
        ("request: x\nrules: no.yaml\n", "no.yaml: the rules file cannot be read"),
        ("request: x\nroot: [a]\n", "TASK.yaml:2:7: error: root: expected a string"),
        ("root: .\n", "request: it is empty"),
        ("- request\n", "TASK.yaml:1:1: error:"),
        ("request: [\n", "TASK.yaml:2:1: error: not YAML"),
        ("", "keys with values are expected: request"),
    ],
)
def test_errors_have_their_place(folder: Path, text: str, message: str) -> None:
    (folder / "TASK.yaml").write_text(text)
    with pytest.raises(SymOpsError) as caught:
        load_task(folder / "TASK.yaml")
    assert message in str(caught.value)


def test_prompts_are_kept_where_that_is_wanted(folder: Path) -> None:
    good = model("good", GOOD)
    run = run_task(load_task(folder / "TASK.yaml", keep_prompts=True), [good])
    prompt = run.last(Kind.PROMPT)
    assert prompt is not None
    assert tuple(Message.from_dict(turn) for turn in prompt.data["messages"]) == tuple(good[1].requests[0])
    without = run_task(load_task(folder / "TASK.yaml"), [model("good", GOOD)]).last(Kind.PROMPT)
    assert without is not None and "messages" not in without.data


def test_a_request_may_come_from_the_caller(folder: Path) -> None:
    (folder / "TASK.yaml").write_text("root: shop\nrounds: 2\n")
    task = load_task(folder / "TASK.yaml", request="Return 0")
    assert (task.request, task.root, task.rounds, task.step) == ("Return 0", str(folder / "shop"), 2, None)
    (folder / "TASK.yaml").write_text("request: Fix it\n")
    assert load_task(str(folder / "TASK.yaml")).root == str(folder)
    assert load_task(folder / "TASK.yaml", request="Return 0").request == "Return 0"


@pytest.mark.parametrize("key", ["write", "run_code", "keep_prompts", "verifier"])
def test_what_is_for_the_caller_to_say_is_no_key(folder: Path, key: str) -> None:
    (folder / "TASK.yaml").write_text(f"request: x\n{key}: true\n")
    with pytest.raises(SymOpsError, match=rf"TASK\.yaml:2:1: error: no key is called '{key}'"):
        load_task(folder / "TASK.yaml")


def test_the_step_is_one_of_the_rules(folder: Path) -> None:
    (folder / "TASK.yaml").write_text("request: x\nrules: rules.yaml\nstep: [fix]\n")
    with pytest.raises(SymOpsError, match=r"TASK\.yaml:3:7: error: "):
        load_task(folder / "TASK.yaml")
    (folder / "TASK.yaml").write_text("request: x\nrules: rules.yaml\nstep: fix\n")
    assert load_task(folder / "TASK.yaml").step == "fix"
    (folder / "rules.yaml").write_text(RULES.replace("fix", "check"))
    (folder / "TASK.yaml").write_text("request: x\nrules: rules.yaml\nstep: check\n")
    assert load_task(folder / "TASK.yaml").step == "check"
    (folder / "TASK.yaml").write_text("request: x\nrules: rules.yaml\nstep: review\n")
    with pytest.raises(SymOpsError, match="no step is called"):
        load_task(folder / "TASK.yaml")


def test_each_rule_of_a_file_leads_somewhere(folder: Path) -> None:
    (folder / "rules.yaml").write_text(RULES.replace("next: fix", "next: nowhere"))
    with pytest.raises(SymOpsError, match="nowhere"):
        load_task(folder / "TASK.yaml")
