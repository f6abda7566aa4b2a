"""Sensitivity: what the assumed rates decide, on the same cases."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from command_line import run, run_python

from symops_lark.core.document import Action, Document
from symops_lark.lab.benchmark.faults.profile import Profile, Rate
from symops_lark.lab.benchmark.formats import load_format
from symops_lark.lab.benchmark.records import Record
from symops_lark.lab.benchmark.scoring import judge
from symops_lark.lab.benchmark.sensitivity import Memory, scale_all, scale_each
from symops_lark.lab.benchmark.sources.simulated import Simulated
from symops_lark.lab.benchmark.tasks import Task

DOCUMENT = Document((Action("create", "a.py", "x = 1\ny = 2"), Action("run", "python a.py")))
TASKS = tuple(Task(name, "Write.", DOCUMENT, True, ("python",), (), name) for name in ("one", "two", "three", "four"))
PROFILE = Profile(
    "test",
    "A test.",
    (
        Rate("foreign-format", 0.02, "assumed", ""),
        Rate("preamble-prose", 0.3, "assumed", ""),
        Rate("whole-fence-wrap", 0.2, "measured", ""),
        Rate("repeat-loop", 0.0, "assumed", ""),
    ),
    (),
)


@pytest.fixture(scope="module")
def memory() -> Memory:
    return Memory([load_format("v1"), load_format("v2")], TASKS, repetitions=10)


def test_higher_rates_leave_fewer_valid_replies_and_all_cases_are_the_same(memory: Memory) -> None:
    rows = list(scale_all(PROFILE, memory.run))
    assert [(row.factor, row.format) for row in rows] == [(f, n) for f in (0.5, 1.0, 2.0) for n in ("v1", "v2")]
    assert all(row.valid.n == row.right.n == 40 for row in rows)
    for name in ("v1", "v2"):
        half, usual, twice = (row.valid.k for row in rows if row.format == name)
        assert half > usual > twice


def test_without_assumed_mistakes_those_that_are_measured_are_left(memory: Memory) -> None:
    records = memory.run(PROFILE.scaled(0))
    assert {fault for record in records for fault in record.faults or ()} == {"whole-fence-wrap"}


def test_each_assumed_rate_alone_those_first_that_matter_most(memory: Memory) -> None:
    groups = scale_each(PROFILE, memory.run)
    assert [group[0].kind for group in groups] == ["preamble-prose", "foreign-format"]  # no measured one, none at 0
    assert {(row.factor, row.format) for row in groups[0]} == {(f, n) for f in (0.0, 2.0) for n in ("v1", "v2")}


@pytest.mark.slow
def test_what_is_remembered_is_what_would_be_judged(memory: Memory) -> None:
    for profile in (PROFILE, PROFILE.scaled(2), PROFILE):
        source = Simulated(profile)
        for record in memory.run(profile):
            format = memory.formats[record.case.format]
            blank = Record("", "", record.case, source.provenance, format.fingerprint, format.rules, 0)
            inputs = source.give(record.case, format, memory.tasks[record.case.task])
            fresh = judge(format, replace(inputs, model=None), blank, DOCUMENT)
            assert (fresh.text, fresh.faults, fresh.provenance) == (record.text, record.faults, record.provenance)
            assert [phase.state for phase in fresh.phases] == [phase.state for phase in record.phases]


@pytest.mark.slow
def test_command_prints_rates_with_intervals_and_its_provenance() -> None:
    arguments = ("bench", "sensitivity", "--profile", "weak", "-f", "v2", "-n", "1", "-t", "three*")
    output = run(*arguments, "--each")
    assert output.exit_code == 0, output.output
    assert (
        output.stdout.startswith("simulated(weak, 0, ")
        and "×0.5" in output.stdout
        and "each rate alone" in output.stdout
    )
    value = json.loads(run(*arguments, "--json").stdout)
    assert value["provenance"]["kind"] == "simulated" and [row["factor"] for row in value["assumed"]] == [0.5, 1, 2]
    python = run_python("bench", "sensitivity", "--profile", "week")
    decoded = python.stderr.decode()
    assert python.returncode == 2 and "did you mean 'weak'?" in decoded and "Traceback" not in decoded


def test_the_old_name_of_the_command_is_understood_and_not_listed() -> None:
    arguments = ("--profile", "weak", "-f", "v2", "-n", "1", "-t", "three*", "--json")
    assert run("bench", "sweep", *arguments).stdout == run("bench", "sensitivity", *arguments).stdout != ""
    output = run("bench", "--help").stdout
    assert "sensitivity" in output and "sweep" not in output
