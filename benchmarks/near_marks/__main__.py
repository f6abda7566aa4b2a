"""Print how often the correction of a mark is right, by kind of slip: `python -m benchmarks.near_marks`.

Each reply has three actions in one format, with contents of real replies and handwritten ones full of markup, and one
mark with one slip. A row has the replies with a slip of a kind, and the replies with a correction of that kind: a
missing character may look like a changed one. The price is the one that the lower end of the 95 % interval allows.
"""

from __future__ import annotations

import argparse
import math
import re
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

from symops_lark.core.document import Action, Document, Replacement
from symops_lark.core.formats.documents import read_format
from symops_lark.core.formats.loading import all_sections, formats
from symops_lark.core.formats.near_marks import PRICES, correct_marks, marks_by_format
from symops_lark.core.formats.writer import write_format
from symops_lark.core.ground.errors import RenderError
from symops_lark.core.recovery.doubts.confidence import lowered
from symops_lark.core.text.slips import Slip
from symops_lark.lab.benchmark.faults.contents import hard_contents, real_contents
from symops_lark.lab.measuring.intervals import exact_interval

from .slips import SLIPS

_RUNS = re.compile(r"([<=>])\1{4,}")
_LONGEST = 600  # characters of a content


class Damaged(NamedTuple):
    """A reply before and after one of its marks was damaged, and where that mark is."""

    text: str
    near_text: str
    start: int
    end: int


def main() -> int:
    """Damage replies in each way, read them, and count."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.near_marks", description=__doc__)
    parser.add_argument("--n", type=int, default=100, help="replies of each kind and format (default 100)")
    parser.add_argument("--seed", type=int, default=1, help="other replies (default 1)")
    parser.add_argument("--show", type=int, default=0, metavar="K", help="print the first K wrong readings")
    options = parser.parse_args()
    counts: Counter[tuple[Slip, str]] = Counter()
    for slip in SLIPS:
        for name in formats():
            for damaged in _draw(name, slip, options.n, Random(f"{options.seed}/{slip}/{name}")):
                rows = _judge(name, slip, damaged)
                counts.update(rows)
                if options.show > 0 and any(row[1] == "wrong" for row in rows):
                    options.show -= 1
                    print(f"---- {name}, {slip}\n{damaged.near_text}")
    print(f"{'kind':26}replies   right  corrections   right   wrong  elsewhere  price allowed, used")
    for slip, used in PRICES.items():
        replies, right, corrections, *remaining = (counts[slip, key] for key in KEYS)
        shares = [count / max(1, corrections) for count in remaining]
        allowed = _price(remaining[0], corrections)
        print(
            f"{slip:26}{replies:7,}{right / max(1, replies):8.1%}{corrections:13,}{shares[0]:8.1%}{shares[1]:8.1%}"
            f"{shares[2]:11.1%}{allowed:15,}{used:6,}"
        )
    return 0


KEYS = ("replies", "right", "corrections", "corrections right", "wrong", "elsewhere")


def _price(right: int, count: int) -> int:
    """Return the price that lowers a confidence to the share of corrections that are surely right."""
    low, _ = exact_interval(right, max(1, count))
    per_mistake = lowered(1.0, 1000)
    return math.ceil(1000 * math.log(max(low, 0.01)) / math.log(per_mistake))


def _draw(name: str, slip: Slip, count: int, random: Random) -> Iterator[Damaged]:
    """Yield replies in a format with a slip in one mark."""
    marks = marks_by_format(formats()[name].sections).get(name, [])
    for _ in range(count):
        text = _write(name, random)
        places = [(mark, match.start()) for mark in marks for match in re.finditer(re.escape(mark), text)]
        if not places:
            continue
        mark, start = random.choice(places)
        near = SLIPS[slip](mark, random)
        # Two equal neighbors are not exchanged.
        if near != mark:
            yield Damaged(text, text[:start] + near + text[start + len(mark) :], start, start + len(near))


def _write(name: str, random: Random) -> str:
    """Return a reply of three actions in a format, those that it can express."""
    texts = ["I will do it.\n"]
    for number in range(3):
        content = random.choice(real_contents() + hard_contents()).text[:_LONGEST].strip("\n")
        edits = (Replacement(f"x = {number}\n", f"x = {number + 5}\n", lines=True),)
        actions = [
            Action("create", f"src/f{number}.py", content),
            Action("run", f"pytest -q tests/t{number}.py"),
            Action("edit", f"src/e{number}.py", edits=edits),
            Action("delete", f"src/d{number}.py"),
        ]
        random.shuffle(actions)
        for action in actions:
            try:
                texts.append(write_format(Document((action,)), name))
                break
            except RenderError:
                continue
    return "\n".join([*texts, "Done.\n"])


def _actions(document: Document) -> list[Any]:
    rows = []
    for action in document.actions:
        # A mark in a content may have another length, and mean the same.
        content = _RUNS.sub(r"\1\1\1\1\1", action.content or "")
        rows.append((action.type, action.path, content, action.edits))
    return rows


def _judge(name: str, slip: Slip, damaged: Damaged) -> list[tuple[Slip, str]]:
    """Return what is to be counted of a damaged reply, by the slip that was made and the one that was corrected."""
    intended = _actions(read_format(damaged.text, name))
    document = read_format(damaged.near_text)
    actions = _actions(document)
    rows = [(slip, "replies")]
    if actions == intended:
        rows.append((slip, "right"))
    places = {finding.span.start for finding in document.diagnostics if finding.code == "near-mark"}
    if not places:
        return rows
    corrected = correct_marks(damaged.near_text, list(all_sections()))
    assert corrected is not None
    for correction in corrected.corrections:
        kind = correction.slip
        rows.append((kind, "corrections"))
        # A correction at another place takes a text of the content for a mark.
        if correction.end <= damaged.start or correction.start >= damaged.end:
            rows.append((kind, "elsewhere"))
        if actions == intended:
            rows.append((kind, "corrections right"))
        elif any(action not in intended for action in actions):
            rows.append((kind, "wrong"))
    return rows


if __name__ == "__main__":
    raise SystemExit(main())
