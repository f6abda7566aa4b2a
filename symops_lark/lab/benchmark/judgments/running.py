"""A run of judgments: each task is asked about in all three ways, and what came is written to a log as it comes.

Laws: what readers make of the replies is worked out afterwards, from the log alone; a case is in it once; a run that
was interrupted goes on where it was, and asks nothing twice.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ....answers.judgment.judging import Session
from ....answers.judgment.rules import Shown
from ....answers.judgment.stages import Judgment, Stage
from ....core.ground.errors import SymOpsError
from ....core.ground.json_lines import open_lines, read_bytes, split_lines
from ....core.ground.json_objects import read_object, write_object
from ....core.replies.messages import Finish, ModelError, Reply
from ....models.protocol import Model
from ....models.scripted import ScriptedModel
from ..records import SIMULATED, Provenance, identify
from ..runner import tell_package
from ..settings import RunSettings
from ..sources import load_source
from ..sources.live import LiveSource
from .damage import JSON_DAMAGE, TAG_DAMAGE, Answer
from .tasks import JudgmentTask, load_judgments

STAGES = (1, 2, 3)
_SIGN, _VERSION = "symops_judgments", 1
_MOST_TURNS = 3


@dataclass(frozen=True, slots=True)
class JudgmentRecord:
    """What came of one task: the calls of all stages, and the damage of a simulated reply to each stage's question."""

    key: str
    task: str
    repetition: int
    calls: tuple[Stage, ...]
    damage: tuple[str, ...] = ()

    def last(self, stage: int) -> Stage | None:
        """Return the last call of a stage, if there was one."""
        return next((call for call in reversed(self.calls) if call.stage == stage), None)

    def reply(self, stage: int) -> str:
        """Return the last reply to the question of a stage."""
        last = self.last(stage)
        return last.response if last else ""


@dataclass(frozen=True, slots=True)
class JudgmentRun:
    """A log that was read: where its replies come from, its tasks by name, and its records in their order."""

    provenance: Provenance
    tasks: Mapping[str, JudgmentTask]
    records: tuple[JudgmentRecord, ...]


Watch = Callable[[int, int], object]  # how many are done, of how many


def run_judgments(settings: RunSettings, out: str | Path, *, watch: Watch = lambda done, total: None) -> JudgmentRun:
    """Do what is not in the log yet, and return what is in it then.

    The source of the settings is `simulated`, or one that asks a model. Raises `SymOpsError` for wrong settings, and
    for a log of others.
    """
    tasks = load_judgments(settings.tasks)
    simulated = settings.source == SIMULATED
    date = settings.date or datetime.now(UTC).date().isoformat()
    live = None if simulated else _live(replace(settings, date=date))
    detail = (("damage", "each kind alike"), ("seed", str(settings.seed)))
    provenance = live.provenance if live else Provenance(SIMULATED, detail)
    cases = [(task, number) for number in range(settings.repetitions) for task in tasks]
    head = {
        _SIGN: _VERSION,
        "provenance": provenance.to_dict(),
        "tasks": [write_object(task) for task in tasks],
        "settings": settings.to_dict() | {"date": date},
        "package": tell_package(),
        "cases": len(cases),
    }
    path = Path(out)
    with open_lines(path, "another run writes to this log: wait for it, or name another --out") as file:
        lines, _ = split_lines(file.data)
        file.cut()
        known: set[str] = set()
        if lines:
            there, run = _parse(path, lines)
            _expect_same(path, there, head)
            known = {record.key for record in run.records}
        else:
            file.append(head)
        watch(len(known), len(cases))
        keys = {identify(task=task.fingerprint, repetition=number): (task, number) for task, number in cases}
        for done, key in enumerate((key for key in keys if key not in known), len(known) + 1):
            task, number = keys[key]
            record = _simulate(task, number, settings.seed) if live is None else _ask(live.model, task, number)
            file.append(write_object(replace(record, key=key)))
            watch(done, len(cases))
    return read_judgments(path)


def read_judgments(path: str | Path) -> JudgmentRun:
    """Read a log; raises `SymOpsError` with file and line for what is no log of judgments, or half written."""
    place = Path(path)
    lines, rest = split_lines(read_bytes(place))
    _, run = _parse(place, lines)
    if rest:
        raise SymOpsError(f"{place}:{len(lines) + 1}: the line is half written: the same command goes on from there")
    return run


