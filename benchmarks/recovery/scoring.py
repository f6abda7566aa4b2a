"""Judging one damaged reply: what was got against what was meant, action by action.

Law: the library is used through its front door only, and whatever it raises is a verdict, not an end.
"""

from __future__ import annotations

import random
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import symops_lark
from symops_lark.compliance.faults import phrases
from symops_lark.compliance.faults.dialects import handle
from symops_lark.compliance.faults.documents import Document, draw_documents, write
from symops_lark.compliance.faults.marks import Dialect
from symops_lark.compliance.faults.mistakes import REGISTRY, Expected, Mistake, damage, listed_for
from symops_lark.compliance.fidelity import align, complain, is_right

Kind = Literal["exact", "wrong", "crash", "strict", "strict-differs"]


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
    for number, document in enumerate(draw_documents(40 * n, f"{seed}/{name}", dialect)):
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
    for document in draw_documents(n, f"{seed}/mixed", dialect):
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
    exact = phase != "failed" and all(is_right(expected, got) for expected, got in pairs)
    verdict = Verdict(case, "exact" if exact else "wrong", phase, pairs, diagnostics=found, seconds=seconds)
    if not exact:
        usual = _usual_codes(case)
        telling = [item for item in found if item.code not in usual]
        verdict.silent = [complaint for pair in pairs if (complaint := complain(*pair, telling))]
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
    same = all(is_right(expected, got) for expected, got in pairs)
    return Verdict(case, "strict" if same else "strict-differs", "strict", pairs)


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
        checks["exact"] = all(is_right(*pair) for pair in align(expected, list(result.document.actions)))
        checks["untouched"] = symops_lark.repair(text, handle(dialect)).text == text
        again: Any = symops_lark.recover(text, handle(dialect))
        again = getattr(again, "document", again)
        checks["recovered"] = all(is_right(*pair) for pair in align(expected, list(again.actions)))
    except Exception:  # a crash is a figure of this benchmark
        note = traceback.format_exc(limit=-4)
    for name, passed in checks.items():
        setattr(tally, name, getattr(tally, name) + passed)
    if not all(checks.values()):
        missed = ", ".join(name for name, passed in checks.items() if not passed)
        tally.failures.append((f"{dialect}: not {missed}", text, note))
