"""The tasks of the benchmark: every file is a valid document that formats can say, and the reader refuses the rest."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import run
from hypothesis import given
from hypothesis import strategies as st

from symops_lark.core.document import Action, ErrorNote, Question, Thought
from symops_lark.core.grammar.loading import load_grammar
from symops_lark.core.ground.errors import SymOpsError
from symops_lark.core.ground.resources import find_folder
from symops_lark.core.rendering.renderer import can_render, render
from symops_lark.core.strict.parser import parse
from symops_lark.core.validator import validate
from symops_lark.lab.benchmark.formats import load_format
from symops_lark.lab.benchmark.tasks import Task, load_tasks, read_task

FOLDER = find_folder("benchmarks/tasks")
TASKS = {task.name: task for task in load_tasks()}
RUNNING = load_grammar("v2").verbs["running"]
# The reply is refused by the dialect exactly if the task carries the tag, so that the tags can be trusted.
COLLISIONS = {"collides-v1": "v1", "collides-v2": "v2", "collides-plain": "plain"}

every_task = pytest.mark.parametrize("task", TASKS.values(), ids=list(TASKS))


# ---- what we ship


def test_the_set_is_broad() -> None:
    assert len(TASKS) >= 34 and len({task.fingerprint for task in TASKS.values()}) == len(TASKS)
    assert len({language for task in TASKS.values() for language in task.languages}) >= 20
    files = sorted(sum(action.content is not None for action in task.document.actions) for task in TASKS.values())
    assert files[0] == 0 and files.count(1) >= 5 and files[-1] == 12
    sections = {type(section) for task in TASKS.values() for section in task.document.sections}
    assert {Action, Thought, Question, ErrorNote} <= sections
    verbs = {action.type for task in TASKS.values() for action in task.document.actions}
    assert {"create", "edit", "delete", "run", "test"} <= verbs
    assert {task.dictated for task in TASKS.values()} == {True, False}
    contents = [action.content for task in TASKS.values() for action in task.document.actions if action.content]
    assert any("\t" in text for text in contents) and any(max(map(len, text.split("\n"))) > 1000 for text in contents)
    assert any(text.startswith("\n") for text in contents) and any(text.endswith("\n\n") for text in contents)
    assert any(" \n" in text for text in contents) and any("手順" in text for text in contents)


@every_task
def test_every_task_is_valid_and_can_be_said(task: Task) -> None:
    assert validate(task.document, load_grammar("v2")) == ()
    for name in ("v2_long_fence", "v2_1"):
        assert parse(render(task.document, name), name) == task.document
    assert load_format("json").refuse(task.document) == ""


@every_task
def test_every_request_says_what_it_must(task: Task) -> None:
    for action in task.document.actions:
        if not task.dictated:
            continue
        assert f" {action.path}" in task.request and all(path in task.request for path in action.dependencies)
        if action.content is not None:
            end = "\n" if action.content else ""
            assert task.request.count(f'<file path="{action.path}">\n{action.content}{end}</file>') == 1
            assert "</file>" not in action.content
    if not task.dictated:
        assert "<file path=" not in task.request
    # An edit is asked of somebody who is shown the file.
    edits = [action for action in task.document.actions if action.type == "edit" and not task.dictated]
    assert not edits or "~~~" in task.request or "```" in task.request


@every_task
def test_tags_tell_the_truth(task: Task) -> None:
    for tag, dialect in COLLISIONS.items():
        assert (tag in task.tags) == (not can_render(task.document, dialect))
    contents = "\n".join(action.content or "" for action in task.document.actions)
    lines = {line for action in task.document.actions for line in (action.content or "").split("\n")}
    assert ("collides-fences" in task.tags) <= any(line.startswith("```") for line in lines)
    assert ("conflict-markers" in task.tags) == any(line.startswith("<<<<<<< ") for line in lines)
    assert ("collides-v2-long" in task.tags) == ("<<<<" in lines)
    assert ("tabs" in task.tags) == ("\t" in contents)
    assert ("empty-file" in task.tags) == any(action.content == "" for action in task.document.actions)
    assert ("delete" in task.tags) == any(action.type == "delete" for action in task.document.actions)
    assert ("trailing-blanks" in task.tags) == (" \n" in contents + "\n")


def test_each_kind_of_collision_is_there() -> None:
    for tag in COLLISIONS:
        assert any(tag in task.tags for task in TASKS.values())
    hard = TASKS["fence-test-data"].document
    assert "<<<<<<\n" in render(hard, "v2_long_fence")  # shorter fences are all taken


# ---- the reader

GOOD = "# T\n\n- tags: a, b\n- dictated: yes\n\nMake it.\n\n## Reply\n\n- create `a.py`\n\n~~~ python\nx = 1\n~~~\n"
WRONG = {
    "empty": ("", "1:1: error: the file is empty"),
    "blank": ("\n \n", "1:1: error: the file is empty"),
    "no title": (GOOD[3:], "1:1: error: a task begins with a title"),
    "unknown key": (GOOD.replace("tags:", "tag:"), "3:3: error: unknown key 'tag'"),
    "key twice": (GOOD.replace("- dictated: yes", "- tags: c"), "4:3: error: the key 'tags' is there twice"),
    "not yes or no": (GOOD.replace("yes", "true"), "4:13: error: dictated is `yes` or `no`"),
    "no request": (GOOD.replace("Make it.\n", ""), "7:1: error: there is no request"),
    "no reply": (GOOD[: GOOD.index("## Reply")], "7:1: error: there is no reply"),
    "empty reply": (GOOD[: GOOD.index("- create")], "error: the reply is empty"),
    "request with an open fence": (GOOD.replace("Make it.", "~~~~\nx"), "6:1: error: the fence is never closed"),
    "reply in a fence": (GOOD.replace("Make it.", "~~~\nx"), "hint: that of line 9 is inside the fence of line 6"),
    "unknown verb": (GOOD.replace("create", "crate"), "10:3: error: no action is called 'crate'"),
    "unfenced content": (GOOD.replace("~~~ python\n", ""), "10:1: error: the content of a file belongs below it"),
    "content in backticks": (GOOD.replace("~~~", "```"), "10:1: error: the content of a file belongs below it"),
    "open fence": (GOOD.removesuffix("~~~\n"), "12:1: error: the fence is never closed"),
    "fence of nobody": (GOOD + "\n~~~\nx\n~~~\n", "16:1: error: this fence belongs to no action"),
    "content of a delete": (GOOD.replace("create", "delete"), "12:1: error: this fence belongs to no action"),
    "prose in the reply": (GOOD + "\nDone.\n", "16:1: error: this is not an item of a reply"),
    "path twice": (GOOD + "\n- delete `a.py`\n", "16:11: error: 'a.py' is already in line 10"),
    "vital": (GOOD + "\n- vitals: hope 0.9\n", "16:11: error: 'hope 0.9' is not a vital"),
    "vital's number": (GOOD + "\n- vitals: focus high\n", "16:11: error: 'focus high' is not a vital"),
    "needs": (GOOD + "\n- delete `b` needs `a.py`,`c`\n", "16:20: error: dependencies are written as"),
}


@pytest.mark.parametrize(("text", "expected"), WRONG.values(), ids=list(WRONG))
def test_the_reader_says_what_is_wrong_and_where(tmp_path: Path, text: str, expected: str) -> None:
    path = tmp_path / "t.md"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SymOpsError) as caught:
        read_task(path)
    assert f"{path}:" in str(caught.value) and expected in str(caught.value)


def test_the_reader_reads_what_is_right(tmp_path: Path) -> None:
    path = tmp_path / "t.md"
    path.write_bytes(GOOD.replace("\n", "\r\n").encode())
    task = read_task(path)
    assert (task.name, task.dictated, task.tags, task.languages) == ("t", True, ("a", "b"), ("Python",))
    assert task.document.actions == (Action("create", "a.py", "x = 1"),)
    path.write_bytes(b"# T\n\nx\n\xff")
    with pytest.raises(SymOpsError, match=r"t\.md:4: not UTF-8"):
        read_task(path)


def test_a_request_may_hold_the_heading_of_a_reply_in_a_fence(tmp_path: Path) -> None:
    path = tmp_path / "t.md"
    path.write_text(GOOD.replace("Make it.", "~~~~\n## Reply\n~~~~"), encoding="utf-8")
    assert read_task(path).request.startswith("~~~~\n## Reply\n~~~~\n\nDo exactly this")


LINES = st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=12)
MARKUP = st.sampled_from(["~~~", "~~~~ x", "```", "## Reply", "- create `x`", "--", "<<<", ">>>", "::create @a", ""])


@given(st.lists(LINES | MARKUP, max_size=8))
def test_any_content_can_be_written(tmp_path_factory: pytest.TempPathFactory, lines: list[str]) -> None:
    """A fence longer than any in the content carries it, whatever it is."""
    content = "\n".join(lines)
    body = content + "\n" if lines else ""
    path = tmp_path_factory.mktemp("task") / "t.md"
    fence = "~" * (max([3, *(len(line) - len(line.lstrip("~")) for line in lines)]) + 1)
    path.write_bytes(f"# T\n\nDo.\n\n## Reply\n\n- create `a`\n\n{fence}\n{body}{fence}\n".encode())
    assert read_task(path).document.actions == (Action("create", "a", content),)


# ---- choosing


def test_tasks_are_chosen_by_name_glob_and_path(tmp_path: Path) -> None:
    assert [task.name for task in load_tasks(("three-file-login",))] == ["three-file-login"]
    names = [task.name for task in load_tasks(("p*", "three-file-login", "poem-with-breaks"))]
    assert names == ["paths-with-blanks", "php-report", "pin-dependencies", "poem-with-breaks", "three-file-login"]
    assert [task.name for task in load_tasks()] == sorted(TASKS)
    (tmp_path / "README.md").write_text("no task")
    (tmp_path / "mine.md").write_text(GOOD, encoding="utf-8")
    for item in (str(tmp_path), str(tmp_path / "mine.md"), f"{tmp_path}/"):
        assert [task.name for task in load_tasks((item,))] == ["mine"]
    assert len(load_tasks((str(tmp_path), "three-file-login"))) == 2


def test_what_cannot_be_chosen_is_said(tmp_path: Path) -> None:
    (tmp_path / "three-file-login.md").write_text(GOOD, encoding="utf-8")
    with pytest.raises(SymOpsError, match="two tasks are called 'three-file-login'"):
        load_tasks(("three-file-login", str(tmp_path)))
    with pytest.raises(SymOpsError, match="did you mean sql-migration"):
        load_tasks(("sql-migrations",))
    with pytest.raises(SymOpsError, match="no such file or folder"):
        load_tasks((str(tmp_path / "none.md"),))
    (tmp_path / "three-file-login.md").unlink()
    with pytest.raises(SymOpsError, match="the folder has no task"):
        load_tasks((str(tmp_path),))


# ---- the command


def test_the_command_lists_and_shows() -> None:
    listed = run("bench", "tasks")
    assert listed.exit_code == 0 and all(name in listed.stdout for name in TASKS)
    task = TASKS["question-database"]
    output = run("bench", "tasks", task.name, "--format", "v1")
    assert output.exit_code == 0 and task.request in output.stdout and render(task.document, "v1") in output.stdout
    assert "v1 cannot say" in run("bench", "tasks", "sql-migration", "--format", "v1").stdout
    [value] = json.loads(run("bench", "tasks", task.name, "--json").stdout)
    assert value["request"] == task.request and value["document"] == task.document.to_dict()
    missing = run("bench", "tasks", "questoin-database")
    assert missing.exit_code == 2 and "did you mean question-database" in missing.stderr


def test_commands_are_no_files() -> None:
    """What a task asks to run may be asked twice; its files may not."""
    for task in TASKS.values():
        paths = [action.path for action in task.document.actions if action.type not in RUNNING]
        assert len(paths) == len(set(paths))
        assert replace(task, tags=()) != task or not task.tags


def test_the_readme_shows_a_task_that_can_be_read(tmp_path: Path) -> None:
    output = (FOLDER / "README.md").read_text(encoding="utf-8").split("~~~~ markdown\n")[1].split("\n~~~~\n")[0]
    path = tmp_path / "shown.md"
    path.write_text(output, encoding="utf-8")
    task = read_task(path)
    assert task.dictated and len(task.document.actions) == 3 and len(task.document.sections) == 7
    assert task.document.actions[0].dependencies == ("src/b.py", "src/c.py")
    assert task.document.errors == (ErrorNote("MissingFile", "src/d.py", "what is wrong"),)
