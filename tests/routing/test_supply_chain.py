"""Whether files are those of a manifest: hashes, what could not be looked at, signatures; the card that tells it."""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from markdown_it import MarkdownIt
from route_models import GOOD, changed, write_model

from symops_lark.routing import Manifest, RoutingError, check_supply_chain, write_card
from symops_lark.routing.files import open_below
from symops_lark.routing.manifests.supply_chain import SupplyChain, check_schema

WITH_BASE = changed("base_model.path", "base.bin")


def check(folder: Path, data: dict[str, Any] = WITH_BASE, **more: Any) -> dict[str, str]:
    manifest = Manifest.load(write_model(folder, data))
    chain = check_supply_chain(manifest, **more)
    assert SupplyChain.from_dict(json.loads(json.dumps(chain.to_dict()))) == chain
    assert chain.ok == all(link.status == "ok" for link in chain.links)
    return {link.name: str(link.status) for link in chain.links}


def test_files_that_are_those_of_the_manifest(tmp_path: Path) -> None:
    assert check(tmp_path) == {"weights": "ok", "base": "ok"}
    prefixed = changed("artifacts.weights.sha256", "sha256:" + GOOD["artifacts"]["weights"]["sha256"].upper())
    assert check(tmp_path, prefixed, base=tmp_path / "base.bin") == {"weights": "ok", "base": "ok"}


def test_a_base_that_nobody_looked_at_is_not_ok(tmp_path: Path) -> None:
    assert check(tmp_path, GOOD) == {"weights": "ok", "base": "unverified"}
    assert check(tmp_path, GOOD, base=tmp_path / "none.bin") == {"weights": "ok", "base": "missing"}
    assert check(tmp_path, GOOD, base=tmp_path / "adapter.bin") == {"weights": "ok", "base": "mismatch"}


def test_a_base_that_the_caller_names_may_be_a_link(tmp_path: Path) -> None:
    """As in the cache of a hub, whose files lead to another folder."""
    write_model(tmp_path / "model", GOOD)
    cache = tmp_path / "cache"
    (cache / "blobs").mkdir(parents=True)
    (tmp_path / "model/base.bin").rename(cache / "blobs/one")
    (cache / "snapshot").mkdir()
    os.symlink("../blobs/one", cache / "snapshot/base.bin")
    chain = check_supply_chain(Manifest.load(tmp_path / "model"), base=cache / "snapshot/base.bin")
    assert chain.ok, chain


@pytest.mark.parametrize("name", ["adapter.bin", "base.bin"])
def test_files_that_are_others(name: str, tmp_path: Path) -> None:
    manifest = Manifest.load(write_model(tmp_path, WITH_BASE))
    link = "weights" if name == "adapter.bin" else "base"
    for change, status in (
        (lambda path: path.write_bytes(path.read_bytes() + b"!"), "mismatch"),
        (Path.unlink, "missing"),
        (Path.mkdir, "missing"),
    ):
        change(tmp_path / name)
        chain = check_supply_chain(manifest)
        assert {single_link.name: str(single_link.status) for single_link in chain.links}[
            link
        ] == status and not chain.ok


def test_a_link_that_leads_out_since_is_not_followed(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "model", WITH_BASE)
    manifest = Manifest.load(folder)
    (tmp_path / "same.bin").write_bytes((folder / "adapter.bin").read_bytes())
    (folder / "adapter.bin").unlink()
    os.symlink(tmp_path / "same.bin", folder / "adapter.bin")
    [weights, _] = check_supply_chain(manifest).links
    assert weights.status == "missing" and "outside" in weights.told


