"""Whether a model is what its manifest says: hashes of the weights and of the base, and a signature if it is asked for.

Law: what was not looked at is `unverified`, and that is not OK.
"""

from __future__ import annotations

import base64
import binascii
import os
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from ..json_objects import read_object, write_object
from ..resources import read_bounded
from ..structured import SchemaError, find_problems
from .errors import RoutingError
from .files import hash_file, open_below, read_json_below
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


@dataclass(frozen=True, slots=True)
class SupplyChain:
    """What was found; `ok` only if every link is."""

    model_id: str
    version: str
    links: tuple[Link, ...]

    @property
    def ok(self) -> bool:
        """Whether every link is as it should be."""
        return all(link.status is Status.OK for link in self.links)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> SupplyChain:
        """Read what `to_dict` wrote; raise `SymOpsError` with the key for anything else."""
        return read_object(cls, {key: value for key, value in data.items() if key != "ok"})

    def to_dict(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        return write_object(self, "model_id", "version", "ok", "links")


def check_supply_chain(
    manifest: Manifest, base: str | os.PathLike[str] | None = None, key: str | os.PathLike[str] | None = None
) -> SupplyChain:
    """Return whether the files of a model are those of its manifest.

    `base` is the file of the base model, if the manifest names none below its folder. With a `key` (an Ed25519 public
    key, PEM) the manifest must be signed by it. Raises `RoutingError` for a key that is none.
    """
    weights = manifest.artifacts.weights
    links = [_check_below(manifest, "weights", weights.filename, weights.sha256)]
    if base is not None:
        links.append(_check_file("base", base, manifest.base_model.base_hash))
    elif manifest.base_model.path is not None:
        links.append(_check_below(manifest, "base", manifest.base_model.path, manifest.base_model.base_hash))
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


def _check_below(manifest: Manifest, name: str, path: str, expected: str) -> Link:
    try:
        return _compare(name, path, hash_file(open_below(manifest.folder, path)), expected)
    except RoutingError as error:
        return Link(name, Status.MISSING, str(error))
    except OSError as error:
        return Link(name, Status.UNVERIFIED, f"{path}: cannot be read: {error.strerror}")


def _check_file(name: str, path: str | os.PathLike[str], expected: str) -> Link:
    place = Path(path)
    try:
        return _compare(name, str(path), hash_file(open_below(str(place.parent or "."), place.name)), expected)
    except RoutingError as error:
        return Link(name, Status.MISSING, str(error))
    except OSError as error:
        return Link(name, Status.UNVERIFIED, f"{path}: cannot be read: {error.strerror}")


def _compare(name: str, path: str, found: str, expected: str) -> Link:
    if found == expected.removeprefix("sha256:"):
        return Link(name, Status.OK, f"{path}: sha256 {found[:12]}…")
    return Link(name, Status.MISMATCH, f"{path} has the sha256 {found}, and the manifest says {expected}")


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
