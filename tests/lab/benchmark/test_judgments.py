"""Judgments measured: the tasks, each kind of damage, runs that go on, replies read again, and the other readers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from command_line import run as symops
from hypothesis import assume, given
from hypothesis import strategies as st
from model_server import Answer as Said
from model_server import Failure, Line, model_server

from symops_lark import SymOpsError
from symops_lark.answers.judgment import Stage
from symops_lark.lab.benchmark.judgments import damage
from symops_lark.lab.benchmark.judgments.damage import Answer, fill, load_kinds
from symops_lark.lab.benchmark.judgments.measures import by_damage, judge_all, sum_up
from symops_lark.lab.benchmark.judgments.readers import OURS, by_baml, by_json_repair, first_to_last, last_tag
from symops_lark.lab.benchmark.judgments.running import (
    STAGES,
    JudgmentRecord,
    judge_again,
    read_judgments,
    run_judgments,
)
from symops_lark.lab.benchmark.judgments.tasks import JudgmentTask, load_judgments
from symops_lark.lab.benchmark.settings import RunSettings

TASKS = load_judgments()
SIMULATED = RunSettings(source="simulated", tasks=("review-*", "レビュー*"), repetitions=3)


def test_the_tasks() -> None:
    assert len(TASKS) >= 30 and len({task.name for task in TASKS}) == len(TASKS)
    for language in ("en", "ja"):
        own = [task for task in TASKS if task.language == language]
        assert len(own) >= 10
        answers = [task.answer for task in own]
        assert all(answers.count(place) >= len(own) // 5 for place in (0, 1, 2)), "no place of the answer is rare"
    for task in TASKS:
        assert 0 <= task.answer < len(task.rules) and len(set(task.rules)) == len(task.rules)
    assert [task.name for task in load_judgments(["plan-r*", "計画*"])] == [
        "plan-ready",
        "計画完了",
        "計画質問",
        "計画対象外",
        "計画変更",
    ]
    with pytest.raises(SymOpsError, match="no task of judgment is called 'nope'"):
        load_judgments(["nope"])


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("answer: 3", "answer is the number of a rule, from 1 to 2"),
        ("answer: true", "answer is the number of a rule"),
        ("rules: [a]", "rules is a list of two or more texts"),
        ("report: 3", "report is a text"),
    ],
)
def test_wrong_tasks_are_told_with_their_place(tmp_path: Path, line: str, said: str) -> None:
    lines = {"step": "step: s", "report": "report: r", "rules": "rules: [a, b]", "answer": "answer: 1"}
    lines[line.partition(":")[0]] = line
    text = "language: en\ntasks:\n  one:\n" + "".join(f"    {single_line}\n" for single_line in lines.values())
    (tmp_path / "own.yaml").write_text(text)
    with pytest.raises(SymOpsError, match=f"own.yaml:{list(lines.values()).index(line) + 4}:.*{said}"):
        load_judgments(folder=tmp_path)


# ---- damage

# What leaves the right answer unsaid, or not clearly said: no answer is what is wanted.
UNSAID_JSON = {
    *("a list of all rules", "a tag instead", "all rules, one a line", "as a string", "brace missing", "curly quotes"),
    *("cut before the number", "cut in the reason", "draft, final cut off", "example behind", "further key", "half"),
    *("in a list", "key twice", "not a number", "nothing", "nought", "number as text", "other key", "out of range"),
    *("prose only", "quotes in the reason", "reason missing", "refusal", "thinking only", "true", "wrapped"),
}
UNSAID_TAGS = {
    *("JSON instead", "bare list only", "denied only", "example only", "in a list with verdicts", "list cut off"),
    *("list in a fence", "list on one line", "list only", "named in prose", "nothing", "nought", "number only"),
    *("one after the other", "other name", "out of range", "prose only", "quotation only", "refusal", "supposed only"),
    *("table only", "taken back", "thinking only", "two on one line", "under headings", "without brackets"),
}
MEANT = [(1, 2, 3), (2, 1, 3), (3, 1, 3), (2, 3, 4), (1, 2, 2), (2, 1, 2)]
KINDS = [(stage, kind) for stage in STAGES for kind in load_kinds(stage)]


def task_for(right: int, count: int, language: str) -> JudgmentTask:
    step = "review" if language == "en" else "レビュー"
    return JudgmentTask("t", language, step, "A report.", tuple(f"Rule {n}." for n in range(count)), right - 1)


@pytest.mark.alike(8)
@pytest.mark.parametrize(("stage", "kind"), KINDS)
def test_no_damage_makes_a_wrong_rule_accepted(stage: int, kind: str) -> None:
    results = set()
    for place, (right, item, count) in enumerate(MEANT):
        task = task_for(right, count, ("en", "ja")[place % 2])
        step, key = (task.step, "step") if stage < 3 else ("JUDGE", "matched_index")
        template = load_kinds(stage)[kind]
        text = fill(template, Answer(right, item, count, step, task.language, key))
        record = JudgmentRecord("", "t", 0, (Stage(stage, "", "answered", "", text),))
        index = list(judge_again(task, record))[stage - 1]
        assert index in (None, task.answer), text
        results.add(index is not None)
    unsaid = UNSAID_TAGS if stage == 2 else UNSAID_JSON - ({"a tag instead"} if stage == 3 else set())
    assert results == {kind not in unsaid}


def test_both_languages_have_all_sentences() -> None:
    words = yaml.safe_load(Path(damage.__file__).with_suffix(".yaml").read_text("utf-8"))["words"]
    assert words["en"].keys() == words["ja"].keys()


# ---- runs


def test_a_run_goes_on_where_it_was_interrupted(tmp_path: Path) -> None:
    whole_judgments = run_judgments(SIMULATED, tmp_path / "whole.jsonl")
    assert len(whole_judgments.records) == 18 and str(whole_judgments.provenance) == "simulated(each kind alike, 0)"
    data = (tmp_path / "whole.jsonl").read_bytes()
    for cut in (0, 10, data.index(b"\n") + 1, len(data) // 2, len(data) - 1):
        part = tmp_path / "part.jsonl"
        part.write_bytes(data[:cut])
        assert run_judgments(SIMULATED, part).records == whole_judgments.records
        assert len(part.read_bytes().split(b"\n")) == len(data.split(b"\n"))
    visited: list[tuple[int, int]] = []
    run_judgments(SIMULATED, tmp_path / "whole.jsonl", watch=lambda done, total: visited.append((done, total)))
    assert visited == [(18, 18)], "nothing is done twice"


def test_another_run_does_not_go_on_with_a_log(tmp_path: Path) -> None:
    run_judgments(SIMULATED, tmp_path / "a.jsonl")
    with pytest.raises(SymOpsError, match=r"a\.jsonl: this log is of another run \(settings differ\)"):
        run_judgments(replace(SIMULATED, seed=1), tmp_path / "a.jsonl")
    data = (tmp_path / "a.jsonl").read_bytes()
    (tmp_path / "half.jsonl").write_bytes(data[:-5])
    with pytest.raises(SymOpsError, match=r"half\.jsonl:19: the line is half written"):
        read_judgments(tmp_path / "half.jsonl")
    for text, place in ((b'{"a": 1}\n', 1), (b"", 1), (data.replace(b'"repetition"', b'"repeated"', 1), 2)):
        (tmp_path / "b.jsonl").write_bytes(text)
        with pytest.raises(SymOpsError, match=rf"b\.jsonl:{place}: "):
            read_judgments(tmp_path / "b.jsonl")
        if text:
            with pytest.raises(SymOpsError, match=rf"b\.jsonl:{place}: "):
                run_judgments(SIMULATED, tmp_path / "b.jsonl")


@given(text=st.one_of(st.binary(min_size=1), st.text(min_size=1).map(str.encode), st.just(b'{"symops_edits":1')))
def test_no_byte_of_another_file_is_lost(tmp_path_factory: pytest.TempPathFactory, text: bytes) -> None:
    """A file without a line feed would be half a line of ours, which is removed."""
    assume(not b'{"symops_judgments":'.startswith(text))
    path = tmp_path_factory.mktemp("log") / "notes.txt"
    path.write_bytes(text)
    with pytest.raises(SymOpsError, match=r"notes\.txt:1: not a log"):
        run_judgments(SIMULATED, path)
    assert path.read_bytes() == text


@pytest.mark.slow
def test_the_figures_add_up(tmp_path: Path) -> None:
    run = run_judgments(SIMULATED, tmp_path / "a.jsonl")
    outcomes = judge_all(run)
    readers = {outcome.reader for outcome in outcomes}
    assert {OURS, "first { to last }", "json-repair"} <= readers and len(outcomes) == len(readers) * 18
    rows = list(sum_up(outcomes))
    assert len(rows) == len(readers) * 4
    for row in rows:
        assert sum(figure.k or 0 for figure in row.figures) == 18 == row.figures[0].n
    ours = next(row for row in rows if row.reader == OURS)
    assert ours.figures[2].k == 0 and (ours.figures[0].k or 0) > 9
    for stage in STAGES:
        own = [sum(result[OURS].values()) for at, _, result in by_damage(outcomes) if at == stage]
        assert sum(own) == 18


def reply(number: int) -> str:
    return json.dumps({"step": number, "reason": ""})


def test_a_model_is_asked_in_all_three_ways(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    texts = ("bench", "judgments", "-s", "vllm:m", "-t", "review-fix", "--out", "run.jsonl", "--json", "--quiet")
    lines: list[Line] = [Said("Hm."), Said(reply(1)), Said("[REVIEW:2]"), Failure(503)]
    with model_server(lines + [Failure(503)] * 9) as server:
        result = symops(*texts, "--base-url", server.url)
    assert result.exit_code == 0, result.output
    run = read_judgments("run.jsonl")
    assert [(call.stage, call.status) for call in run.records[0].calls] == [
        (1, "invalid"),
        (1, "answered"),
        (2, "answered"),
        (3, "failed"),
    ]
    assert run.provenance.kind == "live" and [*judge_again(run.tasks["review-fix"], run.records[0])] == [0, 1, None]
    data = json.loads(result.stdout)
    assert data["provenance"]["kind"] == "live"
    assert data["rows"][0] | {"calls": 0} == {
        **{"reader": OURS, "part": "all stages", "n": 1, "calls": 0},
        **{"right": 0, "no_answer": 0, "wrong_without_alarm": 1},
    }
    repeated_finished = symops("bench", "judgments", "-s", "run.jsonl", "--json")
    assert json.loads(repeated_finished.stdout) == data, "a log is read again without a model"


def test_the_command_shows_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = symops("bench", "judgments", "-t", "review-*", "--out", "run.jsonl", "--each")
    assert result.exit_code == 0 and result.stderr == "", "no terminal, no progress"
    lines = result.stdout.split("\n")
    assert lines[0] == "simulated(each kind alike, 0): 3 judgments, 3 tasks; 95 % intervals, tasks resampled"
    assert "wrong without alarm" in lines[2] and "calls" in lines[2] and lines[3].startswith("symops ")
    assert "stage 3: right / no answer / wrong without alarm" in result.stdout and lines[-2] == "log: run.jsonl"
    assert symops("bench", "judgments", "-s", "nobody").exit_code == 2
    assert symops("bench", "judgments", "-s", "faults", "--out", "x.jsonl").exit_code == 2


# ---- other readers

NAIVE: Sequence[tuple[str, object, object, object]] = [
    (reply(2), 2, 2, 2),
    (f"```json\n{reply(2)}\n```", 2, 2, 2),
    ("{'step': 2, 'reason': 'x'}", None, 2, 2),
    ("nothing", None, None, None),
    (f"{{a}} {reply(2)}", None, 2, 2),
]


@pytest.mark.parametrize(("text", "naive", "repaired", "baml"), NAIVE)
def test_what_others_read(text: str, naive: object, repaired: object, baml: object) -> None:
    assert first_to_last(text, "step") == naive
    assert by_json_repair(text, "step") == repaired
    assert by_baml(text, "step") == baml


def test_the_last_tag_wherever_it_stands() -> None:
    assert last_tag("not [REVIEW:1], nor [step:2]!", ("REVIEW", "STEP")) == 2
    assert last_tag("[OTHER:1]", ("REVIEW",)) is None
