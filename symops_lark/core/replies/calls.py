"""Tool calls of provider responses: read from any client's object, joined, and written as text.

The text is the one in which open models write calls, JSON in `<tool_call>` tags: a reply that is
nothing but calls can so be read as any other reply.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace

from .contents import first_member, is_list, read_member, read_name, read_text
from .messages import Call

# The members of a message with its calls: of OpenAI and LangChain, then those of LangChain whose
# arguments are not JSON.
_LISTS = ("tool_calls", "invalid_tool_calls")
# The types of items and parts that are one call each: of Anthropic, of OpenAI's responses, of
# LangChain, and of Vercel's SDK. Calls that a server runs itself are not among them.
_CALL_TYPES = (
    *("tool_use", "function_call", "custom_tool_call"),
    *("tool_call", "tool_call_chunk", "invalid_tool_call"),
    *("tool-call", "tool-invocation", "dynamic-tool"),
)
# The members with the parts of a call: of Gemini and Bedrock, whose parts have no type, then of
# OpenAI's chat completions and of Vercel's SDK.
_UNTYPED = ("functionCall", "function_call", "toolUse")
_BODIES = (*_UNTYPED, "function", "custom", "toolInvocation")
_NAMES = ("name", "toolName")
# An item of OpenAI's responses has an `id` of its own: results refer to `call_id`.
_IDS = ("call_id", "id", "toolCallId", "toolUseId")
_INPUTS = ("arguments", "input", "args")


def read_calls(message: object) -> tuple[Call, ...]:
    """Return the calls of a message, or the parts of calls in a piece of one.

    Args:
        message: A message of OpenAI, Anthropic or LangChain, or the delta or chunk of one.
    """
    # A chunk of LangChain has its parts twice: as they arrived, and as calls as far as they go.
    parts = read_member(message, "tool_call_chunks")
    entries = parts or [entry for name in _LISTS for entry in read_member(message, name) or ()]
    legacy = read_member(message, "function_call")
    if not entries and legacy is not None:
        entries = [legacy]
    # LangChain repeats Anthropic's blocks in its own list.
    if not entries:
        return read_blocks(read_member(message, "content"))
    return tuple([_read_entry(entry, number) for number, entry in enumerate(entries)])


def read_blocks(blocks: object) -> tuple[Call, ...]:
    """Return the calls among the parts of a content, or the items of an output.

    Args:
        blocks: A list; anything else has no calls.
    """
    if not is_list(blocks):
        return ()
    return tuple(
        [read_block(block, place) for place, block in enumerate(blocks) if _is_call(block)]
    )


def _is_call(block: object) -> bool:
    block_type = read_member(block, "type")
    if block_type is None:
        return first_member(block, _UNTYPED) is not None
    return block_type in _CALL_TYPES


def read_block(block: object, place: int) -> Call:
    """Return the call that one part or item is.

    Args:
        block: A part of a content, an item of OpenAI's responses, or a member of `tool_calls`.
        place: Its index in the reply.
    """
    body = first_member(block, _BODIES) or block
    name = read_name(first_member(body, _NAMES)) or ""
    identity = first_member(block, _IDS) or first_member(body, _IDS)
    value = first_member(body, _INPUTS)
    # The start of a call in a stream of Anthropic has an empty object: its parts follow.
    return Call(place, name, write_input(value) if value else "", read_name(identity) or "")


def _read_entry(entry: object, number: int) -> Call:
    # Some servers do not count the parts of their calls.
    index = read_member(entry, "index")
    return read_block(entry, index if isinstance(index, int) else number)


def write_input(value: object) -> str:
    """Return the input of a tool as text.

    Args:
        value: The text, or the object that some protocols send instead.
    """
    if isinstance(value, Mapping | list):
        return json.dumps(value, ensure_ascii=False)
    return read_text(value)


def join_calls(calls: Iterable[Call]) -> tuple[Call, ...]:
    """Return the calls whose parts arrived one after the other.

    Args:
        calls: Calls and parts of calls. A part with another id or name begins another call, and so
            does a name after arguments that are complete: some servers give all calls one place.
    """
    joined: list[Call] = []
    latest: dict[int, int] = {}  # of each place, the index of its latest call
    for call in calls:
        index = latest.get(call.place)
        first = call if index is None else joined[index]
        if index is None or _begins(call, first):
            latest[call.place] = len(joined)
            joined.append(call)
            continue
        joined[index] = replace(
            first,
            name=first.name or call.name,
            input=first.input + call.input,
            id=first.id or call.id,
        )
    return tuple(joined)


def _begins(part: Call, first: Call) -> bool:
    """Return whether a part begins another call than the one that arrived at its place."""
    if part.id and first.id:
        return part.id != first.id
    if not part.name or not first.name:
        return False
    # Some servers repeat the name in each part.
    return part.name != first.name or _is_complete(first.input)


def _is_complete(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def write_calls(calls: Iterable[Call]) -> str:
    """Return calls as text: each is a JSON object in a tag.

    Args:
        calls: The calls. Arguments that are not JSON, as of a reply that was cut off, are written
            as they are; the input of a tool that takes text is a string.
    """
    return "\n".join([f"<tool_call>\n{_write_call(call)}\n</tool_call>" for call in calls])


def _write_call(call: Call) -> str:
    name = json.dumps(call.name, ensure_ascii=False)
    value = call.input if call.input.strip() else "{}"
    if not value.lstrip().startswith("{"):
        value = json.dumps({"input": value}, ensure_ascii=False)
    return f'{{"name": {name}, "arguments": {value}}}'
