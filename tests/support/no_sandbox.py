"""A machine without a sandbox, for stories of runs that must end the same everywhere."""

from __future__ import annotations

import pytest

from symops_lark.core.ground.errors import WorkspaceError


def hide_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let runs find no sandbox on this machine."""

    def refuse(root: str) -> None:
        raise WorkspaceError("there is no sandbox here")

    monkeypatch.setattr("symops_lark.agent.testing.check_sandbox", refuse)
