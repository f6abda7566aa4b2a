"""The laws, on every text on file and on generated ones."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import Sample, alone, blocks, engine
from strategies import documents
from texts import DIALECTS, OnFile, any_text, damaged, groups_on_file, noted, texts_on_file

import symops_lark
from symops_lark import Action, Completeness, Document, ProtocolError, RenderError, Skipped, Source
from symops_lark.core.grammar.loading import load_grammar
from symops_lark.core.processor import SymOpsProcessor
from symops_lark.core.recovery.doubts.confidence import DOUBTED
from symops_lark.core.repairs.rule import CONTENT_VERBS
from symops_lark.core.text.diagnostics import Diagnostic

CONTENT_RULES = {rule.id for name in DIALECTS for rule in engine(name).rules if rule.verb in CONTENT_VERBS}
BLANKS = " \t\r"
BEFORE = "Sure! Here is what you asked for.\n\n"
BEHIND = "\n\nThat is all for now, let me know how it goes.\n"
Law = Callable[[Sample], None]
every_dialect = pytest.mark.parametrize("dialect", DIALECTS)


def rendered(document: Document, dialect: str) -> Sample:
    return Sample(symops_lark.render(document, dialect), dialect)


# ---- what laws are about


def any_sample(sample: Sample) -> bool:
    return True


def with_text(sample: Sample) -> bool:
    return bool(sample.text.strip("\ufeff\n" + BLANKS))


def valid(sample: Sample) -> bool:
    return sample.parsed is not None


def valid_with_actions(sample: Sample) -> bool:
    return sample.parsed is not None and bool(sample.parsed.actions)


def with_blocks(sample: Sample) -> bool:
    return bool(sample.blocks)


# ---- law 1: rendering and parsing


def is_rendered_and_parsed(sample: Sample) -> None:
    count = 0
    for dialect in DIALECTS:
        try:
            text = symops_lark.render(sample.valid, dialect)
        except RenderError:
            continue
        repeated_document = symops_lark.parse(text, dialect)
        assert repeated_document == sample.valid
        assert symops_lark.render(repeated_document, dialect) == text
        count += 1
    assert count, "no dialect can say what was parsed"


@every_dialect
@given(st.data())
def test_what_is_rendered_can_be_parsed(dialect: str, data: st.DataObject) -> None:
    document = data.draw(documents(dialect))
    assert rendered(document, dialect).parsed == document


# ---- law 2: strict is a subset of tolerant


def is_tolerated_if_strict(sample: Sample) -> None:
    assert sample.repaired.text == sample.text and not sample.repaired.repairs
    recovered = sample.recovered
    assert recovered == sample.valid and recovered.price == 0 and not recovered.diagnostics
    if sample.valid.sections:
        result = sample.result
        assert result.phase is symops_lark.Phase.STRICT
        assert result.document == sample.valid or result.repairs  # a fence around a whole content is taken off
        doubted = [action for action in result.document.actions if action.confidence < 1]
        doubted_reply = any(finding.code == "newlines-escaped" for finding in result.diagnostics)
        assert result.confidence == (DOUBTED if doubted or doubted_reply else 1.0)
        for action in doubted:
            assert action.completeness is Completeness.SUSPECT and action.confidence == DOUBTED
            assert any(finding.span == action.span for finding in result.diagnostics)


@every_dialect
@given(st.data())
def test_strict_is_a_subset_of_tolerant_when_generated(dialect: str, data: st.DataObject) -> None:
    is_tolerated_if_strict(rendered(data.draw(documents(dialect)), dialect))


def has_no_faulty_neighbour(sample: Sample) -> None:
    """A sentence in front of a valid text, or behind it, must not change what its actions say."""
    check_neighbours(sample, exact=True)


def check_neighbours(sample: Sample, *, exact: bool) -> None:
    """`exact` or not, no action may be wrong while nothing shows it: high confidence, complete, no finding on it."""
    document, text = sample.valid, sample.text
    exact = exact and not {"missing-content", "unknown-verb"} & {
        finding.code for finding in symops_lark.validate(document)
    }
    exact = exact and all(
        single_action.completeness is Completeness.COMPLETE for single_action in sample.document.actions
    )
    for around in (BEFORE + text.removeprefix("\ufeff"), text.removesuffix("\n") + BEHIND):
        result = symops_lark.process(around, sample.dialect)
        if exact and not CONTENT_RULES & {repair.rule for repair in result.repairs}:
            assert result.document.actions == document.actions
        for action in result.document.actions:
            match = any(finding.span.overlaps(action.span) for finding in result.diagnostics)
            sure = action.confidence >= 0.9 and action.completeness is Completeness.COMPLETE and not match
            assert action in document.actions or not sure


@every_dialect
@given(st.data())
def test_a_fault_makes_nothing_silently_wrong(dialect: str, data: st.DataObject) -> None:
    document = data.draw(documents(dialect).filter(lambda drawn: bool(drawn.actions)))
    check_neighbours(rendered(document, dialect), exact=False)


# ---- law 3: rules are idempotent, and content survives


def is_repaired_once(sample: Sample) -> None:
    repaired, dialect = sample.repaired, sample.dialect
    repeated_repaired = symops_lark.repair(repaired.text, dialect)
    assert repeated_repaired.text == repaired.text, [repair.rule for repair in repeated_repaired.repairs]
    for rule in {repair.rule for repair in repaired.repairs}:
        once = alone(dialect, rule).repair(sample.text).text
        assert alone(dialect, rule).repair(once).text == once, rule


@every_dialect
@given(st.data())
def test_rules_are_idempotent_on_damaged_texts(dialect: str, data: st.DataObject) -> None:
    is_repaired_once(Sample(data.draw(damaged(dialect)), dialect))


def keeps_its_contents(sample: Sample) -> None:
    text, dialect = sample.text, sample.dialect
    for rule in engine(dialect).rules:
        if rule.touches == "everything":  # contents are read as such a rule leaves them
            text = alone(dialect, rule.id).repair(text).text
    repaired = engine(dialect).repair(text)
    spared = [repair for repair in repaired.repairs if repair.rule in CONTENT_RULES]
    for span in blocks(text, dialect):
        touched = any(repair.before.overlaps(span) for repair in spared)
        assert touched or text[span.start : span.end] in repaired.text


@every_dialect
@given(st.data())
def test_content_survives_damage(dialect: str, data: st.DataObject) -> None:
    keeps_its_contents(Sample(data.draw(damaged(dialect)), dialect))


# ---- law 4: recovery never raises and never loses text


def check_tiling(text: str, document: Document, findings: tuple[Diagnostic, ...] = ()) -> None:
    """Every line that is not blank lies in a section or, where findings are given, in one of them."""
    spans = sorted((section.span for section in document.sections), key=lambda span: span.start)
    for left, right in itertools.pairwise(spans):
        nested = right.end <= left.end  # text between an action line and its block, a doubled delimiter
        assert left.end <= right.start or nested, "sections overlap"
    covered = bytearray(len(text))
    for span in [*spans, *(finding.span for finding in findings)]:
        covered[span.start : span.end] = b"\1" * (span.end - span.start)
    start = 1 if text.startswith("\ufeff") else 0
    for line in text[start:].split("\n"):
        bare = line.rstrip(BLANKS) if line.strip() else ""  # white space of any kind is a blank line
        first = start + len(bare) - len(bare.lstrip(BLANKS))
        assert all(covered[first : start + len(bare)]), f"lost: {line!r}"
        start += len(line) + 1


def is_never_lost(sample: Sample) -> None:
    check_tiling(sample.text, sample.recovered)
    check_tiling(sample.text, sample.document, sample.findings)


@pytest.mark.slow
@every_dialect
@given(st.data())
def test_nothing_is_lost_and_nothing_crashes(dialect: str, data: st.DataObject) -> None:
    is_never_lost(Sample(data.draw(any_text(dialect)), dialect))


@every_dialect
@given(st.data())
def test_every_result_can_be_shown(dialect: str, data: st.DataObject) -> None:
    sample = Sample(data.draw(any_text(dialect)), dialect)
    if not isinstance(sample.processed, ProtocolError):
        result = sample.result
        assert 0.0 < result.confidence <= 1.0 and result.to_dict()["phase"] == str(result.phase)
    for finding in sample.findings:
        assert finding.draw(Source(sample.text)) and Diagnostic.from_dict(finding.to_dict()) == finding
    assert Document.from_dict(sample.document.to_dict()) == sample.document


# ---- law 6: spans slice back to their own text


def check_spans(text: str, document: Document, *, exact: bool) -> None:
    source = Source(text)
    for section in document.sections:
        span = section.span
        assert 0 <= span.start <= span.end <= len(text)
        assert span == source.span(span.start, span.end)
        assert span.line == text.count("\n", 0, span.start) + 1
        if isinstance(section, Skipped):
            assert section.text == text[span.start : span.end]
        if isinstance(section, Action) and section.content_span is not None:
            place = section.content_span
            assert span.start <= place.start <= place.end <= max(span.end, place.start)
            assert place.start <= span.end or not section.content
            if exact:
                assert section.content == text[place.start : place.end]
        if isinstance(section, Action) and exact:
            head = text[span.start : section.content_span.start if section.content_span else span.end]
            split = load_grammar(document.dialect).forms & {"attributes", "lines"}  # the path has a line of its own
            assert section.path in (head if split else head.split("\n")[0])


def can_be_sliced(sample: Sample) -> None:
    exact = sample.parsed is not None
    document = sample.valid if exact else sample.recovered
    assert document.sections, "a text without sections"
    check_spans(sample.text, document, exact=exact)


def can_be_sliced_after_repair(sample: Sample) -> None:
    assert sample.document.sections, "a text without sections"
    check_spans(sample.text, sample.document, exact=False)
    if isinstance(sample.processed, ProtocolError):
        return
    repairs = sample.result.repairs
    for section in sample.document.sections:
        if isinstance(section, Action) and section.content_span is not None and section.content is not None:
            place = section.content_span
            touched = any(repair.before.overlaps(place) for repair in repairs)
            assert touched or section.content == sample.text[place.start : place.end]


@every_dialect
@given(st.data())
def test_spans_slice_back_when_damaged(dialect: str, data: st.DataObject) -> None:
    text = data.draw(damaged(dialect).filter(lambda drawn: with_text(Sample(drawn, dialect))))
    can_be_sliced_after_repair(Sample(text, dialect))


@every_dialect
def test_spans_slice_back_when_all_is_indented(dialect: str) -> None:
    count = 0
    for _, of, text in texts_on_file():
        if of == dialect and with_text(Sample(text, dialect)):
            indented = "  " + text.replace("\n", "\n  ")
            check_spans(indented, Sample(indented, dialect).document, exact=False)
            count += 1
    assert count >= 10


# ---- all of them on all texts on file

LAWS: dict[
    Law, tuple[Callable[[Sample], bool], int]
] = {  # the texts that a law is about, and how many there are at least
    is_rendered_and_parsed: (valid, 280),
    is_tolerated_if_strict: (valid, 280),
    has_no_faulty_neighbour: (valid_with_actions, 220),
    is_repaired_once: (any_sample, 930),
    keeps_its_contents: (with_blocks, 480),
    is_never_lost: (any_sample, 930),
    can_be_sliced: (with_text, 930),
    can_be_sliced_after_repair: (with_text, 930),
}


@cache
def on_file(text: str, dialect: str) -> Sample:
    """Return the sample of a text on file, the same for all tests."""
    return Sample(text, dialect)


@pytest.mark.alike(6)
@groups_on_file()
def test_the_laws_hold(texts: tuple[OnFile, ...]) -> None:
    for name, dialect, text in texts:
        sample = on_file(text, dialect)
        laws = [law for law, (is_about, _) in LAWS.items() if is_about(sample)]
        assert is_repaired_once in laws
        for law in laws:
            with noted(name, dialect):
                law(sample)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_a_law_has_enough_to_hold_on(law: Law) -> None:
    is_about, at_least = LAWS[law]
    assert sum(is_about(on_file(text, dialect)) for _, dialect, text in texts_on_file()) >= at_least


@every_dialect
def test_no_text_changes_what_comes_of_another(dialect: str) -> None:
    """Read in another order by a processor of their own, the texts give the same results."""
    samples = [on_file(text, name) for _, name, text in texts_on_file() if name == dialect]
    answers = [(sample.processed, sample.document.to_dict(), sample.findings) for sample in samples]
    processor = SymOpsProcessor(dialect)
    for sample, (processed, document, findings) in reversed([*zip(samples, answers, strict=True)]):
        assert sample.document.to_dict() == document, "what was given was changed"
        try:
            repeated_any: Any = processor.process(sample.text)
        except ProtocolError as error:
            repeated_any = error
        assert type(repeated_any) is type(processed)
        assert (repeated_any.document.to_dict(), repeated_any.diagnostics) == (document, findings)


# ---- faults that were cured


def test_a_repair_costs_only_its_own_section() -> None:
    result = symops_lark.process("::run @ls\n>>tight\n", "v2")
    assert result.document.actions[0].confidence == 0.95


def test_nothing_is_said_twice() -> None:
    result = symops_lark.process("::create @a.py\n<<<\ndef f():\n>>>\n    return 1\n>>>\n", "v2")
    rows = [(finding.code, finding.span) for finding in result.diagnostics]
    assert len(rows) == len(set(rows))


@pytest.mark.parametrize("text", ["::run @pytest -q tes", "::delete @src/conf", "::create @src/conf"])
def test_a_head_that_is_cut_off_is_not_complete(text: str) -> None:
    result = symops_lark.process(text, "v2", cut_off=True)
    assert result.document.actions[0].completeness is Completeness.TRUNCATED


def test_every_document_is_json() -> None:
    assert "vitals" in json.dumps(symops_lark.parse(f"::c{'9' * 400}\n").to_dict(), allow_nan=False)
