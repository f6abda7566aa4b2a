"""`symops do` and `symops why`: the shop of the examples, by a program and by a server that play models."""

from __future__ import annotations

import json
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from command_line import environment
from model_server import Request, model_server
from no_sandbox import hide_sandbox
from repository import ROOT

from symops_lark.adapters.cli import symops
from symops_lark.agent import Limits, read_run

ENGLISH = "checkout of Cart raises 'the cart is empty' for an empty cart, so return 0 instead"
JAPANESE = "total_with_tax が「端数は切り上げ」になっている。切り捨てに直して"


@pytest.fixture(name="folder")
def make_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("NO_COLOR", "1")
    folder = tmp_path / "do"
    shutil.copytree(ROOT / "examples" / "do", folder)
    return folder


@pytest.fixture(autouse=True)
def no_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    hide_sandbox(monkeypatch)


def do(folder: Path, *words: str, part: str = "good") -> Result:
    program = f"{sys.executable} {folder / 'model.py'} {part}"
    return invoke("do", *words, "--root", str(folder / "shop"), "-p", "command", "--command", program)


def invoke(*words: str) -> Result:
    result = CliRunner().invoke(symops, list(words))
    assert "this is a bug" not in result.output, result.output
    return result


def options(folder: Path, frame: str, *tests: str) -> list[str]:
    lines = [word for test in tests for word in ("--test", f"{sys.executable} tests/{test}")]
    return ["--frame", str(folder / frame), *lines]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("request_text", "frame", "tests", "path"),
    [
        (ENGLISH, "cart.json", ["test_cart.py"], "shop/cart.py"),
        (JAPANESE, "tax.json", ["test_tax.py", "test_orders.py"], "shop/tax.py"),
    ],
)
def test_a_request_becomes_a_tested_change(
    folder: Path, request_text: str, frame: str, tests: list[str], path: str
) -> None:
    before = (folder / "shop" / path).read_text()
    done = do(folder, request_text, *options(folder, frame, *tests), "--write", "-y")
    assert done.exit_code == 0 and f"written: {path}" in done.stdout, done.output
    assert "COMPLETE: rule 1 of fix: all tests pass" in done.stdout and "1 model asked" in done.stdout
    assert (folder / "shop" / path).read_text() != before
    run_id = done.stdout.rstrip().rpartition("run ")[2]
    story = invoke("why", run_id, "--root", str(folder / "shop"))
    assert story.exit_code == 0 and story.stdout.startswith("COMPLETE: rule 1 of fix: all tests pass\n")
    whole_data = json.loads(invoke("why", run_id, "--root", str(folder / "shop"), "--json").stdout)
    assert whole_data["status"] == "COMPLETE" and whole_data["events"][-1]["event"] == "END"
    undone = invoke("undo", "--root", str(folder / "shop"), "--run", run_id)
    assert undone.exit_code == 0 and (folder / "shop" / path).read_text() == before


def test_a_dry_run_is_the_default_and_is_written_later(folder: Path) -> None:
    before = (folder / "shop/shop/cart.py").read_text()
    done = do(folder, ENGLISH, *options(folder, "cart.json"))
    assert done.exit_code == 0 and "PLANNED: dry run" in done.stdout and "+            return 0" in done.stdout
    assert (folder / "shop/shop/cart.py").read_text() == before
    run_id = done.stdout.rstrip().rpartition("run ")[2]
    [advice] = [line for line in done.stdout.splitlines() if "to write it" in line]
    # As it is printed, since the current folder is not that of the run.
    words = shlex.split(advice.partition("symops ")[2])
    assert words[:4] == ["do", "--resume", run_id, "--write"]
    later = invoke(*words, "-y")
    assert later.exit_code == 0 and "APPLIED: written, not tested" in later.stdout
    assert (folder / "shop/shop/cart.py").read_text() != before


def test_a_resumed_run_has_the_limits_of_its_command(folder: Path) -> None:
    done = do(folder, ENGLISH, *options(folder, "cart.json"), "--token-limit", "9000")
    run_id = done.stdout.rstrip().rpartition("run ")[2]
    later = invoke("do", "--resume", run_id, "--write", "-y", "--root", str(folder / "shop"), "--time-limit", "77")
    assert later.exit_code == 0 and "written: shop/cart.py" in later.stdout
    assert read_run(run_id, folder / "shop").task.limits == Limits(seconds=77, tokens=9000)


