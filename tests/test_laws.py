"""The laws, on every text on file and on generated ones (house.md, "Laws")."""

from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from known_faults import KNOWN_FAULTS
from strategies import documents
from texts import DIALECTS, any_text, damaged, texts_on_file

import symops_lark
from symops_lark import Action, Completeness, Document, ParseError, ProtocolError, RenderError, Skipped, Source, Span
from symops_lark.diagnostics import Diagnostic
from symops_lark.grammar.loading import load_grammar
from symops_lark.pipeline import SymOpsProcessor
from symops_lark.recovery.outline import group_parts, read_outline
from symops_lark.repairs import RepairEngine
from symops_lark.repairs.rule import CONTENT_VERBS

ENGINES = {name: SymOpsProcessor(name).engine(name) for name in DIALECTS}
ALONE = {(name, rule.id): RepairEngine(name, (rule,)) for name in DIALECTS for rule in ENGINES[name].rules}
CONTENT_RULES = {rule.id for engine in ENGINES.values() for rule in engine.rules if rule.verb in CONTENT_VERBS}
BLANKS = " \t\r"


def on_file(law: str) -> pytest.MarkDecorator:
    """Run a test on every text on file; faults of the library that are known must show (see known_faults.py)."""
    known = KNOWN_FAULTS.get(law, frozenset())
    wanted = pytest.mark.xfail(strict=True, reason="a known fault")
    found = [(f"{name}-{dialect}", text, dialect) for name, dialect, text in texts_on_file()]
    assert known <= {name for name, _, _ in found}
    rows = [
        pytest.param(text, dialect, id=name, marks=[wanted] if name in known else []) for name, text, dialect in found
    ]
    return pytest.mark.parametrize(("text", "dialect"), rows)


def parsed(text: str, dialect: str) -> Document | None:
    """Give the strict document, or None."""
    try:
        return symops_lark.parse(text, dialect)
    except ParseError:
        return None


# ---- law 1: rendering and parsing


def check_rendering(document: Document, dialect: str) -> None:
    try:
        text = symops_lark.render(document, dialect)
    except RenderError:
        return
    again = symops_lark.parse(text, dialect)
    assert again == document
    assert symops_lark.render(again, dialect) == text


@on_file("rendering")
def test_what_is_parsed_can_be_rendered(text: str, dialect: str) -> None:
    document = parsed(text, dialect)
    if document is not None:
        for other in DIALECTS:
            check_rendering(document, other)


@pytest.mark.parametrize("dialect", DIALECTS)
@given(st.data())
def test_what_is_rendered_can_be_parsed(dialect: str, data: st.DataObject) -> None:
    document = data.draw(documents(dialect))
    assert symops_lark.parse(symops_lark.render(document, dialect), dialect) == document


# ---- law 2: strict is a subset of tolerant


def check_strict_is_tolerated(text: str, dialect: str) -> None:
    document = parsed(text, dialect)
    if document is None:
        return
    repaired = symops_lark.repair(text, dialect)
    assert repaired.text == text and not repaired.repairs
    recovered = symops_lark.recover(text, dialect)
    assert recovered == document and recovered.price == 0 and not recovered.diagnostics
    if document.sections:
        result = symops_lark.process(text, dialect)
        assert result.phase is symops_lark.Phase.STRICT and result.document == document and result.confidence == 1.0


