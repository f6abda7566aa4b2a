"""Load and check `transport.yaml`; kept in the user's cache, as the tables of speech are."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ..ground.kept_tables import KeptTables

_FILE = Path(__file__).with_name("transport.yaml")
_KEYS: dict[str, tuple[str, ...]] = {
    "elements": ("names", "markup"),
    "lines": ("last", "last_in_markup", "first", "here_document"),
    "tokens": ("names",),
    "labels": ("words", "bare"),
    "arguments": ("names",),
    "interpreters": ("names",),
    "binary": ("endings",),
    "languages": ("closed", "without_hash"),
}


class TransportTable:
    """The data of `transport.yaml`.

    Attributes:
        elements: The names of elements that wrap files or arguments, in lower case.
        in_markup: Those of them that markup may have.
        only_in_calls: Those of them that nothing but tool calls has.
        last: The lines that may end a transported file, and do not belong to it.
        last_in_markup: Those of them that text for people does not have either.
        first: The lines that may begin one.
        here_document: The lines that end a here-document.
        tokens: Tokens of chat templates that have no bars.
        labels: The words of labels, in lower case.
        bare_labels: The words of labels that are alone on a line.
        arguments: The arguments of tools that write files or run commands.
        interpreters: Programs that wait for input if they are called without an argument.
        binary: The endings of files that are not text.
        closed: The languages whose first and last line cannot be inside a string or comment.
        without_hash: The languages in which `#` does not begin a comment.
    """

    def __init__(self, data: Mapping[str, Mapping[str, list[str]]]) -> None:
        names: dict[str, frozenset[str]] = {}
        for group, lists in data.items():
            for name, values in lists.items():
                names[f"{group}.{name}"] = frozenset(values)
        self.elements = names["elements.names"]
        self.in_markup = names["elements.markup"]
        self.only_in_calls = self.elements - self.in_markup
        self.last = names["lines.last"]
        self.last_in_markup = names["lines.last_in_markup"]
        self.first = names["lines.first"]
        self.here_document = names["lines.here_document"]
        self.tokens = names["tokens.names"]
        self.labels = names["labels.words"]
        self.bare_labels = names["labels.bare"]
        self.arguments = names["arguments.names"]
        self.interpreters = names["interpreters.names"]
        # `str.endswith` takes a tuple.
        self.binary = tuple(names["binary.endings"])
        self.closed = names["languages.closed"]
        self.without_hash = names["languages.without_hash"]


@cache
def our_transport() -> TransportTable:
    """Return the table that comes with this package."""
    return load_transport(_FILE)


def load_transport(path: Path) -> TransportTable:
    """Load a table from its file, or from the cache.

    Args:
        path: The file.

    Returns:
        The table.

    Raises:
        TableError: The file cannot be read, has an unknown key or lacks one, or a value is not a
            list of texts.
    """
    texts = [path.read_bytes(), Path(__file__).read_bytes()]
    cached = KeptTables("transport", (), texts)
    return TransportTable(cached.remember(lambda: _read(path)))


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
