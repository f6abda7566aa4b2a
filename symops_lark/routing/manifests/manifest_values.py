"""Check the values of a manifest: each function returns one, or raises the error of the file."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

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
    r"(?:-((?:0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*)"
    r"(?:\.(?:0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*))*))?"
    r"(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?\Z"
)
HASH = re.compile(r"(sha256:)?[0-9a-fA-F]{64}\Z")
_MAX_ID = 128  # characters of an id or a version
_MAX_TEXT = 2_000  # characters
_MAX_ITEMS = 1_000
_MAX_COUNT = 10**9
_MAX_SHOWN = 60  # characters of a value in a message
LOCAL = "local-model"
_POLICY = Path(__file__).with_name("licenses.yaml")


class Entry(NamedTuple):
    """A value of a file.

    Attributes:
        file: The file.
        keys: The keys that lead to the value.
        value: The value.
    """

    file: YamlFile
    keys: Keys
    value: Any

    def is_number(self, kinds: type | tuple[type, ...]) -> bool:
        """Return whether the value is a number of some types; true and false are not numbers."""
        return isinstance(self.value, kinds) and not isinstance(self.value, bool)

    def fail(self, message: str, hint: str = "") -> Exception:
        """Return the error for the value; the message follows its key."""
        return self.file.fail(self.keys, f"{self.keys[-1]} {message}", hint)

    def refuse(self, message: str, hint: str = "") -> Exception:
        """Return the error for the value; the message follows its key and itself."""
        text = repr(self.value)
        if len(text) > _MAX_SHOWN:
            text = f"{text[: _MAX_SHOWN - 3]}…"
        return self.fail(f"is {text}{message}", hint)


def read_text(entry: Entry) -> str:
    """Return a visible text of one line."""
    value = entry.value
    if not isinstance(value, str) or not value.strip():
        # YAML takes many words for other types: `no`, `1.10`, a date.
        is_scalar = value is not None and not isinstance(value, dict | list | str)
        raise entry.refuse("; it is a text", "put quotes around it" if is_scalar else "")
    if len(value) > _MAX_TEXT:
        raise entry.fail(f"is longer than {grouped(_MAX_TEXT)} characters")
    hidden = unseen(value.strip().replace("\n", " "))
    if hidden:
        raise entry.fail(f"has a character that cannot be seen (U+{ord(hidden):04X})")
    return value.strip()


def read_base_url(entry: Entry) -> str:
    """Return the address of a server."""
    text = read_text(entry)
    try:
        read_address(text)
    except ModelError as error:
        hint = 'as in "http://127.0.0.1:8000/v1"'
        raise entry.file.fail(entry.keys, f"{entry.keys[-1]}: {error}", hint) from None
    return text


def read_id(entry: Entry) -> str:
    """Return the id of a model."""
    text = read_text(entry)
    if not ID.match(text) or len(text) > _MAX_ID:
        hint = f"{_MAX_ID} characters at most: a-z, 0-9, and in the middle also . _ -"
        raise entry.refuse(", which is not an id of a model", hint)
    return text


def read_version(entry: Entry) -> str:
    """Return a version of Semantic Versioning 2.0."""
    # Without quotes, 0.10 is the number 0.1.
    if entry.is_number((int, float)):
        hint = f'quote the version, all three parts of it: {entry.keys[-1]}: "0.1.0"'
        raise entry.fail("is a number here, which keeps no zeros at its end", hint)
    text = read_text(entry)
    if not VERSION.match(text) or len(text) > _MAX_ID:
        hint = (
            'MAJOR.MINOR.PATCH, as in "0.1.0" or "1.0.0-rc.1"; '
            "no v before it, no zeros before a number"
        )
        raise entry.refuse(", which is not a version by SemVer 2.0", hint)
    return text


def read_hash(entry: Entry) -> str:
    """Return a SHA-256 in lower case: 64 hex digits, with `sha256:` before them if it was there."""
    text = read_text(entry)
    if not HASH.match(text):
        hint = "64 hex digits, as `sha256sum FILE` prints them; `sha256:` before them is allowed"
        raise entry.refuse(", which is not a SHA-256", hint)
    return text.lower()


def read_path(entry: Entry) -> str:
    """Return a path below the manifest's folder, on every system, also after following links."""
    # The text is checked for all systems, the links only for this one.
    checked = check_path(read_text(entry))
    if checked.refusal:
        hint = "name a file below the folder of the manifest, parts separated by /"
        raise entry.refuse(f", and is not used: {checked.refusal}", hint)
    folder = os.path.realpath(os.path.dirname(entry.file.source.name))
    try:
        real = os.path.realpath(os.path.join(folder, checked.path))
    except (OSError, ValueError):
        real = os.sep  # a cycle of links leads to no place in the folder
    if os.path.commonpath([folder, real]) != folder:
        raise entry.refuse(": a link leads out of the manifest's folder", "copy the file")
    return checked.path


