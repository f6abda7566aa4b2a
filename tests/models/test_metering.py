"""Calls and tokens of the models of a run: counted by the provider or here, and never beyond a limit by a call."""

from __future__ import annotations

import asyncio
from threading import Thread

import pytest

from symops_lark import ModelError
from symops_lark.models import Finish, Ledger, Message, Meter, Reply, ScriptedModel, Usage, Way


def test_what_a_provider_counts_is_believed() -> None:
    model = Meter(ScriptedModel([Reply("yes", Finish.STOP, Usage(7, 2)), Reply("no", Finish.STOP, Usage(5, 1))]))
    assert (model.generate("a?").text, model.generate("b?").text) == ("yes", "no")
    assert (model.ledger.read(), model.ledger.begun, model.ledger.total) == ({"scripted": Usage(12, 3)}, 2, 15)
    assert not model.ledger.estimated


def test_what_no_provider_counts_is_estimated_and_said_so() -> None:
    model = Meter(ScriptedModel(["four"]), Ledger(count=len), name="mine")
    model.generate([Message("system", "abc"), Message("user", "de")])
    assert model.ledger.read() == {"mine": Usage(5, 4)} and model.ledger.estimated


@pytest.mark.parametrize("unknown", [None, 0, -1])
def test_a_number_that_a_server_does_not_know_is_counted(unknown: int | None) -> None:
    model = Meter(ScriptedModel([Reply("four", Finish.STOP, Usage(unknown, unknown))]), Ledger(count=len))
    model.generate("abc")
    assert model.ledger.read() == {"scripted": Usage(3, 4)} and model.ledger.estimated and model.ledger.total == 7


def test_a_failure_costs_what_had_arrived() -> None:
    model = Meter(ScriptedModel([ModelError("broken", partial=Reply("half")), ModelError("nothing")]))
    for _ in range(2):
        with pytest.raises(ModelError):
            model.generate("x")
    assert model.ledger.read() == {"scripted": Usage(2, 4)} and model.ledger.begun == 2


def test_whatever_a_model_raises_is_a_failure_of_the_model() -> None:
    def raise_error(messages: object) -> str:
        raise ValueError("boom")

    model = Meter(ScriptedModel([raise_error] * 2), name="mine")
    with pytest.raises(ModelError, match="ValueError: boom"):
        model.generate("x")
    with pytest.raises(ModelError, match="ValueError: boom"):
        asyncio.run(model.agenerate("x"))
    assert model.ledger.begun == 2 and model.ledger.read()["mine"].input_tokens == 2


@pytest.mark.parametrize(
    ("ledger", "words"), [(Ledger(calls=2), "limit of 2 calls"), (Ledger(tokens=5), "limit of 5 tokens")]
)
def test_beyond_a_limit_no_model_is_asked(ledger: Ledger, words: str) -> None:
    inner = ScriptedModel(["abcd"] * 9)
    models = [Meter(inner, ledger, "one"), Meter(inner, ledger, "two")]
    while not ledger.excess:
        models[ledger.begun % 2].generate("x")
    count = len(inner.requests)
    with pytest.raises(ModelError, match=words):
        models[0].generate("x")
    assert len(inner.requests) == count <= 2


def test_a_ledger_is_shared_by_threads() -> None:
    ledger = Ledger()
    model = Meter(ScriptedModel(["ab"] * 200), ledger)
    threads = [Thread(target=lambda: [model.generate("x") for _ in range(25)]) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (ledger.begun, ledger.read()) == (200, {"scripted": Usage(200, 400)})


def test_a_meter_is_a_model_in_every_way() -> None:
    plain = Meter(ScriptedModel(["{}", "later", "now"]))
    assert (plain.way, plain.wants_strict, plain.name) == (Way.PROMPT, False, "scripted")
    assert asyncio.run(plain.agenerate("x")).text == "{}"
    with plain.stream("x") as pieces:
        assert "".join(pieces) == "later"
    assert plain.ledger.begun == 2 and Meter(ScriptedModel([], way=Way.TOOL)).way is Way.TOOL