def _parse(path: Path, lines: Sequence[bytes]) -> tuple[dict[str, Any], JudgmentRun]:
    """Return the head of a log as it stands, and what the log says."""
    try:
        head = json.loads(lines[0]) if lines else {}
        if not isinstance(head, dict) or head.get(_SIGN) != _VERSION:
            raise ValueError(f"the first line does not say {_SIGN!r}, version {_VERSION}")
        provenance = read_object(Provenance, head["provenance"])
        tasks = {task.name: task for task in (read_object(JudgmentTask, task) for task in head["tasks"])}
        read_object(RunSettings, head["settings"])
    except (ValueError, KeyError, TypeError) as error:
        raise SymOpsError(f"{path}:1: this is no log of `symops bench judgments`: {error}") from None
    records = []
    for number, line in enumerate(lines[1:], 2):
        try:
            record = read_object(JudgmentRecord, json.loads(line))
            if record.task not in tasks:
                raise ValueError(f"the log has no task {record.task!r}")
            if len(record.damage) not in (0, len(STAGES)):
                raise ValueError("damage is that of all stages, or of none")
        except ValueError as error:
            raise SymOpsError(f"{path}:{number}: this line is damaged: {error}") from None
        records.append(record)
    return head, JudgmentRun(provenance, tasks, tuple(records))


def judge_again(task: JudgmentTask, record: JudgmentRecord) -> Iterator[int | None]:
    """Return the index that each stage finds in its last reply, None where it finds none."""
    for stage in STAGES:
        last = record.last(stage)
        script = [_as_line(last)] * _MOST_TURNS if last else []
        judgment = _ways(_session(ScriptedModel(script), task))[stage - 1]()
        yield judgment.rule_index if judgment else None


def _live(settings: RunSettings) -> LiveSource:
    source = load_source(settings)
    if not isinstance(source, LiveSource):
        raise SymOpsError(
            f"the source {settings.source!r} asks no model; sources of judgments are simulated, and models"
        )
    return source


def _session(model: Model, task: JudgmentTask) -> Session:
    shown = Shown(task.rules, tuple(range(len(task.rules))))
    return Session(model, shown, task.report, task.step, language=task.language)


def _ways(session: Session) -> tuple[Callable[[], Judgment | None], ...]:
    return session.ask_number, session.ask_tag, session.compare


def _ask(model: Model, task: JudgmentTask, number: int) -> JudgmentRecord:
    """Ask in all ways, whatever the first ones give, so that all readers see the same replies."""
    calls: list[Stage] = []
    for stage in STAGES:
        session = _session(model, task)
        _ways(session)[stage - 1]()
        calls += [replace(call, instruction="") for call in session.stages]
    return JudgmentRecord("", task.name, number, tuple(calls))


def _simulate(task: JudgmentTask, number: int, seed: int) -> JudgmentRecord:
    """Return the replies of a writer who knows the right rule, each with a kind of damage."""
    calls, damage = [], []
    for stage in STAGES:
        rng = random.Random(f"{seed}/{task.name}/{number}/{stage}")
        right = task.answer + 1
        other = rng.choice([each for each in range(1, len(task.rules) + 1) if each != right])
        kinds = TAG_DAMAGE if stage == 2 else JSON_DAMAGE
        name = rng.choice(list(kinds))
        step, key = (task.step, "step") if stage < 3 else ("JUDGE", "matched_index")
        text = kinds[name](Answer(right, other, len(task.rules), step, task.language, key))
        calls.append(Stage(stage, "", "answered", "", text))
        damage.append(name)
    return JudgmentRecord("", task.name, number, tuple(calls), tuple(damage))


def _as_line(call: Stage) -> Reply | ModelError:
    if call.status == "failed":
        return ModelError(call.error or "the call failed")
    finish = {"cut_off": Finish.LENGTH, "refused": Finish.REFUSED}.get(call.status, Finish.STOP)
    return Reply(call.response, finish)


def _expect_same(path: Path, there: Mapping[str, Any], head: Mapping[str, Any]) -> None:
    """Raise `SymOpsError` unless a log is of the same run; the date decides nothing."""
    parts = [(each["tasks"], {**each["settings"], "date": ""}, each.get("package")) for each in (there, head)]
    for name, before, now in zip(("tasks", "settings", "package"), *parts, strict=True):
        if before != now:
            raise SymOpsError(f"{path}: this log is of another run ({name} differ): write to another file (--out)")
