"""Judging one damaged reply: what was got against what was meant, action by action.

Law: the library is used through its front door only, and whatever it raises is a verdict, not an end.
"""

from __future__ import annotations

import math
import random
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import symops_lark

from . import phrases
from .dialects import handle
from .documents import Document, documents, write
from .marks import Dialect
from .mistakes import REGISTRY, Expected, Mistake, damage, listed_for
from .phrases import SYNONYMS

Kind = Literal["exact", "wrong", "crash", "strict", "strict-differs"]
SURE = 0.9
_CANONICAL = {word: verb for verb, words in SYNONYMS.items() for word in words}


@dataclass(frozen=True)
class Case:
    """One damaged text and what must come out of it."""

    dialect: Dialect
    mistakes: tuple[str, ...]
    text: str
    expected: tuple[Expected, ...]
    original: str


@dataclass
class Verdict:
    """What became of a case.

    `kind` "strict" and "strict-differs" mean that the damaged text still parses strictly: no mistake by the
    format's own rules, so the rates leave it out. `pairs` aligns expected with got actions.
    """

    case: Case
    kind: Kind
    phase: str = ""
    pairs: list[tuple[Expected | None, Any]] = field(default_factory=list)
    silent: list[str] = field(default_factory=list)
    diagnostics: list[Any] = field(default_factory=list)
    error: str = ""
    seconds: float = 0.0

    @property
    def invented(self) -> int:
        """How many got actions stand for nothing that was meant."""
        return sum(expected is None for expected, _ in self.pairs)

    @property
    def counted(self) -> bool:
        """Whether the rates count this case."""
        return not self.kind.startswith("strict")


def cases(name: str, dialect: Dialect, n: int, seed: int) -> Iterator[Case]:
    """Yield up to n cases of one mistake, skipping documents to which it does not apply."""
    found = 0
    for number, document in enumerate(documents(40 * n, f"{seed}/{name}", dialect)):
        if found == n or (number >= 200 and not found):
            return
        draft = damage(document, dialect, [REGISTRY[name]], random.Random(f"{seed}/{name}/{number}"))
        if draft is not None and draft.text() != write(document, dialect):
            found += 1
            yield Case(dialect, (name,), draft.text(), tuple(draft.expected), write(document, dialect))


def mixed_cases(dialect: Dialect, n: int, seed: int) -> Iterator[Case]:
    """Yield n cases of two to four listed mistakes together."""
    listed = listed_for(dialect)
    rng = random.Random(f"{seed}/{dialect.root}/mixed")
    for document in documents(n, f"{seed}/mixed", dialect):
        count = rng.choice((2, 3, 4))
        for _ in range(200):
            chosen: list[Mistake] = rng.sample(listed, count)
            draft = damage(document, dialect, chosen, rng)
            if draft is not None:
                names = tuple(item.name for item in chosen)
                yield Case(dialect, names, draft.text(), tuple(draft.expected), write(document, dialect))
                break


def prose_cases(dialect: Dialect, n: int, seed: int) -> Iterator[Case]:
    """Yield n replies without any action: prose that mentions paths and verbs, samples in fences."""
    for number in range(n):
        rng = random.Random(f"{seed}/{dialect.root}/prose/{number}")
        pool = phrases.PREAMBLES + 2 * phrases.PLANS + phrases.POSTAMBLES + phrases.SAMPLES + phrases.THINKING
        text = "\n\n".join(rng.sample(pool, rng.randint(1, 5)))
        yield Case(dialect, ("prose-alone",), text, (), "")


def judge(case: Case) -> Verdict:
    """Process one damaged text and compare."""
    strict = _strict(case)
    if strict is not None:
        return strict
    started = time.perf_counter()
    try:
        result = symops_lark.process(case.text, format=handle(case.dialect))
        phase, document, found = str(result.phase), result.document, list(result.diagnostics)
    except symops_lark.ProtocolError as error:
        phase, document, found = "failed", error.document, list(getattr(error, "diagnostics", ()))
    except Exception:  # a crash is a figure of this benchmark
        return Verdict(case, "crash", error=traceback.format_exc(limit=-6))
    seconds = time.perf_counter() - started
    pairs = align(case.expected, list(document.actions) if document else [])
    exact = phase != "failed" and all(_good(expected, got) for expected, got in pairs)
    verdict = Verdict(case, "exact" if exact else "wrong", phase, pairs, diagnostics=found, seconds=seconds)
    if not exact:
        usual = _usual_codes(case)
        telling = [item for item in found if item.code not in usual]
        verdict.silent = [complaint for pair in pairs if (complaint := _silently_wrong(*pair, telling))]
    return verdict


def _usual_codes(case: Case) -> set[str]:
    """The diagnostics that the undamaged text draws too: they tell nothing about the damage."""
    try:
        return {item.code for item in symops_lark.process(case.original, format=handle(case.dialect)).diagnostics}
    except Exception:  # the valid documents have a row of their own
        return set()


def _strict(case: Case) -> Verdict | None:
    try:
        document = symops_lark.parse(case.text, handle(case.dialect))
    except symops_lark.ParseError:
        return None
    except Exception:  # as above
        return Verdict(case, "crash", error=traceback.format_exc(limit=-6))
    pairs = align(case.expected, list(document.actions))
    same = all(_good(expected, got) for expected, got in pairs)
    return Verdict(case, "strict" if same else "strict-differs", "strict", pairs)


