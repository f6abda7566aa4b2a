"""A JSON Schema as OpenAI's strict mode takes it, and the way from a value to its like there and back.

In strict mode every member is required, so one that may be absent is null instead; nothing may stand beside the members
that are named; and some keywords are unknown. What that changes is told, keyword by keyword (`Loss`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from .budget import Budget
from .problems import Path, Schema, SchemaError, follow_reference, pointer_to, refuse_unusable, show
from .schemas import fit_checker

_KEPT = frozenset(
    {"type", "enum", "const", "anyOf", "oneOf", "allOf", "properties", "required", "additionalProperties", "items"}
    | {"$ref", "$defs", "definitions", "description", "title", "pattern", "format", "minItems", "maxItems"}
    | {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
)
_NOTES = frozenset({"$schema", "$id", "$comment", "default", "examples", "deprecated", "readOnly", "writeOnly"})
_LIMITS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_COPIED = ("title", "description", "pattern", "minItems", "maxItems", "multipleOf", *_LIMITS)
_FORMATS = frozenset({"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"})
_UNKNOWN = "the strict mode does not know it; the answer is compared with the schema afterwards"
_KINDS = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    type(None): "null",
    dict: "object",
    list: "array",
}


class Loss(NamedTuple):
    """What means less in the projection: `pointer` leads to the keyword.

    `narrower`: a value that fits cannot be said; otherwise one may be said that does not fit, which checking finds.
    """

    pointer: str
    message: str
    narrower: bool = False

    def __str__(self) -> str:
        return f"{self.pointer}: {self.message}"


@dataclass(frozen=True, slots=True)
class Projection:
    """A schema of strict mode, and what was lost on the way to it."""

    schema: dict[str, Any]
    dropped: tuple[Loss, ...]


def strict_projection(schema: Schema) -> dict[str, Any]:
    """Return a schema as OpenAI's strict mode takes it; `project` also says what was lost.

    Raises `SchemaError` for what cannot be asked for there: a root that is no object, members without names.
    """
    return project(schema).schema


def project(schema: Schema) -> Projection:
    """Return the schema of strict mode and what was lost; raise `SchemaError` as `strict_projection` does."""
    with refuse_unusable():
        maker = _Projector(schema)
        return Projection(maker.project_root(), tuple(sorted(set(maker.losses))))


class _Projector:
    def __init__(self, schema: Schema) -> None:
        self.root = schema
        self.budget = Budget()
        self.budget.allow(schema)
        self.fits = fit_checker(schema, self.budget)
        self.losses: list[Loss] = []
        self.definitions: dict[str, Any] = {}
        self.names: dict[str, str] = {}  # of definitions, by the reference to them

    def project_root(self) -> dict[str, Any]:
        root = self.root
        if isinstance(root, Mapping) and "$ref" in root:
            root = _follow_all(root, self.root)
        if not isinstance(root, Mapping) or not ("properties" in root or root.get("type") == "object"):
            raise SchemaError("the schema: strict mode wants an object with named members at the root")
        if found := next((name for name in ("anyOf", "oneOf") if name in root), None):
            raise SchemaError(f"/{found}: strict mode has no alternatives at the root")
        made = self._project(root, ())
        return {**made, "$defs": self.definitions} if self.definitions else made

    def _project(self, schema: Any, path: Path) -> dict[str, Any]:
        if not isinstance(schema, Mapping):
            raise SchemaError(f"{show(path)}: strict mode cannot ask for everything, or for nothing")
        self.budget.look_at(schema)
        if "$ref" in schema:
            beside = [key for key in schema if key not in ("$ref", "$defs", "definitions") and key not in _NOTES]
            for key in beside:
                self._lose((*path, key), "nothing may stand beside $ref")
            return {"$ref": self._refer(schema["$ref"])}
        if "allOf" in schema:
            schema = self._merge(schema, path)
        self._report(schema, path)
        made = {key: schema[key] for key in _COPIED if key in schema}
        if schema.get("format") in _FORMATS:
            made["format"] = schema["format"]
        if "anyOf" in schema or "oneOf" in schema:
            return {**made, "anyOf": self._alternatives(schema, path)}
        return self._project_types(schema, path, made)

    def _alternatives(self, schema: Schema, path: Path) -> list[dict[str, Any]]:
        name = "anyOf" if "anyOf" in schema else "oneOf"
        if name == "oneOf":
            self._lose((*path, name), "it becomes anyOf: an answer may fit several")
        for key in schema:
            if key != name and key in ("type", "enum", "const", "properties", "items", "oneOf"):
                self._lose((*path, key), f"it stands beside {name}")
        return [self._project(part, (*path, name, number)) for number, part in enumerate(schema[name])]

    def _project_types(self, schema: Schema, path: Path, made: dict[str, Any]) -> dict[str, Any]:
        types = _types(schema, path)
        if "enum" in schema or "const" in schema:
            values = list(schema["enum"]) if "enum" in schema else [schema["const"]]
            kinds = types or list(dict.fromkeys(_KINDS[type(value)] for value in values))
            return {**made, "type": _one_or_many(kinds), "enum": values}
        if not types:
            raise SchemaError(f"{show(path)}: the type is missing, and strict mode asks for one")
        made["type"] = _one_or_many(types)
        if "object" in types:
            made |= self._members(schema, path)
        if "array" in types:
            if "items" not in schema:
                raise SchemaError(f"{show(path)}: `items` is missing, and strict mode asks for it")
            made["items"] = self._project(schema["items"], (*path, "items"))
        return made

    def _members(self, schema: Schema, path: Path) -> dict[str, Any]:
        named, required = schema.get("properties") or {}, schema.get("required") or ()
        others = schema.get("additionalProperties", True)
        if others is not False:
            if not named and "properties" not in schema:
                raise SchemaError(f"{show(path)}: members without names cannot be asked for in strict mode")
            where = (*path, "additionalProperties")
            self._lose(where, "it becomes false: members that are not named cannot be said", narrower=True)
        members = {}
        for key, part in named.items():
            where = (*path, "properties", key)
            members[key] = self._project(part, where)
            if key not in required:
                if self.fits(None, part):
                    self._lose(where, "null and absent are one: null is left out on the way back", narrower=True)
                else:
                    members[key] = _nullable(members[key])
        return {"properties": members, "required": list(named), "additionalProperties": False}

    def _refer(self, reference: str) -> str:
        """Return the reference to what another one leads to, projected once, among the definitions."""
        if reference == "#":
            return reference
        if reference not in self.names:
            target, last = follow_reference(reference, self.root), reference.rsplit("/", 1)[-1]
            name, number = last, 1
            while name in self.definitions:
                number += 1
                name = f"{last}_{number}"
            self.names[reference], self.definitions[name] = name, {}
            self.definitions[name] = self._project(target, tuple(reference[2:].split("/")))
        return f"#/$defs/{self.names[reference]}"

    def _merge(self, schema: Schema, path: Path) -> Schema:
        """Return a schema with the parts of its `allOf` in it; a keyword that two of them have is lost."""
        self.budget.look_at(schema)
        made: dict[str, Any] = {key: value for key, value in schema.items() if key != "allOf"}
        for number, part in enumerate(schema["allOf"]):
            where = (*path, "allOf", number)
            part = _follow_all(part, self.root)
            if not isinstance(part, Mapping):
                raise SchemaError(f"{show(where)}: strict mode cannot ask for everything, or for nothing")
            part = self._merge(part, where) if "allOf" in part else part
            for key, value in part.items():
                if key == "properties" and not set(made.get(key, {})) & set(value):
                    made[key] = {**made.get(key, {}), **value}
                elif key == "required":
                    made[key] = [*made.get(key, ()), *(name for name in value if name not in made.get(key, ()))]
                elif key not in made:
                    made[key] = value
                elif made[key] != value:
                    self._lose((*where, key), "another part of allOf has it too, and that one is taken")
        return made

    def _report(self, schema: Schema, path: Path) -> None:
        for key in schema:
            if key not in _KEPT and key not in _NOTES:
                self._lose((*path, key), _UNKNOWN)
        if "format" in schema and schema["format"] not in _FORMATS:
            self._lose((*path, "format"), f"{schema['format']!r} is none of the formats that strict mode knows")

    def _lose(self, path: Path, message: str, *, narrower: bool = False) -> None:
        self.losses.append(Loss(pointer_to(path), message, narrower))


def to_strict(value: Any, schema: Schema) -> Any:
    """Return a value that fits a schema as strict mode has it: null stands for a member that is absent.

    Raises:
        SchemaError: The schema is wrong, or takes too many steps for this value (`TooComplexError`).
    """
    return _carry(value, schema, forth=True)


def from_strict(value: Any, schema: Schema) -> Any:
    """Return an answer of strict mode as the schema itself has it: without the nulls that stand for absent members.

    Raises:
        SchemaError: The schema is wrong, or takes too many steps for this value (`TooComplexError`).
    """
    return _carry(value, schema, forth=False)


def _carry(value: Any, schema: Schema, *, forth: bool) -> Any:
    with refuse_unusable():
        return _Carrier(schema, value, forth=forth).carry(value, schema)


class _Carrier:
    """Carries values of one schema to strict mode (`forth`) or back."""

    def __init__(self, root: Schema, value: Any, *, forth: bool) -> None:
        self.root, self.forth = root, forth
        self.budget = Budget()
        self.budget.allow(value)
        self.fits = fit_checker(root, self.budget)

    def carry(self, value: Any, schema: Any) -> Any:
        if not isinstance(schema, Mapping):
            return value
        self.budget.look_at(schema)
        if "$ref" in schema:
            return self.carry(value, follow_reference(schema["$ref"], self.root))
        for part in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
            carried = self.carry(value, part)
            if self.fits(value if self.forth else carried, part):
                return carried
        named = self._properties(schema)
        if isinstance(value, dict) and named:
            return self._carry_members(value, named, self._required(schema))
        if isinstance(value, list) and "items" in schema:
            return [self.carry(item, schema["items"]) for item in value]
        return value

    def _carry_members(self, value: dict[str, Any], named: Mapping[str, Any], required: set[str]) -> dict[str, Any]:
        if self.forth:
            value = {**value, **{key: None for key in named if key not in value and key not in required}}
        else:
            kept = required | (value.keys() - named.keys())
            value = {key: item for key, item in value.items() if item is not None or key in kept}
        return {
            key: item if item is None and key not in required else self.carry(item, named.get(key))
            for key, item in value.items()
        }

    def _properties(self, schema: Schema) -> dict[str, Any]:
        """Return the named members of a schema, and of the parts of its `allOf`."""
        self.budget.look_at(schema)
        made: dict[str, Any] = {}
        for part in reversed(schema.get("allOf") or ()):
            made |= self._properties(_follow_all(part, self.root))
        return made | (schema.get("properties") or {})

    def _required(self, schema: Schema) -> set[str]:
        """Return the names that a schema, or a part of its `allOf`, requires."""
        self.budget.look_at(schema)
        made = set(schema.get("required") or ())
        return made.union(*(self._required(_follow_all(part, self.root)) for part in schema.get("allOf") or ()))


def _follow_all(schema: Any, root: Schema) -> Any:
    for _ in range(100):
        if not isinstance(schema, Mapping) or "$ref" not in schema:
            return schema
        schema = follow_reference(schema["$ref"], root)
    raise SchemaError("the schema: a reference leads back to itself")


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema of strict mode that allows null as well."""
    if "anyOf" in schema:
        return {**schema, "anyOf": [*schema["anyOf"], {"type": "null"}]}
    if "$ref" in schema:
        return {"anyOf": [schema, {"type": "null"}]}
    types = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    made = {**schema, "type": [*types, "null"]}
    return {**made, "enum": [*schema["enum"], None]} if "enum" in schema else made


def _types(schema: Schema, path: Path) -> list[str]:
    given = schema.get("type", "object" if "properties" in schema and "enum" not in schema else [])
    types = [given] if isinstance(given, str) else given
    if not isinstance(types, list) or not all(isinstance(kind, str) for kind in types):
        raise SchemaError(f"{show((*path, 'type'))}: {given!r} is no type of JSON Schema")
    return types


def _one_or_many(types: list[str]) -> str | list[str]:
    return types[0] if len(types) == 1 else list(types)
