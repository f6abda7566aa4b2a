"""Options and settings of the whole suite."""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import signal
import tempfile
from collections import Counter, defaultdict
from zlib import crc32

import lark.lexer
import pytest
from corpus_reader import Changes, rewrite
from hypothesis import HealthCheck, settings
from registries import NOT_PROVED

# Asserts of modules that tests share say what they saw.
pytest.register_assert_rewrite("judge", "trees", "exhaustive", "edit_readings")

_CALM = (HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large)
settings.register_profile(
    "ci", max_examples=8, deadline=None, derandomize=True, database=None, suppress_health_check=_CALM
)
settings.register_profile("quick", settings.get_profile("ci"), max_examples=3)
settings.register_profile("many", settings.get_profile("ci"), max_examples=32)
settings.register_profile("thorough", max_examples=2000, deadline=None, suppress_health_check=_CALM)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

_CHANGES = pytest.StashKey[Changes]()
THIN = 9  # of the steps of long series, one in so many is taken without --thorough

# The key that journals are sealed with is one of the tests' own.
os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="symops-state-")
atexit.register(shutil.rmtree, os.environ["XDG_STATE_HOME"], ignore_errors=True)

# Where interegular is there, Lark looks for collisions whenever it makes a parser, which takes most of the time and
# changes nothing outside its strict mode. The test of that mode turns it on.
lark.lexer.has_interegular = False


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--accept", action="store_true", help="rewrite the corpus' expectations to what the library gives")
    parser.addoption("--quick", action="store_true", help="no slow tests, some cases of those with many, few draws")
    parser.addoption("--once", action="store_true", help="with --quick: one case of each test")
    parser.addoption("--thorough", action="store_true", help="all of what is much alike, and every step of long series")


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
    elif config.getoption("--thorough") and "HYPOTHESIS_PROFILE" not in os.environ:
        settings.load_profile("many")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is much alike but with --thorough; with --quick the slow tests and most cases of those with many.

    What is left out is always the same."""
    if not config.getoption("--thorough"):
        _keep(_stand_for_others(items), config, items)
    if not config.getoption("--quick"):
        return
    tests: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("slow") is None:
            tests[item.nodeid.partition("[")[0]].append(item)
    expected: set[pytest.Item] = set()
    for cases in tests.values():
        cases.sort(key=lambda item: crc32(item.nodeid.encode()))
        count = 1 if config.getoption("--once") else max(1, len(cases) // 20)
        expected.update(cases[:count])
    _keep([item for item in items if item in expected], config, items)


def pytest_collection_finish() -> None:
    """What was collected is there to the end: the collector of garbage need not look at it again and again."""
    gc.collect()
    gc.freeze()


def _stand_for_others(items: list[pytest.Item]) -> list[pytest.Item]:
    """Return items without those that others stand for: of the cases `alike` of a test one in so many runs."""
    tests: dict[tuple[str, int], list[pytest.Item]] = defaultdict(list)
    for item in items:
        if alike := item.get_closest_marker("alike"):
            tests[item.nodeid.partition("[")[0], alike.args[0]].append(item)
    left_out: set[pytest.Item] = set()
    for (_, many), cases in tests.items():
        cases.sort(key=lambda item: crc32(item.nodeid.encode()))
        left_out.update(cases[-(-len(cases) // many) :])
    return [item for item in items if item not in left_out]


def _keep(wanted: list[pytest.Item], config: pytest.Config, items: list[pytest.Item]) -> None:
    saved = set(wanted)
    config.hook.pytest_deselected(items=[item for item in items if item not in saved])
    items[:] = wanted


@pytest.fixture(scope="session")
def stride(request: pytest.FixtureRequest) -> int:
    """Of a long series of steps, each of which is a test by itself, every how many-th is taken: all with --thorough."""
    return 1 if request.config.getoption("--thorough") else THIN


@pytest.fixture
def accepted(request: pytest.FixtureRequest) -> Changes | None:
    """The new expectations by file, or None if expectations are to be kept."""
    return request.config.stash[_CHANGES] if request.config.getoption("--accept") else None


def pytest_sessionfinish(session: pytest.Session) -> None:
    for path, changes in session.config.stash[_CHANGES].items():
        rewrite(path, changes)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the members of registries that this machine could not prove: a skipped proof is no passed one."""
    skipped: list[pytest.TestReport] = terminalreporter.stats.get("skipped", [])
    names = [value for report in skipped for key, value in getattr(report, "user_properties", ()) if key == NOT_PROVED]
    if names:
        terminalreporter.section(f"not proved here: {len(names)}")
        for name in sorted(map(str, names)):
            terminalreporter.line(name)
    reasons = Counter(report.longrepr[2] for report in skipped if isinstance(report.longrepr, tuple))
    if reasons:
        terminalreporter.section("why tests were skipped")
        for reason, count in reasons.most_common():
            terminalreporter.line(f"{count} × {reason.removeprefix('Skipped: ')}")
