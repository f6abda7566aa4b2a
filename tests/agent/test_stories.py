"""The stories of a run: each ends as it must, and its log says why."""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from agent_shop import FIXED, GOOD, PROSE, RULES, SHOP, TEST, UNSEEN, WRONG, make_shop, make_task, model, read_shop
from jsonschema import Draft202012Validator

from symops_lark import Policy, SymOpsError, schema, undo
from symops_lark.agent import Event, Kind, Limits, Run, Status, Task, read_run, run_task
from symops_lark.agent.testing import find_missing_sandbox
from symops_lark.answers.judgment import RulesError
from symops_lark.code_intelligence import Workspace
from symops_lark.models import Finish, Reply, ScriptedModel, Usage
from symops_lark.routing import RunLog
from symops_lark.routing.verifiers import Verdict

pytestmark = pytest.mark.slow  # each run starts programs
CONTEST = [("good", GOOD), ("wrong", WRONG), ("unseen", UNSEEN), ("prose", PROSE)]


def reasons(run: Run) -> dict[str, str]:
    """Return why each candidate of the last contest failed, in its first words; empty for a pass."""
    event = run.last(Kind.WINNER) or run.last(Kind.END)
    assert event is not None
    return {attempt["model_id"]: attempt["why"].partition(":")[0] for attempt in event.data["tries"]}


# ---- how runs end


def test_the_one_that_passes_all_checks_wins(shop: Path) -> None:
    run = run_task(make_task(shop, run_code=True), [model(*pair) for pair in CONTEST])
    assert (run.status, run.winner, run.round) == (Status.COMPLETE, "good", 1)
    assert reasons(run) == {"good": "", "wrong": "tests", "unseen": "gate", "prose": "document"}
    assert any("| AssertionError" in line for line in run.story()), "the end of the failed test's output"
    assert read_shop(shop) == {**SHOP, "shop/cart.py": FIXED}
    assert run.outcome is not None and run.outcome.done and run.judgment is not None and run.plan is not None
    assert run.ok and "all tests pass" in run.why


