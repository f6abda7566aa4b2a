"""Load the data files of this folder, check them, and compile their patterns on first use.

The checked tables are kept in the user's cache as JSON, by the contents of the files, so a warm
start reads no YAML (see `KeptTables`). The patterns are not: RE2 has no form to keep them in, and
compiles the largest group in about 20 ms, when the first lead is judged.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from ..ground.kept_tables import KeptTables
from ..patterns.regexes import LinearSet, compile_linear
from ..text.source import cut
from ..text.yaml_file import Keys, YamlFile
from .checking import TableError, check_texts
from .passages import Channel, Speaker
from .stance_table import PLAIN_GROUPS, STANCE_GROUPS, read_groups

_FOLDER = Path(__file__).parent
_CODE = (Path(__file__), _FOLDER / "stance_table.py")  # what makes the tables of the files
MAX_SENTENCE = 400  # characters that are searched: longer sentences are pasted text

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
_DRAFT = "draft"
_ANSWER = "answer"
_SHOWN = "shown"


class Group:
    """The rows of a group, which are searched together in one pass over a sentence.

    Args:
        rows: Stance, pattern, exception and scope of each row, as the cache has them. An exception
            or a scope may be empty.
    """

    def __init__(self, rows: Sequence[Sequence[str]]) -> None:
        self.rows = rows

    @cached_property
    def _patterns(self) -> LinearSet:
        return LinearSet([row[1] for row in self.rows])

    def find(self, sentence: str, clause: str | None = None) -> str:
        """Return the stance of the first row that a sentence has; empty if it has none.

        Args:
            sentence: A sentence without half surrogates. Only its first 400 characters count.
            clause: The part in which rows of the scope `clause` are searched; None: all of it.
        """
        whole = cut(sentence, 0, MAX_SENTENCE).lower()
        part = whole
        in_whole = set(self._patterns.find(whole))
        in_part = in_whole
        if clause is not None:
            part = cut(clause, 0, MAX_SENTENCE).lower()
            in_part = set(self._patterns.find(part))
        for index in sorted({*in_whole, *in_part}):
            stance, _, exception, scope = self.rows[index]
            searched, found = (part, in_part) if scope else (whole, in_whole)
            if index not in found:
                continue
            if not exception or _compile(exception).search(searched) is None:
                return stance
        return ""


@cache
def _compile(pattern: str) -> Any:
    return compile_linear(pattern)


def _words_of(names: Names, meaning: str) -> tuple[str, ...]:
    words = []
    for name, value in names.items():
        if value == meaning:
            words.append(name)
    return tuple(words)


class Tables:
    """The data of `speakers.yaml` and `stances.yaml`.

    Attributes:
        tokens: The kind and value of each token, by the token in lower case.
        labels: The speakers by the words of labels, in lower case.
        later_labels: The speakers by the words of labels that count only after a verdict.
        steps: The channels by the words at which a step of a trace begins, in lower case.
        headings: The speakers by the words of headings, in lower case.
        sections: The channels by the names of sections, in lower case.
        stripped: The channels by the words that are left of Harmony's tokens.
        elements: How words begin in the names of elements around thinking, in lower case.
        drafts: The same around thinking or a draft.
        answers: The same around an answer.
        shown: How names of elements begin around what a tool returned, without signs.
        groups: The groups of stances, by name.
    """

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.tokens: Mapping[str, Sequence[str]] = data["tokens"]
        self.labels: Names = data["labels"]
        self.later_labels: Names = data["later_labels"]
        self.steps: Names = data["steps"]
        self.headings: Names = data["headings"]
        self.sections: Names = data["sections"]
        self.stripped: Names = data["stripped"]
        self.elements = _words_of(data["elements"], Channel.THINKING)
        drafts = _words_of(data["elements"], _DRAFT)
        self.drafts = self.elements + drafts
        self.answers = _words_of(data["elements"], _ANSWER)
        self.shown = _words_of(data["elements"], _SHOWN)
        self.groups: dict[str, Group] = {}
        for name, rows in data["stances"].items():
            self.groups[name] = Group(rows)

    @cached_property
    def beginnings(self) -> tuple[str, ...]:
        """The texts to search for: the sign that a token begins with, or its first two letters."""
        beginnings = set()
        for token in self.tokens:
            sign = token[0]
            if sign.isalpha():
                sign = token[0].upper() + token[1]
            beginnings.add(sign)
        return tuple(sorted(beginnings))

    @cached_property
    def _sorted_tokens(self) -> list[str]:
        # The empty text is a beginning of every text, and sorts before every token.
        return ["", *sorted(self.tokens)]

    @cached_property
    def _heads(self) -> frozenset[str]:
        """The first characters of all tokens, as many as the shortest token has."""
        return frozenset([token[: self._min_length] for token in self.tokens])

    @cached_property
    def _min_length(self) -> int:
        return min(map(len, self.tokens))

    @cached_property
    def _max_length(self) -> int:
        return max(map(len, self.tokens))

    def token_at(self, text: str, start: int) -> str:
        """Return the longest token that begins at an offset, in lower case; empty if none does.

        One alternation of all tokens took 1.6 ms for 160 characters.
        """
        # Most signs begin no token: a few characters tell it without a copy of the rest.
        if text[start : start + self._min_length].lower() not in self._heads:
            return ""
        end = start + self._max_length
        part = text[start:end].lower()
        tokens = self._sorted_tokens
        while True:
            # Between the longest token that the part begins with and the part itself, only tokens
            # that begin with that token are sorted.
            place = bisect_right(tokens, part)
            token = tokens[place - 1]
            if part.startswith(token):
                return token
            length = _common_length(part, token)
            part = part[:length]


def _common_length(one: str, another: str) -> int:
    """Return how many characters two texts have in common at their beginning."""
    length = 0
    for left, right in zip(one, another, strict=False):
        if left != right:
            break
        length += 1
    return length


@cache
def our_tables() -> Tables:
    """Return the tables that come with this package."""
    return Tables(our_data())


def our_data() -> dict[str, Any]:
    """Return what the tables of this package are made of, as JSON values."""
    return _load(_FOLDER / "speakers.yaml", _FOLDER / "stances.yaml")


def load_tables(speakers: Path, stances: Path) -> Tables:
    """Load tables from their files, or from the cache.

    Args:
        speakers: The file of speakers, tokens and labels.
        stances: The file of sentences.

    Returns:
        The tables.

    Raises:
        TableError: A file cannot be read, has an unknown key, a row without examples, or a pattern
            that RE2 refuses.
    """
    return Tables(_load(speakers, stances))


def _load(speakers: Path, stances: Path) -> dict[str, Any]:
    texts = [path.read_bytes() for path in (speakers, stances, *_CODE)]
    cached = KeptTables("discourse", (), texts)
    names = (*STANCE_GROUPS, *PLAIN_GROUPS)
    data: dict[str, Any] = cached.remember(
        lambda: {**_speakers(speakers), "stances": read_groups(stances, names)}
    )
    return data


def load_groups(path: Path, names: Sequence[str]) -> dict[str, Group]:
    """Load the groups of another file in the form of `stances.yaml`, or from the cache.

    Args:
        path: The file.
        names: The names of its groups. Their rows have no stances.

    Returns:
        The groups by name.

    Raises:
        TableError: As `load_tables`.
    """
    texts = [file.read_bytes() for file in (path, *_CODE)]
    cached = KeptTables("words", (), texts)
    rows_by_name = cached.remember(lambda: read_groups(path, names))
    return {name: Group(rows) for name, rows in rows_by_name.items()}


# ---- speakers


def _speakers(path: Path) -> dict[str, Any]:
    file = YamlFile(path, "file of speakers", TableError)
    groups = ("labels", "later_labels", "steps", "headings", "sections", "stripped", "elements")
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
        "steps": _names(file, ("steps",), _CHANNELS),
        "headings": _names(file, ("headings",), _SPEAKERS),
        "sections": _names(file, ("sections",), _CHANNELS),
        "stripped": _names(file, ("stripped",), _CHANNELS),
        "elements": _names(file, ("elements",), (Channel.THINKING, _DRAFT, _ANSWER, _SHOWN)),
    }


def _names(file: YamlFile, keys: Keys, known: Sequence[str]) -> dict[str, str]:
    """Return the meaning of each name of a table, by the name in lower case."""
    names = {}
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
