"""Whether a reply has a JSON object that fits a schema."""

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
    """By the schema given here, or in a file below the manifest's folder, or the one that the contract names.

    `expected` is the right object where it is known: q1 is the share of its values that the reply has.
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
        """What is found of any reply."""
        return {"schema_valid": False, "json_found": False, "errors": 0, "repaired": False}

    def look(self, reply: Reply, surroundings: Surroundings) -> Findings:
        """Return whether there is an object, whether it fits, and how many mistakes it has."""
        schema = self.find_schema(surroundings)
        try:
            found = extract_json(reply.text, schema)
            fits = found.value is not None
            if not fits:
                found = extract_json(reply.text)
            problems = [] if fits else find_problems(found.value, schema) if found.value is not None else []
        except SchemaError as error:
            raise RoutingError(f"the schema is wrong: {error}") from None
        present = found.value is not None
        facts: dict[str, Fact] = {
            "schema_valid": fits,
            "json_found": present,
            "errors": 0 if fits else max(1, len(problems)),
            "repaired": found.repaired,
        }
        told = "" if fits else "; ".join(map(str, problems)) or "there is no JSON object in the reply"
        score = None
        if self.expected is not None:
            score = _share(dict(self.expected), found.value) if fits else 0.0
        return Findings(facts, score, present, told)

    def find_schema(self, surroundings: Surroundings) -> Mapping[str, Any]:
        """Return the schema that replies are judged by; raise `RoutingError` where its file cannot be read."""
        if self.schema is not None:
            return self.schema
        name = self.schema_ref or surroundings.schema_ref
        return read_json_below(surroundings.folder, name) if name else _ANY


def _share(expected: Mapping[str, Any], value: Any) -> float:
    """Return the share of the innermost values of an object that another has at the same places."""
    wanted = dict(_leaves(expected, ()))
    there = dict(_leaves(value, ()))
    missing = object()
    equal = sum(same(item, there.get(place, missing)) for place, item in wanted.items())
    return equal / len(wanted) if wanted else 1.0


def _leaves(value: Any, place: tuple[str, ...]) -> list[tuple[tuple[str, ...], Any]]:
    if isinstance(value, dict | list) and value:
        items = value.items() if isinstance(value, dict) else ((str(i), item) for i, item in enumerate(value))
        return [leaf for key, item in items for leaf in _leaves(item, (*place, str(key)))]
    return [(place, value)]


VERIFIERS = {"json_schema": JsonSchema}
