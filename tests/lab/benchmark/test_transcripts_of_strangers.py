"""Folders of transcripts as others make them: links, names that are no text, lines that end with CR LF."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pytest
from command_line import run as symops
from compliance_runs import TASKS, V2

from symops_lark import SymOpsError
from symops_lark.lab.benchmark.faults.endings import NAMES, Endings, recorded_endings
from symops_lark.lab.benchmark.records import Record
from symops_lark.lab.benchmark.runlog import read_log
from symops_lark.lab.benchmark.runner import run
from symops_lark.lab.benchmark.settings import RunSettings
from symops_lark.lab.benchmark.tasks import Task, load_tasks

SECRET = "what is nobody else's to see"


def replay(path: Path, *, tasks: list[Task] | None = None, formats: tuple[str, ...] = ("v2",)) -> dict[str, Record]:
    settings = RunSettings(formats, source="transcripts", options=(("path", str(path)),))
    records = run(settings, path.parent / f"{path.name}.jsonl", tasks=TASKS if tasks is None else tasks)
    return {f"{record.case.format}/{record.case.task}": record for record in records}


# ---- links


@pytest.fixture
def linked(tmp_path: Path) -> Path:
    """A folder with links to files and folders, inside and outside, to itself, and to nothing."""
    outside = tmp_path / "outside"
    (outside / "deep").mkdir(parents=True)
    (outside / "secret.txt").write_text(SECRET)
    (outside / "deep" / "secret.txt").write_text(SECRET)
    folder = tmp_path / "in"
    (folder / "inner").mkdir(parents=True)
    (folder / "a.txt").write_text(V2)
    (folder / "inner" / "b.txt").write_text(V2)
    (folder / "inside.txt").symlink_to("a.txt")
    (folder / "out.txt").symlink_to(outside / "secret.txt")
    (folder / "out").symlink_to(outside)
    (folder / "inner" / "out").symlink_to("../../outside/deep")
    (folder / "loop").symlink_to(".")
    (folder / "nothing.txt").symlink_to("none")
    return folder


def test_no_link_is_followed_and_each_is_told(linked: Path) -> None:
    result = replay(linked)
    names = {name for name, record in result.items() if not record.error}
    assert names == {"v2/a.txt", "v2/inner/b.txt"}
    links = {"inside.txt", "out.txt", "out", "inner/out", "loop", "nothing.txt"}
    assert {name.removeprefix("v2/") for name in result.keys() - names} == links
    assert all("a link, which is not followed" in result[f"v2/{name}"].error for name in links)
    assert SECRET not in (linked.parent / "in.jsonl").read_text()


def test_a_link_beside_a_reply_says_nothing_about_it(linked: Path) -> None:
    (linked.parent / "facts.toml").write_text('format = "plain"')
    (linked / "a.toml").symlink_to(linked.parent / "facts.toml")
    with pytest.raises(SymOpsError, match=r"a\.toml: a link is not followed"):
        replay(linked)


def test_a_folder_that_is_named_may_be_a_link(linked: Path) -> None:
    """Who names it means it."""
    path = linked.parent / "named"
    path.symlink_to(linked)
    assert replay(path)["v2/a.txt"].error == ""


# ---- names


@pytest.mark.slow
@pytest.mark.parametrize("form", ["md", "html", "json"])
def test_names_that_are_no_text_stand_in_no_way_of_a_report(form: str, tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path / "in")
    os.makedirs(folder + b"/d\xfe")
    for name in (b"a\xff.txt", b"d\xfe/b.txt", b"c.txt"):
        with open(folder + b"/" + name, "w") as file:
            file.write(V2)
    rows = [
        {"text": V2, "id": "x\ud800"},
        {"text": V2, "task": "\udfff", "model": "m\udc00"},
        {"text": f">> \udcff\n{V2}", "id": "t"},
    ]
    Path(os.fsdecode(folder + b"/lines\xff.jsonl")).write_text("\n".join(map(json.dumps, rows)))
    report = tmp_path / f"report.{form}"
    out = str(tmp_path / "run.jsonl")
    done = symops("bench", "run", "-s", os.fsdecode(folder), "-f", "v2", "--out", out, "--report", str(report))
    assert done.exit_code == 0, done.output
    assert "v2" in report.read_text(encoding="utf-8")
    names = {record.case.task for record in read_log(out).records}
    assert names >= {r"a\xff.txt", r"d\xfe/b.txt", "c.txt", r"x\ud800", r"\udfff", "t"}


# ---- line endings


def states_of(folder: Path, endings: Endings, formats: tuple[str, ...]) -> dict[str, str | None]:
    """Return how the replies to all tasks are judged in the end, written with these endings."""
    from symops_lark.lab.benchmark.formats import load_format

    tasks = list(load_tasks())
    for name in formats:
        format = load_format(name)
        (folder / name).mkdir(parents=True)
        for task in tasks:
            try:
                text = endings.write(format.write(task.document))
            except SymOpsError:
                continue
            (folder / name / f"{task.name}.txt").write_bytes(text.encode())
            (folder / name / f"{task.name}.json").write_text(json.dumps({"task": task.name}))
    result = replay(folder, tasks=tasks, formats=formats)
    return {name: record.phases[-1].state if record.phases else None for name, record in result.items()}


@pytest.mark.slow
@pytest.mark.parametrize("formats", [("v2",), ("v1",), ("plain",), ("json",)])
def test_other_line_endings_are_judged_like_line_feeds(formats: tuple[str, ...], tmp_path: Path) -> None:
    """What checked a folder out, or sent it, may have written all its lines anew."""
    judged = {name: states_of(tmp_path / name, Endings(name, "a key"), formats) for name in NAMES}
    twins = judged["LF"]
    dictated = [state for state in twins.values() if state is not None]
    assert len(dictated) > 25 and Counter(dictated)["right"] > 0.9 * len(dictated)
    assert judged["CRLF"] == twins
    assert judged["mixed"] == twins


def test_a_content_that_differs_by_more_is_still_wrong(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for name, text in {"a": V2, "b": V2.replace("+", "-")}.items():
        (folder / f"{name}.txt").write_bytes(text.replace("\n", "\r\n").encode())
        (folder / f"{name}.json").write_text('{"task": "one"}')
    settings = RunSettings(("v2",), source="transcripts", options=(("path", str(folder)),))
    records = run(settings, tmp_path / "run.jsonl", tasks=TASKS)
    assert [record.phases[-1].state for record in records] == ["right", "wrong-without-alarm"]


def test_endings_of_recorded_texts() -> None:
    for text in ("", "a", "a\nb\n", "a\r"):
        assert recorded_endings(text).name == "LF"
    assert recorded_endings("a\r\nb\r\n").name == "CRLF"
    for endings in (Endings("CRLF"), Endings("mixed", "x"), Endings("mixed", "y")):
        text = "one\ntwo\nthree\nfour\nfive\n"
        assert recorded_endings(endings.write(text)).write(text) == endings.write(text)
