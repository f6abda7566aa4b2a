"""Stories are played as on a machine without a sandbox, so that they end the same everywhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from agent_shop import make_shop
from no_sandbox import hide_sandbox


@pytest.fixture(autouse=True)
def no_sandbox(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if not request.node.get_closest_marker("sandboxed"):
        hide_sandbox(monkeypatch)


@pytest.fixture(name="shop")
def make_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return make_shop(tmp_path / "shop")