def _good(expected: Expected | None, got: Any) -> bool:
    if expected is None:
        return False
    return fits(expected, got) if got is not None else not expected.required


def differences(expected: Expected, got: Any) -> list[str]:
    """Name the parts in which a got action differs from the expected one."""
    found = []
    if got.type != expected.type and _CANONICAL.get(got.type, got.type) != expected.type:
        found.append("type")
    if expected.partial:
        return found if expected.path.startswith(got.path) else [*found, "path"]
    if got.path != expected.path:
        found.append("path")
    if got.content not in expected.contents:
        found.append("content")
    if tuple(got.dependencies) != expected.dependencies:
        found.append("dependencies")
    if expected.cut and str(got.completeness) == "complete":
        found.append("completeness")
    return found


def fits(expected: Expected, got: Any) -> bool:
    """Tell whether a got action is exactly what was meant."""
    return not differences(expected, got)


def _likeness(expected: Expected, got: Any) -> int:
    """How surely a got action stands for an expected one; 0 means not at all."""
    if fits(expected, got):
        return 1000
    score = 100 if got.path == expected.path else 0
    if got.content and got.content in expected.contents:
        score += 100
    elif got.content and expected.contents[0]:
        lines = set(filter(str.strip, expected.contents[0].split("\n")))
        same = lines.intersection(got.content.split("\n"))
        score += 50 if len(same) * 2 > len(lines) else 0
    if not score and expected.path in got.path:
        score += 20
    return score + int(score > 0 and got.type == expected.type)


def align(expected: tuple[Expected, ...], got: list[Any]) -> list[tuple[Expected | None, Any]]:
    """Pair expected with got actions in order, as alike as can be; what is left over stands alone."""
    rows, columns = len(expected), len(got)
    best = [[0] * (columns + 1) for _ in range(rows + 1)]
    score = [[_likeness(e, g) for g in got] for e in expected]
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            pair = score[i][j] + best[i + 1][j + 1] if score[i][j] else 0
            best[i][j] = max(pair, best[i + 1][j], best[i][j + 1])
    pairs: list[tuple[Expected | None, Any]] = []
    i = j = 0
    while i < rows or j < columns:
        if i < rows and j < columns and score[i][j] and best[i][j] == score[i][j] + best[i + 1][j + 1]:
            pairs.append((expected[i], got[j]))
            i, j = i + 1, j + 1
        elif i < rows and (j == columns or best[i][j] == best[i + 1][j]):
            pairs.append((expected[i], None))
            i += 1
        else:
            pairs.append((None, got[j]))
            j += 1
    return pairs


def flagged(action: Any, diagnostics: list[Any]) -> bool:
    """Tell whether a diagnostic lies on an action: overlapping it, or at a point of it."""
    start, end = action.span.start, action.span.end
    for item in diagnostics:
        at, to = item.span.start, item.span.end
        if (at < end and to > start) or (at == to and start <= at <= end):
            return True
    return False


def _silently_wrong(expected: Expected | None, got: Any, diagnostics: list[Any]) -> str:
    if got is None or (expected is not None and fits(expected, got)):
        return ""
    parts = differences(expected, got) if expected else ["invented"]
    if parts == ["dependencies"] or got.confidence < SURE or str(got.completeness) != "complete":
        return ""
    if flagged(got, diagnostics):
        return ""
    return f"{got.type} {got.path}: {', '.join(parts)} wrong at confidence {got.confidence:.2f}"


@dataclass
class ValidTally:
    """How valid documents fare: each count is out of `n`, with the names of those that failed."""

    n: int = 0
    strict: int = 0
    exact: int = 0
    untouched: int = 0
    recovered: int = 0
    failures: list[tuple[str, str, str]] = field(default_factory=list)


def judge_valid(document: Document, dialect: Dialect, tally: ValidTally) -> None:
    """Check one valid document: strict, exact, byte-identical after repair, and the same when recovered."""
    text = write(document, dialect)
    expected = tuple(Expected(a.type, a.path, (a.content,), a.dependencies) for a in document.actions)
    tally.n += 1
    checks = {"strict": False, "exact": False, "untouched": False, "recovered": False}
    note = ""
    try:
        result = symops_lark.process(text, format=handle(dialect))
        checks["strict"] = str(result.phase) == "strict"
        checks["exact"] = all(_good(*pair) for pair in align(expected, list(result.document.actions)))
        checks["untouched"] = symops_lark.repair(text, handle(dialect)).text == text
        again: Any = symops_lark.recover(text, handle(dialect))
        again = getattr(again, "document", again)
        checks["recovered"] = all(_good(*pair) for pair in align(expected, list(again.actions)))
    except Exception:  # a crash is a figure of this benchmark
        note = traceback.format_exc(limit=-4)
    for name, passed in checks.items():
        setattr(tally, name, getattr(tally, name) + passed)
    if not all(checks.values()):
        missed = ", ".join(name for name, passed in checks.items() if not passed)
        tally.failures.append((f"{dialect}: not {missed}", text, note))


def wilson(k: int, n: int, z: float = 1.96) -> tuple[float, float]:
    """Give the Wilson score interval of a rate k/n (95 % by default)."""
    if n == 0:
        return 0.0, 1.0
    p, z2 = k / n, z * z
    centre = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = z * math.sqrt(p * (1 - p) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    return max(0.0, centre - half), min(1.0, centre + half)
