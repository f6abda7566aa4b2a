"""Project a JSON Schema to OpenAI's strict mode, and carry values there and back.

In strict mode every member is required, so one that may be absent is null instead; only named
members are allowed; and some keywords are unknown. Each keyword that loses its meaning is reported
as a `Loss`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from .budget import Budget
from .problems import Path, Schema, follow_reference, list_types, pointer_to, refuse_unusable, wrong
from .schemas import fit_checker

_LIMITS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_COPIED = ("title", "description", "pattern", "minItems", "maxItems", "multipleOf", *_LIMITS)
_PROJECTED = ("type", "enum", "const", "anyOf", "oneOf", "allOf", "items", "format")
_OF_OBJECTS = ("properties", "required", "additionalProperties")
_DEFINITIONS = ("$ref", "$defs", "definitions")
_NOTES = ("$schema", "$id", "$comment", "default", "examples")
_NOTES_OF_MEMBERS = ("deprecated", "readOnly", "writeOnly")
_WITHOUT_LOSS = frozenset(
    _COPIED + _PROJECTED + _OF_OBJECTS + _DEFINITIONS + _NOTES + _NOTES_OF_MEMBERS
)
_BESIDE_REFERENCES = frozenset(_DEFINITIONS + _NOTES + _NOTES_OF_MEMBERS)
_BESIDE_ALTERNATIVES = ("type", "enum", "const", "properties", "items", "oneOf")
_FORMATS = frozenset(
    ("date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid")
)
_UNKNOWN = "the strict mode does not know it; the answer is compared with the schema afterwards"
_MAX_REFERENCES = 100  # one after another, before a chain counts as a cycle
_TYPES = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    type(None): "null",
    dict: "object",
    list: "array",
}


class Loss(NamedTuple):
    """A keyword that means less in the projection.

    Attributes:
        pointer: The JSON pointer to the keyword.
        message: The difference.
        narrower: Whether strict mode excludes a value that fits the schema. Otherwise it allows
            one that does not fit, which a later check finds.
    """

    pointer: str
    message: str
    narrower: bool = False

    def __str__(self) -> str:
        return f"{self.pointer}: {self.message}"


@dataclass(frozen=True, slots=True)
class Projection:
    """A schema of strict mode.

    Attributes:
        schema: The schema.
        dropped: The keywords of the original that lost their meaning.
    """

    schema: dict[str, Any]
    dropped: tuple[Loss, ...]


def strict_projection(schema: Schema) -> dict[str, Any]:
    """Return a schema for OpenAI's strict mode; `project` also returns the losses.

    Raises:
        SchemaError: Strict mode cannot express it: a root that is not an object, members without
            names.
    """
    return project(schema).schema


def project(schema: Schema) -> Projection:
    """Return the schema of strict mode and the losses.

    Raises:
        SchemaError: Strict mode cannot express it.
    """
    with refuse_unusable():
        projector = _Projector(schema)
        root = projector.project_root()
        # A definition that is used twice may lose a keyword twice.
        losses = sorted(set(projector.losses))
        return Projection(root, tuple(losses))


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
        root = _follow_all(self.root, self.root)
        is_object = isinstance(root, Mapping) and (
            "properties" in root or root.get("type") == "object"
        )
        if not is_object:
            raise wrong((), "strict mode wants an object with named members at the root")
        for name in ("anyOf", "oneOf"):
            if name in root:
                raise wrong((name,), "strict mode has no alternatives at the root")
        projected = self._project(root, ())
        if self.definitions:
            projected["$defs"] = self.definitions
        return projected

    def _project(self, schema: Any, path: Path) -> dict[str, Any]:
        schema = _expect_object(schema, path)
        self.budget.look_at(schema)
        if "$ref" in schema:
            for key in schema:
                if key not in _BESIDE_REFERENCES:
                    self._lose((*path, key), "nothing is allowed beside $ref")
            return {"$ref": self._refer(schema["$ref"])}
        if "allOf" in schema:
            schema = self._merge(schema, path)
        for key in schema:
            if key not in _WITHOUT_LOSS:
                self._lose((*path, key), _UNKNOWN)
        projected = {key: schema[key] for key in _COPIED if key in schema}
        if "format" in schema:
            name = schema["format"]
            if name in _FORMATS:
                projected["format"] = name
            else:
                message = f"{name!r} is not one of the formats that strict mode knows"
                self._lose((*path, "format"), message)
        if "anyOf" in schema or "oneOf" in schema:
            projected["anyOf"] = self._alternatives(schema, path)
            return projected
        return projected | self._project_types(schema, path)

    def _alternatives(self, schema: Schema, path: Path) -> list[dict[str, Any]]:
        name = "anyOf" if "anyOf" in schema else "oneOf"
        if name == "oneOf":
            self._lose((*path, name), "it becomes anyOf: an answer may fit several")
        for key in schema:
            if key != name and key in _BESIDE_ALTERNATIVES:
                self._lose((*path, key), f"it is beside {name}")
        alternatives = []
        for index, part in enumerate(schema[name]):
            where = (*path, name, index)
            alternatives.append(self._project(part, where))
        return alternatives

    def _project_types(self, schema: Schema, path: Path) -> dict[str, Any]:
        types = _types(schema, path)
        if "enum" in schema or "const" in schema:
            values = list(schema["enum"]) if "enum" in schema else [schema["const"]]
            if not types:
                # A dict keeps the order, so that equal schemas have equal projections.
                distinct = dict.fromkeys(_TYPES[type(value)] for value in values)
                types = list(distinct)
            return {"type": _one_or_several(types), "enum": values}
        if not types:
            raise wrong(path, "the type is missing, and strict mode asks for one")
        projected: dict[str, Any] = {"type": _one_or_several(types)}
        if "object" in types:
            projected |= self._members(schema, path)
        if "array" in types:
            if "items" not in schema:
                raise wrong(path, "`items` is missing, and strict mode asks for it")
            projected["items"] = self._project(schema["items"], (*path, "items"))
        return projected

    def _members(self, schema: Schema, path: Path) -> dict[str, Any]:
        properties = schema.get("properties") or {}
        required = schema.get("required") or ()
        if schema.get("additionalProperties", True) is not False:
            if "properties" not in schema:
                raise wrong(path, "members without names cannot be asked for in strict mode")
            where = (*path, "additionalProperties")
            message = "it becomes false: members that are not named cannot be written"
            self._lose(where, message, narrower=True)
        members = {}
        for key, part in properties.items():
            where = (*path, "properties", key)
            member = self._project(part, where)
            if key not in required:
                # If null is a value of the schema, absence cannot be written any more.
                if self.fits(None, part):
                    message = "null and absent are one: null is left out on the way back"
                    self._lose(where, message, narrower=True)
                else:
                    member = _nullable(member)
            members[key] = member
        return {"properties": members, "required": list(properties), "additionalProperties": False}

    def _refer(self, reference: str) -> str:
        """Return the reference to the projected target of another one, among the definitions."""
        # Recursion to the root is allowed, and the root is not a definition.
        if reference == "#":
            return reference
        if reference not in self.names:
            target = follow_reference(reference, self.root)
            last = reference.rsplit("/", 1)[-1]
            # Different folders of a schema may have definitions with the same name.
            name = last
            number = 1
            while name in self.definitions:
                number += 1
                name = f"{last}_{number}"
            # The name is taken first: the target may refer to itself.
            self.names[reference] = name
            self.definitions[name] = {}
            self.definitions[name] = self._project(target, tuple(reference[2:].split("/")))
        return f"#/$defs/{self.names[reference]}"

    def _merge(self, schema: Schema, path: Path) -> Schema:
        """Return a schema with the parts of its `allOf` in it; a duplicate keyword is lost."""
        self.budget.look_at(schema)
        merged = {key: value for key, value in schema.items() if key != "allOf"}
        for index, part in enumerate(schema["allOf"]):
            where = (*path, "allOf", index)
            part = _expect_object(_follow_all(part, self.root), where)
            if "allOf" in part:
                part = self._merge(part, where)
            for key, value in part.items():
                existing = merged.get(key, {})
                if key == "properties" and not set(existing) & set(value):
                    merged[key] = {**existing, **value}
                elif key == "required":
                    distinct = dict.fromkeys([*existing, *value])
                    merged[key] = list(distinct)
                elif key not in merged:
                    merged[key] = value
                elif existing != value:
                    self._lose((*where, key), "another part of allOf has it too, and is used")
        return merged

    def _lose(self, path: Path, message: str, *, narrower: bool = False) -> None:
        self.losses.append(Loss(pointer_to(path), message, narrower))


def to_strict(value: Any, schema: Schema) -> Any:
    """Return a value of a schema for strict mode: null replaces a member that is absent.

    Raises:
        SchemaError: The schema is invalid, or takes too many steps for this value
            (`TooComplexError`).
    """
    return _carry(value, schema, forth=True)


def from_strict(value: Any, schema: Schema) -> Any:
    """Return an answer of strict mode without the nulls of absent members, for the schema itself.

    Raises:
        SchemaError: The schema is invalid, or takes too many steps for this value
            (`TooComplexError`).
    """
    return _carry(value, schema, forth=False)


def _carry(value: Any, schema: Schema, *, forth: bool) -> Any:
    with refuse_unusable():
        return _Carrier(schema, value, forth=forth).carry(value, schema)


class _Carrier:
    """Carries values of one schema to strict mode (`forth`) or back."""

    def __init__(self, root: Schema, value: Any, *, forth: bool) -> None:
        self.root = root
        self.forth = forth
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
            # The value of the schema decides which alternative is meant.
            original = value if self.forth else carried
            if self.fits(original, part):
                return carried
        if isinstance(value, dict):
            properties = self._properties(schema)
            if properties:
                return self._carry_members(value, properties, self._required(schema))
        if isinstance(value, list) and "items" in schema:
            return [self.carry(item, schema["items"]) for item in value]
        return value

    def _carry_members(
        self, value: dict[str, Any], properties: Mapping[str, Any], required: set[str]
    ) -> dict[str, Any]:
        carried: dict[str, Any] = {}
        for key, item in value.items():
            if item is not None or key in required:
                carried[key] = self.carry(item, properties.get(key))
            elif self.forth or key not in properties:
                # On the way back, null is absence only for members that the schema names.
                carried[key] = None
        if self.forth:
            for key in properties:
                if key not in required:
                    carried.setdefault(key, None)
        return carried

    def _properties(self, schema: Schema) -> dict[str, Any]:
        """Return the named members of a schema, and of the parts of its `allOf`."""
        self.budget.look_at(schema)
        properties: dict[str, Any] = {}
        # The schema comes last, and the first part before the others: they have precedence.
        for part in reversed(schema.get("allOf") or ()):
            properties |= self._properties(_follow_all(part, self.root))
        return properties | (schema.get("properties") or {})

    def _required(self, schema: Schema) -> set[str]:
        """Return the names that a schema, or a part of its `allOf`, requires."""
        self.budget.look_at(schema)
        required = set(schema.get("required") or ())
        for part in schema.get("allOf") or ():
            required |= self._required(_follow_all(part, self.root))
        return required


def _expect_object(schema: Any, path: Path) -> Schema:
    if not isinstance(schema, Mapping):
        raise wrong(path, "strict mode cannot ask for everything, or for nothing")
    return schema


def _follow_all(schema: Any, root: Schema) -> Any:
    for _ in range(_MAX_REFERENCES):
        if not isinstance(schema, Mapping) or "$ref" not in schema:
            return schema
        schema = follow_reference(schema["$ref"], root)
    raise wrong((), "a reference leads back to itself")


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema of strict mode that allows null as well."""
    null = {"type": "null"}
    # Nothing is allowed beside $ref in strict mode.
    if "$ref" in schema:
        return {"anyOf": [schema, null]}
    if "anyOf" in schema:
        return {**schema, "anyOf": [*schema["anyOf"], null]}
    types = list_types(schema["type"])
    nullable = {**schema, "type": [*types, "null"]}
    if "enum" in schema:
        nullable["enum"] = [*schema["enum"], None]
    return nullable


def _types(schema: Schema, path: Path) -> list[str]:
    # Models and people often leave out the type of an object.
    is_object = "properties" in schema and "enum" not in schema
    value = schema.get("type", "object" if is_object else [])
    types = list_types(value)
    if not isinstance(types, list) or not all(isinstance(kind, str) for kind in types):
        raise wrong((*path, "type"), f"{value!r} is not a type of JSON Schema")
    return types


def _one_or_several(types: list[str]) -> str | list[str]:
    return types[0] if len(types) == 1 else list(types)
