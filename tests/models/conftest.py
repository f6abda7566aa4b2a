"""What tests of models find in the environment."""

from __future__ import annotations

import pytest
from remote_models import set_every_key


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every provider's key, and nothing else of what SDKs read."""
    set_every_key(monkeypatch)
