"""The flow: who is asked, who wins, fallbacks and their circles, UNSURE; a step has its event, and a reply its row."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from random import Random
from threading import Event as Signal
from typing import Any

import pytest
from route_models import make_contestant

from symops_lark import ModelError
from symops_lark.models import Finish, Message, Reply, ScriptedModel, Usage
from symops_lark.models.prompts.tokens import TokenCounter
from symops_lark.routing import (
    Answer,
    Contestant,
    Flow,
    Manifest,
    Metric,
    MixedMetric,
    RoutingError,
    RunLog,
    read_metric,
)
from symops_lark.routing.contests.flow import Missing, Way
from symops_lark.routing.events import hash_text
from symops_lark.routing.verifiers import Verdict

GOOD, BAD = '{"x": 1}', "no object here"
Make = Callable[..., Contestant]


@pytest.fixture(name="make")
def make_maker(tmp_path: Path) -> Make:
    return lambda name, reply=GOOD, state="experimental", **more: make_contestant(tmp_path, name, reply, state, **more)


def kinds(answer: Answer) -> list[str]:
    return [event.to_dict()["event"] for event in answer.events]


def tokens(text: str, count: int) -> ScriptedModel:
    return ScriptedModel([Reply(text, Finish.STOP, Usage(1, count))] * 9)


def test_the_one_that_passes_wins(make: Make) -> None:
    answer = Flow([make("a", BAD), make("b"), make("c", "")]).run("x?")
    assert (answer.way, answer.status, answer.model_id, answer.version) == (Way.WINNER, "PASS", "b", "0.1.0")
    assert answer.output == GOOD and answer.sure and "the only one" in answer.why
    assert kinds(answer) == ["INFER_REQUEST", *["INFER_RESULT"] * 3, "SELECT_TRAIN_EXAMPLE"]
    by = {row["model_id"]: row for row in answer.rows}
    assert {name: row["verifier_result"] for name, row in by.items()} == {"a": "FAIL", "b": "PASS", "c": "FAIL"}
    assert [by[name]["refusal_penalty"] for name in "abc"] == [1, 0, 1]
    assert {row["winner_model_id"] for row in answer.rows} == {"b"}
    assert by["a"]["reward"] < 0 < by["b"]["reward"], "who fails has a reward as well"


def test_of_those_that_pass_the_cheaper_wins(make: Make) -> None:
    answer = Flow([make("a", tokens(GOOD, 900)), make("b", tokens(GOOD, 90)), make("c", tokens(BAD, 1))]).run("x?")
    assert answer.model_id == "b" and "before" in answer.why
    assert [attempt.tokens for attempt in answer.tries] == [900, 90, 1]
    assert not any(single_attempt.tokens_estimated for single_attempt in answer.tries)


@pytest.mark.parametrize("count", [0, -5, 10**400])
def test_a_count_that_cannot_be_is_not_believed(make: Make, count: int) -> None:
    [tried] = Flow([make("a", tokens(GOOD, count))]).run("x?").tries
    assert (tried.tokens, tried.tokens_estimated, tried.verdict.passed) == (2, True, True)


def test_a_row_has_the_fields_of_the_protocol_and_can_be_computed_again(make: Make) -> None:
    metric = MixedMetric(Metric("metric_v1"), Metric("metric_v2", lambda_=1.0), 0.25)
    logged: list[Any] = []
    answer = Flow([make("a"), make("b", BAD)], metric, log=logged.extend).run("x?")
    assert logged == list(answer.rows) and len(logged) == 2
    for row in map(json.loads, map(json.dumps, logged)):
        assert row["timestamp"].endswith("Z") and row["prompt_hash"] == hash_text("x?")
        repeated_metric = read_metric(row["metric_version"], row["metric_params"])
        numbers = (row["q0"], row.get("q1"), row["cost"], row["refusal_penalty"])
        assert repeated_metric.reward(*numbers) == row["reward"]
        assert isinstance(repeated_metric, MixedMetric) and repeated_metric.parts(*numbers) == row["rewards"]
        assert row["candidates"] == 2 and row["run_id"] == answer.run_id
    assert "q1" not in logged[0]


def test_without_training_rows_name_no_winner(make: Make) -> None:
    [row] = Flow([make("a")]).run("x?", training=False).rows
    assert "winner_model_id" not in row


def test_an_answer_is_json(make: Make) -> None:
    data = json.loads(json.dumps(Flow([make("a")]).run("x?").to_dict()))
    assert (data["status"], data["way"], data["model_id"]) == ("PASS", "winner", "a")
    assert data["tries"][0]["verdict"]["passed"] is True
    unsure = json.loads(json.dumps(Flow([make("a", BAD)]).run("x?").to_dict()))
    assert (unsure["status"], unsure["output"], unsure["selection"]["winner"]) == ("UNSURE", None, None)


@pytest.mark.slow
def test_the_order_of_models_decides_nothing(make: Make) -> None:
    counts = {"m0": (GOOD, 20), "m1": (GOOD, 500), "m2": (BAD, 1), "m3": (GOOD, 900)}
    models = [make(name, ScriptedModel([Reply(text, usage=Usage(1, n))] * 24)) for name, (text, n) in counts.items()]
    for order in permutations(models):
        assert Flow(order, top_k=4).run("x?").model_id == "m0"


# ---- who is asked


def test_candidates_by_tags_scope_state_and_size(make: Make) -> None:
    some = [
        make("both", routing__tags=["a", "b"], state="stable"),
        make("half", routing__tags=["a"]),
        make("picky", routing__tags=["a"], routing__recommended_min_confidence=0.9),
        make("none", routing__tags=["c"], routing__recommended_min_confidence=0),
        make("gone", routing__tags=["a", "b"], state="retired"),
        make("other", routing__tags=["a", "b"], scope__tasks=["sort"]),
        make("never", routing__tags=["a", "b"], scope__non_scope=["edit"]),
        make("small", routing__tags=["a", "b"], io_contract__input__max_tokens=2),
    ]
    request, skipped = Flow(some).find_candidates("a prompt of some words", ["a", "b"], "transform")
    assert [item.model_id for item in request] == ["both", "never", "half"]
    why = {element.model_id: element.why for element in skipped}
    assert {*why} == {"picky", "none", "gone", "other", "small"}
    assert "90%" in why["picky"] and "retired" in why["gone"] and "scope" in why["other"] and "tokens" in why["small"]
    _, skipped = Flow(some).find_candidates("x", ["a", "b"], "edit")
    assert "non_scope" in {entry.model_id: entry.why for entry in skipped}["never"]


@pytest.mark.slow
def test_equal_models_are_asked_equally_often(make: Make, tmp_path: Path) -> None:
    """Six models, three places, twenty requests: without counts, the first three by name are always asked."""
    log = RunLog(tmp_path / "runs.jsonl")
    for number in range(20):
        flow = Flow([make(name) for name in "abcdef"], log=log.append_run, asked=log.count_asked())
        flow.run(f"request {number}", ["format:json"])
    assert log.count_asked() == dict.fromkeys("abcdef", 10)


@pytest.mark.slow
def test_the_least_asked_has_a_place(make: Make) -> None:
    random = Random(4)
    for _ in range(40):
        names = [f"m{number}" for number in range(random.randint(1, 7))]
        some = [make(name, state=random.choice(("stable", "experimental"))) for name in names]
        counts = Counter({name: random.randint(0, 9) for name in names})
        top_k = random.randint(1, 4)
        request, skipped = Flow(some, top_k=top_k, asked=counts).find_candidates("x", ["format:json"])
        assert len(request) == min(top_k, len(names)) and len(request) + len(skipped) == len(names)
        assert min(counts.values()) in [counts[item.model_id] for item in request]
        # The others are the best by state, and between equals the least asked.
        best = sorted(some, key=lambda each: (not each.stable, counts[each.model_id], each.model_id))
        assert request[: top_k - 1] == best[: top_k - 1]


def test_only_so_many_are_asked_the_stable_ones_first(make: Make) -> None:
    models = [make(name, state=state) for name, state in (("a", "experimental"), ("b", "stable"), ("c", "stable"))]
    answer = Flow(models, top_k=2).run("x?", ["format:json"])
    assert [attempt.contestant.model_id for attempt in answer.tries] == ["b", "c"]
    assert [(item.model_id, item.why) for item in answer.skipped] == [("a", "only 2 are asked")]


def test_a_model_is_given_once(make: Make) -> None:
    with pytest.raises(RoutingError, match="a: given twice"):
        Flow([make("a"), make("a")])
    for item in ({"top_k": 0}, {"seconds": 0.0}, {"seconds": float("nan")}):
        with pytest.raises(RoutingError):
            Flow([], **item)


# ---- models that fail


@pytest.mark.slow
def test_a_model_that_fails_or_hangs_harms_nobody(make: Make) -> None:
    release = Signal()

    def hang(_: tuple[Message, ...]) -> str:
        release.wait(30)
        return GOOD

    def bug(_: tuple[Message, ...]) -> str:
        raise ZeroDivisionError("a bug")

    models = [make("a", ScriptedModel([hang])), make("b", ScriptedModel([bug])), make("c", tokens(GOOD, 1))]
    models.append(make("d", ScriptedModel([ModelError("down", partial=Reply("half of it"))])))
    answer = Flow(models, top_k=4, seconds=0.5).run("x?")
    release.set()
    table = {attempt.contestant.model_id: attempt.told for attempt in answer.tries}
    assert answer.model_id == "c"
    assert table["a"] == "it was not done after 0.5 s" and "ZeroDivisionError" in table["b"] and table["d"] == "down"
    assert all(row["refusal_penalty"] == 0 for row in answer.rows), "a failure is no refusal"


def test_all_are_asked_at_once(make: Make) -> None:
    """Each waits for the other: one after the other they would never be done."""
    signals = {"a": Signal(), "b": Signal()}

    def meet(mine: str, other: str) -> ScriptedModel:
        def say(_: tuple[Message, ...]) -> str:
            signals[mine].set()
            return GOOD if signals[other].wait(20) else BAD

        return ScriptedModel([say])

    answer = Flow([make("a", meet("a", "b")), make("b", meet("b", "a"))], seconds=30).run("x?")
    assert [attempt.verdict.passed for attempt in answer.tries] == [True, True]


def test_a_time_limit_without_end(make: Make) -> None:
    """The clock of the operating system ends before infinity: `--time-limit 1e10` was an OverflowError."""
    for seconds in (1e10, math.inf):
        assert Flow([make("a")], seconds=seconds).run("x?").sure


# ---- nobody passes


def test_the_fallback_is_verified_too(make: Make) -> None:
    general = make("general", routing__tags=["other"])
    answer = Flow([make("a", BAD, routing__fallback="general"), general]).run("x?", ["format:json"])
    assert (answer.way, answer.model_id, answer.output) == (Way.FALLBACK, "general", GOOD)
    assert answer.selection.winner is None and {row["winner_model_id"] for row in answer.rows} == {None}
    assert [row["role"] for row in answer.rows] == ["candidate", "fallback"]
    assert {row["served_by"] for row in answer.rows} == {"general"}
    assert kinds(answer) == ["INFER_REQUEST", "INFER_RESULT", "INFER_RESULT", "MODEL_ADD_REQUEST"]
    bad = make("general", BAD, routing__tags=["other"])
    answer = Flow([make("a", BAD, routing__fallback="general"), bad]).run("x?", ["format:json"])
    assert (answer.way, answer.output, answer.model_id) == (Way.UNSURE, None, None)


def test_a_fallback_has_a_fallback(make: Make) -> None:
    fields = {"routing__tags": ["other"]}
    models = [
        make("a", BAD, routing__fallback="b"),
        make("b", BAD, routing__fallback="c", **fields),
        make("c", routing__fallback="unsure", **fields),
    ]
    answer = Flow(models).run("x?", ["format:json"])
    assert (answer.way, answer.model_id) == (Way.FALLBACK, "c")
    assert [attempt.contestant.model_id for attempt in answer.tries] == ["a", "b", "c"]


@pytest.mark.parametrize("ways", [{"a": "a"}, {"a": "b", "b": "a"}, {"a": "b", "b": "c", "c": "b"}])
def test_circles_of_fallbacks_end(make: Make, ways: dict[str, str]) -> None:
    models = [
        make(name, BAD, routing__fallback=value, routing__tags=["format:json" if name == "a" else "other"])
        for name, value in ways.items()
    ]
    answer = Flow(models).run("x?", ["format:json"])
    assert answer.way is Way.UNSURE
    assert [attempt.contestant.model_id for attempt in answer.tries] == list(ways), "each was asked once"
    assert any("in a circle" in item.why for item in answer.skipped)


def test_a_fallback_that_is_not_there_is_told(make: Make) -> None:
    retired = make("old", state="retired", routing__tags=["other"])
    models = [make("a", BAD, routing__fallback="nobody"), make("b", BAD, routing__fallback="old"), retired]
    answer = Flow(models).run("x?", ["format:json"])
    why = [item.why for item in answer.skipped]
    assert answer.way is Way.UNSURE
    assert "the fallback of a is not registered" in why and "the fallback of b is retired" in why


def test_a_candidate_that_failed_is_not_asked_again_as_a_fallback(make: Make) -> None:
    answer = Flow([make("a", BAD, routing__fallback="b"), make("b", BAD, routing__fallback="c"), make("c", BAD)]).run(
        "x"
    )
    assert len(answer.tries) == 3 and answer.way is Way.UNSURE


def test_without_a_candidate_a_model_is_missing(make: Make) -> None:
    answer = Flow([make("a")]).run("x?", ["format:xml"])
    assert (answer.way, answer.rows) == (Way.UNSURE, ()) and "no model is a candidate" in answer.why
    event = answer.events[-1].to_dict()
    assert (event["event"], event["reason"]) == ("MODEL_ADD_REQUEST", "no-candidate")
    assert event["stats_snapshot"]["tags"] == ["format:xml"] and "a" in event["stats_snapshot"]["skipped"]
    assert kinds(answer) == ["INFER_REQUEST", "MODEL_ADD_REQUEST"]


# ---- the caller's judge, conversations, extras


class Fussy:
    """A judge of the caller's own."""

    def judge(self, reply: Reply) -> Verdict:
        return Verdict(reply.text == BAD, 0.5, told="" if reply.text == BAD else "not what the caller wants")


