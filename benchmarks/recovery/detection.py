"""How often `SymOpsProcessor("auto").detect` tells the right dialect: of valid texts, of damaged ones, of none at all.

Right is a dialect of the same family and with the same marks that reads the same actions. A text of v2.1 that uses
none of its forms is as well told as v2.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import symops_lark
from symops_lark.core.grammar.loading import load_dialect
from symops_lark.core.ground.python_processes import process_pool
from symops_lark.lab.benchmark.faults.contents import real_contents
from symops_lark.lab.benchmark.faults.dialects import load
from symops_lark.lab.benchmark.faults.documents import draw_documents, write
from symops_lark.lab.benchmark.faults.endings import nth_endings
from symops_lark.lab.benchmark.faults.marks import Dialect
from symops_lark.lab.benchmark.faults.mistakes import REGISTRY

from .cases import cases, prose_cases
from .report import rate

# What hides or exchanges the dialect itself.
FOREIGN = ("other-version", "all-marks-missing", "newlines-escaped", "reply-as-")
_SAME = ("thought", "action", "target", "depends", "open", "close")


@dataclass
class Told:
    """How many texts of one kind were told rightly, and what the others were told as."""

    title: str
    n: int = 0
    right: int = 0
    doubtful: int = 0
    as_what: Counter[str] = field(default_factory=Counter)
    missed: list[tuple[str, str]] = field(default_factory=list)


@cache
def _processor() -> Any:
    return symops_lark.SymOpsProcessor("auto")


def _said(text: str, dialect: Any) -> list[tuple[Any, ...]] | None:
    try:
        document = symops_lark.process(text, format=dialect).document
    except symops_lark.ProtocolError as error:
        document = error.document
    return [(a.type, a.path, a.content, tuple(a.dependencies)) for a in document.actions] if document else None


def judge(text: str, own: Dialect | None, told: Told, why: str) -> None:
    """Detect the dialect of one text and count the answer."""
    result = _processor().detect(text)
    name = result.dialect.name if result.dialect else "none"
    told.n += 1
    told.doubtful += result.doubtful
    if own is None:
        right = result.dialect is None
    else:
        dialect = load_dialect(own.format)
        right = result.dialect is not None and result.dialect.family == dialect.family
        right = right and all(result.dialect.marks[key] == dialect.marks[key] for key in _SAME)
        right = right and (result.dialect.name == dialect.name or _said(text, result.dialect) == _said(text, dialect))
    told.right += right
    if not right:
        told.as_what[name] += 1
        told.missed.append((f"{told.title} told as {name}: {why}", text))


Task = tuple[str, str, int, int]


def told_of(task: Task) -> list[Told]:
    """Return what became of one task: valid, damaged or none, the dialect's name, n and the seed."""
    kind, name, n, seed = task
    if kind == "none":
        prose, files = Told("no dialect, prose"), Told("no dialect, files")
        for case in prose_cases(load("v2"), 10 * n, seed):
            judge(case.text, None, prose, "prose")
        for content in real_contents():
            judge(content.text, None, files, content.path)
        return [prose, files]
    dialect = load(name)
    message = Told(f"{dialect.name}, {'valid' if kind == 'valid' else 'one mistake'}")
    if kind == "valid":
        for number, document in enumerate(draw_documents(10 * n, f"{seed}/detection", dialect)):
            endings = nth_endings(number, f"{seed}/detection/{number}")
            judge(endings.write(write(document, dialect)), dialect, message, "valid")
        return [message]
    for mistake in REGISTRY:
        if not any(part in mistake for part in FOREIGN):
            for case in cases(mistake, dialect, n, f"{seed}/detection", tries=20):
                judge(case.text, dialect, message, mistake)
    return [message]


def lines(dialects: Sequence[Dialect], options: argparse.Namespace) -> Iterator[str]:
    """Yield how often the dialect of a text is told: a line for each dialect and kind, the sums below."""
    yield f"Detection among all installed dialects, seed {options.seed}, n {options.n}"
    kinds = [(kind, dialect.format) for dialect in dialects for kind in ("valid", "damaged")]
    with process_pool(options.jobs) as pool:
        tasks = [(*kind, options.n, options.seed) for kind in (*kinds, ("none", ""))]
        items = [item for part in pool.map(told_of, tasks) for item in part]
    for single_item in items:
        joined = ", ".join(f"{name} {count}" for name, count in single_item.as_what.most_common())
        line = f"  {single_item.title:28}{rate(single_item.right, single_item.n):42} doubtful {single_item.doubtful:4}"
        yield line + (f"  told as {joined}" if joined else "")
    for title, kind in (("all valid", ", valid"), ("all with one mistake", ", one mistake"), ("none", "no dialect")):
        part = [single_item for single_item in items if kind in single_item.title]
        yield f"  {title:28}{rate(sum(single_item.right for single_item in part), sum(single_item.n for single_item in part))}"
    why = Counter(reason.split(": ", 1)[1] for single_item in items for reason, _ in single_item.missed)
    yield "  missed most: " + ", ".join(f"{name} {count}" for name, count in why.most_common(12))
    for title, text in [row for single_item in items for row in single_item.missed][: options.show]:
        yield from ("=" * 100, title, text)
