"""What the values of a manifest must be: each function returns one, or raises the file's error with what to do."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from ...acting.files.paths import check_path, unseen
from ...core.ground.json_objects import FieldError
from ...core.ground.numbers import grouped
from ...core.replies.messages import ModelError
from ...core.text.yaml_file import Keys, YamlFile, nearest
from ...models.addresses import read_address
from ...models.providers import PROVIDERS

ID = re.compile(r"[a-z0-9]([a-z0-9._-]*[a-z0-9])?\Z")
VERSION = re.compile(  # semver.org: "Is there a suggested regular expression?"
    r"(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)"
    r"(?:-((?:0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*))*))?"
    r"(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?\Z"
)
HASH = re.compile(r"(sha256:)?[0-9a-fA-F]{64}\Z")
_LONGEST_ID, _LONGEST, _MOST_ITEMS, _MOST = 128, 2_000, 1_000, 10**9
LOCAL = "local-model"
_POLICY = Path(__file__).with_name("licenses.yaml")


def read_text(file: YamlFile, keys: Keys, value: Any) -> str:
    """Return a text of one line that can be seen."""
    if not isinstance(value, str) or not value.strip():
        hint = "put quotes around it" if value is not None and not isinstance(value, dict | list | str) else ""
        raise file.fail(keys, f"{keys[-1]} is {_show(value)}; it is a text", hint)
    if len(value) > _LONGEST:
        raise file.fail(keys, f"{keys[-1]} is longer than {grouped(_LONGEST)} characters")
    if hidden := unseen(value.strip().replace("\n", " ")):
        raise file.fail(keys, f"{keys[-1]} has a character that cannot be seen (U+{ord(hidden):04X})")
    return value.strip()


def read_base_url(file: YamlFile, keys: Keys, value: Any) -> str:
    """Return the address of a server."""
    text = read_text(file, keys, value)
    try:
        read_address(text)
    except ModelError as error:
        raise file.fail(keys, f"{keys[-1]}: {error}", 'as in "http://127.0.0.1:8000/v1"') from None
    return text


def read_id(file: YamlFile, keys: Keys, value: Any) -> str:
    """Return the id of a model."""
    text = read_text(file, keys, value)
    if not ID.match(text) or len(text) > _LONGEST_ID:
        hint = f"{_LONGEST_ID} characters at most: a-z, 0-9, and in the middle also . _ -"
        raise file.fail(keys, f"{keys[-1]} is {_show(text)}, which is no id of a model", hint)
    return text


def read_version(file: YamlFile, keys: Keys, value: Any) -> str:
    """Return a version of Semantic Versioning 2.0."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        told = f"{keys[-1]} is a number here, which keeps no zeros at its end"
        raise file.fail(keys, told, f'quote the version, all three parts of it: {keys[-1]}: "0.1.0"')
    text = read_text(file, keys, value)
    if not VERSION.match(text) or len(text) > _LONGEST_ID:
        hint = 'MAJOR.MINOR.PATCH, as in "0.1.0" or "1.0.0-rc.1"; no v before it, no zeros before a number'
        raise file.fail(keys, f"{keys[-1]} is {_show(text)}, which is no version by SemVer 2.0", hint)
    return text


def read_hash(file: YamlFile, keys: Keys, value: Any) -> str:
    """Return a SHA-256: 64 hex digits in lower case, behind `sha256:` where that was written."""
    text = read_text(file, keys, value)
    if not HASH.match(text):
        hint = "64 hex digits, as `sha256sum FILE` prints them; `sha256:` may stand before them"
        raise file.fail(keys, f"{keys[-1]} is {_show(text)}, which is no SHA-256", hint)
    return text.lower()


def read_path(file: YamlFile, keys: Keys, value: Any) -> str:
    """Return a path below the manifest's folder, on every system, and not through a link that leads out of it."""
    text = read_text(file, keys, value)
    found = check_path(text)
    if found.refusal:
        hint = "name a file below the folder of the manifest, parts separated by /"
        raise file.fail(keys, f"{keys[-1]} is {_show(text)}, and is not used: {found.refusal}", hint)
    folder = os.path.realpath(os.path.dirname(file.source.name))
    try:
        real = os.path.realpath(os.path.join(folder, found.path))
    except (OSError, ValueError):
        real = ""
    if os.path.commonpath([folder, real or os.sep]) != folder:
        raise file.fail(
            keys, f"{keys[-1]} is {_show(text)}: a link leads out of the manifest's folder", "copy the file"
        )
    return found.path