def test_the_judge_of_the_caller_wins_over_every_manifest(make: Make) -> None:
    texts: list[str] = []

    def judge(manifest: Manifest) -> Fussy:
        texts.append(manifest.model_id)
        return Fussy()

    answer = Flow([make("a"), make("b", BAD)], judge=judge).run("x?")
    assert (answer.model_id, texts) == ("b", ["a", "b"])
    assert [(attempt.verdict.passed, attempt.told, attempt.q1) for attempt in answer.tries] == [
        (False, "not what the caller wants", 0.5),
        (True, "", 0.5),
    ]


def test_a_conversation_is_sent_as_it_is(make: Make) -> None:
    model = ScriptedModel([GOOD] * 9)
    talk = [Message("system", "Be brief."), Message("user", "x?")]
    answer = Flow([make("a", model, io_contract__input__required_format="prompt+schema")]).run(talk)
    assert model.requests == [tuple(talk)] and answer.rows[0]["prompt_hash"] == hash_text("Be brief.\n\nx?")


def test_rows_carry_extras_that_hide_no_field(make: Make) -> None:
    answer = Flow([make("a")]).run("x?", extras={"session_id": "s", "model_id": "forged"})
    assert [(row["session_id"], row["model_id"]) for row in answer.rows] == [("s", "a")]


