"""Stories are played as on a machine without a sandbox, so that they end the same everywhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from agent_shop import FRAME, REQUEST, make_shop
from no_sandbox import hide_sandbox

from symops_lark.code_intelligence import Session, Workspace


@pytest.fixture(autouse=True)
def no_sandbox(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if not request.node.get_closest_marker("sandboxed"):
        hide_sandbox(monkeypatch)


@pytest.fixture(name="shop")
def make_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return make_shop(tmp_path / "shop")


@pytest.fixture(name="session")
def make_session(shop: Path) -> Session:
    """Return a session that has explored the shop."""
    session = Workspace(shop).start_session(REQUEST, "MODIFY")
    assert session.set_query_frame(FRAME)["ok"]
    assert session.submit_understanding(**session.explore()["understanding"])["ok"]
    return session
