"""The corpus of replies with JSON: `##` names a case, prose says why, tilde fences hold the reply and what comes of it.

~~~ reply            the reply. `any`: without a schema; `escapes` are written out; `unended`: no newline at its end
~~~ value braces     the value, its strategy, `repaired` if it was
~~~ nothing          the codes of the findings, one a line
~~~ findings         beside a value: the codes of what was refused on the way
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent.parent / "answers" / "structured" / "replies"
JUDGMENT: dict[str, Any] = {
    "type": "object",
    "properties": {"step": {"type": "integer"}, "reason": {"type": "string"}},
    "required": ["step", "reason"],
    "additionalProperties": False,
}
_FENCE = re.compile(r"^(~{4,})[ ]?(.*?)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
_ESCAPE = re.compile(r"\\(?:u(?P<number>[0-9a-f]{4})|.)")
_WORDS = {"\\n": "\n", "\\r": "\r", "\\t": "\t", "\\\\": "\\"}


@dataclass(frozen=True)
class JsonCase:
    """A reply and what is expected of it; `value` is JSON, or None where nothing must be found."""

    name: str
    reply: str
    schema: dict[str, Any] | None
    value: str | None
    strategy: str | None
    repaired: bool
    codes: tuple[str, ...]


def read_cases() -> list[JsonCase]:
    """Return all cases; an error for a file, case or facet that would test nothing."""
    cases = [case for path in sorted(FOLDER.glob("*.md")) for case in _read_file(path)]
    names = [case.name for case in cases]
    if not cases or len(set(names)) < len(names):
        raise AssertionError("there are no cases, or a name stands twice")
    return cases


def _read_file(path: Path) -> list[JsonCase]:
    text = path.read_text(encoding="utf-8")
    parts = _HEADING.split(text)[1:]
    return [_read_case(name.strip(), body, path) for name, body in zip(parts[::2], parts[1::2], strict=True)]


def _read_case(name: str, body: str, path: Path) -> JsonCase:
    fences = {info.split()[0]: (info.split()[1:], content) for _, info, content in _FENCE.findall(body)}
    if (
        "reply" not in fences
        or ("value" in fences) == ("nothing" in fences)
        or not {*fences} <= {"reply", "value", "nothing", "findings"}
    ):
        raise AssertionError(f"{path.name}: {name}: a reply, and either a value or nothing, are expected")
    flags, reply = fences["reply"]
    if "escapes" in flags:
        reply = _ESCAPE.sub(_unescape, reply)
    if "unended" in flags:
        reply = reply.removesuffix("\n")
    words, value = fences.get("value", ([], None))
    codes = fences.get("nothing", fences.get("findings", ([], "")))[1].split()
    if value is None and not codes:
        raise AssertionError(f"{path.name}: {name}: why nothing is found is not said")
    schema = None if "any" in flags else JUDGMENT
    strategy = words[0] if words else None
    return JsonCase(name, reply, schema, value, strategy, "repaired" in words, tuple(codes))


def _unescape(found: re.Match[str]) -> str:
    return _WORDS.get(found[0]) or chr(int(found["number"], 16))
