"""Verifiers: what is found about replies, when a reply is a refusal, and that no reply makes one raise."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sandboxes import needs_bwrap

from symops_lark.core.ground.json_objects import FieldError
from symops_lark.lab.benchmark.faults.profile import load_profile
from symops_lark.lab.benchmark.formats import load_format
from symops_lark.lab.benchmark.records import Case
from symops_lark.lab.benchmark.sources.simulated import Simulated
from symops_lark.lab.benchmark.tasks import load_tasks
from symops_lark.models import Finish, Reply
from symops_lark.routing import RoutingError
from symops_lark.routing.verifiers import Surroundings, Verdict, known_verifiers, make_check, verify

SCHEMA = {"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}}
RULES = {"rules": [{"id": "polite", "must": "(?i)please"}, {"id": "short", "at_most": 20}]}
SYMOPS = ">> go\n::create @a.py\n<<<\nx = 1\n>>>\n"
ALL: dict[str, dict[str, Any]] = {
    "json_schema": {"schema": SCHEMA},
    "symops": {},
    "rule_check": RULES,
    "unit_test": {"commands": ["true"]},
    "applies": {},
    "static_analysis": {"command": "true"},
}


def judge(
    kind: str, reply: str | Reply, config: dict[str, Any] | None = None, condition: str = "", **more: Any
) -> Verdict:
    check = make_check(kind, ALL[kind] if config is None else config)
    inputs = Reply(reply, Finish.STOP) if isinstance(reply, str) else reply
    return verify(check, condition or check.condition, inputs, Surroundings(**more))


def test_there_are_those_of_the_protocol_and_ours() -> None:
    assert set(known_verifiers()) == set(ALL)
    assert [name for name, kind in known_verifiers().items() if kind.runs_code] == ["static_analysis", "unit_test"]
    with pytest.raises(RoutingError, match="no verifier is called 'x'"):
        make_check("x", {})


@given(
    st.sampled_from(["json_schema", "symops", "rule_check"]),
    st.text(max_size=60) | st.sampled_from([SYMOPS, '{"a": 1}']),
)
def test_no_reply_makes_a_verifier_raise(kind: str, text: str) -> None:
    """And what a condition may name is what is found, each of its kind."""
    judgment = judge(kind, text + "\ud800")
    check = make_check(kind, ALL[kind])
    assert {*check.sample} <= {*judgment.facts}
    assert all(type(judgment.facts[name]) is type(value) for name, value in check.sample.items())
    assert judgment.q1 is None or 0 <= judgment.q1 <= 1
    assert not (judgment.passed and judgment.refusal)
    assert json.loads(json.dumps(judgment.to_dict()))["q0"] == judgment.q0


# ---- refusals

SORRY = "I'm sorry, but I can't help with that."


@pytest.mark.parametrize("kind", ["json_schema", "symops", "rule_check"])
@pytest.mark.parametrize(
    "reply",
    ["", " \n\t", SORRY, "申し訳ありませんが、お答えできません。", Reply("no", Finish.REFUSED)],
    ids=["empty", "blank", "English", "Japanese", "filter"],
)
def test_a_refusal_never_passes(kind: str, reply: str | Reply) -> None:
    config = {"rules": [{"id": "any", "at_most": 100}]} if kind == "rule_check" else None  # which it would keep
    judgment = judge(kind, reply, config)
    assert (judgment.passed, judgment.q0, judgment.refusal_penalty) == (False, 0, 1.0)
    assert judgment.refusal and judgment.told


def test_a_part_that_is_missing_is_a_refusal() -> None:
    for kind in ("json_schema", "symops"):
        judgment = judge(kind, "The weather is fine today.")
        assert judgment.refusal == "the part that is asked for is missing", kind
    assert judge("rule_check", "Please.").refusal == ""


def test_words_of_a_refusal_inside_an_answer_are_none() -> None:
    assert judge("json_schema", json.dumps({"a": 1, "b": SORRY})).passed
    assert judge("symops", SYMOPS.replace("x = 1", f"# {SORRY}")).passed


# ---- JSON


@pytest.mark.parametrize(
    ("reply", "passed", "facts"),
    [
        ('{"a": 1}', True, {"errors": 0, "repaired": False}),
        ('Here:\n```json\n{"a": 1}\n```\n', True, {"json_found": True}),
        ('{"a": "1"}', False, {"json_found": True, "errors": 1}),
        ('{"b": 3}', False, {"errors": 2}),
        ('{"a": 1', False, {"json_found": False, "errors": 1}),
        ("[1]", False, {"json_found": False}),
    ],
)
def test_json_by_a_schema(reply: str, passed: bool, facts: dict[str, Any]) -> None:
    judgment = judge("json_schema", reply)
    assert judgment.passed == passed and judgment.q1 is None
    assert {name: judgment.facts[name] for name in facts} == facts
    assert bool(judgment.told) != passed
    assert judge("json_schema", reply, condition="errors < 2").passed == (
        judgment.facts["errors"] < 2 and not judgment.refusal
    )


@pytest.mark.parametrize("text", ['Here it is: {"a": 1}\nThe file', '```json\n{"a": 1}\n```\nIt', '{"a": 1,}'])
def test_an_object_of_a_reply_that_was_cut_off_counts_only_if_it_is_all_of_it(text: str) -> None:
    check = make_check("json_schema", {"schema": SCHEMA})
    verdicts = [
        verify(check, check.condition, Reply(text, finish), Surroundings()) for finish in (Finish.LENGTH, Finish.STOP)
    ]
    assert [verdict.passed for verdict in verdicts] == [False, True]
    assert "cut off" in verdicts[0].told and verdicts[0].facts["errors"] == 1
    assert verify(check, check.condition, Reply('{"a": 1}', Finish.LENGTH), Surroundings()).passed


def test_q1_of_json_is_the_share_of_what_is_right() -> None:
    config = {"schema": SCHEMA, "expected": {"a": 1, "b": "x"}}
    assert judge("json_schema", '{"a": 1, "b": "x"}', config).q1 == 1.0
    assert judge("json_schema", '{"a": 1, "b": "y"}', config).q1 == 0.5
    assert judge("json_schema", '{"a": true}', config).q1 == 0.0, "true is no 1"
    assert judge("json_schema", "{}", config).q1 == 0.0


def test_a_schema_lies_below_the_folder(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "s.json").write_text(json.dumps(SCHEMA))
    (tmp_path / "out.json").write_text("{}")
    around = {"folder": str(tmp_path / "in"), "schema_ref": "s.json"}
    assert judge("json_schema", '{"a": 1}', {}, **around).passed
    assert not judge("json_schema", "{}", {}, **around).passed
    for name in ("../out.json", "/etc/passwd", "none.json", "."):
        with pytest.raises(RoutingError):
            judge("json_schema", "{}", {"schema_ref": name}, **around)


# ---- Sym-Ops


@pytest.mark.parametrize(
    ("reply", "passed", "phase"),
    [
        (SYMOPS, True, "strict"),
        (SYMOPS.replace("::create", "create"), True, "repaired"),
        ("::create@a.py\n\nThe file:", False, "repaired"),
        (json.dumps({"actions": [{"type": "create", "path": "a.py", "content": "x"}]}), False, "recovered"),
        ("nothing of the kind", False, "none"),
    ],
)
def test_sym_ops_by_its_phase(reply: str, passed: bool, phase: str) -> None:
    judgment = judge("symops", reply)
    assert (judgment.passed, judgment.facts["phase"]) == (passed, phase)
    assert judgment.q1 == judgment.facts["confidence"]
    assert (judgment.q1 == 1.0) == (phase == "strict")


def test_a_reply_that_was_cut_off_is_no_valid_document() -> None:
    for text in (SYMOPS, ">> A thought.\n"):
        judgment = judge("symops", Reply(text, Finish.LENGTH))
        assert (judgment.passed, judgment.facts["cut_off"]) == (False, True) and "cut off" in judgment.told
    assert judge("symops", ">> A thought.\n").passed
    assert not judge("symops", ">> A thought.\n", condition="valid == true and actions > 0").passed


@pytest.mark.slow
def test_more_damage_is_less_reward() -> None:
    """On the tasks of the benchmark: a weak writer passes less often, and its score is lower."""
    format, tasks = load_format("v2", (), 0), load_tasks()[:12]
    means = []
    for name in ("frontier", "weak"):
        writer = Simulated(load_profile(name))
        replies = [writer.give(Case("v2", task.name, n), format, task).reply for task in tasks for n in range(2)]
        verdicts = [judge("symops", reply) for reply in replies]
        means.append(sum(verdict.q0 + (verdict.q1 or 0) for verdict in verdicts) / len(verdicts))
    assert means[0] > means[1] + 0.05


def test_a_dialect_is_named() -> None:
    assert judge("symops", ":: create a.py\n", {"format": "v1"}).facts["phase"] != "strict"
    for item in ("v99", "../v2", "mine.lark"):
        with pytest.raises(FieldError, match="format"):
            make_check("symops", {"format": item})


# ---- rules


def test_rules_are_facts() -> None:
    judgment = judge("rule_check", "Please, in more words than that.")
    assert (judgment.passed, judgment.q1) == (False, 0.5)
    assert {"rule.polite": True, "rule.short": False, "kept": 1, "failed": 1}.items() <= judgment.facts.items()
    assert judge("rule_check", "Please, in more words than that.", condition="rule.polite and failed < 2").passed
    assert judgment.told == "not kept: short"


def test_patterns_of_rules_take_linear_time() -> None:
    config = {"rules": [{"id": "slow", "must": "^(a+)+$"}]}
    assert not judge("rule_check", "a" * 50_000 + "b", config).passed


# ---- programs

ADD = "def add(a, b):\n    return a + b\n"
TESTS = {"commands": [f"{{python}} -c 'import solution; assert solution.add({a}, 2) == {a + 2}'" for a in (1, 2)]}


def test_nothing_is_run_unless_it_is_allowed(tmp_path: Path) -> None:
    for kind, config in (
        ("unit_test", {"commands": [f"touch {tmp_path}/x"]}),
        ("static_analysis", {"command": "true"}),
    ):
        with pytest.raises(RoutingError, match="--run-code"):
            judge(kind, "x = 1", config)
    assert not list(tmp_path.iterdir())


@needs_bwrap
@pytest.mark.parametrize(
    ("reply", "passed", "q1"),
    [
        (ADD, True, 1.0),
        (f"Here it is:\n\n```python\n{ADD}```\n\nUse it:\n\n```sh\npython solution.py\n```\n", True, 1.0),
        (ADD.replace("a + b", "3"), False, 0.5),
        ("```sql\nSELECT 1;\n```\n", False, 0.0),
        ("```python\nnever closed\n", False, 0.0),
        ("while True: pass", False, 0.0),
        ("\ud800", False, 0.0),
    ],
    ids=range(7),
)
def test_tests_run_in_the_sandbox(reply: str, passed: bool, q1: float) -> None:
    judgment = judge("unit_test", reply, TESTS, run_code=True, seconds=1.0)
    assert (judgment.passed, judgment.q1) == (passed, q1)
    assert judgment.facts["total"] == 2
    assert bool(judgment.facts["timed_out"]) == reply.startswith("while")


@needs_bwrap
def test_a_reply_reaches_no_network_and_no_file_outside(tmp_path: Path) -> None:
    """And what it does to its folder, the next test does not see."""
    reply = (
        "import os, socket\n"
        f"for way in ({str(tmp_path / 'x')!r}, '/var/tmp/symops-x'):\n"
        "    try:\n        open(way, 'w').close()\n        raise SystemExit(7)\n    except OSError:\n        pass\n"
        "try:\n    socket.create_connection(('192.0.2.1', 9), 1)\n    raise SystemExit(8)\nexcept OSError:\n    pass\n"
        "if os.path.exists('mine'):\n    raise SystemExit(9)\nopen('mine', 'w').close()\n"
    )
    judgment = judge("unit_test", reply, {"commands": ["{python} solution.py"] * 2}, run_code=True)
    assert judgment.passed, judgment.told
    assert not list(tmp_path.iterdir())


@needs_bwrap
@pytest.mark.parametrize("files", [{"solution.py/x": ""}, {"a": "\ud800"}])
def test_files_that_cannot_be_written_are_told(files: dict[str, str]) -> None:
    with pytest.raises(RoutingError, match="the program is not run"):
        judge("unit_test", ADD, {"commands": ["true"], "files": files}, run_code=True)


@needs_bwrap
def test_a_document_brings_its_files() -> None:
    reply = "::create @src/calc.py\n<<<\n" + ADD + ">>>\n::create @../evil.py\n<<<\nx\n>>>\n"
    config = {"commands": ["{python} -c 'import sys; sys.path.insert(0, \"src\"); import calc; calc.add(1, 2)'"]}
    assert judge("unit_test", reply, {**config, "format": "v2"}, run_code=True).passed


@pytest.mark.slow
@needs_bwrap
def test_a_checker_of_code_counts_findings() -> None:
    line = "{python} -m py_compile solution.py"
    assert judge("static_analysis", ADD, {"command": line}, run_code=True).passed
    assert not judge("static_analysis", "def (", {"command": line}, run_code=True).passed
    counting = {"command": "cat solution.py", "finding": "TODO", "most_findings": 4}
    judgment = judge("static_analysis", "# TODO one\nx = 1\n# TODO two\n", counting, "findings <= 2", run_code=True)
    assert (judgment.passed, judgment.q1, judgment.facts["findings"]) == (True, 0.5, 2)


@pytest.mark.slow
@needs_bwrap
@pytest.mark.parametrize("fence", ["```", "~~~"])
@pytest.mark.parametrize(
    ("kind", "config"), [("unit_test", {"commands": ["true"]}), ("static_analysis", {"command": "true"})]
)
def test_code_in_a_fence_is_no_refusal(kind: str, config: dict[str, Any], fence: str) -> None:
    sorry = "I'm sorry, but I can't help with that."
    for kind, config in (("unit_test", {"commands": ["true"]}), ("static_analysis", {"command": "true"})):
        assert judge(kind, sorry, config, run_code=True).refusal
        assert not judge(kind, f"{sorry}\n\n{fence}python\nx = 1\n{fence}\n", config, run_code=True).refusal


def test_where_there_is_no_sandbox_nothing_is_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RoutingError, match="the program is not run: the sandbox needs"):
        judge("unit_test", ADD, TESTS, run_code=True)


# ---- the caller's checkout


@pytest.mark.parametrize(
    ("reply", "passed", "facts"),
    [
        ("::edit @a.py\n<<<\nx = 2\n>>>\n", True, {"applies": True, "changes": 1}),
        ("::edit @a.py\n<<<\nx = 1\n>>>\n", False, {"changes": 0}),
        ("::delete @b.py\n", False, {"applies": False, "conflicts": 1}),
        ("::edit @a.py\n<<<\nx = 2\n>>>\n::run @touch hacked\n", True, {"applies": True, "changes": 1}),
        ("I would change a.py.", False, {"applies": False}),
    ],
)
def test_a_reply_applies_to_the_checkout(tmp_path: Path, reply: str, passed: bool, facts: dict[str, Any]) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    judgment = judge("applies", reply, checkout=str(tmp_path))
    assert judgment.passed is passed and facts.items() <= judgment.facts.items(), judgment
    assert [path.name for path in tmp_path.iterdir()] == ["a.py"] and (tmp_path / "a.py").read_text() == "x = 1\n"


def test_only_the_caller_gives_a_checkout() -> None:
    with pytest.raises(RoutingError, match="checkout"):
        judge("applies", SYMOPS)
    with pytest.raises(RoutingError, match="checkout"):
        judge("unit_test", "```python\nx = 1\n```", {"commands": ["true"], "checkout": True}, run_code=True)


@pytest.mark.slow
@needs_bwrap
def test_tests_run_in_a_copy_of_the_checkout(tmp_path: Path) -> None:
    (tmp_path / "test_a.sh").write_text("grep -q 'x = 2' a.py")
    config = {"commands": ["sh test_a.sh"], "checkout": True, "format": "v2"}
    reply = "::create @a.py\n<<<\nx = 2\n>>>\n"
    assert judge("unit_test", reply, config, run_code=True, checkout=str(tmp_path)).passed
    assert not (tmp_path / "a.py").exists()
