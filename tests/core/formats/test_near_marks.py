"""Marks of formats that are nearly right: they are read, and always in doubt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest
from format_samples import NO_ACTIONS, SAMPLES, Sample
from hypothesis import given
from hypothesis import strategies as st

from symops_lark import Completeness, Severity, process
from symops_lark.core.formats.documents import read_format
from symops_lark.core.formats.loading import load_format
from symops_lark.core.formats.near_marks import Corrected, Correction

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


@given(st.text("abc\n", max_size=30), st.data())
def test_places_lead_back(text: str, data: st.DataObject) -> None:
    starts = data.draw(st.lists(st.integers(0, len(text)), max_size=6, unique=True).map(sorted))
    corrections = []
    for start, limit in zip(starts, [*starts, len(text)][1:], strict=True):
        end = data.draw(st.integers(start, limit))
        corrections.append(Correction(start, end, data.draw(st.text("MN", max_size=4))))
    corrected = Corrected(text, corrections)
    offsets = [corrected.to_original(offset) for offset in range(len(corrected.text) + 1)]
    assert offsets == sorted(offsets)
    assert offsets[-1] == len(text)
    # A character that was not corrected is the same at both places.
    for offset, sign in enumerate(corrected.text):
        if sign in "abc\n":
            assert text[offsets[offset]] == sign
