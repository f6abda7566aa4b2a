"""The anchors of confidence: what a price, a lost action and an empty content do to it."""

from __future__ import annotations

import pytest

from symops_lark import Action, Document
from symops_lark.core.recovery.doubts.confidence import action_confidence, document_confidence, price_to_cost


def test_a_price_of_a_thousand_is_a_cost_of_one() -> None:
    assert price_to_cost(6000) == 6.0


@pytest.mark.parametrize(("cost", "confidence"), [(0, 0.95), (6, 0.6983), (1000, 0.05)])
def test_an_action_loses_confidence_with_its_cost(cost: float, confidence: float) -> None:
    assert action_confidence(cost) == pytest.approx(confidence, abs=0.0001)


@pytest.mark.parametrize(
    ("actions", "confidence"),
    [
        ([], 0.5),
        ([Action("create", "a", "x")], 1.0),
        ([Action("create", "a", "x", confidence=0.8)] * 2, 0.8),
        ([Action("create", "a", "x", confidence=0.79)] * 2, 0.64),
        ([Action("create", "a", " ")] * 2, 0.81),
        ([Action("create", "a")], 0.9),
        ([Action("delete", "a")], 1.0),
    ],
)
def test_a_document_is_as_sure_as_its_actions(actions: list[Action], confidence: float) -> None:
    assert document_confidence(Document(tuple(actions)), ["create"]) == pytest.approx(confidence)
