"""The file of a run: which files are runs, what is no log, and who may write it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from symops_lark import SymOpsError
from symops_lark.agent import Kind, run_log
from symops_lark.agent.events import Event
from symops_lark.agent.run_log import RunLog, find_run, list_runs, read_events, runs_folder

ID = "0123456789abcdef" * 2


@pytest.fixture(name="folder")
def make_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "runs"


def ignore(event: Event) -> None:
    """Watch nothing."""


def write_run(folder: Path, *kinds: Kind, name: str = ID) -> Path:
    with RunLog.create(folder, name, ignore) as log:
        for kind in kinds:
            log.append(kind, 0, {"kind": str(kind)})
    return log.path


# ---- folders


def test_runs_are_kept_by_the_real_path_of_their_root(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "shop")
    assert runs_folder(tmp_path / "link") == runs_folder(tmp_path / "shop") != runs_folder(tmp_path)
    assert len(runs_folder(tmp_path / "shop").name) == 32
    assert runs_folder(tmp_path / "shop").parent == tmp_path / "state" / "symops-lark" / "runs"
    assert runs_folder(tmp_path / "shop", str(folder)) == folder
    monkeypatch.setattr(run_log, "state_folder", lambda: None)
    with pytest.raises(SymOpsError, match="there is no home folder to keep runs in"):
        runs_folder(tmp_path / "shop")


def test_other_files_are_no_runs(folder: Path) -> None:
    assert list_runs(folder) == []
    folder.mkdir()
    for name, text in (("run_log.jsonl", "x"), (f"{ID}.json", "x"), (f"{ID[1:]}f.jsonl", ""), (f"x{ID}.jsonl", "x")):
        (folder / name).write_text(text)
    assert list_runs(folder) == []
    (folder / f"{ID}.jsonl").write_text("x")
    assert [path.stem for path in list_runs(folder)] == [ID]


def test_the_newest_run_is_the_first(folder: Path) -> None:
    folder.mkdir()
    paths = [folder / f"{letter * 32}.jsonl" for letter in "badc"]
    for path, seconds in zip(paths, (5, 9, 5, 7), strict=True):
        path.write_text("x")
        os.utime(path, (seconds, seconds))
    assert [path.stem[0] for path in list_runs(folder)] == ["a", "c", "b", "d"]


def test_three_of_many_runs_are_named(folder: Path) -> None:
    folder.mkdir()
    for number in range(4):
        (folder / f"ab{number}{ID[3:]}.jsonl").write_text("x")
    with pytest.raises(SymOpsError) as caught:
        find_run(folder, " AB ")
    names = str(caught.value).partition(": several runs begin like this: ")[2].split(", ")
    assert [name[:2] + name[3:] for name in names] == [f"ab{ID[3:12]}"] * 3
    assert find_run(folder, " AB2 ") == folder / f"ab2{ID[3:]}.jsonl"
    for run_id in ("b", "", " "):
        with pytest.raises(SymOpsError, match="there is no run"):
            find_run(folder, run_id)


# ---- files


def test_a_run_begins_with_its_task(folder: Path) -> None:
    path = write_run(folder, Kind.TASK, Kind.FRAME)
    assert [(event.seq, event.kind, event.data) for event in read_events(path)] == [
        (0, Kind.TASK, {"kind": "TASK"}),
        (1, Kind.FRAME, {"kind": "FRAME"}),
    ]
    for kinds in ((Kind.FRAME, Kind.TASK), ()):
        with pytest.raises(SymOpsError, match="a run begins with its task, and this file does not"):
            read_events(write_run(folder / str(len(kinds)), *kinds))


def test_a_line_that_comes_twice_is_found(folder: Path) -> None:
    path = write_run(folder, Kind.TASK)
    path.write_bytes(path.read_bytes() * 2)
    with pytest.raises(SymOpsError, match="line 2: its seal does not fit"):
        read_events(path)


def test_a_number_that_is_left_out_is_found(folder: Path) -> None:
    with RunLog.create(folder, ID, ignore) as log:
        log.append(Kind.TASK, 0, {})
        log.events *= 2
        log.append(Kind.END, 0, {})
    with pytest.raises(SymOpsError, match="its number is 2, and 1 is expected"):
        read_events(log.path)


def test_half_a_line_is_cut_off_before_the_next_one(folder: Path) -> None:
    path = write_run(folder, Kind.TASK, Kind.FRAME)
    data = path.read_bytes()
    path.write_bytes(data + b'{"seq":2,"at')
    with RunLog.open(path, ignore) as log:
        assert path.read_bytes() == data
        log.append(Kind.END, 0, {})
    assert log.events == read_events(path) and len(log.events) == 3
    # The log is closed, and not only forgotten.
    RunLog.open(path, ignore).close()


def test_a_closed_log_lets_others_write(folder: Path) -> None:
    path = write_run(folder, Kind.TASK)
    log = RunLog.open(path, ignore)
    with pytest.raises(SymOpsError, match="another process is at work on this run"):
        RunLog.open(path, ignore)
    log.close()
    watched: list[Event] = []
    with RunLog.open(path, watched.append) as second:
        assert second.append(Kind.END, 1, {"why": ""}) == watched[0] and watched[0].round == 1
    assert [event.kind for event in read_events(path)] == [Kind.TASK, Kind.END]


def test_a_refused_log_lets_others_write(folder: Path) -> None:
    path = write_run(folder, Kind.FRAME)
    with pytest.raises(SymOpsError, match="begins with its task") as first:
        RunLog.open(path, ignore)
    with pytest.raises(SymOpsError, match="begins with its task"):
        RunLog.open(path, ignore)
    del first


def test_a_new_run_needs_a_name_of_its_own(folder: Path) -> None:
    write_run(folder / "deep", Kind.TASK)
    with pytest.raises(FileExistsError, match=f"{ID}.jsonl"):
        RunLog.create(folder / "deep", ID, ignore)
    assert (folder / "deep").stat().st_mode & 0o777 == 0o700


def test_seconds_are_those_since_the_last_call(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter((100.0, 103.0, 104.5))
    monkeypatch.setattr("symops_lark.agent.run_log.time.monotonic", lambda: next(times))
    with RunLog.create(folder, ID, ignore) as log:
        assert [log.lap(), log.lap()] == [3.0, 1.5]
