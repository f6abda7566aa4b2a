"""Stories are played as on a machine without a sandbox, so that they end the same everywhere."""

from __future__ import annotations

import pytest

from symops_lark.core.ground.errors import WorkspaceError


@pytest.fixture(autouse=True)
def no_sandbox(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.node.get_closest_marker("sandboxed"):
        return

    def refuse(root: str) -> None:
        raise WorkspaceError("there is no sandbox here")

    monkeypatch.setattr("symops_lark.agent.testing.check_sandbox", refuse)