def read_texts(entry: Entry, least: int = 0) -> list[str]:
    """Return a list of different texts."""
    value = entry.value
    if not isinstance(value, list) or not least <= len(value) <= _MAX_ITEMS:
        minimum = f"; it has {least} at least" if least and value == [] else ""
        raise entry.refuse(f"; it is a list of texts{minimum}", "as in [one, two]")
    texts = []
    for inner in _items(entry):
        text = read_text(inner)
        if text in texts:
            raise entry.file.fail(inner.keys, f"{entry.keys[-1]} has {text!r} twice")
        texts.append(text)
    return texts


def _items(entry: Entry) -> Iterator[Entry]:
    """Yield the items of a list, or the members of a mapping."""
    value = entry.value
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in pairs:
        yield Entry(entry.file, (*entry.keys, str(key)), item)


def read_count(entry: Entry) -> int:
    """Return an integer from 1 on."""
    value = entry.value
    if not entry.is_number(int) or not 1 <= value <= _MAX_COUNT:
        hint = "without quotes" if isinstance(value, str) and value.isdigit() else ""
        raise entry.refuse(f"; it is a whole number from 1 to {grouped(_MAX_COUNT)}", hint)
    return int(value)


def read_share(entry: Entry) -> float:
    """Return a number from 0 to 1."""
    return entry.file.share(entry.keys, entry.value)


def read_temperature(entry: Entry) -> float:
    """Return a number from 0 to 2."""
    if not entry.is_number((int, float)) or not 0 <= entry.value <= 2:
        raise entry.refuse("; it is a number from 0 to 2")
    return float(entry.value)


def read_license(entry: Entry, licenses: Collection[str]) -> str:
    """Return an SPDX identifier that is one of the policy, or of some others."""
    text = read_text(entry)
    allowed = [*allowed_licenses(), *licenses]
    if text in allowed:
        return text
    # SPDX identifiers differ by more than the case, so this is the likeliest mistake.
    by_case = {name.lower(): name for name in allowed}
    near = by_case.get(text.lower()) or nearest(text, allowed)
    hint = "name one license by its SPDX identifier, as in Apache-2.0"
    if near:
        hint = f"did you mean {near}"
    raise entry.file.fail(
        entry.keys,
        f"the license {text!r} is not on the list of allowed ones",
        f"{hint}; what is not on the list is allowed by --allow-license",
    )


def allowed_licenses() -> tuple[str, ...]:
    """Return the SPDX identifiers that the policy (`licenses.yaml`) allows."""
    return tuple(YamlFile(_POLICY, "list of licenses").data["allowed"])


def read_json(entry: Entry) -> dict[str, Any]:
    """Return a mapping of values that JSON has."""
    if not isinstance(entry.value, dict):
        raise entry.refuse("; keys with values are expected")
    _check_json(entry)
    return entry.value


def _check_json(entry: Entry) -> None:
    # YAML has dates, sets and keys of any type.
    value = entry.value
    hint = "put quotes around it"
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                keys = (*entry.keys, str(key))
                raise entry.file.fail(keys, f"the key {key!r} is not a text", hint)
    if isinstance(value, dict | list):
        for inner in _items(entry):
            _check_json(inner)
    elif isinstance(value, float) and not math.isfinite(value):
        raise entry.fail(f"is {value}; it is a finite number")
    elif value is not None and not isinstance(value, str | bool | int | float):
        raise entry.fail(f"is a {type(value).__name__} in YAML, which JSON has not", hint)


def read_provider(entry: Entry) -> str:
    """Return the name of a provider: one of `models/`, or the small model of this machine."""
    return _one_of(entry, (*PROVIDERS, LOCAL))


def read_verifier(entry: Entry) -> str:
    """Return the type of a verifier."""
    from ..verifiers import known_verifiers

    return _one_of(entry, known_verifiers())


def _one_of(entry: Entry, known: Collection[str]) -> str:
    text = read_text(entry)
    if text not in known:
        near = nearest(text, known)
        raise entry.refuse(
            f"; it is one of {', '.join(known)}", f"did you mean {near}?" if near else ""
        )
    return text


def check_verifier(file: YamlFile, verifier: Mapping[str, Any], where: Keys) -> None:
    """Raise the error of the file for wrong settings, or a condition that cannot be evaluated.

    Args:
        file: The file.
        verifier: The verifier: `type`, `config` and `pass_condition`.
        where: The keys of its settings in the file.
    """
    # Imported here: most commands read manifests and need no verifiers.
    from ...answers.conditions import ConditionError
    from ..verifiers import check_condition, make_check

    try:
        check = make_check(verifier["type"], verifier.get("config") or {}, ".".join(where))
    except FieldError as error:
        # The message begins with the place, such as `verifier.config.rules[0].must`.
        place, _, message = str(error).partition(": ")
        keys = tuple(re.sub(r"\[(\d+)\]", r".\1", place).split("."))
        raise file.fail(keys, f"{place}: {message}") from None
    try:
        check_condition(verifier["pass_condition"], check)
    except ConditionError as error:
        keys = (*where[:-1], "pass_condition")
        raise file.fail(keys, f"the condition is wrong:\n{error}") from None
