"""Load the data files of this folder, check them, and compile their patterns on first use.

The checked tables are kept in the user's cache as JSON, by the contents of the files, so a warm
start reads no YAML (see `KeptTables`). The patterns are not: RE2 has no form to keep them in, and
compiles the largest group in about 20 ms, when the first lead is judged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from ..ground.kept_tables import KeptTables
from ..patterns.regexes import LinearSet, PatternError, compile_linear
from ..text.source import cut
from ..text.yaml_file import Keys, YamlFile
from .checking import TableError, check_texts
from .passages import Stance
from .speaker_table import Names, read_speakers

_FOLDER = Path(__file__).parent
MAX_SENTENCE = 400  # characters that are searched: longer sentences are pasted text

_STANCE_GROUPS = ("lead", "tail", "verdict_tail")
_PLAIN_GROUPS = (
    "announcing_lead",
    "unreal",
    "verdict_lead",
    "other_verdict",
    "reports",
    "verdict_line",
    "negations",
    "dismissals",
    "retractions",
    "possibilities",
    "verdict_person",
    "reasons",
    "closings",
    "announcing",
    "offers",
)
_STANCES = tuple(stance.value for stance in Stance)


class Group:
    """The rows of a group, which are searched together in one pass over a sentence.

    Args:
        rows: Stance, pattern and exception of each row, as the cache has them. An exception may
            be empty.
    """

    def __init__(self, rows: Sequence[Sequence[str]]) -> None:
        self.rows = rows

    @cached_property
    def _patterns(self) -> LinearSet:
        return LinearSet([row[1] for row in self.rows])

    def find(self, sentence: str) -> str:
        """Return the stance of the first row that a sentence has; empty if it has none.

        Args:
            sentence: A sentence without half surrogates. Only its first 400 characters count.
        """
        searched = cut(sentence, 0, MAX_SENTENCE)
        for index in self._patterns.find(searched):
            stance, _, exception = self.rows[index]
            if not exception:
                return stance
            if _compile(exception).search(searched) is None:
                return stance
        return ""


@cache
def _compile(pattern: str) -> Any:
    return compile_linear(pattern)


class Node:
    """A node of the tree of tokens, which has a child for each next character.

    Attributes:
        children: The nodes after one more character.
        token: The token that ends here; empty if none does.
    """

    def __init__(self) -> None:
        self.children: dict[str, Node] = {}
        self.token = ""


class Tables:
    """The data of `speakers.yaml` and `stances.yaml`.

    Attributes:
        tokens: The kind and value of each token, by the token in lower case.
        labels: The speakers by the words of labels, in lower case.
        later_labels: The speakers by the words of labels that count only after a verdict.
        headings: The speakers by the words of headings, in lower case.
        sections: The channels by the names of sections, in lower case.
        stripped: The channels by the words that are left of Harmony's tokens.
        elements: How words begin in the names of elements around thinking, in lower case.
        groups: The groups of stances, by name.
    """

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.tokens: Mapping[str, Sequence[str]] = data["tokens"]
        self.labels: Names = data["labels"]
        self.later_labels: Names = data["later_labels"]
        self.headings: Names = data["headings"]
        self.sections: Names = data["sections"]
        self.stripped: Names = data["stripped"]
        self.elements: tuple[str, ...] = tuple(data["elements"])
        self.groups: dict[str, Group] = {}
        for name, rows in data["stances"].items():
            self.groups[name] = Group(rows)

    @cached_property
    def beginnings(self) -> tuple[str, ...]:
        """The texts to search for: the sign that a token begins with, or its first two letters."""
        beginnings: set[str] = set()
        for token in self.tokens:
            sign = token[0]
            if sign.isalpha():
                sign = token[:2].capitalize()
            beginnings.add(sign)
        return tuple(sorted(beginnings))

    @cached_property
    def _tree(self) -> Node:
        root = Node()
        for token in self.tokens:
            node = root
            for character in token:
                node = node.children.setdefault(character, Node())
            node.token = token
        return root

    @cached_property
    def _longest(self) -> int:
        return max(map(len, self.tokens))

    def token_at(self, text: str, start: int) -> str:
        """Return the longest token that begins at an offset, in lower case; empty if none does.

        Takes time linear in the length of the part that tokens have in common with the text. One
        alternation of all tokens took 1.6 ms for 160 characters.
        """
        end = start + self._longest
        node = self._tree
        token = ""
        for character in text[start:end].lower():
            following = node.children.get(character)
            if following is None:
                break
            node = following
            token = node.token or token
        return token


@cache
def our_tables() -> Tables:
    """Return the tables that come with this package."""
    return load_tables(_FOLDER / "speakers.yaml", _FOLDER / "stances.yaml")


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
    code = (Path(__file__), _FOLDER / "speaker_table.py")
    texts = [path.read_bytes() for path in (speakers, stances, *code)]
    cached = KeptTables("discourse", (), texts)
    names = (*_STANCE_GROUPS, *_PLAIN_GROUPS)
    data = cached.remember(lambda: {**read_speakers(speakers), "stances": _groups(stances, names)})
    return Tables(data)


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
    texts = [path.read_bytes(), Path(__file__).read_bytes()]
    cached = KeptTables("words", (), texts)
    rows_by_name = cached.remember(lambda: _groups(path, names))
    return {name: Group(rows) for name, rows in rows_by_name.items()}


# ---- stances


def _groups(path: Path, names: Sequence[str]) -> dict[str, list[list[str]]]:
    """Return the rows of each group of a file."""
    file = YamlFile(path, "file of stances", TableError)
    file.check_keys((), ("lists", *names))
    groups: dict[str, list[list[str]]] = {}
    for group in names:
        rows = file.data[group]
        if not isinstance(rows, list) or not rows:
            raise file.fail((group,), f"{group}: expected a list of rows")
        groups[group] = []
        for index in range(len(rows)):
            row = _row(file, (group, str(index)), group)
            groups[group].append(row)
    return groups


def _row(file: YamlFile, keys: Keys, group: str) -> list[str]:
    """Return the stance, pattern and exception of a row."""
    has_stances = group in _STANCE_GROUPS
    needed = ["find", "yes"]
    if has_stances:
        needed.append("stance")
    file.check_keys(keys, needed, ("unless", "no"))
    sentences = (*keys, "yes")
    if not check_texts(file, sentences):
        raise file.fail(sentences, "a row needs at least one sentence that it finds")
    check_texts(file, (*keys, "no"))
    stance = group
    if has_stances:
        stance = file.one_of((*keys, "stance"), _STANCES)
    exception = ""
    if "unless" in file.get(keys):
        exception = _pattern(file, (*keys, "unless"))
    return [stance, _pattern(file, (*keys, "find")), exception]


def _pattern(file: YamlFile, keys: Keys) -> str:
    """Return a pattern with its lists filled in, after RE2 has accepted it."""
    pattern = _join(file, keys)
    # Twice, because a list may use another one.
    for name in (*file.data["lists"], *file.data["lists"]):
        if f"<{name}>" in pattern:
            words = _join(file, ("lists", name))
            pattern = pattern.replace(f"<{name}>", words)
    pattern = pattern.replace("'", "['’]")
    # A beginning goes outside, where `LinearSet` looks for it.
    anchor = ""
    if pattern.startswith("^") and "|" not in pattern:
        anchor = "^"
    pattern = f"{anchor}(?i:{pattern.removeprefix(anchor)})"
    try:
        compile_linear(pattern)
    except PatternError as error:
        raise file.fail(keys, f"RE2 refuses the pattern: {error}") from None
    return pattern


def _join(file: YamlFile, keys: Keys) -> str:
    """Return a pattern that is written as a text, or as a list of alternatives.

    An alternative is a text, or a list of texts that follow each other.
    """
    value = file.get(keys)
    if isinstance(value, str) and value:
        return value
    if not isinstance(value, list) or not value:
        raise file.fail(keys, f"{keys[-1]}: expected a pattern, or a list of alternatives")
    alternatives: list[str] = []
    for index in range(len(value)):
        alternative = _join_pieces(file, (*keys, str(index)))
        alternatives.append(alternative)
    return "|".join(alternatives)


def _join_pieces(file: YamlFile, keys: Keys) -> str:
    value = file.get(keys)
    if isinstance(value, str) and value:
        return value
    pieces = check_texts(file, keys)
    return "".join(pieces)
