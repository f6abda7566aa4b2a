"""The proofs of providers of models, and of the verifiers that judge replies."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar
from unittest.mock import patch

from model_server import model_server
from registries import NotProvedError, Registry, in_place_of
from sandboxes import works_here

from symops_lark.core.replies.messages import Finish, ModelError, Reply
from symops_lark.models import PROVIDERS as ALL_PROVIDERS
from symops_lark.models import Provider, ScriptedModel, Settings, load_model
from symops_lark.routing.verifiers import Check, Fact, Findings, Surroundings, known_verifiers, make_check, verify

# ---- providers

TEXT = ">> One.\n:: run → make\n"


@contextmanager
def _provider(name: str, provider: Provider) -> Iterator[None]:
    """Put a provider into the registry, with a key in the environment if it wants one."""
    table: dict[str, Provider] = ALL_PROVIDERS._providers  # type: ignore[attr-defined]
    keys = {provider.key_variable: "a-key-for-tests"} if provider.key_variable else {}
    with patch.dict(os.environ, keys), in_place_of(table, name, provider):
        yield


def _prove_provider(name: str, provider: Provider, folder: Path) -> None:
    """Its models say the same whole, streamed and asynchronously."""
    assert provider.name == name and provider.summary
    with _provider(name, provider), model_server([TEXT] * 4) as server:
        try:
            model = load_model(name, "m", base_url=server.url, command="cat")
        except ModelError as error:
            if "needs the library" in str(error):
                raise NotProvedError(str(error)) from None
            raise
        ask = TEXT if name == "command" else "Hello."
        assert model.name == f"{name}:m" and "m" in repr(model)
        replies = [
            model.generate(ask),
            model.stream(ask).read(),
            asyncio.run(model.agenerate(ask)),
            asyncio.run(model.astream(ask).read()),
        ]
    assert replies == [replies[0]] * 4
    assert replies[0].text == TEXT


class _IdleModel(ScriptedModel):
    """A model that asks nobody and says nothing."""

    def __init__(self, name: str) -> None:
        super().__init__([""] * 4)
        self.name = name


def _idle_provider(provider: Provider) -> Provider:
    def load(chosen: Provider, settings: Settings) -> Any:
        return _IdleModel(f"{chosen.name}:{settings.model}")

    return replace(provider, load=load)


PROVIDERS = Registry("providers", ALL_PROVIDERS, _idle_provider, _prove_provider)

# ---- verifiers

_SCHEMA = {"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}}
_CODE = "def add(a, b):\n    return a + b\n"
_TESTS = ["{python} -c 'import solution; assert solution.add(1, 2) == 3'"]
# By the verifier: its settings, a reply that passes, and one that fails.
EXAMPLES: dict[str, tuple[dict[str, Any], str, str]] = {
    "applies": ({}, "::create @new.py\n<<<\nx = 1\n>>>\n", "::delete @missing.py\n"),
    "json_schema": ({"schema": _SCHEMA}, '{"a": 1}', '{"a": "1"}'),
    "rule_check": ({"rules": [{"id": "polite", "must": "(?i)please"}]}, "Please.", "Now."),
    "static_analysis": ({"command": "{python} -m py_compile solution.py"}, _CODE, "def ("),
    "symops": ({}, "::create @a.py\n<<<\nx = 1\n>>>\n", "nothing of the kind"),
    "unit_test": ({"commands": _TESTS}, _CODE, _CODE.replace("a + b", "4")),
}


def _prove_verifier(name: str, kind: type[Check], folder: Path) -> None:
    """It passes a good reply, fails a bad one, and finds the facts that conditions may name, each of its kind."""
    assert name in EXAMPLES, "give the verifier replies in tests/support/proofs_of_models.py"
    if kind.runs_code and works_here():
        raise NotProvedError(f"programs are run in a sandbox: {works_here()}")
    config, good, bad = EXAMPLES[name]
    with in_place_of(known_verifiers(), name, kind):
        check = make_check(name, config)
    around = Surroundings(str(folder), run_code=kind.runs_code, checkout=str(folder))
    passed, failed = (verify(check, check.condition, Reply(text, Finish.STOP), around) for text in (good, bad))
    assert passed.passed and not failed.passed, (passed, failed)
    assert failed.told
    for item in (passed, failed):
        assert item.q1 is None or 0 <= item.q1 <= 1
        assert all(type(item.facts.get(key)) is type(value) for key, value in check.sample.items())


def _idle_verifier(kind: Any) -> Any:
    class Idle(kind):  # type: ignore[misc]
        """The same settings and facts, and no look at the reply."""

        runs_code: ClassVar[bool] = False
        __slots__ = ()

        def look(self, reply: Reply, surroundings: Surroundings) -> Findings:
            facts: Mapping[str, Fact] = self.sample
            return Findings(facts)

    return Idle


VERIFIERS = Registry("verifiers", known_verifiers(), _idle_verifier, _prove_verifier)
