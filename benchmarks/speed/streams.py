"""Streams of real files in pieces of 200 characters: time a megabyte, the slowest steps, and what `close` costs."""

from __future__ import annotations

import time

from symops_lark import NEED_TEXT, StreamParser, SymOpsProcessor, process
from symops_lark.core.ground.numbers import counted

from . import real_files
from .clock import milliseconds, quantile, spent
from .table import Findings, Row

PIECE = 200  # characters
_DIALECTS = ("v1", "v2", "plain")
_RUNS = 3


def _run(text: str, dialect: str, before: str) -> tuple[float, list[float]]:
    """Return the seconds of a stream: of the processor for all of it, and by the clock of each piece.

    What reads it has read another text before, and remembers no other line.
    """
    processor = SymOpsProcessor(dialect)
    for _ in StreamParser(processor).events([before]):
        pass
    parser = StreamParser(processor)
    steps: list[float] = []

    def read() -> None:
        for at in range(0, len(text), PIECE):
            began = time.perf_counter()  # which costs less than to ask for the processor's time
            parser.receive(text[at : at + PIECE])
            while parser.next_event() is not NEED_TEXT:
                pass
            steps.append(time.perf_counter() - began)

    return spent(read), steps


def _close(text: str, cut_off: bool | None) -> float:
    parser = StreamParser("v2")
    for at in range(0, len(text), PIECE):
        parser.receive(text[at : at + PIECE])
        while parser.next_event() is not NEED_TEXT:
            pass
    return spent(lambda: parser.close(cut_off=cut_off))


def measure(quick: bool) -> Findings:
    """Return the figures of streams whose lines nobody has seen before."""
    findings = Findings()
    size, costs, slow = 20 if quick else 90, [], []
    findings.lines.append(
        f"streams of {counted(size, 'file')} in pieces of {PIECE} characters; steps as p50 / p95 / p99 in ms:"
    )
    for number, dialect in enumerate(_DIALECTS):
        before = real_files.write(real_files.take(-3, 3), dialect)
        text = real_files.write(real_files.take(number * size, size), dialect)
        seconds, runs = zip(*(_run(text, dialect, before) for _ in range(_RUNS)), strict=True)
        steps = [min(times) for times in zip(*runs, strict=True)]  # others that use the machine make none faster
        costs.append(1e9 * min(seconds) / len(text))
        slow.append(1000 * quantile(steps, 0.99))
        findings.lines.append(f"  {dialect:8}{costs[-1]:8.0f} ms/MB; {milliseconds(steps)}")
    findings.rows.append(Row(f"streaming {', '.join(_DIALECTS)}", tuple(costs), (100.0,) * len(costs), "ms/MB"))
    findings.rows.append(Row("one step of a stream, p99", tuple(slow), (0.5,) * len(slow), "ms"))
    files = real_files.take(len(_DIALECTS) * size, size)
    text, other_reply = real_files.write(files, "v2"), real_files.write(real_files.take(0, size), "v2")
    ends = {"whole": (text, None), "cut off": (text[: -len(files[-1].text) // 2], True)}
    for title, (key, cut_off) in ends.items():
        _close(other_reply[: len(other_reply) // (2 if cut_off else 1)], cut_off)  # what a process does once is done
        closing = _close(key, cut_off)
        repeated_result = _process(key, cut_off)
        left = _process(key[key.rfind(files[-1].path, 0, key.rfind(files[-1].text[:50])) - 10 :], cut_off)
        findings.lines.append(
            f"  close, {title}: {1000 * closing:.3g} ms; `process` of all of it {1000 * repeated_result:.3g} ms, "
            f"of its last action alone {1000 * left:.3g} ms"
        )
        line_text = f"`close()` of {len(key) / 1e6:.1f} MB, {title}, × `process` of the last action"
        findings.rows.append(Row(line_text, (closing / left,), (1.0,)))
    return findings


def _process(text: str, cut_off: bool | None) -> float:
    return spent(lambda: process(text, "v2", cut_off=cut_off))
