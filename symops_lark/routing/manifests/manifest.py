"""Manifests (`model.yaml`): what a specialist model is, may do, and how it is judged.

Laws: a mistake is told with file, line and what to do, all of them at once; no path of a manifest leads out of its
folder, and nothing but the manifest itself is opened here. The JSON Schema is `manifest.schema.json`.
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
UNSURE = "unsure"  # as a fallback: none, the answer is that nobody is sure
_LIMIT = 1_000_000  # bytes


@dataclass(frozen=True, slots=True)
class BaseModel:
    """The model that this one was made of; `path` is a file below the manifest's folder, if it is there."""

    model_id: str
    version: str
    base_hash: str
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Weights:
    """The file of the weights (an adapter, as a rule), below the manifest's folder."""

    filename: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Artifacts:
    """The files of a model."""

    weights: Weights


@dataclass(frozen=True, slots=True)
class Scope:
    """What a model is for, and what it is not for."""

    tasks: tuple[str, ...]
    non_scope: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class InputContract:
    """What a model takes: `required_format` is "prompt", "prompt+schema" or "prompt+symops", or a word of one's own."""

    max_tokens: int
    required_format: str


@dataclass(frozen=True, slots=True)
class OutputContract:
    """What a model gives; `schema_ref` is a file below the manifest's folder."""

    format: str
    schema_ref: str


@dataclass(frozen=True, slots=True)
class IoContract:
    """What goes in and what comes out."""

    input: InputContract
    output: OutputContract


@dataclass(frozen=True, slots=True)
class VerifierChoice:
    """Who judges a reply, and what must hold of the facts that are found."""

    type: str
    pass_condition: str
    config: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Routing:
    """For which requests the model is a candidate, and who answers if nobody passes."""

    tags: tuple[str, ...]
    recommended_min_confidence: float
    fallback: str


@dataclass(frozen=True, slots=True)
class ProviderChoice:
    """How `models/` reaches the model; `constrained` is a dialect that it is held to while it writes."""

    name: str
    model: str | None = None
    base_url: str | None = None
    command: str | None = None
    max_tokens: int | None = None
    temperature: float | None = None
    constrained: str | None = None


@dataclass(frozen=True, slots=True)
class Manifest:
    """A specialist model; `file` is where its manifest stands, empty for one that was read from JSON."""

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
    file: str = field(default="", compare=False)

    @classmethod
    def load(cls, path: str | os.PathLike[str], licenses: Collection[str] = ()) -> Manifest:
        """Return the manifest of a file, or of the `model.yaml` in a folder.

        `licenses` are allowed besides those of the policy. Raises `ManifestError`, which has all mistakes.
        """
        place = Path(path)
        place = place / FILE if place.is_dir() else place
        reader = _Reader(place, licenses)
        data = reader.read()
        if reader.problems:
            raise ManifestError("\n\n".join(dict.fromkeys(reader.problems)))
        return read_object(cls, {**data, "file": str(place)})

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Manifest:
        """Read what `to_dict` wrote; raise `SymOpsError` with the key for anything else. Values are not checked."""
        return read_object(cls, data)

    def to_dict(self) -> dict[str, Any]:
        """Return it as a JSON object, without what is left out (schema: `manifest.schema.json` beside)."""
        whole = write_object(self)
        del whole["file"]
        return _without_nothing(whole)

    @property
    def folder(self) -> str:
        """The folder that all paths of the manifest are below; empty if there is none."""
        return str(Path(self.file).parent) if self.file else ""

    @property
    def name(self) -> str:
        """The model and its version, `json-writer@1.2.0`."""
        return f"{self.model_id}@{self.version}"


def load_verifier(path: str | os.PathLike[str]) -> VerifierChoice:
    """Return the verifier of a caller's file: `type`, `pass_condition`, `config`, as in a manifest.

    Args:
        path: The file.

    Raises:
        ManifestError: The file is wrong; the message has all mistakes.
    """
    reader = _Reader(Path(path), (), ("verifier",))
    data = reader.read()
    if reader.problems:
        raise ManifestError("\n\n".join(dict.fromkeys(reader.problems)))
    return read_object(VerifierChoice, data)


