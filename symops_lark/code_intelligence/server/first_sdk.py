"""The same server with version 1 of the SDK (mcp 1.x), and standard input and output of both.

The messages are the same: types are made from the JSON that clients see, which both versions read.
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
from .prompts import INSTRUCTIONS, PromptError, describe_prompts, fill_prompt
from .tools import describe_tools
from .wire import AnsweredStream, open_input


def is_current() -> bool:
    """Return whether version 2 of the SDK is installed, which has another name for its errors."""
    return hasattr(import_module("mcp.shared.exceptions"), "MCPError")


def make_first_server(desk: Desk) -> Any:
    """Return the server of mcp 1.x with calls that a desk answers."""
    # Imported here: the types are those of version 1, which may not be installed.
    types: Any = import_module("mcp.types")
    errors: Any = import_module("mcp.shared.exceptions")
    lowlevel: Any = import_module("mcp.server.lowlevel")
    server = lowlevel.Server("symops", version=desk.version, instructions=INSTRUCTIONS)
    call = make_caller(desk)

    async def call_tool(name: str, arguments: dict[str, Any]) -> Any:
        result = await call(name, arguments)
        return types.CallToolResult.model_validate(result)

    async def list_tools() -> list[Any]:
        return list(map(types.Tool.model_validate, describe_tools(desk.tools)))

    async def list_prompts() -> list[Any]:
        return list(map(types.Prompt.model_validate, describe_prompts()))

    async def get_prompt(name: str, arguments: dict[str, str] | None) -> Any:
        try:
            prompt = fill_prompt(name, arguments)
        except PromptError as error:
            data = types.ErrorData(code=types.INVALID_PARAMS, message=str(error))
            raise errors.McpError(data) from None
        return types.GetPromptResult.model_validate(prompt)

    # The desk validates: its messages name the argument, and it reads JSON in strings.
    server.call_tool(validate_input=False)(call_tool)
    server.list_tools()(list_tools)
    server.list_prompts()(list_prompts)
    server.get_prompt()(get_prompt)
    return server


def make_application(desk: Desk, path: str, most_bytes: int, checks: Any) -> ASGIApp:
    """Return the application for HTTP requests, by mcp 1.x, without a session of the protocol.

    Args:
        desk: Answers the calls.
        path: The path of the endpoint.
        most_bytes: The most bytes of a request.
        checks: The settings for hosts and origins.
    """
    managers: Any = import_module("mcp.server.streamable_http_manager")
    manager = managers.StreamableHTTPSessionManager(
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
    """Answer on standard input and output until the client closes them.

    All other output of the process goes to standard error.
    """
    stdio_server = import_module("mcp.server.stdio").stdio_server
    server: Any
    # Imported here: the module needs types of version 2.
    if is_current():
        from .protocol import make_server

        server = make_server(desk)
    else:
        server = make_first_server(desk)

    # The SDK waits for each line; a message that cannot be read never comes to the server.
    async def serve() -> None:
        async with stdio_server(stdin=open_input()) as (incoming, outgoing):
            answered = AnsweredStream(incoming, outgoing, _make_error)
            await server.run(answered, outgoing, server.create_initialization_options())

    run(serve)


def _make_error(call: str | int | None, code: int, message: str) -> Any:
    """Return the message that answers a call with an error; None if the SDK cannot make it."""
    is_new = is_current()
    # In version 1, an error must have an id.
    if call is None and not is_new:
        return None
    types: Any = import_module("mcp_types" if is_new else "mcp.types")
    data = types.ErrorData(code=code, message=message)
    error = types.JSONRPCError(jsonrpc="2.0", id=call, error=data)
    envelope: Any = import_module("mcp.shared.message").SessionMessage
    return envelope(error if is_new else types.JSONRPCMessage(error))
