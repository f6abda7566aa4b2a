"""Events of streams, and what the protocols write: Anthropic's stream whole."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from model_server import Answer

MODEL = "served-model"
FINISHES = {
    "openai": {"stop": "stop", "length": "length", "refused": "content_filter"},
    "anthropic": {"stop": "end_turn", "length": "max_tokens", "refused": "refusal"},
}


def sse(value: dict[str, Any], event: str | None = None) -> str:
    """Write one server-sent event."""
    return (f"event: {event}\n" if event else "") + f"data: {json.dumps(value, ensure_ascii=False)}\n\n"


def write_tool_use(number: int, name: str, text: str) -> dict[str, Any]:
    """Write a call as Anthropic does: its input is a value, here a text where that is no JSON."""
    value: Any = text
    with suppress(ValueError):
        value = json.loads(text)
    return {"type": "tool_use", "id": f"c{number}", "name": name, "input": value}


def write_events(answer: Answer, pieces: Sequence[str], called: Sequence[tuple[str, Sequence[str]]]) -> Iterator[str]:
    """Write a reply as Anthropic streams it."""

    def event(type: str, **values: Any) -> str:
        return sse({"type": type, **values}, type)

    tokens_in, tokens_out = answer.usage or (0, 0)
    message: dict[str, Any] = {
        "id": "1",
        "type": "message",
        "role": "assistant",
        "model": answer.model,
        "content": [],
        "stop_reason": None,
        "usage": {"input_tokens": tokens_in, "output_tokens": 1},
    }
    yield event("message_start", message=message)
    yield event("ping")
    blocks: list[tuple[dict[str, Any], str, str, Sequence[str]]] = []
    if not called or answer.spoken:
        spoken = [answer.spoken] if called else pieces
        blocks.append(({"type": "text", "text": answer.start}, "text_delta", "text", spoken))
    for number, (name, inputs) in enumerate(called):
        blocks.append(({**write_tool_use(number, name, ""), "input": {}}, "input_json_delta", "partial_json", inputs))
    for index, (block, kind, place, texts) in enumerate(blocks):
        yield event("content_block_start", index=index, content_block=block)
        for text in texts:
            yield event("content_block_delta", index=index, delta={"type": kind, place: text})
        if answer.fault in (None, "late"):
            yield event("content_block_stop", index=index)
    if answer.fault in (None, "late"):
        finish = FINISHES["anthropic"].get(answer.finish, answer.finish)
        finish = "tool_use" if called and finish == "end_turn" else finish
        counts = {"output_tokens": tokens_out, "cache_read_input_tokens": 0}
        yield event("message_delta", delta={"stop_reason": finish, "stop_sequence": None}, usage=counts)
    if answer.fault is None:
        yield event("message_stop")
