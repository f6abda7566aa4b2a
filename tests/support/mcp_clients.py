"""Clients of the MCP server: in this process, of a server that they start, and over HTTP."""

from __future__ import annotations

import json
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import httpx2
from command_line import environment
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from symops_lark.code_intelligence import Workspace
from symops_lark.code_intelligence.server.answers import Desk
from symops_lark.code_intelligence.server.protocol import make_server

Answer = dict[str, Any]
Work = Callable[[Client], Awaitable[Any]]
ERAS = ("legacy", "auto")  # before the protocol of 2026, and since


def in_memory(root: Path, work: Work, mode: str = "auto") -> Any:
    return anyio.run(partial(_work, lambda: Client(make_server(Desk(Workspace(root))), mode=mode), work))


def over_stdio(root: Path, work: Work, mode: str = "auto", *options: str) -> Any:
    arguments = ["-m", "symops_lark", "serve", "--root", str(root), *options]
    server = StdioServerParameters(command=sys.executable, args=arguments, env=environment())
    return anyio.run(partial(_work, lambda: Client(server, mode=mode), work))


def over_http(url: str, token: str, work: Work, mode: str = "auto") -> Any:
    return anyio.run(partial(_work, lambda: http_client(url, token, mode), work))


def http_client(url: str, token: str, mode: str = "auto") -> Client:
    http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60)
    return Client(streamable_http_client(url, http_client=http), mode=mode)


async def ask(client: Client, tool: str, **arguments: Any) -> Answer:
    """Return the answer to a call; what a client that reads only texts sees is the same."""
    result = await client.call_tool(tool, {"format": "json", **arguments})
    answer: Answer | None = result.structured_content
    assert answer is not None, result
    [text] = [block.text for block in result.content if block.type == "text"]
    assert json.loads(text) == answer
    assert result.is_error == (answer.get("ok") is False and "allowed" not in answer)
    return answer


async def _work(connect: Callable[[], Client], work: Work) -> Any:
    with anyio.fail_after(60):
        async with connect() as client:
            return await work(client)
