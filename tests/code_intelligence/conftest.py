"""What tests of indexes and sessions begin with."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.code_intelligence.shop import build_shop
from symops_lark.code_intelligence import Workspace


@pytest.fixture
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep what indexes remember in a folder of the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(build_shop(tmp_path / "shop"), state=tmp_path / "state")
