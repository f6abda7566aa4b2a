"""Options and settings of the whole suite."""

from __future__ import annotations

import os
import signal
from collections import defaultdict

import pytest
from corpus_reader import Changes, rewrite
from hypothesis import HealthCheck, settings

pytest.register_assert_rewrite("judge", "trees", "exhaustive")  # asserts of modules that tests share say what they saw

_CALM = (HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large)
settings.register_profile(
    "ci", max_examples=25, deadline=None, derandomize=True, database=None, suppress_health_check=_CALM
)
settings.register_profile("thorough", max_examples=2000, deadline=None, suppress_health_check=_CALM)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

_CHANGES = pytest.StashKey[Changes]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--accept", action="store_true", help="rewrite the corpus' expectations to what the library gives")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_CHANGES] = defaultdict(dict)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as shells do for what they start in the background
        signal.signal(signal.SIGINT, signal.default_int_handler)  # and the tests' own processes would inherit it
    if config.getoption("--accept") and hasattr(config, "workerinput"):
        raise pytest.UsageError("--accept rewrites files: run it without xdist's -n")


@pytest.fixture
def accepted(request: pytest.FixtureRequest) -> Changes | None:
    """The new expectations by file, or None if expectations are to be kept."""
    return request.config.stash[_CHANGES] if request.config.getoption("--accept") else None


def pytest_sessionfinish(session: pytest.Session) -> None:
    for path, changes in session.config.stash[_CHANGES].items():
        rewrite(path, changes)
