"""How a manifest's model is reached: by a provider of `models/`, or the small local model with a server of its own.

A manifest is somebody else's: no command of it is run and no address beyond this machine is asked unless the caller
says so, because a key of the caller's would go along. Servers on this machine are asked without a key: whose they are
is not known either.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from weakref import WeakValueDictionary

from ...core.replies.messages import ModelError
from ...models.addresses import Host, read_address, read_host
from ...models.limits import Limits
from ...models.protocol import Model
from ...models.providers import PROVIDERS, load_model
from ..errors import RoutingError
from ..manifests.manifest import Manifest, ProviderChoice
from ..manifests.manifest_values import LOCAL
from .contest import Contestant

_LOCAL_TOKENS = 512
_SERVERS: WeakValueDictionary[str, Any] = WeakValueDictionary()


@dataclass(frozen=True, slots=True)
class Trust:
    """What the caller allows manifests.

    Attributes:
        commands: Whether commands of manifests are run.
        hosts: Servers (HOST or HOST:PORT) that are asked with the caller's key. Others are asked without one if they
            are on this machine, else not at all.
    """

    commands: bool = False
    hosts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        try:
            for host in self.hosts:
                read_host(host)
        except ModelError as error:
            raise RoutingError(f"allowed hosts: {error}") from None

    def allows(self, server: Host) -> bool:
        """Return whether a server gets the caller's key."""
        return any(host.name == server.name and host.port in (None, server.port) for host in map(read_host, self.hosts))


def open_model(manifest: Manifest, trust: Trust | None = None, seconds: float = 120.0) -> Model:
    """Return the model of a manifest, which gives a reply within so many seconds or fails.

    Raises `RoutingError` for what is not allowed, and `SymOpsError` for a model that cannot be loaded.
    """
    chosen = manifest.provider
    if chosen is None:
        raise RoutingError(f"{manifest.name} names no provider: add one to its manifest")
    send_key = _check_trust(manifest, chosen, trust or Trust())
    if chosen.name == LOCAL:
        return _open_local(chosen, seconds)
    return _load(chosen, chosen.base_url, seconds, send_key)


def open_contestants(found: Iterable[tuple[Manifest, str]], trust: Trust, seconds: float) -> list[Contestant]:
    """Return models with their states, ready to be asked; raise an error before any is asked."""
    return [Contestant(manifest, open_model(manifest, trust, seconds), state) for manifest, state in found]


def _load(chosen: ProviderChoice, base_url: str | None, seconds: float, send_key: bool) -> Model:
    from ...exports.decoding import load_grammar_for

    return load_model(
        chosen.name,
        chosen.model,
        base_url=base_url,
        timeout=seconds,
        max_retries=0,
        max_tokens=chosen.max_tokens,
        temperature=chosen.temperature,
        command=chosen.command,
        limits=Limits(seconds=seconds),
        grammar=load_grammar_for(chosen.name, chosen.constrained) if chosen.constrained else None,
        send_key=send_key,
    )


def _open_local(chosen: ProviderChoice, seconds: float) -> Model:
    """Return the small local model; one server serves all of them, and ends with the last."""
    from ...lab.benchmark.sources.local_model import LocalServer

    server = _SERVERS.get(LOCAL)
    if server is None:
        _SERVERS[LOCAL] = server = LocalServer(0)
    tokens, temperature = chosen.max_tokens or _LOCAL_TOKENS, chosen.temperature or 0.0
    limited = ProviderChoice("llama.cpp", None, None, None, tokens, temperature, chosen.constrained)
    model: Any = _load(limited, f"{server.address}/v1", seconds, send_key=False)
    model.server = server  # as long as the model is in use
    loaded: Model = model
    return loaded


def _check_trust(manifest: Manifest, chosen: ProviderChoice, trust: Trust) -> bool:
    """Return whether the caller's key may go along; raise `RoutingError` for what is not allowed at all."""
    if chosen.command is not None and not trust.commands:
        told = f"{manifest.name} would run a command of its manifest: {chosen.command!r}"
        raise RoutingError(f"{told}; allow it if you trust it (--allow-commands)")
    preset = PROVIDERS[chosen.name].base_url if chosen.name in PROVIDERS else None
    if (address := chosen.base_url or preset) is None:
        return True  # the provider's own server
    try:
        server = read_address(address)
    except ModelError as error:
        raise RoutingError(f"{manifest.name}: {error}") from None
    if trust.allows(server):
        return True
    if chosen.base_url is not None and not server.is_loopback:
        told = f"{manifest.name} would ask {server.name}, which its manifest names, and send your key to it"
        raise RoutingError(f"{told}; allow it if you trust it (--allow-host {server})")
    return not server.is_loopback