def test_without_a_sandbox_tests_decide_only_after_the_apply(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symops_lark.agent.selecting.find_missing_sandbox", lambda root: "no sandbox")
    run = run_task(make_task(shop), [model(*pair) for pair in CONTEST])
    prompt = run.last(Kind.PROMPT)
    assert prompt is not None and prompt.data["tests"] == "no: no sandbox"
    assert reasons(run)["wrong"] == "" and run.status is Status.COMPLETE, "good and wrong cost the same: the id decides"
    assert any("tests decide no contest: no sandbox" in line for line in run.story())


@pytest.mark.sandboxed
def test_with_a_sandbox_tests_decide_the_contest(shop: Path) -> None:
    missing = find_missing_sandbox(str(shop))
    if missing:
        pytest.skip(missing)
    if sys.prefix.startswith("/tmp"):
        pytest.skip("the sandbox hides the Python below /tmp")
    run = run_task(make_task(shop), [model(*pair) for pair in CONTEST])
    assert run.status is Status.COMPLETE and run.winner == "good"
    assert "tests" in reasons(run)["wrong"]


@pytest.mark.sandboxed
def test_the_sandbox_is_the_same_from_within_the_folder(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shop.parent)
    assert find_missing_sandbox("shop") == find_missing_sandbox(str(shop))


@pytest.mark.parametrize("order", list(permutations(CONTEST[:3])))
def test_the_order_of_candidates_decides_nothing(shop: Path, order: tuple[tuple[str, str], ...]) -> None:
    run = run_task(make_task(shop, write=False), [model(*pair) for pair in order])
    assert (run.winner, reasons(run)["unseen"]) == ("good", "gate")


def test_nobody_passes(shop: Path) -> None:
    run = run_task(make_task(shop), [model("unseen", UNSEEN), model("prose", PROSE)])
    assert run.status is Status.UNSURE and "shop/mail.py" in run.why and "prose: document" in run.why
    assert any(line.startswith("  prose: failed: document") for line in run.story())
    assert read_shop(shop) == SHOP and run.winner is None


def test_another_round_sees_what_failed(shop: Path) -> None:
    late = model("late", WRONG, GOOD)
    run = run_task(make_task(shop, rules=RULES), [late])
    assert (run.status, run.round) == (Status.COMPLETE, 2)
    judged = run.last(Kind.JUDGMENT, 1)
    assert judged is not None and judged.data["next"] == "fix"
    first, second = (request[-1].content for request in late[1].requests)
    assert "AssertionError" in second and "AssertionError" not in first
    assert read_shop(shop)["shop/cart.py"] == FIXED
    assert undo(shop, run=run.id).files and read_shop(shop) == SHOP, "both applies are undone"


@pytest.mark.parametrize(
    ("second", "changes", "status"),
    [(PROSE, {}, Status.UNSURE), (GOOD, {"rounds": 1}, Status.ROUNDS), (PROSE, {"limits": Limits(calls=1)}, "BUDGET")],
)
def test_an_end_names_what_an_earlier_round_has_left(
    shop: Path, second: str, changes: dict[str, Any], status: str
) -> None:
    run = run_task(make_task(shop, rules=RULES, **changes), [model("late", WRONG, second)])
    ending = "; it has changed shop/cart.py, and leaves that (`symops undo --run` takes it back)"
    assert run.status == status and run.why.endswith(ending) and read_shop(shop) != SHOP
    assert undo(shop, run=run.id).files and read_shop(shop) == SHOP


def test_what_a_person_has_undone_is_not_left(shop: Path) -> None:
    def watch(event: Event) -> None:
        if event.kind is Kind.JUDGMENT:
            undo(shop)

    run = run_task(make_task(shop, rules=RULES), [model("late", WRONG, PROSE)], watch=watch)
    assert run.status is Status.UNSURE and "it has changed" not in run.why and read_shop(shop) == SHOP


def test_rounds_are_bounded(shop: Path) -> None:
    replies = [WRONG.replace("return 1", f"return {number}") for number in (1, 2, 3, 4)]
    run = run_task(make_task(shop, rules=RULES), [model("never", *replies)])
    assert (run.status, run.round) == (Status.ROUNDS, 3) and "3 rounds" in run.why


def test_a_reply_without_changes_never_wins(shop: Path) -> None:
    run = run_task(make_task(shop, rules=RULES), [model("stubborn", WRONG, WRONG)])
    assert (run.status, run.round) == (Status.UNSURE, 2) and "it changes nothing" in run.why


def test_a_vague_request_needs_the_user(shop: Path) -> None:
    good = model("good", GOOD)
    frame = {"target_feature": {"value": "payment export", "quote": "payment export"}}
    run = run_task(make_task(shop, request="Fix the payment export", frame=frame), [good])
    assert run.status is Status.NEEDS_USER and "observed_issue" in run.why
    assert good[1].requests == [] and read_shop(shop) == SHOP


def test_a_dry_run_writes_nothing(shop: Path) -> None:
    run = run_task(make_task(shop, write=False), [model("good", GOOD)])
    assert run.status is Status.PLANNED and run.ok and read_shop(shop) == SHOP
    assert run.plan is not None and [change.path for change in run.plan.changes] == ["shop/cart.py"]


def test_without_tests_a_run_is_never_complete(shop: Path) -> None:
    for rules in (None, [{"when": "failed == 0", "next": "COMPLETE"}], [{"condition": "done", "next": "COMPLETE"}]):
        make_shop(shop)
        run = run_task(make_task(shop, tests=(), rules=rules), [model("good", GOOD)])
        assert (run.status, run.why) == (Status.APPLIED, "written, not tested")
        assert read_shop(shop)["shop/cart.py"] == FIXED


def test_tests_that_take_too_long_have_failed(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symops_lark.agent.testing.SECONDS", 0.3)
    run = run_task(make_task(shop, tests=("sleep 20",), rounds=1), [model("good", GOOD)])
    tested = run.last(Kind.TESTED)
    assert run.status is Status.ROUNDS and tested is not None
    assert (tested.data["failed"], tested.data["timed_out"]) == (1, 1)


def test_a_rule_may_give_up(shop: Path) -> None:
    rules = [{"when": "failed > 0", "next": "ABORT"}, {"when": "failed == 0", "next": "COMPLETE"}]
    run = run_task(make_task(shop, rules=rules), [model("wrong", WRONG)])
    assert run.status is Status.ABORT and "failed > 0" in run.why


def test_a_judge_decides_what_facts_do_not(shop: Path) -> None:
    rules = [{"condition": "the change is complete", "next": "COMPLETE"}, {"condition": "it is not", "next": "fix"}]
    judge = ScriptedModel(['{"step": 1, "reason": "it is"}'])
    run = run_task(make_task(shop, rules=rules), [model("good", GOOD)], judge=judge)
    assert run.status is Status.COMPLETE and run.judgment is not None and run.judgment.reason == "it is"
    assert run.cost.by_model["scripted"].output_tokens


def test_without_a_judge_a_run_is_unjudged_and_the_files_stay(shop: Path) -> None:
    rules = [{"condition": "the change is complete", "next": "COMPLETE"}, {"condition": "it is not", "next": "fix"}]
    run = run_task(make_task(shop, rules=rules), [model("good", GOOD)])
    assert run.status is Status.UNJUDGED and "symops undo" in run.why
    assert read_shop(shop)["shop/cart.py"] == FIXED


def test_a_model_that_fails_harms_no_other(shop: Path) -> None:
    broken = ("broken", ScriptedModel([], name="broken"))
    run = run_task(make_task(shop), [broken, model("good", GOOD)])
    assert run.status is Status.COMPLETE and "the script has 0 replies" in reasons(run)["broken"]


@pytest.mark.parametrize("part", ["decomposer", "explorer", "judge"])
def test_whatever_a_model_raises_ends_no_run_by_an_exception(shop: Path, part: str) -> None:
    def raise_error(messages: object) -> str:
        raise ValueError("boom")

    rules = [{"condition": "the change is complete", "next": "COMPLETE"}, {"condition": "it is not", "next": "fix"}]
    fields: dict[str, Any] = {
        "decomposer": {"frame": None},
        "explorer": {"explore": "model"},
        "judge": {"rules": rules},
    }
    broken: dict[str, Any] = {part: ScriptedModel([raise_error] * 9)}
    run = run_task(make_task(shop, **fields[part]), [model("good", GOOD)], **broken)
    expected = {"decomposer": Status.NEEDS_USER, "explorer": Status.COMPLETE, "judge": Status.UNJUDGED}
    assert run.status is expected[part], run.why


def test_a_frame_that_is_refused_is_left_out(shop: Path) -> None:
    frame = {"target_feature": {"value": "login", "quote": "login"}}
    run = run_task(make_task(shop, frame=frame), [model("good", GOOD)])
    frame_event = run.last(Kind.FRAME)
    assert frame_event is not None and "refused" in frame_event.data and frame_event.data["slots"] == {}


def test_commands_of_a_reply_are_never_run(shop: Path) -> None:
    run = run_task(make_task(shop), [model("good", GOOD + "\n::run @touch hacked\n")], confirm=lambda change: True)
    assert run.status is Status.COMPLETE and not (shop / "hacked").exists()


def test_a_file_that_the_budget_leaves_out_is_not_changed(shop: Path) -> None:
    small = run_task(make_task(shop, context_tokens=120), [model("good", GOOD)])
    assert small.status is Status.UNSURE and "no prompt has shown it" in small.why and read_shop(shop) == SHOP
    assert any("shop/cart.py: left out" in line for line in small.story())
    tiny = run_task(make_task(shop, context_tokens=5), [model("good", GOOD)])
    assert tiny.status is Status.FAILED and "context_tokens: 5 are too few: the request alone has" in tiny.why


# ---- consent


def test_what_the_policy_asks_about_is_declined_without_a_person(shop: Path) -> None:
    task = make_task(shop, policy=Policy(sensitive=("cart.py",)))
    run = run_task(task, [model("good", GOOD)])
    assert run.status is Status.DECLINED and "shop/cart.py" in run.why and read_shop(shop) == SHOP


def test_a_person_agrees_or_declines(shop: Path) -> None:
    task = make_task(shop, policy=Policy(sensitive=("cart.py",)))
    texts: list[str] = []

    def decline(change: Any) -> bool:
        texts.append(change.path)
        return False

    assert run_task(task, [model("good", GOOD)], confirm=decline).status is Status.DECLINED
    assert texts == ["shop/cart.py"] and read_shop(shop) == SHOP
    assert run_task(task, [model("good", GOOD)], confirm=lambda change: True).status is Status.COMPLETE


def test_tests_without_a_sandbox_need_consent(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symops_lark.agent.applying.find_missing_sandbox", lambda root: "no sandbox")
    run = run_task(make_task(shop), [model("good", GOOD)], confirm=lambda change: change.operation != "run")
    assert run.status is Status.APPLIED and "no sandbox" in run.why
    make_shop(shop)
    run = run_task(make_task(shop), [model("good", GOOD)], confirm=lambda change: change.path == TEST)
    assert run.status is Status.COMPLETE


def test_what_the_policy_refuses_is_not_written(shop: Path) -> None:
    run = run_task(make_task(shop, policy=Policy(protected=("cart.py",))), [model("good", GOOD)])
    assert run.status is Status.UNSURE and "changes" in reasons(run)["good"] and read_shop(shop) == SHOP


# ---- records


def test_the_cost_is_the_sum_over_the_rows(shop: Path, tmp_path: Path) -> None:
    scripted_model = ScriptedModel([Reply(GOOD, Finish.STOP, Usage(700, 90))])
    models = [("counted", scripted_model), model("wrong", WRONG)]
    run = run_task(make_task(shop, write=False), models, log=tmp_path / "runs")
    rows = [row for row in RunLog(tmp_path / "runs" / "run_log.jsonl") if row["task_run"] == run.id]
    assert run.cost.output_tokens == sum(row["tokens"] for row in rows) and run.cost.calls == len(rows) == 2
    assert run.cost.by_model["counted"] == Usage(700, 90) and run.cost.estimated
    assert {(row["session_id"], row["round"]) for row in rows} == {(run.session_id, 1)}


def test_every_watched_event_is_in_the_file_in_order(shop: Path, tmp_path: Path) -> None:
    watched: list[Event] = []

    def watch(event: Event) -> None:
        watched.append(event)
        lines = next((tmp_path / "runs").glob("?" * 32 + ".jsonl")).read_bytes().splitlines()
        assert len(lines) == len(watched), "the event is in the file before it is watched"

    run = run_task(make_task(shop), [model("good", GOOD)], watch=watch, log=tmp_path / "runs")
    assert tuple(watched) == run.events == read_run(run.id[:8], shop, tmp_path / "runs").events
    assert read_run(run.id, shop, tmp_path / "runs").to_dict() == run.to_dict()


def test_the_story_names_the_reason_first(shop: Path) -> None:
    for models in ([model("good", GOOD)], [model("unseen", UNSEEN)], [model("late", WRONG, GOOD)]):
        make_shop(shop)
        run = run_task(make_task(shop), models)
        lines = list(run.story())
        assert lines[0] == f"{run.status}: {run.why}" and run.id in lines[1]
        assert lines[-1].endswith(" s") and any("explored: 2 files" in line for line in lines)


def test_the_outcome_of_the_session_names_run_and_model(shop: Path) -> None:
    run = run_task(make_task(shop), [model("good", GOOD)])
    [outcome] = Workspace(shop).session(run.session_id).why()["outcomes"]
    assert (outcome["outcome"], outcome["run_id"], outcome["model_id"]) == ("success", f"{run.id}.1", "good")


def test_the_gate_of_a_candidate_is_one_decision(shop: Path) -> None:
    both = GOOD + "\n" + UNSEEN
    run = run_task(make_task(shop, write=False), [model("good", GOOD), model("both", both), model("unseen", UNSEEN)])
    decisions = Workspace(shop).session(run.session_id).why()["decisions"]
    gates = [decision["reason_code"] for decision in decisions if decision["tool"].startswith("check_")]
    # The three candidates, in any order, and the plan of the winner. `query` only listed the unseen file.
    assert run.status is Status.PLANNED and sorted(gates) == ["allowed"] * 2 + ["not_explored"] * 2


# ---- other tasks


def test_a_question_is_answered_and_nothing_is_written(shop: Path) -> None:
    task = Task("Why does checkout of Cart raise 'the cart is empty'?", str(shop), "QUESTION", write=True)
    run = run_task(task, [model("good", "Because items is empty.")])
    winner = run.last(Kind.WINNER)
    assert run.status is Status.COMPLETE and winner is not None and "items is empty" in winner.data["output"]
    assert read_shop(shop) == SHOP


def test_a_decomposer_reads_the_slots(shop: Path) -> None:
    slots = {"target_feature": {"value": "checkout of Cart", "quote": "checkout of Cart"}}
    decomposer = ScriptedModel([str(slots).replace("'", '"')] * 2)
    run = run_task(make_task(shop, frame=None), [model("good", GOOD)], decomposer=decomposer)
    assert decomposer.requests and run.cost.by_model["scripted"].input_tokens


def test_the_verifier_of_the_caller_decides(shop: Path) -> None:
    class Fussy:
        def judge(self, reply: Reply) -> Verdict:
            return Verdict("return 1" in reply.text, 0.25, facts={"ones": reply.text.count("1")}, told="no 1 in it")

    run = run_task(make_task(shop, write=False, verifier=Fussy()), [model("good", GOOD), model("wrong", WRONG)])
    assert run.winner == "wrong" and reasons(run)["good"] == "verifier"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"request": "  "}, "empty"),
        ({"request": "x" * 20_001}, "20,000"),
        ({"rounds": 0}, "1 to 10"),
        ({"rounds": 11}, "1 to 10"),
        ({"explore": "magic"}, "deterministic"),
        ({"context_tokens": 0}, "context_tokens"),
        ({"tests": "pytest"}, "expected a list"),
        ({"intent": "DESTROY"}, "DESTROY"),
        ({"format": "v99"}, "v99"),
        ({"level": "off"}, "level"),
        ({"rules": ["a"], "step": None}, ""),
    ],
)
def test_a_wrong_task_is_refused(shop: Path, changes: dict[str, Any], words: str) -> None:
    if not words:
        assert make_task(shop, **changes).rules_file.steps[0].name == "fix"
        return
    with pytest.raises(SymOpsError, match=words):
        run_task(make_task(shop, **changes), [model("good", GOOD)])


