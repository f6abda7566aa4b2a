"""Verify that a reply has a JSON object that fits a schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ...answers.structured import SchemaError, extract_json, find_problems
from ...answers.structured.schema.problems import same
from ...core.ground.json_objects import FieldError
from ...core.replies.messages import Reply
from ..errors import RoutingError
from ..files import read_json_below
from . import Fact, Findings, Surroundings

_ANY: Mapping[str, Any] = {"type": "object"}


@dataclass(frozen=True, slots=True)
class JsonSchema:
    """A comparison with a schema; by default, with that of the contract.

    Attributes:
        schema: The schema.
        schema_ref: Its file, below the folder of the manifest.
        expected: The right object, if it is known: q1 is the share of its values in the reply.
    """

    condition: ClassVar[str] = "schema_valid == true"
    runs_code: ClassVar[bool] = False

    schema: Mapping[str, Any] | None = None
    schema_ref: str | None = None
    expected: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        if self.schema is not None:
            try:
                find_problems({}, self.schema)
            except SchemaError as error:
                raise FieldError(f"schema: {error}") from None

    @property
    def sample(self) -> Mapping[str, Fact]:
        """The facts about any reply."""
        return {"schema_valid": False, "json_found": False, "errors": 0, "repaired": False}

    def look(self, reply: Reply, surroundings: Surroundings) -> Findings:
        """Return whether there is an object, whether it fits, and the number of its mistakes.

        Raises:
            RoutingError: The schema is invalid, or its file cannot be read.
        """
        schema = self.find_schema(surroundings)
        problems = []
        try:
            extraction = extract_json(reply.text, schema)
            is_found = extraction.value is not None
            # Of several objects the last one might have been to come.
            is_whole = extraction.strategy == "direct" and not extraction.repaired
            is_valid = is_found and (is_whole or not reply.finish.cut_off)
            if is_found and not is_valid:
                problems.append("the reply was cut off")
            # Without the schema there may be an object, whose mistakes are reported.
            elif not is_found:
                extraction = extract_json(reply.text)
                if extraction.value is not None:
                    problems = list(map(str, find_problems(extraction.value, schema)))
        except SchemaError as error:
            raise RoutingError(f"the schema is wrong: {error}") from None
        is_present = extraction.value is not None
        facts = {
            "schema_valid": is_valid,
            "json_found": is_present,
            # A missing object is one mistake.
            "errors": 0 if is_valid else max(1, len(problems)),
            "repaired": extraction.repaired,
        }
        score = None
        if self.expected is not None:
            score = _share(self.expected, extraction.value) if is_valid else 0.0
        message = "; ".join(problems) or "there is no JSON object in the reply"
        return Findings(facts, score, is_present, "" if is_valid else message)

    def find_schema(self, surroundings: Surroundings) -> Mapping[str, Any]:
        """Return the schema for replies; raise `RoutingError` if its file cannot be read."""
        if self.schema is not None:
            return self.schema
        # A contract without a schema asks for any object.
        name = self.schema_ref or surroundings.schema_ref
        return read_json_below(surroundings.folder, name) if name else _ANY


def _share(expected: Mapping[str, Any], value: Any) -> float:
    """Return the share of the innermost values of an object that another has at the same places."""
    expected_leaves = _leaves(dict(expected), ())
    leaves = _leaves(value, ())
    # An empty object is itself a leaf, so there is at least one.
    equal = sum(same(item, leaves.get(place, ...)) for place, item in expected_leaves.items())
    return equal / len(expected_leaves)


def _leaves(value: Any, place: tuple[str, ...]) -> dict[tuple[str, ...], Any]:
    """Return the innermost values by their places."""
    if not isinstance(value, dict | list) or not value:
        return {place: value}
    items = value.items() if isinstance(value, dict) else enumerate(value)
    leaves: dict[tuple[str, ...], Any] = {}
    for key, item in items:
        leaves |= _leaves(item, (*place, str(key)))
    return leaves


VERIFIERS = {"json_schema": JsonSchema}
