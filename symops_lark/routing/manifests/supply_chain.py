"""Whether a model is what its manifest says: hashes of the weights and of the base, and a signature if it is asked for.

Law: what was not looked at is `unverified`, and that is not OK.
"""

from __future__ import annotations

import base64
import binascii
import os
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar, Self

from ...answers.structured import SchemaError, find_problems
from ...core.ground.json_objects import JsonObject, read_object
from ...core.ground.members import coerce_members
from ...core.ground.resources import read_bounded
from ..errors import RoutingError
from ..files import hash_file, open_below, read_json_below
from .manifest import Manifest

SIGNATURE = ".sig"  # behind the manifest's name: the detached signature of its bytes, in base64


class Status(StrEnum):
    """What is known of one link of the chain."""

    OK = "ok"
    MISMATCH = "mismatch"  # it is something else
    MISSING = "missing"  # the manifest names it, and it is not there
    UNVERIFIED = "unverified"  # nobody could look


@dataclass(frozen=True, slots=True)
class Link:
    """One link of the chain: `name` is "weights", "base" or "signature"; `told` says what was found."""

    name: str
    status: Status
    told: str = ""

    def __post_init__(self) -> None:
        coerce_members(self)


@dataclass(frozen=True, slots=True)
class SupplyChain(JsonObject):
    """What was found; `ok` only if every link is."""

    WRITTEN: ClassVar[tuple[str, ...]] = ("model_id", "version", "ok", "links")

    model_id: str
    version: str
    links: tuple[Link, ...]

    @property
    def ok(self) -> bool:
        """Whether every link is as it should be."""
        return all(link.status is Status.OK for link in self.links)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read what `to_dict` wrote; raise `SymOpsError` with the key for anything else."""
        return read_object(cls, {key: value for key, value in data.items() if key != "ok"})


def check_supply_chain(
    manifest: Manifest, base: str | os.PathLike[str] | None = None, key: str | os.PathLike[str] | None = None
) -> SupplyChain:
    """Return whether the files of a model are those of its manifest.

    `base` is the file of the base model, if the manifest names none below its folder. With a `key` (an Ed25519 public
    key, PEM) the manifest must be signed by it. Raises `RoutingError` for a key that is none.
    """
    weights, made_of = manifest.artifacts.weights, manifest.base_model
    links = [_check_file("weights", manifest.folder, weights.filename, weights.filename, weights.sha256)]
    if base is not None:
        place = Path(base)
        links.append(_check_file("base", str(place.parent), place.name, str(base), made_of.base_hash))
    elif made_of.path is not None:
        links.append(_check_file("base", manifest.folder, made_of.path, made_of.path, made_of.base_hash))
    else:
        links.append(Link("base", Status.UNVERIFIED, "no file of the base model is known: name it (--base FILE)"))
    if key is not None:
        links.append(_check_signature(manifest, key))
    return SupplyChain(manifest.model_id, manifest.version, tuple(links))


def check_schema(manifest: Manifest) -> None:
    """Raise `RoutingError` unless the schema that a `json_schema` verifier uses is there, and is one."""
    chosen = manifest.verifier
    if chosen.type != "json_schema" or "schema" in chosen.config:
        return
    name = str(chosen.config.get("schema_ref") or manifest.io_contract.output.schema_ref)
    try:
        find_problems({}, read_json_below(manifest.folder, name))
    except SchemaError as error:
        raise RoutingError(f"{os.path.join(manifest.folder, name)}: the schema is wrong: {error}") from None


def _check_file(name: str, folder: str, path: str, shown: str, expected: str) -> Link:
    """Return whether a file below a folder has the hash that is expected; `shown` is what people know it by."""
    try:
        found = hash_file(open_below(folder, path))
    except RoutingError as error:
        return Link(name, Status.MISSING, str(error))
    except OSError as error:
        return Link(name, Status.UNVERIFIED, f"{shown}: cannot be read: {error.strerror}")
    if found == expected.removeprefix("sha256:"):
        return Link(name, Status.OK, f"{shown}: sha256 {found[:12]}…")
    return Link(name, Status.MISMATCH, f"{shown} has the sha256 {found}, and the manifest says {expected}")


def _check_signature(manifest: Manifest, key: str | os.PathLike[str]) -> Link:
    verifying = _load_key(key)
    place = manifest.file
    try:
        text = read_bounded(place, 1_000_000)
        signature = base64.b64decode(read_bounded(f"{place}{SIGNATURE}", 10_000).strip(), validate=True)
    except OSError as error:
        return Link("signature", Status.MISSING, f"{error.filename}: cannot be read: {error.strerror}")
    except (ValueError, binascii.Error):
        return Link("signature", Status.MISMATCH, f"{place}{SIGNATURE}: this is no base64")
    from cryptography.exceptions import InvalidSignature

    try:
        verifying.verify(signature, text)
    except InvalidSignature:
        return Link("signature", Status.MISMATCH, f"{place} was not signed by this key, or changed since")
    return Link("signature", Status.OK, f"{place}{SIGNATURE}")


def _load_key(key: str | os.PathLike[str]) -> Any:
    try:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
        from cryptography.hazmat.primitives.serialization import load_pem_public_key
    except ImportError:
        raise RoutingError("signatures need the library cryptography: pip install 'symops-lark[signatures]'") from None
    try:
        found = load_pem_public_key(read_bounded(os.fspath(key), 10_000))
    except OSError as error:
        raise RoutingError(f"{os.fspath(key)}: the key cannot be read: {error.strerror}") from None
    except ValueError:
        raise RoutingError(f"{os.fspath(key)}: this is no public key in PEM") from None
    if not isinstance(found, Ed25519PublicKey):
        raise RoutingError(f"{os.fspath(key)}: this is no Ed25519 key")
    return found
