"""Live models, by a server on loopback: what is asked, what is counted, what fails, what is never asked twice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from command_line import run as symops
from command_line import write_rule
from compliance_runs import ADD, TASKS, V2, live, make_task, read_records
from model_server import Answer, Failure, Line, Request, model_server

from symops_lark import SymOpsError, export
from symops_lark.lab.benchmark.formats import load_format
from symops_lark.lab.benchmark.runlog import read_log
from symops_lark.lab.benchmark.runner import Progress, Setup, run
from symops_lark.lab.benchmark.settings import RunSettings

ONE = (make_task("one"),)


def constrain(url: str, word: str = "yes", **more: Any) -> RunSettings:
    return live(url, options=(*live(url).options, ("constrained", word)), **more)


def test_a_model_is_asked_as_the_format_teaches(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    with model_server([Answer(V2, usage=(70, 9))]) as server:
        (record,) = run(live(server.url, max_tokens=99, temperature=0.25, date="2026-05-04"), path, tasks=ONE)
    (request,) = server.requests
    assert request.messages == [message.to_dict() for message in load_format("v2").teach(ONE[0].request)]
    assert request.body["max_tokens"] == 99 and request.body["temperature"] == 0.25
    assert str(record.provenance) == "live(vllm, a-model, 2026-05-04)"
    assert (record.text, record.finish, record.usage, record.model) == (V2, "stop", (70, 9), "served-model")
    assert [phase.state for phase in record.phases] == ["right"] * 4 and record.faults is None


def test_what_is_not_dictated_has_no_right_answer(tmp_path: Path) -> None:
    with model_server([V2]) as server:
        (record,) = run(live(server.url), tmp_path / "run.jsonl", tasks=[make_task("free", dictated=False)])
    assert record.expected is None and record.phases[0].accepted and record.phases[0].state is None


def test_a_task_that_a_format_cannot_carry_is_no_case_of_it(tmp_path: Path) -> None:
    marked = make_task("marked", type(ADD)("create", "a.md", "<<<\n>>>"))
    refused = [name for name in ("v1", "v2") if load_format(name).refuse(marked.document)]
    assert refused, "the content collides with nothing: the test is empty"
    with model_server([V2] * 4) as server:
        settings = live(server.url, formats=("v1", "v2"))
        records = run(settings, tmp_path / "run.jsonl", tasks=[*ONE, marked])
    rows = {(record.case.format, record.case.task) for record in records}
    assert rows == {("v1", "one"), ("v2", "one")} | {(n, "marked") for n in ("v1", "v2") if n not in refused}


def test_failures_are_records(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    script: list[Line] = [V2, *[Failure(429, "slow down")] * 3, Answer(V2, fault="cut", at=12), *[Failure(400, "no")]]
    with model_server(script) as server:
        records = run(live(server.url, repetitions=4), path, tasks=ONE)
        assert [bool(record.error) for record in records] == [False, True, True, True]
        assert "429" in records[1].error and "slow down" in records[1].error and records[1].phases == ()
        assert records[2].text == V2[:12] and records[2].phases == ()
        count = len(server.requests)
        assert read_records(path) and run(live(server.url, repetitions=4), path, tasks=ONE) == list(records)
        assert len(server.requests) == count, "what failed is in the log, and not tried again"


def test_failures_are_tried_again_with_an_older_log(tmp_path: Path) -> None:
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    with model_server([V2, Failure(400, "no"), V2]) as server:
        run(live(server.url, repetitions=2), old, tasks=ONE)
        records = run(live(server.url, repetitions=2), new, Setup(caches=(str(old),)), tasks=ONE)
    assert [record.error for record in records] == ["", ""] and len(server.requests) == 3


def test_asking_again_goes_to_the_same_model(tmp_path: Path) -> None:
    with model_server([Answer("Sorry?", usage=(10, 2)), Answer(V2, usage=(30, 4))]) as server:
        (record,) = run(live(server.url, attempts=1), tmp_path / "run.jsonl", tasks=ONE)
    assert [message["role"] for message in server.requests[1].messages[-2:]] == ["assistant", "user"]
    assert (record.attempts, record.usage, record.text) == (2, (40, 6), "Sorry?")
    assert [phase.state for phase in record.phases] == ["no-answer"] * 3 + ["right"]
    with model_server(["Sorry?"]) as server:
        (record,) = run(live(server.url), tmp_path / "none.jsonl", tasks=ONE)
    assert record.attempts == 1 and not record.phases[-1].accepted


def test_new_rules_judge_old_replies(tmp_path: Path) -> None:
    """Nothing is asked again; the date of the replies stays that on which they came."""
    write_rule(tmp_path / "rules")
    damaged, old = V2.replace("::create", "%%create"), tmp_path / "old.jsonl"
    with model_server([Answer(damaged, usage=(8, 9))]) as server:
        before = run(live(server.url, date="2025-01-01"), old, tasks=ONE)
        settings = live(server.url, rules=(str(tmp_path / "rules"),))
        after = run(settings, tmp_path / "new.jsonl", Setup(caches=(str(old),)), tasks=ONE)
        fresh = run(settings, tmp_path / "other.jsonl", tasks=ONE)
    assert len(server.requests) == 2 and fresh[0].error, "only the run without the old log asks"
    assert before[0].request == after[0].request and before[0].key != after[0].key
    assert (after[0].text, after[0].usage) == (damaged, (8, 9))
    assert after[0].phases[1].state == "right" and before[0].phases[1].state != "right"
    assert str(after[0].provenance) == "live(vllm, a-model, 2025-01-01)"


@pytest.mark.slow
def test_many_at_once_give_the_same_as_one_by_one(tmp_path: Path) -> None:
    def answer(request: Request) -> str:
        return V2 if "two" in request.prompt else "Sorry, no."

    logs = []
    for jobs in (1, 8):
        with model_server([answer] * 20) as server:
            settings = live(server.url, formats=("v2", "plain"), repetitions=5, date="2026-01-01")
            run(settings, tmp_path / f"{jobs}.jsonl", Setup(jobs=jobs), tasks=TASKS)
            assert len(server.requests) == 20
        logs.append([{**r, "key": "", "request": ""} for r in read_records(tmp_path / f"{jobs}.jsonl")])
    assert logs[0] == logs[1]


@pytest.mark.slow
def test_interrupted_while_it_asks(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"

    def stop(progress: Progress) -> None:
        if progress.done == 3:
            raise KeyboardInterrupt

    with model_server([V2] * 20) as server:
        with pytest.raises(KeyboardInterrupt):
            run(live(server.url, repetitions=6), path, Setup(jobs=2), tasks=ONE, watch=stop)
        assert len(read_log(path).records) == 3
        records = run(live(server.url, repetitions=6), path, Setup(jobs=2), tasks=ONE)
    assert len(records) == 6 and not any(record.error for record in records)


def test_wrong_models_are_told_before_anything_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    for options, message in (
        ((("model", "gpt"), ("provider", "openai")), "needs a key"),
        ((("provider", "vllm"),), "name one"),
        ((("provider", "vllm"), ("model", "x"), ("timeout", "soon")), "a number of seconds"),
        ((), "no provider is named"),
    ):
        with pytest.raises(SymOpsError, match=message):
            run(live("", options=options), tmp_path / "run.jsonl", tasks=ONE)


def test_the_command_tells_failures_and_costs(tmp_path: Path) -> None:
    out, key = str(tmp_path / "run.jsonl"), "sk-very-secret-0123456789"
    script: list[Line] = [Answer(V2, usage=(1000, 500)), *[Failure(400, f"no, {key}, no")] * 2]
    with pytest.MonkeyPatch.context() as patch, model_server(script) as server:
        patch.setenv("OPENAI_API_KEY", key)
        done = symops(
            "bench",
            "run",
            "--source",
            "openai:a-model",
            "--base-url",
            server.url,
            "--format",
            "v2",
            "--task",
            "c-ring-buffer",
            "-n",
            "3",
            "--attempts",
            "0",
            "--jobs",
            "1",
            "--price-in",
            "3",
            "--price-out",
            "15",
            "--out",
            out,
        )
    assert done.exit_code == 1, done.output
    assert "2 of 3 cases have no result" in done.stderr and "refuses the request (status 400)" in done.stderr
    assert "cost at least 0.0105" in done.stderr and "live(openai, a-model, " in done.stdout
    assert key not in done.output and key not in Path(out).read_text()


def test_any_command_is_a_model_and_its_secrets_are_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_SECRET", "hush-hush-hush")
    path, reply = tmp_path / "run.jsonl", tmp_path / "reply.txt"
    reply.write_text(V2)
    options = (("command", f"cat {reply} # hush-hush-hush"), ("model", "cat"), ("provider", "command"))
    (record,) = run(live("", options=options), path, tasks=ONE)
    assert record.phases[0].state == "right" and str(record.provenance).startswith("live(command, cat, ")
    assert "hush" not in path.read_text() and "$MY_SECRET" in path.read_text()
    run(live("", options=options), path, tasks=ONE)


@pytest.mark.slow
def test_a_constrained_run_sends_each_format_its_grammar_and_never_shares_replies(tmp_path: Path) -> None:
    free, bound = tmp_path / "free.jsonl", tmp_path / "bound.jsonl"
    with model_server([V2] * 4) as server:
        run(live(server.url), free, tasks=ONE)
        settings = constrain(server.url, formats=("v1", "v2"))
        records = run(settings, bound, Setup(caches=(str(free),)), tasks=ONE)
    sent = [request.body.get("structured_outputs", {}).get("grammar") for request in server.requests]
    assert sent == [None, *(next(iter(export("xgrammar", name).values())) for name in ("v1", "v2"))]
    assert str(records[1].provenance).endswith(", xgrammar)") and records[1].phases[0].accepted
    assert records[1].writing is not None and records[1].writing > 0


def test_what_has_no_grammar_is_told_before_anything_is_asked(tmp_path: Path) -> None:
    with model_server([]) as server:
        with pytest.raises(SymOpsError, match="the format 'json' is not a dialect, so there is no grammar to follow"):
            run(constrain(server.url, formats=("v2", "json")), tmp_path / "a.jsonl", tasks=ONE)
        with pytest.raises(SymOpsError, match="constrained is 'maybe'; it is yes or no"):
            run(constrain(server.url, "maybe"), tmp_path / "b.jsonl", tasks=ONE)
        result = symops("bench", "run", "--source", "ollama:m", "--constrained", "--base-url", server.url)
        assert result.exit_code == 2 and "'ollama' takes no grammar" in result.stderr
        result = symops("bench", "run", "--constrained")
        assert result.exit_code == 2 and "has no option 'constrained'" in result.stderr
        for option, name in (("--max-tokens", "max_tokens"), ("--temperature", "temperature")):
            result = symops("bench", "run", option, "5")
            assert result.exit_code == 2 and f"the source 'faults' does not use {name} (5" in result.stderr
    assert server.requests == []
