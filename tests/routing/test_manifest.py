"""Manifests: every mistake at its place, nothing outside the folder; the schema says what the reader says."""

from __future__ import annotations

import json
import os
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from route_models import GOOD, changed, write_model

import symops_lark.routing
from symops_lark.routing import Manifest, ManifestError
from symops_lark.routing.manifests.manifest_values import ID, VERSION, allowed_licenses
from symops_lark.routing.verifiers import known_verifiers

ROOM = Path(symops_lark.routing.__file__).parent / "manifests"
SHIPPED = json.loads((ROOM / "manifest.schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SHIPPED)


def places(value: Any, way: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    inner = [place for key in value for place in places(value[key], (*way, key))] if isinstance(value, dict) else []
    return [*([way] if way else []), *inner]


FIELDS = [".".join(place) for place in places(GOOD)]


def load(folder: Path, data: dict[str, Any]) -> Manifest:
    return Manifest.load(write_model(folder / "model", data))


def refuse(folder: Path, text: str) -> str:
    path = write_model(folder / "model") / "model.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ManifestError) as caught:
        Manifest.load(path)
    return str(caught.value)


def test_a_good_manifest_is_read(tmp_path: Path) -> None:
    manifest = load(tmp_path, GOOD)
    assert manifest.to_dict() == GOOD
    assert Manifest.from_dict(json.loads(json.dumps(manifest.to_dict()))) == manifest
    assert (manifest.name, manifest.folder) == ("json-writer@0.1.0", str(tmp_path / "model"))
    assert Manifest.load(tmp_path / "model" / "model.yaml") == manifest
    VALIDATOR.validate(manifest.to_dict())


def test_what_is_optional_is_kept(tmp_path: Path) -> None:
    data = changed("provider", {"name": "vllm", "model": "m", "base_url": "http://127.0.0.1:1/v1", "constrained": "v2"})
    data |= {"metadata": {"note": [1, {"a": None}]}, "base_model": {**GOOD["base_model"], "path": "base.bin"}}
    data["verifier"] = {"type": "json_schema", "pass_condition": "errors < 2", "config": {"expected": {"x": 1}}}
    manifest = load(tmp_path, data)
    assert manifest.to_dict() == data
    VALIDATOR.validate(data)


@pytest.mark.parametrize("field", FIELDS)
def test_a_field_that_is_missing_is_told_with_its_place(field: str, tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match=rf"model\.yaml:\d+:\d+: error: `{field}` is missing"):
        load(tmp_path, changed(field, drop=True))
    assert not VALIDATOR.is_valid(changed(field, drop=True))


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("value", [None, True, [], {}, -1, 1e400, "", " ", "\u202e", ["a", "a"]], ids=repr)
def test_a_value_of_another_kind_is_told_with_its_place(field: str, value: Any, tmp_path: Path) -> None:
    if value == [] and field in ("routing.tags", "scope.non_scope"):
        return
    with pytest.raises(ManifestError, match=r"model\.yaml:\d+:\d+: error: "):
        load(tmp_path, changed(field, value))


JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 10**10),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["a", "A", "../x", "/x", "a/b", "1.2.3", "1.2", "0" * 64, "sha256:" + "f" * 64, "MIT", "symops"]),
    st.text(max_size=5),
    st.lists(st.sampled_from(["a", "b", 1]), max_size=3),
    st.dictionaries(st.sampled_from(["a", "path"]), st.integers(), max_size=2),
)


@given(st.sampled_from(FIELDS), JUNK)
def test_what_is_read_fits_the_schema(tmp_path_factory: pytest.TempPathFactory, field: str, value: Any) -> None:
    data = changed(field, value)
    try:
        manifest = load(tmp_path_factory.mktemp("m"), data)
    except ManifestError:
        return
    VALIDATOR.validate(manifest.to_dict())


def test_the_schema_names_the_verifiers_there_are() -> None:
    Draft202012Validator.check_schema(SHIPPED)
    assert SHIPPED["properties"]["verifier"]["properties"]["type"]["enum"] == list(known_verifiers())


def test_everything_is_told_at_once(tmp_path: Path) -> None:
    data = deepcopy(GOOD) | {"model_id": "No Id", "version": "1", "license": "mit", "typo": 1}
    del data["routing"]["fallback"]
    with pytest.raises(ManifestError) as caught:
        load(tmp_path, data)
    message = str(caught.value)
    for part in ("not an id of a model", "not a version by SemVer", "did you mean MIT", "'typo'", "`routing.fallback`"):
        assert part in message
    assert message.count("error: ") == 5


# ---- values


@pytest.mark.parametrize("version", ["0.1.0", "1.0.0-rc.1+build.5", "1.0.0--", "10.20.30", "1.0.0-0A.is.legal"])
def test_a_version_by_semver(version: str, tmp_path: Path) -> None:
    assert load(tmp_path, changed("version", version)).version == version


