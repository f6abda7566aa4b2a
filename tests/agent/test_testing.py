"""How the tests of a task are run: in order, each within what is left of the time, with a bounded report."""

from __future__ import annotations

import sys
from pathlib import Path
from threading import Event as Signal
from typing import Any

import pytest

from symops_lark import WorkspaceError
from symops_lark.acting.commands.commands import CommandResult
from symops_lark.agent import testing
from symops_lark.agent.testing import SECONDS, find_missing_sandbox, find_test_files, run_tests

PYTHON = f"{sys.executable} -c"


class Recorder:
    """A runner that runs nothing, and keeps how it was made."""

    calls: list[dict[str, Any]]
    codes: dict[str, int | None]

    def __init__(self, **options: Any) -> None:
        self.calls.append(options)

    def run(self, line: str, folder: str, cancel: Signal | None) -> CommandResult:
        if line not in self.codes:
            raise WorkspaceError(f"{line}: it needs a shell")
        code = self.codes[line]
        return CommandResult(line, (line,), code, f"output of {line}\n", 0, 0.0, timed_out=code is None)


@pytest.fixture(name="runner")
def make_runner(monkeypatch: pytest.MonkeyPatch) -> type[Recorder]:
    monkeypatch.setattr(Recorder, "calls", [], raising=False)
    monkeypatch.setattr(Recorder, "codes", {"good": 0, "bad": 1, "slow": None}, raising=False)
    monkeypatch.setattr(testing, "Runner", Recorder)
    return Recorder


def test_each_line_counts_and_none_ends_the_others(runner: type[Recorder]) -> None:
    tested = run_tests(["good", "bad", "a | b", "slow", "good"], "", sandbox=True, readable=("lib",))
    assert (tested.total, tested.failed, tested.timed_out) == (5, 3, 1)
    assert tested.facts() == {"failed": 3, "passed": 2, "total": 5, "timed_out": 1}
    parts = tested.report.split("$ ")
    assert (
        parts[1] == "good\noutput of good\n\n"
        and parts[3] == "a | b\na test is not given to a shell: write `sh -c '…'`\n"
    )
    assert parts[2].startswith("bad\noutput of bad\n[") and parts[2].endswith("]\n\n")
    assert [(options["sandbox"], options["readable"]) for options in runner.calls] == [(True, ("lib",))] * 5


def test_without_lines_nothing_has_failed() -> None:
    assert run_tests([], "", sandbox=False) == testing.Tested() == testing.Tested(0, 0, 0, "")


@pytest.mark.parametrize(
    ("seconds", "least", "most"), [(0, 0.1, 0.1), (-5, 0.1, 0.1), (50, 49, 50), (9_999, SECONDS, SECONDS)]
)
def test_a_line_has_what_is_left_of_the_time(runner: type[Recorder], seconds: float, least: float, most: float) -> None:
    run_tests(["good"], "", sandbox=False, seconds=seconds)
    [options] = runner.calls
    assert least <= options["timeout"] <= most


def test_the_end_of_a_long_report_is_kept(runner: type[Recorder]) -> None:
    line = "x" * 5_000
    runner.codes[line] = 0
    report = run_tests([line, "bad"], "", sandbox=False).report
    assert len(report) == 8_000 and "output of bad\n[" in report and not report.startswith("$")


def test_lines_run_in_the_folder(tmp_path: Path) -> None:
    line = f"""{PYTHON} "open('made', 'w').close()" """
    tested = run_tests([line], str(tmp_path), sandbox=False)
    assert not tested.failed and (tmp_path / "made").exists()


def test_a_signal_ends_a_line(tmp_path: Path) -> None:
    cancel = Signal()
    cancel.set()
    tested = run_tests([f'{PYTHON} "import time; time.sleep(60)"'], str(tmp_path), sandbox=False, cancel=cancel)
    assert (tested.failed, tested.timed_out) == (1, 0)


