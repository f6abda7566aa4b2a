"""Which servers get the caller's key: manifests against a real server on loopback, which keeps what it was sent."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest
from command_line import run
from hypothesis import given, reject
from hypothesis import strategies as st
from model_server import ModelServer, model_server
from route_models import changed, write_model

from symops_lark.core.replies.messages import ModelError
from symops_lark.models import load_model
from symops_lark.models.addresses import read_address
from symops_lark.routing import Manifest, RoutingError, Trust, open_model

SECRETS = {
    "OPENAI_API_KEY": "sk-secret-1",
    "OPENAI_ORG_ID": "org-secret-2",
    "OPENAI_PROJECT_ID": "proj-secret-3",
    "ANTHROPIC_API_KEY": "sk-secret-4",
    "ANTHROPIC_AUTH_TOKEN": "token-secret-5",
    "ANTHROPIC_CUSTOM_HEADERS": "X-Gateway: secret-6\nAuthorization: Bearer secret-7",
    "OPENROUTER_API_KEY": "sk-secret-8",
}
PROVIDERS = ("openai", "anthropic", "openrouter", "vllm")
MESSAGES = [{"role": "user", "content": "Hello."}]


@pytest.fixture(autouse=True)
def secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)


def manifest(folder: Path, name: str, address: str) -> Manifest:
    provider = {"name": name, "model": "m", "base_url": address}
    return Manifest.load(write_model(folder, changed("provider", provider)))


def sent(server: ModelServer) -> str:
    return "\n".join(f"{name}: {value}" for request in server.requests for name, value in request.headers.items())


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize("is_streamed", [False, True])
def test_this_machine_gets_no_key_by_itself(tmp_path: Path, name: str, is_streamed: bool) -> None:
    with model_server(["yes"]) as server:
        model = open_model(manifest(tmp_path, name, server.url))
        if is_streamed:
            assert "".join(model.stream(MESSAGES)) == "yes"
        else:
            assert model.generate(MESSAGES).text == "yes"
        headers = sent(server)
    assert "secret" not in headers and "authorization" not in headers and "x-api-key" not in headers, headers


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:{port}"])
@pytest.mark.parametrize("name", ["openai", "anthropic", "openrouter"])
def test_this_machine_gets_the_key_if_that_is_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, host: str
) -> None:
    monkeypatch.delenv("ANTHROPIC_CUSTOM_HEADERS")  # by which a user may send another key
    with model_server(["yes"]) as server:
        trust = Trust(hosts=(host.format(port=server.server_port),))
        open_model(manifest(tmp_path, name, server.url), trust).generate(MESSAGES)
        assert SECRETS[f"{name.upper()}_API_KEY"] in sent(server)


@pytest.mark.parametrize("host", ["127.0.0.1:{other}", "localhost", "127.0.0.2", "[::1]:{port}", "evil.example"])
def test_another_server_is_not_the_one_that_is_allowed(tmp_path: Path, host: str) -> None:
    with model_server(["yes"]) as server:
        trust = Trust(hosts=(host.format(port=server.server_port, other=server.server_port - 1),))
        open_model(manifest(tmp_path, "openai", server.url), trust).generate(MESSAGES)
        assert "secret" not in sent(server)


@pytest.mark.parametrize("host", ["127.0.0.2", "localhost", "LOCALHOST", "localhost.", "[::ffff:127.0.0.1]"])
def test_other_spellings_of_this_machine_get_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    monkeypatch.setenv("NO_PROXY", "*")
    with model_server(["yes"]) as server:
        address = server.url.replace("127.0.0.1", host)
        request = open_model(manifest(tmp_path, "openai", address))
        try:
            request.generate(MESSAGES)
        except ModelError as error:  # the system does not know the name, or the server listens on one address alone
            assert "cannot be reached" in str(error)
        assert "secret" not in sent(server)


@pytest.mark.parametrize(
    "host", ["2130706433", "0x7f000001", "0177.0.0.1", "127.1", "127.0.0.0x1", "127.000.000.001", "127.0.0.1.."]
)
def test_numbers_that_only_some_read_as_an_address_are_refused(tmp_path: Path, host: str) -> None:
    with pytest.raises(RoutingError, match=r"four decimal numbers|two points in a row"):
        manifest(tmp_path, "openai", f"http://{host}:8000/v1")


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("http://127.0.0.1:8000/v1#", "a fragment"),
        ("http://127.0.0.1:8000/v1#@evil.example/v1", "holds a name, a key"),
        ("http://127.0.0.1#.evil.example/v1", "a fragment"),
        ("http://evil.example\\@127.0.0.1/v1", "holds a name, a key"),
        ("http://127.0.0.1\\evil.example/v1", "a backslash"),
        ("http://@127.0.0.1/v1", "holds a name, a key"),
        ("http://me:you@127.0.0.1/v1", "holds a name, a key"),
        ("http://127.0.0.1/v1?", "holds a name, a key or a query"),
        ("file:///etc/passwd", "begins with http"),
        ("ftp://127.0.0.1/", "begins with http"),
        ("http+unix://127.0.0.1/", "begins with http"),
        ("//127.0.0.1/v1", "begins with http"),
        ("http:127.0.0.1", "begins with http"),
        ("http:///127.0.0.1", "begins with http"),
        ("http://127.0.0.1%2f.evil.example/", "a host has letters"),
        ("http://127。0。0。1/v1", "a host has letters"),
        ("http://ⓛocalhost/v1", "a host has letters"),
        ("http://[::1%25lo]/v1", "a host has letters"),
        ("http://[::1/v1", "a host has letters"),
        ("http://127.0.0.1:0/v1", "from 1 to 65535"),
        ("http://127.0.0.1:99999/v1", "from 1 to 65535"),
        ("http://127.0.0.1:8o/v1", "a port digits"),
    ],
)
def test_addresses_that_two_readers_could_take_for_two_are_refused(tmp_path: Path, address: str, said: str) -> None:
    with pytest.raises(RoutingError, match=said) as raised:
        manifest(tmp_path, "openai", address)
    assert "base_url" in str(raised.value) and "model.yaml:" in str(raised.value)
    with pytest.raises(ModelError, match=said):
        load_model("vllm", "m", base_url=address)


def test_names_that_lead_to_this_machine_are_servers_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever answers for the name decides where it leads, and when: it is allowed by its name, or not asked."""
    real = socket.getaddrinfo
    monkeypatch.setattr(
        socket, "getaddrinfo", lambda host, *rest, **named: real("127.0.0.1" if host else host, *rest, **named)
    )
    monkeypatch.setenv("NO_PROXY", "*")
    with model_server(["yes"]) as server:
        address = server.url.replace("127.0.0.1", "here.example")
        model = manifest(tmp_path, "openai", address)
        for host in ((), ("127.0.0.1",), ("localhost",)):
            with pytest.raises(RoutingError, match=r"--allow-host here\.example:"):
                open_model(model, Trust(hosts=host))
        assert server.requests == []
        open_model(model, Trust(hosts=("here.example",))).generate(MESSAGES)
        assert server.requests[0].key == SECRETS["OPENAI_API_KEY"]


