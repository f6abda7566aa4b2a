"""Replies that are in a format of another agent alone are not read in the dialects first."""

from __future__ import annotations

import pytest
from format_samples import SAMPLES, Sample
from hypothesis import given
from hypothesis import strategies as st

from symops_lark import Phase, ProtocolError, process
from symops_lark.core.formats.documents import read_format
from symops_lark.core.other_formats import read_any
from symops_lark.core.processor import SymOpsProcessor
from symops_lark.core.recovery.detection import detect
from symops_lark.core.result import Result

_ALONE = "I write the file now.\n\n"
# Text of ours around a section, in its content, and of neither.
_AROUND = (
    "",
    _ALONE,
    "Create the file:\n\n",
    "- Run the tests.\n",
    ">> A thought.\n",
    "? A question.\n",
    "::create @z.py\n<<<\nz\n>>>\n",
    "$ create @z.py\n--\nz\n--\n",
    ":create @z.py\n<<\nz\n>>\n",
)


def _read_dialects_first(text: str) -> Result:
    """Return the result of a processor that detects a dialect before it looks for formats."""
    processor = SymOpsProcessor()
    steps = processor._begin(text, None).steps()
    (result,) = [result for _, result in steps if result is not None]
    return result if result.phase is Phase.STRICT else read_any(result)


@given(before=st.sampled_from(_AROUND), sample=st.sampled_from(SAMPLES), after=st.sampled_from(_AROUND))
def test_what_is_read_early_is_what_is_read_late(before: str, sample: Sample, after: str) -> None:
    text = f"{before}{sample.text}\n{after}"
    late = _read_dialects_first(text)
    try:
        early = process(text)
    except ProtocolError as error:
        assert not late.document.actions
        assert error.document.actions == ()
        return
    assert early.document.actions == late.document.actions
    assert early.document.dialect == late.document.dialect
    assert {finding.code for finding in early.diagnostics} == {finding.code for finding in late.diagnostics}


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.format)
def test_no_dialect_is_priced_where_the_formats_own_the_reply(sample: Sample) -> None:
    def find_repairer(dialect: object) -> object:
        raise AssertionError("a dialect is priced")

    text = f"{_ALONE}{sample.text}"
    detection = detect(text, find_repairer, nearest=True, read_other=read_format)  # type: ignore[arg-type]
    assert detection.dialect is None
    assert detection.in_formats == read_format(text)
