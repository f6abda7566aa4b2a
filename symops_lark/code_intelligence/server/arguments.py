"""How arguments of tools are read: each tool is a class, its docstring is what clients are told of it.

Many clients send arrays, objects, numbers and booleans as JSON in a string, and a lone item where a list is wanted:
both are understood. A name that a tool does not know is refused, never dropped: a limit that is silently ignored
misleads.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from difflib import get_close_matches
from inspect import cleandoc
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

MOST_ITEMS = 200  # of a list that a client sends
MOST_CHARACTERS = 20_000  # of a text
_LIMITS = frozenset(("minLength", "maxLength", "minItems", "maxItems", "minimum", "default", "additionalProperties"))
_UNLISTED = ("format", "calls")  # arguments that the short list leaves out
_EVIDENT = ("session_id", "words", "tokens")  # and those that it does not describe
_SHOWN = 80  # characters of a wrong value


Left = BeforeValidator(lambda value: None if value in ("", "null") else value)  # as clients leave an argument out


class ArgumentsError(Exception):
    """Arguments that a tool cannot take: `problems`, one an argument."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = problems
        super().__init__("; ".join(problems))


class Tool(BaseModel):
    """The arguments of a tool."""

    model_config = ConfigDict(extra="forbid", coerce_numbers_to_str=True)
    only_reads: ClassVar[bool] = False  # whether neither the files nor the session's phase change
    format: Annotated[Literal["text", "json"] | None, Left] = Field(None, description="Default: text.")

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
        """Return what clients are told of the tool."""
        return " ".join(cleandoc(cls.__doc__ or "").split())


def _parse(value: Any, kind: type[Any]) -> Any:
    """Return what a text says if it is JSON of a kind; anything else as it is."""
    if not isinstance(value, str):
        return value
    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return parsed if isinstance(parsed, kind) else value


def _texts(value: Any) -> Any:
    parsed = _parse(value, list)
    if isinstance(value, str) and not (isinstance(parsed, list) and all(isinstance(each, str) for each in parsed)):
        return [value]  # `[1]` is a pattern, `["1"]` a list of one
    return parsed


def _object(value: Any) -> Any:
    return _parse(value, dict)


def _objects(value: Any) -> Any:
    value = _object(_parse(value, list))
    return [value] if isinstance(value, Mapping) else value


Text = Annotated[str, Field(min_length=1, max_length=MOST_CHARACTERS)]
Texts = Annotated[list[Text], Field(min_length=1, max_length=MOST_ITEMS), BeforeValidator(_texts)]
Listed = Annotated[list[Text], Field(max_length=MOST_ITEMS), BeforeValidator(_texts)]
Object = Annotated[dict[str, Any], BeforeValidator(_object)]
Objects = Annotated[list[Object], Field(max_length=MOST_ITEMS), BeforeValidator(_objects)]
Count = Annotated[int, Field(ge=1)]


def read_arguments(tool: type[Tool], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments that were given, as values; raise `ArgumentsError` that names each that is wrong."""
    try:
        return tool.model_validate(dict(given)).model_dump(exclude_unset=True, exclude_none=True)
    except ValidationError as error:
        raise ArgumentsError([_tell(tool, problem) for problem in error.errors()]) from None


def _tell(tool: type[Tool], problem: Mapping[str, Any]) -> str:
    where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in problem["loc"]).lstrip(".")
    if problem["type"] == "missing":
        return f"{where}: this argument is wanted"
    if problem["type"] == "extra_forbidden":
        names = [field.alias or name for name, field in tool.model_fields.items()]
        near = get_close_matches(where, names, 1, 0.5)
        known = f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}"
        return f"{where}: there is no such argument; {known}"
    shown = repr(problem["input"])
    shown = shown if len(shown) <= _SHOWN else shown[:_SHOWN] + "…"
    return f"{where}: {problem['msg'][0].lower()}{problem['msg'][1:]}, not {shown}"


def input_schema(tool: type[Tool]) -> dict[str, Any]:
    """Return the JSON Schema of a tool's arguments, in the few words that all clients know."""
    made: dict[str, Any] = _plain(tool.model_json_schema())
    made.pop("description", None)
    return made


def shorten(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema without what a model does not need: limits, which are checked, and how to answer.

    Arguments that are left out are still read.
    """
    properties = {}
    for name, inner in schema["properties"].items():
        if name not in _UNLISTED:
            properties[name] = {key: value for key, value in inner.items() if key not in _LIMITS}
        if name in _EVIDENT:
            properties[name].pop("description", None)
        if "items" in inner:
            properties[name]["items"] = {"type": inner["items"]["type"]}
    return {"type": "object", "properties": properties, "required": schema["required"]}


def _plain(schema: Any) -> Any:
    """Return a schema without titles, and without the null of what may be left out."""
    if isinstance(schema, list):
        return [_plain(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: each for key, each in schema.items() if key != "title" and (key, each) != ("default", None)}
    if "properties" in kept:
        fields = {name: _plain(each) for name, each in kept.pop("properties").items()}
        kept = {"properties": fields, **kept}
    choices = kept.pop("anyOf", None)
    if choices is not None:
        [kind] = [each for each in choices if each != {"type": "null"}]
        kept = {**kind, **kept}
    return {key: each if key == "properties" else _plain(each) for key, each in kept.items()}