@on_file("strict")
def test_strict_is_a_subset_of_tolerant(text: str, dialect: str) -> None:
    check_strict_is_tolerated(text, dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
@given(st.data())
def test_strict_is_a_subset_of_tolerant_when_generated(dialect: str, data: st.DataObject) -> None:
    check_strict_is_tolerated(symops_lark.render(data.draw(documents(dialect)), dialect), dialect)


BEFORE = "Sure! Here is what you asked for.\n\n"
BEHIND = "\n\nThat is all for now, let me know how it goes.\n"


def check_neighbours(text: str, dialect: str, *, exact: bool) -> None:
    """A sentence in front of a valid text, or behind it, must not change what its actions say.

    `exact` or not, no action may be wrong while nothing shows it: high confidence, complete, no finding on it.
    """
    document = parsed(text, dialect)
    if document is None or not document.actions:
        return
    exact = exact and not {"missing-content", "unknown-verb"} & {
        finding.code for finding in symops_lark.validate(document)
    }
    for around in (BEFORE + text.removeprefix("\ufeff"), text.removesuffix("\n") + BEHIND):
        result = symops_lark.process(around, dialect)
        if exact and not CONTENT_RULES & {repair.rule for repair in result.repairs}:
            assert result.document.actions == document.actions
        for action in result.document.actions:
            found = any(finding.span.overlaps(action.span) for finding in result.diagnostics)
            sure = action.confidence >= 0.9 and action.completeness is Completeness.COMPLETE and not found
            assert action in document.actions or not sure


@on_file("neighbours")
def test_a_fault_costs_no_neighbour(text: str, dialect: str) -> None:
    check_neighbours(text, dialect, exact=True)


@pytest.mark.parametrize("dialect", DIALECTS)
@given(st.data())
def test_a_fault_makes_nothing_silently_wrong(dialect: str, data: st.DataObject) -> None:
    text = symops_lark.render(data.draw(documents(dialect)), dialect)
    check_neighbours(text, dialect, exact=False)


# ---- law 3: rules are idempotent, and content survives


def check_idempotence(text: str, dialect: str) -> None:
    repaired = symops_lark.repair(text, dialect)
    again = symops_lark.repair(repaired.text, dialect)
    assert again.text == repaired.text, [repair.rule for repair in again.repairs]
    for rule in {repair.rule for repair in repaired.repairs}:
        once = ALONE[dialect, rule].repair(text).text
        assert ALONE[dialect, rule].repair(once).text == once, rule


@on_file("idempotence")
def test_rules_are_idempotent(text: str, dialect: str) -> None:
    check_idempotence(text, dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
@given(st.data())
def test_rules_are_idempotent_on_damaged_texts(dialect: str, data: st.DataObject) -> None:
    check_idempotence(data.draw(damaged(dialect)), dialect)


def check_content_survives(text: str, dialect: str) -> None:
    engine = ENGINES[dialect]
    outline = read_outline(text, engine.dialect, engine.repairer)
    repaired = engine.repair(text)
    if any(rule.touches == "everything" for rule in engine.rules if rule.id in {r.rule for r in repaired.repairs}):
        return  # the text was another one when it was read
    spared = [repair for repair in repaired.repairs if repair.rule in CONTENT_RULES]
    for group in group_parts(outline):
        if group.role == "head" and group.opener and group.closer and group.body:
            span = Span(group.body[0].line.start, group.body[-1].line.end)
            if not any(repair.before.overlaps(span) for repair in spared):
                assert text[span.start : span.end] in repaired.text


@on_file("content")
def test_content_survives(text: str, dialect: str) -> None:
    check_content_survives(text, dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
@given(st.data())
def test_content_survives_damage(dialect: str, data: st.DataObject) -> None:
    check_content_survives(data.draw(damaged(dialect)), dialect)


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
        bare = line.rstrip(BLANKS)
        first = start + len(bare) - len(bare.lstrip(BLANKS))
        assert all(covered[first : start + len(bare)]), f"lost: {line!r}"
        start += len(line) + 1


@on_file("tiling")
def test_nothing_is_lost(text: str, dialect: str) -> None:
    check_tiling(text, symops_lark.recover(text, dialect))
    try:
        result = symops_lark.process(text, dialect)
    except ProtocolError as error:
        check_tiling(text, error.document, error.diagnostics)
    else:
        check_tiling(text, result.document, result.diagnostics)


@pytest.mark.parametrize("dialect", DIALECTS)
@given(st.data())
def test_nothing_is_lost_and_nothing_crashes(dialect: str, data: st.DataObject) -> None:
    test_nothing_is_lost(data.draw(any_text(dialect)), dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
@given(st.data())
def test_every_result_can_be_shown(dialect: str, data: st.DataObject) -> None:
    text = data.draw(any_text(dialect))
    try:
        result = symops_lark.process(text, dialect)
    except ProtocolError as error:
        findings, document = error.diagnostics, error.document
    else:
        findings, document = result.diagnostics, result.document
        assert 0.0 < result.confidence <= 1.0 and result.to_dict()["phase"] == str(result.phase)
    for finding in findings:
        assert finding.draw(Source(text)) and Diagnostic.from_dict(finding.to_dict()) == finding
    assert Document.from_dict(document.to_dict()) == document


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
            if exact:
                assert section.content == text[place.start : place.end]
        if isinstance(section, Action) and exact:
            head = text[span.start : section.content_span.start if section.content_span else span.end]
            split = load_grammar(document.dialect).forms & {"attributes", "lines"}  # the path has a line of its own
            assert section.path in (head if split else head.split("\n")[0])


@on_file("spans")
def test_spans_slice_back(text: str, dialect: str) -> None:
    document = parsed(text, dialect)
    if document is not None:
        check_spans(text, document, exact=True)
    else:
        check_spans(text, symops_lark.recover(text, dialect), exact=False)


def check_repaired_spans(text: str, dialect: str) -> None:
    try:
        result = symops_lark.process(text, dialect)
    except ProtocolError:
        return
    check_spans(text, result.document, exact=False)
    for section in result.document.sections:
        if isinstance(section, Action) and section.content_span is not None and section.content is not None:
            place = section.content_span
            touched = any(repair.before.overlaps(place) for repair in result.repairs)
            if not touched:
                assert section.content == text[place.start : place.end]


@on_file("repaired-spans")
def test_spans_slice_back_after_repair(text: str, dialect: str) -> None:
    check_repaired_spans(text, dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
@given(st.data())
def test_spans_slice_back_when_damaged(dialect: str, data: st.DataObject) -> None:
    check_repaired_spans(data.draw(damaged(dialect)), dialect)


# ---- judging is pure


@on_file("pure")
def test_judging_is_pure(text: str, dialect: str) -> None:
    """The same text gives the same result, whatever was processed before."""
    recovered = symops_lark.recover(text, dialect)
    before = recovered.to_dict()
    assert symops_lark.validate(recovered) == symops_lark.validate(recovered)
    assert recovered.to_dict() == before
    assert symops_lark.recover(text, dialect) == recovered
    assert symops_lark.repair(text, dialect) == symops_lark.repair(text, dialect)


# ---- faults that wait for a cure


def test_a_repair_costs_only_its_own_section() -> None:
    result = symops_lark.process("::run @ls\n>>tight\n", "v2")
    assert result.document.actions[0].confidence == 0.95


def test_nothing_is_said_twice() -> None:
    result = symops_lark.process("::create @a.py\n<<<\ndef f():\n>>>\n    return 1\n>>>\n", "v2")
    said = [(finding.code, finding.span) for finding in result.diagnostics]
    assert len(said) == len(set(said))


@pytest.mark.parametrize("text", ["::run @pytest -q tes", "::delete @src/conf", "::create @src/conf"])
def test_a_head_that_is_cut_off_is_not_complete(text: str) -> None:
    result = symops_lark.process(text, "v2", cut_off=True)
    assert result.document.actions[0].completeness is Completeness.TRUNCATED


def test_every_document_is_json() -> None:
    json.dumps(symops_lark.parse(f"::c{'9' * 400}\n").to_dict(), allow_nan=False)