def _without_nothing(value: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out optional keys that say nothing."""
    optional = ("provider", "metadata", "config", "path", *ProviderChoice.__dataclass_fields__)
    kept = {key: item for key, item in value.items() if not (key in optional and (item is None or item == {}))}
    inner = ("base_model", "verifier", "provider")
    return {
        key: _without_nothing(item) if key in inner and isinstance(item, Mapping) else item
        for key, item in kept.items()
    }


def _find_mappings(kind: Any, keys: Keys = ()) -> Iterator[tuple[Keys, tuple[list[str], list[str]]]]:
    """Yield for each mapping of a manifest, a class here, the keys that it needs and those that it may have."""
    own = [field for field in fields(kind) if field.name != "file"]
    further = [field.name for field in own if field.default is not MISSING or field.default_factory is not MISSING]
    yield keys, ([field.name for field in own if field.name not in further], further)
    for name, hint in get_type_hints(kind).items():
        for inner in filter(is_dataclass, (hint, *get_args(hint))):
            yield from _find_mappings(inner, (*keys, name))


Check = Callable[[YamlFile, Keys, Any], Any]
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
    ("routing", "recommended_min_confidence"): YamlFile.share,
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
    """Reads a manifest and keeps what is wrong, so that a person is told everything at once."""

    def __init__(self, path: Path, licenses: Collection[str], root: Keys = ()) -> None:
        self.what = root[-1] if root else "manifest"
        self.file = YamlFile(path, self.what, ManifestError, _LIMIT, _MAPPINGS[root][0])
        self.licenses = licenses
        # Of a file that is a part of a manifest: the keys that lead to that part.
        self.root = root
        self.problems: list[str] = []

    def read(self) -> dict[str, Any]:
        data = self._mapping(self.root)
        if self.root:
            if not self.problems:
                self._check_verifier(data)
            return data
        if "license" in data:
            self._try(("license",), lambda file, keys, value: values.read_license(file, keys, value, self.licenses))
        if not self.problems:
            self._check_together(data)
        return data

    def _mapping(self, keys: Keys) -> dict[str, Any]:
        needed, further = _MAPPINGS[keys]
        place = self._in_file(keys)
        found = self.file.get(place)
        if not isinstance(found, dict):
            self._note(self.file.fail(place, f"keys with values are expected: {', '.join(needed)}"))
            return {}
        for key in found:
            try:
                self.file.check_name((*place, str(key)), [*needed, *further], "key")
            except ManifestError as error:
                self._note(error)
        for key in needed:
            if key not in found:
                name = ".".join((*place, key))
                self._note(self.file.fail(place, f"`{name}` is missing", f"every field of a {self.what} is needed"))
        return {key: self._value((*keys, key)) for key in (*needed, *further) if key in found}

    def _value(self, keys: Keys) -> Any:
        if keys in _MAPPINGS:
            return self._mapping(keys)
        return self._try(keys, _VALUES[keys]) if keys in _VALUES else self.file.get(self._in_file(keys))

    def _try(self, keys: Keys, check: Check) -> Any:
        try:
            place = self._in_file(keys)
            return check(self.file, place, self.file.get(place))
        except ManifestError as error:
            self._note(error)
            return None

    def _check_together(self, data: Mapping[str, Any]) -> None:
        """Look at what only makes sense together: the scope, the fallback, the verifier with its condition."""
        both = set(data["scope"]["tasks"]) & set(data["scope"]["non_scope"])
        if both:
            told = f"{', '.join(sorted(both))}: in scope.tasks and in scope.non_scope"
            self._note(self.file.fail(("scope", "non_scope"), told, "take it out of one of them"))
        if data["model_id"] == UNSURE:
            self._note(self.file.fail(("model_id",), f"{UNSURE!r} is what a fallback is called where there is none"))
        self._check_verifier(data["verifier"])

    def _check_verifier(self, data: Mapping[str, Any]) -> None:
        try:
            values.check_verifier(self.file, data, self._in_file(("verifier", "config")))
        except ManifestError as error:
            self._note(error)

    def _in_file(self, keys: Keys) -> Keys:
        """Return the keys that lead to a value of a manifest in this file, which may be a part of one."""
        return keys[len(self.root) :]

    def _note(self, error: Exception) -> None:
        self.problems.append(str(error))
