"""`symops route history`: how the models came to be what they are."""

from __future__ import annotations

import click

from ..options import json_option
from ..routing_view import registry_option, show_history, show_models
from ..texts import echo, write_json


@click.command(name="history", short_help="Show what happened to models, or what they were on a day.")
@click.argument("model", required=False, metavar="[MODEL]")
@registry_option
@click.option("--at", metavar="DATE", help="Show the models as they were when this day (UTC) ended, or at this time.")
@json_option
def command(model: str | None, registry: str, at: str | None, as_json: bool) -> int:
    """Show what happened to the models, or to one of them, in order; with --at, which of them were stable then."""
    from ...routing import Registry

    with Registry(registry, create=False) as known:
        if model is not None:
            known.find(model)
        if at is None:
            events = known.history(model)
            if as_json:
                write_json(events)
            else:
                echo(show_history(events))
            return 0
        models = [each for each in known.at(at) if model in (None, each.model_id)]
    if as_json:
        write_json(models)
    else:
        echo(show_models(models) if models else ["no model was registered then"])
    return 0
