"""Load and check `transport.yaml`; kept in the user's cache, as the tables of speech are."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ..ground.kept_tables import KeptTables

_FILE = Path(__file__).with_name("transport.yaml")
_KEYS: dict[str, tuple[str, ...]] = {
    "elements": ("names", "markup"),
    "lines": ("last", "last_in_markup", "first", "here_document"),
    "labels": ("words", "bare"),
    "arguments": ("names",),
    "interpreters": ("names",),
    "languages": ("closed", "without_hash"),
}


class TransportTable(NamedTuple):
    """The data of `transport.yaml`."""

    # Names of elements that wrap files or arguments, in lower case.
    elements: frozenset[str]
    # Those of them that nothing but tool calls has: not even markup.
    only_in_calls: frozenset[str]
    # Lines that may end a transported file, and do not belong to it.
    last: frozenset[str]
    # Those of them that text for people does not have either.
    last_in_markup: frozenset[str]
    # Lines that may begin a transported file.
    first: frozenset[str]
    # Lines that end a here-document.
    here_document: frozenset[str]
    # Words of labels of speakers, in lower case.
    labels: frozenset[str]
    # Words of labels that are alone on a line.
    bare_labels: frozenset[str]
    # Arguments of tools that write files or run commands.
    arguments: frozenset[str]
    # Programs that wait for input if they are called without an argument.
    interpreters: frozenset[str]
    # Languages whose first and last line cannot be inside a string or comment.
    closed: frozenset[str]
    # Languages in which `#` does not begin a comment.
    without_hash: frozenset[str]


def make_table(data: Mapping[str, Mapping[str, list[str]]]) -> TransportTable:
    """Return the table of the data of the file.

    Args:
        data: The lists by group and name.
    """
    names = {}
    for group, lists in data.items():
        for name, values in lists.items():
            names[f"{group}.{name}"] = frozenset(values)
    return TransportTable(
        elements=names["elements.names"],
        only_in_calls=names["elements.names"] - names["elements.markup"],
        last=names["lines.last"],
        last_in_markup=names["lines.last_in_markup"],
        first=names["lines.first"],
        here_document=names["lines.here_document"],
        labels=names["labels.words"],
        bare_labels=names["labels.bare"],
        arguments=names["arguments.names"],
        interpreters=names["interpreters.names"],
        closed=names["languages.closed"],
        without_hash=names["languages.without_hash"],
    )


@cache
def our_transport() -> TransportTable:
    """Return the table that comes with this package."""
    return make_table(load_transport())


def load_transport(path: Path = _FILE) -> dict[str, Any]:
    """Load the data of a table from its file, or from the cache.

    Args:
        path: The file.

    Returns:
        The lists by group and name, as JSON has them.

    Raises:
        TableError: The file cannot be read, has an unknown key or lacks one, or a value is not a
            list of texts.
    """
    texts = [path.read_bytes(), Path(__file__).read_bytes()]
    cached = KeptTables("transport", (), texts)
    data: dict[str, Any] = cached.remember(lambda: _read(path))
    return data


def _read(path: Path) -> dict[str, Any]:
    # Imported here: a warm start, and so most valid replies, reads no YAML.
    from ..text.yaml_file import YamlFile
    from .checking import TableError, check_texts

    file = YamlFile(path, "file of transport", TableError)
    file.check_keys((), tuple(_KEYS))
    for group, names in _KEYS.items():
        file.check_keys((group,), ("source", *names))
        file.text((group, "source"))
        for name in names:
            check_texts(file, (group, name))
    return file.data
