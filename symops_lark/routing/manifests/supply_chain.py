"""Check that a model is the one of its manifest: hashes of weights and base, and a signature.

A file that could not be read is `unverified`, and that is not OK.
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

SIGNATURE = ".sig"  # after the manifest's name: the detached signature of its bytes, in base64
_MAX_MANIFEST = 1_000_000  # bytes
_MAX_KEY = 10_000  # bytes of a key, or of a signature


class Status(StrEnum):
    """The status of one link of the chain."""

    OK = "ok"
    MISMATCH = "mismatch"  # the file has another hash or signature
    MISSING = "missing"  # the file of the manifest does not exist
    UNVERIFIED = "unverified"  # the file could not be read, or is unknown


@dataclass(frozen=True, slots=True)
class Link:
    """One link of the chain.

    Attributes:
        name: "weights", "base" or "signature".
        status: The status.
        told: The reason for people.
    """

    name: str
    status: Status
    told: str = ""

    def __post_init__(self) -> None:
        coerce_members(self)


@dataclass(frozen=True, slots=True)
class SupplyChain(JsonObject):
    """The check of a model.

    Attributes:
        model_id: The id of the model.
        version: Its version.
        links: The links of the chain.
    """

    WRITTEN: ClassVar[tuple[str, ...]] = ("model_id", "version", "ok", "links")

    model_id: str
    version: str
    links: tuple[Link, ...]

    @property
    def ok(self) -> bool:
        """Whether every link is OK."""
        return all(link.status is Status.OK for link in self.links)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read the JSON object that `to_dict` returns; a wrong key raises `SymOpsError`."""
        # `ok` is computed again.
        return read_object(cls, {key: value for key, value in data.items() if key != "ok"})


def check_supply_chain(
    manifest: Manifest,
    base: str | os.PathLike[str] | None = None,
    key: str | os.PathLike[str] | None = None,
) -> SupplyChain:
    """Return whether the files of a model are those of its manifest.

    Args:
        manifest: The manifest.
        base: The file of the base model; None: the one of the manifest.
        key: The file of an Ed25519 public key (PEM) that must have signed the manifest; None: the
            signature is not checked.

    Raises:
        RoutingError: The key cannot be read, or is not such a key.
    """
    folder = manifest.folder
    weights = manifest.artifacts.weights
    links = [_check_file("weights", folder, weights.filename, weights.filename, weights.sha256)]
    model = manifest.base_model
    name = title = model.path or ""
    if base is not None:
        # The caller may name any file, also a link: caches of hubs have their files as links.
        place = Path(os.path.realpath(base))
        folder = str(place.parent)
        name = place.name
        title = str(base)
    if name:
        links.append(_check_file("base", folder, name, title, model.base_hash))
    else:
        message = "no file of the base model is known: name it (--base FILE)"
        links.append(Link("base", Status.UNVERIFIED, message))
    if key is not None:
        links.append(_check_signature(manifest.file, key))
    return SupplyChain(manifest.model_id, manifest.version, tuple(links))


def check_schema(manifest: Manifest) -> None:
    """Check the schema that a `json_schema` verifier uses; do nothing for other verifiers.

    Raises:
        RoutingError: The file does not exist, or is not a schema.
    """
    verifier = manifest.verifier
    if verifier.type != "json_schema" or "schema" in verifier.config:
        return
    name = str(verifier.config.get("schema_ref") or manifest.io_contract.output.schema_ref)
    try:
        find_problems({}, read_json_below(manifest.folder, name))
    except SchemaError as error:
        path = os.path.join(manifest.folder, name)
        raise RoutingError(f"{path}: the schema is wrong: {error}") from None


def _check_file(name: str, folder: str, path: str, title: str, expected: str) -> Link:
    """Return whether a file below a folder has the expected hash."""
    try:
        digest = hash_file(open_below(folder, path))
    except RoutingError as error:
        return Link(name, Status.MISSING, str(error))
    except OSError as error:
        return Link(name, Status.UNVERIFIED, f"{title}: cannot be read: {error.strerror}")
    if digest == expected.removeprefix("sha256:"):
        return Link(name, Status.OK, f"{title}: sha256 {digest[:12]}…")
    message = f"{title} has the sha256 {digest}, and the manifest says {expected}"
    return Link(name, Status.MISMATCH, message)


def _check_signature(path: str, key: str | os.PathLike[str]) -> Link:
    # A wrong key is the mistake of the caller, and must not look like that of the model.
    public_key = _load_key(os.fspath(key))
    file = f"{path}{SIGNATURE}"
    try:
        text = read_bounded(path, _MAX_MANIFEST)
        signature = base64.b64decode(read_bounded(file, _MAX_KEY).strip(), validate=True)
    except OSError as error:
        message = f"{error.filename}: cannot be read: {error.strerror}"
        return Link("signature", Status.MISSING, message)
    except (ValueError, binascii.Error):
        return Link("signature", Status.MISMATCH, f"{file}: this is not base64")
    from cryptography.exceptions import InvalidSignature

    try:
        public_key.verify(signature, text)
    except InvalidSignature:
        message = f"{path} was not signed by this key, or changed since"
        return Link("signature", Status.MISMATCH, message)
    return Link("signature", Status.OK, file)


def _load_key(path: str) -> Any:
    try:
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
        from cryptography.hazmat.primitives.serialization import load_pem_public_key
    except ImportError:
        raise RoutingError(
            "signatures need the library cryptography: pip install 'symops-lark[signatures]'"
        ) from None
    try:
        key = load_pem_public_key(read_bounded(path, _MAX_KEY))
    except OSError as error:
        raise RoutingError(f"{path}: the key cannot be read: {error.strerror}") from None
    except ValueError:
        raise RoutingError(f"{path}: this is not a public key in PEM") from None
    except UnsupportedAlgorithm:
        key = None
    if not isinstance(key, Ed25519PublicKey):
        raise RoutingError(f"{path}: this is not an Ed25519 key")
    return key