@pytest.mark.parametrize(
    "version", ["1", "1.0", "v1.0.0", "01.0.0", "1.0.0-01", "1.0.0-", "1.0.0+", "1.0.0\n1", "1.0.0-é"]
)
def test_no_version_by_semver(version: str, tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match="SemVer"):
        load(tmp_path, changed("version", version))


def test_a_version_without_quotes_is_a_number(tmp_path: Path) -> None:
    text = yaml.safe_dump(GOOD, sort_keys=False).replace("version: 0.1.0", "version: 0.10", 1)
    message = refuse(tmp_path, text)
    assert "model.yaml:2:10: error: version is a number here" in message and "quote the version" in message
    base = yaml.safe_dump(GOOD, sort_keys=False).replace("version: '3'", "version: 3.10", 1)
    assert "put quotes around it" in refuse(tmp_path, base)


@given(st.text("ab0.-_A /", max_size=6))
def test_ids(text: str) -> None:
    inner, ends = set("abcdefghijklmnopqrstuvwxyz0123456789._-"), set("abcdefghijklmnopqrstuvwxyz0123456789")
    assert bool(ID.match(text)) == (bool(text) and {*text} <= inner and {text[0], text[-1]} <= ends)


def test_patterns_take_linear_time_and_end_where_the_text_does() -> None:
    assert not ID.match("a\n") and not VERSION.match("1.0.0\n")
    assert not ID.match("a" + "-" * 50_000) and not VERSION.match("1.0.0-" + "0a." * 50_000)


@pytest.mark.parametrize("value", ["a" * 63, "g" * 64, "sha512:" + "a" * 64, "sha256:", "a" * 64 + "\n" + "b"])
def test_no_hash(value: str, tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match="not a SHA-256"):
        load(tmp_path, changed("artifacts.weights.sha256", value))


def test_a_hash_is_kept_as_it_was_written(tmp_path: Path) -> None:
    value = "sha256:" + "AB" * 32
    assert load(tmp_path, changed("base_model.base_hash", value)).base_model.base_hash == value.lower()


@pytest.mark.parametrize(
    "path",
    [
        "../x",
        "a/../../x",
        "/etc/passwd",
        "~/x",
        "C:\\x",
        "\\\\host\\x",
        "a\\..\\x",
        ".",
        "..",
        "a//b",
        "x/",
        "con",
        "a\u2215b",
    ],
)
@pytest.mark.parametrize("field", ["artifacts.weights.filename", "io_contract.output.schema_ref", "base_model.path"])
def test_no_path_leads_out_of_the_folder(field: str, path: str, tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match="is not used: "):
        load(tmp_path, changed(field, path))


@pytest.mark.parametrize("target", ["outside", "..", "/", "/etc"])
def test_no_link_leads_out_of_the_folder(target: str, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    folder = write_model(tmp_path / "model", changed("artifacts.weights.filename", "link/x"))
    os.symlink(tmp_path / "outside" if target == "outside" else target, folder / "link")
    with pytest.raises(ManifestError, match="a link leads out of the manifest's folder"):
        Manifest.load(folder)


def test_a_link_inside_the_folder_is_followed(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "model", changed("artifacts.weights.filename", "link.bin"))
    os.symlink("adapter.bin", folder / "link.bin")
    assert Manifest.load(folder).artifacts.weights.filename == "link.bin"


def test_licenses_are_on_the_list(tmp_path: Path) -> None:
    assert {"MIT", "Apache-2.0"} <= set(allowed_licenses())
    for item in ("apache-2.0", "Proprietary", "MIT OR Apache-2.0", "GPL-3.0"):
        with pytest.raises(ManifestError, match=r"not on the list.*\n(.*\n)*.*--allow-license"):
            load(tmp_path, changed("license", item))
    folder = write_model(tmp_path / "model", changed("license", "LicenseRef-ours"))
    assert Manifest.load(folder, licenses=["LicenseRef-ours"]).license == "LicenseRef-ours"


@pytest.mark.parametrize("wrong", [True, 0, -1, 1.5, "4096", 10**10, "1e400"])
def test_a_count_is_a_whole_number(wrong: Any, tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match=r"max_tokens is .* a whole number from 1"):
        load(tmp_path, changed("io_contract.input.max_tokens", wrong))


def test_scope_and_its_contrary_are_apart(tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match=r"transform: in scope\.tasks and in scope\.non_scope"):
        load(tmp_path, changed("scope.non_scope", ["transform"]))


# ---- conditions and settings of verifiers


@pytest.mark.parametrize(
    ("condition", "told"),
    [
        ("schema_valdi == true", "no fact is called schema_valdi"),
        ("errors < true", "cannot be compared"),
        ("errors", "is not true or false"),
        ("schema_valid and", "ends too early"),
        ("__import__('os')", "not expected here"),
        ("valid == true", "no fact is called valid"),  # of another verifier
    ],
)
def test_a_wrong_condition_is_refused(condition: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match=r"model\.yaml:\d+:\d+: error: the condition is wrong") as caught:
        load(tmp_path, changed("verifier.pass_condition", condition))
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "condition", "config", "told"),
    [
        ("json_schema", "errors == 0", {"schem": {}}, r"verifier\.config\.schem: no such key"),
        ("json_schema", "errors == 0", {"schema": {"type": 3}}, "schema: /type"),
        ("symops", "valid == true", {"format": "v99"}, "v99"),
        ("symops", "valid == true", {"format": "/etc/passwd"}, "not a file"),
        ("rule_check", "failed == 0", {}, r"verifier\.config\.rules"),
        ("rule_check", "failed == 0", {"rules": [{"id": "a", "must": "("}]}, "not one of RE2"),
        ("rule_check", "failed == 0", {"rules": [{"id": "a"}]}, "says nothing"),
        ("unit_test", "failed == 0", {"commands": []}, "there are none"),
        ("unit_test", "failed == 0", {"commands": ["true", "true && rm x"]}, "would need a shell"),
        ("unit_test", "failed == 0", {"commands": ["x"], "files": {"../x": ""}}, "leads elsewhere"),
        ("static_analysis", "findings == 0", {"command": "x", "filename": "/x"}, "absolute"),
    ],
)
def test_wrong_settings_are_refused(kind: str, condition: str, config: Any, told: str, tmp_path: Path) -> None:
    data = changed("verifier", {"type": kind, "pass_condition": condition, "config": config})
    with pytest.raises(ManifestError, match=told):
        load(tmp_path, data)


