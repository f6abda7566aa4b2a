"""The scripted sessions of the gate once more, by a real client of the protocol: the same is allowed, and no more."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp.client import Client
from mcp_clients import ask

from benchmarks.code_intelligence import gate
from symops_lark.code_intelligence import Session, Workspace
from symops_lark.code_intelligence.server.answers import Desk
from symops_lark.code_intelligence.server.protocol import make_server

Call = Callable[..., dict[str, Any]]


class ClientWorkspace:
    """What a client knows of a folder: it starts sessions, and goes on with those whose id it has."""

    def __init__(self, call: Call) -> None:
        self.call = call

    def start_session(self, query: str, intent: str) -> ClientSession:
        return self.session(str(self.call("start_session", query=query, intent=intent)["session_id"]))

    def session(self, session_id: str) -> ClientSession:
        return ClientSession(partial(self.call, session_id=session_id), session_id)


class ClientSession:
    """A session as a client has it: an id, and tools that are called by their names."""

    def __init__(self, call: Call, session_id: str) -> None:
        self._call, self.id = call, session_id

    @property
    def phase(self) -> str:
        return str(self._call("get_session_status")["phase"])

    def __getattr__(self, tool: str) -> Call:
        method = getattr(Session, tool)

        def act(*values: Any, **named: Any) -> dict[str, Any]:
            arguments = inspect.signature(method).bind(self, *values, **named).arguments
            options = arguments.pop("options", {})
            slots = arguments.pop("slots", {})
            return self._call(
                tool, **{name: value for name, value in arguments.items() if name != "self"}, **options, **slots
            )

        return act


@pytest.fixture(scope="module")
def portal() -> Iterator[BlockingPortal]:
    with start_blocking_portal() as opened:
        yield opened


@contextmanager
def clients(portal: BlockingPortal) -> Iterator[gate.Open]:
    """Give what opens a folder by a server and a client of its own, each time it is asked."""
    with ExitStack() as stack:

        def open_workspace(root: Path, state: Path) -> ClientWorkspace:
            server = make_server(Desk(Workspace(root, state=state)))
            client = stack.enter_context(portal.wrap_async_context_manager(Client(server)))
            return ClientWorkspace(lambda tool, **arguments: portal.call(partial(ask, client, tool, **arguments)))

        yield open_workspace


@pytest.mark.parametrize("case", gate.load_sessions(), ids=lambda case: str(case["name"]))
def test_a_client_may_write_what_a_session_may(case: dict[str, Any], tmp_path: Path, portal: BlockingPortal) -> None:
    with clients(portal) as open_workspace:
        verdict = gate.play(case, tmp_path, open_workspace)
    assert verdict.allowed_wrongly == [] == verdict.refused_wrongly, verdict
    assert verdict.phase == verdict.expected_phase and verdict.writes
