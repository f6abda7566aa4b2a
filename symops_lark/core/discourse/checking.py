"""What the loaders of the data files share: their error, and a check."""

from __future__ import annotations

from ..ground.errors import SymOpsError
from ..text.yaml_file import Keys, YamlFile


class TableError(SymOpsError):
    """A data file is wrong; the message begins with `file:line:column:`."""


def check_texts(file: YamlFile, keys: Keys) -> list[str]:
    """Return a list of texts of a file.

    Args:
        file: The file.
        keys: The keys that lead to the list.

    Returns:
        The list. It is empty if the file has no such value.

    Raises:
        TableError: The value is not a list of texts, or one of them is empty.
    """
    try:
        values = file.get(keys)
    except LookupError:
        return []
    if not isinstance(values, list):
        raise file.fail(keys, f"{keys[-1]}: expected a list of texts")
    for index, value in enumerate(values):
        if not isinstance(value, str) or not value:
            place = (*keys, str(index))
            raise file.fail(place, f"{keys[-1]}: expected a text, got {value!r}")
    return values
