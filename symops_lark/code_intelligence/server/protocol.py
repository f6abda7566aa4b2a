"""The tools and prompts over the Model Context Protocol.

The protocol knows no session of work: its id is an argument. All tools are listed in every phase, because many clients
read the list once; what is out of turn is refused by its answer.
"""

from __future__ import annotations

from typing import Any

import mcp_types as types
from mcp.server import Server
from mcp.shared.exceptions import MCPError

from .answers import Desk, make_caller
from .prompts import INSTRUCTIONS, PROMPTS, describe_prompts
from .tools import describe_tools


def make_server(desk: Desk) -> Server[Any]:
    """Return the server whose calls a desk answers."""
    call = make_caller(desk)

    async def call_tool(_: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        return types.CallToolResult.model_validate(await call(params.name, params.arguments))

    async def list_tools(*_: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[types.Tool.model_validate(tool) for tool in describe_tools(desk.tools)])

    async def list_prompts(*_: Any) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[types.Prompt.model_validate(prompt) for prompt in describe_prompts()])

    async def get_prompt(_: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        prompt = PROMPTS.get(params.name)
        if prompt is None:
            raise MCPError(types.INVALID_PARAMS, f"no such prompt; there are {', '.join(PROMPTS)}")
        given = params.arguments or {}
        missing = [name for name in prompt.arguments if not given.get(name)]
        if missing:
            raise MCPError(types.INVALID_PARAMS, f"the prompt {params.name} wants {', '.join(missing)}")
        content = types.TextContent(type="text", text=prompt.fill(given))
        return types.GetPromptResult(
            description=prompt.description, messages=[types.PromptMessage(role="user", content=content)]
        )

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
