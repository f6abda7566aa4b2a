"""The official inspector and the conformance suite, where node and both are installed: they are never fetched here."""

from __future__ import annotations

from importlib import import_module

import pytest
from wings import need_wing

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("module", "run"), [("inspection", "inspect"), ("conformance", "conform")])
def test_official_tools_find_nothing_wrong(module: str, run: str) -> None:
    need_wing("adapters")
    from benchmarks.mcp._node_tools import Unavailable, installed

    try:
        installed()
    except Unavailable as reason:
        pytest.skip(f"{reason}; python -m benchmarks.mcp inspect installs them")
    message = list(getattr(import_module(f"benchmarks.mcp.{module}"), run)())
    assert len(message) > 5 and [line for line, well in message if not well] == []
