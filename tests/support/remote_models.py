"""Models behind SDKs, loaded for a server on loopback, and the ways to ask them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from model_server import Line, ModelServer, Request, Script, model_server

from symops_lark import ModelError
from symops_lark.models import Model, Reply, Way, load_model

KEY = "sk-very-secret-0123456789"
VARIABLES = {"openai": "OPENAI_API_KEY", "openrouter": "OPENROUTER_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
PROTOCOLS = ("openai", "anthropic")
TEXT = ">> Grün ist 緑.\n:: create → a.py\n<<<\nx = 1\n>>>\n"

WAYS: dict[str, Callable[[Model], Reply]] = {
    "generate": lambda model: model.generate("Hello."),
    "stream": lambda model: model.stream("Hello.").read(),
    "agenerate": lambda model: asyncio.run(model.agenerate("Hello.")),
    "astream": lambda model: asyncio.run(model.astream("Hello.").read()),
}
every_way = pytest.mark.parametrize("way", WAYS)
every_protocol = pytest.mark.parametrize("protocol", PROTOCOLS)
NATIVE = [("openai", Way.SCHEMA), ("openai", Way.TOOL), ("anthropic", Way.TOOL), ("vllm", Way.SCHEMA)]
natively = pytest.mark.parametrize(("provider", "way"), NATIVE)


def set_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the SDKs keys, and no address but the one that a test names."""
    for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, "a-key-for-tests")


def load(
    server: ModelServer,
    protocol: str,
    *,
    max_retries: int = 2,
    timeout: float = 30.0,
    max_tokens: int | None = None,
    temperature: float | None = None,
) -> Model:
    return load_model(
        protocol,
        "a-model",
        base_url=server.url,
        max_retries=max_retries,
        timeout=timeout,
        max_tokens=max_tokens,
        temperature=temperature,
    )


def ask(
    script: Script,
    protocol: str,
    way: str = "generate",
    *,
    max_retries: int = 2,
    timeout: float = 30.0,
    key: str | None = None,
) -> tuple[Reply | ModelError, list[Request]]:
    """Give the reply or the error, and the requests that the server got."""
    with model_server(script, key=key) as server:
        try:
            return WAYS[way](load(server, protocol, max_retries=max_retries, timeout=timeout)), server.requests
        except ModelError as error:
            return error, server.requests


def fail(
    line: Line, protocol: str, way: str = "generate", *, timeout: float = 30.0, key: str | None = None
) -> ModelError:
    """Give the error of one request that is not tried again."""
    error, requests = ask([line], protocol, way, max_retries=0, timeout=timeout, key=key)
    assert isinstance(error, ModelError), error
    assert len(requests) == 1
    return error


def set_every_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the key of every provider, and remove the other variables that SDKs read."""
    for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "ANTHROPIC_AUTH_TOKEN", "OPENAI_LOG", "ANTHROPIC_LOG"):
        monkeypatch.delenv(name, raising=False)
    for variable in VARIABLES.values():
        monkeypatch.setenv(variable, KEY)
