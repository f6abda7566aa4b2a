"""Load `speakers.yaml`: the tokens, labels and sections by which a turn or a channel begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..text.yaml_file import Keys, YamlFile
from .checking import TableError, check_texts
from .passages import Channel, Speaker

# Kinds of marks.
TURN = "turn"  # the value is the speaker
TURN_AFTER = "turn-after"  # as TURN, but the name of the role is before the token
END = "end"
MESSAGE_END = "message-end"  # of a message, which is that of the reply if it is a verdict
OPEN = "open"  # of a thinking section; the value is the token that closes it
CLOSE = "close"
CHANNEL = "channel"  # the value is the channel
GLUE = "glue"

_FAMILY_KEYS = ("turns", "literals", "ends", "message_ends", "thinking", "channels", "glue")
Names = Mapping[str, str]  # from words in lower case to a speaker or channel
_ROLE = "{role}"
_SPEAKERS = tuple(speaker.value for speaker in Speaker)
_CHANNELS = tuple(channel.value for channel in Channel)


def read_speakers(path: Path) -> dict[str, Any]:
    """Return the tables of a file of speakers: tokens, labels, headings and sections.

    Args:
        path: The file.

    Raises:
        TableError: The file cannot be read, has an unknown key or a wrong value.
    """
    file = YamlFile(path, "file of speakers", TableError)
    groups = ("labels", "later_labels", "headings", "sections", "stripped", "elements")
    file.check_keys((), ("roles", "families", *groups))
    roles = _names(file, ("roles",), _SPEAKERS)
    tokens: dict[str, list[str]] = {}
    for index in range(len(file.data["families"])):
        keys = ("families", str(index))
        file.check_keys(keys, ("name", "source"), _FAMILY_KEYS)
        file.text((*keys, "source"))
        _Family(file, keys, tokens).add_all(roles)
    return {
        "tokens": tokens,
        "labels": _names(file, ("labels",), _SPEAKERS),
        "later_labels": _names(file, ("later_labels",), _SPEAKERS),
        "headings": _names(file, ("headings",), _SPEAKERS),
        "sections": _names(file, ("sections",), _CHANNELS),
        "stripped": _names(file, ("stripped",), _CHANNELS),
        "elements": _names(file, ("elements",), _CHANNELS),
    }


def _names(file: YamlFile, keys: Keys, known: Sequence[str]) -> dict[str, str]:
    """Return the meaning of each name of a table, by the name in lower case."""
    names: dict[str, str] = {}
    for meaning in file.get(keys):
        if meaning == "source":
            continue
        path = (*keys, str(meaning))
        file.check_name(path, known, "speaker or channel")
        for word in check_texts(file, path):
            names[word.lower()] = str(meaning)
    return names


class _Family:
    """Adds the tokens of a family; a token of an earlier family keeps its meaning."""

    def __init__(self, file: YamlFile, keys: Keys, tokens: dict[str, list[str]]) -> None:
        self._file = file
        self._keys = keys
        self._family = file.get(keys)
        self._tokens = tokens

    def add_all(self, roles: Mapping[str, str]) -> None:
        """Add the tokens of all keys."""
        for template in self._texts("turns"):
            self._add_turns(template, roles)
        self._add_table("literals", _SPEAKERS, TURN)
        self._add_table("channels", _CHANNELS, CHANNEL)
        for name, kind in (("message_ends", MESSAGE_END), ("ends", END), ("glue", GLUE)):
            for token in self._texts(name):
                self._add(token, kind, "")
        for index in range(len(self._family.get("thinking", []))):
            self._add_pair(index)

    def _add(self, token: str, kind: str, value: str) -> None:
        self._tokens.setdefault(token.lower(), [kind, value])

    def _texts(self, *names: str) -> list[str]:
        return check_texts(self._file, (*self._keys, *names))

    def _add_turns(self, template: str, roles: Mapping[str, str]) -> None:
        if _ROLE not in template:
            keys = (*self._keys, "turns")
            raise self._file.fail(keys, f"{template!r} has no {_ROLE}")
        if template.startswith(_ROLE):
            token = template.removeprefix(_ROLE)
            self._add(token, TURN_AFTER, "")
            return
        for name, speaker in roles.items():
            for role in (name, f" {name}"):
                token = template.replace(_ROLE, role)
                self._add(token, TURN, speaker)

    def _add_table(self, name: str, meanings: Sequence[str], kind: str) -> None:
        for meaning in self._family.get(name, {}):
            keys = (*self._keys, name, str(meaning))
            self._file.check_name(keys, meanings, "speaker or channel")
            for token in self._texts(name, meaning):
                self._add(token, kind, str(meaning))

    def _add_pair(self, index: int) -> None:
        pair = self._texts("thinking", str(index))
        if len(pair) != 2:
            keys = (*self._keys, "thinking", str(index))
            raise self._file.fail(keys, "expected two tokens: opening and closing")
        opening, closing = pair
        value = closing.lower()
        self._add(opening, OPEN, value)
        self._add(closing, CLOSE, value)
