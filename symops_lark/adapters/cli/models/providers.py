"""The options by which commands name the model that answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from ..completing import complete_from, find_providers
from ..options import Decorator, FloatRange, base_url_option, reply_options, together
from ..texts import echo

_BYTES = 2**20  # bytes of a megabyte, the unit of --size-limit


def _list_providers(context: click.Context, parameter: click.Parameter, is_given: bool) -> None:
    # Called for each command line, with or without the option.
    if is_given:
        from ....models import PROVIDERS

        echo(f"{name:12} {provider.summary}" for name, provider in PROVIDERS.items())
        context.exit()


def model_options(*, required: bool) -> Decorator:
    """Return the options for a model.

    Args:
        required: Whether a provider must be named. A command that can work without a model does so
            if none is.
    """
    return together(
        click.option(
            "-p",
            "--provider",
            required=required,
            metavar="NAME",
            shell_complete=complete_from(find_providers),
            help="The provider of the model; see --list-providers.",
        ),
        # Eager, so that it works without the options that are required.
        click.option(
            "--list-providers",
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_list_providers,
            help="Print the providers and exit.",
        ),
        click.option("-m", "--model", metavar="NAME", help="The provider's name of the model."),
        base_url_option,
        click.option(
            "--command",
            metavar="LINE",
            help="With the provider `command`: the shell command that prints the reply.",
        ),
        click.option(
            "--timeout",
            type=FloatRange(min=0.1),
            default=120.0,
            help="Seconds to wait for more output; for a command: for the complete reply.",
        ),
        # A server that sends a byte each minute never exceeds the timeout, but this limit.
        click.option(
            "--time-limit",
            type=FloatRange(min=0.1),
            default=1800.0,
            help="Maximum time for a complete reply, in seconds.",
        ),
        click.option(
            "--size-limit",
            type=click.IntRange(min=1),
            default=64,
            metavar="MB",
            help="Maximum size of a complete reply.",
        ),
        reply_options,
    )


def way_option(help: str) -> Decorator:
    """Return the option for how a model is held to a form."""
    ways = click.Choice(["native_tool", "native_schema", "prompt"])
    return click.option("--way", type=ways, help=help)


def with_limits(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of `model_options` as `load_model` takes them."""
    from ....models import Limits

    arguments = dict(settings)
    size = arguments.pop("size_limit") * _BYTES
    # One limit for the bytes on the wire and for the text: a small one may unpack to gigabytes.
    arguments["limits"] = Limits(arguments.pop("time_limit"), size, size)
    return arguments
