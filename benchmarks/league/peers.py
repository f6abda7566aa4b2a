"""The readers of the league. To add one is to add one function with `@peer`.

A reader returns the items of a reply, and whether it reports a doubt by any means that its documentation describes: a
log, a flag, a warning. It may raise, which counts as a refusal. `claims` are the formats of `grammars/formats` that its
documentation says it reads; it is judged on these, and watched on the others.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NamedTuple

from symops_lark import Completeness, process
from symops_lark.core.document import Action
from symops_lark.core.ground.errors import SymOpsError
from symops_lark.core.replies.messages import Reply
from symops_lark.lab.benchmark.fidelity import is_flagged, raises_alarm
from symops_lark.lab.benchmark.formats import load_format

from ..baselines.aider import parse_search_replace, parse_whole
from ..baselines.baml import make_parser


class Item(NamedTuple):
    """A file with its content, a removed file, or a command."""

    target: str
    content: str | None


class Reading(NamedTuple):
    """What a reader makes of a reply."""

    items: list[Item]
    is_doubted: bool = False


Reader = Callable[[str, str], Reading]  # of a reply and the name of its format


@dataclass(frozen=True)
class Peer:
    """A reader, the library that it is, and the formats that it claims; None: all."""

    name: str
    library: str
    claims: frozenset[str] | None
    read: Reader

    @property
    def version(self) -> str:
        """The installed version; empty if there is none."""
        try:
            return version(self.library)
        except PackageNotFoundError:
            return ""


PEERS: list[Peer] = []
_JSON = ("json_calls",)


def peer(name: str, library: str, claims: tuple[str, ...] | None = None) -> Callable[[Reader], Reader]:
    """Add a reader to the league."""

    def add(read: Reader) -> Reader:
        PEERS.append(Peer(name, library, None if claims is None else frozenset(claims), read))
        return read

    return add


def _items(actions: tuple[Action, ...]) -> list[Item]:
    return [Item(action.path, action.content) for action in actions]


@peer("symops-lark, format named", "symops-lark")
def read_named(text: str, format: str) -> Reading:
    """Read a reply as the benchmark does: what it asked for is no doubt."""
    last = list(load_format(format).read(Reply(text)))[-1]
    if last.document is None or not last.accepted:
        return Reading([])
    actions = last.document.actions
    return Reading(_items(actions), any(raises_alarm(action, last.diagnostics) for action in actions))


@peer("symops-lark, auto", "symops-lark")
def read_auto(text: str, format: str) -> Reading:
    """Read a reply whose format nobody names. That a fence has no verb is no doubt of the league."""
    try:
        result = process(text)
    except SymOpsError:
        return Reading([])
    telling = [item for item in result.diagnostics if item.code != "file-without-verb"]
    doubted = False
    for action in result.document.actions:
        is_fence = action.completeness is Completeness.SUSPECT and format == "named_fences"
        is_whole = is_fence or action.completeness is Completeness.COMPLETE
        doubted = doubted or not is_whole or is_flagged(action, telling)
    return Reading(_items(result.document.actions), doubted)


def _calls(value: Any) -> Iterator[Item]:
    """Yield the items of a JSON value: a call, or a list of them."""
    for call in value if isinstance(value, list) else [value]:
        inputs = call.get("arguments") if isinstance(call, dict) else None
        if not isinstance(inputs, dict):
            continue
        target = inputs.get("path", inputs.get("command"))
        content = inputs.get("content")
        if isinstance(target, str):
            yield Item(target, content if isinstance(content, str) else None)


@peer("json-repair", "json-repair", _JSON)
def read_json_repair(text: str, format: str) -> Reading:
    """Read JSON; its log of repairs is its doubt."""
    value, log = importlib.import_module("json_repair").loads(text, logging=True)
    return Reading(list(_calls(value)), bool(log))


@peer("partial-json-parser", "partial-json-parser", _JSON)
def read_partial_json(text: str, format: str) -> Reading:
    """Read JSON that may be cut off."""
    return Reading(list(_calls(importlib.import_module("partial_json_parser").loads(text))))


@peer("jiter, partial mode", "jiter", _JSON)
def read_jiter(text: str, format: str) -> Reading:
    """Read JSON that may be cut off."""
    value = importlib.import_module("jiter").from_json(text.encode(), partial_mode="trailing-strings")
    return Reading(list(_calls(value)))


@peer("langchain JsonOutputParser", "langchain-core", _JSON)
def read_langchain(text: str, format: str) -> Reading:
    """Read JSON, also in a fence, that may be cut off."""
    parser = importlib.import_module("langchain_core.output_parsers").JsonOutputParser()
    return Reading(list(_calls(parser.parse(text))))


# Optional fields count against a reading, so there are no more of them than calls have.
_CALLS = """
class Arguments {
  path string?
  content string?
  command string?
}
class Call {
  name string
  arguments Arguments
}
"""


@peer("BAML", "baml-py", _JSON)
def read_baml(text: str, format: str) -> Reading:
    """Read JSON by the schema of a list of calls."""
    calls = make_parser(_CALLS, "Call[]")(text)
    return Reading(list(_calls([call.model_dump(exclude_none=True) for call in calls])))


@peer("agent-tool-parser", "agent-tool-parser", ("hermes_json", "json_calls", "invoke_xml"))
def read_agent_tool_parser(text: str, format: str) -> Reading:
    """Read calls in the notations of its README that are among ours."""
    try:
        calls = importlib.import_module("agent_tool_parser").parse_tool_calls(text)
    except BaseException as error:
        # Its core in Rust panics at some texts that are not ASCII; this is no `Exception`.
        if type(error).__name__ != "PanicException":
            raise
        raise ValueError("the library panics") from None
    return Reading(list(_calls([{"arguments": call.args} for call in calls])))


@peer("aider, whole files", "aider-chat", ("named_fences",))
def read_aider_whole(text: str, format: str) -> Reading:
    """Read fences under file names by aider's own coder."""
    return Reading([Item(path or content, content if path else None) for path, content in parse_whole(text)])


@peer("aider, search/replace", "aider-chat", ("search_replace",))
def read_aider_blocks(text: str, format: str) -> Reading:
    """Read search/replace blocks by aider's own coder."""
    return Reading([Item(path or content, content if path else None) for path, content in parse_search_replace(text)])
