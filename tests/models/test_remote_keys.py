"""Keys of models behind SDKs: where they come from, where they go, and that nothing shows them."""

from __future__ import annotations

import importlib
import logging
import traceback
from typing import Any

import pytest
from model_server import Answer, Failure, Line, model_server
from remote_models import KEY, PROTOCOLS, VARIABLES, WAYS, every_protocol, every_way, fail, load

from symops_lark import ModelError
from symops_lark.models import load_model
from symops_lark.models.addresses import read_address

pytestmark = pytest.mark.usefixtures("keys")


@pytest.mark.parametrize("provider", VARIABLES)
def test_a_wrong_key_names_its_variable(provider: str) -> None:
    error = fail("unused", provider, key="sk-another")
    assert error.status == 401 and not error.retryable
    assert VARIABLES[provider] in str(error) and KEY not in str(error)
    assert f"Incorrect API key provided: ${VARIABLES[provider]}." in str(error)


@every_way
@every_protocol
@pytest.mark.parametrize(
    "line",
    ["Yes.", Failure(401, f"bad {KEY}"), Failure(500, f"bad {KEY}"), Answer("abcdefgh", fault="cut", at=4)],
    ids=["reply", "401", "500", "cut"],
)
def test_a_key_is_never_shown(protocol: str, way: str, line: Line, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with model_server([line] * 3) as server:
        model = load(server, protocol, max_retries=1 if isinstance(line, Failure) else 0)
        reprs = [repr(model), str(model), repr(vars(model)), model.name]
        try:
            reprs.append(repr(WAYS[way](model)))
        except ModelError as error:
            reprs += ["".join(traceback.format_exception(error)), repr(error), repr(vars(error))]
            assert error.__cause__ is None and error.__context__ is None
    assert server.requests[0].key == KEY
    assert caplog.records, "the SDKs' own logs are looked at as well"
    assert KEY not in "\n".join([*reprs, caplog.text, *(repr(vars(record)) for record in caplog.records)])


@pytest.mark.parametrize("provider", VARIABLES)
def test_a_missing_key_names_its_variable(provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLES[provider])
    with pytest.raises(ModelError, match=f"set the environment variable {VARIABLES[provider]}"):
        load_model(provider, "m")


@pytest.mark.parametrize("key", ["sk-with a space", "sk-schlüssel", "sk-line\nbreak"])
def test_what_cannot_be_a_key_is_not_shown(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(ModelError, match="OPENAI_API_KEY has a value that is not a key") as caught:
        load_model("openai", "m")
    assert "sk-" not in str(caught.value)


@pytest.mark.parametrize("provider", ["ollama", "vllm", "llama.cpp"])
def test_local_servers_get_no_key_of_others(provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_SERVER", "key-of-my-server")
    with model_server(["Yes.", "Yes."]) as server:
        load_model(provider, "m", base_url=server.url).generate("Hi.")
        load_model(provider, "m", base_url=server.url, key_variable="MY_SERVER").generate("Hi.")
    assert [request.key for request in server.requests] == ["no-key-needed", "key-of-my-server"]


# What the SDKs send of the environment, beside the key.
ENVIRONMENT = {
    "OPENAI_ORG_ID": "org-secret",
    "OPENAI_PROJECT_ID": "proj-secret",
    "OPENAI_CUSTOM_HEADERS": "X-Gateway-Token: token-secret",
    "ANTHROPIC_AUTH_TOKEN": "auth-secret",
    "ANTHROPIC_CUSTOM_HEADERS": "X-Gateway: gateway-secret\nAuthorization: Bearer other-secret",
}


def set_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)


@every_way
@pytest.mark.parametrize("provider", ["openai", "openrouter", "anthropic", "ollama", "vllm", "llama.cpp"])
def test_another_address_gets_the_key_and_no_other_header(
    provider: str, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_environment(monkeypatch)
    with model_server([Failure(429), "Yes."]) as server:
        WAYS[way](load_model(provider, "m", base_url=server.url))
    for request in server.requests:
        assert request.key == (KEY if provider in VARIABLES else "no-key-needed")
        assert not any("secret" in value for value in request.headers.values() if KEY not in value)
    assert len(server.requests) == 2


@pytest.mark.parametrize(("protocol", "sent"), [("openai", "org-secret"), ("anthropic", "gateway-secret")])
def test_the_address_of_the_sdk_gets_its_headers(protocol: str, sent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    set_environment(monkeypatch)
    with model_server(["Yes."]) as server:
        url = server.url if protocol == "openai" else server.url.removesuffix("/v1")
        monkeypatch.setenv(f"{protocol.upper()}_BASE_URL", url)
        load_model(protocol, "m").generate("Hi.")
    assert sent in server.requests[0].headers.values()


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_address_of_the_sdk_may_be_named(protocol: str) -> None:
    model: Any = load_model(protocol, "m")
    sdk: Any = importlib.import_module(model.extra)
    address = str(getattr(sdk, model.client)(api_key=KEY).base_url)
    assert read_address(address) == read_address(model.home)
    for base_url, is_home in ((address, True), ("https://example.com/v1", False), (None, True)):
        model = load_model(protocol, "m", base_url=base_url)
        assert model._is_home() is is_home


def test_a_server_that_wants_a_key_after_all() -> None:
    with model_server(["unused"], key="sk-another") as server, pytest.raises(ModelError, match="wants a key") as caught:
        load_model("vllm", "m", base_url=server.url).generate("Hi.")
    assert caught.value.status == 401
