"""Tools of the agent's room that `symops serve` adds to those of code intelligence."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar

from pydantic import Field

from ....agent.session_tools import ask_models, plan_document
from ....code_intelligence.server.answers import Further
from ....code_intelligence.server.arguments import Count, Text, Tool
from ....code_intelligence.server.tools import OptionalText


# The docstrings and descriptions are what agents read in the list of tools.
class PlanDocument(Tool):
    """Show what a reply in Sym-Ops would do, and what the gate says. Nothing is written."""

    only_reads: ClassVar[bool] = True
    session_id: Text = Field(description="As start_session returned it.")
    document: Text = Field(description="The reply.")


class AskModels(Tool):
    """Let the server's models compete for a reply in Sym-Ops, in a session that is READY.

    Each reply must be valid, change only opened files, and apply to a copy of the folder. Returns
    the winner's document and why. Nothing is written.
    """

    only_reads: ClassVar[bool] = True
    session_id: Text = Field(description="As start_session returned it.")
    request: OptionalText = Field(
        None, description="What they are asked. Default: the request of the session."
    )
    tokens: Count = Field(8_000, description="The most tokens of the code that they are shown.")


def make_tools(contestants: Sequence[Any]) -> dict[str, Further]:
    """Return the tools by name.

    Args:
        contestants: The models that compete. Without any, no tool asks models.
    """
    tools: dict[str, Further] = {PlanDocument.tool_name(): (PlanDocument, plan_document)}
    if contestants:
        answer = partial(ask_models, contestants=contestants)
        tools[AskModels.tool_name()] = (AskModels, answer)
    return tools
