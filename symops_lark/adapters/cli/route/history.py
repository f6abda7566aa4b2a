"""`symops route history`: the events of a registry, or its states at a time."""

from __future__ import annotations

import click

from ..options import json_option
from ..routing_view import registry_option, show_history, show_models
from ..texts import print_result


@click.command(name="history")
@click.argument("model", required=False, metavar="[MODEL]")
@registry_option
@click.option(
    "--at", metavar="DATE", help="Show the states at the end of this day (UTC), or at this time."
)
@json_option
def command(model: str | None, registry: str, at: str | None, as_json: bool) -> int:
    """Show the history of models, or their states at a time.

    Events are shown in order, for all models or for one. With --at the models that were registered
    then are shown, each with its state.
    \f

    Args:
        model: The id of one model; None for all.
        registry: The registry.
        at: A day or a time; None for the history.
        as_json: Whether the output is JSON.
    """
    from ....routing import Registry

    with Registry(registry, create=False) as records:
        if model is not None:
            # An unknown model is an error, not an empty history.
            records.find(model)
        if at is None:
            events = records.history(model)
            print_result(events, show_history(events), as_json)
            return 0
        models = [state for state in records.at(at) if model in (None, state.model_id)]
    # An empty table would have only its titles.
    print_result(
        models, show_models(models) if models else ["no model was registered then"], as_json
    )
    return 0
