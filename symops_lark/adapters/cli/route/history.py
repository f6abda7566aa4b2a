"""`symops route history`: how the models came to be what they are."""

from __future__ import annotations

import click

from ..options import json_option
from ..routing_view import registry_option, show_history, show_models
from ..texts import tell


@click.command(name="history")
@click.argument("model", required=False, metavar="[MODEL]")
@registry_option
@click.option("--at", metavar="DATE", help="Show the states at the end of this day (UTC), or at this time.")
@json_option
def command(model: str | None, registry: str, at: str | None, as_json: bool) -> int:
    """Show the history of models, or their states at a time.

    Events are shown in order, for all models or for one. With --at the models that were stable then
    are shown.
    """
    from ....routing import Registry

    with Registry(registry, create=False) as known:
        if model is not None:
            known.find(model)
        if at is None:
            events = known.history(model)
            tell(events, show_history(events), as_json)
            return 0
        models = [each for each in known.at(at) if model in (None, each.model_id)]
    tell(models, show_models(models) if models else ["no model was registered then"], as_json)
    return 0
