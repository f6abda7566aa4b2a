"""Nothing is left out of a document, and nothing is priced, without a finding that says so.

On every text on file, on replies that the fault model has damaged, and on drawn ones, in all dialects.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import Sample, engine
from streams import cuts, stream
from texts import DIALECTS, OnFile, any_text, groups_on_file, noted

import symops_lark
from benchmarks.recovery.cases import cases
from symops_lark import Diagnostic, Document, ProtocolError, Severity, Skipped, Span
from symops_lark.core.grammar.mistakes import MISTAKE, load_mistakes
from symops_lark.core.recovery.fenced_files import extract_fences
from symops_lark.core.recovery.outline.outline import Outline
from symops_lark.core.recovery.reading import read_outline
from symops_lark.core.streaming import Noticed
from symops_lark.core.text.source import LineEndings
from symops_lark.lab.benchmark.faults.dialects import load
from symops_lark.lab.benchmark.faults.mistakes import applicable

# Text that stands outside of all sections: a note is enough, for no section can be meant by it.
# For what is only thought, too.
PROSE = frozenset(("prose", "stray-text", "outside-layout", "outside-fences", "thought"))
# What is said of a whole section, or of a whole reading: no line stands for it.
OF_SECTIONS = frozenset(
    (
        *(
            "early-close",
            "unclosed-block",
            "draft-action",
            "lost-action",
            "unreadable-section",
            "earley-limit",
            "prose",
        ),
        *("nested-section", "text-behind-closer"),
        *("invented-turn", "other-speaker", "behind-the-end", "thought", "not-asked"),
    )
)


# ---- the laws, of one text


def check_skipped(document: Document, findings: Sequence[Diagnostic], *, refused: bool = False) -> None:
    """A finding lies on each skipped section; it is an alarm, unless this is prose or the whole reply is refused."""
    for skipped in document.skipped:
        over = [finding for finding in findings if finding.span.overlaps(skipped.span)]
        assert over, f"nothing says that this is left out: {skipped.text!r} ({skipped.code})"
        if not refused and skipped.code not in PROSE:
            alarms = [finding for finding in over if finding.severity is not Severity.NOTE]
            assert alarms, f"nothing warns that this is left out: {skipped.text!r} ({skipped.code})"


def check_priced(sample: Sample) -> None:
    """Each mistake that the reading assumes has a finding of its name, which lies on the line of the mistake."""
    dialect, endings = engine(sample.dialect).dialect, LineEndings(sample.text)
    recovered = sample.recovered
    assert recovered.price < MISTAKE or recovered.diagnostics, f"price {recovered.price}, and no finding"
    if sample.parsed is not None or recovered.dialect != dialect.name:
        return
    if any(skipped.code == "thought" for skipped in recovered.skipped):
        return  # the reply was read without its thinking, so not these lines
    prices = load_mistakes(dialect)
    outline = read_outline(endings.plain, dialect, engine(sample.dialect).repairer)
    assumed = [(code, span) for code, span in _assumed(outline) if prices[code].price >= MISTAKE]
    diagnostics = [finding for finding in recovered.diagnostics if finding.code not in OF_SECTIONS]
    counts = Counter(code for code, _ in assumed if code not in OF_SECTIONS)
    assert counts == Counter(finding.code for finding in diagnostics)
    for code, (start, stop) in assumed:
        place = Span(endings.to_text(start), endings.to_text(stop))
        assert any(finding.code == code and finding.span.overlaps(place) for finding in recovered.diagnostics), code


def _assumed(outline: Outline) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield the mistakes of a reading, each with the place of its line; what is missing before one has all above it."""
    for part in outline.parts:
        for code in part.step.mistakes:
            yield code, (part.line.start, part.line.stop)
        for code in part.step.before:
            yield code, (0, part.line.stop)
    for code in outline.at_end:
        yield code, (0, len(outline.text))


