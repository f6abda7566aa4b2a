"""The conformance suite of the protocol: the scenarios that any server can pass, without tools made for the suite."""

from __future__ import annotations

import re
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from symops_lark.code_intelligence import Workspace
from symops_lark.code_intelligence.server.answers import Desk
from symops_lark.code_intelligence.server.http import Endpoint

from ._node_tools import CONFORMANCE, tool
from ._projects import TOKEN, write_project

SCENARIOS = ("server-initialize", "ping", "tools-list", "tools-call-error", "prompts-list", "dns-rebinding-protection")
_COUNT = re.compile(r"Passed: (\d+)/(\d+), (\d+) failed")


def conform() -> Iterator[tuple[str, bool]]:
    """Yield a line for each scenario, and whether it was passed."""
    command = [*tool("conformance"), "server"]
    yield f"# {CONFORMANCE}; the other scenarios want tools, prompts and resources made for the suite", True
    with tempfile.TemporaryDirectory() as folder, _answering(write_project(Path(folder), 3)) as url:
        for scenario in SCENARIOS:
            request = [*command, "--url", url, "--scenario", scenario]
            done = subprocess.run(request, capture_output=True, text=True, timeout=60, cwd=folder)
            match = _COUNT.search(done.stdout)
            well = match is not None and match[1] == match[2] != "0" and done.returncode == 0
            yield f"{scenario}: {match[0] if match else 'no result'}", well


@contextmanager
def _answering(root: Path) -> Iterator[str]:
    """Answer in a thread, by the server as it is served: the suite has no token, so that it is added on the way."""
    endpoint = Endpoint(0, TOKEN)
    inner = endpoint.application(Desk(Workspace(root)))
    server = uvicorn.Server(uvicorn.Config(_WithToken(inner), log_config=None, access_log=False))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [endpoint.socket]})
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        yield endpoint.url
    finally:
        server.should_exit = True
        thread.join()


class _WithToken:
    def __init__(self, inner: ASGIApp) -> None:
        self.inner = inner

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            header = (b"authorization", f"Bearer {TOKEN}".encode())
            scope = {**scope, "headers": [*scope["headers"], header]}
        await self.inner(scope, receive, send)
