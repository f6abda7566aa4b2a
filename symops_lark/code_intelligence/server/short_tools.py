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
Part = Annotated[
    Literal["frame", "slot", "understanding", "hypotheses", "verification", "revert"], in_lower
]
# The long tool for each kind of search, and its argument for the target.
_SEARCHES = {
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
# The long tool for each part, and its argument if the object is not its arguments.
_PARTS = {
    "frame": ("set_query_frame", "frame"),
    "slot": ("update_slot", ""),
    "understanding": ("submit_understanding", ""),
    "hypotheses": ("submit_semantic", "hypotheses"),
    "verification": ("submit_verification", "verified"),
    "revert": ("revert_to_exploration", ""),
}
# The object of each part.
_FORMS = {
    "frame": "{slot: {value, quote}}",
    "slot": "{slot, value, evidence}",
    "understanding": (
        "{symbols_identified: [], entry_points: [], files_analyzed: [], existing_patterns: [], "
        "slot_evidence: {slot: evidence}}"
    ),
    "hypotheses": "{hypotheses: [{symbol, confidence, evidence}]}",
    "verification": "{verified: [{slot, evidence}]}",
    "revert": "{reason}",
}
# Members of answers that name tools. Evidence names the long tool: see `find_calls`.
_NAMING = frozenset((
    "next", "allowed_tools", "recommended_tools", "initial_tools", "tools", "tools_used",
    "recovery",
))  # fmt: skip


class ShortTool(Tool):
    """A tool of the short list."""

    @classmethod
    def tool_name(cls) -> str:
        """Return the name that clients call."""
        return cls.__name__.lower()

    @classmethod
    def calls(cls, arguments: dict[str, Any]) -> Calls:
        """Return the calls of long tools that a call becomes, with their arguments."""
        raise NotImplementedError


class _InSession(ShortTool):
    session_id: Text


class Start(ShortTool):
    """Begin a request. Returns session_id and what is next."""

    request: Text = Field(description="Verbatim.")
    intent: Annotated[Intent | None, Left] = None

    @classmethod
    def calls(cls, arguments: dict[str, Any]) -> Calls:
        """Begin a session."""
        arguments["query"] = arguments.pop("request")
        return [("start_session", arguments)]


class Look(_InSession):
    """Search code. Lines with ? may be others of that name."""

    kind: Kind = Field(alias="what")
    targets: Texts = Field(
        alias="for", description="Names, patterns, paths, words; function_at_line: path:line."
    )
    path: OptionalText = None
    definition: OptionalText = Field(None, description="path:line, if several.")
    limit: Annotated[Count | None, Left] = None

    @classmethod
    def calls(cls, arguments: dict[str, Any]) -> Calls:
        """Search once for each text; several patterns are searched at once."""
        kind = arguments.pop("kind")
        targets = arguments.pop("targets")
        tool, parameter = _SEARCHES[kind]
        if parameter == "patterns":
            arguments["patterns"] = targets
            arguments["regex"] = kind == "regex"
            return [(tool, arguments)]
        calls: Calls = []
        for target in targets:
            call = {**arguments, parameter: target}
            if kind == "function_at_line":
                call["path"], _, call["line"] = target.rpartition(":")
            calls.append((tool, call))
        return calls


class Open(_InSession):
    """Show files (a.py, or a.py:9-40), which count as looked at."""

    paths: Texts

    @classmethod
    def calls(cls, arguments: dict[str, Any]) -> Calls:
        """Open all files in one call."""
        return [("add_explored_files", arguments)]


class Submit(_InSession):
    """Say what was understood. Refusals say what is missing."""

    part: Part = Field(alias="as")
    content: Object = Field(
        alias="given", description="Forms: see status. evidence: {call: number after #}."
    )

    @classmethod
    def calls(cls, arguments: dict[str, Any]) -> Calls:
        """Pass the object on, as the arguments or as the argument of that name."""
        tool, parameter = _PARTS[arguments.pop("part")]
        content = arguments.pop("content")
        # Some models send the arguments, others the value of the only argument.
        if parameter and parameter not in content:
            content = {parameter: content}
        return [(tool, {**content, **arguments})]


class Status(_InSession):
    """Say where the session is, or whether paths may be written. Write only if allowed."""

    paths: Annotated[Texts | None, Left] = None
    reason: OptionalText = None

    @classmethod
    def calls(cls, arguments: dict[str, Any]) -> Calls:
        """Ask for the session, or for each path."""
        paths = arguments.pop("paths", None)
        if paths is None:
            arguments.pop("reason", None)
            return [("get_session_status", arguments)]
        return [("check_write_target", {**arguments, "path": path}) for path in paths]


class OutcomeOf(_InSession):
    """Record how the tested change ended."""

    outcome: Outcome
    note: OptionalText = None

    @classmethod
    def tool_name(cls) -> str:
        """Return the name that clients call; the class of the values has it here."""
        return "outcome"

    @classmethod
    def calls(cls, arguments: dict[str, Any]) -> Calls:
        """Record it."""
        return [("record_outcome", arguments)]


SHORT_TOOLS: dict[str, type[ShortTool]] = {
    tool.tool_name(): tool for tool in (Start, Look, Open, Submit, Status, OutcomeOf)
}
# By long tool. `search_text` is `look text`: the kind `regex` is only its option.
_SHORT_NAMES = {
    "start_session": "start",
    "add_explored_files": "open",
    "get_session_status": "status",
    "check_write_target": "status with paths",
    "record_outcome": "outcome",
    **{long: f"look {kind}" for kind, (long, _) in _SEARCHES.items() if kind != "regex"},
    **{long: f"submit as {part}" for part, (long, _) in _PARTS.items()},
}


def add_forms(answer: Mapping[str, Any], refused: str) -> dict[str, Any]:
    """Return an answer with the forms of what may be submitted now (`forms`).

    Args:
        answer: An answer of `status` or `submit`, whose tools are named as in the short list.
        refused: The part that was submitted; its form is added if it was refused.
    """
    tools = [*answer.get("allowed_tools", ()), *answer.get("next", ())]
    if answer.get("ok") is False:
        tools.append(f"submit as {refused}")
    forms = {part: form for part, form in _FORMS.items() if f"submit as {part}" in tools}
    return {**answer, "forms": forms} if forms else dict(answer)


def listed_tools(which: str) -> dict[str, type[Tool]]:
    """Return the tools that clients see: `few` or `all`. All are answered either way."""
    tools = {**SHORT_TOOLS, **TOOLS}
    return tools if which == "all" else {name: tools[name] for name in LISTED}


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
    # Evidence that names a tool is complete.
    if "call" not in value or "tool" in value:
        return {name: find_calls(part, calls) for name, part in value.items()}
    number = str(value["call"]).removeprefix("#")
    for call in calls:
        if str(call.number) == number:
            evidence = {"tool": call.tool, "params": dict(call.params), **value}
            del evidence["call"]
            return evidence
    raise ArgumentsError([f"evidence: this session has no call #{number}"])


def rename_tools(answer: Any) -> Any:
    """Return an answer in which the tools to use are named as in the short list."""
    if isinstance(answer, list):
        return [rename_tools(part) for part in answer]
    if not isinstance(answer, Mapping):
        return answer
    renamed: dict[str, Any] = {}
    for name, part in answer.items():
        is_list = isinstance(part, list) and all(isinstance(tool, str) for tool in part)
        if name in _NAMING and is_list:
            # Several long tools may be one short tool.
            part = list(dict.fromkeys(_SHORT_NAMES.get(tool, tool) for tool in part))
        renamed[name] = rename_tools(part)
    return renamed
