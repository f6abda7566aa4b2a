"""Records made by really damaging documents and really reading them, for the tests of what is made of records."""

from __future__ import annotations

import json
import random
import time
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path

from symops_lark import ParseError, ProtocolError, parse, process, repair
from symops_lark.compliance.faults.dialects import load
from symops_lark.compliance.faults.documents import documents, write
from symops_lark.compliance.faults.mistakes import REGISTRY, Draft, Expected, damage, listed_for
from symops_lark.compliance.faults.mistakes.draft import Document
from symops_lark.compliance.fidelity import align, assess, is_flagged, is_right
from symops_lark.compliance.records import ActionOutcome, Case, PhaseOutcome, Provenance, Record, identify
from symops_lark.diagnostics import Diagnostic, Severity

MID = Provenance("simulated", (("profile", "mid"), ("seed", "1"), ("hash", "0badcafe")))


@cache
def make_records(formats: tuple[str, ...] = ("v1", "v2", "plain"), n: int = 14, rate: float = 0.45,
                 provenance: Provenance = MID) -> tuple[Record, ...]:  # fmt: skip
    """Give n records of each dialect, of which about `rate` have one mistake or more."""
    return tuple(
        _record(name, number, meant, rate, provenance)
        for name in formats
        for number, meant in enumerate(documents(n, "records", load(name)))
    )


def _record(name: str, number: int, meant: Document, rate: float, provenance: Provenance) -> Record:
    dialect = load(name)
    rng = random.Random(f"{name}/{number}/{rate}")
    draft, faults = Draft.of(meant, dialect), []
    while rng.random() < rate and len(faults) < 4:
        item = rng.choice(listed_for(dialect))
        trial = damage(meant, dialect, [REGISTRY[name] for name in [*faults, item.name]], random.Random(f"{number}"))
        if item.name not in faults and trial is not None:
            draft, faults = trial, [*faults, item.name]
    text, expected = draft.text(), tuple(draft.expected)
    phases, actions, codes = _read(text, name, expected)
    case = Case(name, f"document-{number:03}")
    clean = phases[-1].missing == 0 and phases[-1].changed == 0
    known = identify(case=asdict(case), text=text)
    return Record(
        key=known, request=known, case=case, provenance=provenance, fingerprint=identify(format=name),
        rules=identify(rules=name), seed=1, text=text, finish="stop", faults=tuple(faults), phases=phases,
        expected=tuple(json.loads(json.dumps(asdict(item))) for item in expected), actions=actions, codes=codes,
        cascade=not clean and phases[-1].missing + phases[-1].changed > 1 if len(faults) == 1 else None,
        collision=any(line in dialect.marks.delimiters for a in meant.actions for line in (a.content or "").split("\n")),
        harmless=text == write(meant, dialect) and repair(text, name).text == text if not faults else None,
        versions=(("python", "3.11.9"), ("symops-lark", "0.9")),
    )  # fmt: skip


def _read(text: str, name: str, expected: tuple[Expected, ...]
          ) -> tuple[tuple[PhaseOutcome, ...], tuple[ActionOutcome, ...], tuple[str, ...]]:  # fmt: skip
    began = time.perf_counter()
    found: tuple[Diagnostic, ...] = ()
    document, phase, confidence = None, "failed", 0.0
    try:
        document, phase, confidence = parse(text, name), "strict", 1.0
    except ParseError:
        try:
            result = process(text, name)
            document, phase, found, confidence = result.document, result.phase, result.diagnostics, result.confidence
        except ProtocolError:
            pass
    seconds = time.perf_counter() - began
    valid = document is not None and not any(item.severity is Severity.ERROR for item in found)
    order = {"strict": 0, "repaired": 1, "recovered": 2}.get(str(phase), 9) if valid else 9
    phases = []
    for at, title in enumerate(("generation", "repair", "recovery")):
        there = document if at >= order else None
        told = assess(expected, there, found)
        last = order if order < 3 else 2
        phases.append(PhaseOutcome(
            title, there is not None, str(told.state), told.exact, told.changed, told.contents, told.missing,
            told.invented, told.silent, confidence if there else None, seconds / (last + 1) if at <= last else None,
        ))  # fmt: skip
    if document is None or not valid:
        return tuple(phases), (), ()
    actions = tuple(
        ActionOutcome(got.confidence, is_flagged(got, found), is_right(meant, got))
        for meant, got in align(expected, document.actions) if got is not None
    )  # fmt: skip
    return tuple(phases), actions, tuple(sorted({item.code for item in found}))


def with_repetitions(records: tuple[Record, ...], times: int) -> list[Record]:
    """Give each record several times, as repetitions of its case."""
    return [
        replace(record, key=f"{record.key}/{again}", case=replace(record.case, repetition=again))
        for record in records for again in range(times)
    ]  # fmt: skip


def write_log(path: Path, records: list[Record] | tuple[Record, ...]) -> Path:
    """Write a run log: a header, then a record on each line."""
    rows = [{"run": "log", "version": 1}, *(record.to_dict() for record in records)]
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path
