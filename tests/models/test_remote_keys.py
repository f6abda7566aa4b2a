"""Keys of models behind SDKs: where they come from, where they go, and that nothing shows them."""

from __future__ import annotations

import logging
import traceback

import pytest
from model_server import Answer, Failure, Line, model_server
from remote_models import KEY, VARIABLES, WAYS, every_protocol, every_way, fail, load

from symops_lark import ModelError
from symops_lark.models import load_model

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


def test_a_server_that_wants_a_key_after_all() -> None:
    with model_server(["unused"], key="sk-another") as server, pytest.raises(ModelError, match="wants a key") as caught:
        load_model("vllm", "m", base_url=server.url).generate("Hi.")
    assert caught.value.status == 401
