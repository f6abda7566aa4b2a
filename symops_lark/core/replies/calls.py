"""Tool calls of provider responses: read from any client's object, joined, and written as text.

The text is the one in which open models write calls, JSON in `<tool_call>` tags: a reply that is
nothing but calls can so be read as any other reply.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from .contents import read_member, read_name, read_text
from .messages import Call

# The members of a message with its calls: of OpenAI and LangChain, then those of LangChain whose
# arguments are not JSON.
_LISTS = ("tool_calls", "invalid_tool_calls")
# The types of items and parts that are one call each: of Anthropic, and of OpenAI's responses.
_CALL_TYPES = ("tool_use", "function_call", "custom_tool_call")


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
        entries = [{"function": legacy}]
    # LangChain repeats Anthropic's blocks in its own list.
    return tuple(_read_entries(entries)) or read_blocks(read_member(message, "content"))


def read_blocks(blocks: object) -> tuple[Call, ...]:
    """Return the calls among the parts of a content, or the items of an output.

    Args:
        blocks: A list; anything else has no calls.
    """
    if not isinstance(blocks, list | tuple):
        return ()
    return tuple(
        [
            read_block(block, place)
            for place, block in enumerate(blocks)
            if read_member(block, "type") in _CALL_TYPES
        ]
    )


def read_block(block: object, place: int) -> Call:
    """Return the call that one part or item is.

    Args:
        block: A block of Anthropic, or an item of OpenAI's responses.
        place: Its index in the reply.
    """
    name = read_name(read_member(block, "name")) or ""
    identity = read_name(read_member(block, "call_id")) or read_name(read_member(block, "id"))
    value = read_member(block, "arguments") or read_member(block, "input")
    return Call(place, name, write_input(value) if value else "", identity or "")


def _read_entries(entries: Iterable[object]) -> Iterator[Call]:
    for number, entry in enumerate(entries):
        # Some servers do not count the parts of their calls.
        index = read_member(entry, "index")
        place = index if isinstance(index, int) else number
        identity = read_name(read_member(entry, "id")) or ""
        # A function of OpenAI, a custom tool of it, or a call of LangChain.
        body = read_member(entry, "function") or read_member(entry, "custom") or entry
        value = None
        for key in ("arguments", "input", "args"):
            if value is None:
                value = read_member(body, key)
        yield Call(place, read_name(read_member(body, "name")) or "", write_input(value), identity)


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
        calls: Calls and parts of calls. A part with another id or name begins another call.
    """
    joined: list[Call] = []
    latest: dict[int, int] = {}  # of each place, the index of its latest call
    for call in calls:
        index = latest.get(call.place)
        first = call if index is None else joined[index]
        if index is None or (call.id and first.id and call.id != first.id):
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
