"""Whether two Markdown texts have the same lines, but for what changes nothing."""

from __future__ import annotations

import re

_FENCE_LINE = re.compile(r" {0,3}`{3,}[^`]*")
_VITAL_LINE = re.compile(r"[-*] (\w+: [0-9]+\.[0-9]+?)0*")


def have_same_shape(one: str, other: str) -> bool:
    """Compare lines; blank ones, words behind fences and zeros at the end of vitals do not count."""
    return _shape(one) == _shape(other)


def _shape(text: str) -> list[str]:
    lines = (_FENCE_LINE.sub("```", line.rstrip()) for line in text.split("\n"))
    return [_VITAL_LINE.sub(r"- \1", line) for line in lines if line]
