"""Verify that a reply is a document that can be applied to a copy of the caller's checkout."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from ...acting.plan.planning import plan
from ...acting.trials import is_file_change, try_plan
from ...core.ground.errors import WorkspaceError
from ...core.known_processors import known_processor
from ...core.replies.messages import Reply
from ...core.result import ProtocolError
from ..errors import RoutingError
from . import Fact, Findings, Surroundings
from .symops import SymOps


@dataclass(frozen=True, slots=True)
class Applies:
    """A trial of a document. Only a caller can give a checkout; commands of the reply are not run.

    A reply that repeats the content of the files applies and changes nothing: hence the fact
    `changes`.

    Attributes:
        format: The name of the dialect.
    """

    condition: ClassVar[str] = "applies == true and changes > 0"
    runs_code: ClassVar[bool] = False

    format: str = "v2"

    def __post_init__(self) -> None:
        SymOps(self.format)  # raises an error for anything but the name of a dialect

    @property
    def sample(self) -> Mapping[str, Fact]:
        """The facts about any reply."""
        return {"applies": False, "changes": 0, "conflicts": 0}

    def look(self, reply: Reply, surroundings: Surroundings) -> Findings:
        """Return whether the reply can be applied, and the number of files that it changes.

        Raises:
            RoutingError: There is no checkout.
        """
        if not surroundings.checkout:
            raise RoutingError(
                "the verifier applies needs a checkout, which the caller gives (Flow(checkout=…))"
            )
        # Without custom repair rules, as for all models.
        try:
            result = known_processor(self.format, ()).process(reply)
        except ProtocolError as error:
            return Findings(self.sample, 0.0, False, str(error))
        planned = plan(result.document, surroundings.checkout, format=self.format)
        changes = sum(map(is_file_change, planned.changes))
        facts = {**self.sample, "changes": changes, "conflicts": len(planned.conflicts)}
        message = "; ".join(conflict.message for conflict in planned.conflicts)
        # The trial is on a copy: the policy of a person still decides about the checkout itself.
        if not message and result.valid:
            try:
                facts["applies"] = try_plan(planned, surroundings.checkout)
            except WorkspaceError as error:
                message = str(error)
        if not changes:
            message = message or "it changes nothing"
        return Findings(facts, result.confidence, True, message)


VERIFIERS = {"applies": Applies}
