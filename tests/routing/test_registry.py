"""The registry: what it says is what its events say; killed, torn between processes, without room, it loses nothing."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from command_line import environment
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from route_models import GOOD, changed, write_model
from routing_logs import chain, evidence_for, manifest

from symops_lark.routing import Manifest, Metric, MetricError, Registry, RoutingError
from symops_lark.routing.events import ModelAddRequest
from symops_lark.routing.manifests.supply_chain import Status
from symops_lark.routing.registry import store as store_module
from symops_lark.routing.registry.registry import MIGRATIONS
from symops_lark.routing.registry.registry_events import State, replay

SUPPORT = str(Path(__file__).parent.parent / "support")


def kinds(registry: Registry) -> list[str]:
    return [event.kind for event in registry.history()]


def test_a_model_rises_and_falls(tmp_path: Path) -> None:
    with Registry(tmp_path / "r.db") as registry:
        assert registry.register(manifest(), chain()).state is State.EXPERIMENTAL
        assert registry.promote(evidence_for("a")).state is State.STABLE
        assert registry.models(State.STABLE) == [registry.find("a")]
        fallen = registry.record_supply_chain("a", "1.0.0", chain(Status.MISMATCH))
        assert (fallen.state, fallen.supply_chain) == (State.EXPERIMENTAL, False)
        registry.record_supply_chain("a", "1.0.0", chain())
        registry.promote(evidence_for("a"))
        assert registry.record_audit("a", "1.0.0", False).state is State.EXPERIMENTAL
        with pytest.raises(RoutingError, match="its last audit failed"):
            registry.promote(evidence_for("a"))
        assert registry.review(evidence_for("a"), chain()).state is State.EXPERIMENTAL
        registry.record_audit("a", "1.0.0", True)
        assert registry.promote(evidence_for("a")).state is State.STABLE
        weak = replace(evidence_for("a", passes=(90, 100)), demotions=("it passed 90 of the last 100 rows",))
        assert registry.review(weak, chain()).state is State.EXPERIMENTAL
        values = [event.data.get("reason", "") for event in registry.history("a") if event.kind == "MODEL_DEMOTED"]
        assert [reason.partition(":")[0] for reason in values] == [
            "supply chain",
            "the audit failed",
            weak.demotions[0],
        ]


def test_what_is_said_twice_is_heard_once(tmp_path: Path) -> None:
    with Registry(tmp_path / "r.db") as registry:
        assert registry.register(manifest(), chain()) == registry.register(manifest(), chain())
        assert registry.promote(evidence_for("a")) == registry.promote(evidence_for("a"))
        registry.demote("a", "1.0.0", "by hand")
        registry.demote("a", "1.0.0", "by hand")
        assert kinds(registry) == ["MODEL_REGISTERED", "MODEL_PROMOTED", "MODEL_DEMOTED"]


def test_what_cannot_be_is_refused(tmp_path: Path) -> None:
    with Registry(tmp_path / "r.db") as registry:
        registry.register(manifest(), chain())
        with pytest.raises(RoutingError, match="registered with another manifest, since 2"):
            registry.register(manifest(license="MIT"), chain())
        for status in (Status.MISMATCH, Status.MISSING):
            with pytest.raises(RoutingError, match=r"b@1\.0\.0 cannot be registered: told"):
                registry.register(manifest("b"), chain(status))
        with pytest.raises(RoutingError, match="b is not registered"):
            registry.find("b")
        with pytest.raises(RoutingError, match=r"a@2\.0\.0 is not registered; there are 1.0.0"):
            registry.record_audit("a", "2.0.0", True)
        with pytest.raises(RoutingError, match="cannot be promoted"):
            registry.promote(replace(evidence_for("a"), reasons=("there are 99 of 100 rows",)))
        assert kinds(registry) == ["MODEL_REGISTERED"]
        assert registry.register(manifest(version="2.0.0"), chain(Status.UNVERIFIED)).supply_chain is False
        assert registry.find("a").version == "2.0.0", "the newest one"


def test_files_are_looked_at_by_itself(tmp_path: Path) -> None:
    base = {**GOOD["base_model"], "path": "base.bin"}
    created = Manifest.load(write_model(tmp_path / "model", changed("base_model", base)))
    with Registry(tmp_path / "r.db") as registry:
        assert registry.register(created).supply_chain is True
        (tmp_path / "model" / "adapter.bin").write_bytes(b"other")
        with pytest.raises(RoutingError, match=r"adapter\.bin has the sha256"):
            registry.register(created)


def test_metrics_have_epochs(tmp_path: Path) -> None:
    with Registry(tmp_path / "r.db") as registry:
        metric = Metric("metric_v2", lambda_=1.0)
        registry.add_metric(metric)
        registry.add_metric(metric)
        with pytest.raises(MetricError, match="other weights"):
            registry.add_metric(Metric("metric_v2"))
        assert [registry.change_metric(name).epoch for name in ("metric_v2", "metric_v1")] == [1, 2]
        with pytest.raises(MetricError, match="no metric is called"):
            registry.change_metric("metric_v9")
        registry.request_model(ModelAddRequest("none-passed", {"tags": ["x"]}))
        assert kinds(registry) == ["METRIC_ADDED", *["EVAL_METRIC_CHANGE"] * 2, "MODEL_ADD_REQUEST"]
    with Registry(tmp_path / "r.db") as registry:
        metrics = registry.metrics()
        assert (metrics.current, metrics.epoch, metrics["metric_v2"]) == ("metric_v1", 2, metric)


# ---- history


def test_history_says_what_was_stable_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(f"2026-01-{day:02}T12:00:00.000Z" for day in range(1, 20))
    monkeypatch.setattr(store_module, "now", lambda: next(clock))
    with Registry(tmp_path / "r.db") as registry:
        registry.register(manifest(), chain())
        registry.promote(evidence_for("a"))
        registry.demote("a", "1.0.0", "by hand")
        states = {day: [str(model.state) for model in registry.at(f"2026-01-{day:02}")] for day in (1, 2, 3, 9)}
        assert states == {1: ["experimental"], 2: ["stable"], 3: ["experimental"], 9: ["experimental"]}
        assert registry.at("2025-12-31") == [] and registry.at("2026-01-02T11:59:59Z")[0].state is State.EXPERIMENTAL
        assert registry.at("2026-01-02T21:00:00+09:00")[0].state is State.STABLE
        for item in ("yesterday", "2026-13-01", "2026-01-01T00:00:00"):
            with pytest.raises(RoutingError, match="2026"):
                registry.at(item if item != "yesterday" else "yesterday, as 2026")


def test_a_clock_that_goes_back_does_not_turn_history_round(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(["2026-01-02T00:00:00.000Z", "2020-01-01T00:00:00.000Z", "2026-01-03T00:00:00.000Z"])
    monkeypatch.setattr(store_module, "now", lambda: next(clock))
    with Registry(tmp_path / "r.db") as registry:
        registry.register(manifest(), chain())
        registry.promote(evidence_for("a"))
        registry.demote("a", "1.0.0", "by hand")
        events = registry.history()
    assert [event.at[:10] for event in events] == ["2026-01-02", "2026-01-02", "2026-01-03"]
    assert [event.data.get("clock", "")[:4] for event in events] == ["", "2020", ""]


# ---- what is built again

_STEPS = st.lists(
    st.tuples(st.sampled_from("RPDSMAFC"), st.sampled_from("ab"), st.sampled_from(["1.0.0", "2.0.0"])), max_size=14
)


def act(registry: Registry, step: str, name: str, version: str) -> None:
    """Do one thing to a registry, if it can be done."""
    acts: dict[str, Any] = {
        "R": lambda: registry.register(manifest(name, version), chain(Status.UNVERIFIED)),
        "P": lambda: registry.promote(evidence_for(f"{name}@{version}")),
        "D": lambda: registry.demote(name, version, "by hand"),
        "S": lambda: registry.record_supply_chain(name, version, chain()),
        "M": lambda: registry.record_supply_chain(name, version, chain(Status.MISMATCH)),
        "A": lambda: registry.record_audit(name, version, True),
        "F": lambda: registry.record_audit(name, version, False),
        "C": lambda: registry.add_metric(Metric("metric_v2", lambda_=float(version[0]))),
    }
    with suppress(RoutingError):
        acts[step]()


@pytest.mark.slow
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=_STEPS)
def test_all_that_it_says_is_built_again_from_its_events(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str, str]]
) -> None:
    with Registry(tmp_path_factory.mktemp("r") / "r.db") as registry:
        registry._database.execute("PRAGMA synchronous = OFF")
        for step in steps:
            act(registry, *step)
        models = registry.models()
        assert {model.key: model for model in models} == replay(registry.history())
        assert registry.rebuild() and registry.models() == models
        registry._database.execute("DELETE FROM models")
        assert registry.rebuild() is (not models) and registry.models() == models


def test_events_are_only_added(tmp_path: Path) -> None:
    with Registry(tmp_path / "r.db") as registry:
        registry.register(manifest(), chain())
        for statement in ("DELETE FROM events", "UPDATE events SET kind = 'x'"):
            with pytest.raises(sqlite3.DatabaseError, match="only added"):
                registry._database.execute(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE events SET data = replace(data, 'license', 'licence')",
        "UPDATE events SET at = '2020-01-01T00:00:00.000Z' WHERE number = 2",
        "UPDATE events SET data = x'00' WHERE number = 1",
        "DELETE FROM events WHERE number = 1",
        "UPDATE models SET model = replace(model, 'experimental', 'stable')",
        "UPDATE models SET model = x'00'",
    ],
)
def test_what_was_changed_from_outside_is_told(tmp_path: Path, statement: str) -> None:
    with Registry(tmp_path / "r.db") as registry:
        registry.register(manifest(), chain())
        registry.promote(evidence_for("a"))
        registry.demote("a", "1.0.0", "by hand")
    database = sqlite3.connect(tmp_path / "r.db")
    with database:
        database.execute("DROP TRIGGER events_stay")
        database.execute("DROP TRIGGER events_remain")
        database.execute(statement)
    database.close()
    with Registry(tmp_path / "r.db") as registry, pytest.raises(RoutingError, match="changed from outside"):
        registry.history() if "events" in statement else registry.models()
    if "models" in statement:
        with Registry(tmp_path / "r.db") as registry:
            assert not registry.rebuild() and registry.find("a").state is State.EXPERIMENTAL, "the events are whole"


def test_an_older_file_is_brought_up_to_date(tmp_path: Path) -> None:
    with Registry(tmp_path / "r.db") as registry:
        registry.register(manifest(), chain())
        before = registry.models()
    database = sqlite3.connect(tmp_path / "r.db")
    with database:
        database.execute("DROP TABLE models")
        database.execute("PRAGMA user_version = 1")
    database.close()
    with Registry(tmp_path / "r.db") as registry:
        assert registry.models() == before
        assert registry._database.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)


def test_files_that_are_none_are_refused_and_stay_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "r.db"
    with pytest.raises(RoutingError, match="there is no registry"):
        Registry(path, create=False)
    assert not path.exists()
    path.write_bytes(b"no database at all, but long enough to look like one " * 30)
    with pytest.raises(RoutingError, match="this is not a registry"):
        Registry(path)
    path.unlink()
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE other (x)")
    database.close()
    with pytest.raises(RoutingError, match="a database, and not a registry"):
        Registry(path)
    path.unlink()
    Registry(path).close()
    database = sqlite3.connect(path)
    database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(RoutingError, match="newer release"):
        Registry(path)
    with pytest.raises(RoutingError, match="cannot be opened"):
        Registry(tmp_path / "none" / "r.db")


# ---- killed, together, without room


def change(path: Path) -> None:
    with Registry(path) as registry:
        registry.register(manifest("b"), chain())
        registry.record_audit("a", "1.0.0", True)
        registry.promote(evidence_for("a"))


@pytest.mark.slow
def test_whoever_is_killed_anywhere_leaves_whole_changes(tmp_path: Path) -> None:
    """A child is killed after so many steps of SQLite's machine, in the middle of what it writes."""
    with Registry(tmp_path / "first.db") as registry:
        registry.register(manifest(), chain())
    ends = set()
    for at in range(0, 900, 25):
        path = tmp_path / f"{at}.db"
        path.write_bytes((tmp_path / "first.db").read_bytes())
        child = os.fork()
        if child == 0:
            _die_after(at, path)
        _, status = os.waitpid(child, 0)
        with Registry(path) as registry:
            assert kinds(registry) == [
                "MODEL_REGISTERED", "MODEL_REGISTERED", "MODEL_AUDITED", "MODEL_PROMOTED"
            ][: len(kinds(registry))]  # fmt: skip
            assert registry.rebuild(), "models and events agree"
            ends.add((os.WIFSIGNALED(status), len(kinds(registry))))
        change(path)
        with Registry(path) as registry:
            assert registry.find("a").state is State.STABLE and len(registry.models()) == 2
        if not os.WIFSIGNALED(status):
            break
    assert {(True, count) for count in (1, 2, 3)} <= ends and (False, 4) in ends


