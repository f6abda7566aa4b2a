"""The same damage done to several formats: how many of their files come out right, and what is wrong with an alarm.

A format writes items, one of them perhaps without its opener or its closer, and reads a text back. Nothing here knows
how a format works inside. An alarm is a refusal, or whatever the format's own reader says to its user.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import symops_lark
from symops_lark.lab.benchmark.faults.contents import Content, hard_contents, real_contents
from symops_lark.lab.benchmark.faults.endings import nth_endings
from symops_lark.lab.benchmark.faults.marks import Dialect
from symops_lark.lab.benchmark.faults.mistakes import Expected
from symops_lark.lab.benchmark.faults.phrases import PREAMBLES
from symops_lark.lab.benchmark.fidelity import raises_alarm, tells_loss

Lost = tuple[int, Literal["opener", "closer"]] | None
DAMAGES = ("preamble", "fenced", "indented", "closer dropped", "opener dropped", "truncated")


@dataclass(frozen=True)
class Got:
    """One item that a format read, and whether an alarm was raised about it."""

    path: str
    content: str
    alarm: bool = False


@dataclass(frozen=True)
class Read:
    """What a format read, and whether an alarm was raised about what it did not read."""

    items: list[Got]
    alarm: bool = False


class Format(Protocol):
    """A reply format with its writer and its reader."""

    @property
    def name(self) -> str:
        """What the table calls it."""

    @property
    def info(self) -> str:
        """The word on a fence around a reply."""

    @property
    def foreign(self) -> bool:
        """Whether it is no dialect, and may have a rule of its own for the ends of lines."""

    def write(self, items: list[Content], lost: Lost = None, indent: str = "") -> tuple[str, list[int]]:
        """Return items as a text, and the offset behind each."""

    def read(self, text: str) -> Read:
        """Return what can be read; raises what it refuses a text with."""


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

    info, foreign = "", False

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

    def read(self, text: str) -> Read:
        """Read by the whole pipeline; raises `ProtocolError`."""
        result = symops_lark.process(text, format=self._dialect.format)
        actions, diagnostics = result.document.actions, result.diagnostics
        gots = [
            Got(action.path if action.type == "create" else "", action.content or "", raises_alarm(action, diagnostics))
            for action in actions
        ]
        return Read(gots, tells_loss(actions, diagnostics, result.confidence))


@dataclass
class Tally:
    """Items that came out byte for byte, and those that came out wrong or not at all, with an alarm and without.

    `false_alarms` are those of the right ones about which one was raised.
    """

    right: int = 0
    with_alarm: int = 0
    without: int = 0
    false_alarms: int = 0

    @property
    def items(self) -> int:
        """All of them."""
        return self.right + self.with_alarm + self.without

    def count(self, right: bool, alarm: bool) -> None:
        """Count one item."""
        self.right += right
        self.false_alarms += right and alarm
        self.with_alarm += alarm and not right
        self.without += not alarm and not right


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
    """Return what came of n replies of one format: of all, for every damage, and for every kind of line endings."""
    table: dict[str, Tally] = {}
    for kind in DAMAGES:
        for number, (items, rng) in enumerate(replies(n, seed)):
            text, request = damaged(form, kind, items, random.Random(rng.random()))
            endings = nth_endings(number, f"{seed}/same/{number}")
            whole_expecteds = [Expected("create", item.path, (item.text,), ()) for item in items]
            by_key = {item.path: item.contents for item in endings.expect(text, whole_expecteds, foreign=form.foreign)}
            try:
                got = form.read(endings.write(text))
            except Exception:  # noqa: BLE001  (a refusal gives nothing, and is an alarm)
                got = Read([], alarm=True)
            for right, alarm in judge([item.path for item in request], by_key, got):
                for row in ("all", kind, endings.name):
                    table.setdefault(row, Tally()).count(right, alarm)
    return table


def judge(asked: list[str], meant: Mapping[str, Sequence[str | None]], got: Read) -> Iterator[tuple[bool, bool]]:
    """Yield for each item whether it is right, and whether an alarm was raised about it.

    Items are those that were `asked` for, by their paths, and whatever came out beside them. One that was cut off can
    at best be said to be: then it is none of them.
    """
    left = sorted(got.items, key=lambda item: item.content not in meant.get(item.path, ()))
    for path in asked:
        result = next((item for item in left if item.path == path), None)
        if result is None:
            yield False, got.alarm
        else:
            left.remove(result)
            yield result.content in meant[path], result.alarm
    cut = [path for path in meant if path not in asked]
    for item in left:
        is_cut = bool(item.path) and any(path.startswith(item.path) for path in cut)
        if not is_cut or not (item.alarm or item.content in meant.get(item.path, ())):
            yield False, item.alarm
