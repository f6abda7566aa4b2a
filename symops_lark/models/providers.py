"""The providers by name.

A module of this folder with `PROVIDERS` has some: to add a provider, add a file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from math import isfinite
from pkgutil import iter_modules
from typing import Any

from ..core.ground.members import coerce_members
from ..core.replies.messages import ModelError
from .addresses import read_address
from .forms import Way
from .limits import Limits, is_number
from .protocol import Model

TIMEOUT = 600.0


@dataclass(frozen=True)
class Settings:
    """The settings of a model; None leaves them to the provider.

    Attributes:
        model: The provider's name of the model.
        base_url: The base URL of the server.
        timeout: The longest silence in seconds; for a command, the time for a whole reply.
        max_retries: Number of further attempts after a passing failure.
        key_variable: The environment variable with the key.
        max_tokens: The maximum length of a reply.
        temperature: The temperature of sampling.
        command: The shell command of the provider `command`.
        limits: The limits of a whole reply.
        grammar: The grammar that each reply must follow, in the provider's notation.
        way: How the model is asked for a JSON object.
        send_key: Whether a key is sent. Without it, no other credential of the environment is sent.
    """

    model: str | None = None
    base_url: str | None = None
    timeout: float = TIMEOUT
    max_retries: int = 2
    key_variable: str | None = None
    max_tokens: int | None = None
    temperature: float | None = None
    command: str | None = None
    limits: Limits = field(default_factory=Limits)
    grammar: str | None = None
    way: Way | None = None
    send_key: bool = True

    def __post_init__(self) -> None:
        coerce_members(self)


@dataclass(frozen=True)
class Constraint:
    """How a provider constrains decoding with a grammar.

    Attributes:
        notation: The name of the export that writes the grammar.
        fields: Returns the additional fields of a request for a grammar.
    """

    notation: str
    fields: Callable[[str], dict[str, Any]]


@dataclass(frozen=True)
class Provider:
    """A provider of models.

    Attributes:
        name: Its name.
        summary: A line about it.
        load: Loads a model.
        base_url: The address of its server. None: that of the SDK.
        key_variable: The environment variable with the key. None: it needs no key.
        model: The model of a server that has only one.
        constraint: How replies follow a grammar. None: they cannot.
        way: The usual way to ask for a JSON object.
        wants_strict: Whether it accepts only strict schemas.
    """

    name: str
    summary: str
    load: Callable[[Provider, Settings], Model]
    base_url: str | None = None
    key_variable: str | None = None
    model: str | None = None
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
    """Load a model by the name of its provider, as in `load_model("ollama", "qwen3")`.

    No request is sent yet.

    Args:
        provider: The name of the provider, one of `PROVIDERS`.
        model: The provider's name of the model. None: for a server that has only one.
        base_url: The base URL of the server. None: the usual one of the provider. Of what an SDK
            takes from the environment, another server than its own is sent the key only.
        timeout: The longest silence in seconds; for a command, the time for a whole reply.
        max_retries: Number of further attempts after a rate limit or a failure of the server.
        key_variable: The environment variable with the key. None: the usual one of the provider.
        max_tokens: The maximum length of a reply. None: set by the provider.
        temperature: The temperature of sampling. None: set by the provider.
        command: The shell command of the provider `command`.
        limits: The time and the size of a whole reply. None: `Limits()`.
        grammar: The grammar that each reply must follow, in the notation of `find_constraint`.
        way: How the model is asked for a JSON object. None: the usual way of the provider.
        send_key: Whether a key is sent. Without it, no credential is sent.

    Returns:
        The model.

    Raises:
        ModelError: There is no such provider, a value is out of range, or the key or the library
            is missing.
    """
    if provider not in PROVIDERS:
        raise ModelError(f"there is no provider {provider!r}; there are {', '.join(PROVIDERS)}")
    _check_numbers(timeout, max_retries, max_tokens, temperature)
    # `Settings` has the values as they were given, and the provider fills in its own.
    chosen = PROVIDERS[provider]
    # A grammar that the provider cannot use would be ignored without a word.
    if grammar is not None:
        find_constraint(provider)
    if base_url is not None:
        read_address(base_url)
    if way is not None and way not in tuple(Way):
        raise ModelError(
            f"there is no way {way!r} to ask for a JSON object; there are {', '.join(Way)}"
        )
    # All values are checked here, so that a wrong one is reported before a request.
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


def _check_numbers(
    timeout: float, max_retries: int, max_tokens: int | None, temperature: float | None
) -> None:
    """Raise an error for a number that is out of range, or that is not a number."""
    # Also for a NaN.
    if not (is_number(timeout) and timeout > 0):
        raise ModelError(f"the timeout is {timeout!r} s; it must be more than 0")
    counts = [("max_retries", max_retries, 0)]
    if max_tokens is not None:
        counts.append(("max_tokens", max_tokens, 1))
    for name, value, least in counts:
        if not (is_number(value) and isinstance(value, int) and value >= least):
            raise ModelError(f"{name} is {value!r}; it must be a whole number, at least {least}")
    # JSON has no other numbers.
    if temperature is not None and not (is_number(temperature) and isfinite(temperature)):
        raise ModelError(f"the temperature is {temperature!r}; it must be a finite number")


def find_constraint(provider: str) -> Constraint:
    """Return how a provider constrains decoding with a grammar.

    Args:
        provider: The name of the provider.

    Raises:
        ModelError: The provider cannot, or there is no such provider.
    """
    constraints = {}
    for name, entry in PROVIDERS.items():
        if entry.constraint is not None:
            constraints[name] = entry.constraint
    if provider not in constraints:
        able = ", ".join(constraints)
        raise ModelError(
            f"the provider {provider!r} takes no grammar for its replies; those that do are {able}"
        )
    return constraints[provider]


class _Registry(Mapping[str, Provider]):
    """The providers by name. The modules of this folder are imported on first use."""

    @cached_property
    def _providers(self) -> dict[str, Provider]:
        package = import_module(str(__package__))
        providers = {}
        for entry in iter_modules(package.__path__):
            name = f"{package.__name__}.{entry.name}"
            # Not this module, whose `PROVIDERS` is this mapping.
            if not entry.ispkg and name != __name__:
                for provider in getattr(import_module(name), "PROVIDERS", ()):
                    providers[provider.name] = provider
        return dict(sorted(providers.items()))

    def __getitem__(self, name: str) -> Provider:
        return self._providers[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._providers)

    def __len__(self) -> int:
        return len(self._providers)


PROVIDERS: Mapping[str, Provider] = _Registry()