def _die_after(steps: int, path: Path) -> None:
    """Be killed when SQLite's machine has done so many instructions."""
    connect, left = sqlite3.connect, [steps]

    def count() -> int:
        left[0] -= 1
        if left[0] < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return 0

    def watch(*arguments: Any, **named: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*arguments, **named)
        connection.set_progress_handler(count, 1)
        return connection

    try:
        sqlite3.connect = watch  # type: ignore[assignment]
        change(path)
    finally:
        os._exit(0)


_WORKER = """
import sys
from routing_logs import chain, evidence_for, manifest
from symops_lark.routing import Registry
for number in range(12):
    with Registry(sys.argv[1]) as registry:
        registry.register(manifest(f"m{number}"), chain())
        registry.promote(evidence_for(f"m{number}"))
"""


@pytest.mark.slow
def test_two_processes_register_and_promote_at_once(tmp_path: Path) -> None:
    """Both make the file, both say the same of every model: each thing is heard once."""
    variables = environment()
    variables["PYTHONPATH"] = os.pathsep.join([variables["PYTHONPATH"], SUPPORT])
    command = [sys.executable, "-c", _WORKER, str(tmp_path / "r.db")]
    workers = [subprocess.Popen(command, env=variables) for _ in range(2)]
    assert [worker.wait(120) for worker in workers] == [0, 0]
    with Registry(tmp_path / "r.db") as registry:
        assert len(registry.models(State.STABLE)) == 12 and len(registry.history()) == 24
        assert registry.rebuild()
    assert os.listdir(tmp_path) == ["r.db"], "nothing is left beside the file"


