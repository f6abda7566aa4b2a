"""How a manifest's model is reached: by a provider of `models/`, or the small local model with a server of its own.

A manifest is somebody else's: no command of it is run and no address beyond this machine is asked unless the caller
says so, because a key of the caller's would go along.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit
from weakref import WeakValueDictionary

from ..models.limits import Limits
from ..models.protocol import Model
from ..models.providers import load_model
from .contest import Contestant
from .errors import RoutingError
from .manifest import Manifest, ProviderChoice
from .manifest_values import LOCAL

_LOCAL_TOKENS = 512
_SERVERS: WeakValueDictionary[str, Any] = WeakValueDictionary()


@dataclass(frozen=True, slots=True)
class Trust:
    """What the caller allows manifests: to run commands, to ask servers on these hosts beside this machine."""

    commands: bool = False
    hosts: tuple[str, ...] = ()


def open_model(manifest: Manifest, trust: Trust | None = None, seconds: float = 120.0) -> Model:
    """Return the model of a manifest, which gives a reply within so many seconds or fails.

    Raises `RoutingError` for what is not allowed, and `SymOpsError` for a model that cannot be loaded.
    """
    chosen = manifest.provider
    if chosen is None:
        raise RoutingError(f"{manifest.name} names no provider: add one to its manifest")
    _refuse_untrusted(manifest, chosen, trust or Trust())
    return _open_local(chosen, seconds) if chosen.name == LOCAL else _load(chosen, chosen.base_url, seconds)


def open_contestants(found: Iterable[tuple[Manifest, str]], trust: Trust, seconds: float) -> list[Contestant]:
    """Return models with their states, ready to be asked; raise an error before any is asked."""
    return [Contestant(manifest, open_model(manifest, trust, seconds), state) for manifest, state in found]


def _load(chosen: ProviderChoice, base_url: str | None, seconds: float) -> Model:
    from ..exporters.decoding import load_grammar_for

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
    )


def _open_local(chosen: ProviderChoice, seconds: float) -> Model:
    """Return the small local model; one server serves all of them, and ends with the last."""
    from ..compliance.sources.local_model import LocalServer

    server = _SERVERS.get(LOCAL)
    if server is None:
        _SERVERS[LOCAL] = server = LocalServer(0)
    tokens, temperature = chosen.max_tokens or _LOCAL_TOKENS, chosen.temperature or 0.0
    limited = ProviderChoice("llama.cpp", None, None, None, tokens, temperature, chosen.constrained)
    model: Any = _load(limited, f"{server.address}/v1", seconds)
    model.server = server  # as long as the model is in use
    loaded: Model = model
    return loaded


def _refuse_untrusted(manifest: Manifest, chosen: ProviderChoice, trust: Trust) -> None:
    if chosen.command is not None and not trust.commands:
        told = f"{manifest.name} would run a command of its manifest: {chosen.command!r}"
        raise RoutingError(f"{told}; allow it if you trust it (--allow-commands)")
    host = _host(chosen.base_url) if chosen.base_url is not None else ""
    if host and not _is_here(host) and host not in trust.hosts:
        told = f"{manifest.name} would ask {host}, which its manifest names, and send your key to it"
        raise RoutingError(f"{told}; allow it if you trust it (--allow-host {host})")


def _host(address: str) -> str:
    try:
        host = urlsplit(address).hostname
    except ValueError:
        host = None
    if not host:
        raise RoutingError(f"{address!r} is no address of a server: it begins with http:// or https://")
    return host


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
