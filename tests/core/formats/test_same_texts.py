"""Contents keep the line endings of a reply, and calls keep the verbs that are ours."""

from __future__ import annotations

import pytest
from format_samples import SAMPLES, Sample

from symops_lark import process
from symops_lark.core.formats.documents import read_format


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.format)
@pytest.mark.parametrize("ending", ["\r\n", "\n"])
def test_a_content_has_the_line_endings_of_the_reply(sample: Sample, ending: str) -> None:
    text = sample.text.replace("\n", ending)
    document = read_format(text)
    contents = [action.content for action in document.actions]
    assert [content and content.replace("\r\n", "\n") for content in contents] == [row[2] for row in sample.actions]
    for action in document.actions:
        if action.content_span is not None:
            assert action.content == text[action.content_span.start : action.content_span.end]


@pytest.mark.parametrize("verb", ["run", "test", "execute", "check", "verify"])
def test_a_call_of_one_of_our_verbs_keeps_it(verb: str) -> None:
    text = f'{{"name": "{verb}", "arguments": {{"command": "pytest -q"}}}}'
    (action,) = process(text).document.actions
    assert (action.type, action.path) == (verb, "pytest -q")
