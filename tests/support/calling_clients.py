"""Servers that answer with a text, tool calls or a refusal, in three protocols, and the real clients that ask them."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from anthropic import Anthropic
from openai import OpenAI

Calls = list[tuple[str, dict[str, str]]]


class Said:
    """What a server answers: a text, calls, or a refusal, and the finish reason in the words of its protocol."""

    def __init__(self, text: str = "", calls: Calls | None = None, refusal: str = "", finish: str = "stop") -> None:
        self.text, self.calls, self.refusal, self.finish = text, calls or [], refusal, finish


def cut(text: str, size: int = 3) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


# ---- chat completions

# "done" is the reason of a server that does not say that its reply ends with calls.
CHAT_WORDS = {"stop": "stop", "done": "stop", "filter": "content_filter", "length": "length"}


def chat_whole(said: Said) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": said.text or None, "refusal": said.refusal or None}
    if said.calls:
        message["tool_calls"] = [
            {"id": f"c{at}", "type": "function", "function": {"name": name, "arguments": json.dumps(inputs)}}
            for at, (name, inputs) in enumerate(said.calls)
        ]
    reason = "tool_calls" if said.calls and said.finish == "stop" else CHAT_WORDS[said.finish]
    choice = {"index": 0, "message": message, "finish_reason": reason, "logprobs": None}
    return {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}


def chat_events(said: Said) -> Iterator[dict[str, Any]]:
    def chunk(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": [choice]}

    yield chunk({"role": "assistant", "content": None})
    yield from (chunk({"content": part}) for part in cut(said.text))
    yield from (chunk({"refusal": part}) for part in cut(said.refusal))
    for at, (name, inputs) in enumerate(said.calls):
        begun = {"index": at, "id": f"c{at}", "type": "function", "function": {"name": name, "arguments": ""}}
        yield chunk({"tool_calls": [begun]})
        for part in cut(json.dumps(inputs)):
            yield chunk({"tool_calls": [{"index": at, "function": {"arguments": part}}]})
    yield chunk({}, "tool_calls" if said.calls and said.finish == "stop" else CHAT_WORDS[said.finish])


# ---- responses


def response_whole(said: Said) -> dict[str, Any]:
    parts: list[dict[str, Any]] = []
    if said.text:
        parts.append({"type": "output_text", "text": said.text, "annotations": []})
    if said.refusal:
        parts.append({"type": "refusal", "refusal": said.refusal})
    items: list[dict[str, Any]] = [{"type": "reasoning", "id": "r", "summary": []}]
    if parts:
        items.append({"type": "message", "id": "2", "role": "assistant", "status": "completed", "content": parts})
    for at, (name, inputs) in enumerate(said.calls):
        call = {"type": "function_call", "id": f"f{at}", "call_id": f"c{at}", "name": name}
        items.append(call | {"arguments": json.dumps(inputs), "status": "completed"})
    reasons = {"filter": "content_filter", "length": "max_output_tokens"}
    reason = reasons.get(said.finish)
    status = "incomplete" if reason else "completed"
    details = {"reason": reason} if reason else None
    whole_fields = {"id": "1", "created_at": 0, "model": "m", "object": "response", "parallel_tool_calls": True}
    return whole_fields | {
        "tools": [],
        "tool_choice": "auto",
        "status": status,
        "incomplete_details": details,
        "output": items,
    }


def response_events(said: Said) -> Iterator[dict[str, Any]]:
    complete = response_whole(said)
    place = {"item_id": "2", "output_index": 1, "content_index": 0}
    yield {"type": "response.created", "response": complete | {"output": [], "status": "in_progress"}}
    for part in cut(said.text):
        yield {"type": "response.output_text.delta", "delta": part, "logprobs": [], **place}
    for part in cut(said.refusal):
        yield {"type": "response.refusal.delta", "delta": part, **place}
    for at, item in enumerate(complete["output"]):
        if item["type"] == "function_call":
            begun = {**item, "arguments": "", "status": "in_progress"}
            yield {"type": "response.output_item.added", "output_index": at, "item": begun}
            for part in cut(item["arguments"]):
                delta = {"type": "response.function_call_arguments.delta", "delta": part, "output_index": at}
                yield delta | {"item_id": item["id"]}
            yield {"type": "response.output_item.done", "output_index": at, "item": item}
    yield {"type": f"response.{complete['status']}", "response": complete}


# ---- Anthropic's messages


def message_whole(said: Said) -> dict[str, Any]:
    text = said.text or said.refusal
    blocks: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
    blocks += [
        {"type": "tool_use", "id": f"c{at}", "name": name, "input": inputs}
        for at, (name, inputs) in enumerate(said.calls)
    ]
    reason = "refusal" if said.refusal else "tool_use" if said.calls and said.finish == "stop" else "end_turn"
    usage = {"input_tokens": 1, "output_tokens": 1}
    whole_fields = {"id": "1", "type": "message", "role": "assistant", "model": "m", "content": blocks}
    return whole_fields | {"stop_reason": reason, "stop_sequence": None, "usage": usage}


def message_events(said: Said) -> Iterator[dict[str, Any]]:
    complete = message_whole(said)
    yield {"type": "message_start", "message": complete | {"content": [], "stop_reason": None}}
    for at, block in enumerate(complete["content"]):
        is_call = block["type"] == "tool_use"
        empty: dict[str, Any] = {"input": {}} if is_call else {"text": ""}
        begun = block | empty
        yield {"type": "content_block_start", "index": at, "content_block": begun}
        for part in cut(json.dumps(block["input"]) if is_call else block["text"]):
            delta = (
                {"type": "input_json_delta", "partial_json": part} if is_call else {"type": "text_delta", "text": part}
            )
            yield {"type": "content_block_delta", "index": at, "delta": delta}
        yield {"type": "content_block_stop", "index": at}
    last: Any = {"stop_reason": complete["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": last, "usage": {"output_tokens": 1}}
    yield {"type": "message_stop"}


PROTOCOLS: dict[str, tuple[Callable[[Said], dict[str, Any]], Callable[[Said], Iterator[dict[str, Any]]]]] = {
    "/chat/completions": (chat_whole, chat_events),
    "/responses": (response_whole, response_events),
    "/messages": (message_whole, message_events),
}


class _Handler(BaseHTTPRequestHandler):
    said: Said

    def log_message(self, format: str, *args: Any) -> None:
        """Stay quiet."""

    def do_POST(self) -> None:
        data = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        complete, events = next(pair for path, pair in PROTOCOLS.items() if self.path.endswith(path))
        if data.get("stream"):
            numbered = [{**event, "sequence_number": at} for at, event in enumerate(events(self.said))]
            lines = "".join(
                f"event: {event.get('type', 'message')}\ndata: {json.dumps(event)}\n\n" for event in numbered
            )
            kind, body = "text/event-stream", lines + ("data: [DONE]\n\n" if "chat" in self.path else "")
        else:
            kind, body = "application/json", json.dumps(complete(self.said))
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())


@contextmanager
def serving(said: Said) -> Iterator[str]:
    handler = type("Handler", (_Handler,), {"said": said})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def ask_chat(url: str, stream: bool) -> Any:
    client = OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)
    return client.chat.completions.create(model="m", messages=[{"role": "user", "content": "Go."}], stream=stream)


def ask_responses(url: str, stream: bool) -> Any:
    client = OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)
    return client.responses.create(model="m", input="Go.", stream=stream)


def ask_messages(url: str, stream: bool) -> Any:
    client = Anthropic(base_url=url, api_key="none", max_retries=0)
    turns: Any = [{"role": "user", "content": "Go."}]
    return client.messages.create(model="m", max_tokens=99, messages=turns, stream=stream)


CLIENTS: dict[str, Callable[[str, bool], Any]] = {
    "chat": ask_chat,
    "responses": ask_responses,
    "messages": ask_messages,
}
OPENAI = [name for name in CLIENTS if name != "messages"]
