"""Models behind SDKs, against a server on loopback that speaks both protocols and fails by a script."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from model_events import MODEL
from model_server import Answer, Failure, Line, Page, Request, model_server
from remote_models import KEY, TEXT, WAYS, ask, every_protocol, every_way, fail, load

from symops_lark import ModelError
from symops_lark.core.replies.messages import Piece
from symops_lark.models import Finish, Form, Message, Model, Reply, ReplyStream, Usage, load_model

pytestmark = pytest.mark.usefixtures("keys")


# ---- replies


@every_way
@every_protocol
def test_a_reply_comes_whole_with_finish_usage_and_model(protocol: str, way: str) -> None:
    reply, [request] = ask([Answer(TEXT)], protocol, way)
    assert reply == Reply(TEXT, Finish.STOP, Usage(7, 5), MODEL)
    assert request.prompt == "Hello." and request.key == KEY and request.body["model"] == "a-model"
    assert request.path == {"openai": "/v1/chat/completions", "anthropic": "/v1/messages"}[protocol]


@every_protocol
def test_pieces_arrive_one_by_one(protocol: str) -> None:
    with model_server([Answer(TEXT, chunk_size=5)]) as server, load(server, protocol).stream("Hi.") as stream:
        assert server.requests == [], "the model is asked when the first piece is"
        assert next(stream) == TEXT[:5]
        assert stream.reply == Reply(TEXT[:5], Finish.UNKNOWN, stream.reply.usage, MODEL)
        assert list(stream) == [TEXT[i : i + 5] for i in range(5, len(TEXT), 5)]
        assert stream.reply == Reply(TEXT, Finish.STOP, Usage(7, 5), MODEL)


@every_way
@every_protocol
@pytest.mark.parametrize("finish", ["length", "refused", "refusal", "tool_use"])
def test_finish_reasons_are_translated(protocol: str, way: str, finish: str) -> None:
    reply, _ = ask([Answer("No, no.", finish=finish)], protocol, way)
    assert isinstance(reply, Reply)
    # OpenAI's word for it is that of a content filter.
    refused = Finish.FILTERED if protocol == "openai" else Finish.REFUSED
    fields = {"length": Finish.LENGTH, "refused": refused, "refusal": Finish.REFUSED}
    assert (reply.text, reply.finish) == ("No, no.", fields.get(finish, Finish.UNKNOWN))


@pytest.mark.parametrize("way", ["stream", "astream"])
def test_a_text_may_begin_with_its_first_event(way: str) -> None:
    reply, _ = ask([Answer(TEXT, start="start ")], "anthropic", way)
    assert reply == Reply(f"start {TEXT}", Finish.STOP, Usage(7, 5), MODEL)


@every_way
@every_protocol
def test_a_reply_without_a_model_has_the_one_that_was_asked(protocol: str, way: str) -> None:
    reply, _ = ask([Answer("Yes.", model="")], protocol, way)
    assert reply == Reply("Yes.", Finish.STOP, Usage(7, 5), "a-model")


@pytest.mark.parametrize("way", ["generate", "stream"])
def test_unknown_usage_is_none(way: str) -> None:
    reply, _ = ask([Answer("Yes.", usage=None)], "openai", way)
    assert reply == Reply("Yes.", Finish.STOP, None, MODEL)


@every_protocol
def test_conversation_and_settings_are_sent(protocol: str) -> None:
    turns = [Message("system", "Be brief."), Message("user", "A?"), Message("assistant", "B."), Message("user", "C?")]
    with model_server(["Yes."]) as server:
        load(server, protocol, max_tokens=99, temperature=0.5).generate(turns)
    body = server.requests[0].body
    assert (body["max_tokens"], body["temperature"]) == (99, 0.5)
    sent = [turn.to_dict() for turn in turns]
    if protocol == "openai":
        assert body["messages"] == sent
    else:
        assert (body["system"], body["messages"]) == ("Be brief.", sent[1:])


@pytest.mark.parametrize("way", ["stream", "astream"])
def test_usage_is_left_out_where_a_server_does_not_know_it(way: str) -> None:
    with model_server(["unused", "One.", "Two."], refuses=["stream_options"]) as server:
        model = load(server, "openai")
        assert WAYS[way](model) == Reply("One.", Finish.STOP, None, MODEL)
        assert WAYS[way](model).text == "Two."
    assert ["stream_options" in request.body for request in server.requests] == [True, False, False]


@every_way
def test_limit_is_called_what_the_server_calls_it(way: str) -> None:
    with model_server(["unused", "One.", "Two."], refuses=["max_tokens"]) as server:
        model = load(server, "openai", max_tokens=9)
        assert [WAYS[way](model).text, WAYS[way](model).text] == ["One.", "Two."]
    assert [request.body.get("max_completion_tokens") for request in server.requests] == [None, 9, 9]


@every_protocol
def test_one_model_serves_many_threads(protocol: str) -> None:
    with model_server([lambda request: f"for {request.prompt}"] * 24) as server, ThreadPoolExecutor(8) as pool:
        model = load(server, protocol)
        replies = pool.map(lambda i: (model.stream(str(i)).read() if i % 2 else model.generate(str(i))).text, range(24))
        assert list(replies) == [f"for {i}" for i in range(24)]


@every_protocol
def test_an_address_may_come_from_the_environment(protocol: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with model_server(["Yes."]) as server:
        url = server.url if protocol == "openai" else server.url.removesuffix("/v1")
        monkeypatch.setenv(f"{protocol.upper()}_BASE_URL", url)
        assert load_model(protocol, "m").generate("Hi.").text == "Yes."
    assert server.requests[0].path == {"openai": "/v1/chat/completions", "anthropic": "/v1/messages"}[protocol]


def test_a_server_with_one_model_needs_no_name() -> None:
    with model_server(["Yes."]) as server:
        load_model("llama.cpp", base_url=server.url).generate("Hi.")
    assert server.requests[0].body["model"] == "default"


@every_protocol
def test_half_of_a_character_is_sent_as_a_replacement(protocol: str) -> None:
    with model_server(["Yes."] * 2) as server:
        model = load(server, protocol)
        model.generate("caf\udce9")
        model.stream([Message("user", "caf\udce9")]).read()
    assert [request.prompt for request in server.requests] == ["caf\ufffd"] * 2


@every_way
@every_protocol
@pytest.mark.parametrize(
    ("schema", "told"),
    [({"const": "caf\udce9"}, "has half of a character"), ({"const": float("nan")}, "has a number that JSON does not")],
)
def test_a_request_that_cannot_be_written_is_not_blamed_on_the_server(
    protocol: str, way: str, schema: dict[str, Any], told: str
) -> None:
    form = Form({"type": "object", "properties": {"a": schema}})
    with model_server(["unused"]) as server:
        model: Any = load(server, protocol)
        with pytest.raises(ModelError, match=f"nothing was sent to .*: the request {told}") as caught:
            WAYS[way](model.in_form(form))
        assert server.requests == [] and not caught.value.retryable and caught.value.__context__ is None


# ---- trying again


@every_way
@every_protocol
def test_rate_limit_is_waited_for(protocol: str, way: str) -> None:
    reply, requests = ask([Failure(429), "Yes."], protocol, way)
    assert isinstance(reply, Reply) and reply.text == "Yes."
    assert len(requests) == 2


@every_way
@every_protocol
def test_attempts_are_bounded(protocol: str, way: str) -> None:
    error, requests = ask([Failure(500)] * 9, protocol, way, max_retries=2)
    assert isinstance(error, ModelError)
    assert (error.status, error.retryable, error.partial, len(requests)) == (500, True, None, 3)
    assert "3 attempts" in str(error) and "it does not work" in str(error)


@every_protocol
def test_a_bad_request_is_not_tried_again(protocol: str) -> None:
    error, requests = ask([Failure(400, "the prompt is too long")] * 9, protocol)
    assert isinstance(error, ModelError)
    assert (error.status, error.retryable, len(requests)) == (400, False, 1)
    assert "the prompt is too long" in str(error)


@every_protocol
def test_unknown_model_is_named(protocol: str) -> None:
    error = fail(Failure(404, "no such model"), protocol)
    assert (error.status, error.retryable) == (404, False)
    assert "'a-model'" in str(error) and "no such model" in str(error)


# ---- broken connections


@pytest.mark.parametrize("way", ["stream", "astream"])
@pytest.mark.parametrize("fault", ["cut", "end", "garble", "error"])
@every_protocol
def test_a_broken_stream_keeps_what_had_arrived(protocol: str, fault: str, way: str) -> None:
    error = fail(Answer("abcdefgh", fault=fault, at=6), protocol, way)
    assert error.partial is not None
    assert (error.partial.text, error.partial.finish, error.partial.model) == ("abcdef", Finish.INTERRUPTED, MODEL)
    assert error.retryable == (fault != "garble")


@pytest.mark.parametrize("way", ["stream", "astream"])
@every_protocol
def test_what_breaks_after_the_finish_reason_breaks_nothing(protocol: str, way: str) -> None:
    reply, _ = ask([Answer("abcdefgh", fault="late")], protocol, way, max_retries=0)
    assert isinstance(reply, Reply) and (reply.text, reply.finish) == ("abcdefgh", Finish.STOP)


@pytest.mark.parametrize("way", ["generate", "agenerate"])
@pytest.mark.parametrize("fault", ["cut", "garble", "error"])
@every_protocol
def test_a_broken_reply_is_an_error(protocol: str, fault: str, way: str) -> None:
    error = fail(Answer("abcdefgh", fault=fault), protocol, way)
    assert error.partial is None
    assert error.retryable == (fault != "garble")
    assert {"cut": "broke off (", "garble": "another protocol", "error": "the provider broke off"}[fault] in str(error)


@pytest.mark.slow
@every_way
@every_protocol
def test_silence_has_a_limit(protocol: str, way: str) -> None:
    error = fail(Answer("abcdefgh", fault="hold", at=6), protocol, way, timeout=0.3)
    assert error.retryable and "0.3 s" in str(error)
    if "stream" in way:
        assert "abcdef".startswith(error.partial.text if error.partial else "")


@every_protocol
def test_a_server_that_is_not_there(protocol: str) -> None:
    with model_server([]) as server:
        model = load(server, protocol, max_retries=0)
    with pytest.raises(ModelError, match=r"at http://127.0.0.1:.* cannot be reached .*is it running") as caught:
        model.generate("Hello.")
    assert caught.value.retryable


@every_way
@every_protocol
def test_a_server_that_speaks_something_else(protocol: str, way: str) -> None:
    """A page instead of an answer, as from an address that is not quite right."""
    error = fail(Page("<html>Welcome!</html>"), protocol, way)
    assert "protocol" in str(error) and not error.retryable and error.partial is None


# ---- cancellation


@every_protocol
def test_leaving_a_stream_hangs_up(protocol: str) -> None:
    with model_server([Answer("abcdefgh", fault="hold", at=6)]) as server:
        with load(server, protocol).stream("Hi.") as stream:
            for _ in stream:
                break
        assert server.requests[0].hung_up.wait(20)
        assert (stream.reply.text, stream.reply.finish) == ("abcd", Finish.INTERRUPTED)
        assert list(stream) == []


@every_protocol
def test_a_stream_can_be_closed_by_another_thread(protocol: str) -> None:
    """Its reader, which waits for bytes that do not come, wakes up and finds the end."""
    pieces: list[str] = []
    with model_server([Answer("abcdefgh", chunk_size=6, fault="hold", at=6)]) as server:
        stream = load(server, protocol).stream("Hi.")
        got_one = threading.Event()

        def read() -> None:
            for piece in stream:
                pieces.append(piece)
                got_one.set()

        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        assert got_one.wait(20)
        stream.close()
        reader.join(20)
        assert not reader.is_alive()
        assert server.requests[0].hung_up.wait(20)
    assert pieces == ["abcdef"] and stream.reply.finish is Finish.INTERRUPTED


@pytest.mark.parametrize("way", ["agenerate", "astream"])
@every_protocol
def test_a_cancelled_task_hangs_up(protocol: str, way: str) -> None:
    event = threading.Event()

    def hold(request: Request) -> Line:
        event.set()
        return Answer("abcdefgh", fault="hold", at=6)

    async def cancel(model: Model) -> None:
        work = model.agenerate("Hi.") if way == "agenerate" else model.astream("Hi.").read()
        task = asyncio.create_task(work)
        assert await asyncio.to_thread(event.wait, 20)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with model_server([hold]) as server:
        asyncio.run(cancel(load(server, protocol)))
        assert server.requests[0].hung_up.wait(20)


def test_a_stream_closed_while_the_server_thinks_gives_nothing() -> None:
    event, think = threading.Event(), threading.Event()

    def answer(request: Request) -> Line:
        event.set()
        think.wait(20)
        return Answer("too late", fault="hold", at=8)

    pieces: list[str] = []
    with model_server([answer]) as server:
        stream = load(server, "openai").stream("Hi.")
        reader = threading.Thread(target=lambda: pieces.extend(stream), daemon=True)
        reader.start()
        assert event.wait(20)
        stream.close()
        think.set()
        reader.join(20)
        assert server.requests[0].hung_up.wait(20)
    assert not reader.is_alive() and pieces == [] and stream.reply.finish is Finish.INTERRUPTED


def test_pieces_are_not_closed_while_another_thread_runs_them() -> None:
    """CPython 3.11 crashes there once the code is specialised; the thread that runs them closes them."""

    class Pieces:
        running = False

        def __init__(self) -> None:
            self.asked, self.woken = threading.Event(), threading.Event()
            self.closed: list[tuple[bool, str]] = []

        def pieces(self) -> Iterator[Piece]:
            return self

        def __iter__(self) -> Iterator[Piece]:
            return self

        def __next__(self) -> Piece:
            self.running = True
            self.asked.set()
            self.woken.wait(20)
            self.running = False
            return Piece("late")

        def close(self) -> None:
            self.closed.append((self.running, threading.current_thread().name))

        def cancel(self) -> None:
            """Somebody else wakes it."""

    source = Pieces()
    pieces: list[str] = []
    stream = ReplyStream(source, "m")
    reader = threading.Thread(target=lambda: pieces.extend(stream), name="reader", daemon=True)
    reader.start()
    assert source.asked.wait(20)
    stream.close()
    assert source.closed == []
    source.woken.set()
    reader.join(20)
    assert source.closed == [(False, "reader")] and pieces == [] and not reader.is_alive()


def test_a_stream_closed_before_it_began_asks_nothing() -> None:
    with model_server(["unused"]) as server:
        stream = load(server, "openai").stream("Hi.")
        stream.close()
        assert list(stream) == [] and server.requests == []
