"""What a model finds turn by turn, and what it is answered: places, texts, and what was not there."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from agent_shop import FRAME, REQUEST, SHOP, make_task

from symops_lark.agent.exploring import MAX_TURNS, explore
from symops_lark.code_intelligence import Session, Workspace
from symops_lark.models import ScriptedModel

LOOK = '{"look": ["Cart", "the cart is empty"]}'
OPEN = '{"open": ["shop/cart.py", "test_cart.py", "no/such.py"]}'


def open_session(root: Path, frame: Any = FRAME) -> Session:
    session = Workspace(root).start_session(REQUEST, "MODIFY")
    assert session.set_query_frame(frame)["ok"]
    return session


def explore_by(root: Path, *steps: str, frame: Any = FRAME) -> tuple[dict[str, Any], list[str], Session]:
    """Return what was found, the answers to the model after each turn, and the session."""
    model, session = ScriptedModel(steps, name="explorer"), open_session(root, frame)
    result = explore(make_task(root, explore="model"), session, model)
    answers = [turn.content for turn in model.requests[-1][2:] if turn.role == "user"]
    return result, answers, session


def test_a_model_is_told_what_it_asked_for(shop: Path) -> None:
    result, answers, session = explore_by(shop, LOOK, OPEN, '{"submit": ["checkout"]}')
    assert answers[0] == (
        "Cart: 1 place\nshop/cart.py:5: class Cart:\n"
        'the cart is empty: 1 place\nshop/cart.py:8:             raise CartError("the cart is empty")'
    )
    assert (
        answers[1].startswith(f"shop/cart.py:\n{SHOP['shop/cart.py']}\ntest_cart.py:\n") and "no/such.py" in answers[1]
    )
    digests = {path: sha256(SHOP[path].encode()).hexdigest() for path in ("shop/cart.py", "test_cart.py")}
    assert {part["path"]: part["sha256"] for part in result["files"]} == digests
    assert result["definitions"] == {"Cart": ["shop/cart.py:5"], "checkout": ["shop/cart.py:6"]}
    assert [(hit["path"], hit["line"]) for hit in result["hits"]] == [("shop/cart.py", 8)]
    assert (result["way"], result["calls"]) == ("model", 4), "two names, a text, and the files"
    assert session.state.calls[-1].tool == "find_references"


def test_what_is_submitted_is_what_was_looked_for_and_opened(shop: Path) -> None:
    understanding = explore_by(shop, LOOK, OPEN, '{"submit": ["checkout"]}')[0]["understanding"]
    assert understanding["symbols_identified"] == ["checkout", "Cart", "CartError"]
    assert understanding["entry_points"] == ["checkout", "Cart"]
    assert understanding["files_analyzed"] == ["shop/cart.py", "test_cart.py"]
    assert understanding["existing_patterns"] == ['shop/cart.py:8 raise CartError("the cart is empty")']
    assert understanding["slot_evidence"] == {
        "target_feature": {"tool": "find_definitions", "params": {"symbol": "Cart"}},
        "observed_issue": {"tool": "search_text", "params": {"patterns": ["the cart is empty"], "limit": 20}},
    }


def test_evidence_is_only_of_slots_that_the_request_has(shop: Path) -> None:
    frame = {"target_feature": FRAME["target_feature"]}
    understanding = explore_by(shop, LOOK, OPEN, '{"submit": []}', frame=frame)[0]["understanding"]
    assert set(understanding["slot_evidence"]) == {"target_feature"}


def test_without_a_text_the_places_of_names_are_the_patterns(shop: Path) -> None:
    steps = ('{"open": ["shop/cart.py", "shop/mail.py"]}', '{"submit": ["send", "Cart", "nothing_of_this_name"]}')
    result = explore_by(shop, *steps)[0]
    assert result["understanding"]["existing_patterns"] == ["send in shop/cart.py", "Cart in shop/mail.py"]
    assert result["understanding"]["entry_points"] == ["send", "Cart"] and set(result["definitions"]) == {
        "send",
        "Cart",
    }


def test_references_are_looked_for_of_the_first_name(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[str, int]] = []
    monkeypatch.setattr(Session, "find_references", lambda own, name, limit: calls.append((name, limit)))
    explore_by(shop, '{"look": ["Cart"]}', '{"open": ["shop/mail.py"]}', '{"submit": ["checkout"]}')
    assert calls == [("checkout", 50)]


def test_a_file_without_names_is_its_own_entry(shop: Path) -> None:
    (shop / "notes.md").write_text("A long line" + " and so on" * 40 + "\n")
    steps = ('{"look": ["A long line"]}', '{"open": ["shop/__init__.py", "notes.md"]}', '{"submit": ["no_such_name"]}')
    understanding = explore_by(shop, *steps)[0]["understanding"]
    assert understanding["symbols_identified"] == [] and understanding["entry_points"] == [
        "shop/__init__.py",
        "notes.md",
    ]
    [pattern] = understanding["existing_patterns"]
    assert len(pattern) == 200 and pattern.startswith("notes.md:1 A long line and")


def test_answers_are_bounded(shop: Path) -> None:
    (shop / "many.py").write_text("def twin():\n    return 'needle'\n\n\n" * 30)
    (shop / "long.py").write_text("".join(f"value_{number} = {number}\n" for number in range(600)))
    result, answers, _ = explore_by(
        shop, '{"look": ["twin", "a needle", "\'needle\'"]}', '{"open": ["long.py"]}', "{}", "{}"
    )
    assert [line for line in answers[0].splitlines() if "many.py" not in line] == [
        "twin: 20 places",
        "a needle: 0 places",
        "'needle': 20 places",
    ]
    opened = answers[1].partition("\n\n\n---\n")[0]
    assert len(opened) == 6_000 and opened.startswith("long.py:\nvalue_0 = 0\n")
    # Two answers that are in no form: the search of the session takes over.
    assert result["way"] == "deterministic" and "tokens" in result
    result = explore_by(shop, '{"look": ["twin", "\'needle\'"]}', '{"open": ["many.py"]}', '{"submit": []}')[0]
    assert result["definitions"]["twin"] == ["many.py:1", "many.py:5", "many.py:9"]
    assert len(result["hits"]) == 5 and len(result["understanding"]["existing_patterns"]) == 3


def test_one_wrong_answer_is_told_the_form(shop: Path) -> None:
    result, answers, _ = explore_by(shop, "what?", '{"open": ["shop/cart.py:5-6"]}', '{"submit": ["Cart"]}')
    assert answers[0] == "Answer with one JSON object with look, open, submit or ask_user."
    assert [(part["path"], list(part["lines"])) for part in result["files"]] == [("shop/cart.py", [5, 6])]
    assert result["way"] == "model"


@pytest.mark.parametrize("steps", [[], ["what?", "what?", '{"ask_user": "what?"}']])
def test_two_wrong_answers_are_enough(shop: Path, steps: list[str]) -> None:
    result = explore_by(shop, *steps)[0]
    assert result["way"] == "deterministic"


def test_turns_are_bounded_and_what_was_opened_counts(shop: Path) -> None:
    model = ScriptedModel(['{"open": ["shop/cart.py"]}', *['{"look": ["Cart"]}'] * 40], name="explorer")
    result = explore(make_task(shop, explore="model"), open_session(shop), model)
    assert len(model.requests) == MAX_TURNS and f"You have {MAX_TURNS} turns" in model.requests[0][0].content
    assert result["way"] == "model" and result["definitions"] == {"Cart": ["shop/cart.py:5"]}


@pytest.mark.parametrize("is_wanted", [False, True])
def test_without_a_model_or_its_task_the_session_searches(shop: Path, is_wanted: bool) -> None:
    model = ScriptedModel(['{"ask_user": "what?"}'])
    task = make_task(shop, explore="model" if is_wanted else "deterministic")
    result = explore(task, open_session(shop), None if is_wanted else model)
    assert result["way"] == "deterministic" and model.requests == [] and result["calls"] > 3
    assert [hit["line"] for hit in result["hits"]] == [8] and result["definitions"]["Cart"] == ["shop/cart.py:5"]
    assert [part["path"] for part in result["files"]] == ["shop/cart.py", "test_cart.py"]


def test_a_request_that_finds_no_file_is_a_question(shop: Path) -> None:
    session = Workspace(shop).start_session("fix it", "MODIFY")
    question = {"question": "no file was found by the words of the request", "calls": 0}
    assert explore(make_task(shop), session, None) == question
