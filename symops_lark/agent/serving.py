"""Serve a contest as one model, over OpenAI's protocol, on the loopback interface.

Invariants
    1. A request needs the token: `Authorization: Bearer TOKEN`.
    2. Every text that is given out has passed a verifier. If no reply passes, the answer is 422,
       which clients do not send again. A stream has its status before that: its event is the error.
    3. No file is written. Code of a reply runs only in a verifier that may run it.

Connections, heads and bodies are bounded by the playground's server, which this one extends.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hmac import compare_digest
from http import HTTPStatus
from threading import Thread
from typing import Any

from ..core.ground.errors import SymOpsError
from ..core.ground.version import __version__
from ..core.replies.messages import Message, as_messages
from ..lab.playground.server import Handler, Refused, Server
from ..models import Ledger, Meter
from ..models.prompts.tokens import load_counter
from ..routing import Answer, Contestant, Flow, RoutingError
from .selecting import explain

AUTO = "auto"  # the model that is a contest of all
# What a contest cannot give: each would be one model's, and of a reply that may not win.
_REFUSED = ("tools", "functions", "logprobs", "top_logprobs", "audio", "modalities", "stop")
_PIECE = 400  # characters of a piece of a stream: the text is there as a whole before it begins
_BEAT_SECONDS = 10.0  # clients give up on a silent connection after 30 s or more


@dataclass(frozen=True)
class Desk:
    """Answers requests by contests.

    Attributes:
        flow: How contests are held; its contestants are the models.
    """

    flow: Flow

    def models(self) -> dict[str, Any]:
        """Return the list of models, as the protocol has it."""
        names = [AUTO, *(contestant.model_id for contestant in self.flow.contestants)]
        return {"object": "list", "data": [_list_model(name) for name in names]}

    def complete(self, request: Mapping[str, Any]) -> tuple[HTTPStatus, dict[str, Any]]:
        """Return the status and the body of an answer.

        Args:
            request: The request, as the protocol has it.

        Raises:
            Refused: The request asks for what no contest can give.
        """
        contestants, messages = self.read(request)
        counter = load_counter()
        ledger = Ledger(count=counter.count)
        metered = []
        for contestant in contestants:
            model = Meter(contestant.model, ledger, contestant.model_id)
            metered.append(replace(contestant, model=model))
        flow = replace(self.flow, contestants=metered)
        answer = flow.run(messages, counter=counter)
        if not answer.sure:
            return HTTPStatus.UNPROCESSABLE_ENTITY, _write_unsure(answer)
        return HTTPStatus.OK, _write_answer(answer, _read_name(request), ledger, flow)

    def read(self, request: Mapping[str, Any]) -> tuple[Sequence[Contestant], tuple[Message, ...]]:
        """Return who is asked, all or the one that is named, and what.

        Args:
            request: The request.

        Raises:
            Refused: It asks for what no contest can give.
        """
        messages = _read_messages(request)
        name = _read_name(request)
        if name == AUTO:
            return self.flow.contestants, messages
        for contestant in self.flow.contestants:
            # Alone, and verified as in a contest.
            if contestant.model_id == name:
                return (contestant,), messages
        raise Refused(HTTPStatus.NOT_FOUND, f"there is no model {name[:80]!r}")


def _list_model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": "symops-lark"}


def _read_name(request: Mapping[str, Any]) -> str:
    """Return the name of the model that is asked; null is a parameter that is not given."""
    name = request.get("model")
    return AUTO if name is None else str(name)


def _read_messages(request: Mapping[str, Any]) -> tuple[Message, ...]:
    for name in _REFUSED:
        if request.get(name):
            raise Refused(
                HTTPStatus.BAD_REQUEST, f"{name} is not supported: a contest gives one text"
            )
    form = request.get("response_format")
    if form and form != {"type": "text"}:
        message = "response_format is not supported: the manifests and the messages say the form"
        raise Refused(HTTPStatus.BAD_REQUEST, message)
    if request.get("n") not in (None, 1):
        raise Refused(HTTPStatus.BAD_REQUEST, "n is not supported: a contest gives one text")
    messages = request.get("messages")
    if not isinstance(messages, list):
        raise Refused(HTTPStatus.BAD_REQUEST, "messages: a list is expected")
    try:
        return as_messages(messages)
    except SymOpsError as error:
        raise Refused(HTTPStatus.BAD_REQUEST, f"messages: {error}") from None


def _write_unsure(answer: Answer) -> dict[str, Any]:
    message = f"{answer.why}; {explain(answer)}"
    error = {"type": "unsure", "code": "none-passed", "message": message, "run_id": answer.run_id}
    return {"error": error}


def _write_failure(error: Exception) -> dict[str, Any]:
    message = str(error)
    # A bug, perhaps of the caller's verifier: the text alone, as of a KeyError, explains little.
    if not isinstance(error, SymOpsError | OSError):
        message = f"{type(error).__name__}: {message}"
    return {"error": {"type": "failed", "message": message}}


def _write_answer(answer: Answer, name: str, ledger: Ledger, flow: Flow) -> dict[str, Any]:
    # All candidates are paid for, so all are in the usage.
    tokens_in = sum(usage.input_tokens or 0 for usage in ledger.read().values())
    tokens_out = sum(usage.output_tokens or 0 for usage in ledger.read().values())
    usage = {"prompt_tokens": tokens_in, "completion_tokens": tokens_out}
    usage["total_tokens"] = tokens_in + tokens_out
    cost = {"calls": ledger.begun, "estimated": ledger.estimated}
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": answer.output},
        "finish_reason": "stop",
    }
    return {
        "id": f"chatcmpl-{answer.run_id}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": name,
        "system_fingerprint": f"{flow.metric.name}, symops-lark {__version__}",
        "choices": [choice],
        "usage": usage,
        "symops": {
            "run_id": answer.run_id,
            "model_id": answer.model_id,
            "way": str(answer.way),
            "why": answer.why,
            "cost": cost,
        },
    }


def _write_chunks(body: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield an answer as the pieces of a stream; the last one has the usage and who won."""
    text = body["choices"][0]["message"]["content"]
    head = {name: body[name] for name in ("id", "created", "model", "system_fingerprint")}
    head["object"] = "chat.completion.chunk"
    for start in range(0, len(text), _PIECE):
        delta = {"role": "assistant", "content": text[start : start + _PIECE]}
        yield {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    end = {"index": 0, "delta": {}, "finish_reason": "stop"}
    yield {**head, "choices": [end], "usage": body["usage"], "symops": body["symops"]}


class ContestHandler(Handler):
    """One request to the endpoint."""

    most_bytes = 4_000_000  # a prompt with files
    server_version = "symops-route"

    def do_GET(self) -> None:
        """Answer with the list of models."""
        self._answer_json(self._get_models)

    def do_POST(self) -> None:
        """Answer with the text that won."""
        self._answer_json(self._complete)

    def _answer_json(self, make: Any) -> None:
        self.begin_body()
        try:
            self.expect_own_host()
            self._expect_token()
            make()
        except Refused as refused:
            error = {"type": "invalid_request_error", "message": refused.reason, "code": None}
            self._send(refused.status, {"error": error})
        except RoutingError as error:
            self._send(
                HTTPStatus.BAD_REQUEST, {"error": {"type": "routing", "message": str(error)}}
            )
        except Exception as error:  # noqa: BLE001  (of a verifier, or a log that cannot be written)
            self._send(HTTPStatus.INTERNAL_SERVER_ERROR, _write_failure(error))

    def _expect_token(self) -> None:
        tokens = self.headers.get_all("Authorization", [])
        expected = f"Bearer {self.server.token}".encode()
        # In constant time: how far a guess is right must not show.
        if len(tokens) != 1 or not compare_digest(tokens[0].encode("utf-8", "replace"), expected):
            raise Refused(
                HTTPStatus.UNAUTHORIZED, "the token is missing: Authorization: Bearer TOKEN"
            )

    def _get_models(self) -> None:
        if self.path != "/v1/models":
            raise Refused(HTTPStatus.NOT_FOUND)
        self._send(HTTPStatus.OK, self.server.answers.models())

    def _complete(self) -> None:
        if self.path != "/v1/chat/completions":
            raise Refused(HTTPStatus.NOT_FOUND)
        request = self.question()
        desk: Desk = self.server.answers
        if not request.get("stream"):
            self._send(*desk.complete(request))
            return
        # Refused now, while a status can still be sent.
        desk.read(request)
        self._stream(desk, request)

    def _stream(self, desk: Desk, request: Mapping[str, Any]) -> None:
        results: list[tuple[HTTPStatus, dict[str, Any]]] = []

        def work() -> None:
            try:
                results.append(desk.complete(request))
            except Exception as error:  # noqa: BLE001  (the event of the stream)
                results.append((HTTPStatus.INTERNAL_SERVER_ERROR, _write_failure(error)))

        worker = Thread(target=work, daemon=True)
        worker.start()
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        worker.join(_BEAT_SECONDS)
        while worker.is_alive():
            # A comment of the protocol, which clients pass over: the contest is not over yet.
            self.wfile.write(b": contested\n\n")
            worker.join(_BEAT_SECONDS)
        status, body = results[0]
        chunks = [body]
        if status is HTTPStatus.OK:
            chunks = list(_write_chunks(body))
        for chunk in chunks:
            self.wfile.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")
        self.wfile.write(b"data: [DONE]\n\n")

    def _send(self, status: HTTPStatus, body: Mapping[str, Any]) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(data)


def open_endpoint(flow: Flow, port: int = 0) -> Server:
    """Return the server of a contest, which listens; `serve_forever` answers.

    Args:
        flow: How contests are held.
        port: The port. 0: any that is free.

    Raises:
        OSError: The port is taken.
    """
    return Server(Desk(flow), port, ContestHandler)
