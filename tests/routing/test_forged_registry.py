"""A registry that somebody else made: every command of it ends with an answer or an error, and never as a bug."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from command_line import run as symops
from damage import damage
from routing_logs import chain, evidence_for, make_run, manifest

from symops_lark.routing import Metric, Registry, RoutingError, RunLog
from symops_lark.routing.events import ModelAddRequest
from symops_lark.routing.registry import store as store_module
from symops_lark.routing.registry.registry_events import METRIC_CHANGED
from symops_lark.routing.registry.store import _mark

WRONG: Sequence[Any] = (None, True, -1.5, "", "\x00", [], ["x", None], {}, {"x": 1})
COLUMNS: Sequence[Any] = (b"x", 1, 2.5, "", "\x00", "NaN", "9" * 5000, "[" * 5000)
Row = tuple[Any, ...]


@pytest.fixture(name="whole", scope="module")
def make_whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A registry in which everything has happened that can."""
    folder = tmp_path_factory.mktemp("whole")
    RunLog(folder / "log.jsonl").append_run(make_run("r", [("a", True, 0.9, 0.1), ("b", True, 0.4, 0.1)]))
    with Registry(folder / "r.db") as registry:
        registry.register(manifest(), chain())
        registry.record_supply_chain("a", "1.0.0", chain())
        registry.record_audit("a", "1.0.0", True, {"cases": 1})
        registry.promote(evidence_for("a"))
        registry.demote("a", "1.0.0", "by hand", evidence_for("a"))
        registry.add_metric(Metric("metric_v2", lambda_=0.5))
        registry.change_metric("metric_v2")
        registry.request_model(ModelAddRequest("nobody", {"n": 1}))
    return folder / "r.db"


def rows_of(path: Path) -> tuple[list[Row], list[Row]]:
    with sqlite3.connect(path) as database:
        events = database.execute("SELECT number, at, kind, model_id, version, data FROM events ORDER BY number")
        return events.fetchall(), database.execute("SELECT model_id, version, model FROM models").fetchall()


def forge(whole: Path, path: Path, events: Sequence[Row], models: Sequence[Row]) -> bool:
    """Write a registry whose marks are right; return whether SQLite takes the rows."""
    shutil.copy(whole, path)
    database = sqlite3.connect(path)
    try:
        for statement in ("PRAGMA synchronous = OFF", "DROP TRIGGER events_stay", "DROP TRIGGER events_remain"):
            database.execute(statement)
        database.execute("DELETE FROM events")
        database.execute("DELETE FROM models")
        before = ""
        for event in events:
            mark = _mark(before, *event[1:])
            database.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)", (*event, mark))
            before = mark
        for model in models:
            database.execute("INSERT INTO models VALUES (?, ?, ?, ?)", (*model, _mark(model[2])))
        database.commit()
    except sqlite3.IntegrityError:
        return False
    finally:
        database.close()
    return True


def commands(path: Path, log: Path) -> Iterator[tuple[str, ...]]:
    yield ("route", "history", "--registry", str(path))
    yield ("route", "history", "--registry", str(path), "--json", "--at", "2999-01-01")
    yield ("route", "report", str(log), "--registry", str(path))
    yield ("route", "promote", "--registry", str(path), "--log", str(log), "--dry-run")


def expect_no_bug(path: Path, log: Path, what: str) -> None:
    for arguments in commands(path, log):
        done = symops(*arguments)
        assert done.exit_code in (0, 1, 2), f"{what}: {arguments}: {done.output[-500:]}"
        assert "Traceback" not in done.output


@pytest.mark.slow
def test_forged_events(whole: Path, tmp_path: Path) -> None:
    """Each part of what each event tells is another kind of value; the marks are those of the forger."""
    events, models = rows_of(whole)
    path = tmp_path / "forged.db"
    for place, event in enumerate(events):
        data = json.loads(event[5])
        data.pop("manifest", None)  # which is the model's
        for subject, value in damage(data, WRONG):
            changed = (*events[:place], (*event[:5], json.dumps(value)), *events[place + 1 :])
            if forge(whole, path, changed, models):
                with Registry(path, create=False) as registry:
                    try:
                        registry.metrics(), registry.at("2999-01-01")
                    except RoutingError as error:
                        assert str(path) in str(error), subject
                done = symops("route", "history", "--registry", str(path))
                assert done.exit_code in (0, 2), f"{event[2]}: {subject}: {done.output}"


