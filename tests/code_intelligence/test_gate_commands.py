"""`symops gate`: a session by hand, from the request to a write that is allowed; it is the server's session too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from code_trees import write_tree
from command_line import run

from symops_lark.code_intelligence import Workspace
from symops_lark.code_intelligence.server.answers import Desk

FILES = {
    "shop/cart.py": '''\
"""The cart."""

from shop.price import total_price


class Cart:
    def checkout(self, items):
        if not items:
            raise CartError("the cart is empty")
        return total_price(items)


class CartError(Exception):
    """Raised where there is nothing to pay."""
''',
    "shop/price.py": "def total_price(items):\n    return sum(item.price for item in items)\n",
    "shop/view.py": "from shop.cart import Cart\n\n\ndef checkout_view(items):\n    return Cart().checkout(items)\n",
}
REQUEST = "checkout in Cart raises the cart is empty for a full cart, so fix it"
FRAME = {
    "frame": {
        "target_feature": {"value": "Cart", "quote": "Cart"},
        "observed_issue": {"value": "the cart is empty", "quote": "the cart is empty"},
        "desired_action": {"value": "fix it", "quote": "fix it"},
    }
}
UNDERSTANDING: dict[str, Any] = {
    "symbols_identified": ["Cart", "CartError", "total_price", "checkout_view", "checkout"],
    "entry_points": ["checkout_view", "Cart"],
    "files_analyzed": ["shop/cart.py", "shop/price.py", "shop/view.py"],
    "existing_patterns": ["CartError is raised where there is nothing to pay", "checkout_view calls Cart"],
    "resolved_frame": {"observed_issue": "the cart is empty"},
    "slot_evidence": {
        "target_feature": {"tool": "find_definitions", "params": {"symbol": "Cart"}, "result": "shop/cart.py"},
        "observed_issue": {"tool": "search_text", "params": {"patterns": ["is empty"]}, "result": "the cart is empty"},
    },
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return write_tree(tmp_path, FILES)


def gate(root: Path, *arguments: str, stdin: str = "", code: int = 0) -> str:
    name, *remainder = arguments
    done = run("gate", name, *remainder, "--root", str(root), stdin=stdin)
    assert done.exit_code == code, done.output
    return done.output


def look(root: Path, session: str, *arguments: str, code: int = 0) -> str:
    done = run("code", *arguments, "--root", str(root), "--session", session)
    assert done.exit_code == code, done.output
    return done.output


def start(root: Path, *options: str) -> str:
    return str(json.loads(gate(root, "start", REQUEST, "--intent", "modify", "--json", *options))["session_id"])


def test_a_request_is_worked_on_by_hand(shop):
    session = start(shop)
    assert "phase: EXPLORATION" in gate(shop, "status", session)
    response = gate(shop, "submit", session, "--as", "frame", stdin=json.dumps(FRAME))
    assert "missing_slots: trigger_condition" in response
    refused = gate(shop, "check-write", session, "shop/cart.py", code=1)
    assert refused.startswith("refused shop/cart.py [phase_blocked]") and "next:" in refused
    assert "  [symbol_not_seen]" in gate(shop, "submit", session, stdin=json.dumps(UNDERSTANDING), code=1)

    desk = Desk(Workspace(shop))  # the server's: they share their sessions
    assert desk.answer("search_text", {"session_id": session, "patterns": ["is empty"]})["shown"] == 1
    assert "1 of 2 shown" in look(shop, session, "references", "Cart", "--in", "shop/view.py", "--limit", "1")
    for symbol in UNDERSTANDING["symbols_identified"]:
        assert symbol in look(shop, session, "definitions", symbol)
    assert "[phase_blocked]" in look(shop, session, "semantic", "cart", code=1)
    look(shop, "0" * 32, "definitions", "Cart", code=2)
    assert "phase: READY" in gate(shop, "submit", session, stdin=json.dumps(UNDERSTANDING))

    assert gate(shop, "check-write", session, "shop/cart.py", "shop/view.py").count("allowed ") == 2
    (shop / "shop/view.py").write_text("changed = True\n")
    answers = json.loads(gate(shop, "check-write", session, "shop/cart.py", "shop/view.py", "--json", code=1))
    assert [answer["reason_code"] for answer in answers] == ["allowed", "changed_since_read"]
    assert "looked at shop/view.py" in gate(shop, "look", session, "shop/view.py")
    gate(shop, "check-write", session, "shop/view.py")
    assert "EXPLORATION" in gate(shop, "submit", session, "--as", "revert", stdin='{"reason": "another file"}')
    gate(shop, "check-write", session, "shop/cart.py", code=1)

    gate(shop, "outcome", session, "failure", "--slot", "observed_issue", "--note", "it was the view")
    message = gate(shop, "why", session)
    assert (
        "led astray by search_text" in message
        and "[phase_blocked]" in message
        and "outcome: failure: it was the view" in message
    )
    counts = gate(shop, "why")
    assert "1 session with an outcome: 1 failure" in counts and "misread: 1 observed_issue" in counts
    assert json.loads(gate(shop, "why", "--json"))["by_tool"] == {"search_text": {"failure": 1}}


WRONG: list[tuple[tuple[str, ...], str, str]] = [
    (("status", "0" * 32), "", "there is no such session"),
    (("status", "../../x"), "", "there is no such session"),
    (("start", "  "), "", "the request is empty"),
    (("submit", "SESSION"), "no JSON", "not JSON"),
    (("submit", "SESSION"), "[" * 100_000, "not JSON"),
    (("submit", "SESSION"), "[1]", "expected a JSON object of arguments"),
    (("submit", "SESSION"), '{"symbols": []}', "unexpected keyword argument 'symbols'"),
    (("submit", "SESSION", "--as", "slot"), '{"slot": "target_feature"}', "missing a required argument: 'value'"),
    (("submit", "SESSION", "nothing.json"), "", "nothing.json"),
    (("outcome", "SESSION", "perhaps"), "", "perhaps"),
]


@pytest.mark.parametrize(("arguments", "stdin", "told"), WRONG, ids=[message for *_, message in WRONG])
def test_what_is_wrong_is_told(shop, arguments, stdin, told):
    session = start(shop)
    items = [session if word == "SESSION" else word for word in arguments]
    assert told in gate(shop, *items, stdin=stdin, code=2)


def test_a_folder_that_is_none_is_told(tmp_path):
    assert "does not exist" in gate(tmp_path / "nothing", "why", code=2)


def test_a_session_of_another_folder_is_none_here(shop, tmp_path_factory):
    assert "there is no such session in this folder" in gate(
        tmp_path_factory.mktemp("b"), "status", start(shop), code=2
    )


def test_levels_are_kept_with_the_session(shop):
    session = start(shop, "--level", "off")
    answer: list[dict[str, Any]] = json.loads(gate(shop, "check-write", session, "shop/cart.py", "--json"))
    assert answer[0]["reason_code"] == "gate_off" and answer[0]["would_refuse"] == "phase_blocked"
    gate(shop, "check-write", session, "../cart.py", code=1)


OFF = "gate is off"
WOULD = f"{OFF}: would refuse shop/cart.py [phase_blocked]"


def test_a_gate_that_is_off_is_told_wherever_it_is_asked(shop):
    session = start(shop, "--level", "off")
    assert OFF in gate(shop, "status", session)
    assert any(OFF in note for note in json.loads(gate(shop, "status", session, "--json"))["notes"])
    response = gate(shop, "check-write", session, "shop/cart.py")
    assert f"allowed shop/cart.py [gate_off] {WOULD}" in response and f"note: {OFF}" in response
    [answer] = json.loads(gate(shop, "check-write", session, "shop/cart.py", "--json"))
    assert answer["message"].startswith(WOULD) and OFF in answer["notes"][0]
    response = gate(shop, "why", session)
    assert f"note: {OFF}" in response and f"check_write_target: {WOULD}" in response
    answer = json.loads(gate(shop, "why", session, "--json"))
    assert OFF in answer["notes"][0] and answer["level"] == "off"
    assert [decision["would_refuse"] for decision in answer["decisions"]] == ["phase_blocked"] * 2

    edit = "::edit @shop/cart.py\n<<<\nx = 1\n>>>\n"
    where = ("-", "--root", str(shop), "--session", session)
    done = run("plan", *where, stdin=edit)
    assert done.exit_code == 0 and WOULD in done.output and f"{OFF}: this session" in done.output
    notes = json.loads(run("plan", "--json", *where, stdin=edit).stdout)["notes"]
    assert [OFF in note["message"] for note in notes if note["code"] == "weak-gate"] == [True, True]
    done = run("apply", "--json", "-y", *where, stdin=edit)
    assert done.exit_code == 0 and WOULD in done.stderr
    assert any(WOULD in note for note in json.loads(done.stdout)["notes"])
    assert f"note: {WOULD}" in run("apply", "-y", *where, stdin=edit.replace("1", "2")).stdout


def test_of_a_gate_that_is_on_nothing_of_it_is_told(shop):
    session = start(shop)
    for command in ("status", "why"):
        assert "notes" not in json.loads(gate(shop, command, session, "--json"))
        assert "note:" not in gate(shop, command, session)


def test_of_a_long_session_the_end_is_told(shop, monkeypatch):
    session = start(shop)
    for symbol in ("Cart", "CartError", "Cart"):
        look(shop, session, "definitions", symbol)
    assert "call 1: " in gate(shop, "why", session)
    monkeypatch.setattr("symops_lark.code_intelligence.gate.outcomes._MAX_SHOWN", 1)
    answer = gate(shop, "why", session)
    assert "the last of 3 calls and 0 decisions:" in answer and answer.count(": 1 shown") == 1 and "call 3: " in answer