def test_a_reply_that_writes_what_was_not_read_is_refused(folder: Path) -> None:
    done = do(folder, JAPANESE, *options(folder, "tax.json"), "--write", "-y", part="unseen")
    assert done.exit_code == 1 and "UNSURE: command:" in done.stdout and "was not looked at" in done.stdout


@pytest.mark.slow
def test_a_failed_test_ends_in_a_round_without_changes(folder: Path) -> None:
    done = do(folder, ENGLISH, *options(folder, "cart.json", "test_cart.py"), "--write", "-y", part="wrong")
    assert done.exit_code == 1 and "tests: 0 of 1 passed" in done.stdout
    assert "it changes nothing" in done.stdout and "symops undo --run" in done.stdout


def test_a_vague_request_prints_its_questions(folder: Path) -> None:
    done = do(folder, "make it better")
    assert done.exit_code == 1 and "NEEDS_USER" in done.stdout and "--frame FILE" in done.stdout


@pytest.mark.slow
def test_events_and_json(folder: Path) -> None:
    done = do(folder, ENGLISH, *options(folder, "cart.json"), "--events")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert [event["seq"] for event in events] == list(range(len(events))) and events[-1]["status"] == "PLANNED"
    assert json.loads(do(folder, ENGLISH, *options(folder, "cart.json"), "--json").stdout)["status"] == "PLANNED"


def test_a_question_without_an_answer_declines(folder: Path) -> None:
    (folder / "policy.yaml").write_text("sensitive: [cart.py]\n")
    words = [*options(folder, "cart.json"), "--write", "--policy", str(folder / "policy.yaml")]
    done = do(folder, ENGLISH, *words)
    assert done.exit_code == 1 and "DECLINED: shop/cart.py" in done.stdout and "--resume" in done.stdout


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["do", "x"], "no model is named"),
        (["do", "x", "-p", "command"], "command"),
        (["do", "--resume", "abc"], "there is no run 'abc'"),
        (["do", "x", "--resume", "abc"], "which has its request already"),
        (["do", "--resume", "abc", "--test", "true"], "which has its --test already"),
        (["do", "--resume", "abc", "--frame", "no.json"], "which has its --frame already"),
        (["do", "--resume", "abc", "-f", "v1"], "which has its -f already"),
        (["do", "--resume", "abc", "--time-limit", "9"], "there is no run 'abc'"),
        (["do", "--resume", "abc", "--policy", "no.yaml"], "which has its --policy already"),
        (["do", "", "-p", "command", "--command", "cat"], "empty"),
        (["do", "x", "-p", "command", "--command", "cat", "--frame", "no.json"], "no.json"),
        (["do", "x", "-p", "command", "--command", "cat", "--rules", "no.yaml"], "no.yaml"),
        (["do", "x", "-p", "command", "--command", "cat", "--rounds", "99"], "rounds"),
        (["why", "abc"], "there is no run 'abc'"),
    ],
)
def test_wrong_arguments_are_told(folder: Path, words: list[str], told: str) -> None:
    done = invoke(*words)
    assert done.exit_code == 2 and told in done.output, done.output


def test_rules_that_lead_nowhere_are_refused_with_their_place(folder: Path) -> None:
    (folder / "rules.yaml").write_text("steps:\n  fix:\n    rules:\n      - condition: done\n        next: review\n")
    done = do(folder, ENGLISH, "--rules", str(folder / "rules.yaml"))
    assert done.exit_code == 2 and "rules.yaml:5:15" in done.output and "review" in done.output


def test_without_runs_there_is_nothing_to_list(folder: Path) -> None:
    listed = invoke("why", "--root", str(folder / "shop"))
    assert (listed.exit_code, listed.stdout) == (0, "there are no runs\n")


TASK = """\
request: "total_with_tax が「端数は切り上げ」になっている。切り捨てに直して"
root: shop
frame:
  target_feature: {value: total_with_tax, quote: total_with_tax}
  observed_issue: {value: 「端数は切り上げ」になっている, quote: 「端数は切り上げ」になっている}
rules: rules.yaml
limits: {calls: 5, tokens: 9000}
"""