def test_a_server_that_wants_a_key_is_told_with_what_to_do(tmp_path: Path) -> None:
    raises = pytest.raises(ModelError, match=r"wants a key .* none was sent: .*--allow-host")
    with model_server(["yes"], key=SECRETS["OPENAI_API_KEY"]) as server, raises:
        open_model(manifest(tmp_path, "openai", server.url)).generate(MESSAGES)


def test_the_command_line_asks_with_the_key_only_if_it_is_told_to(tmp_path: Path) -> None:
    with model_server(['{"x": 1}'] * 2) as server:
        provider = {"name": "openai", "model": "m", "base_url": server.url}
        folder = write_model(tmp_path / "model", changed("provider", provider))
        assert run("route", "run", "-m", str(folder), "hello").exit_code == 0
        allowed = ("--allow-host", f"127.0.0.1:{server.server_port}")
        assert run("route", "run", "-m", str(folder), *allowed, "hello").exit_code == 0
        assert [SECRETS["OPENAI_API_KEY"] in str(request.headers) for request in server.requests] == [False, True]
        done = run("route", "run", "-m", str(folder), "--allow-host", "http://127.0.0.1", "hello")
        assert done.exit_code == 2 and "write HOST or HOST:PORT" in done.stderr


@pytest.mark.parametrize("host", ["", "http://h", "h:", "h:x", "h:70000", "a b", "me@h", "::1:", "[::1", "127.1"])
def test_hosts_that_are_none_are_told(host: str) -> None:
    with pytest.raises(RoutingError, match="allowed hosts"):
        Trust(hosts=(host,))


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("::1", "http://[::1]:8000"),
        ("[::1]:8000", "http://[0:0::1]:8000"),
        ("A.Example.", "https://a.example/v1"),
        ("h:443", "https://h/"),
        ("h:80", "http://H"),
        ("10.0.0.1", "http://[::ffff:a00:1]:5"),
    ],
)
def test_hosts_are_compared_in_one_spelling(host: str, address: str) -> None:
    assert Trust(hosts=(host,)).allows(read_address(address))


_PIECES = ["127.0.0.1", "localhost", "[::1]", "evil.example", "1", "0x7f", "%2e", "http:", "https:", "@", "#", "\\"]


@given(st.lists(st.sampled_from([*_PIECES, "/", "//", ":", "8000", ".", "?", "。", "\t", "[", "]"]), max_size=8))
def test_what_is_checked_is_what_is_asked(pieces: list[str]) -> None:
    """The SDKs' own reader finds the same server in every address that is not refused."""
    import httpx2

    address = "http://" + "".join(pieces)
    try:
        server = read_address(address)
    except ModelError:
        reject()
    request: Any = httpx2.URL(address)
    name = request.host.lower().removesuffix(".")
    assert name == server.name or (":" in name and read_address(f"http://[{name}]").name == server.name)
    assert (request.port or {"http": 80, "https": 443}[request.scheme]) == server.port
    assert not request.userinfo and not request.fragment
