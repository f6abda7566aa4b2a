"""Marks of formats that are nearly right: they are read, and always in doubt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest
from format_samples import NO_ACTIONS, SAMPLES, Sample
from hypothesis import assume, given
from hypothesis import strategies as st

from symops_lark import Completeness, Severity, process
from symops_lark.core.formats.documents import read_format
from symops_lark.core.formats.loading import all_sections, load_format
from symops_lark.core.formats.near_marks import PRICES, Corrected, Correction, correct_marks
from symops_lark.core.text.slips import Slip, find_slip

CALL = (
    "I will do it.\n\n<tool_call>\n<function=write_file>\n<parameter=path>\na.py\n</parameter>\n"
    "<parameter=content>\nx = 1\n</parameter>\n</function>\n</tool_call>\n"
)


def damaged(sample: Sample, random: Random) -> Iterator[tuple[str, str]]:
    """Yield a mark, and a reply in which one character of it is missing, twice or another."""
    marks = {mark.strip() for section in load_format(sample.format).sections for mark in section.mark_texts}
    for mark in sorted(marks):
        place = sample.text.find(mark)
        if place < 0 or len(mark) < 6:
            continue
        index = random.randrange(len(mark))
        for middle in ("", mark[index] * 2, "z", mark[index : index + 2][::-1]):
            near = mark[:index] + middle + mark[index + (2 if len(middle) == 2 and middle[0] != middle[1] else 1) :]
            if near != mark:
                yield mark, f"Here.\n\n{sample.text[:place]}{near}{sample.text[place + len(mark) :]}"


_NEAR = pytest.mark.parametrize(
    ("mark", "near"),
    [
        ("</parameter>", "</parametr>"),
        ("</parameter>", "</paramater>"),
        ("</parameter>", "</parameterr>"),
        ("</parameter>", "</parmaeter>"),
        ("<function=", "<functon="),
        ("</function>", "</functions>"),
    ],
)


@_NEAR
def test_a_call_between_two_others_is_read_as_well(mark: str, near: str) -> None:
    calls = [CALL.replace("a.py", path) for path in ("b.py", "a.py", "c.py")]
    calls[1] = calls[1].replace(mark, near, 1)
    document = read_format("\n".join(calls))
    assert {(action.path, action.content) for action in document.actions} == {
        ("b.py", "x = 1"),
        ("a.py", "x = 1"),
        ("c.py", "x = 1"),
    }
    certain = [action.path for action in document.actions if action.completeness is Completeness.COMPLETE]
    assert certain and "a.py" not in certain


@_NEAR
def test_a_call_with_a_mark_that_is_nearly_right_is_read(mark: str, near: str) -> None:
    text = CALL.replace(mark, near, 1)
    [action] = read_format(text).actions
    assert (action.type, action.path, action.content) == ("create", "a.py", "x = 1")
    assert action.completeness is Completeness.SUSPECT and action.confidence <= 0.5
    result = process(text)
    [finding] = [finding for finding in result.diagnostics if finding.code == "near-mark"]
    assert finding.severity is Severity.WARNING
    assert text[finding.span.start : finding.span.end] in (near, near.removeprefix("</"))
    assert text[action.span.start :].startswith("<tool_call>")
    assert text[: action.span.end].endswith("</tool_call>")
    for section in read_format(text).skipped:
        assert section.text == text[section.span.start : section.span.end]


@pytest.mark.slow
def test_most_replies_with_one_damaged_mark_are_read() -> None:
    """Each is right, or in doubt, or gives nothing: never another action without an alarm."""
    random = Random(11)
    kinds: Counter[str] = Counter()
    for sample in SAMPLES:
        # In its blocks, a content shows the damaged mark: the plan refuses such an edit.
        if sample.format == "search_replace":
            continue
        for _, text in damaged(sample, random):
            document = read_format(text)
            actions = [(action.type, action.path, action.content) for action in document.actions]
            if actions == list(sample.actions):
                kinds["right"] += 1
                continue
            kinds["other"] += 1
            for action in document.actions:
                is_meant = (action.type, action.path, action.content) in sample.actions
                assert is_meant or action.completeness is not Completeness.COMPLETE, text
    assert kinds["right"] > 2 * kinds["other"], kinds


@pytest.mark.parametrize("text", NO_ACTIONS)
def test_prose_has_no_mark_that_is_nearly_right(text: str) -> None:
    assert not read_format(text).actions


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.format)
def test_exact_marks_are_not_corrected(sample: Sample) -> None:
    for name in (None, sample.format):
        codes = {finding.code for finding in read_format(sample.text, name).diagnostics}
        assert "near-mark" not in codes


@pytest.mark.parametrize(
    ("mark", "near", "slip"),
    [
        ("</parameter>", "</Parameter>", Slip.CASE),
        ("</parameter>", "</PARAMETER>", Slip.CASE),
        ("</parameter>", "</parammeter>", Slip.DOUBLED),
        ("</parameter>", "< /parameter>", Slip.BLANK),
        ("</parameter>", "</paramxeter>", Slip.ADDED),
        ("</parameter>", "</parametr>", Slip.MISSING),
        ("</parameter>", "/parameter>", Slip.MISSING),
        ("</parameter>", "</paramater>", Slip.REPLACED),
        ("</parameter>", "</parmaeter>", Slip.EXCHANGED),
        ("</parameter>", "/<parameter>", Slip.EXCHANGED),
        ("</function>", "</functino>", Slip.EXCHANGED),
    ],
)
def test_a_correction_has_the_price_of_its_kind(mark: str, near: str, slip: Slip) -> None:
    text = CALL.replace(mark, near, 1)
    document = read_format(text)
    (action,) = document.actions
    assert (action.path, action.content) == ("a.py", "x = 1")
    assert action.confidence == round(0.5 * 0.95 ** (PRICES[slip] / 1000), 4)
    (finding,) = [finding for finding in document.diagnostics if finding.code == "near-mark"]
    assert finding.message.endswith(f"{near} was read as {mark} ({slip}, price {PRICES[slip]})")


CALLS = [CALL.replace("a.py", path) for path in ("a.py", "b.py", "c.py")]
KINDS = st.lists(st.sampled_from([("</parameter>", near) for near in ("</Parameter>", "</parametr>", "</paramater>")]))


@given(KINDS.filter(lambda rows: 0 < len(rows) < 3))
def test_each_further_slip_costs_more(rows: list[tuple[str, str]]) -> None:
    """Slips of other calls cost nothing; each of its own lowers the confidence of a call."""
    confidences = []
    for count in range(len(rows) + 1):
        text = CALLS[1]
        for mark, near in rows[:count]:
            before, _, after = text.rpartition(mark)
            text = before + near + after
        document = read_format("\n".join([CALLS[0], text, CALLS[2]]))
        confidences.append({action.path: action.confidence for action in document.actions}["b.py"])
    assert confidences == sorted(set(confidences), reverse=True)
    assert confidences[0] == 0.85
    assert all(confidence <= 0.5 for confidence in confidences[1:])


WORDS = st.text("aB</> ", min_size=1, max_size=8)


@given(WORDS, WORDS)
def test_a_more_distant_text_is_never_cheaper(text: str, mark: str) -> None:
    """Letters in another case are the nearest; what differs by two signs is only an exchange."""
    slip = find_slip(text, mark)
    assume(slip is not None)
    assert slip is not None
    assert (slip is Slip.CASE) == (text.lower() == mark.lower())
    assert PRICES[slip] >= PRICES[Slip.CASE]
    changed = sum(first != second for first, second in zip(text, mark, strict=False))
    assert abs(len(text) - len(mark)) <= (0 if slip is Slip.CASE else 1)
    if slip is Slip.EXCHANGED:
        assert changed == 2 and sorted(text) == sorted(mark)
        assert PRICES[slip] >= PRICES[Slip.REPLACED]


@pytest.mark.parametrize("near", ["< patched>", "<ppatched>", "<tpatched>", "<PATCHED>"])
def test_of_two_marks_at_one_place_the_cheaper_is_meant(near: str) -> None:
    section = "<file>a.py</file>\n<original>x = 1</original>\n<patched>x = 2</patched>\n"
    text = section.replace("<patched>", near) + "\n" + section.replace("a.py", "b.py")
    document = read_format(text)
    assert [action.edits[0].new for action in document.actions] == ["x = 2", "x = 2"]
    corrected = correct_marks(text, list(all_sections()))
    assert corrected is not None
    (correction,) = corrected.corrections
    assert correction.mark == "<patched>"


@pytest.mark.parametrize(
    "content",
    ["Function: it acts.", "The action-list has functions of parameters.", '<file name="x">', "Reaction: strong"],
)
@pytest.mark.parametrize("format", ["kimi_k2", "react", "file_tags", "invoke_xml"])
def test_words_of_a_content_are_not_marks(format: str, content: str) -> None:
    text = "\n".join(sample.text for sample in SAMPLES if sample.format == format)
    corrected = correct_marks(f"{content}\n{text}", load_format(format).sections)
    assert corrected is None or all(row.start > len(content) for row in corrected.corrections)


@given(st.text("abc\n", max_size=30), st.data())
def test_places_lead_back(text: str, data: st.DataObject) -> None:
    starts = data.draw(st.lists(st.integers(0, len(text)), max_size=6, unique=True).map(sorted))
    corrections = []
    for start, limit in zip(starts, [*starts, len(text)][1:], strict=True):
        end = data.draw(st.integers(start, limit))
        corrections.append(Correction(start, end, data.draw(st.text("MN", max_size=4)), Slip.CASE))
    corrected = Corrected(text, corrections)
    offsets = [corrected.to_original(offset) for offset in range(len(corrected.text) + 1)]
    assert offsets == sorted(offsets)
    assert offsets[-1] == len(text)
    # A character that was not corrected is the same at both places.
    for offset, sign in enumerate(corrected.text):
        if sign in "abc\n":
            assert text[offsets[offset]] == sign
