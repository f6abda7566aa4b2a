"""The proofs of what the benchmark is made of: mistakes of the fault model, measures, sources and formats."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from compliance_records import make_record, run_for_real
from compliance_runs import TASKS, V2
from model_server import model_server
from registries import NotProvedError, Registry, in_place_of

from symops_lark.core.document import Action, Document, Thought
from symops_lark.core.grammar.loading import dialects
from symops_lark.core.ground.errors import SymOpsError
from symops_lark.core.replies.messages import Finish, Reply
from symops_lark.lab.benchmark.faults.dialects import load
from symops_lark.lab.benchmark.faults.documents import draw_documents
from symops_lark.lab.benchmark.faults.mistakes import REGISTRY, Draft, Mistake, applicable, apply_mistakes
from symops_lark.lab.benchmark.fidelity import State, assess
from symops_lark.lab.benchmark.figures import Figure, Measure
from symops_lark.lab.benchmark.formats import Format, known_formats, load_format
from symops_lark.lab.benchmark.measures import MEASURES as ALL_MEASURES
from symops_lark.lab.benchmark.measures import describe
from symops_lark.lab.benchmark.records import ActionOutcome, Provenance, Record
from symops_lark.lab.benchmark.runner import run
from symops_lark.lab.benchmark.settings import RunSettings
from symops_lark.lab.benchmark.sources import Source, known_sources
from symops_lark.lab.benchmark.sources.local_model import find_weights

# ---- mistakes of the fault model


@cache
def _drafts(dialect: str) -> tuple[Draft, ...]:
    return tuple(Draft.of(document, load(dialect)) for document in draw_documents(40, "registries", load(dialect)))


def _make(name: str, item: Mistake) -> tuple[str, str]:
    """Return the first reply in which the mistake can be made, and what it becomes."""
    for dialect in ("v2", "v1", "plain"):
        with in_place_of(REGISTRY, name, item):
            if item.name not in {element.name for element in applicable(load(dialect))}:
                continue
            for number, draft in enumerate(_drafts(dialect)):
                text = draft.text()
                mistakes = apply_mistakes(draft, [item], random.Random(f"{name}/{number}"))
                assert draft.text() == text, "the reply that it was to be made in a copy of is changed"
                if mistakes is not None:
                    repeated_mistakes = apply_mistakes(draft, [item], random.Random(f"{name}/{number}"))
                    assert repeated_mistakes is not None and repeated_mistakes.text() == mistakes.text(), (
                        "the same seed makes another mistake"
                    )
                    return text, mistakes.text()
    raise AssertionError("the mistake can be made in no reply")


def _prove_mistake(name: str, item: Mistake, folder: Path) -> None:
    """It is made in some reply, which is then another text, and the reply that it was made in stays as it was."""
    before, created = _make(name, item)
    assert created != before
    assert item.summary.endswith(".")


def _idle_mistake(item: Mistake) -> Mistake:
    return replace(item, apply=lambda draft, rng: None)


MISTAKES = Registry("mistakes of the fault model", REGISTRY, _idle_mistake, _prove_mistake)

# ---- measures

_LOST = ("no-answer",) * 3
_LIVE = Provenance("live", (("model", "a-model"),))


@cache
def _records() -> tuple[tuple[Record, ...], ...]:
    """Return records of real simulated runs, and of a model, with all that can be known of a reply."""
    records = [
        make_record(
            task=f"task {number}",
            states=states,
            provenance=_LIVE,
            harmless=number != 1,
            collision=number == 2,
            cascade=number == 1,
            attempts=1 + number % 2,
            usage=(100, 20),
            faults=("one", "two")[: number % 3],
            writing=1.0,
            actions=(ActionOutcome(0.9, False, number != 1),),
        )
        for number, states in enumerate(
            (("right",) * 4, (*_LOST, "no-answer"), ("no-answer", "partial", "partial", "partial"), (*_LOST, "right"))
        )
    ]
    return run_for_real("weak"), tuple(records)


def check_sound(figures: Sequence[Figure], records: Sequence[Record]) -> None:
    """Check the laws of figures: a value has its n, and a share lies in its interval; what has none says why."""
    assert len({(f.format, f.part, f.name) for f in figures}) == len(figures), "a figure is there twice"
    for figure in figures:
        assert (figure.value is None) == bool(figure.why) == (figure.n == 0), figure
        if figure.unit == "share" and figure.value is not None:
            assert figure.k is not None and figure.value == figure.k / figure.n
            assert 1 <= figure.tasks <= len(records), figure
            assert figure.low is not None and figure.high is not None
            assert 0 <= figure.low <= figure.value <= figure.high <= 1


def _prove_measure(name: str, measure: Measure, folder: Path) -> None:
    """It measures records of some kind, soundly; of more records it says something else, of none it says nothing."""
    title, text = describe(measure)
    assert title and len(text) > 40
    measured = False
    for records in _records():
        figures = list(measure(records))
        check_sound(figures, records)
        if any(figure.value is not None for figure in figures):
            changed_texts = [
                replace(record, case=replace(record.case, task=f"other {record.case.task}")) for record in records
            ]
            assert list(measure([*records, *changed_texts])) != figures, "it does not look at its records"
            measured = True
    assert measured, "it measures nothing"
    assert not [figure for figure in measure([]) if figure.value is not None]


def _idle_measure(measure: Measure) -> Measure:
    def figures(records: Sequence[Record]) -> Iterator[Figure]:
        yield from ()

    figures.__doc__ = measure.__doc__
    return figures


MEASURES = Registry("measures", ALL_MEASURES, _idle_measure, _prove_measure)

# ---- sources of replies

Make = Callable[[RunSettings], Source]


def _run_live(folder: Path) -> list[Record]:
    with model_server([V2] * 4) as server:
        options = (("base_url", server.url), ("model", "a-model"), ("provider", "vllm"))
        return run(RunSettings(("v2",), source="live", options=options), folder / "run.jsonl", tasks=TASKS[:1])


def _run_local(folder: Path) -> list[Record]:
    try:
        find_weights()
    except SymOpsError as error:
        raise NotProvedError(str(error)) from None
    settings = RunSettings(("aider-whole",), source="local-model", max_tokens=2)
    return run(settings, folder / "run.jsonl", tasks=TASKS[:1])


def _run_transcripts(folder: Path) -> list[Record]:
    (folder / "replies").mkdir()
    (folder / "replies" / "one.txt").write_text(V2, encoding="utf-8")
    settings = RunSettings(source="transcripts", options=(("path", str(folder / "replies")),))
    return run(settings, folder / "run.jsonl", tasks=TASKS[:1])


def _run_faults(folder: Path) -> list[Record]:
    return run(RunSettings(("v2",), source="faults"), folder / "run.jsonl", tasks=TASKS[:1])


_RUNS = {"faults": _run_faults, "live": _run_live, "local-model": _run_local, "transcripts": _run_transcripts}


def _prove_source(name: str, make: Make, folder: Path) -> None:
    """A run over the source has a reply that was read, and says where it is from."""
    assert name in _RUNS, "say in tests/support/proofs_of_lab.py how the source is run"
    with in_place_of(known_sources(), name, make):
        try:
            records = _RUNS[name](folder)
        except SymOpsError as error:
            raise AssertionError(str(error)) from None
    assert records and all(record.text and record.phases and not record.error for record in records)
    assert all(str(record.provenance) for record in records)
    if name != "local-model":  # which says what it likes
        assert any(phase.accepted for record in records for phase in record.phases)


class _IdleSource:
    """A source without a reply."""

    def __init__(self, source: Source) -> None:
        self.provenance = source.provenance

    def cases(self, *_: Any) -> Iterator[Any]:
        yield from ()


def _idle_source(make: Make) -> Any:
    return lambda settings: _IdleSource(make(settings))


SOURCES = Registry("sources", known_sources(), _idle_source, _prove_source, slow=("local-model",))

# ---- formats

TWO_FILES = Document(
    (
        Thought("A module and its test."),
        Action("create", "src/a.py", 'def a():\n    return "a\\n"\n\n\nprint(a())'),
        Action("create", "tests/test_a.py", "from src.a import a\n\nassert a()"),
    )
)
Load = Callable[[], Format]


def _prove_format(name: str, make: Load, folder: Path) -> None:
    """It teaches, writes a document, reads what it wrote, and refuses what is no reply in it."""
    try:
        format = make()
    except SymOpsError as error:
        raise NotProvedError(str(error)) from None
    assert format.fingerprint and format.phases and format.refuse(TWO_FILES) == ""
    assert any("Write it." in message.content for message in format.teach("Write it."))
    text = format.write(TWO_FILES)
    attempts = list(format.read(Reply(text, Finish.STOP)))
    assert attempts and attempts[0].phase == "strict" and attempts[0].accepted
    usual = {item.code for item in attempts[0].diagnostics}
    state = assess(format.draft(TWO_FILES).expected, attempts[0].document, attempts[0].diagnostics, usual).state
    assert state is State.RIGHT
    assert format.harms(text) == ""
    assert format.draft(TWO_FILES).text() == text or name in dialects()


class _IdleFormat:
    """A format that neither writes nor reads."""

    def __init__(self, format: Format) -> None:
        self._format = format

    def __getattr__(self, name: str) -> Any:
        return getattr(self._format, name)

    def write(self, document: Document) -> str:
        return ""

    def read(self, *_: Any) -> Iterator[Any]:
        yield from ()


def _idle_format(make: Load) -> Any:
    return lambda: _IdleFormat(make())


def _loader(name: str) -> Load:
    return lambda: load_format(name)


FORMATS = Registry("formats", {name: _loader(name) for name in known_formats()}, _idle_format, _prove_format)
