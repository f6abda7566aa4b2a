"""Options and settings of the whole suite."""

from __future__ import annotations

import os
import signal
from collections import Counter, defaultdict
from zlib import crc32

import pytest
from corpus_reader import Changes, rewrite
from hypothesis import HealthCheck, settings

pytest.register_assert_rewrite("judge", "trees", "exhaustive")  # asserts of modules that tests share say what they saw

_CALM = (HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large)
settings.register_profile(
    "ci", max_examples=25, deadline=None, derandomize=True, database=None, suppress_health_check=_CALM
)
settings.register_profile("quick", settings.get_profile("ci"), max_examples=3)
settings.register_profile("thorough", max_examples=2000, deadline=None, suppress_health_check=_CALM)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

_CHANGES = pytest.StashKey[Changes]()
MANY = 8  # cases of one test of which --quick runs a sample


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--accept", action="store_true", help="rewrite the corpus' expectations to what the library gives")
    parser.addoption("--quick", action="store_true", help="no slow tests, some cases of those with many, few draws")


def pytest_configure(config: pytest.Config) -> None:
    changes: Changes = defaultdict(dict)
    config.stash[_CHANGES] = changes
    for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) is signal.SIG_IGN:  # as shells and nohup do for what they start in the background
            signal.signal(number, usual)  # and the tests' own processes would inherit it
    if config.getoption("--accept") and hasattr(config, "workerinput"):
        raise pytest.UsageError("--accept rewrites files: run it without xdist's -n")
    if config.getoption("--quick"):
        settings.load_profile("quick")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With --quick, leave out the slow tests and most cases of those with many: always the same ones."""
    if not config.getoption("--quick"):
        return
    tests = Counter(item.nodeid.partition("[")[0] for item in items)

    def is_wanted(item: pytest.Item) -> bool:
        few = tests[item.nodeid.partition("[")[0]] <= MANY
        return item.get_closest_marker("slow") is None and (few or crc32(item.nodeid.encode()) % 20 == 0)

    config.hook.pytest_deselected(items=[item for item in items if not is_wanted(item)])
    items[:] = [item for item in items if is_wanted(item)]


@pytest.fixture
def accepted(request: pytest.FixtureRequest) -> Changes | None:
    """The new expectations by file, or None if expectations are to be kept."""
    return request.config.stash[_CHANGES] if request.config.getoption("--accept") else None


def pytest_sessionfinish(session: pytest.Session) -> None:
    for path, changes in session.config.stash[_CHANGES].items():
        rewrite(path, changes)