def test_a_rule_is_a_fact_of_its_name(tmp_path: Path) -> None:
    config = {"rules": [{"id": "greets", "must": "hello"}]}
    verifier = {"type": "rule_check", "pass_condition": "rule.greets", "config": config}
    assert load(tmp_path, changed("verifier", verifier)).verifier.pass_condition == "rule.greets"
    with pytest.raises(ManifestError, match=r"no fact is called rule\.greet"):
        load(tmp_path, changed("verifier", {**verifier, "pass_condition": "rule.greet"}))


# ---- texts that are no manifests

BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{chr(98 + i)}: &{chr(98 + i)} [{','.join(['*' + chr(97 + i)] * 9)}]\n" for i in range(9)
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "`model_id` is missing"),
        ("- a\n", "a mapping"),
        ("model_id: [", "not YAML"),
        ("model_id: !!python/object/apply:os.system ['touch x']\n", "cannot be read"),
        ("model_id: !mine x\n", "cannot be read"),
        ("model_id: &a [*a]\n", "refers to itself"),
        (BOMB, "values, written out"),
        ("model_id: a\nmodel_id: b\n", "set twice"),
        ("model_id: " + "[" * 3000, "nested too deeply"),
        ("model_id: 2026-02-30\n", "cannot be read"),
        ("model_id: " + "9" * 5000 + "\n", "cannot be read"),
        ("? [a]\n: b\n", "is a text"),
        ("metadata: {1: x}\n", "is not a text"),
        ("metadata: {a: .inf}\n", "finite number"),
        ("metadata: {a: 2026-01-01}\n", "which JSON has not"),
        ("x: " + "a" * 1_000_001, "longer than 1,000,000 bytes"),
    ],
    ids=range(16),
)
def test_hostile_texts_are_refused_with_their_place(text: str, told: str, tmp_path: Path) -> None:
    assert told in refuse(tmp_path, text)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model"], "nothing was run"


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "model.yaml"
    path.write_bytes(b"model_id: \xff\n")
    with pytest.raises(ManifestError, match=r"model\.yaml:1:11: not UTF-8"):
        Manifest.load(path)
    with pytest.raises(ManifestError, match="cannot be read"):
        Manifest.load(tmp_path / "none.yaml")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.yaml")
        with pytest.raises(ManifestError, match="no file"):
            Manifest.load(tmp_path / "pipe.yaml")


def test_nothing_but_the_manifest_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, opened = write_model(tmp_path / "model"), []
    allowed_licenses()
    real = os.open

    def watched(path: Any, *rest: Any, **more: Any) -> int:
        opened.append(str(path))
        return real(path, *rest, **more)

    monkeypatch.setattr(os, "open", watched)
    Manifest.load(folder)
    assert [path for path in opened if path.startswith(str(tmp_path))] == [str(folder / "model.yaml")]
