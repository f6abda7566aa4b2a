"""The plugin for `llm`, in the real program: its templates teach a dialect, its commands are ours."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import llm
import pytest
from click.testing import CliRunner, Result

from symops_lark import system_prompt

ROOT = Path(__file__).resolve().parent.parent.parent
TEXT = "::Create a.py\n<<<\nx = 1\n>>>\n"


class Parrot(llm.Model):
    """Says a broken reply, whatever it is asked."""

    model_id = "parrot"
    can_stream = False
    system_prompts: list[str | None]

    def execute(self, prompt: Any, stream: bool, response: Any, conversation: Any) -> Iterator[str]:
        Parrot.system_prompts.append(prompt.system)
        yield TEXT


class Cage:
    @llm.hookimpl
    def register_models(self, register: Any) -> None:
        register(Parrot())


Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """Run the program with the plugin that the entry point names, a model that costs nothing, and no other plugins."""
    monkeypatch.setattr("llm.plugins.LLM_LOAD_PLUGINS", "")
    from llm.cli import cli
    from llm.plugins import pm

    monkeypatch.setenv("LLM_USER_PATH", str(tmp_path / "llm"))
    monkeypatch.setattr(Parrot, "system_prompts", [], raising=False)
    [module] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]["llm"].values()
    plugins = (import_module(module), Cage())
    commands = dict(cli.commands)
    for plugin in plugins:
        pm.register(plugin)
    pm.hook.register_commands(cli=cli)
    yield lambda *words, input=None: CliRunner().invoke(cli, words, input=input)
    for plugin in plugins:
        pm.unregister(plugin)
    cli.commands = commands


@pytest.mark.slow
def test_a_template_teaches_a_dialect_and_the_commands_read_the_reply(run: Run) -> None:
    for template, format in (("symops:v1", "v1"), ("symops:", "v2")):
        done = run("-m", "parrot", "--no-log", "-t", template, "Write a.py.")
        assert (done.exit_code, done.output) == (0, TEXT + "\n") and Parrot.system_prompts[-1] == system_prompt(
            format
        ).strip()
    output = run("symops", "process", "--format", "v2", input=done.output)
    assert output.exit_code == 0 and "create  a.py" in output.output and "repaired" in output.output
    assert run("symops", "parse", "-f", "v2", input=done.output).exit_code == 1
    finished = run("symops", "proces")
    assert finished.exit_code == 2 and "llm symops --help" in finished.output
    assert "Usage: llm symops" in run("symops", "--help").output


@pytest.mark.slow
def test_a_dialect_that_is_not_there_is_told(run: Run) -> None:
    done = run("-m", "parrot", "-t", "symops:v9", "x")
    assert done.exit_code == 1 and "v9" in done.output and "Traceback" not in done.output
