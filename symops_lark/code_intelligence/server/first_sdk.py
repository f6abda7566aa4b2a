"""The same server by the SDK's first version (mcp 1.x), whose handlers are others; standard input and output of both.

What is sent is the same: types are made of the JSON that clients see, which both versions read.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from typing import Any

from anyio import run
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.types import ASGIApp, Receive, Scope, Send

from .answers import Desk, make_caller
from .prompts import INSTRUCTIONS, PROMPTS, describe_prompts
from .tools import describe_tools
from .wire import AnsweredStream, open_input


def is_current() -> bool:
    """Return whether the SDK is of the second version, which spells its errors otherwise."""
    return hasattr(import_module("mcp.shared.exceptions"), "MCPError")


def make_first_server(desk: Desk) -> Any:
    """Return the server of mcp 1.x whose calls a desk answers."""
    types: Any = import_module("mcp.types")
    errors: Any = import_module("mcp.shared.exceptions")
    server: Any = import_module("mcp.server.lowlevel").Server("symops", version=desk.version, instructions=INSTRUCTIONS)
    call = make_caller(desk)

    async def call_tool(name: str, arguments: dict[str, Any]) -> Any:
        return types.CallToolResult.model_validate(await call(name, arguments))

    async def list_tools() -> list[Any]:
        return [types.Tool.model_validate(tool) for tool in describe_tools(desk.tools)]

    async def list_prompts() -> list[Any]:
        return [types.Prompt.model_validate(prompt) for prompt in describe_prompts()]

    async def get_prompt(name: str, arguments: dict[str, str] | None) -> Any:
        prompt, given = PROMPTS.get(name), arguments or {}
        missing = [each for each in prompt.arguments if not given.get(each)] if prompt else []
        if prompt is None or missing:
            told = f"the prompt {name} wants {', '.join(missing)}" if prompt else f"there are {', '.join(PROMPTS)}"
            raise errors.McpError(types.ErrorData(code=types.INVALID_PARAMS, message=told))
        content = {"type": "text", "text": prompt.fill(given)}
        made = {"description": prompt.description, "messages": [{"role": "user", "content": content}]}
        return types.GetPromptResult.model_validate(made)

    server.call_tool(validate_input=False)(call_tool)
    server.list_tools()(list_tools)
    server.list_prompts()(list_prompts)
    server.get_prompt()(get_prompt)
    return server


def make_application(desk: Desk, path: str, most_bytes: int, checks: Any) -> ASGIApp:
    """Return what answers HTTP requests at a path, by mcp 1.x, without a session of the protocol."""
    manager: Any = import_module("mcp.server.streamable_http_manager").StreamableHTTPSessionManager(
        make_first_server(desk),
        json_response=True,
        stateless=True,
        security_settings=checks,
        max_request_body_size=most_bytes,
    )

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        await manager.handle_request(scope, receive, send)

    @asynccontextmanager
    async def live(_: Starlette) -> AsyncIterator[None]:
        async with manager.run():
            yield

    return Starlette(routes=[Mount(path, app=answer)], lifespan=live)


def serve_stdio(desk: Desk) -> None:
    """Answer on standard input and output until the client closes them; whatever else is printed goes to stderr."""
    stdio_server = import_module("mcp.server.stdio").stdio_server
    if is_current():
        from .protocol import make_server

        server: Any = make_server(desk)
    else:
        server = make_first_server(desk)

    async def serve() -> None:
        async with stdio_server(stdin=open_input()) as (incoming, outgoing):
            answered = AnsweredStream(incoming, outgoing, _make_error)
            await server.run(answered, outgoing, server.create_initialization_options())

    run(serve)


def _make_error(call: str | int | None, code: int, message: str) -> Any:
    """Return the message that answers a call with an error; None where the SDK cannot say it without an id."""
    types: Any = import_module("mcp.types" if not is_current() else "mcp_types")
    if call is None and not is_current():
        return None
    error = types.JSONRPCError(jsonrpc="2.0", id=call, error=types.ErrorData(code=code, message=message))
    envelope: Any = import_module("mcp.shared.message").SessionMessage
    return envelope(error if is_current() else types.JSONRPCMessage(error))
