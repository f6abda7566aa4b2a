"""What tests of formats share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def own(tmp_path: Path) -> Callable[[str], Path]:
    """Return a function that saves a grammar as a format of a user."""

    def save(text: str) -> Path:
        path = tmp_path / "team.lark"
        path.write_text(text, encoding="utf-8")
        return path

    return save
