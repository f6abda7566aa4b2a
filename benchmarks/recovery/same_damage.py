"""The same damage done to several formats: replies of four files, and how many come out byte for byte.

A format writes items, one of them perhaps without its opener or its closer, and reads a text back. Nothing
here knows how a format works inside.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, Protocol

import symops_lark
from symops_lark.compliance.faults.dialects import handle
from symops_lark.compliance.faults.documents import Content, hard_contents, real_contents
from symops_lark.compliance.faults.marks import Dialect
from symops_lark.compliance.faults.phrases import PREAMBLES
from symops_lark.compliance.fidelity import SURE, is_flagged

Lost = tuple[int, Literal["opener", "closer"]] | None
DAMAGES = ("preamble", "fenced", "indented", "closer dropped", "opener dropped", "truncated")


@dataclass(frozen=True)
class Got:
    """One item that a format read: `certain` when nothing warns the caller about it."""

    path: str
    content: str
    certain: bool = True


class Format(Protocol):
    """A reply format with its writer and its reader."""

    @property
    def name(self) -> str:
        """What the table calls it."""

    @property
    def info(self) -> str:
        """The word on a fence around a reply."""

    def write(self, items: list[Content], lost: Lost = None, indent: str = "") -> tuple[str, list[int]]:
        """Return items as a text, and the offset behind each."""

    def read(self, text: str) -> list[Got]:
        """Return what can be read; may raise."""


def join(parts: list[str], gap: str = "\n") -> tuple[str, list[int]]:
    """Return the texts of items joined, and where each ends."""
    ends, offset = [], 0
    for part in parts:
        offset += len(part)
        ends.append(offset)
        offset += len(gap)
    return gap.join(parts), ends


class SymOps:
    """Sym-Ops in one of its dialects, read by `symops_lark.process`."""

    info = ""

    def __init__(self, dialect: Dialect) -> None:
        self.name = f"Sym-Ops {dialect}"
        self._dialect = dialect

    def write(self, items: list[Content], lost: Lost = None, indent: str = "") -> tuple[str, list[int]]:
        """Write each item as a create action."""
        marks = self._dialect.marks
        parts = []
        for number, item in enumerate(items):
            gap = "\n" + indent if self._dialect.lines else " "
            lines = [f"{indent}{marks.action}{marks.after_action}create{gap}{marks.at}{marks.after_at}{item.path}"]
            lines += [] if lost == (number, "opener") else [indent + marks.open]
            lines += [item.text]
            lines += [] if lost == (number, "closer") else [indent + marks.close]
            parts.append("\n".join(lines) + "\n")
        return join(parts)

    def read(self, text: str) -> list[Got]:
        """Read by the whole pipeline; warned means little confidence, a completeness or a diagnostic."""
        try:
            result = symops_lark.process(text, format=handle(self._dialect))
            document, diagnostics = result.document, list(result.diagnostics)
        except symops_lark.ProtocolError as error:
            document, diagnostics = error.document, []
        found = []
        for action in document.actions:
            sure = action.confidence >= SURE and str(action.completeness) == "complete"
            certain = sure and not is_flagged(action, diagnostics)
            found.append(Got(action.path if action.type == "create" else "", action.content or "", certain))
        return found


@dataclass
class Tally:
    """Items that came out byte for byte and items that came out wrong without a warning.

    The first are counted out of the items that are whole in the text, the second out of all written.
    """

    exact: int = 0
    items: int = 0
    silent: int = 0
    written: int = 0

    def __str__(self) -> str:
        return f"{100 * self.exact / max(1, self.items):.0f} ({100 * self.silent / max(1, self.written):.0f})"


def replies(n: int, seed: int) -> Iterator[tuple[list[Content], random.Random]]:
    """Yield replies of four files whose contents every format compared here can carry."""
    pools = [[item for item in pool() if _common(item.text)] for pool in (real_contents, hard_contents)]
    for number in range(n):
        rng = random.Random(f"{seed}/same/{number}")
        yield rng.sample(pools[0], 3) + rng.sample(pools[1], 1), rng


def _common(text: str) -> bool:
    lines = text.split("\n")
    alone = {"--", "<<<", ">>>"}
    if any(line.rstrip() in alone or line.startswith(("```", "<<<<<<<", "=======", ">>>>>>>")) for line in lines):
        return False
    return bool(text) and not text.endswith("\n") and not any(sign in text for sign in "\u2028\u0085\f\v")


def damaged(form: Format, kind: str, items: list[Content], rng: random.Random) -> tuple[str, list[Content]]:
    """Return a damaged reply, and the items that can be asked for."""
    index = rng.randrange(len(items))
    if kind == "closer dropped":
        return form.write(items, (index, "closer"))[0], items
    if kind == "opener dropped":
        return form.write(items, (index, "opener"))[0], items
    if kind == "indented":
        return form.write(items, indent="  ")[0], items
    text, ends = form.write(items)
    if kind == "preamble":
        return f"{PREAMBLES[index]}\n\n{text}", items
    if kind == "fenced":
        return f"```{form.info}\n{text}\n```\n", items
    cut = rng.randrange(len(text) // 5, len(text) * 19 // 20)
    return text[:cut], [item for item, end in zip(items, ends, strict=True) if end <= cut]


def compare(form: Format, n: int, seed: int) -> dict[str, Tally]:
    """Return for every damage what came of n replies of one format."""
    table = {}
    for kind in DAMAGES:
        tally = table[kind] = Tally()
        for items, rng in replies(n, seed):
            text, asked = damaged(form, kind, items, random.Random(rng.random()))
            try:
                got = form.read(text)
            except Exception:  # noqa: BLE001  (a refusal gives nothing, and is not silent)
                got = []
            right = {(item.path, item.text) for item in items}
            tally.exact += sum((item.path, item.text) in {(g.path, g.content) for g in got} for item in asked)
            tally.items += len(asked)
            tally.written += len(items)
            tally.silent += sum(g.certain and (g.path, g.content) not in right for g in got)
    return table
