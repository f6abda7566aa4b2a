"""The benchmark of edits: its tasks, the writers of all ways, each mistake, and runs of a model that go on."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest
from command_line import run as symops
from hypothesis import given
from hypothesis import strategies as st
from model_server import model_server

from benchmarks.edits.peers import OURS, Peer, find_peers
from symops_lark import Edited, SymOpsError, edit_text
from symops_lark.core.grammar.loading import load_dialect
from symops_lark.lab.benchmark.edits.arms import ARMS
from symops_lark.lab.benchmark.edits.damage import DAMAGE, Attempt
from symops_lark.lab.benchmark.edits.figures import compare_arms, count_damage, sum_up
from symops_lark.lab.benchmark.edits.running import EXACT, OUTCOMES, SILENT, Trial, can_write, simulate
from symops_lark.lab.benchmark.edits.tasks import COPIED, DOUBLED, MISSING, MUTATIONS, EditTask, make_tasks
from symops_lark.models.prompts.edits import ways

ALL = tuple(ARMS)
# Mistakes that no reader can see: the edit says completely something else, which fits.
UNSEEN = {("the end of the content is left out", "diff"), ("a quoted line is left out", "search-replace")}


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> tuple[EditTask, ...]:
    """Tasks of files whose lines partly repeat."""
    folder = tmp_path_factory.mktemp("source")
    for number in range(12):
        body = "".join(f"def name_{n}(x):\n    if x == {n}:\n        return x + {n % 3}\n\n\n" for n in range(20))
        (folder / f"m{number}.py").write_text(f'"""Module {number}."""\n\n' + body)
    return make_tasks(folder, 12)


def test_each_way_that_prompts_teach_is_an_arm() -> None:
    assert sorted(ARMS) == sorted(ways())


def test_a_task_changes_one_place(tasks: tuple[EditTask, ...]) -> None:
    assert {task.kind for task in tasks} == {*MUTATIONS, MISSING, DOUBLED, COPIED}
    for task in tasks:
        before, after = task.before.split("\n"), task.after.split("\n")
        first = task.first + len(task.old)
        assert before[: task.first] == after[: task.first]
        assert before[first:] == after[task.first + len(task.new) :]
        assert before != after and (task.old or task.new)[0] in task.request
        key = before[task.first] if task.old else before[task.first - 1]
        assert task.is_unique == (before.count(key) == 1)


def test_tasks_are_drawn_again_by_the_same_seed(tmp_path: Path) -> None:
    for number in range(6):
        (tmp_path / f"{number}.py").write_text("".join(f"value = {n * number}\n" for n in range(60)))
    assert make_tasks(tmp_path, 6, 3) == make_tasks(tmp_path, 6, 3) != make_tasks(tmp_path, 6, 4)


def test_what_is_no_text_of_that_length_is_no_task(tmp_path: Path) -> None:
    long = "x = 1\n" * 60
    for name, data in {
        "short.py": b"x = 1\n",
        "endings.py": long.replace("\n", "\r\n").encode(),
        "latin.py": b"\xff" * 60 + b"\n" * 60,
        "open.py": long[:-1].encode(),
        "data.bin": long.encode(),
        "long.py": b"x\n" * 3_001,
    }.items():
        (tmp_path / name).write_bytes(data)
    with pytest.raises(SymOpsError, match="no text file of 50 to 3,000 lines"):
        make_tasks(tmp_path, 5)
    with pytest.raises(SymOpsError, match="no such folder"):
        make_tasks(tmp_path / "missing", 5)


LINES = st.lists(st.sampled_from(["", "    return x", "}", "x = 1", "- a", "+ b", "@@ 1", " y", "# é"]), min_size=3)


@pytest.mark.parametrize("arm", ARMS)
@given(lines=LINES, data=st.data())
def test_each_arm_writes_what_the_task_wants(arm: str, lines: list[str], data: st.DataObject) -> None:
    """Whatever the file is, the edit gives the wanted text, or a reader is in doubt; it is never another text."""
    first = data.draw(st.integers(1, len(lines) - 1))
    old, new = data.draw(st.sampled_from([(1, 1), (0, 1), (1, 0)]))
    before = [*lines[:first], *["was here"] * old, *lines[first:]]
    after = [*lines[:first], *["is here"] * new, *lines[first:]]
    output, expected = ("".join(f"{line}\n" for line in item) for item in (before, after))
    task = EditTask("a.py", "drawn", output, expected, first, ("was here",) * old, ("is here",) * new, False)
    edited = edit_text(task.before, ARMS[arm](task).content, "a.py")
    assert not isinstance(edited, Edited) or edited.text == task.after or edited.doubts


@pytest.mark.slow
def test_the_arms_are_exact_on_real_files() -> None:
    created = make_tasks(None, 15, 5)
    chosen = [task for task in created if can_write(task, load_dialect("v2"))]
    assert len(chosen) >= 12
    rows = sum_up([trial for trial in simulate(chosen, ALL, {}) if not trial.damage], ALL)
    assert [row.outcomes for row in rows] == [{EXACT: len(chosen)}] * len(ALL)


@pytest.mark.slow
def test_each_mistake_can_be_made_and_is_seen(tasks: tuple[EditTask, ...]) -> None:
    trials = list(simulate(tasks, ALL, {}, seed=1))
    table = count_damage(trials)
    assert table.keys() == DAMAGE.keys()
    assert {outcome for row in table.values() for counts in row.values() for outcome in counts} <= set(OUTCOMES)
    silent = {(name, arm) for name, row in table.items() for arm, counts in row.items() if counts[SILENT]}
    assert silent <= UNSEEN
    assert table["the file has grown above the place"]["search-replace"] == {EXACT: len(tasks)}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_mistake_changes_something(name: str, tasks: tuple[EditTask, ...]) -> None:
    results = []
    for task in tasks:
        for arm in ALL:
            attempt = Attempt(task, arm, ARMS[arm](task), task.before, task.after)
            damaged = DAMAGE[name](attempt, Random(1))
            if damaged is not None:
                results.append(arm)
                assert (damaged.edit.lines, damaged.file, damaged.share) != (attempt.edit.lines, attempt.file, 1.0)
    assert results


def test_arms_are_compared_pair_by_pair() -> None:
    def trial(task: str, arm: str, outcome: str) -> Trial:
        return Trial(task, task, arm, "", True, outcome)

    trials = [trial(str(n), "diff", EXACT) for n in range(10)] + [trial(str(n), "whole", "refused") for n in range(9)]
    [row] = compare_arms(trials, ("diff", "whole"), EXACT, damaged=False)
    assert (row.pairs, row.first_only, row.second_only) == (9, 9, 0)
    assert row.p == row.corrected == pytest.approx(2 * 0.5**9, rel=1e-6), "McNemar's exact test"


@pytest.mark.slow
def test_the_command() -> None:
    done = symops("bench", "edits", "-n", "6", "--json", "--formats", "diff,anchors")
    data = json.loads(done.stdout)
    assert done.exit_code == 0 and data["provenance"]["kind"] == "simulated"
    assert [row["arm"] for row in data["arms"]] == ["diff", "anchors"]
    assert set(data["arms"][0]["reply_tokens"]) == set(data["arms"][0]["prompt_tokens"]) != set()
    assert symops("bench", "edits", "-f", "nothing").exit_code == 2


@pytest.mark.slow
def test_a_model_is_asked_and_its_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "source").mkdir()
    for number in range(2):
        text = "".join(f"value_{n} = {n}\n" for n in range(60))
        (tmp_path / "source" / f"{number}.py").write_text(text)
    [task, *_] = make_tasks(tmp_path / "source", 2)
    right = "::edit @" + task.path + "\n<<<\n" + ARMS["diff"](task).content + ">>>\n"
    texts = ["bench", "edits", "-f", "diff", "-n", "2", "--source", "source", "--model", "vllm:m", "--out", "run.jsonl"]
    with model_server([right, "I cannot do that."]) as server:
        words = (*texts, "--base-url", server.url, "--json", "--quiet")
        first = symops(*words)
        assert first.exit_code == 0, first.output
        assert json.loads(first.stdout)["arms"][0]["outcomes"] == {EXACT: 1, "refused": 1}
        # The server has no third answer.
        assert symops(*words).stdout == first.stdout
    other_finished = symops(*words, "--seed", "9")
    assert other_finished.exit_code == 2 and "another run" in other_finished.output
    log = tmp_path / "run.jsonl"
    log.write_text(log.read_text() + "{}\n")
    assert "run.jsonl:4: this line is damaged" in symops(*words).output


def test_what_is_written_is_read_again(tasks: tuple[EditTask, ...]) -> None:
    trials = list(simulate(tasks[:3], ("diff", "anchors"), {}))
    rows = sum_up(trials, ("diff", "anchors"))
    differences = compare_arms(trials, ("diff", "anchors"), SILENT, damaged=True)
    for value in (*trials, *rows, *differences):
        assert type(value).from_dict(json.loads(json.dumps(value.to_dict()))) == value


CONTENTS = {
    "unified diff": "@@ -1,2 +1,2 @@\n-x = 1\n+x = 3\n y = 2\n",
    "V4A patch": "*** Begin Patch\n*** Update File: a.py\n@@\n-x = 1\n+x = 3\n y = 2\n*** End Patch\n",
    "search/replace blocks": "<<<<<<< SEARCH\nx = 1\n=======\nx = 3\n>>>>>>> REPLACE\n",
}


@pytest.mark.parametrize("peer", find_peers(), ids=lambda peer: peer.name)
def test_each_peer_reads_what_it_is_given(peer: Peer) -> None:
    """A table in which a peer fails because it is called wrongly would be unfair."""
    if peer.missing:
        pytest.skip(peer.missing)
    for kind in peer.kinds:
        text, doubts = peer.edit("x = 1\ny = 2\n", CONTENTS[kind], "a.py")
        assert (text, doubts) == ("x = 3\ny = 2\n", False), kind
        second, _ = peer.edit("a\nb\nc\n", CONTENTS[kind], "a.py")
        assert second in (None, "a\nb\nc\n"), "what does not fit is refused"
    assert peer.kinds and (peer.name == OURS or len(peer.kinds) == 1)
