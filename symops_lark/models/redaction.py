"""Keys stay in the environment: what people read is searched for their values first."""

from __future__ import annotations

import os
import re

_SECRET_NAME = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)$", re.IGNORECASE)
_SHORTEST = 8  # a shorter value would also be found in words that are no secret


def redact(text: str, *variables: str) -> str:
    """Replace the values of secret environment variables in a text by `$NAME`.

    Secret are `variables`, whatever they are called, and all whose names say so.
    """
    environment = {name: value.strip() for name, value in os.environ.items()}
    told = [name for name in environment if _SECRET_NAME.search(name) and len(environment[name]) >= _SHORTEST]
    secrets = {environment[name]: name for name in (*told, *variables) if name in environment}
    for value in sorted(filter(None, secrets), key=len, reverse=True):
        text = text.replace(value, f"${secrets[value]}")
    return text


def excerpt(text: str, limit: int = 300) -> str:
    """Return one line of a text that may be long."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