def test_a_root_may_be_a_path(shop: Path, tmp_path: Path) -> None:
    task = make_task(shop, write=False)
    run = run_task(replace(task, root=shop), [model("good", GOOD)])  # type: ignore[arg-type]
    assert run.status is Status.PLANNED and read_run(run.id, shop).task.root == str(shop)


def test_limits_steps_and_folders_are_checked(shop: Path) -> None:
    with pytest.raises(SymOpsError, match="no such folder"):
        run_task(Task("Fix it", "/no/such/folder"), [model("good", GOOD)])
    with pytest.raises(SymOpsError, match="more than 0"):
        Limits(calls=0)
    with pytest.raises(SymOpsError, match=r"needs: \.\./lib: it has a part of dots only"):
        make_task(shop, needs=("../lib",))
    for frame, message in (
        ([1], "an object"),
        ({"goal": None}, "slot 'goal'"),
        ({"target_feature": 3}, "quote}, got 3"),
    ):
        with pytest.raises(SymOpsError, match=f"wrong task: frame.*{message}"):
            make_task(shop, frame=frame)
    with pytest.raises(RulesError, match="no step is called"):
        make_task(shop, rules=make_task(shop, rules=RULES).rules, step="review")


def test_every_event_fits_the_schema(shop: Path) -> None:
    validator = Draft202012Validator(schema("run"))
    runs = [run_task(make_task(shop, rules=RULES), [model("late", WRONG, GOOD)])]
    make_shop(shop)
    runs.append(run_task(make_task(shop), [model("unseen", UNSEEN)]))
    for run in runs:
        for event in run.events:
            assert [error.message for error in validator.iter_errors(event.to_dict())] == []
            assert Event.from_dict(event.to_dict()) == event
    assert set(schema("run")["properties"]["event"]["enum"]) == set(Kind)
