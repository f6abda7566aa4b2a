"""`symops judge`: which rule holds, against a real server on loopback and a command that answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import Result
from command_line import run
from model_server import Answer, model_server

RULES = """\
steps:
  review:
    reports: [review.md]
    facts: [errors]
    rules:
      - condition: The change is approved.
        next: COMPLETE
      - condition: The change needs a fix.
        next: fix
      - when: errors > 0
        next: fix
      - condition: Ask the user.
        interactive_only: true
"""
GOOD = json.dumps({"step": 2, "reason": "tests fail"})


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("rules.yaml").write_text(RULES)
    Path("review.md").write_text("# Review\n\nTwo tests fail.\n")
    return tmp_path


def judge(
    *script: str, more: tuple[str, ...] = ("--fact", "errors=0"), reports: tuple[str, ...] = ("review.md",)
) -> Result:
    with model_server([Answer(text) for text in script]) as server:
        model = ("-p", "vllm", "-m", "m", "--base-url", server.url)
        return run("judge", "rules.yaml", *reports, *model, *more)


def test_a_rule_is_found() -> None:
    result = judge(GOOD)
    assert result.exit_code == 0
    assert (
        result.stdout
        == "rule 2 of review: The change needs a fix.\nnext: fix\nfound by structured_output: tests fail\n"
    )


def test_explain_shows_each_call() -> None:
    result = judge("no idea", "no idea", "[REVIEW:1]", more=("--fact", "errors=0", "--explain"))
    assert result.exit_code == 0 and "rule 1 of review" in result.stdout and "found by phase3_tag" in result.stdout
    calls = [line for line in result.stdout.split("\n") if line.startswith("call ")]
    assert calls[0].startswith("call 1: stage 1, structured_output: invalid (") and len(calls) == 3
    assert calls[2] == "call 3: stage 2, phase3_tag: answered"
    assert "reply | no idea" in result.stdout and "asked | - [REVIEW:2]" in result.stdout


def test_json_has_everything() -> None:
    value = json.loads(judge(GOOD, more=("--fact", "errors=0", "--json")).stdout)
    assert (value["step"], value["condition"], value["next"]) == ("review", "The change needs a fix.", "fix")
    assert (value["rule_index"], value["method"], value["logged"]) == (1, "structured_output", "structured_output")
    assert value["tag"] == "[REVIEW:2]" and value["reason"] == "tests fail" and value["stages"][0]["response"] == GOOD


def test_none_is_found() -> None:
    result = judge(*["no idea"] * 4)
    assert result.exit_code == 1 and result.stdout == "" and "no rule of review was found: stage 1" in result.stderr
    value = json.loads(judge(*["no idea"] * 4, more=("--fact", "errors=0", "--json")).stdout)
    assert value["rule_index"] is None and len(value["stages"]) == 4
    assert "reply | no idea" in judge(*["no idea"] * 4, more=("--fact", "errors=0", "--explain")).stdout


def test_facts_need_no_model() -> None:
    result = run("judge", "rules.yaml", "--fact", "errors=2")
    assert (result.exit_code, result.stdout) == (
        0,
        "rule 3 of review: errors > 0\nnext: fix\nfound by when: errors > 0 holds\n",
    )


def test_reports_of_the_step_are_beside_the_rules() -> None:
    assert judge(GOOD, reports=()).exit_code == 0
    result = judge(GOOD, reports=("review.md", "none.md"))
    assert result.exit_code == 0 and "none.md: there is no such report; it is passed over" in result.stderr
    Path("last.txt").write_text("Two tests fail.")
    result = judge(GOOD, reports=("none.md",), more=("--response", "last.txt", "--fact", "errors=0"))
    assert result.exit_code == 0


def test_interactive_rules_are_shown_when_asked_for() -> None:
    ask = json.dumps({"step": 3, "reason": ""})
    assert judge(ask, "", "", more=("--fact", "errors=0")).exit_code == 1
    assert "rule 4 of review: Ask the user." in judge(ask, more=("--fact", "errors=0", "--interactive")).stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("none.yaml",), "none.yaml: the rules file cannot be read"),
        (("rules.yaml", "none.md"), "nothing to judge"),
        (("rules.yaml", "review.md", "--fact", "errors=0"), "no model was given"),
        (("rules.yaml", "review.md"), "no value was given for errors: --fact errors=…"),
        (("rules.yaml", "--fact", "eror=0"), "with a name of the step's facts (errors)"),
        (("rules.yaml", "--fact", "errors"), "a fact is NAME=VALUE"),
        (("rules.yaml", "--fact", "errors=1", "--fact", "errors=0"), "the value of 'errors' is given twice"),
        (("rules.yaml", "--fact", "errors=many"), "a text and a number cannot be compared"),
        (("rules.yaml", "--step", "x"), "no step is called 'x'; there are review"),
        (("rules.yaml", "review.md", "-p", "nobody"), "there is no provider 'nobody'"),
        ((), "Missing argument 'RULES.yaml'"),
    ],
)
def test_what_is_wrong_with_the_arguments(arguments: tuple[str, ...], said: str) -> None:
    result = run("judge", *arguments)
    assert result.exit_code == 2 and said in result.stderr and result.stdout == ""


def test_a_wrong_rules_file_is_shown_with_its_line() -> None:
    Path("rules.yaml").write_text(RULES.replace("errors > 0", "eror > 0"))
    result = run("judge", "rules.yaml", "--fact", "errors=0")
    assert result.exit_code == 2 and "rules.yaml:10:15: error: no fact is called eror" in result.stderr
    assert "   10 |       - when: eror > 0\n      |               ^^^^" in result.stderr


# ---- parallel parts

PARTS = """\
steps:
  reviews:
    rules:
      - all: approved
        next: COMPLETE
      - any: needs a fix
        next: fix
      - condition: somebody has to decide
  security:
    rules: [approved, needs a fix]
