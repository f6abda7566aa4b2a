"""The checks of a reply one by one: what each refuses, the facts that it finds, and what a checkout may take."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from agent_shop import FIXED, GOOD, PROSE, REQUEST, SHOP, UNSEEN, WRONG, make_shop, make_task, model, read_shop

from symops_lark import Policy, SymOpsError
from symops_lark.acting.changes import Decision, Plan
from symops_lark.agent import Kind, Status, run_task, testing, verifiers
from symops_lark.agent.verifiers import (
    AnswerCheck,
    Chain,
    files_only,
    find_obstacles,
    list_checkout,
    plan_reply,
    read_document,
)
from symops_lark.code_intelligence import Session, Workspace
from symops_lark.core.grammar.loading import derive
from symops_lark.models import Finish, Reply
from symops_lark.routing.verifiers import Verdict

SHOWN = frozenset(("shop/cart.py", "test_cart.py"))
COMMAND = "\n::run @ls\n"
FACTS = {"valid", "phase", "actions", "confidence"}


def judge(session: Session, text: str, paths: Any = (), **options: Any) -> Verdict:
    root = session.workspace.root
    names = ("tests", "sandbox")
    chosen = {name: options.pop(name) for name in names if name in options}
    if paths == ():
        paths = list_checkout(root)
    return Chain(make_task(Path(root), **options), session, SHOWN, paths, **chosen).judge(Reply(text))


def test_a_reply_that_passes_has_all_facts(session: Session) -> None:
    verdict = judge(session, GOOD + COMMAND)
    assert verdict.passed and (verdict.told, verdict.refusal) == ("", "")
    assert set(verdict.facts) == {*FACTS, "changes", "gate", "applies"}
    assert (verdict.facts["actions"], verdict.facts["changes"]) == (2, 1), "a command is no change of a file"
    assert verdict.facts["gate"] and verdict.facts["applies"] and verdict.q1 is not None
    assert read_shop(Path(session.workspace.root)) == SHOP


@pytest.mark.parametrize(
    ("text", "reason", "facts"),
    [
        (" \n", "the reply is empty", FACTS),
        (PROSE, "document: ", FACTS),
        (">> Nothing to do.\n", "document: it has no actions", FACTS),
        ("::run @ls\n", "changes: it changes nothing", {*FACTS, "changes"}),
        (
            GOOD.replace(FIXED.rstrip(), SHOP["shop/cart.py"].rstrip()),
            "changes: it changes nothing",
            {*FACTS, "changes"},
        ),
        ("::delete @no/such.py\n", "changes: ", {*FACTS, "changes"}),
        (UNSEEN, "gate: shop/mail.py was not looked at: no prompt has shown it", {*FACTS, "changes", "gate"}),
    ],
)
def test_the_first_no_ends_the_chain(session: Session, text: str, reason: str, facts: set[str]) -> None:
    verdict = judge(session, text)
    assert not verdict.passed and verdict.told.startswith(reason) and set(verdict.facts) == facts
    assert verdict.refusal == ("the reply is empty" if not text.strip() else verdict.refusal)


def test_a_dialect_may_be_a_file_of_the_caller(session: Session, tmp_path: Path) -> None:
    (tmp_path / "mine.lark").write_text(derive("v2", {"_ACTION": '"%%"'}))
    mine = str(tmp_path / "mine.lark")
    verdict = judge(session, GOOD.replace("::", "%%"), format=mine)
    assert verdict.passed and verdict.facts["phase"] == "strict"
    assert judge(session, GOOD, format=mine).facts["phase"] == "repaired"


def test_a_new_file_needs_no_look(session: Session) -> None:
    verdict = judge(session, GOOD + "::create @new.py\n<<<\nx = 1\n>>>\n")
    assert verdict.passed and verdict.facts["changes"] == 2


def test_what_the_policy_refuses_has_its_reason(session: Session) -> None:
    root = session.workspace.root
    task = make_task(Path(root), policy=Policy(protected=("cart.py",)))
    document = read_document(task, GOOD)
    planned = plan_reply(task, document, root)
    check, [reason] = find_obstacles(session, SHOWN, document, planned)
    assert check == "changes" and reason.startswith("shop/cart.py: ") and "refused by the policy" not in reason
    changes = tuple(replace(change, decision=Decision.REFUSE, reasons=()) for change in planned.changes)
    assert find_obstacles(session, SHOWN, document, Plan(changes))[1] == ["shop/cart.py: refused by the policy"]
    assert files_only(plan_reply(task, read_document(task, COMMAND), root)).changes == ()


def test_the_gate_has_the_last_word(shop: Path) -> None:
    session = Workspace(shop).start_session(REQUEST, "MODIFY")
    verdict = judge(session, GOOD)
    assert not verdict.passed and verdict.facts["gate"] is False and verdict.told.startswith("gate: ")
    assert "EXPLORATION" in verdict.told


def run_none(lines: Any, folder: str, **options: Any) -> testing.Tested:
    """Say that two of four commands failed where the fix is."""
    assert (Path(folder) / "shop/cart.py").read_text() == FIXED
    assert options == {"sandbox": False, "seconds": math.inf, "cancel": None, "readable": ()}
    return testing.Tested(4, 2, 1, "the report")


def test_tests_run_in_a_copy_and_give_the_score(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verifiers, "run_tests", run_none)
    verdict = judge(session, GOOD, tests=True, sandbox=False)
    assert verdict.told == "tests: 2 of 4 failed\nthe report" and verdict.q1 == 0.5
    facts = {name: verdict.facts[name] for name in ("failed", "passed", "total", "timed_out")}
    assert facts == {"failed": 2, "passed": 2, "total": 4, "timed_out": 1}
    monkeypatch.setattr(verifiers, "run_tests", lambda *_, **options: testing.Tested(2))
    assert judge(session, WRONG, tests=True).q1 == 1.0


def test_a_checkout_that_is_too_large_is_not_copied(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    root = session.workspace.root
    assert sorted(list_checkout(root) or ()) == sorted(SHOP)
    verdict = judge(session, GOOD, None)
    assert verdict.passed and "applies" not in verdict.facts
    size = sum(map(len, SHOP.values()))
    for name, value, is_small in (("MAX_FILES", 4, True), ("MAX_FILES", 3, False), ("MAX_BYTES", size, True)):
        with monkeypatch.context() as patch:
            patch.setattr(verifiers, name, value)
            assert (list_checkout(root) is not None) == is_small
            assert judge(session, GOOD).passed, "as many files as there may be are copied"
    monkeypatch.setattr(verifiers, "MAX_BYTES", size - 1)
    assert list_checkout(root) is None


def test_what_the_machine_cannot_do_is_a_no(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **options: Any) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(verifiers, "copy_checkout", fail)
    verdict = judge(session, GOOD)
    assert not verdict.passed and verdict.told == "it cannot be judged: the disk is full"
    assert verdict.facts["gate"] is True, "what was found before is kept"


@pytest.mark.parametrize(
    ("verdict", "words", "score"),
    [
        (Verdict(True, 0.25, "", {"ones": 1}), "", 0.25),
        (Verdict(False, None, "it declines", {"ones": 1}, "too few"), "verifier: too few", None),
        (Verdict(False, None, "", {"ones": 1}), "verifier: it says no", None),
    ],
)
def test_the_verifier_of_the_caller_is_asked_last(
    session: Session, verdict: Verdict, words: str, score: float | None
) -> None:
    class Own:
        def judge(self, reply: Reply) -> Verdict:
            return verdict

    result = judge(session, GOOD, verifier=Own())
    assert (result.passed, result.told, result.refusal) == (verdict.passed, words, verdict.refusal)
    assert result.facts["verifier.ones"] == 1
    assert result.q1 == (judge(session, GOOD).q1 if score is None else score)


def fail(reply: Reply) -> Verdict:
    raise KeyError("bug")


ODD_VERDICTS: tuple[Any, ...] = (
    None,
    Verdict("yes"),  # type: ignore[arg-type]
    Verdict(True, 7),
    Verdict(True, float("nan")),
    Verdict(True, None, "", {"facts": object()}),
    Verdict(True, None, "", {"facts": float("inf")}),
)


@pytest.mark.parametrize("verdict", [fail, *ODD_VERDICTS])
def test_a_verifier_that_fails_is_the_reason_of_its_reply(session: Session, verdict: Any) -> None:
    class Own:
        def judge(self, reply: Reply) -> Verdict:
            return fail(reply) if verdict is fail else verdict  # type: ignore[no-any-return]

    result = judge(session, GOOD, verifier=Own())
    assert not result.passed and result.told.startswith("it cannot be judged: verifier: ")
    assert json.dumps(dict(result.facts), allow_nan=False) and result.facts["gate"]


def test_a_reply_after_a_verifier_that_failed_wins(shop: Path) -> None:
    class Own:
        def judge(self, reply: Reply) -> Verdict:
            if "return 1" in reply.text:
                raise ValueError("a bug of the caller")
            return Verdict(True)

    run = run_task(make_task(shop, verifier=Own()), [model("wrong", WRONG), model("good", GOOD)])
    assert (run.status, run.winner, run.cost.calls) == (Status.COMPLETE, "good", 2)
    winner = run.last(Kind.WINNER)
    assert winner is not None
    reasons = {attempt["model_id"]: attempt["why"] for attempt in winner.data["tries"]}
    assert (
        reasons["good"] == "" and reasons["wrong"] == "it cannot be judged: verifier: ValueError: a bug of the caller"
    )


@pytest.mark.parametrize(
    ("text", "finish", "is_answer"),
    [("Because.", Finish.STOP, True), (" \n", Finish.STOP, False), ("Because.", Finish.REFUSED, False)],
)
def test_an_answer_is_a_text_that_does_not_decline(text: str, finish: Finish, is_answer: bool) -> None:
    verdict = AnswerCheck().judge(Reply(text, finish))
    reason = "" if is_answer else "the reply is empty, or declines"
    assert (verdict.passed, verdict.told, verdict.refusal) == (is_answer, reason, reason)
    assert verdict.facts == {"characters": len(text)} and verdict.q1 is None


def test_a_reply_without_a_document_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SymOpsError):
        read_document(make_task(make_shop(tmp_path / "other")), PROSE)