def read_texts(file: YamlFile, keys: Keys, value: Any, least: int = 0) -> list[str]:
    """Return a list of texts, each once."""
    if not isinstance(value, list) or not least <= len(value) <= _MOST_ITEMS:
        many = f"; it has {least} at least" if least and value == [] else ""
        raise file.fail(keys, f"{keys[-1]} is {_show(value)}; it is a list of texts{many}", "as in [one, two]")
    texts = [read_text(file, (*keys, str(index)), item) for index, item in enumerate(value)]
    for index, text in enumerate(texts):
        if text in texts[:index]:
            raise file.fail((*keys, str(index)), f"{keys[-1]} has {_show(text)} twice")
    return texts


def read_count(file: YamlFile, keys: Keys, value: Any) -> int:
    """Return a whole number from 1."""
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= _MOST:
        told = f"{keys[-1]} is {_show(value)}; it is a whole number from 1 to {grouped(_MOST)}"
        raise file.fail(keys, told, "without quotes" if isinstance(value, str) and value.isdigit() else "")
    return value


def read_temperature(file: YamlFile, keys: Keys, value: Any) -> float:
    """Return a number from 0 to 2."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 2:
        raise file.fail(keys, f"{keys[-1]} is {_show(value)}; it is a number from 0 to 2")
    return float(value)


def read_license(file: YamlFile, keys: Keys, value: Any, further: Collection[str]) -> str:
    """Return an SPDX identifier that the policy allows; `further` are allowed besides."""
    text = read_text(file, keys, value)
    allowed = [*allowed_licenses(), *further]
    if text not in allowed:
        near = next((name for name in allowed if name.lower() == text.lower()), "") or nearest(text, allowed)
        hint = f"did you mean {near}" if near else "name one license by its SPDX identifier, as in Apache-2.0"
        told = f"the license {_show(text)} is not on the list of allowed ones"
        raise file.fail(keys, told, f"{hint}; what is not on the list is allowed by --allow-license")
    return text


def allowed_licenses() -> tuple[str, ...]:
    """Return the SPDX identifiers that the policy (`licenses.yaml`) allows."""
    return tuple(YamlFile(_POLICY, "list of licenses").data["allowed"])


def read_json(file: YamlFile, keys: Keys, value: Any) -> dict[str, Any]:
    """Return a mapping of values that JSON has."""
    if not isinstance(value, dict):
        raise file.fail(keys, f"{keys[-1]} is {_show(value)}; keys with values are expected")
    _check_json(file, keys, value)
    return value


def _check_json(file: YamlFile, keys: Keys, value: Any) -> None:
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise file.fail((*keys, str(key)), f"the key {_show(key)} is no text", "put quotes around it")
            _check_json(file, (*keys, key), item)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _check_json(file, (*keys, str(index)), item)
    elif isinstance(value, float) and not math.isfinite(value):
        raise file.fail(keys, f"{keys[-1]} is {value}; it is a finite number")
    elif value is not None and not isinstance(value, str | bool | int | float):
        hint = "put quotes around it"
        raise file.fail(keys, f"{keys[-1]} is a {type(value).__name__} in YAML, which JSON has not", hint)


def read_provider(file: YamlFile, keys: Keys, value: Any) -> str:
    """Return the name of a provider: one of `models/`, or the small model of this machine."""
    return _one_of(file, keys, read_text(file, keys, value), (*PROVIDERS, LOCAL))


def read_verifier(file: YamlFile, keys: Keys, value: Any) -> str:
    """Return the type of a verifier."""
    from ..verifiers import known_verifiers

    return _one_of(file, keys, read_text(file, keys, value), known_verifiers())


def _one_of(file: YamlFile, keys: Keys, text: str, known: Collection[str]) -> str:
    if text not in known:
        near = nearest(text, known)
        hint = f"did you mean {near}?" if near else ""
        raise file.fail(keys, f"{keys[-1]} is {_show(text)}; it is one of {', '.join(known)}", hint)
    return text


def check_verifier(file: YamlFile, chosen: Mapping[str, Any], where: Keys) -> None:
    """Raise the file's error where a verifier's settings are wrong, or its condition does not hold or fail of facts.

    `where` are the keys of its settings.
    """
    from ...answers.conditions import ConditionError
    from ..verifiers import check_condition, make_check

    try:
        check = make_check(chosen["type"], chosen.get("config") or {}, ".".join(where))
    except FieldError as error:
        place, _, told = str(error).partition(": ")
        keys = tuple(re.sub(r"\[(\d+)\]", r".\1", place).split("."))
        raise file.fail(keys, f"{place}: {told}") from None
    try:
        check_condition(chosen["pass_condition"], check)
    except ConditionError as error:
        raise file.fail((*where[:-1], "pass_condition"), f"the condition is wrong:\n{error}") from None


def _show(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