@pytest.mark.slow
def test_options_of_the_command_win_over_a_file(folder: Path) -> None:
    (folder / "TASK.yaml").write_text(TASK, encoding="utf-8")
    (folder / "rules.yaml").write_text("steps:\n  fix:\n    rules: [{when: failed == 0, next: COMPLETE}]\n")
    program = f"{sys.executable} {folder / 'model.py'} good"

    def carry_out(*words: str) -> str:
        texts = ["--task", str(folder / "TASK.yaml"), "-p", "command", "--command", program]
        return invoke("do", *texts, *words).output

    assert "plan: replace shop/tax.py" in carry_out()
    assert carry_out("--step", "review").startswith("symops: no step is called 'review'")
    assert "NEEDS_USER: " in carry_out("make it better")
    (folder / "other").mkdir()
    assert "explored: no files" in carry_out("--root", str(folder / "other"))
    events = carry_out("--events", "--token-limit", "77", "--rounds", "1")
    assert '"tokens": 77' in events and '"calls": 5' in events and '"rounds": 1' in events


@pytest.mark.slow
def test_a_damaged_log_hides_no_other_run(folder: Path, tmp_path: Path) -> None:
    words = ["--log", str(tmp_path / "runs")]
    do(folder, ENGLISH, *options(folder, "cart.json"), *words)
    damaged = next((tmp_path / "runs").glob("?" * 32 + ".jsonl"))
    do(folder, JAPANESE, *options(folder, "tax.json"), *words)
    damaged.write_bytes(damaged.read_bytes().replace(b"PLANNED", b"APPLIED"))
    listed = invoke("why", "--root", str(folder / "shop"), *words)
    assert listed.exit_code == 1 and "PLANNED     total_with_tax" in listed.stdout and damaged.name in listed.stderr


def test_a_model_that_fails_has_its_reason(folder: Path) -> None:
    words = [ENGLISH, "--root", str(folder / "shop"), *options(folder, "cart.json"), "-p", "command"]
    failed = invoke("do", *words, "--command", "/no/such/program")
    assert failed.exit_code == 1 and "exit code 127: " in failed.stdout and "not found" in failed.stdout
    long = invoke("do", *words, "--command", "echo a few words of prose", "--token-limit", "10")
    assert long.exit_code == 1 and "BUDGET: the limit of 10 tokens" in long.stdout, long.output


@pytest.mark.slow
def test_an_interrupted_run_ends_after_its_step_and_is_continued(folder: Path) -> None:
    program = f"touch {folder}/asked; sleep 1; {sys.executable} {folder / 'model.py'}"
    words = ["do", ENGLISH, "--root", str(folder / "shop"), "-p", "command", "--command", program]
    command = [sys.executable, "-m", "symops_lark", *words, *options(folder, "cart.json"), "--write", "-y"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment(), cwd=folder) as process:
        until = time.monotonic() + 60
        while not (folder / "asked").exists() and time.monotonic() < until:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=60)
    assert process.returncode == 130 and "CANCELLED" in output, output
    assert "winner: " in output and "written: " not in output
    run_id = output.rstrip().rpartition("run ")[2]
    later = invoke("do", "--resume", run_id, "-y", "--root", str(folder / "shop"))
    assert later.exit_code == 0 and "written: shop/cart.py" in later.stdout


@pytest.mark.slow
def test_a_verifier_of_the_caller(folder: Path) -> None:
    check = {"rules": [{"id": "keeps_zero", "must": "return 0"}]}
    chosen = {"type": "rule_check", "pass_condition": "failed == 0", "config": check}
    (folder / "verifier.json").write_text(json.dumps(chosen))
    words = [*options(folder, "cart.json"), "--verifier", str(folder / "verifier.json")]
    assert do(folder, ENGLISH, *words).exit_code == 0
    assert "keeps_zero" in do(folder, ENGLISH, *words, part="wrong").stdout


def good_reply(text: str) -> str:
    fixed = text.replace('raise CartError("the cart is empty")', "return 0").rstrip()
    return f"::edit @shop/cart.py\n<<<\n{fixed}\n>>>\n"


@pytest.fixture(name="server")
def make_server(folder: Path) -> Iterator[str]:
    text = good_reply((folder / "shop/shop/cart.py").read_text())

    def answer(request: Request) -> str:
        return text if "the cart is empty" in request.prompt else "I see nothing."

    with model_server([answer] * 9) as server:
        yield server.url


def test_a_server_on_loopback_plays_the_model(folder: Path, server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    words = ["-p", "openai", "--model", "played", "--base-url", server, "--root", str(folder / "shop")]
    done = invoke("do", ENGLISH, *words, *options(folder, "cart.json", "test_cart.py"), "--write", "-y")
    assert done.exit_code == 0 and "winner: openai:played" in done.stdout, done.output
