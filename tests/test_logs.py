"""Logs: what is reported at which level, that nothing secret is, and that nobody pays for what he does not read."""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import run
from repository import ROOT

from symops_lark import SelfCorrector, SymOpsProcessor, apply, plan, process, undo
from symops_lark.acting.commands.commands import Runner
from symops_lark.core.ground.kept_tables import KeptTables
from symops_lark.models import ScriptedModel

SECRET = "correct-horse-battery"
REPLY = f"Sure:\n\n::Create @a.py\n<<<\n{SECRET}\n>>>\n::run @echo {SECRET}\n"


def rows(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str, str]]:
    """Return what was logged: the logger, the level and the event."""
    events = [(record.name, record.levelname, record.__dict__["symops"]["event"]) for record in caplog.records]
    return [(name.removeprefix("symops_lark."), level, event) for name, level, event in events]


def test_phases_are_logged_with_their_facts(caplog: pytest.LogCaptureFixture) -> None:
    process(REPLY, "v2")  # so that the tables are there
    with caplog.at_level(logging.DEBUG, "symops_lark"):
        process(REPLY, "v2")
    assert rows(caplog) == [("pipeline", "DEBUG", "phase")] * 2
    first, last = (record.__dict__["symops"] for record in caplog.records)
    assert (first["name"], first["outcome"]) == ("strict", "no result")
    assert (last["name"], last["outcome"], last["characters"]) == ("repaired", "result", len(REPLY))
    assert last["repairs"] > 0 and last["milliseconds"] >= 0
    assert caplog.messages[1].startswith("phase: name=repaired outcome=result repairs=")


def test_a_plan_its_steps_and_undoing_are_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "symops_lark.workspace"):
        planned_changes = plan(process(REPLY, "v2").document, tmp_path)
        apply(planned_changes, tmp_path, confirm=lambda change: True, run=Runner(sandbox=False))
        undo(tmp_path)
    assert [(level, event) for _, level, event in rows(caplog)] == [
        ("INFO", "plan"),
        ("DEBUG", "step"),
        ("DEBUG", "step"),
        ("INFO", "apply"),
        ("INFO", "undo"),
    ]
    assert "number=1 operation=create path=a.py status=done" in caplog.text


def test_a_second_request_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    model = ScriptedModel(["::create @b.py\n<<<\ny\n>>>\n", "::create @a.py\n<<<\nx\n>>>\n"])
    processor = SymOpsProcessor("v2", corrector=SelfCorrector(model))
    with caplog.at_level(logging.INFO, "symops_lark"):
        processor.process("::create @a.py\n<<<\nx\n>>>\n\n::create @b.py\n")
    assert ("correction", "INFO", "asked again") in rows(caplog)


def test_nothing_secret_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Neither texts of replies, nor contents of files, nor command lines."""
    corrector = SelfCorrector(ScriptedModel([REPLY] * 4))
    with caplog.at_level(logging.DEBUG, "symops_lark"):
        SymOpsProcessor("v2", corrector=corrector).process(REPLY + "::create @b.py\n", f"Write {SECRET}.")
        planned_changes = plan(process(REPLY, "v2").document, tmp_path)
        apply(planned_changes, tmp_path, confirm=lambda change: True, run=Runner(sandbox=False))
    assert len(caplog.records) > 6 and SECRET not in caplog.text
    assert SECRET not in str([record.__dict__["symops"] for record in caplog.records])


def test_a_cache_that_cannot_be_written_is_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setattr("symops_lark.core.ground.kept_tables._folder", lambda: tmp_path / "file" / "tables")
    KeptTables("test", (), ["a"]).write({"a": 1})
    assert rows(caplog) == [("grammar", "WARNING", "cache not writable")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("setup", "printed"),
    [("", ""), ("import logging", ""), ("import logging; logging.basicConfig(level='DEBUG')", "pipeline:phase:")],
)
def test_only_a_program_that_asks_gets_a_log(setup: str, printed: str) -> None:
    code = f"import sys\n{setup}\nimport symops_lark; symops_lark.process('::Run @ls\\n', 'v2')\n"
    code += "from symops_lark.core.ground.logs import log_event; log_event('x', 'warning', 'y')\n"
    code += "print('logging' in sys.modules)"
    # The first one fills the cache: a grammar is compiled by Lark, which imports `logging`.
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(bool(setup))
    assert (printed in done.stderr) if printed else (done.stderr == "")


def test_the_command_line_writes_logs(monkeypatch: pytest.MonkeyPatch) -> None:
    process(REPLY, "v2")
    quiet = run("process", "-f", "v2", stdin=REPLY)
    assert "symops_lark" not in quiet.stderr
    details = run("-vv", "process", "-f", "v2", stdin=REPLY)
    assert "DEBUG symops_lark.pipeline: phase: name=repaired" in details.stderr
    assert details.stdout == quiet.stdout
    assert "symops_lark" not in run("-v", "process", "-f", "v2", stdin=REPLY).stderr
    monkeypatch.setenv("SYMOPS_LOG", "debug")
    assert "DEBUG symops_lark.pipeline" in run("process", "-f", "v2", stdin=REPLY).stderr
    monkeypatch.setenv("SYMOPS_LOG", "loud")
    refused = run("process", "-f", "v2", stdin=REPLY)
    assert refused.exit_code == 2 and "SYMOPS_LOG=loud: expected warning, info, debug" in refused.stderr
