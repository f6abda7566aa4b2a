"""A run of judgments: each task is asked about in all three ways, and each reply is logged.

Invariants: readers are judged afterwards, from the log alone; a case is in it once; an interrupted
run is resumed, and no question is asked twice.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ....answers.judgment.judging import Session
from ....answers.judgment.rules import Shown
from ....answers.judgment.stages import Judgment, Stage
from ....core.ground.errors import SymOpsError
from ....core.ground.json_lines import read_bytes, split_lines
from ....core.ground.json_objects import JsonObject, read_object, write_object
from ....core.replies.messages import Finish, ModelError, Reply
from ....models.protocol import Model
from ....models.scripted import ScriptedModel
from ..case_log import load_live, make_head, open_cases, read_cases
from ..records import SIMULATED, Provenance, identify
from ..settings import RunSettings
from .damage import Answer, fill, load_kinds
from .tasks import JudgmentTask, load_judgments

STAGES = (1, 2, 3)
_SIGN = "symops_judgments"
# A stage asks again after an unreadable reply; a scripted model must have a reply for each turn.
_TURNS = 3


@dataclass(frozen=True, slots=True)
class JudgmentRecord(JsonObject):
    """The replies to one task.

    Attributes:
        key: Identifies the case: a task and its repetition.
        task: The name of the task.
        repetition: The number of the repetition, from 0.
        calls: The calls of all stages, in order.
        damage: The kind of damage of the reply of each stage; empty if nothing was simulated.
    """

    key: str
    task: str
    repetition: int
    calls: tuple[Stage, ...]
    damage: tuple[str, ...] = ()

    def last(self, stage: int) -> Stage | None:
        """Return the last call of a stage, if there was one."""
        for call in reversed(self.calls):
            if call.stage == stage:
                return call
        return None

    def reply(self, stage: int) -> str:
        """Return the last reply to the question of a stage."""
        call = self.last(stage)
        return call.response if call else ""


@dataclass(frozen=True, slots=True)
class JudgmentRun:
    """A log: the origin of its replies, its tasks by name, and its records in their order."""

    provenance: Provenance
    tasks: Mapping[str, JudgmentTask]
    records: tuple[JudgmentRecord, ...]


# Called with the number of cases that are done, and of all cases.
Watch = Callable[[int, int], object]


def _ignore(done: int, total: int) -> None:
    pass


def run_judgments(settings: RunSettings, out: str | Path, *, watch: Watch = _ignore) -> JudgmentRun:
    """Run the cases that are not in the log yet, and return the complete log.

    Args:
        settings: The tasks, the repetitions and the source: `simulated`, or one that asks a model.
        out: The path of the log.
        watch: Is called after each case.

    Raises:
        SymOpsError: The settings are wrong, or the log is of another run.
    """
    tasks = load_judgments(settings.tasks)
    settings = settings.dated()
    model: Model | None = None
    if settings.source == SIMULATED:
        detail = (("damage", "each kind alike"), ("seed", str(settings.seed)))
        provenance = Provenance(SIMULATED, detail)
    else:
        source = load_live(settings)
        model = source.model
        provenance = source.provenance
    cases = {}
    for repetition in range(settings.repetitions):
        for task in tasks:
            key = identify(task=task.fingerprint, repetition=repetition)
            cases[key] = (task, repetition)
    # The head has the complete tasks: a log can be judged again after they changed.
    head = make_head(_SIGN, settings, provenance, list(map(write_object, tasks)))
    head["cases"] = len(cases)
    with open_cases(Path(out), head, _SIGN, JudgmentRecord) as (records, append):
        # What an earlier run has done is not asked again.
        logged = {record.key for record in records}
        done = len(logged)
        watch(done, len(cases))
        for key, (task, repetition) in cases.items():
            if key in logged:
                continue
            if model is None:
                record = _simulate(task, repetition, settings.seed)
            else:
                record = _ask(model, task, repetition)
            append(replace(record, key=key))
            done += 1
            watch(done, len(cases))
    return read_judgments(out)


def read_judgments(path: str | Path) -> JudgmentRun:
    """Read a log.

    Raises:
        SymOpsError: The file is not a log of judgments, or its last line is incomplete. The message
            has the file and the line.
    """
    place = Path(path)
    lines, remaining = split_lines(read_bytes(place))
    head, records = read_cases(place, lines, _SIGN, JudgmentRecord)
    if remaining:
        raise SymOpsError(
            f"{place}:{len(lines) + 1}: the line is half written: the same command resumes the run"
        )
    try:
        provenance = read_object(Provenance, head.get("provenance"))
        tasks = [read_object(JudgmentTask, item) for item in head["tasks"]]
    except (ValueError, KeyError, TypeError) as error:
        raise SymOpsError(f"{place}:1: this line is damaged: {error}") from None
    names = {task.name: task for task in tasks}
    # The head is the first line.
    for number, record in enumerate(records, 2):
        if record.task not in names:
            raise SymOpsError(f"{place}:{number}: the log has no task {record.task!r}")
        if len(record.damage) not in (0, len(STAGES)):
            raise SymOpsError(f"{place}:{number}: damage is that of all stages, or of none")
    return JudgmentRun(provenance, names, tuple(records))


def judge_again(task: JudgmentTask, record: JudgmentRecord) -> Iterator[int | None]:
    """Yield the index that each stage finds in its last reply, None if it finds none."""
    for stage in STAGES:
        call = record.last(stage)
        script = [_replay(call)] * _TURNS if call else []
        judgment = _judge_stage(_session(ScriptedModel(script), task), stage)
        yield judgment.rule_index if judgment else None


def _session(model: Model, task: JudgmentTask) -> Session:
    rules = Shown(task.rules, tuple(range(len(task.rules))))
    return Session(model, rules, task.report, task.step, language=task.language)


def _judge_stage(session: Session, stage: int) -> Judgment | None:
    """Ask the question of one stage."""
    ways = (session.ask_number, session.ask_tag, session.compare)
    return ways[stage - 1]()


def _ask(model: Model, task: JudgmentTask, repetition: int) -> JudgmentRecord:
    """Ask in all ways, even after an answer, so that all readers see the same replies."""
    calls = []
    for stage in STAGES:
        session = _session(model, task)
        _judge_stage(session, stage)
        # The instruction follows from the task, which the head of the log has.
        calls += [replace(call, instruction="") for call in session.stages]
    return JudgmentRecord("", task.name, repetition, tuple(calls))


def _simulate(task: JudgmentTask, repetition: int, seed: int) -> JudgmentRecord:
    """Return the replies of a writer who knows the right rule, each with a kind of damage."""
    calls = []
    damage = []
    right = task.answer + 1
    decoys = [number for number in range(1, len(task.rules) + 1) if number != right]
    for stage in STAGES:
        # A stage has its own generator, so that its replies do not depend on other stages.
        rng = random.Random(f"{seed}/{task.name}/{repetition}/{stage}")
        decoy = rng.choice(decoys)
        kinds = load_kinds(stage)
        name = rng.choice(list(kinds))
        step = task.step
        key = "step"
        if stage == 3:
            step = "JUDGE"
            key = "matched_index"
        answer = Answer(right, decoy, len(task.rules), step, task.language, key)
        text = fill(kinds[name], answer)
        # The status is that of the call; whether the reply has an answer is judged later.
        calls.append(Stage(stage, "", "answered", "", text))
        damage.append(name)
    return JudgmentRecord("", task.name, repetition, tuple(calls), tuple(damage))


def _replay(call: Stage) -> Reply | ModelError:
    """Return a logged call as a line of a scripted model."""
    if call.status == "failed":
        return ModelError(call.error or "the call failed")
    finishes = {"cut_off": Finish.LENGTH, "refused": Finish.REFUSED}
    return Reply(call.response, finishes.get(call.status, Finish.STOP))