def test_links_inside_the_folder_are_followed_and_no_others(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    (folder / "blobs").mkdir(parents=True)
    (folder / "deep/er").mkdir(parents=True)
    (folder / "blobs/x").write_bytes(b"ours")
    (tmp_path / "outside").write_bytes(b"foreign")
    inside = {"a": "blobs/x", "deep/er/b": "../../blobs/x", "c": str(folder / "blobs/x"), "d": "a", "e": "blobs"}
    outside = {
        "f": "../outside",
        "g": str(tmp_path / "outside"),
        "deep/h": "../../outside",
        "i": "..",
        "j": "a/../../outside",
    }
    for name, target in (inside | outside).items():
        os.symlink(target, folder / name)
    for name in (*inside, "e/x"):
        if name != "e":
            with open(open_below(str(folder), name), "rb") as file:
                assert file.read() == b"ours"
    for name in (*outside, "../outside", "/etc/passwd", "", ".", "blobs/../x", "i/outside"):
        with pytest.raises(RoutingError, match="this lies outside the manifest's folder"):
            open_below(str(folder), name)
    os.symlink("round", folder / "round")
    with pytest.raises(RoutingError, match=r"[Tt]oo many levels"):
        open_below(str(folder), "round")
    with pytest.raises(RoutingError, match="this is not a file"):
        open_below(str(folder), "e")


def test_a_schema_must_be_there_and_be_one(tmp_path: Path) -> None:
    manifest = Manifest.load(write_model(tmp_path))
    check_schema(manifest)
    for text, message in (
        ("{", "not JSON"),
        ('{"type": 3}', "the schema is wrong"),
        ("[]", "JSON object"),
        ("NaN", "NaN"),
    ):
        (tmp_path / "schemas" / "output.schema.json").write_text(text)
        with pytest.raises(RoutingError, match=message):
            check_schema(manifest)


# ---- signatures


@pytest.fixture(name="signed")
def make_signed(tmp_path: Path) -> Path:
    """A model that is signed, with the public key beside it."""
    folder, private = write_model(tmp_path, WITH_BASE), Ed25519PrivateKey.generate()
    signature = private.sign((folder / "model.yaml").read_bytes())
    (folder / "model.yaml.sig").write_bytes(base64.b64encode(signature) + b"\n")
    pem = private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    (folder / "key.pem").write_bytes(pem)
    return folder


def signature_of(folder: Path) -> str:
    chain = check_supply_chain(Manifest.load(folder), key=folder / "key.pem")
    return {link.name: str(link.status) for link in chain.links}["signature"]


def test_a_signature_by_the_key(signed: Path) -> None:
    assert signature_of(signed) == "ok"
    manifest = signed / "model.yaml"
    manifest.write_bytes(manifest.read_bytes() + b"# changed\n")
    assert signature_of(signed) == "mismatch"
    (signed / "model.yaml.sig").write_text("no base64!")
    assert signature_of(signed) == "mismatch"
    (signed / "model.yaml.sig").unlink()
    assert signature_of(signed) == "missing"


def test_a_signature_by_another_key(signed: Path) -> None:
    second = Ed25519PrivateKey.generate().public_key()
    (signed / "key.pem").write_bytes(second.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    assert signature_of(signed) == "mismatch"


def test_what_is_no_key_is_told(signed: Path) -> None:
    mistakes = X25519PrivateKey.generate().public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    # A key of a kind without a name: 1.2.3.4.
    unknown = b"-----BEGIN PUBLIC KEY-----\nMA0wBQYDKgMEAwQAeHh4\n-----END PUBLIC KEY-----\n"
    for data, message in ((b"", "not a public key"), (mistakes, "not an Ed25519 key"), (unknown, "not an Ed25519 key")):
        (signed / "key.pem").write_bytes(data)
        with pytest.raises(RoutingError, match=message):
            signature_of(signed)


# ---- the card


def test_a_card_says_what_the_manifest_says(tmp_path: Path) -> None:
    manifest = Manifest.load(write_model(tmp_path, WITH_BASE))
    card = write_card(manifest, check_supply_chain(manifest))
    for part in ("# json-writer", "`0.1.0`", "- transform", "- chat", "`schema_valid == true`", "Supply chain: OK."):
        assert part in card
    assert card.startswith('---\nlicense: "Apache-2.0"\nbase_model: "Base/Model-1B"\n')


def test_a_card_says_nothing_else(tmp_path: Path) -> None:
    """Whatever a manifest holds, it is text: no heading, no link, no HTML, no cell of its own."""
    evil = "x` | <script>alert(1)</script> [a](http://b) ![i](j) # h\n\n# head"
    data = changed("scope.tasks", [evil])
    data["routing"]["tags"] = [evil]
    data["io_contract"]["output"]["format"] = evil
    data["base_model"]["model_id"] = "---\n# x"
    card = write_card(Manifest.load(write_model(tmp_path, data)))
    tokens = MarkdownIt("commonmark").enable("table").parse(card.split("---\n", 2)[2])
    headings = [tokens[i + 1].content for i, token in enumerate(tokens) if token.type == "heading_open"]
    assert headings == ["json-writer", "What it is for", "What it is not for", "Contract", "Files"]
    inline = {child.type for token in tokens if token.children for child in token.children}
    assert inline <= {"text", "code_inline", "text_special"}, inline
    assert "html_block" not in {token.type for token in tokens}
    rows = [i for i, token in enumerate(tokens) if token.type == "tr_open"]
    assert len(rows) == 1 + 6 + 1 + 2
