"""What tests of journals and their keys begin with."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from crashes import FILES, MODES, write_tree


@pytest.fixture
def patient_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that is killed leaves what it wrote: only a machine that stops needs `fsync`, which takes long."""
    monkeypatch.setattr(os, "fsync", lambda file: None)


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a state folder of the test's own, which is not there yet."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home/state"))
    return tmp_path / "home/state/symops-lark"


@pytest.fixture
def root(tmp_path: Path, state: Path) -> Path:
    root = tmp_path / "root"
    write_tree(root, FILES, MODES)
    return root