@pytest.mark.slow
@pytest.mark.parametrize("column", range(1, 6))
def test_forged_columns(column: int, whole: Path, tmp_path: Path) -> None:
    events, models = rows_of(whole)
    path, log = tmp_path / "forged.db", whole.with_name("log.jsonl")
    for place in (0, 4, 6):
        for value in COLUMNS:
            row = list(events[place])
            row[column] = value
            if forge(whole, path, (*events[:place], tuple(row), *events[place + 1 :]), models):
                expect_no_bug(path, log, f"event {place + 1}, column {column}, {value!r:.20}")


@pytest.mark.slow
def test_forged_models(whole: Path, tmp_path: Path) -> None:
    events, [model] = rows_of(whole)
    path, log = tmp_path / "forged.db", whole.with_name("log.jsonl")
    texts = [(subject, json.dumps(value)) for subject, value in damage(json.loads(model[2]), (None, "", [], {"x": 1}))]
    for kind_of_it, value in [*texts, *((repr(value)[:20], value) for value in COLUMNS)]:
        if forge(whole, path, events, [(*model[:2], value)]):
            expect_no_bug(path, log, kind_of_it)


def test_the_clock_may_go_back_before_a_metric_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Such an event says what the clock showed, and is read like any other."""
    with Registry(tmp_path / "r.db") as registry:
        registry.add_metric(Metric("metric_v2", lambda_=0.5))
        monkeypatch.setattr(store_module, "now", lambda: "2001-01-01T00:00:00.000Z")
        registry.change_metric("metric_v2")
        assert registry.metrics().current == "metric_v2"
        assert "clock" in registry.history()[-1].data and registry.history()[-1].kind == METRIC_CHANGED


def _write_foreign(path: Path, whole: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE events (x)")


def _write_newer(path: Path, whole: Path) -> None:
    shutil.copy(whole, path)
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 99")


def _write_other_tables(path: Path, whole: Path) -> None:
    shutil.copy(whole, path)
    with sqlite3.connect(path) as database:
        database.execute("DROP TABLE models")
        database.execute("CREATE VIEW models AS SELECT 1 AS model, 2 AS mark")


NO_REGISTRIES: dict[str, Callable[[Path, Path], object]] = {
    "foreign": _write_foreign,
    "newer": _write_newer,
    "folder": lambda path, _: path.mkdir(),
    "pipe": lambda path, _: os.mkfifo(path),
    "text": lambda path, _: path.write_text("models: []\n", encoding="utf-8"),
    "negative": lambda path, whole: path.write_bytes(whole.read_bytes()[:60] + b"\xff" * 4 + whole.read_bytes()[64:]),
}


@pytest.mark.parametrize("kind", NO_REGISTRIES)
def test_what_is_no_registry_is_told(kind: str, whole: Path, tmp_path: Path) -> None:
    path, log = tmp_path / "r.db", whole.with_name("log.jsonl")
    NO_REGISTRIES[kind](path, whole)
    for arguments in commands(path, log):
        done = symops(*arguments)
        assert done.exit_code == 2 and str(path) in done.output, f"{arguments}: {done.output}"


def test_other_tables_are_no_bug(whole: Path, tmp_path: Path) -> None:
    _write_other_tables(tmp_path / "r.db", whole)
    expect_no_bug(tmp_path / "r.db", whole.with_name("log.jsonl"), "a view in place of a table")


def test_an_empty_file_has_no_models(whole: Path, tmp_path: Path) -> None:
    for size in (0, 1, 15, 99):
        (tmp_path / "r.db").write_bytes(whole.read_bytes()[:size])
        expect_no_bug(tmp_path / "r.db", whole.with_name("log.jsonl"), f"{size} bytes")


def test_truncated_at_each_page(whole: Path, tmp_path: Path) -> None:
    data = whole.read_bytes()
    assert len(data) // 4096 > 3
    for size in range(0, len(data), 4096):
        for item in (0, 1, 100, 2048):
            (tmp_path / "r.db").write_bytes(data[: size + item])
            expect_no_bug(tmp_path / "r.db", whole.with_name("log.jsonl"), f"{size + item} bytes")


@pytest.mark.slow
def test_a_locked_registry_is_told(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "_PATIENCE", 0.05)
    path = Path(shutil.copy(whole, tmp_path / "r.db"))
    other_connect = sqlite3.connect(path)
    other_connect.execute("BEGIN EXCLUSIVE")
    try:
        for arguments in commands(path, whole.with_name("log.jsonl")):
            done = symops(*arguments)
            assert done.exit_code == 2 and "another process writes to the registry" in done.output
    finally:
        other_connect.close()
