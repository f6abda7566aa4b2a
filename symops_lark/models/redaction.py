"""Remove keys from texts for people: the values of secret environment variables are replaced."""

from __future__ import annotations

import os
import re

_SECRET_NAME = re.compile(
    r"(KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL)S?(_?[0-9]+)?$", re.IGNORECASE
)
_MIN_LENGTH = 8  # a shorter value would also be found in ordinary words


def redact(text: str, *variables: str) -> str:
    """Replace the values of secret environment variables in a text by `$NAME`.

    Args:
        text: The text.
        variables: The names of secret variables, beside those whose names look secret.
    """
    names_by_value = {}
    # Variables that are named come last: of two with one value, their names are shown.
    for name in (*os.environ, *variables):
        secret = os.environ.get(name, "").strip()
        looks_secret = _SECRET_NAME.search(name) and len(secret) >= _MIN_LENGTH
        if secret and (looks_secret or name in variables):
            names_by_value[secret] = name
    # The longest first: a value may be the beginning of another one.
    for secret in sorted(names_by_value, key=len, reverse=True):
        text = text.replace(secret, f"${names_by_value[secret]}")
    return text


def excerpt(text: str, limit: int = 300) -> str:
    """Return a text on one line, with at most `limit` characters."""
    line = " ".join(text.split())
    if len(line) > limit:
        line = line[: limit - 1] + "…"
    return line
