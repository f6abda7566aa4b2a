"""Count what replies in fresh wordings are taken for: `python -m benchmarks.discourse`.

The 650 replies of `set1.jsonl` to `set4.jsonl` were written by somebody who knew the notation but
no pattern of this package. Nobody may read sets 3 and 4 to change a pattern: their figures are the
honest ones. A reply is *silent* if something is sure that was not meant, and *false* if something
that was meant is not sure.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.nested.replies import is_sure
from symops_lark import ProtocolError, process
from symops_lark.answers.judgment import find_tag
from symops_lark.answers.structured import extract_json

FOLDER = Path(__file__).parent
SETS = ("set1", "set2", "set3", "set4")
SCHEMA = {
    "type": "object",
    "properties": {"step": {"type": "integer"}, "reason": {"type": "string"}},
    "required": ["step"],
}
RULES = 3  # the tags are [REVIEW:1] to [REVIEW:3]


def read_set(name: str) -> Iterator[dict[str, Any]]:
    """Yield the replies of a set.

    Args:
        name: One of `SETS`.

    Yields:
        Objects with `id`, `kind`, `lang`, `tool` (process, extract or tag), `input` and `expect`:
        the actions that are `sure` and `not_sure` (an empty path is any), or the `value` (None:
        nothing may be taken).
    """
    for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def judge(reply: dict[str, Any]) -> tuple[bool, bool]:
    """Return whether a reply is silent, and whether it is false."""
    expected = reply["expect"]
    if reply["tool"] == "process":
        sure = _sure_actions(reply["input"])
        verbs = {(verb, "") for verb, _ in sure}
        is_silent = any(tuple(action) in sure | verbs for action in expected["not_sure"])
        is_false = any(tuple(action) not in sure for action in expected["sure"])
        return is_silent, is_false
    expected_value = expected["value"]
    if reply["tool"] == "extract":
        value = extract_json(reply["input"], SCHEMA).value
        number = None if value is None else value["step"]
        expected_value = None if expected_value is None else expected_value["step"]
    else:
        index = find_tag(reply["input"], ["REVIEW"], RULES)
        number = None if index is None else index + 1
    return number is not None and number != expected_value, number is None and expected_value is not None


def _sure_actions(text: str) -> set[tuple[str, str]]:
    """Return the verbs and paths of the actions that nothing warns about."""
    try:
        result = process(text)
    except ProtocolError:
        return set()
    actions = result.document.actions
    return {(action.type, action.path) for action in actions if is_sure(action, result)}


def main() -> int:
    """Print the figures of each set by kind of reply."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.discourse", description=__doc__)
    parser.add_argument("sets", nargs="*", metavar="SET", help=f"of {', '.join(SETS)} (default: all)")
    options = parser.parse_args()
    unknown = sorted({*options.sets} - {*SETS})
    if unknown:
        parser.error(f"unknown set {unknown[0]!r}: expected one of {', '.join(SETS)}")
    for name in options.sets or SETS:
        counts: Counter[tuple[str, str]] = Counter()
        for reply in read_set(name):
            is_silent, is_false = judge(reply)
            for kind in (reply["kind"], "all"):
                counts[kind, "n"] += 1
                counts[kind, "silent"] += is_silent
                counts[kind, "false"] += is_false
        print(f"{name:18} {'n':>5} {'silent':>7} {'false':>6}")
        for kind in sorted({kind for kind, _ in counts}, key=lambda kind: (kind == "all", kind)):
            row = [counts[kind, column] for column in ("n", "silent", "false")]
            print(f"  {kind:16} {row[0]:5} {row[1]:7} {row[2]:6}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
