"""The endpoint of a contest: OpenAI's client against it, whole and in pieces, and who is not answered."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import openai
import pytest
from route_models import make_contestant

from symops_lark.agent import serving
from symops_lark.agent.serving import open_endpoint
from symops_lark.lab.playground.server import Server
from symops_lark.models import Message, Reply, ScriptedModel
from symops_lark.routing import Flow
from symops_lark.routing.verifiers import Verdict

GOOD, BAD = '{"x": 1}', "no object here"


@pytest.fixture(name="model")
def make_model() -> ScriptedModel:
    return ScriptedModel([GOOD] * 9)


@pytest.fixture(name="server")
def make_server(tmp_path: Path, model: ScriptedModel) -> Iterator[Server]:
    flow = Flow([make_contestant(tmp_path, "good", model), make_contestant(tmp_path, "bad", BAD)])
    with open_endpoint(flow) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        yield server
        server.shutdown()


def client(server: Server) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"http://127.0.0.1:{server.port}/v1", api_key=server.token, max_retries=0)


TALK: Any = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "x?"}]


def test_a_client_gets_the_reply_that_won(server: Server, model: ScriptedModel) -> None:
    answer = client(server).chat.completions.create(model="auto", messages=TALK)
    assert answer.choices[0].message.content == GOOD and answer.choices[0].finish_reason == "stop"
    assert model.requests == [(Message("system", "Be brief."), Message("user", "x?"))], "the messages as they are"
    extra: Any = answer.model_extra
    assert extra["symops"]["model_id"] == "good" and extra["symops"]["cost"]["calls"] == 2
    assert answer.usage is not None and answer.usage.completion_tokens > 5, "both candidates are counted"
    assert [model.id for model in client(server).models.list()] == ["auto", "good", "bad"]


def test_a_stream_has_the_text_in_pieces(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "_PIECE", 3)
    chunks = list(client(server).chat.completions.create(model="good", messages=TALK, stream=True))
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == GOOD and len(chunks) > 3


def test_without_a_reply_that_passes_the_answer_is_422(server: Server) -> None:
    with pytest.raises(openai.UnprocessableEntityError, match="bad: there is no JSON object") as caught:
        client(server).chat.completions.create(model="bad", messages=TALK)
    assert (caught.value.code, caught.value.type) == ("none-passed", "unsure")
    stream = client(server).chat.completions.create(model="bad", messages=TALK, stream=True)
    with pytest.raises(openai.APIError, match="bad: there is no JSON object"):
        list(stream)


@pytest.mark.parametrize(
    ("changes", "status", "words"),
    [
        ({"tools": [{}]}, 400, "tools"),
        ({"n": 2}, 400, "n is not supported"),
        ({"stop": ["x"]}, 400, "stop is not supported"),
        ({"response_format": {"type": "json_object"}}, 400, "response_format"),
        ({"logprobs": True}, 400, "logprobs"),
        ({"model": "nobody"}, 404, "nobody"),
        ({"messages": "x"}, 400, "messages"),
        ({"messages": [{"role": "tool", "content": "x"}]}, 400, "messages"),
        ({"messages": []}, 400, "nothing to ask"),
        ({"stream": True, "tools": [{}]}, 400, "tools"),
    ],
)
def test_what_no_contest_can_give_is_refused_by_name(
    server: Server, changes: dict[str, Any], status: int, words: str
) -> None:
    body = {"model": "auto", "messages": TALK, **changes}
    code, answer = post(server, "/v1/chat/completions", body, {"Authorization": f"Bearer {server.token}"})
    assert (code, words in answer["error"]["message"]) == (status, True), answer


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": "Bearer TOKEN", "Host": "evil.example"}, 421),
        ({"Authorization": "Bearer TOKEN", "Origin": "http://evil.example"}, 403),
    ],
)
def test_strangers_are_not_answered(server: Server, model: ScriptedModel, headers: dict[str, str], status: int) -> None:
    own = {name: value.replace("TOKEN", server.token) for name, value in headers.items()}
    code, _ = post(server, "/v1/chat/completions", {"model": "auto", "messages": TALK}, own)
    assert code == status and model.requests == []


@pytest.mark.slow
@pytest.mark.parametrize("is_stream", [False, True])
def test_a_log_that_cannot_be_written_is_reported(tmp_path: Path, model: ScriptedModel, is_stream: bool) -> None:
    def refuse(rows: object) -> None:
        raise OSError("the disk is full")

    with open_endpoint(Flow([make_contestant(tmp_path, "good", model)], log=refuse)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        with pytest.raises(openai.APIError, match="the disk is full"):
            list(client(server).chat.completions.create(model="auto", messages=TALK, stream=is_stream))
        server.shutdown()


@pytest.mark.slow
@pytest.mark.parametrize("is_stream", [False, True])
def test_a_verifier_that_fails_is_reported(tmp_path: Path, model: ScriptedModel, is_stream: bool) -> None:
    class Own:
        def judge(self, reply: Reply) -> Verdict:
            raise KeyError("bug")

    flow = Flow([make_contestant(tmp_path, "good", model)], judge=lambda manifest: Own())
    with open_endpoint(flow) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        with pytest.raises(openai.APIError, match="KeyError: 'bug'"):
            list(client(server).chat.completions.create(model="auto", messages=TALK, stream=is_stream))
        server.shutdown()


def test_null_is_a_parameter_that_is_not_given(server: Server) -> None:
    names = ("model", "n", "tools", "stop", "response_format", "logprobs", "stream")
    body = {"messages": TALK, **dict.fromkeys(names)}
    code, answer = post(server, "/v1/chat/completions", body, {"Authorization": f"Bearer {server.token}"})
    assert (code, answer["model"], answer["symops"]["model_id"]) == (200, "auto", "good"), answer


def test_other_paths_are_not_there(server: Server) -> None:
    code, _ = post(server, "/v1/embeddings", {}, {"Authorization": f"Bearer {server.token}"})
    assert code == 404


def post(server: Server, path: str, body: Any, headers: dict[str, str]) -> tuple[int, Any]:
    request = urllib.request.Request(
        f"http://127.0.0.1:{server.port}{path}",
        json.dumps(body).encode(),
        {"Content-Type": "application/json", **headers},
    )
    try:
        with urllib.request.urlopen(request, timeout=20) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())
