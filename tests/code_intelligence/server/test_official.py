"""The official inspector and the conformance suite, where node and both are installed: they are never fetched here."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from benchmarks.mcp._node_tools import Unavailable, installed
from benchmarks.mcp.conformance import conform
from benchmarks.mcp.inspection import inspect

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("run", [inspect, conform])
def test_official_tools_find_nothing_wrong(run: Callable[[], Iterator[tuple[str, bool]]]) -> None:
    try:
        installed()
    except Unavailable as reason:
        pytest.skip(f"{reason}; python -m benchmarks.mcp inspect installs them")
    told = list(run())
    assert len(told) > 5 and [line for line, well in told if not well] == []
