"""The tools and prompts over the Model Context Protocol.

The protocol has no sessions of work: the id of a session is an argument. All tools are listed in
every phase, because many clients read the list once. A call out of turn is refused by its answer.
"""

from __future__ import annotations

from typing import Any

import mcp_types as types
from mcp.server import Server
from mcp.shared.exceptions import MCPError

from .answers import Desk, make_caller
from .prompts import INSTRUCTIONS, PromptError, describe_prompts, fill_prompt
from .tools import describe_tools


def make_server(desk: Desk) -> Server[Any]:
    """Return the server with calls that a desk answers."""
    call = make_caller(desk)

    async def call_tool(_: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        result = await call(params.name, params.arguments)
        return types.CallToolResult.model_validate(result)

    async def list_tools(*_: Any) -> types.ListToolsResult:
        tools = describe_tools(desk.tools)
        return types.ListToolsResult.model_validate({"tools": tools})

    async def list_prompts(*_: Any) -> types.ListPromptsResult:
        return types.ListPromptsResult.model_validate({"prompts": describe_prompts()})

    async def get_prompt(_: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        # An error of JSON-RPC: a prompt has no other way to report one.
        try:
            prompt = fill_prompt(params.name, params.arguments)
        except PromptError as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from None
        return types.GetPromptResult.model_validate(prompt)

    # The SDK takes each handler as an argument; version 1 has decorators (`first_sdk`).
    return Server(
        "symops",
        title="Sym-Ops code intelligence",
        version=desk.version,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
    )