_FULL = """
import subprocess, sys
from pathlib import Path
from routing_logs import chain, manifest
from symops_lark.routing import Registry, RoutingError
disk = Path(sys.argv[1])
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128k", "none", disk], check=True)
def register(registry, number):
    registry.register(manifest(f"m{number}"), chain())
count = 0
with Registry(disk / "r.db") as registry:
    try:
        while True:
            register(registry, count)
            count += 1
    except RoutingError as error:
        print(error)
    print(len(registry.models()) == len(registry.history()) == count > 5)
subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
with Registry(disk / "r.db", create=False) as registry:
    print(len(registry.models()) == count, len(registry.at("2999-01-01")) == count)
    try:
        register(registry, count)
    except RoutingError as error:
        print(error)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="namespaces are those of Linux")
def test_a_disk_that_gets_full_and_one_that_cannot_be_written_to(tmp_path: Path) -> None:
    tried = subprocess.run(["unshare", "-rm", "true"], capture_output=True)
    if tried.returncode:
        pytest.skip(f"no namespaces here: {tried.stderr.decode()}")
    variables = environment()
    variables["PYTHONPATH"] = os.pathsep.join([variables["PYTHONPATH"], SUPPORT])
    command = ["unshare", "-rm", sys.executable, "-c", _FULL, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=variables)
    assert done.stderr == ""
    first, second, third, fourth = done.stdout.splitlines()
    assert first.endswith("the disk is full; nothing was changed") and second == "True"
    assert third == "True True" and fourth.endswith("the registry cannot be written to; nothing was changed")
