"""Many clients at once on the HTTP server: no call is lost, no session is mixed with another, memory stays flat.

In the middle the server is killed (SIGKILL) and started again on the same port: every session goes on where it was.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx2
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from symops_lark.core.ground.numbers import counted

from ._projects import TOKEN, serving, write_project

_REPORTS = 10  # how often memory is looked at in a half


class Load:
    """What came of the calls: answers by what was wrong with them, the seconds of each call, kilobytes of memory."""

    def __init__(self, clients: int, calls: int) -> None:
        self.clients, self.each = clients, max(2, calls // clients)
        self.outcomes: Counter[str] = Counter()
        self.seconds: list[float] = []
        self.memory: list[int] = []
        self.work = 0.0  # seconds that the server's processor was busy
        self.sessions: dict[int, str] = {}
        self.searches: Counter[int] = Counter()

    def run(self) -> Iterator[tuple[str, bool]]:
        """Yield what was measured, and whether it is as it must be."""
        with tempfile.TemporaryDirectory() as folder:
            root = write_project(Path(folder) / "project", self.clients)
            begun = time.monotonic()
            with serving(root) as (process, url):
                anyio.run(self._work, url, process.pid, 0, self.each // 2)
                self.work += _busy(process.pid)
            port = int(url.rpartition(":")[2].partition("/")[0])  # the server is dead: SIGKILL
            half = len(self.memory)
            with serving(root, port) as (process, repeated):
                anyio.run(self._work, repeated, process.pid, self.each // 2, self.each)
                anyio.run(self._count, repeated)
                self.work += _busy(process.pid)
            took = time.monotonic() - begun
        yield from self._tell(took, half)

    async def _work(self, url: str, pid: int, first: int, last: int) -> None:
        async with anyio.create_task_group() as group:
            for number in range(self.clients):
                group.start_soon(self._be_client, url, number, first, last, pid)

    async def _be_client(self, url: str, number: int, first: int, last: int, pid: int) -> None:
        async with _client(url) as client:
            for turn in range(first, last):
                if number == 0 and (turn - first) % max(1, (last - first) // _REPORTS) == 0:
                    self.memory.append(_kilobytes(pid))
                begun = time.monotonic()
                self.outcomes[await self._call(client, number, turn)] += 1
                self.seconds.append(time.monotonic() - begun)

    async def _call(self, client: Client, number: int, turn: int) -> str:
        """Make a call, and return what was wrong with its answer; `right` if nothing was."""
        if turn == 0:
            answer = await _ask(client, "start_session", query=_request(number), intent="INVESTIGATE")
            self.sessions[number] = str(answer.get("session_id"))
            return "right" if answer.get("session_id") else "no session"
        session = self.sessions[number]
        if turn % 3 == 0:
            answer = await _ask(client, "get_session_status", session_id=session)
            return "right" if _request(number) in str(answer) else "of another session"
        marker = f"marker{number:02}x"
        answer = await _ask(client, "search_text", session_id=session, patterns=[marker])
        self.searches[number] += 1
        finding = str(answer.get("files"))
        if f"feature_{number:02}.py" not in finding:
            return "found nothing"
        return "right" if finding.count("feature_") == 1 else "of another session"

    async def _count(self, url: str) -> None:
        """Compare the calls that each session has on record with those that were made."""
        async with _client(url) as client:
            for number, session in self.sessions.items():
                answer = await _ask(client, "get_session_status", session_id=session)
                recorded = answer.get("calls")
                self.outcomes["right" if recorded == self.searches[number] else f"recorded {recorded}"] += 1

    def _tell(self, took: float, half: int) -> Iterator[tuple[str, bool]]:
        right, table = self.outcomes["right"], {name: n for name, n in self.outcomes.items() if name != "right"}
        calls = f"{counted(len(self.seconds), 'call')} in {took:.0f} s"
        yield f"{counted(self.clients, 'client')}, {calls}, the server killed and started again between", True
        yield f"right answers: {right:,} of {self.outcomes.total():,}; wrong: {table or 'none'}", not table
        ordered = sorted(self.seconds)
        shares = {share: 1000 * ordered[int(len(ordered) * share / 100) - 1] for share in (50, 95, 99)}
        text = ", ".join(f"{share} %: {milliseconds:.0f} ms" for share, milliseconds in shares.items())
        yield f"time of a call, {self.clients} waiting at once: {text}", True
        yield f"of the server's processor: {1000 * self.work / self.outcomes.total():.1f} ms a call", True
        for name, kilobytes in (("before the kill", self.memory[:half]), ("after it", self.memory[half:])):
            first, middle, last = (kilobytes[at] // 1024 for at in (0, len(kilobytes) // 2, -1))
            yield f"memory {name}: {first} MB at first, {middle} MB half-way, {last} MB", last < 1.1 * middle


def _request(number: int) -> str:
    return f"Why does feature {number:02} begin so late, as marker{number:02}x says?"


def _client(url: str) -> Client:
    http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}, timeout=120)
    return Client(streamable_http_client(url, http_client=http))


async def _ask(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, {"format": "json", **arguments})
    return result.structured_content or {}


def _busy(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")  # with its children's: searches are ripgrep's


def _kilobytes(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0])