def test_the_reason_why_there_is_no_sandbox(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse(root: str) -> None:
        raise WorkspaceError(f"no sandbox for {root}")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(testing, "check_sandbox", refuse)
    assert find_missing_sandbox("shop") == f"no sandbox for {tmp_path.resolve() / 'shop'}"
    monkeypatch.setattr(testing, "check_sandbox", lambda root: None)
    assert find_missing_sandbox("shop") == ""


def test_the_advice_about_a_shell_works(tmp_path: Path) -> None:
    """The runner names options that `symops do` does not have."""
    refused = run_tests(["echo a | tr a b"], str(tmp_path), sandbox=False)
    assert refused.failed == 1 and "write `sh -c" in refused.report and "--shell" not in refused.report
    assert "\nb\n" in run_tests(["sh -c 'echo a | tr a b'"], str(tmp_path), sandbox=False).report


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("python checks.py", "checks.py"),
        ("python3 ./checks.py", "Checks.py"),
        ("python -m checks.run", "checks/run.py"),
        ("python -m checks", "checks/__main__.py"),
        ("python -m pytest", "pytest.py"),
        ("python -m pytest -q", "pytest/__init__.py"),
        ("python -m unittest -q", "unittest/__init__.py"),
        ("python -Im unittest", "unittest/__init__.py"),
        ("python -mpytest", "pytest/__init__.py"),
        ("python -m tools.check", "tools/__init__.py"),
        ("python -m tools.check", "tools.py"),
        ("python -m unittest -q checks.cart.CartTest", "checks/cart.py"),
        ("sh -c 'cd sub && python -m unittest'", "sub/unittest/__init__.py"),
        ("pytest -c ci/own.ini", "ci/own.ini"),
        ("pytest --config-file=ci/own.ini", "ci/own.ini"),
        ("pytest checks/cart.py::test_empty", "checks/cart.py"),
        ("sh -c 'cd sub && python checks.py;true'", "sub/checks.py"),
        *(
            ("true", path)
            for path in (
                *("test_cart.py", "a/test_cart.py", "cart_test.go", "tests/data/x.json", "src/cart.test.ts"),
                *("conftest.py", "a/conftest.py", "sitecustomize.py", "pytest.ini", "tox.ini", "setup.cfg"),
                *("pyproject.toml", "Makefile", "package.json"),
                *("Foo.Tests/FooTests.cs", "Foo.Tests/Data.json", "src/FooTest.java", "app/FooTest.php"),
                *("phpunit.xml", "phpunit.xml.dist", "karma.conf.js", "playwright.config.ts", "Foo.csproj"),
                *("spec/support/x.rb", "spec/models/cart.rb", "cypress/e2e/a.cy.js", "a/__snapshots__/b.snap"),
            )
        ),
    ],
)
def test_files_that_tests_use(line: str, path: str) -> None:
    assert find_test_files([line], ["shop/cart.py", path]) == [path]
    assert find_test_files([], [path]) == [], "without tests there is nothing to spoil"


@pytest.mark.parametrize("line", ["python -m pytest -q tests", "ruff check .", "mypy shop/", "make -C shop test", ""])
def test_files_that_tests_only_look_at(line: str) -> None:
    paths = ["shop/cart.py", "shop/contest.py", "latest.py", "check.md", "shop/pytest_plugin.py", "README.md"]
    assert find_test_files([line], paths) == []


@pytest.mark.parametrize(
    "line", ["python -m unittest -q -k calc", "python -c 'import calc; calc.add()'", "pytest -k calc"]
)
def test_a_filter_or_a_program_names_no_module(line: str) -> None:
    paths = ["calc.py", "calc/__init__.py", "contests/a.py", "spec/api.yaml", "latest.json", "unittest_of_mine.py"]
    assert find_test_files([line], paths) == []


def test_a_line_may_name_a_file_by_its_whole_path(tmp_path: Path) -> None:
    assert find_test_files([f"python {tmp_path}/a/b.py"], ["a/b.py", "b.py"], str(tmp_path)) == ["a/b.py"]
