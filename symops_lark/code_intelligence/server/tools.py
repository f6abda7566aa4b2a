"""The arguments of the tools: public classes, in the order of their use.

A session has a method for each tool, with the same name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field

from .arguments import (
    Count,
    Left,
    Listed,
    Object,
    Objects,
    Ranges,
    Text,
    Texts,
    Tool,
    input_schema,
    shorten,
)


def _in(case: Callable[[str], str]) -> BeforeValidator:
    # Models write `modify` and " MODIFY".
    return BeforeValidator(lambda value: case(value.strip()) if isinstance(value, str) else value)


in_lower = _in(str.lower)
Intent = Annotated[Literal["IMPLEMENT", "MODIFY", "INVESTIGATE", "QUESTION"], _in(str.upper)]
Slot = Annotated[
    Literal["target_feature", "trigger_condition", "observed_issue", "desired_action"], in_lower
]
Outcome = Annotated[Literal["success", "failure", "partial"], in_lower]
# Clients that send all arguments leave one out by null.
OptionalText = Annotated[Text | None, Left]
Flag = Annotated[bool | None, Left]
# A model that sees the form of evidence sends it in this form.
_EVIDENCE = "the call that shows it: {tool, params, result_summary}, as it was made in this session"


class StartSession(Tool):
    """Begin to work on a request.

    Its slots (target_feature, trigger_condition, observed_issue, desired_action) are read from its
    words. Returns the session_id that every other tool wants, what is missing, the risk, and the
    tools to begin with.
    """

    query: Text = Field(description="The user's request, word for word.")
    intent: Annotated[Intent | None, Left] = Field(
        None,
        description=(
            "What is to be done; only IMPLEMENT and MODIFY write at the end. Judged by the request."
        ),
    )


class _InSession(Tool):
    session_id: Text = Field(description="As start_session returned it.")


# Clients may run tools without asking their user if these only read.
class _Reading(_InSession):
    only_reads: ClassVar[bool] = True


# Without a limit, an answer shows 50 items.
class _Search(_Reading):
    limit: Annotated[Count | None, Left] = Field(None, description="The most items to show.")


class _Below(_Search):
    path: OptionalText = Field(
        None, description="Only in this file or below this folder, relative to the root."
    )


class GetSessionStatus(_Reading):
    """Show a session: phase, slots, risk, requirements, what was looked at, what is next."""


class SetQueryFrame(_InSession):
    """Say what the request says, slot by slot, each with its literal quote from the request.

    A slot whose quote is not in the request, or does not say it, is refused. Only where no model of
    the server reads requests, or to correct it.
    """

    frame: Object = Field(
        description=(
            '{slot: {"value": …, "quote": …}}, or null for what the request does not say; the slots'
            " are target_feature, trigger_condition, observed_issue and desired_action."
        )
    )


class UpdateSlot(_InSession):
    """Fill a slot by what the code shows."""

    slot: Slot = Field(description="The slot.")
    value: Text = Field(description="What it holds.")
    evidence: Object = Field(description=f"What supports it: {_EVIDENCE}.")


class Query(_Below):
    """Find the code that is about some words, in any language: files and symbols, best first."""

    text: Text = Field(description="Words, or identifiers.")


class GetSymbols(_Search):
    """List the classes, functions and other symbols of a file or folder, with their lines."""

    path: Text = Field(description="A file or folder, relative to the root; `.` is the root.")
    kind: OptionalText = Field(
        None, description="Only symbols of this kind: class, function, method, …"
    )


class AnalyzeStructure(_Below):
    """Show how a folder or file is made: its parts, their sizes and languages."""

    imports: Flag = Field(None, description="Whether its imports are listed, up to 200.")


class SearchText(_Below):
    """Search the text of files, for several patterns at once."""

    patterns: Texts = Field(description="One or more texts to look for.")
    regex: Flag = Field(
        None, description="Whether the patterns are regular expressions, in RE2's syntax."
    )
    ignore_case: Flag = Field(None, description="Whether capital and small letters are the same.")


class SearchFiles(_Search):
    """Find files by their names; what is in them is not looked at."""

    pattern: Text = Field(description="A part of a path, or a glob such as `src/*.py`.")


class FindDefinitions(_Below):
    """Find where a symbol is defined."""

    symbol: Text = Field(description="The symbol's name, also qualified: `Service.login`.")


class FindReferences(_Below):
    """Find where a symbol is used: what surely means it first, then what may."""

    symbol: Text = Field(description="The symbol's name, also qualified: `Service.login`.")
    definition: OptionalText = Field(
        None, description="Which of several of this name: `path` or `path:line`."
    )
    definitions: Flag = Field(None, description="Whether its definitions are shown as well.")


class GetFunctionAtLine(_Reading):
    """Show the function or class that a line of a file belongs to."""

    path: Text = Field(description="A file, relative to the root.")
    line: Count = Field(description="The line, counted from 1.")


class Explore(_InSession):
    """Search and open the code of the request, or of words.

    Its `understanding` can be submitted.
    """

    words: Annotated[Listed | None, Left] = Field(
        None, description="Default: those of the request."
    )
    tokens: Count = Field(8_000, description="The most tokens of texts.")
    calls: Count = Field(40, description="The most searches.")


class SubmitUnderstanding(_InSession):
    """Submit what was understood.

    All of it is compared with the calls of this session: if it is enough, the session is READY,
    else the answer says what is missing and which tools find it.
    """

    symbols_identified: Listed = Field(
        [], description="Symbols that belong to the request, as searches found them."
    )
    entry_points: Listed = Field([], description="Symbols or files through which they are reached.")
    files_analyzed: Listed = Field(
        [], description="Paths of files that were looked at, relative to the root."
    )
    existing_patterns: Listed = Field(
        [], description="How the code does such things, each with a symbol or file."
    )
    resolved_frame: Annotated[Object | None, Left] = Field(
        None,
        description="{slot: value} of the slots that are known now; a new value wants evidence.",
    )
    slot_evidence: Annotated[Object | None, Left] = Field(
        None, description=f"{{slot or symbol: evidence}}: {_EVIDENCE}."
    )
    not_applicable: Annotated[Object | None, Left] = Field(
        None,
        description=(
            "Only to IMPLEMENT, where there is no issue yet: "
            '{"observed_issue": {"reason": …, "evidence": …}}, '
            "with a search of this session that found nothing."
        ),
    )
    semantic_reason: OptionalText = Field(
        None,
        description="To ask for semantic search: no_definition_found, architecture_unknown, "
        "no_similar_implementation or context_fragmented.",
    )


class SemanticSearch(_Below):
    """Search by meaning, only in the phase SEMANTIC, after facts did not do.

    What it finds are hypotheses.
    """

    query: Text = Field(description="What is looked for.")
    reason: OptionalText = Field(
        None,
        description=(
            "no_definition_found, architecture_unknown, no_similar_implementation or "
            "context_fragmented."
        ),
    )


class SubmitSemantic(_InSession):
    """Submit hypotheses of semantic search; without any the session goes back to exploring."""

    hypotheses: Objects = Field(
        [],
        description=(
            "Each {slot, value} or {symbol}, with a confidence below 1 and as evidence the call of "
            "semantic_search."
        ),
    )


class SubmitVerification(_InSession):
    """Have all hypotheses checked: symbols are looked up here, slots want later evidence.

    Then all of submit_understanding is checked again.
    """

    verified: Objects = Field(
        [], description=f"Each {{slot, evidence}}: {_EVIDENCE}; or {{slot, status: rejected}}."
    )


class CheckWriteTarget(_InSession):
    """Ask whether a file may be created, edited or deleted now. Write only if `allowed` is true."""

    path: Text = Field(description="The file, relative to the root.")
    reason: OptionalText = Field(
        None, description="For a new file in a folder where nothing was looked at: why there."
    )
    lines: Annotated[Ranges | None, Left] = Field(
        None,
        description=(
            "The lines that change, [[first, last], …]; in a large file they must have been shown."
        ),
    )


class AddExploredFiles(_InSession):
    """Read files; they count as looked at from now on.

    In a large file only the lines that are shown count.
    """

    paths: Texts = Field(
        description="One or more files, relative to the root; `a.py:100-400` opens these lines."
    )


class RevertToExploration(_InSession):
    """Go back to exploring: what was looked at is kept, what was understood is submitted again."""

    reason: OptionalText = Field(None, description="Why.")


class RecordOutcome(_InSession):
    """Say how it ended, when the change was tested."""

    outcome: Outcome = Field(description="How it ended.")
    slot: Annotated[Slot | None, Left] = Field(
        None, description="If it failed: the slot that was misread."
    )
    note: OptionalText = Field(None, description="What happened.")
    run_id: OptionalText = Field(None, description="The run of models that made the change.")
    model_id: OptionalText = Field(None, description="The model that made the change.")


class GetOutcomeStats(Tool):
    """Count how the sessions of this folder ended, by risk and by the tools of their evidence."""

    only_reads: ClassVar[bool] = True
    session_id: OptionalText = Field(None, description="May be left: all sessions are counted.")


class Why(_Reading):
    """Explain a session: decisions, refusals, evidence, outcome, and which tool led astray."""


# All public classes above: no list to keep by hand.
TOOLS: dict[str, type[Tool]] = {
    kind.tool_name(): kind
    for name, kind in list(globals().items())
    if isinstance(kind, type)
    and issubclass(kind, Tool)
    and kind is not Tool
    and not name.startswith("_")
}


# The short list, in the order in which they are used; their schemas are kept short too.
LISTED = ("start", "explore", "look", "open", "submit", "status", "outcome")


def describe_tools(tools: Mapping[str, type[Tool]] = TOOLS) -> list[dict[str, Any]]:
    """Return tools as clients see them, as JSON."""
    descriptions: list[dict[str, Any]] = []
    for name, tool in tools.items():
        schema = input_schema(tool)
        description = {
            "name": name,
            "title": tool.title(),
            "description": tool.description(),
            "inputSchema": shorten(schema) if name in LISTED else schema,
            "annotations": {
                "title": tool.title(),
                "readOnlyHint": tool.only_reads,
                "destructiveHint": False,
                "idempotentHint": tool.only_reads,
                "openWorldHint": False,
            },
        }
        descriptions.append(description)
    return descriptions
