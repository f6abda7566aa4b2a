"""Read manifests (`model.yaml`): the description of a specialist model, its tasks and its verifier.

Invariants, each with its test in tests/routing/test_manifest.py:

1. All mistakes are reported at once, each with file, line and advice.
2. No path of a manifest leads out of its folder.
3. Only the manifest itself is opened here.

The JSON Schema is `manifest.schema.json`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from functools import partial
from pathlib import Path
from typing import Any, get_args, get_type_hints

from ...core.ground.json_objects import read_object, write_object
from ...core.text.yaml_file import Keys, YamlFile
from ..errors import ManifestError
from . import manifest_values as values

FILE = "model.yaml"
UNSURE = "unsure"  # as a fallback: there is none, and the answer is unsure
_MAX_FILE = 1_000_000  # bytes


@dataclass(frozen=True, slots=True)
class BaseModel:
    """The model that this one was made of."""

    model_id: str
    version: str
    base_hash: str
    path: str | None = None  # below the manifest's folder; None: the file is elsewhere


@dataclass(frozen=True, slots=True)
class Weights:
    """The file of the weights, usually an adapter."""

    filename: str  # below the manifest's folder
    sha256: str


@dataclass(frozen=True, slots=True)
class Artifacts:
    """The files of a model."""

    weights: Weights


@dataclass(frozen=True, slots=True)
class Scope:
    """The tasks that a model is for, and those that it is not for."""

    tasks: tuple[str, ...]
    non_scope: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class InputContract:
    """The input of a model."""

    max_tokens: int
    required_format: str  # "prompt", "prompt+schema", "prompt+symops", or a custom word


@dataclass(frozen=True, slots=True)
class OutputContract:
    """The output of a model."""

    format: str
    schema_ref: str  # a file below the manifest's folder


@dataclass(frozen=True, slots=True)
class IoContract:
    """The input and output of a model."""

    input: InputContract
    output: OutputContract


@dataclass(frozen=True, slots=True)
class VerifierChoice:
    """The verifier of a reply, its settings, and the condition over its facts."""

    type: str
    pass_condition: str
    config: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Routing:
    """The requests for which the model is a candidate, and the fallback if no model passes."""

    tags: tuple[str, ...]
    recommended_min_confidence: float
    fallback: str


@dataclass(frozen=True, slots=True)
class ProviderChoice:
    """How `models/` reaches the model."""

    name: str
    model: str | None = None
    base_url: str | None = None
    command: str | None = None
    max_tokens: int | None = None
    temperature: float | None = None
    constrained: str | None = None  # the dialect that it is held to while it writes


@dataclass(frozen=True, slots=True)
class Manifest:
    """A specialist model."""

    model_id: str
    version: str
    base_model: BaseModel
    artifacts: Artifacts
    license: str
    scope: Scope
    io_contract: IoContract
    verifier: VerifierChoice
    routing: Routing
    provider: ProviderChoice | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    file: str = field(default="", compare=False)  # empty if it was read from JSON

    @classmethod
    def load(cls, path: str | os.PathLike[str], licenses: Collection[str] = ()) -> Manifest:
        """Return the manifest of a file, or of the `model.yaml` in a folder.

        Args:
            path: The file or folder.
            licenses: Licenses that are allowed besides those of the policy.

        Raises:
            ManifestError: The manifest is wrong; the message has all mistakes.
        """
        place = Path(path)
        if place.is_dir():
            place /= FILE
        data = _Reader(place, licenses).read()
        return read_object(cls, {**data, "file": str(place)})

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Manifest:
        """Read the JSON object that `to_dict` returns, without checking its values.

        A wrong key raises `SymOpsError`.
        """
        return read_object(cls, data)

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON object (schema: `manifest.schema.json`) without empty optional values."""
        data = write_object(self)
        del data["file"]
        return _without_empty(data)

    @property
    def folder(self) -> str:
        """The folder that all paths of the manifest are below; empty if there is none."""
        return str(Path(self.file).parent) if self.file else ""

    @property
    def name(self) -> str:
        """The model and its version, such as `json-writer@1.2.0`."""
        return f"{self.model_id}@{self.version}"


def load_verifier(path: str | os.PathLike[str]) -> VerifierChoice:
    """Return the verifier of a caller's file: `type`, `pass_condition`, `config`, as in a manifest.

    Raises:
        ManifestError: The file is wrong; the message has all mistakes.
    """
    data = _Reader(Path(path), (), ("verifier",)).read()
    return read_object(VerifierChoice, data)


