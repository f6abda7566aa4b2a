"""What a notation of edits reads in a content, and what it says of one that it refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from symops_lark.core.edits.hunks import Hunk, Reading, Unreadable

USE_HEADS = "begin each hunk with a line that begins with `@@`"

Read = Callable[[Any, str], Reading | None]  # a content and the path of the edited file


def reading_of(read: Read, kind: str, content: Any, path: str = "a.py") -> Reading:
    """Return the reading of a content in a notation, by the notation's `read` and the kind that it names."""
    result = read(content, path)
    assert result is not None and result.kind == kind
    return result


def hunks_of(read: Read, kind: str, content: Any) -> tuple[Hunk, ...]:
    return reading_of(read, kind, content).hunks


def refusal_of(read: Callable[..., object], *arguments: str) -> tuple[str, str]:
    """Return the reason and the hint that come with a content which is refused."""
    with pytest.raises(Unreadable) as error:
        read(*arguments)
    return error.value.reason, error.value.hint
