"""JSON values, ways to write them, and replies around them, for the laws of structured output."""

from __future__ import annotations

import json
import re
from typing import Any

from hypothesis import strategies as st

# Texts in values that look like marks.
MARKS = ("```", "\n```\n", "~~~", "<think>", "</think>", "//", "/*", "#", "NaN", "{}")
LOOK_ALIKES = (*MARKS, "{", "}", "[", "]", '"', "'", "\\")
_NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
_SCALARS = st.none() | st.booleans() | _NUMBERS | st.text(max_size=12) | st.sampled_from(LOOK_ALIKES)
_NAMES = st.text(max_size=6) | st.sampled_from(("step", "reason", *LOOK_ALIKES))


def _grow(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(values, max_size=3) | st.dictionaries(_NAMES, values, max_size=3)


VALUES = st.recursive(_SCALARS, _grow, max_leaves=8)
OBJECTS = st.dictionaries(_NAMES, VALUES, max_size=4)
# Prose with everything that has a meaning but braces and brackets.
# Nor does it go on as an object or a list does (`, "a": 1`, `, 1]`): beside one, that may be a part of it.
_GOES_ON = re.compile(r"[,\"'][^:]*:|,[^,]*[1\"'][^,]*,")
# `a:` at the beginning of a line begins a turn of the assistant, as in `q: … a: …`.
_LABEL = re.compile(r"(?m)^[*_ \t]*a[*_ \t0-9]*:")
PROSE = st.text(alphabet="ab .,:;!?\n()'\"<>/日本*-1=`\\", max_size=30).filter(
    lambda text: "```" not in text and not _GOES_ON.search(text) and not _LABEL.search(text)
)
# Pieces of which replies are made that nobody would write.
PIECES = st.sampled_from(
    (
        *LOOK_ALIKES,
        '{"step": 1',
        '{"step": 2}',
        "{'a': 1,",
        '"reason": "x"',
        "```json\n",
        "\n",
        "\n\n",
        ":",
        ",",
        " ",
        "1e400",
        "null",
        "\ud800",
        "\x00",
        "\ufeff",
        "“",
        "”",
        "12",
        "<|channel|>final",
        "日本",
    )
)
SOUP = st.lists(PIECES | st.text(max_size=3), max_size=12).map("".join)


@st.composite
def written(draw: st.DrawFn, value: Any) -> str:
    """A JSON text of a value, in one of the ways in which models write it."""
    escaped, style = draw(st.booleans()), draw(st.sampled_from((None, 0, 2, "\t")))
    separators = draw(st.sampled_from(((",", ":"), (", ", ": ")))) if style is None else None
    return json.dumps(value, ensure_ascii=escaped, indent=style, separators=separators)


@st.composite
def wrapped(draw: st.DrawFn, text: str) -> str:
    """A reply with a JSON text in it, which must be found."""
    before, drawn, draft = draw(PROSE), draw(PROSE), json.dumps(draw(OBJECTS))
    thought = draft.replace("think>", "")  # thinking ends at its first closing tag, wherever that stands
    ways = {
        "alone": f" \n{text}\r\n",
        "prose": f"{before}\n{text}\n{drawn}",
        "fence": f"{before}\n```json\n{text}\n```\n{drawn}",
        "line": f"```json {text}```",
        "tilde": f"{before}\n~~~\n{text}\n~~~",
        "think": f"<think>\n{before} {thought}\n</think>\n{text}",
        "open think": f"{before} {thought}\n</think>\n\n{text}",
        "tag": f"<answer>{text}</answer>",
        "other": f"```json\n{draft}\n```\n```json\n{text}\n```\n",
        "object": f"{draft} {before}\nSo it is:\n{text}",
    }
    return ways[draw(st.sampled_from(sorted(ways)))]
