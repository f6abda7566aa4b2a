"""Open the model of a manifest: by a provider of `models/`, or as the small local model.

A third party wrote the manifest. So no command of it is run, and no address beyond this machine is
asked, unless the caller allows it: the caller's key would be sent along. Servers on this machine
are asked without a key, because any program may have started them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from threading import Lock
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

_LOCAL_TOKENS = 512  # of a reply of the local model, if its manifest has no maximum
# The server of the local model, as long as a model uses it.
_SERVERS: WeakValueDictionary[str, Any] = WeakValueDictionary()
_STARTING = Lock()  # two threads that find no server would start two


@dataclass(frozen=True, slots=True)
class Trust:
    """The permissions that the caller gives to manifests.

    Attributes:
        commands: Whether commands of manifests are run.
        hosts: Servers (HOST or HOST:PORT) that are asked with the caller's key. Others are asked
            without one if they are on this machine, else not at all.
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
        # A host without a port allows all of its ports.
        allowed = {read_host(host) for host in self.hosts}
        return bool(allowed & {server, Host(server.name)})


def open_model(manifest: Manifest, trust: Trust | None = None, seconds: float = 120.0) -> Model:
    """Return the model of a manifest. No request is sent yet.

    Args:
        manifest: The manifest.
        trust: The permissions of the manifest. None: no commands, and only servers of this machine.
        seconds: The time limit of a reply.

    Raises:
        RoutingError: The manifest names no provider, or asks for more than is allowed.
        SymOpsError: The model cannot be loaded.
    """
    chosen = manifest.provider
    if chosen is None:
        raise RoutingError(f"{manifest.name} names no provider: add one to its manifest")
    send_key = _check_trust(manifest, chosen, trust or Trust())
    if chosen.name == LOCAL:
        return _open_local(chosen, seconds)
    return _load(chosen, seconds, send_key)


def open_contestants(
    models: Iterable[tuple[Manifest, str]], trust: Trust, seconds: float
) -> list[Contestant]:
    """Return models that can be asked; raise the error of any of them before one is asked.

    Args:
        models: The manifests, each with its state in the registry.
        trust: The permissions of the manifests.
        seconds: The time limit of a reply.
    """
    contestants = []
    for manifest, state in models:
        contestants.append(Contestant(manifest, open_model(manifest, trust, seconds), state))
    return contestants


def _load(chosen: ProviderChoice, seconds: float, send_key: bool) -> Model:
    from ...exports.decoding import load_grammar_for

    grammar = None
    if chosen.constrained:
        grammar = load_grammar_for(chosen.name, chosen.constrained)
    return load_model(
        chosen.name,
        chosen.model,
        base_url=chosen.base_url,
        timeout=seconds,
        # Not again after a failure: all attempts would share the time limit.
        max_retries=0,
        max_tokens=chosen.max_tokens,
        temperature=chosen.temperature,
        command=chosen.command,
        limits=Limits(seconds=seconds),
        grammar=grammar,
        send_key=send_key,
    )


def _open_local(chosen: ProviderChoice, seconds: float) -> Model:
    """Return the small local model. One server serves all of them, and ends with the last one."""
    from ...lab.benchmark.sources.local_model import LocalServer

    with _STARTING:
        server = _SERVERS.get(LOCAL)
        if server is None:
            server = LocalServer(0)
            _SERVERS[LOCAL] = server
    local = ProviderChoice(
        "llama.cpp",
        # The model and the command of the manifest are not those of this server.
        base_url=f"{server.address}/v1",
        max_tokens=chosen.max_tokens or _LOCAL_TOKENS,
        temperature=chosen.temperature or 0.0,
        constrained=chosen.constrained,
    )
    model: Any = _load(local, seconds, send_key=False)
    model.server = server  # keeps it running while the model is in use
    loaded: Model = model
    return loaded


def _check_trust(manifest: Manifest, chosen: ProviderChoice, trust: Trust) -> bool:
    """Return whether the caller's key is sent along.

    Raises:
        RoutingError: The manifest asks for more than is allowed.
    """
    if chosen.command is not None and not trust.commands:
        raise RoutingError(
            f"{manifest.name} would run a command of its manifest: {chosen.command!r}; "
            "allow it if you trust it (--allow-commands)"
        )
    address = chosen.base_url
    if address is None and chosen.name in PROVIDERS:
        address = PROVIDERS[chosen.name].base_url
    # The SDK knows the provider's server, which is the one that the key is for.
    if address is None:
        return True
    try:
        server = read_address(address)
    except ModelError as error:
        raise RoutingError(f"{manifest.name}: {error}") from None
    if trust.allows(server):
        return True
    # The presets of providers are trusted: they are not from the manifest.
    if chosen.base_url is not None and not server.is_loopback:
        raise RoutingError(
            f"{manifest.name} would ask {server.name}, which its manifest names, and send your "
            f"key to it; allow it if you trust it (--allow-host {server})"
        )
    return not server.is_loopback