def test_tokens_are_counted_by_the_counter_of_the_caller(make: Make) -> None:
    counter = TokenCounter("letters", len)
    answer = Flow([make("a", io_contract__input__max_tokens=3)]).run("x?", counter=counter)
    assert [(attempt.tokens, attempt.tokens_estimated) for attempt in answer.tries] == [(len(GOOD), True)]
    assert "4 tokens" in Flow([make("b", io_contract__input__max_tokens=3)]).run("xxx?", counter=counter).skipped[0].why


# ---- with and without a q1


def mixed(make: Make) -> list[Contestant]:
    config = {"expected": {"x": 2}}
    scored = {"type": "json_schema", "pass_condition": "schema_valid", "config": config}
    return [make("bare", tokens(GOOD, 5)), make("scored", tokens(GOOD, 500), verifier=scored)]


def test_scores_are_compared_only_under_a_policy(make: Make) -> None:
    answer = Flow(mixed(make), own_verifiers=True).run("x?")
    assert (answer.way, answer.selection.winner) == (Way.UNSURE, None) and "--missing-q1" in answer.why
    assert answer.events[-1].to_dict()["reason"] == "q1-mixed"
    assert all("winner_model_id" not in row for row in answer.rows), "there is nothing to learn"
    assert Flow(mixed(make), own_verifiers=True, missing=Missing.ZERO).run("x?").model_id == "bare"
    ignoring = Flow(mixed(make), own_verifiers=True, missing=Missing.IGNORE).run("x?")
    assert ignoring.model_id == "bare" and all("q1" not in row for row in ignoring.rows)


# ---- what is asked


def test_what_a_contract_requires_is_asked(make: Make) -> None:
    model = ScriptedModel([GOOD] * 3)
    Flow([make("a", model, io_contract__input__required_format="prompt+schema")]).run("x?")
    [message] = model.requests[0]
    assert message.content.startswith("x?\n") and '"integer"' in message.content
    symops = {"type": "symops", "pass_condition": "valid", "config": {"format": "v2"}}
    Flow([make("b", model, io_contract__input__required_format="prompt+symops", verifier=symops)]).run("x?")
    assert model.requests[1][0].role == "system" and model.requests[1][-1].content == "x?"
    Flow([make("c", model, io_contract__input__required_format="mine")]).run("x?")
    assert [m.content for m in model.requests[2]] == ["x?"]


def test_a_schema_that_is_gone_is_a_failure(make: Make) -> None:
    first = make("a", io_contract__output__schema_ref="schemas/none.json")
    answer = Flow([first, make("b")]).run("x?")
    assert answer.model_id == "b" and "none.json: cannot be read" in answer.tries[0].told
