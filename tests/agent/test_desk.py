"""The answers of a contest's desk: whom it asks, what an answer costs, and its pieces, without a connection."""

from __future__ import annotations

import json
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest
from route_models import make_contestant

from symops_lark.agent.serving import ContestHandler, Desk
from symops_lark.lab.playground.server import Refused
from symops_lark.models import Finish, Reply, ScriptedModel, Usage
from symops_lark.routing import Flow

GOOD = '{"x": 1}'
TALK = [{"role": "user", "content": "x?"}]


def make_desk(folder: Path, **replies: Reply | str) -> Desk:
    models = {name: ScriptedModel([reply] * 3) for name, reply in replies.items()}
    return Desk(Flow([make_contestant(folder, name, model) for name, model in models.items()]))


def ask(desk: Desk, **members: Any) -> dict[str, Any]:
    status, body = desk.complete({"messages": TALK, **members})
    assert status is HTTPStatus.OK, body
    return body


def test_models_are_listed_after_the_contest_of_all(tmp_path: Path) -> None:
    listed = make_desk(tmp_path, a=GOOD, b=GOOD).models()
    entries = [{"id": name, "object": "model", "created": 0, "owned_by": "symops-lark"} for name in ("auto", "a", "b")]
    assert listed == {"object": "list", "data": entries}


def test_all_candidates_are_in_the_usage(tmp_path: Path) -> None:
    replies = {"a": Reply(GOOD, Finish.STOP, Usage(70, 9)), "b": Reply("no", Finish.STOP, Usage(5, 1))}
    body = ask(make_desk(tmp_path, **replies))
    assert body["usage"] == {"prompt_tokens": 75, "completion_tokens": 10, "total_tokens": 85}
    assert body["choices"] == [{"index": 0, "message": {"role": "assistant", "content": GOOD}, "finish_reason": "stop"}]
    assert (body["object"], body["model"], body["id"]) == (
        "chat.completion",
        "auto",
        f"chatcmpl-{body['symops']['run_id']}",
    )
    assert body["symops"]["model_id"] == "a" and body["symops"]["cost"] == {"calls": 2, "estimated": False}


def test_an_empty_reply_has_no_tokens(tmp_path: Path) -> None:
    replies = {"a": Reply(GOOD, Finish.STOP, Usage(70, 9)), "b": Reply("", Finish.STOP, Usage(5, 0))}
    assert ask(make_desk(tmp_path, **replies))["usage"] == {
        "prompt_tokens": 75,
        "completion_tokens": 9,
        "total_tokens": 84,
    }


def test_a_model_that_is_named_is_asked_alone(tmp_path: Path) -> None:
    desk = make_desk(tmp_path, a=GOOD, b='{"x": 2}')
    body = ask(desk, model="b", n=1, response_format={"type": "text"}, stop=None)
    assert (body["model"], body["choices"][0]["message"]["content"]) == ("b", '{"x": 2}')
    assert body["symops"]["cost"]["calls"] == 1
    contestants, messages = desk.read({"messages": TALK})
    assert [contestant.model_id for contestant in contestants] == ["a", "b"] and messages[0].content == "x?"
    with pytest.raises(Refused, match="there is no model 'c'") as caught:
        desk.read({"messages": TALK, "model": "c"})
    assert caught.value.status is HTTPStatus.NOT_FOUND


@pytest.mark.parametrize(
    ("members", "words"),
    [
        *(
            ({name: ["x"]}, f"{name} is not supported")
            for name in ("tools", "functions", "audio", "modalities", "stop")
        ),
        *(({name: 1}, f"{name} is not supported") for name in ("logprobs", "top_logprobs")),
        ({"response_format": {"type": "json_object"}}, "response_format is not supported"),
        ({"n": 2}, "n is not supported"),
        ({"n": 0}, "n is not supported"),
        ({"messages": None}, "messages: a list is expected"),
        ({"messages": [{"role": "nobody", "content": "x"}]}, "messages: "),
    ],
)
def test_what_one_text_cannot_give_is_refused(tmp_path: Path, members: dict[str, Any], words: str) -> None:
    with pytest.raises(Refused, match=words) as caught:
        make_desk(tmp_path, a=GOOD).complete({"messages": TALK, **members})
    assert caught.value.status is HTTPStatus.BAD_REQUEST


def test_without_a_pass_there_is_no_text(tmp_path: Path) -> None:
    status, body = make_desk(tmp_path, a="no", b="nothing").complete({"messages": TALK})
    assert status is HTTPStatus.UNPROCESSABLE_ENTITY and set(body) == {"error"}
    assert (body["error"]["type"], body["error"]["code"]) == ("unsure", "none-passed") and body["error"]["run_id"]
    assert "a: there is no JSON object" in body["error"]["message"]


class Connection(ContestHandler):
    """A handler whose answers are kept and not sent."""

    def __init__(self, desk: Desk, request: dict[str, Any]) -> None:
        self.data, self.request_body, self.path = b"", request, "/v1/chat/completions"
        self.server = self.wfile = self  # type: ignore[assignment]
        self.answers = desk
        self.head: list[tuple[str, str]] = []

    def question(self) -> dict[str, Any]:
        return self.request_body

    def write(self, data: bytes) -> None:
        self.data += data

    def send_response(self, code: int, message: str | None = None) -> None:
        self.head.append(("status", str(int(code))))

    def send_header(self, keyword: str, value: str) -> None:
        self.head.append((keyword, value))

    def end_headers(self) -> None:
        self.head.append(("end", ""))


def stream(desk: Desk) -> list[dict[str, Any]]:
    connection = Connection(desk, {"messages": TALK, "stream": True, "model": "a"})
    connection._complete()
    assert connection.head == [("status", "200"), ("Content-Type", "text/event-stream"), ("end", "")]
    *chunks, last = connection.data.decode().split("\n\n")[:-1]
    assert last == "data: [DONE]"
    return [json.loads(chunk.removeprefix("data: ")) for chunk in chunks]


def test_a_text_comes_in_pieces_of_four_hundred_characters(tmp_path: Path) -> None:
    text = json.dumps({"x": 1, "y": "z" * 900})
    *pieces, last = stream(make_desk(tmp_path, a=text))
    contents = [piece["choices"][0]["delta"]["content"] for piece in pieces]
    assert "".join(contents) == text and list(map(len, contents)) == [400, 400, len(text) - 800]
    for chunk in (*pieces, last):
        assert set(chunk) >= {"id", "created", "model", "system_fingerprint"}
        assert chunk["object"] == "chat.completion.chunk" and chunk["model"] == "a"
        assert chunk["choices"][0]["index"] == 0
    assert [piece["choices"][0]["finish_reason"] for piece in pieces] == [None] * 3
    assert last["choices"] == [{"index": 0, "delta": {}, "finish_reason": "stop"}]
    assert last["usage"]["completion_tokens"] > 9 and last["symops"]["model_id"] == "a"
    assert all("usage" not in piece for piece in pieces)


def test_a_stream_without_a_pass_is_its_error(tmp_path: Path) -> None:
    [error] = stream(make_desk(tmp_path, a="no"))
    assert error["error"]["code"] == "none-passed"
