"""Stories are played as on a machine without a sandbox, so that they end the same everywhere."""

from __future__ import annotations

import pytest
from no_sandbox import hide_sandbox


@pytest.fixture(autouse=True)
def no_sandbox(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if not request.node.get_closest_marker("sandboxed"):
        hide_sandbox(monkeypatch)
