"""Seven tools in place of 22: their list takes a sixth of the tokens, and they do the same.

Each call of a short tool becomes calls of the long ones, so that the record, the gate and the
refusals are theirs. Names of long tools in an answer become those of the short ones. `explore`
is the long tool of that name, where the session has one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from .arguments import ArgumentsError, Count, Left, Object, Text, Texts, Tool
from .tools import LISTED, TOOLS, Intent, OptionalText, Outcome, in_lower

Calls = list[tuple[str, dict[str, Any]]]
Kind = Annotated[
    Literal[
        "definitions", "references", "text", "regex", "files", "symbols", "structure",
        "function_at_line", "words", "semantic",
    ],
    in_lower,
]  # fmt: skip
Part = Annotated[Literal["frame", "slot", "understanding", "hypotheses", "verification", "revert"], in_lower]
_SEARCHES = {  # the long tool, and its argument for what is looked for
    "definitions": ("find_definitions", "symbol"),
    "references": ("find_references", "symbol"),
    "text": ("search_text", "patterns"),
    "regex": ("search_text", "patterns"),
    "files": ("search_files", "pattern"),
    "symbols": ("get_symbols", "path"),
    "structure": ("analyze_structure", "path"),
    "function_at_line": ("get_function_at_line", "path"),
    "words": ("query", "text"),
    "semantic": ("semantic_search", "query"),
}
_PARTS = {  # the long tool, and its argument if the object is not its arguments
    "frame": ("set_query_frame", "frame"),
    "slot": ("update_slot", ""),
    "understanding": ("submit_understanding", ""),
    "hypotheses": ("submit_semantic", "hypotheses"),
    "verification": ("submit_verification", "verified"),
    "revert": ("revert_to_exploration", ""),
}
# What the object of each part is; `revert` may have a reason.
_FORMS = {
    "frame": "{slot: {value, quote}}",
    "slot": "{slot, value, evidence}",
    "understanding": "{symbols_identified: [], entry_points: [], files_analyzed: [], existing_patterns: [], "
    "slot_evidence: {slot: evidence}}",
    "hypotheses": "{hypotheses: [{symbol, confidence, evidence}]}",
    "verification": "{verified: [{slot, evidence}]}",
    "revert": "{reason}",
}
# Members of answers that name tools. Evidence names the long tool that was called: see `find_calls`.
_NAMING = frozenset((
    "next", "allowed_tools", "recommended_tools", "initial_tools", "tools", "tools_used", "recovery",
))  # fmt: skip


class ShortTool(Tool):
    """A tool of the short list."""

    @classmethod
    def tool_name(cls) -> str:
        """Return the name that clients call."""
        return cls.__name__.lower()

    @classmethod
    def calls(cls, given: dict[str, Any]) -> Calls:
        """Return the calls of long tools that a call becomes, with their arguments."""
        raise NotImplementedError


class _InSession(ShortTool):
    session_id: Text


class Start(ShortTool):
    """Begin a request. Returns session_id and what is next."""

    request: Text = Field(description="Verbatim.")
    intent: Annotated[Intent | None, Left] = None

    @classmethod
    def calls(cls, given: dict[str, Any]) -> Calls:
        """Begin a session."""
        given["query"] = given.pop("request")
        return [("start_session", given)]


class Look(_InSession):
    """Search code. Lines with ? may be others of that name."""

    what: Kind
    wanted: Texts = Field(alias="for", description="Names, patterns, paths, words; function_at_line: path:line.")
    path: OptionalText = None
    definition: OptionalText = Field(None, description="path:line, if several.")
    limit: Annotated[Count | None, Left] = None

    @classmethod
    def calls(cls, given: dict[str, Any]) -> Calls:
        """Search once for each text; several patterns are searched at once."""
        what, wanted = given.pop("what"), given.pop("wanted")
        tool, argument = _SEARCHES[what]
        if argument == "patterns":
            return [(tool, {**given, "patterns": wanted, "regex": what == "regex"})]
        calls = []
        for text in wanted:
            arguments = {**given, argument: text}
            if what == "function_at_line":
                arguments["path"], _, arguments["line"] = text.rpartition(":")
            calls.append((tool, arguments))
        return calls


class Open(_InSession):
    """Show files (a.py, or a.py:9-40), which count as looked at."""

    paths: Texts

    @classmethod
    def calls(cls, given: dict[str, Any]) -> Calls:
        """Open all files in one call."""
        return [("add_explored_files", given)]


class Submit(_InSession):
    """Say what was understood. Refusals say what is missing."""

    part: Part = Field(alias="as")
    content: Object = Field(alias="given", description="Forms: see status. evidence: {call: number after #}.")

    @classmethod
    def calls(cls, given: dict[str, Any]) -> Calls:
        """Pass the object on, as the arguments or as the argument of that name."""
        tool, argument = _PARTS[given.pop("part")]
        content = given.pop("content")
        if argument and argument not in content:
            content = {argument: content}
        return [(tool, {**content, **given})]


class Status(_InSession):
    """Say where the session is, or whether paths may be written. Write only if allowed."""

    paths: Annotated[Texts | None, Left] = None
    reason: OptionalText = None

    @classmethod
    def calls(cls, given: dict[str, Any]) -> Calls:
        """Ask for the session, or for each path."""
        paths = given.pop("paths", None)
        if paths is None:
            given.pop("reason", None)
            return [("get_session_status", given)]
        return [("check_write_target", {**given, "path": path}) for path in paths]


class OutcomeOf(_InSession):
    """Record how the tested change ended."""

    outcome: Outcome
    note: OptionalText = None

    @classmethod
    def tool_name(cls) -> str:
        """Return the name that clients call; the class of the values has it here."""
        return "outcome"

    @classmethod
    def calls(cls, given: dict[str, Any]) -> Calls:
        """Record it."""
        return [("record_outcome", given)]


SHORT_TOOLS: dict[str, type[ShortTool]] = {
    tool.tool_name(): tool for tool in (Start, Look, Open, Submit, Status, OutcomeOf)
}
_SHORT_NAMES = {
    "start_session": "start",
    "add_explored_files": "open",
    "get_session_status": "status",
    "check_write_target": "status with paths",
    "record_outcome": "outcome",
    **{long: f"look {what}" for what, (long, _) in _SEARCHES.items() if what != "regex"},
    **{long: f"submit as {part}" for part, (long, _) in _PARTS.items()},
}


def add_forms(answer: Mapping[str, Any], refused: str) -> dict[str, Any]:
    """Return an answer with the forms of what may be submitted now (`forms`).

    Args:
        answer: An answer of `status` or `submit`, whose tools are named as in the short list.
        refused: The part that was submitted; its form is added if it was refused.
    """
    named = [*answer.get("allowed_tools", ()), *answer.get("next", ())]
    if answer.get("ok") is False:
        named.append(f"submit as {refused}")
    parts = {tool.removeprefix("submit as ") for tool in named if tool.startswith("submit as ")}
    forms = {part: form for part, form in _FORMS.items() if part in parts}
    return {**answer, **({"forms": forms} if forms else {})}


def listed_tools(which: str) -> dict[str, type[Tool]]:
    """Return the tools that clients are shown: `few` or `all`. All of them are answered either way."""
    every: dict[str, type[Tool]] = {**SHORT_TOOLS, **TOOLS}
    return every if which == "all" else {name: every[name] for name in LISTED if name in every}


def find_calls(value: Any, calls: Iterable[Any]) -> Any:
    """Return a value in which evidence by the number of a call names its tool and arguments.

    Args:
        value: What a client submits.
        calls: The calls of the session.

    Raises:
        ArgumentsError: The session has no call with the number.
    """
    if isinstance(value, list):
        return [find_calls(part, calls) for part in value]
    if not isinstance(value, Mapping):
        return value
    if "call" not in value or "tool" in value:
        return {name: find_calls(part, calls) for name, part in value.items()}
    number = str(value["call"]).removeprefix("#")
    for call in calls:
        if str(call.number) == number:
            others = {name: part for name, part in value.items() if name != "call"}
            return {"tool": call.tool, "params": dict(call.params), **others}
    raise ArgumentsError([f"evidence: this session has no call #{number}"])


def rename_tools(answer: Any) -> Any:
    """Return an answer in which the tools to use are named as in the short list."""
    if isinstance(answer, list):
        return [rename_tools(part) for part in answer]
    if not isinstance(answer, Mapping):
        return answer
    renamed = {}
    for name, part in answer.items():
        is_list = isinstance(part, list) and all(isinstance(each, str) for each in part)
        if name in _NAMING and is_list:
            part = list(dict.fromkeys(_SHORT_NAMES.get(each, each) for each in part))
        renamed[name] = rename_tools(part)
    return renamed