"""


@pytest.mark.parametrize(
    ("parts", "rule"),
    [
        (["security=approved", "style=approved"], 0),
        (["security=1", "style=approved"], 0),
        (["security=2", "style=approved"], 1),
        (["security=01", " style = approved"], 0),
        (["security=approved", "style=blocked"], 2),
    ],
)
def test_parallel_parts_decide(parts: list[str], rule: int) -> None:
    Path("rules.yaml").write_text(PARTS)
    options = [word for part in parts for word in ("--part", part)]
    result = run("judge", "rules.yaml", "review.md", "--step", "reviews", *options, "--json")
    judged = json.loads(result.stdout)
    assert (result.exit_code, judged["rule_index"]) == (0, rule)
    assert judged["method"] == ("auto_select" if rule == 2 else "aggregate")
    assert run("judge", "rules.yaml", "review.md", "--step", "reviews", *options).stdout.startswith(f"rule {rule + 1} ")


@pytest.mark.parametrize(
    "part",
    [
        *("approved", "=approved", "style=1", "style=-1", "security=3", "security=", "security=0", "security=-1"),
        *("security=aproved", "security=Approved", "security=" + "9" * 5_000),
    ],
)
def test_a_part_without_a_rule_is_told(part: str) -> None:
    Path("rules.yaml").write_text(PARTS)
    result = run("judge", "rules.yaml", "review.md", "--step", "reviews", "--part", part)
    assert result.exit_code == 2 and f"--part {part}" in result.output


def test_a_part_has_one_rule() -> None:
    """The first of two rules was forgotten, or both counted as parts."""
    Path("rules.yaml").write_text(PARTS)
    Path("parts.json").write_text('{"security": 2}')
    step = ("judge", "rules.yaml", "review.md", "--step", "reviews")
    for more in (("--part", "security=2"), ("--parts", "parts.json")):
        result = run(*step, *more, "--part", "security=1")
        assert result.exit_code == 2 and "--part security=1: the rule of 'security' is given twice" in result.stderr
    result = run(*step, "--part", "security=aproved")
    assert "the step 'security' has no rule aproved; there are 1: approved, 2: needs a fix" in result.stderr
    result = run(*step, "--part", "style=blocked")
    assert result.stdout.endswith("found by auto_select: no other rule is left\n")


def test_parts_and_what_was_not_found_are_read_and_logged() -> None:
    """`--parts` has what `--part` has; a judgment that finds no rule is logged as well."""
    Path("rules.yaml").write_text(PARTS)
    Path("parts.json").write_text('{"security": 2, "style": "approved"}')
    step = ("judge", "rules.yaml", "review.md", "--step", "reviews", "--log", "log.jsonl")
    result = run(*step, "--parts", "parts.json")
    assert (result.exit_code, result.stdout.split(":")[0]) == (0, "rule 2 of reviews")
    Path("rules.yaml").write_text(RULES)
    assert judge("no", "no", "no", more=("--fact", "errors=0", "--log", "log.jsonl")).exit_code == 1
    first, second = map(json.loads, Path("log.jsonl").read_text().splitlines())
    assert (first["rule_index"], second["rule_index"]) == (1, None) and second["stages"]
    for text in ("[1]", '{"security": true}', "{"):
        Path("parts.json").write_text(text)
        result = run("judge", "rules.yaml", "review.md", "--parts", "parts.json")
        assert result.exit_code == 2 and "parts.json:" in result.output
