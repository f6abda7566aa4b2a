"""Tests that need another wing than their own: they are skipped where `tests/test_walls.py` takes that wing away."""

from __future__ import annotations

from importlib.util import find_spec

import pytest


def has_wing(name: str) -> bool:
    """Return whether a wing is installed."""
    return find_spec(f"symops_lark.{name}") is not None


def need_wing(name: str) -> None:
    """Skip the test if a wing is not installed. Import the parts of the wing after this call."""
    if not has_wing(name):
        pytest.skip(f"this test needs symops_lark.{name}")
