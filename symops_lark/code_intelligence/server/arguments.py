"""Read the arguments of tools. Each tool is a class, and its docstring is what clients see.

Many clients send arrays, objects, numbers and booleans as JSON in a string, and one item instead of
a list: both are understood. An unknown name is refused, never ignored: a limit without effect would
mislead.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from difflib import get_close_matches
from functools import partial
from inspect import cleandoc
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

MOST_ITEMS = 200  # of a list that a client sends
MOST_CHARACTERS = 20_000  # of a text
# Members of a schema that a model does not need: the server checks them.
_LIMITS = frozenset((
    "minLength", "maxLength", "minItems", "maxItems", "minimum", "default", "additionalProperties",
))  # fmt: skip
_UNLISTED = ("format", "calls")  # arguments that the short list leaves out
_EVIDENT = ("session_id", "words", "tokens")  # arguments that it does not describe
_MAX_SHOWN = 80  # characters of a wrong value
_NULL = {"type": "null"}
_NO_DEFAULT = ("default", None)
Schema = dict[str, Any]


def _omit(value: Any) -> Any:
    """Return None for the texts by which clients leave out an argument."""
    return None if value in ("", "null") else value


Left = BeforeValidator(_omit)


class ArgumentsError(Exception):
    """A tool cannot take its arguments: `problems` has one text for each."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = problems
        super().__init__("; ".join(problems))


class Tool(BaseModel):
    """The arguments of a tool."""

    model_config = ConfigDict(extra="forbid", coerce_numbers_to_str=True)
    only_reads: ClassVar[bool] = False  # whether neither the files nor the session's phase change
    format: Annotated[Literal["text", "json"] | None, Left] = Field(
        None, description="Default: text."
    )

    @classmethod
    def tool_name(cls) -> str:
        """Return the name that clients call."""
        return re.sub("(?<!^)(?=[A-Z])", "_", cls.__name__).lower()

    @classmethod
    def title(cls) -> str:
        """Return the name that people read."""
        return cls.tool_name().replace("_", " ").capitalize()

    @classmethod
    def description(cls) -> str:
        """Return the description for clients."""
        text = cleandoc(cls.__doc__ or "")
        return " ".join(text.split())


def _parse(value: Any, kind: type[Any]) -> Any:
    """Return the value of a text that is JSON of a kind; other values unchanged."""
    if not isinstance(value, str):
        return value
    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return parsed if isinstance(parsed, kind) else value


def _texts(value: Any) -> Any:
    parsed = _parse(value, list)
    if not isinstance(value, str):
        return parsed
    is_list = isinstance(parsed, list) and all(isinstance(item, str) for item in parsed)
    # `["1"]` is a list of one text, but `[1]` is a pattern.
    return parsed if is_list else [value]


def _objects(value: Any) -> Any:
    value = _parse(_parse(value, list), dict)
    return [value] if isinstance(value, Mapping) else value


Text = Annotated[str, Field(min_length=1, max_length=MOST_CHARACTERS)]
Texts = Annotated[list[Text], Field(min_length=1, max_length=MOST_ITEMS), BeforeValidator(_texts)]
Listed = Annotated[list[Text], Field(max_length=MOST_ITEMS), BeforeValidator(_texts)]
Object = Annotated[dict[str, Any], BeforeValidator(partial(_parse, kind=dict))]
Objects = Annotated[list[Object], Field(max_length=MOST_ITEMS), BeforeValidator(_objects)]
Count = Annotated[int, Field(ge=1)]
Ranges = Annotated[list[list[Count]], BeforeValidator(partial(_parse, kind=list))]


def read_arguments(tool: type[Tool], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of the arguments that were sent.

    Args:
        tool: The tool.
        arguments: Its arguments, as the client sent them.

    Raises:
        ArgumentsError: Some are wrong. It names each of them.
    """
    try:
        model = tool.model_validate(dict(arguments))
    except ValidationError as error:
        problems = [_explain(tool, problem) for problem in error.errors()]
        raise ArgumentsError(problems) from None
    return model.model_dump(exclude_unset=True, exclude_none=True)


def _explain(tool: type[Tool], problem: Mapping[str, Any]) -> str:
    place = ""
    for part in problem["loc"]:
        place += f"[{part}]" if isinstance(part, int) else f".{part}"
    place = place.lstrip(".")
    if problem["type"] == "missing":
        return f"{place}: this argument is wanted"
    if problem["type"] == "extra_forbidden":
        # Clients see the alias of an argument.
        names = [field.alias or name for name, field in tool.model_fields.items()]
        near = get_close_matches(place, names, 1, 0.5)
        all_names = ", ".join(names)
        hint = f"did you mean {near[0]}?" if near else f"there are {all_names}"
        return f"{place}: there is no such argument; {hint}"
    value = repr(problem["input"])
    if len(value) > _MAX_SHOWN:
        value = value[:_MAX_SHOWN] + "…"
    message = problem["msg"]
    return f"{place}: {message[0].lower()}{message[1:]}, not {value}"


def input_schema(tool: type[Tool]) -> Schema:
    """Return the JSON Schema of a tool's arguments, with the keywords that all clients know."""
    schema: Schema = _simplify(tool.model_json_schema())
    schema.pop("description", None)
    return schema


def shorten(schema: Schema) -> Schema:
    """Return a schema with only what a model needs, without limits and evident descriptions.

    Arguments that are left out are still read.
    """
    properties = {}
    for name, member in schema["properties"].items():
        if name in _UNLISTED:
            continue
        short = {key: value for key, value in member.items() if key not in _LIMITS}
        if name in _EVIDENT:
            short.pop("description", None)
        if "items" in member:
            short["items"] = {"type": member["items"]["type"]}
        properties[name] = short
    return {"type": "object", "properties": properties, "required": schema["required"]}


def _simplify(schema: Any) -> Any:
    """Return a schema without titles, and without the null of arguments that may be left out."""
    if isinstance(schema, list):
        return list(map(_simplify, schema))
    if not isinstance(schema, dict):
        return schema
    simple: Schema = {}
    for key, value in schema.items():
        if key == "properties":
            # These are names of arguments: one may be called `title`.
            simple[key] = {name: _simplify(member) for name, member in value.items()}
        elif key == "anyOf":
            [kind] = [choice for choice in value if choice != _NULL]
            simple = _simplify(kind) | simple
        elif key != "title" and (key, value) != _NO_DEFAULT:
            simple[key] = _simplify(value)
    return simple
