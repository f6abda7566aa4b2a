"""The providers by name. A module of this folder with `PROVIDERS` has some, so that to add one is to add a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from ..core.ground.members import coerce_members
from ..core.replies.messages import ModelError
from .addresses import read_address
from .forms import Way
from .limits import Limits
from .protocol import Model

TIMEOUT = 600.0


@dataclass(frozen=True)
class Settings:
    """What a user wants of a model; None leaves it to the provider."""

    model: str | None = None
    base_url: str | None = None
    timeout: float = TIMEOUT
    max_retries: int = 2
    key_variable: str | None = None
    max_tokens: int | None = None
    temperature: float | None = None
    command: str | None = None
    limits: Limits = field(default_factory=Limits)
    grammar: str | None = None  # that every reply must follow, in the provider's notation
    way: Way | None = None  # how the model is asked for a JSON object
    send_key: bool = True  # False: no key and no other credential goes along, whatever the environment holds

    def __post_init__(self) -> None:
        coerce_members(self)


@dataclass(frozen=True)
class Constraint:
    """How a provider is told a grammar: `notation` is an export's name, `fields` what a request then has as well."""

    notation: str
    fields: Callable[[str], dict[str, Any]]


@dataclass(frozen=True)
class Provider:
    """A provider: how its models are loaded, where it lives, and which environment variable holds its key, if any.

    `constraint` is how its replies are made to follow a grammar, None if they cannot be. `way` is how it is asked for a
    JSON object where nobody says otherwise, `wants_strict` whether it takes strict schemas only.
    """

    name: str
    summary: str
    load: Callable[[Provider, Settings], Model]
    base_url: str | None = None
    key_variable: str | None = None
    model: str | None = None  # for servers that have only one
    constraint: Constraint | None = None
    way: Way = Way.PROMPT
    wants_strict: bool = False

    def __post_init__(self) -> None:
        coerce_members(self)


def load_model(
    provider: str,
    model: str | None = None,
    *,
    base_url: str | None = None,
    timeout: float = TIMEOUT,
    max_retries: int = 2,
    key_variable: str | None = None,
    max_tokens: int | None = None,
    temperature: float | None = None,
    command: str | None = None,
    limits: Limits | None = None,
    grammar: str | None = None,
    way: Way | str | None = None,
    send_key: bool = True,
) -> Model:
    """Load a model by the name of its provider, as in `load_model("ollama", "qwen3")`. Nothing is asked yet.

    `timeout` is the longest silence in seconds, for a command the time for a whole reply; `limits` say how long and how
    large a whole reply may be (by default `Limits()`). Rate limits and failures of
    the server are tried again `max_retries` times. The key comes from the environment variable `key_variable`, which
    each provider presets. `grammar` is what every reply must follow, in the notation of the provider's `constraint`.
    `way` is how the model is asked for a JSON object (a `Way`, or its value); each provider presets it.
    Without `send_key` a server is asked without any credential.
    Raises `ModelError`.
    """
    if provider not in PROVIDERS:
        raise ModelError(f"there is no provider {provider!r}; there are {', '.join(PROVIDERS)}")
    if not timeout > 0:
        raise ModelError(f"the timeout is {timeout:g} s; it must be more than 0")
    for name, value, least in (("max_retries", max_retries, 0), ("max_tokens", max_tokens, 1)):
        if value is not None and value < least:
            raise ModelError(f"{name} is {value}; it must be at least {least}")
    chosen = PROVIDERS[provider]
    if grammar is not None:
        find_constraint(provider)
    if base_url is not None:
        read_address(base_url)
    if way is not None and way not in tuple(Way):
        raise ModelError(f"there is no way {way!r} to ask for a JSON object; there are {', '.join(Way)}")
    settings = Settings(
        model or chosen.model,
        base_url,
        timeout,
        max_retries,
        key_variable,
        max_tokens,
        temperature,
        command,
        limits or Limits(),
        grammar,
        None if way is None else Way(way),
        send_key,
    )
    return chosen.load(chosen, settings)


def find_constraint(provider: str) -> Constraint:
    """Return how a provider is told a grammar; raises `ModelError` if it takes none."""
    found = PROVIDERS[provider].constraint if provider in PROVIDERS else None
    if found is None:
        able = ", ".join(name for name, other in PROVIDERS.items() if other.constraint)
        raise ModelError(f"the provider {provider!r} takes no grammar for its replies; those that do are {able}")
    return found


class _Registry(Mapping[str, Provider]):
    """The providers by name; the modules of this folder are imported when somebody looks."""

    @cached_property
    def _found(self) -> dict[str, Provider]:
        package = import_module(str(__package__))
        modules = [
            import_module(f"{package.__name__}.{module.name}")
            for module in iter_modules(package.__path__)
            if not module.ispkg
        ]
        others = [module for module in modules if module.__name__ != __name__]
        found = [provider for module in others for provider in getattr(module, "PROVIDERS", ())]
        return {provider.name: provider for provider in sorted(found, key=lambda provider: provider.name)}

    def __getitem__(self, name: str) -> Provider:
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


PROVIDERS: Mapping[str, Provider] = _Registry()
