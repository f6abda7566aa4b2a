"""The server by mcp 1.x, which `make test` installs into a folder of its own (`pip install --target`)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from code_trees import write_tree
from command_line import environment
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp_clients import ask, http_client

PLACE = Path(sys.prefix) / "mcp-1"
pytestmark = pytest.mark.skipif(not PLACE.is_dir(), reason="mcp 1.x is not installed here: `make test` does")


@pytest.mark.slow
@pytest.mark.parametrize("over_http", [False, True])
def test_session_by_the_first_sdk(tmp_path: Path, over_http: bool) -> None:
    """A client of the second version has the same tools, prompts and answers."""
    write_tree(tmp_path)
    inputs = environment() | {"SYMOPS_TOKEN": "a-token-for-the-test"}
    inputs["PYTHONPATH"] = os.pathsep.join([str(PLACE), inputs.get("PYTHONPATH", "")])
    arguments = ["-m", "symops_lark", "serve", "--root", str(tmp_path), "--tools", "all"]

    async def work(client: Client) -> dict[str, Any]:
        tools, prompts = await client.list_tools(), await client.list_prompts()
        assert len(tools.tools) > 15 and all(tool.input_schema for tool in tools.tools) and prompts.prompts
        started = await ask(client, "start_session", query="ログイン機能直して")
        answer = await ask(client, "find_definitions", session_id=started["session_id"], symbol="AuthService")
        refused = await ask(client, "find_definitions", session_id="0" * 32, symbol="AuthService")
        assert refused["reason_code"] == "unknown_session"
        return answer

    async def by(client: Client) -> dict[str, Any]:
        async with client:
            return await work(client)

    if not over_http:
        server = StdioServerParameters(command=sys.executable, args=arguments, env=inputs)
        answer = anyio.run(by, Client(server, mode="legacy"))
    else:
        command = [sys.executable, *arguments, "--http", "--port", "0"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=inputs)
        try:
            assert process.stdout
            url = process.stdout.readline().strip()
            answer = anyio.run(by, http_client(url, "a-token-for-the-test", "legacy"))
        finally:
            process.kill()
            process.communicate()
    assert answer["items"][0]["path"] == "auth/service.py"