def _without_empty(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a mapping without optional keys that have no value."""
    optional = ("provider", "metadata", "config", "path", *ProviderChoice.__dataclass_fields__)
    result: dict[str, Any] = {}
    for key, item in data.items():
        if key in optional and item in (None, {}):
            continue
        # `metadata` and `config` are the author's, and stay as they are.
        if key in ("base_model", "verifier", "provider"):
            item = _without_empty(item)
        result[key] = item
    return result


def _find_mappings(
    kind: Any, keys: Keys = ()
) -> Iterator[tuple[Keys, tuple[list[str], list[str]]]]:
    """Yield the keys of each mapping of a manifest, the names it needs, and its optional names."""
    needed = []
    optional = []
    for member in fields(kind):
        has_default = member.default is not MISSING
        has_factory = member.default_factory is not MISSING
        if not has_default and not has_factory:
            needed.append(member.name)
        elif member.name != "file":  # the path of the manifest is not a value in it
            optional.append(member.name)
    yield keys, (needed, optional)
    for name, hint in get_type_hints(kind).items():
        for inner in filter(is_dataclass, (hint, *get_args(hint))):
            yield from _find_mappings(inner, (*keys, name))


Check = Callable[[values.Entry], Any]
_MAPPINGS = dict(_find_mappings(Manifest))
_VALUES: dict[Keys, Check] = {
    ("model_id",): values.read_id,
    ("version",): values.read_version,
    ("base_model", "model_id"): values.read_text,
    ("base_model", "version"): values.read_text,
    ("base_model", "base_hash"): values.read_hash,
    ("base_model", "path"): values.read_path,
    ("artifacts", "weights", "filename"): values.read_path,
    ("artifacts", "weights", "sha256"): values.read_hash,
    ("scope", "tasks"): partial(values.read_texts, least=1),
    ("scope", "non_scope"): values.read_texts,
    ("io_contract", "input", "max_tokens"): values.read_count,
    ("io_contract", "input", "required_format"): values.read_text,
    ("io_contract", "output", "format"): values.read_text,
    ("io_contract", "output", "schema_ref"): values.read_path,
    ("verifier", "type"): values.read_verifier,
    ("verifier", "pass_condition"): values.read_text,
    ("verifier", "config"): values.read_json,
    ("routing", "tags"): values.read_texts,
    ("routing", "recommended_min_confidence"): values.read_share,
    ("routing", "fallback"): values.read_id,
    ("provider", "name"): values.read_provider,
    ("provider", "model"): values.read_text,
    ("provider", "base_url"): values.read_base_url,
    ("provider", "command"): values.read_text,
    ("provider", "max_tokens"): values.read_count,
    ("provider", "temperature"): values.read_temperature,
    ("provider", "constrained"): values.read_text,
    ("metadata",): values.read_json,
}


class _Reader:
    """Reads a manifest and collects its mistakes, so that all are reported at once."""

    def __init__(self, path: Path, licenses: Collection[str], root: Keys = ()) -> None:
        self.title = root[-1] if root else "manifest"
        needed, _ = _MAPPINGS[root]
        self.file = YamlFile(path, self.title, ManifestError, _MAX_FILE, needed)
        self.licenses = licenses
        # If the file is a part of a manifest: the keys that lead to that part.
        self.root = root
        self.problems: list[str] = []

    def read(self) -> dict[str, Any]:
        data = self._mapping(self.root)
        # Values are compared with each other only if each of them is right.
        if not self.problems:
            verifier = data
            if not self.root:
                verifier = data["verifier"]
                self._check_scope(data)
            place = self._in_file(("verifier", "config"))
            self._try(values.check_verifier, self.file, verifier, place)
        if self.problems:
            raise ManifestError("\n\n".join(dict.fromkeys(self.problems)))
        return data

    def _mapping(self, keys: Keys) -> dict[str, Any]:
        needed, optional = _MAPPINGS[keys]
        place = self._in_file(keys)
        mapping = self.file.get(place)
        if not isinstance(mapping, dict):
            self._fail(place, f"keys with values are expected: {', '.join(needed)}")
            return {}
        for key in mapping:
            self._try(self.file.check_name, (*place, str(key)), [*needed, *optional], "key")
        for key in needed:
            if key not in mapping:
                name = ".".join((*place, key))
                hint = f"every field of a {self.title} is needed"
                self._fail(place, f"`{name}` is missing", hint)
        result: dict[str, Any] = {}
        # In the order of the manifest's fields, which is that of the messages.
        for name in (*needed, *optional):
            if name in mapping:
                result[name] = self._value((*keys, name))
        return result

    def _value(self, keys: Keys) -> Any:
        if keys in _MAPPINGS:
            return self._mapping(keys)
        place = self._in_file(keys)
        entry = values.Entry(self.file, place, self.file.get(place))
        if keys == ("license",):
            return self._try(values.read_license, entry, self.licenses)
        return self._try(_VALUES[keys], entry)

    def _check_scope(self, data: Mapping[str, Any]) -> None:
        """Check the scope and the fallback."""
        both = set(data["scope"]["tasks"]) & set(data["scope"]["non_scope"])
        if both:
            message = f"{', '.join(sorted(both))}: in scope.tasks and in scope.non_scope"
            self._fail(("scope", "non_scope"), message, "take it out of one of them")
        if data["model_id"] == UNSURE:
            message = f"{UNSURE!r} is the name of a fallback that does not exist"
            self._fail(("model_id",), message)

    def _in_file(self, keys: Keys) -> Keys:
        """Return the keys in this file, which may be a part of a manifest."""
        return keys[len(self.root) :]

    def _try(self, check: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return check(*arguments)
        except ManifestError as error:
            self.problems.append(str(error))
            return None

    def _fail(self, keys: Keys, message: str, hint: str = "") -> None:
        self.problems.append(str(self.file.fail(keys, message, hint)))
