"""The tools and prompts over the Model Context Protocol.

The protocol knows no session of work: its id is an argument. All tools are listed in every phase, because many clients
read the list once; what is out of turn is refused by its answer.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import mcp_types as types
from anyio import CapacityLimiter, run, to_thread
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from ...json_text import spell_json
from .answers import Desk, is_refusal
from .arguments import input_schema
from .prompts import INSTRUCTIONS, PROMPTS, Prompt
from .tools import TOOLS

THREADS = 16  # calls that are worked on at once


def make_server(desk: Desk) -> Server[Any]:
    """Return the server whose calls a desk answers."""
    limiter: list[CapacityLimiter] = []  # made where the loop runs

    async def call_tool(_: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        if not limiter:
            limiter.append(CapacityLimiter(THREADS))
        work = partial(desk.answer, params.name, params.arguments or {})
        answer = await to_thread.run_sync(work, limiter=limiter[0])
        text = types.TextContent(type="text", text=spell_json(answer))
        return types.CallToolResult(content=[text], structured_content=answer, is_error=is_refusal(answer))

    async def list_tools(*_: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=tool_list())

    async def list_prompts(*_: Any) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[_describe(prompt) for prompt in PROMPTS.values()])

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


def tool_list() -> list[types.Tool]:
    """Return the tools as clients see them."""
    return [
        types.Tool(
            name=name,
            title=tool.title(),
            description=tool.description(),
            input_schema=input_schema(tool),
            annotations=types.ToolAnnotations(
                title=tool.title(),
                read_only_hint=tool.only_reads,
                destructive_hint=False,
                idempotent_hint=tool.only_reads,
                open_world_hint=False,
            ),
        )
        for name, tool in TOOLS.items()
    ]


def _describe(prompt: Prompt) -> types.Prompt:
    arguments = [
        types.PromptArgument(name=name, description=told, required=True) for name, told in prompt.arguments.items()
    ]
    return types.Prompt(name=prompt.name, title=prompt.title, description=prompt.description, arguments=arguments)


def serve_stdio(desk: Desk) -> None:
    """Answer on standard input and output until the client closes them; whatever else is printed goes to stderr."""
    server = make_server(desk)

    async def serve() -> None:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    run(serve)