def check_stream(sample: Sample) -> None:
    """A stream ends with what the whole text gives, and says on its way nothing of losses that this does not."""
    *_, pieces = cuts(sample.text)
    events, closed = stream(pieces, sample.dialect)
    answer = closed.error if closed.result is None else closed.result
    assert answer is not None and type(answer) is type(sample.processed)
    assert answer.document.to_dict() == sample.document.to_dict()
    assert answer.diagnostics == sample.findings
    for event in events:
        if isinstance(event, Noticed) and event.diagnostic.code == "unreadable-section":
            place = event.diagnostic.span
            created = [section.span for section in sample.document.sections if not isinstance(section, Skipped)]
            spans = [*created, *(finding.span for finding in sample.findings)]
            assert any(span.overlaps(place) for span in spans), sample.text[place.start : place.end]


def check(sample: Sample) -> None:
    """All laws of one text."""
    check_skipped(sample.recovered, sample.recovered.diagnostics)
    check_skipped(sample.document, sample.findings, refused=isinstance(sample.processed, ProtocolError))
    check_priced(sample)
    check_stream(sample)


@groups_on_file()
def test_texts_on_file(texts: tuple[OnFile, ...]) -> None:
    for name, dialect, text in texts:
        with noted(name, dialect):
            check(Sample(text, dialect))


@pytest.mark.slow
@pytest.mark.alike(3)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_damaged_replies(dialect: str) -> None:
    count = 0
    for mistake in applicable(load(dialect)):
        for case in cases(mistake.name, load(dialect), 1, "findings"):
            with noted(mistake.name, dialect):
                check(Sample(case.text, dialect))
            count += 1
    assert count >= 100


@pytest.mark.parametrize("dialect", DIALECTS)
@given(st.data())
def test_drawn_texts(dialect: str, data: st.DataObject) -> None:
    check(Sample(data.draw(any_text(dialect)), dialect))


# ---- what was silent once


UNREADABLE = ">> one\n::create\n  @deps: b.py\n<<<\nx = 1\n>>>\n::run @ls\n"


@pytest.mark.parametrize("dialect", ["v2_1", "v2_attributes"])
def test_an_action_without_a_target_is_lost_and_warned_of(dialect: str) -> None:
    result = symops_lark.process(UNREADABLE, dialect)
    rows = [(finding.code, finding.severity, finding.span.line) for finding in result.diagnostics]
    warned = Severity.WARNING
    assert rows == [("unreadable-section", warned, 2), ("lost-action", warned, 2)]
    assert result.confidence == 0.76 and [action.path for action in result.document.actions] == ["ls"]
    [skipped] = result.document.skipped
    assert skipped.text == UNREADABLE[7:43] and skipped.code == "unreadable-section"


@pytest.mark.parametrize(
    ("text", "dialect", "code", "line"),
    [
        (">> a\nand on\n", "v2", "wrapped-thought", 2),
        ('? "Which?"\n1. this\n', "v2", "near-choice", 2),
        ('[ACTION_TYPE] delete\n[ACTION_PATH] "old.py"\n', "plain", "near-attribute", 2),
        ("::Create @a.py\n", "v2", "missing-content", 1),
        (">> hm\n<think>\n::create @a.py\n<<<\nx = 1\n", "v2", "unclosed-think", 2),
    ],
)
def test_a_mistake_on_a_line_that_follows_or_at_the_end_is_said(text: str, dialect: str, code: str, line: int) -> None:
    diagnostics = symops_lark.recover(text, dialect).diagnostics
    assert (code, line) in [(finding.code, finding.span.line) for finding in diagnostics]


def test_a_reply_of_which_the_rules_leave_nothing_says_what_they_dropped() -> None:
    with pytest.raises(ProtocolError) as caught:
        symops_lark.process("Sure:\n```\nx\n```\n", "v2")
    assert {"stray-text", "fenced-prose"} <= {finding.code for finding in caught.value.diagnostics}


def test_what_stands_beside_fences_taken_for_files_is_said() -> None:
    document = extract_fences("So:\n```\nx\n```\nDone.\n")
    check_skipped(document, document.diagnostics)
    assert len(document.skipped) == 2


def test_an_action_that_breaks_off_with_the_reply_is_warned_of_and_not_lost() -> None:
    result = symops_lark.process("::run @ls\n\n>> hm\n\n::create\n  @deps: b.py", "v2_1")
    assert {finding.severity for finding in result.diagnostics} == {Severity.WARNING}
    codes = [finding.code for finding in result.diagnostics]
    assert codes == ["draft-action", "unreadable-section", "missing-content"]
