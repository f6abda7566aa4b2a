"""`symops plan`: the table of the changes and their diffs, on terminals of any width; all is shown, nothing obeyed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from click.testing import Result
from command_line import GOOD, run
from crashes import change, command, kill_at
from hypothesis import given
from hypothesis import strategies as st

from symops_lark.acting.changes import Decision, Plan
from symops_lark.acting.files.filesystem import Folder
from symops_lark.acting.files.view import FolderView
from symops_lark.acting.journal.journal import carry_out
from symops_lark.acting.journal.room import is_interrupted
from symops_lark.adapters.cli import tables
from symops_lark.adapters.cli.acting import plan_view
from symops_lark.adapters.cli.acting.plan_view import show_plan, show_table
from symops_lark.core.text.source import Source

NOISE = "[bold]x[/bold] :smile: https://e.x"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


def plan(root: Path, reply: str, *arguments: str) -> Result:
    return run("plan", "--root", str(root), *arguments, stdin=reply)


def test_a_table_first_then_the_diffs(root: Path) -> None:
    (root / "資料.md").write_text("古い本\n", encoding="utf-8")
    result = plan(root, "::edit @資料.md\n<<<\n新しい本\n>>>\n::create @b.py\n<<<\nx\n>>>\n::run @pytest -q\n")
    assert result.exit_code == 0 and "\x1b" not in result.stdout
    assert result.stdout.split("\n")[:12] == [
        "<stdin>: possible, 2 by itself, 1 to ask about",
        "",
        "   operation  path or command  decision  because",
        "1  replace    資料.md          auto",
        "2  create     b.py             auto",
        "3  run        pytest -q        ask       a command is run",
        "",
        "1. replace 資料.md: auto (action 1)",
        "   --- 資料.md",
        "   +++ 資料.md",
        "   @@ -1 +1 @@",
        "   -古い本",
    ]
    assert plan(root, ">> nothing\n").stdout == "<stdin>: possible, nothing to do\n"


def test_calls_in_json_are_a_reply(root: Path) -> None:
    call = '{"name": "write_file", "arguments": {"path": "%s.py", "content": "x"}}\n'
    for reply, count in ((call % "a", 1), (call % "b" + call % "c", 2)):
        result = plan(root, reply, "--json")
        assert result.exit_code == 0 and len(json.loads(result.stdout)["changes"]) == count, result.output
        assert run("apply", "--root", str(root), "--yes", stdin=reply).exit_code == 0
    assert sorted(path.name for path in root.glob("*.py")) == ["a.py", "b.py", "c.py"]


def test_a_plan_is_possible_only_if_it_would_be_applied(root: Path, tmp_path: Path) -> None:
    """Also where the error is of the reply alone, and where the document is read from JSON."""
    reply = tmp_path / "reply.txt"
    reply.write_text("::c1.5 ::m0.85\n\n::create @a.py\n<<<\nx\n>>>\n")
    result = tmp_path / "result.json"
    result.write_text(run("process", "--json", str(reply)).stdout)
    for file in (reply, result):
        for words in (["plan"], ["apply", "--yes"]):
            done = run(*words, "--root", str(root), str(file))
            assert done.exit_code == 1 and "confidence is 1.5" in done.output, done.output
    assert not list(root.iterdir())
    # A line of the JSON text is not one of the reply.
    assert '"' not in run("apply", "--root", str(root), str(result)).stderr


def test_texts_of_the_model_are_shown_and_not_obeyed() -> None:
    changes = (change(1, f"{NOISE}\x1b[2J\n\tx", None, b"a\n", reasons=(NOISE, "\u202e", "second")),)
    text = "\n".join(show_plan(Plan(changes), Source("")))
    assert text.count(NOISE) >= 3 and "\x1b" not in text and "\u202e" not in text and "\t" not in text
    assert "␛[2J␊␉x" in text and "<U+202E>" in text and "second" in text


def test_bytes_of_a_moved_file_are_counted() -> None:
    for before, after in ((None, b"\xff\xff"), (b"\xff\xff", None)):
        text = "\n".join(show_plan(Plan((change(1, "a", before, after),)), Source("")))
        assert "   2 bytes that are not text" in text


_TEXTS = st.text(st.sampled_from("ab/[]\\.日本é語ー"), min_size=1, max_size=150)


@given(_TEXTS, _TEXTS, st.sampled_from([1, 60, 75, 100, 200]))
def test_nothing_is_left_out_and_no_row_is_too_wide(path: str, reason: str, width: int) -> None:
    from rich.cells import cell_len

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plan_view, "_WIDTH", width)
        rows = list(show_table((change(1, path, None, b"", decision=Decision.REFUSE, reasons=(reason,)),)))
    titles = rows[0]
    assert all(cell_len(row) <= max(width, 60) for row in rows)
    assert not any(row.endswith(" ") for row in rows)
    columns: dict[str, str] = {"path": "", "because": ""}
    for row in rows[1:]:
        at, cells = 0, {"path": "", "because": ""}
        for letter in row:
            cells["because" if at >= titles.index("because") else "path"] += letter
            at += cell_len(letter)
        columns = {name: columns[name] + cells[name].strip() for name in columns}
    assert columns["because"] == reason
    assert columns["path"].replace("1  create", "").replace("refuse", "").replace(" ", "") == path


def test_plans_for_an_interrupted_tree_say_so(root: Path) -> None:
    assert "interrupted" not in plan(root, GOOD).output
    journal = root / ".symops" / "3"
    journal.mkdir(parents=True)
    (journal / "done.json").write_text("{}")
    assert "interrupted" not in plan(root, GOOD).output
    (journal / "open.json").write_text("{}")
    result = plan(root, GOOD)
    assert "an apply is running here, or was interrupted" in result.stderr and "[interrupted-apply]" in result.stdout
    assert "`symops undo` restores them" in result.stdout


@pytest.mark.slow
def test_a_real_interruption_is_seen(root: Path) -> None:
    target = [change(1, "b.py", None, b"1\n"), change(2, "c.py", None, b"2\n")]
    visited = []
    for at in range(1, 100, 3):
        here = root / str(at)
        here.mkdir()
        with Folder(here) as folder:
            if not kill_at(at, lambda folder=folder: carry_out(folder, target)):  # type: ignore[misc]
                break
        visited.append(is_interrupted(FolderView(here)))
    assert True in visited and not visited[0]


def test_colours_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    changes = (command(1, "ls", decision=Decision.ASK),)
    plain = list(show_table(changes))
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "20")
    assert list(show_table(changes)) == plain
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setattr(tables, "is_coloured", lambda: True)
    monkeypatch.setattr("shutil.get_terminal_size", lambda fallback: os.terminal_size((70, 24)))
    assert "\x1b[1;33mask" in "".join(show_table(changes))


def test_a_result_is_planned_as_its_text(root: Path) -> None:
    reply = "::create @a.py as discussed\n<<<\n# ... rest unchanged\n>>>\n::create @b.py\n<<<\nx\n>>>\n"
    output = run("process", "--json", stdin=reply)
    table = plan(root, reply).stdout.split("<stdin>:1:1: warning")[0]
    assert plan(root, output.stdout).stdout == table and "does not look like one" in table
    for item in ("3", "[3]", '[{"code": 1}]'):
        broken = plan(root, f'{{"document": {{"sections": []}}, "diagnostics": {item}}}')
        assert broken.exit_code == 2 and "<stdin>: not a document" in broken.stderr
