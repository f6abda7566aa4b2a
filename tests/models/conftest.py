"""What tests of models find in the environment."""

from __future__ import annotations

import pytest
from remote_models import KEY, VARIABLES


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every provider's key, and nothing else of what SDKs read."""
    for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "ANTHROPIC_AUTH_TOKEN", "OPENAI_LOG", "ANTHROPIC_LOG"):
        monkeypatch.delenv(name, raising=False)
    for variable in VARIABLES.values():
        monkeypatch.setenv(variable, KEY)
