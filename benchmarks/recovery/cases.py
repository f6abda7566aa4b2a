"""Damaged replies one by one, and valid ones, each judged by the compliance benchmark's own scoring."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

from symops_lark.core.replies.messages import Message, Reply
from symops_lark.lab.benchmark import records
from symops_lark.lab.benchmark.faults import phrases
from symops_lark.lab.benchmark.faults.documents import Document, draw_documents, write
from symops_lark.lab.benchmark.faults.endings import LINE_FEEDS, Endings, nth_endings
from symops_lark.lab.benchmark.faults.marks import Dialect
from symops_lark.lab.benchmark.faults.mistakes import REGISTRY, Draft, Expected, applicable, apply_mistakes
from symops_lark.lab.benchmark.figures import after, came_right, is_accepted
from symops_lark.lab.benchmark.formats.sym_ops import SymOps
from symops_lark.lab.benchmark.records import Attempt
from symops_lark.lab.benchmark.scoring import judge
from symops_lark.lab.benchmark.sources import Given
from symops_lark.models.protocol import Model

_SIMULATED = records.Provenance(records.SIMULATED)


@dataclass(frozen=True)
class Case:
    """One damaged text and what must come out of it; `original` is the text without its mistakes, if there is one.

    `endings` names how the lines of all of them end.
    """

    dialect: Dialect
    mistakes: tuple[str, ...]
    text: str
    expected: tuple[Expected, ...]
    original: str
    endings: str = LINE_FEEDS.name

    @property
    def changed(self) -> bool:
        """Whether the mistakes can be seen."""
        return self.text != self.original


class Reading(SymOps):
    """A dialect whose documents count as they are read, whatever the validator has to say about them."""

    def read(self, reply: Reply, messages: tuple[Message, ...] = (), model: Model | None = None) -> Iterator[Attempt]:
        """Read a reply as the pipeline does, one strategy at a time, up to the first that finds a section."""
        for attempt in super().read(reply, messages, model):
            yield replace(attempt, valid=attempt.document is not None and bool(attempt.document.sections))


reading = cache(Reading)


@dataclass(frozen=True)
class Verdict:
    """What became of a case."""

    case: Case
    record: records.Record

    @property
    def counted(self) -> bool:
        """Whether the rates count it: what still parses strictly is no mistake by the format's own rules."""
        return not is_accepted(after(self.record, "strict"))

    @property
    def exact(self) -> bool:
        """Whether exactly what was meant has come out."""
        return came_right(self.record.final) is True

    @property
    def invented(self) -> int:
        """How many actions stand for nothing that was meant."""
        return (self.record.final and self.record.final.invented) or 0

    @property
    def silent(self) -> tuple[str, ...]:
        """What is wrong and raises no alarm, of what is counted."""
        return self.record.final.silent if self.counted and self.record.final else ()

    @property
    def unsaid(self) -> tuple[str, ...]:
        """What is missing where nothing says so, of what is counted."""
        return self.record.final.unsaid if self.counted and self.record.final else ()

    @property
    def milliseconds(self) -> float:
        """How long all phases took together."""
        return 1000 * sum(phase.seconds or 0.0 for phase in self.record.phases)


def judge_case(case: Case) -> Verdict:
    """Return what the pipeline makes of a case."""
    name, faults = case.dialect.name, case.mistakes
    blank = records.Record("", "", records.Case(name, " + ".join(faults)), _SIMULATED, "", "", 0)
    inputs = Given(Reply(case.text), expected=case.expected, faults=faults)
    return Verdict(case, judge(reading(case.dialect.format), inputs, blank, case.original or None))


def valid_case(document: Document, dialect: Dialect, endings: Endings = LINE_FEEDS) -> Case:
    """Return a case without mistakes."""
    text = write(document, dialect)
    expected = (Expected(a.type, a.path, (a.content,), a.dependencies) for a in document.actions)
    reply = endings.write(text)
    return Case(dialect, (), reply, tuple(endings.expect(text, expected)), reply, endings.name)


def damaged_case(
    document: Document, dialect: Dialect, mistakes: tuple[str, ...], rng: random.Random, endings: Endings = LINE_FEEDS
) -> Case | None:
    """Return a case with some mistakes; None if one of them declines."""
    draft = apply_mistakes(Draft.of(document, dialect), [REGISTRY[name] for name in mistakes], rng)
    if draft is None:
        return None
    text, expected = draft.text(), tuple(endings.expect(draft.text(), draft.expected))
    original = endings.write(write(document, dialect))
    return Case(dialect, mistakes, endings.write(text), expected, original, endings.name)


def cases(name: str, dialect: Dialect, n: int, seed: int | str, tries: int = 40) -> Iterator[Case]:
    """Yield up to n cases of one mistake, each third with other line endings; skip documents that cannot have it."""
    count = 0
    for number, document in enumerate(draw_documents(tries * n, f"{seed}/{name}", dialect)):
        if count == n or (number >= 200 and not count):
            return
        key = f"{seed}/{name}/{number}"
        case = damaged_case(document, dialect, (name,), random.Random(key), nth_endings(count, key))
        if case is not None and case.changed:
            count += 1
            yield case


def mixed_cases(dialect: Dialect, n: int, seed: int) -> Iterator[Case]:
    """Yield n cases of two to four mistakes together, of any kind, each third with other line endings."""
    names = [item.name for item in applicable(dialect)]
    rng = random.Random(f"{seed}/{dialect.root}/mixed")
    for number, document in enumerate(draw_documents(n, f"{seed}/mixed", dialect)):
        count, endings = rng.choice((2, 3, 4)), nth_endings(number, f"{seed}/mixed/{number}")
        for _ in range(200):
            if case := damaged_case(document, dialect, tuple(rng.sample(names, count)), rng, endings):
                yield case
                break


def prose_cases(dialect: Dialect, n: int, seed: int) -> Iterator[Case]:
    """Yield n replies without any action: prose that mentions paths and verbs, samples in fences."""
    for number in range(n):
        rng = random.Random(f"{seed}/{dialect.root}/prose/{number}")
        pool = phrases.PREAMBLES + 2 * phrases.PLANS + phrases.POSTAMBLES + phrases.SAMPLES + phrases.THINKING
        endings = nth_endings(number, f"{seed}/prose/{number}")
        text = endings.write("\n\n".join(rng.sample(pool, rng.randint(1, 5))))
        yield Case(dialect, ("prose-alone",), text, (), "", endings.name)
