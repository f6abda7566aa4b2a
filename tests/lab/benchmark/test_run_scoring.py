"""From a reply to a record: phases, fidelity, cascades, crashes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from compliance_runs import ADD, LIST, V2
from hypothesis import given
from hypothesis import strategies as st

from symops_lark.core.document import Action, Document
from symops_lark.core.replies.messages import ModelError
from symops_lark.lab.benchmark.faults.mistakes import Expected
from symops_lark.lab.benchmark.fidelity import align
from symops_lark.lab.benchmark.formats import Format, load_format
from symops_lark.lab.benchmark.formats.sym_ops import SymOps
from symops_lark.lab.benchmark.records import PHASES, Attempt, Case, Provenance, Record
from symops_lark.lab.benchmark.scoring import judge
from symops_lark.lab.benchmark.sources import Given
from symops_lark.models import Finish, Message, Model, Reply, ScriptedModel, Usage

BLANK = Record("key", "request", Case("v2", "a task"), Provenance("simulated"), "", "", 0)
BOTH = V2 + "\n::create @docs/list.md >add.py\n<<<\n- one\n- two\n>>>\n"


def expect(*actions: Action) -> tuple[Expected, ...]:
    return tuple(Expected(a.type, a.path, (a.content,), a.dependencies) for a in actions)


def record_of(text: str, *actions: Action, format: Format | None = None, **more: Any) -> Record:
    """Judge a text in which some actions are expected; nobody knows what is, without any."""
    expected = expect(*actions) if actions else None
    reply = more.pop("reply", Reply(text, Finish.STOP))
    document = Document(actions) if actions else None
    return judge(format or load_format("v2"), Given(reply, expected=expected, **more), BLANK, document)


def states(record: Record) -> list[str | None]:
    return [phase.state for phase in record.phases]


def test_what_is_not_reached_repeats_what_there_was() -> None:
    record = record_of(V2, ADD)
    assert [phase.phase for phase in record.phases] == list(PHASES)
    assert states(record) == ["right"] * 4 and all(phase.accepted for phase in record.phases)
    assert [phase.seconds is not None for phase in record.phases] == [True, False, False, False]
    assert record.attempts == 1 and record.finish == "stop" and record.error == ""
    repaired = record_of(V2.replace("::create @add.py", "::Create add.py"), ADD)
    assert states(repaired) == ["no-answer", "right", "right", "right"]
    assert [phase.accepted for phase in repaired.phases] == [False, True, True, True]
    assert repaired.phases[1].confidence is not None and 0 < repaired.phases[1].confidence < 1


def test_a_reply_that_does_not_parse_is_no_success() -> None:
    for text in ("", "Sorry, I cannot do that.", "```python\nx = 1\n```\n"):
        record = record_of(text, ADD)
        assert not any(phase.accepted for phase in record.phases), text
        assert states(record) == ["no-answer"] * 4 and record.phases[-1].lost == 1 and record.actions == ()


def test_where_nobody_knows_nothing_is_claimed() -> None:
    record = record_of(BOTH)
    assert record.expected is None and states(record) == [None] * 4
    assert record.collision is None and record.cascade is None and record.harmless is None
    assert [(action.confidence, action.right) for action in record.actions] == [(1.0, None)] * 2


def test_actions_are_right_or_wrong() -> None:
    record = record_of(BOTH.replace("- two", "- three"), ADD, LIST)
    assert [action.right for action in record.actions] == [True, False]
    assert states(record)[-1] == "wrong-without-alarm" and len(record.phases[-1].silent) == 1
    assert record.expected is not None and record.expected[1]["path"] == "docs/list.md"


def test_cascade_is_told_of_one_mistake_only() -> None:
    """One mistake, made in the first action: the second one is none of its business."""
    damaged = BOTH.replace("a + b", "a - b")
    assert record_of(damaged, ADD, LIST, faults=("a-mistake",), touched=frozenset({0})).cascade is False
    lost = V2.replace(">>>\n", "")
    assert record_of(lost, ADD, LIST, faults=("a-mistake",), touched=frozenset({0})).cascade is True
    assert record_of("", ADD, LIST, faults=("a-mistake",), touched=frozenset({0})).cascade is True
    assert record_of(lost, ADD, LIST, faults=("one", "two"), touched=frozenset({0})).cascade is None
    assert record_of(V2, ADD, faults=("a-mistake",), touched=frozenset({0})).cascade is None, "there is no neighbour"


def test_faultless_replies_are_looked_at_for_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    assert record_of(V2, ADD, faults=()).harmless is True
    assert record_of(V2, ADD, faults=("a-mistake",)).harmless is None
    harmful = SymOps("v2")
    monkeypatch.setattr(harmful, "harms", lambda text: "repaired")
    assert record_of(V2, ADD, format=harmful, faults=()).harmless is False


def test_collisions() -> None:
    marked = Action("create", "a.md", "<<<\n")
    assert record_of(V2, ADD).collision is False
    assert record_of(V2, ADD, marked).collision is True


def test_what_a_faultless_text_draws_too_warns_of_nothing() -> None:
    """A dangling dependency is warned about in the right document as well: a wrong content beside it is silent."""
    hanging = Action("create", "add.py", ADD.content, ("nowhere.py",))
    text = "::create @add.py >nowhere.py\n<<<\ndef add(a, b):\n    return b\n>>>\n"
    record = record_of(text, hanging)
    assert record.codes == ("unknown-dependency",) or "depend" in " ".join(record.codes)
    assert states(record)[-1] == "wrong-without-alarm" and [action.flagged for action in record.actions] == [False]
    assert states(record_of(text, ADD))[-1] != "wrong-without-alarm", (
        "where it is no part of the right document, it warns"
    )


# ---- asking again


def ask(script: Sequence[str | Reply | ModelError], text: str = "Sorry.", usage: Usage | None = None) -> Record:
    reply = Reply(text, Finish.STOP, usage, "a-model")
    return record_of(text, ADD, reply=reply, model=ScriptedModel(script), messages=(Message("user", "Do it."),))


def test_asking_again_is_the_last_phase() -> None:
    record = ask([Reply(V2, Finish.STOP, Usage(30, 4))], usage=Usage(10, 2))
    assert states(record) == ["no-answer", "no-answer", "no-answer", "right"]
    assert (record.text, record.attempts, record.usage, record.model) == ("Sorry.", 2, (40, 6), "a-model")
    assert ask([V2], usage=Usage(10, 2)).usage == (None, None), "what is unknown in one is unknown in the sum"
    assert ask([], V2, usage=Usage(10, 2)).usage == (10, 2)


def test_a_model_that_fails_when_asked_again_says_nothing_about_the_format() -> None:
    record = ask([ModelError("too many requests", status=429)])
    assert record.phases == () and "too many requests" in record.error and record.text == "Sorry."


# ---- crashes


class Crashing(SymOps):
    """A dialect whose reader has a bug."""

    def read(self, reply: Reply, messages: tuple[Message, ...] = (), model: Model | None = None) -> Iterator[Attempt]:
        yield Attempt("strict", None)
        raise ZeroDivisionError("nobody thought of this")


def test_a_crash_of_the_reader_is_a_rejection_and_told() -> None:
    record = record_of(V2, format=Crashing("v2"))
    assert [phase.accepted for phase in record.phases] == [False] * 4
    assert "ZeroDivisionError: nobody thought of this" in record.error and ".py:" in record.error
    existing = record_of(V2, ADD, format=Crashing("v2"))
    assert "ZeroDivisionError" in existing.error and states(existing) == ["no-answer"] * 4


def test_records_survive_json() -> None:
    record = record_of(BOTH, ADD, LIST, faults=(), touched=frozenset())
    assert Record.from_dict(json.loads(json.dumps(record.to_dict()))) == record


@given(st.lists(st.sampled_from([ADD, LIST, Action("delete", "a.py"), Action("create", "a.py", "")])))
def test_actions_as_they_were_meant_are_pairs_with_or_without_another(actions: list[Action]) -> None:
    expected, other_action = expect(*actions), Action("run", "make")
    assert align(expected, [*actions, other_action]) == [*align(expected, actions), (None, other_action)]
    assert align(expected, actions) == list(zip(expected, actions, strict=True))
