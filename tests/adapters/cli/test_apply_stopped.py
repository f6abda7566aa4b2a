"""`symops apply` and `symops undo` without an answer, and after or during an interrupt: what is told, what is done."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import environment, run
from crashes import change

from symops_lark.acting.changes import Plan
from symops_lark.acting.commands.commands import Runner
from symops_lark.acting.execution import apply
from symops_lark.acting.journal import journal as journals
from symops_lark.acting.journal.transaction import Journal

FILE = "::create @.github/a.yml\n<<<\nx\n>>>\n"
COMMAND = "::run @ls\n"
_posix = pytest.mark.skipif(os.name != "posix", reason="the shell closes standard input")


def stop(*_: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("reply", [COMMAND, FILE + COMMAND])
def test_an_interrupt_of_a_command_names_how_to_undo_the_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reply: str
) -> None:
    monkeypatch.setattr(Runner, "run", stop)
    result = run("apply", "--root", str(tmp_path), "--yes", "--run", stdin=reply)
    assert result.exit_code == 130 and "interrupted" in result.stderr
    message = f"1 file was written before this interrupt, which `undo` restores: `symops undo --root {tmp_path}`"
    assert (message in result.stderr) is (tmp_path / ".github").exists() is (FILE in reply)


def test_json_says_what_was_recovered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Journal, "finish", stop)
        patch.setattr(journals, "_give_up", lambda *_: None)
        with pytest.raises(KeyboardInterrupt):
            apply(Plan((change(1, "a", None, b"A"),)), tmp_path)
    assert (tmp_path / "a").exists()
    for files in (["a"], None):
        reply = f"::create @{len(files or ())}.py\n<<<\nx\n>>>\n"
        value = json.loads(run("apply", "--root", str(tmp_path), "--yes", "--json", stdin=reply).stdout)
        assert value["done"] and (value["recovered"] and value["recovered"]["files"]) == files


@pytest.mark.slow
@_posix
@pytest.mark.parametrize("way", ["<&-", "</dev/null", "<answer"])
def test_an_answer_that_cannot_be_read_is_no_answer(tmp_path: Path, way: str) -> None:
    (tmp_path / "reply.txt").write_text(FILE)
    (tmp_path / "answer").write_bytes(b"\xff\n")
    done = subprocess.run(
        ["/bin/sh", "-c", f"exec {sys.executable} -m symops_lark apply reply.txt {way}"],
        cwd=tmp_path,
        env=environment(PYTHONIOENCODING="utf-8:strict"),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1 and "nothing was done, as there was no answer (see --yes" in done.stderr
    assert not (tmp_path / ".github").exists()


@pytest.mark.slow
@_posix
def test_undo_without_standard_input_shows_the_journal_in_doubt(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    apply(Plan((change(1, "a", None, b"A"),)), tmp_path / "root")
    (tmp_path / "root").rename(tmp_path / "moved")
    line = f"exec {sys.executable} -m symops_lark undo --root {tmp_path}/moved <&-"
    done = subprocess.run(["/bin/sh", "-c", line], env=environment(), capture_output=True, text=True)
    assert done.returncode == 1 and "this journal is not trusted" in done.stderr
